"""What the models on a BERT share: an encoder with slots, and a classifier.

Shapes: B rows, D width, C labels, K contexts.
"""

from pathlib import Path

import tensorflow as tf

from keras_absa.data.aspect_task import SCHEMES, AspectTask
from keras_absa.keras import keras
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.classifier_folder import classifier_on_bert, read_classifier, write_classifier
from keras_absa.models.know_bert import embedded_tables, encoder_of
from keras_absa.models.pretrained_folder import read_settings
from keras_absa.models.slotted_bert import SlottedBert
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.tokenizer import Tokenizer


class AspectClassifier(AspectModel):
    """Base of `QacgBertClassifier`, `CgBertClassifier` and `BertPairClassifier`; it is not used by itself.

    Args:
        encoder: A `SlottedBert`; a `KnowBert` finds mentions in texts and questions.
        task: The `AspectTask`: aspects, targets and labels.
        tokenizer: The `Tokenizer` of the encoder's vocabulary.
        scheme: How the context is written into the input: `"nli_m"`, `"qa_m"`, `"nli_b"`, `"qa_b"` or
            `"single"` (not at all). Defaults to `"nli_m"`.
        max_length: Int, most tokens of a row. Defaults to 128.
        dropout: Float, rate on the vector that is classified. Defaults to 0.1.
        use_pooler: Bool, classify BERT's pooled vector (the public code) rather than the last hidden state of
            [CLS] (as the paper writes); a `pooling` plug's vector is classified in any case. Defaults to True.
        temperature: Float, what logits are divided by before the softmax; `calibrate` finds one. Defaults to 1.
        none_threshold: Float between 0 and 1, the probability from which on a row is "none", see `decide`. Defaults to
            None: the most probable label.
        **kwargs: Passed to `keras.Model`.

    Call arguments:
        inputs: A dict of int32 tensors as `AspectEncoder` makes it: `input_ids`, `token_type_ids`, `attention_mask`
            [B, T] and `context_ids` [B].

    Returns:
        Logits, float32 [B, C]; [B, 2] in a binary scheme. `predict` gives probabilities.
    """

    def __init__(
        self,
        encoder: SlottedBert,
        task: AspectTask,
        tokenizer: Tokenizer,
        *,
        scheme: str = "nli_m",
        max_length: int = 128,
        dropout: float = 0.1,
        use_pooler: bool = True,
        temperature: float = 1.0,
        none_threshold: float | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if scheme not in SCHEMES:
            raise ValueError(f"`scheme` must be one of {list(SCHEMES)}: received {scheme!r}. Pick one of them.")
        positions = encoder.bert.config.max_position_embeddings
        if max_length > positions:
            raise ValueError(
                f"`max_length` must not exceed the encoder's {positions} positions: received {max_length}. Lower it."
            )
        if tokenizer.vocab_size > encoder.bert.config.vocab_size:
            raise ValueError(
                f"The vocabulary must fit the encoder's {encoder.bert.config.vocab_size} word pieces: received "
                f"{tokenizer.vocab_size}. Use the checkpoint's own vocab.txt."
            )
        self.task = task
        self.scheme = scheme
        self.max_length = max_length
        self.dropout = dropout
        self.use_pooler = use_pooler
        self.temperature = temperature
        self.none_threshold = none_threshold
        self.encoder = encoder
        self.text_encoder = AspectEncoder(tokenizer, task, scheme=scheme, max_length=max_length, bases=encoder.bases)
        self.binary = scheme.endswith("_b")

        width = encoder.pooled_width if self._reads_pooled else encoder.bert.config.hidden_size
        outputs = 2 if self.binary else len(task.labels)
        heads = task.num_contexts if scheme == "single" else 1  # one classifier a context where the text alone is read
        stddev = encoder.bert.config.initializer_range
        self.classifier_dropout = keras.layers.Dropout(dropout)
        self.classifier_kernel = self.add_weight(
            name="classifier/kernel",
            shape=(heads, width, outputs),
            initializer=keras.initializers.RandomNormal(stddev=stddev),
        )
        self.classifier_bias = self.add_weight(name="classifier/bias", shape=(heads, outputs), initializer="zeros")
        self.load_report = None
        self.selection = None  # what the last `fit` selected: monitor, epoch and value
        self.build()

    def build(self, input_shape=None):
        # All weights exist once the constructor has run.
        self.built = True

    @property
    def _reads_pooled(self):
        return self.use_pooler or self.encoder.pooling is not None

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the encoder's vocabulary."""
        return self.text_encoder.pair_encoder.tokenizer

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False):
        outputs = self.encoder(inputs, training=training, first_token_only=True)
        vector = outputs["pooled"] if self._reads_pooled else outputs["last_hidden_state"][:, 0]  # [B, D]
        vector = tf.cast(self.classifier_dropout(vector, training=training), tf.float32)
        kernel, bias = tf.cast(self.classifier_kernel, tf.float32), tf.cast(self.classifier_bias, tf.float32)
        if self.scheme == "single":
            heads = inputs["context_ids"]
            return tf.einsum("bd,bdc->bc", vector, tf.gather(kernel, heads)) + tf.gather(bias, heads)  # [B, C]
        return tf.matmul(vector, kernel[0]) + bias[0]  # [B, C]

    def plug_weights(self) -> dict[str, tf.Variable]:
        """The weights that are not the `TFBertModel`'s, by stable names."""
        own = {"classifier/kernel": self.classifier_kernel, "classifier/bias": self.classifier_bias}
        return {**self.encoder.plug_weights(), **own}

    def inference_weights(self) -> list[tf.Variable]:
        """What an export holds."""
        return [*self.encoder.bert.variables, *self.plug_weights().values()]

    def served_text_encoder(self) -> AspectEncoder:
        """What an export encodes texts with: the vectors of knowledge bases are projected now, not for each batch."""
        if not self.encoder.bases:
            return self.text_encoder
        own = {"scheme": self.scheme, "max_length": self.max_length, "bases": self.encoder.bases}
        return AspectEncoder(self.tokenizer, self.task, **own, embedded=embedded_tables(self.encoder))

    def training_identity(self) -> dict:
        """What makes two models the same before their training."""
        slots = self.encoder.slots_config()
        plugs = {name: slots[name] and {**slots[name]["config"], "name": ""} for name in ("attention", "pooling")}
        return {**self._settings(), **slots, **plugs}

    def _settings(self):
        return {
            "task": self.task.to_dict(),
            "scheme": self.scheme,
            "max_length": self.max_length,
            "dropout": self.dropout,
            "use_pooler": self.use_pooler,
            "temperature": self.temperature,
            "none_threshold": self.none_threshold,
        }

    def get_config(self):
        return {
            "name": self.name,
            "encoder": self.encoder.get_config(),
            "vocabulary": self.tokenizer.vocabulary,
            "lower_case": self.tokenizer.lower_case,
            **self._settings(),
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        tokenizer = Tokenizer(config.pop("vocabulary"), lower_case=config.pop("lower_case"))
        encoder = encoder_of(config.pop("encoder"))
        return cls(encoder, AspectTask.from_dict(config.pop("task")), tokenizer, **config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Writes an untouched HuggingFace folder, with the plugs, the settings and the vocabulary beside it."""
        write_classifier(folder, self, self._settings())

    @classmethod
    def from_pretrained(cls, name: str | Path, *, task: AspectTask | None = None, **kwargs):
        """Puts the model on a pretrained BERT, or reads what `save_pretrained` wrote.

        Args:
            name: `"minilm"`, a folder, or a hub name.
            task: The `AspectTask`; needed for a plain BERT, and read from a saved model.
            **kwargs: Arguments of the constructor, and of the attention layer.

        Returns:
            The model; its `load_report` says which weights were loaded, which are new, and which were not used.
        """
        settings = read_settings(name)
        if settings is None or settings["class"] == "SlottedBert":
            return classifier_on_bert(cls, name, task, kwargs)
        return read_classifier(cls, name, settings, task, kwargs)

    @classmethod
    def slots_for(cls, name, task, kwargs) -> dict:
        """The slots that a subclass puts into a plain BERT."""
        raise NotImplementedError(
            f"{cls.__name__} is a base class. Use QacgBertClassifier, CgBertClassifier or BertPairClassifier."
        )
