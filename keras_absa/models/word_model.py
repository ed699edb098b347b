"""What models on word vectors share: a BiLSTM with structured self-attention over a text, and where its weights go.

Shapes: B rows, T words, E width of a word vector, U units of one LSTM, R hops.
"""

from pathlib import Path

import tensorflow as tf

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.word_vectors import WordVectors, read_word_vectors
from keras_absa.keras import keras
from keras_absa.layers.structured_self_attention import StructuredSelfAttention
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.pretrained_folder import weights_by_name
from keras_absa.models.word_model_folder import read_word_model, write_word_model
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.word_tokenizer import WordTokenizer

LSTM_PARTS = ("kernel", "recurrent_kernel", "bias")
SETTINGS = ("embedding_size", "lstm_units", "hidden_units", "dropout", "max_length", "temperature", "none_threshold")


def check_attention(attention, sizes: dict) -> None:
    """Refuses an attention of another class, and sizes that are no positive whole numbers."""
    if not isinstance(attention, StructuredSelfAttention):
        raise ValueError(
            f"`attention` must be a StructuredSelfAttention: received {type(attention).__name__}. Pass for example "
            "keras_absa.layers.StructuredSelfAttention(hops=4, attention_units=64)."
        )
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"`{name}` must be an integer of at least 1: received {size!r}. Pass for example 64.")


