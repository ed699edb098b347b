"""TBJE: text, sound, video and whatever else goes along with them, encoded together.

Shapes: B batch, T tokens of a modality, F features of a frame, S samples, D width, C outputs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import tensorflow as tf

from keras_absa.data.joint_task import JointTask
from keras_absa.data.segments import Segments
from keras_absa.data.word_vectors import WordVectors
from keras_absa.keras import keras
from keras_absa.layers.feature_branch import FeatureBranch
from keras_absa.layers.joint_encoder_stack import JointEncoderStack
from keras_absa.layers.joint_parts import built
from keras_absa.layers.mel_spectrogram import MelSpectrogram
from keras_absa.layers.word_branch import WordBranch
from keras_absa.models.joint_answers import JointAnswers
from keras_absa.models.joint_encoder_folder import built_for, read_joint_encoder, write_joint_encoder
from keras_absa.models.know_bert import embedded_tables, encoder_of
from keras_absa.models.slotted_bert import SlottedBert
from keras_absa.text.row_encoder import row_encoder
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.text.transcript import spoken_words
from keras_absa.text.word_tokenizer import WordTokenizer

SPECIAL_TOKENS = ("keep", "mask")
OWN = ("hidden_units", "embedding_size", "recurrent", "special_tokens", "train_encoder")


@keras.utils.register_keras_serializable(package="keras_absa")
class JointEncoder(JointAnswers):
    """Answers about a segment from all its modalities; the first one guides the others.

    Text goes through word vectors and an LSTM, or through a BERT with slots; every other modality through a dense map of its
    frames. All sequences are cut or padded to a fixed length, on which the glimpses' weights depend.

    Args:
        task: The `JointTask`.
        tokenizer: A `WordTokenizer`; the encoder's `Tokenizer` with an `encoder`. Defaults to None, no text.
        encoder: A `SlottedBert`; a `KnowBert` finds mentions in the texts. Defaults to None: words and an LSTM.
        features: Modality to the features of a frame, or to a `MelSpectrogram` where it is a waveform. Defaults to None.
        modalities: Their order, the guide first; `"text"` is the text's name. Defaults to None: text, then `features`' order.
        lengths: Modality to its number of words, word pieces or frames. Defaults to None: 60 each.
        hidden_units: Int, D. Defaults to 512.
        embedding_size: Int, size of a word vector. Defaults to 300.
        recurrent: Names of modalities that go through an LSTM instead of a dense map; `"text"` with an `encoder` puts one over
            its states. Defaults to ().
        special_tokens: Whether an encoder's [CLS] and [SEP] count: `"keep"` or `"mask"`. Defaults to `"keep"`.
        train_encoder: Bool, train the `encoder`, too. Defaults to True.
        mask_blocks: See `JointEncoderStack`. Defaults to None: `"all"` with an `encoder`, whose padded states are arbitrary,
            else `"first"`, as the public code.
        num_heads, inner_units, num_blocks, dropout, head_dropout, co_attention, guide, unit_residual, norm, glimpse_masks: See
            `JointEncoderStack`; the defaults are those of the published commands.
        **kwargs: Passed to `keras.Model` (`name`).

    Call arguments:
        inputs: A dict: `input_ids` int32 [B, T], with an encoder also `attention_mask`, `context_ids` int32 [B] if contexts guide
            it, and a `KnowBert`'s candidates as `KnowledgeEncoder` gives them; every other modality's frames, float [B, T, F], or
            waveform, float [B, S].
        training: Bool, switches dropout on.
        return_attention: Bool, also return the glimpses' weights, see `JointEncoderStack`. Defaults to False.

    Returns:
        Logits, float32 [B, C]; for a score [B, 1].

    Raises:
        ValueError: If arguments do not fit each other.

    Example:
        >>> from keras_absa.data import cross_modal, cross_modal_segments
        >>> segments = cross_modal_segments("dev", size=8)
        >>> model = JointEncoder.from_segments(segments, cross_modal(), hidden_units=8, num_heads=2, inner_units=8, num_blocks=2,
        ...                                    embedding_size=6, lengths={"text": 10, "audio": 12})
        >>> model.predict(segments).shape
        (8, 2)

    Reference:
        Delbrouck et al. 2020, "A Transformer-based joint-encoding for Emotion Recognition and Sentiment Analysis".
    """

    def __init__(
        self,
        task: JointTask,
        tokenizer: WordTokenizer | Tokenizer | None = None,
        encoder: SlottedBert | None = None,
        features: Mapping[str, int | MelSpectrogram] | None = None,
        *,
        modalities: Sequence[str] | None = None,
        lengths: Mapping[str, int] | None = None,
        hidden_units: int = 512,
        embedding_size: int = 300,
        recurrent: Sequence[str] = (),
        special_tokens: str = "keep",
        train_encoder: bool = True,
        mask_blocks: str | None = None,
        name: str | None = None,
        **stack,
    ):
        super().__init__(name=name)
        given = dict(features or {})
        known = [*(["text"] if tokenizer is not None else []), *given]
        self.modalities = tuple(known if modalities is None else modalities)
        self.lengths = {each: int((lengths or {}).get(each, 60)) for each in self.modalities}
        self.recurrent = tuple(recurrent)
        _check(self, known, lengths or {}, tokenizer, encoder, special_tokens)
        self.task = task
        self.hidden_units = hidden_units
        self.embedding_size = embedding_size
        self.special_tokens = special_tokens
        self.train_encoder = train_encoder
        self.tokenizer = tokenizer
        self.encoder = encoder
        self.spectrograms = {each: width for each, width in given.items() if isinstance(width, MelSpectrogram)}
        self.features = {each: None if each in self.spectrograms else int(width) for each, width in given.items()}
        self.load_report = None
        self.selection = None  # what the last `fit` selected: monitor, epoch and value

        self.branches = {each: self._branch(each) for each in self.modalities}
        stack["mask_blocks"] = mask_blocks or ("all" if encoder is not None else "first")
        named = {"text": "lang"}  # as the reference arrays call it
        self.stack = JointEncoderStack(
            [self.lengths[each] for each in self.modalities],
            task.outputs,
            modalities=[named.get(each, each) for each in self.modalities],
            name="stack",
            **stack,
        )
        self.stack.build([tf.TensorShape([None, self.lengths[each], hidden_units]) for each in self.modalities])
        if encoder is not None:
            encoder.trainable = train_encoder
            if encoder.bert.bert.pooler is not None:
                encoder.bert.bert.pooler.trainable = False  # nothing reads it
        if tokenizer is not None:
            self.text_encoder = row_encoder(tokenizer, self.lengths["text"], self.bases)
        self.built = True

    def _branch(self, name):
        units = self.hidden_units
        if name == "text" and self.encoder is None:
            branch = WordBranch(self.tokenizer.vocab_size, self.embedding_size, units, name="words")
            branch.build(tf.TensorShape([None, None]))
            return branch
        if name == "text":
            width = self.encoder.bert.config.hidden_size
        else:
            width = self.spectrograms[name].num_mels if name in self.spectrograms else self.features[name]
        return built(FeatureBranch(units, recurrent=name in self.recurrent, name=f"{name}_branch"), width)

    def build(self, input_shape=None):
        # All weights exist once the constructor has run.
        self.built = True

    @property
    def num_contexts(self) -> int:
        """How many contexts an encoder is guided by; 0 if it is not."""
        return 0 if self.encoder is None or not self.encoder.plugs else self.encoder.num_contexts

    @property
    def bases(self) -> tuple:
        """The knowledge bases of a `KnowBert`."""
        return () if self.encoder is None else self.encoder.bases

    def input_length(self, name: str) -> int:
        """How many frames, or samples of a waveform, a modality has in a batch."""
        spectrogram = self.spectrograms.get(name)
        return self.lengths[name] if spectrogram is None else spectrogram.samples(self.lengths[name])

    def encode_texts(self, texts, text_encoder=None) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """The inputs of texts, and how many words or word pieces of each did not fit, [B].

        Args:
            texts: String [B].
            text_encoder: What encodes them. Defaults to None: the model's own; `served_text_encoder` gives an export's.

        Returns:
            Int32 [B, T] `input_ids` and, with an encoder, `attention_mask`; a `KnowBert`'s candidates. And an int32 [B].
        """
        if self.encoder is None:
            texts = spoken_words(texts)
        inputs, cut = (text_encoder or self.text_encoder).encode_with_counts(texts, length=self.lengths["text"])
        tokens = ("input_ids",) if self.encoder is None else ("input_ids", "attention_mask")
        found = {key: tf.ensure_shape(inputs[key], [None, self.lengths["text"]]) for key in tokens}
        for base in self.bases:
            found |= {key: each for key, each in inputs.items() if key.startswith(f"{base.name}_")}
        return found, cut

    def served_text_encoder(self):
        """What an export encodes texts with: the vectors of knowledge bases are projected now, not for each batch."""
        if not self.bases:
            return self.text_encoder
        return row_encoder(self.tokenizer, self.lengths["text"], self.bases, embedded_tables(self.encoder))

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False, return_attention=False):
        states, masks = [], []
        for name in self.modalities:
            if name == "text":
                state, mask = self._language(inputs, training)
            else:
                frames = inputs[name]
                frames = self.spectrograms[name](frames) if name in self.spectrograms else frames
                state, mask = self.branches[name](frames)
            states.append(state)  # [B, T, D]
            masks.append(mask)  # [B, T]
        return self.stack(states, masks=masks, training=training, return_attention=return_attention)

    def _language(self, inputs, training):
        ids = inputs["input_ids"]
        if self.encoder is None:
            return self.branches["text"](ids)
        mask = tf.cast(inputs["attention_mask"], tf.bool)
        read = {key: each for key, each in inputs.items() if key not in self.features}
        hidden = self.encoder(read, training=training and self.train_encoder)["last_hidden_state"]  # [B, T, its D]
        if self.special_tokens == "mask":
            mask &= (ids != self.tokenizer.cls_id) & (ids != self.tokenizer.sep_id)
        return self.branches["text"](hidden, mask=mask)

    def tokens(self, text: str) -> list[str]:
        """What stands at the text's positions, without padding."""
        ids = self.encode_texts([text])[0]["input_ids"][0].numpy()
        return [self.tokenizer.vocabulary[each] for each in ids[ids != 0]]

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights but the encoder's, by stable names: `block0.sa_lang.mhatt.q.kernel`, `audio_adapter.kernel`."""
        named = {}
        for name, branch in self.branches.items():
            if isinstance(branch, WordBranch):
                named |= branch.named_weights()
            else:
                prefix = f"{'lang' if name == 'text' else name}_{'lstm' if branch.recurrent else 'adapter'}"
                named |= {f"{prefix}.{part}": weight for part, weight in branch.named_weights().items()}
        return {**named, **self.stack.named_weights()}

    def plug_weights(self) -> dict[str, tf.Variable]:
        """All weights that are not a `TFBertModel`'s, by stable names."""
        return {**({} if self.encoder is None else self.encoder.plug_weights()), **self.named_weights()}

    def inference_weights(self) -> list[tf.Variable]:
        """What an export holds."""
        return [*([] if self.encoder is None else self.encoder.bert.variables), *self.plug_weights().values()]

    def settings(self) -> dict:
        """The constructor's arguments as plain values, without the vocabulary and the encoder."""
        spectrograms = {name: keras.layers.serialize(layer) for name, layer in self.spectrograms.items()}
        stack = self.stack.get_config()
        own = {name: getattr(self, name) for name in OWN}
        left_out = ("name", "trainable", "dtype", "lengths", "outputs", "modalities")
        return {
            "task": self.task.to_dict(),
            "features": {**self.features, **spectrograms},
            "modalities": list(self.modalities),
            "lengths": dict(self.lengths),
            **own,
            "recurrent": list(self.recurrent),
            **{name: value for name, value in stack.items() if name not in left_out},
        }

    def get_config(self):
        return {
            "name": self.name,
            "encoder": self.encoder and self.encoder.get_config(),
            "vocabulary": self.tokenizer and self.tokenizer.vocabulary,
            "lower_case": self.tokenizer and self.tokenizer.lower_case,
            **self.settings(),
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        encoder = config.pop("encoder", None)
        encoder = encoder and encoder_of(encoder)
        vocabulary, lower_case = config.pop("vocabulary", None), config.pop("lower_case", None)
        tokenizer = None
        if vocabulary is not None:
            tokenizer = (
                Tokenizer(vocabulary, lower_case=lower_case) if encoder else WordTokenizer(vocabulary, split="blanks")
            )
        features = {
            name: keras.layers.deserialize(width) if isinstance(width, Mapping) else width
            for name, width in config.pop("features").items()
        }
        return cls(JointTask.from_dict(config.pop("task")), tokenizer, encoder, features, **config)

    @classmethod
    def from_segments(
        cls,
        segments: Segments,
        task: JointTask,
        *,
        backbone: str | Path | SlottedBert | None = None,
        word_vectors: WordVectors | str | Path | None = None,
        features: Mapping | None = None,
        use: Sequence[str] | None = None,
        max_words: int = 50_000,
        **kwargs,
    ) -> "JointEncoder":
        """A model for the modalities of training segments.

        Args:
            segments: The training set; its words are the vocabulary of a model without a BERT.
            task: The `JointTask`.
            backbone: `"minilm"`, a folder, a hub name, or a `SlottedBert` that was read from one. Defaults to None: words, LSTM.
            word_vectors: `WordVectors` or a file of `read_word_vectors`. Defaults to None, random ones.
            features: Modality to a `MelSpectrogram`, for waveforms. Defaults to None: one with its default settings.
            use: Modalities to use, the guide first. Defaults to None, all.
            max_words: Int, most words of the vocabulary. Defaults to 50,000.
            **kwargs: The constructor's arguments.
        """
        return built_for(cls, segments, task, backbone, word_vectors, features, use, max_words, kwargs)

    def save_pretrained(self, folder: str | Path) -> None:
        """Writes settings, weights and vocabulary into a folder; a BERT as HuggingFace does."""
        write_joint_encoder(folder, self)

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "JointEncoder":
        """Reads what `save_pretrained` wrote."""
        return read_joint_encoder(cls, folder)

    @classmethod
    def from_torch_checkpoint(
        cls, path: str | Path, task: JointTask, vocabulary: Sequence[str], **kwargs
    ) -> "JointEncoder":
        """Reads a checkpoint of the public code, without PyTorch; see `keras_absa.models.tbje_checkpoint`.

        Args:
            path: What the public code saved, or a state dict.
            task: The `JointTask`; its labels in the checkpoint's order.
            vocabulary: The words in the order of their ids, from 0, which is padding; UNK is at 1 in the public code.
            **kwargs: What the weights' shapes do not say: `num_heads` (4), and lengths of modalities if there is one block only.

        Raises:
            RefusedPickle: If the file holds more than data.
            ValueError: If the weights are not those of a joint encoder.
        """
        from keras_absa.models.tbje_checkpoint import read_tbje_checkpoint

        return read_tbje_checkpoint(cls, path, task, vocabulary, kwargs)


def _check(model, known, lengths, tokenizer, encoder, special_tokens):
    names, order = sorted(known), list(model.modalities)
    if not known or sorted(order) != names or set(lengths) - set(known) or set(model.recurrent) - set(known):
        raise ValueError(
            f"`modalities` must name each of {names or 'text (a tokenizer) or features'} once, `lengths` and `recurrent` some of "
            f"them: received {order}, {sorted(lengths)} and {list(model.recurrent)}. Correct them."
        )
    if special_tokens not in SPECIAL_TOKENS:
        raise ValueError(
            f"`special_tokens` must be one of {list(SPECIAL_TOKENS)}: received {special_tokens!r}. Pick one."
        )
    if any(length < 1 for length in model.lengths.values()):
        raise ValueError(f"`lengths` must be at least 1: received {model.lengths}. Raise them.")
    wanted = WordTokenizer if encoder is None else Tokenizer
    if isinstance(tokenizer, WordTokenizer) and tokenizer.split != "blanks":
        raise ValueError(
            'A joint encoder cuts transcripts at blanks: received a tokenizer with split="words". Make one with "blanks".'
        )
    if (encoder is not None or tokenizer is not None) and not isinstance(tokenizer, wanted):
        raise ValueError(
            f"`tokenizer` must be a {wanted.__name__} {'without' if encoder is None else 'with'} an encoder: received "
            f"{type(tokenizer).__name__}. Use `from_segments`, which makes it."
        )
    if encoder is not None:
        positions = encoder.bert.config.max_position_embeddings
        if not 3 <= model.lengths["text"] <= positions:
            raise ValueError(
                f"`lengths['text']` must be from 3 to the encoder's {positions} positions: received {model.lengths['text']}."
            )