class WordModel(AspectModel):
    """Base of `SelfAttentiveClassifier` and `SelfAttentivePairClassifier`.

    A subclass names the layers after `encode` in `head_weights`; its constructor has the arguments below, and may have more
    that it names in `own_settings`.
    """

    binary = False
    own_settings = ()

    def __init__(
        self,
        task: AspectTask,
        tokenizer: WordTokenizer,
        scheme: str,
        attention: StructuredSelfAttention,
        embedding_size: int,
        lstm_units: int,
        hidden_units: int,
        dropout: float,
        max_length: int,
        temperature: float,
        none_threshold: float | None,
        **kwargs,
    ):
        if tokenizer.split != "words":
            raise ValueError(
                f"`tokenizer` must cut at words: received one with split={tokenizer.split!r}. Use WordTokenizer.from_texts."
            )
        super().__init__(**kwargs)
        self.task = task
        self.scheme = scheme
        self.embedding_size = embedding_size
        self.lstm_units = lstm_units
        self.hidden_units = hidden_units
        self.dropout = dropout
        self.max_length = max_length
        self.temperature = temperature
        self.none_threshold = none_threshold
        self.text_encoder = AspectEncoder(tokenizer, task, scheme=scheme, max_length=max_length)
        self.load_report = None
        self.selection = None  # what the last `fit` selected: monitor, epoch and value

        self.embedding = keras.layers.Embedding(tokenizer.vocab_size, embedding_size, name="embedding")
        self.bilstm = keras.layers.Bidirectional(keras.layers.LSTM(lstm_units, return_sequences=True), name="bilstm")
        config = {**attention.get_config(), "name": "attention", "return_attention": True}
        self.attention = StructuredSelfAttention.from_config(config)
        self.hidden = keras.layers.Dense(hidden_units, activation="relu", name="hidden")
        self.word_dropout = keras.layers.Dropout(dropout)
        self.hidden_dropout = keras.layers.Dropout(dropout)
        self.embedding.build(None)
        self.bilstm.build(tf.TensorShape([None, None, embedding_size]))
        self.attention.build(tf.TensorShape([None, None, 2 * lstm_units]))

    def build(self, input_shape=None):
        # All weights exist once the constructor has run.
        self.built = True

    @classmethod
    def from_examples(
        cls,
        examples,
        task: AspectTask,
        *,
        word_vectors: WordVectors | str | Path | None = None,
        max_words: int = 50_000,
        min_count: int = 1,
        lower_case: bool = True,
        **kwargs,
    ):
        """A model for the words of training examples.

        Args:
            examples: A list of `AspectExample`, or an `AspectDataset`.
            task: The `AspectTask`.
            word_vectors: `WordVectors`, or a file of `read_word_vectors`, for the words that it has; the others get
                random ones, and all are trained. Defaults to None: random ones, of `embedding_size` values.
            max_words: Int, most words of the vocabulary. Defaults to 50,000.
            min_count: Int, rarer words are left out. Defaults to 1.
            lower_case: Bool. Defaults to True.
            **kwargs: The constructor's arguments.
        """
        examples = list(getattr(examples, "examples", examples))
        wrong = next((each for each in examples if not isinstance(each, AspectExample)), None)
        if wrong is not None:
            raise ValueError(
                f"`examples` must be a list of AspectExample or an AspectDataset: received a {type(wrong).__name__} in it. Read "
                "data with keras_absa.data.load."
            )
        texts = dict.fromkeys(cls._texts(examples, task, kwargs))
        tokenizer = WordTokenizer.from_texts(texts, max_words=max_words, min_count=min_count, lower_case=lower_case)
        if word_vectors is None:
            return cls(task, tokenizer, **kwargs)
        if not isinstance(word_vectors, WordVectors):
            word_vectors = read_word_vectors(word_vectors, words=tokenizer.vocabulary)
        if not word_vectors.words:
            raise ValueError("`word_vectors` must hold words of the examples: received none of them. Check the file.")
        kwargs.setdefault("embedding_size", word_vectors.vectors.shape[1])
        if kwargs["embedding_size"] != word_vectors.vectors.shape[1]:
            raise ValueError(
                f"`embedding_size` must be that of the word vectors, {word_vectors.vectors.shape[1]}: received "
                f"{kwargs['embedding_size']}. Leave it out."
            )
        model = cls(task, tokenizer, **kwargs)
        model.embedding.set_weights([word_vectors.matrix(tokenizer.vocabulary)])
        return model

    @classmethod
    def _texts(cls, examples, task, kwargs):
        """Everything that the model will read."""
        return [row.text for row in examples]

    @property
    def tokenizer(self) -> WordTokenizer:
        """The tokenizer of the model's words."""
        return self.text_encoder.pair_encoder.tokenizer

    def compile(self, optimizer="adam", loss=None, metrics=None, *, learning_rate: float | None = None, **kwargs):
        """As `TextModel.compile`, with Adam at 1e-3 by default."""
        if isinstance(optimizer, str) and learning_rate is None:
            learning_rate = 1e-3
        super().compile(optimizer, loss, metrics, learning_rate=learning_rate, **kwargs)

    def encode(self, input_ids, attention_mask, training):
        """What the attention makes of a batch of texts, for example [B, R 2 U], and its matrix A, [B, R, T]."""
        # The original graph's LSTM sees no mask either.
        mask = None if self.attention.variant == "reference" else tf.cast(attention_mask, tf.bool)  # [B, T]
        words = self.word_dropout(self.embedding(input_ids), training=training)  # [B, T, E]
        states = self.bilstm(words, mask=mask, training=training)  # [B, T, 2 U]
        return self.attention(states, mask=mask, training=training)

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        cells = {"forward": self.bilstm.forward_layer.cell, "backward": self.bilstm.backward_layer.cell}
        return {
            "embedding": self.embedding.embeddings,
            **{f"{way}/{part}": getattr(cell, part) for way, cell in cells.items() for part in LSTM_PARTS},
            **weights_by_name("attention", self.attention),
            **weights_by_name("hidden", self.hidden),
            **self.head_weights(),
        }

    def inference_weights(self) -> list[tf.Variable]:
        """What an export holds."""
        return list(self.named_weights().values())

    def training_identity(self) -> dict:
        """What makes two models the same before their training."""
        return {**self._settings(), "attention": {**self.attention.get_config(), "name": ""}}

    def _settings(self):
        return {
            "task": self.task.to_dict(),
            "attention": keras.layers.serialize(self.attention),
            "lower_case": self.tokenizer.lower_case,
            **{name: getattr(self, name) for name in (*SETTINGS, *self.own_settings)},
        }

    def get_config(self):
        return {"name": self.name, "vocabulary": self.tokenizer.vocabulary, **self._settings()}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        tokenizer = WordTokenizer(config.pop("vocabulary"), lower_case=config.pop("lower_case"))
        attention = keras.layers.deserialize(config.pop("attention"))
        return cls(AspectTask.from_dict(config.pop("task")), tokenizer, attention=attention, **config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Writes the settings, the weights and the vocabulary into a folder."""
        write_word_model(folder, self, self._settings())

    @classmethod
    def from_pretrained(cls, folder: str | Path):
        """Reads what `save_pretrained` wrote."""
        return read_word_model(cls, folder)
