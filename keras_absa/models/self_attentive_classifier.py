"""The structured self-attentive sentence embedding as a whole model: word vectors, BiLSTM, attention, two dense layers.

Shapes: B rows, T words, E width of a word vector, U units of one LSTM, R hops, F hidden units, C labels, K contexts.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.word_vectors import WordVectors, read_word_vectors
from keras_absa.keras import keras
from keras_absa.layers.structured_self_attention import StructuredSelfAttention
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.pretrained_folder import weights_by_name
from keras_absa.models.word_model_folder import read_word_model, write_word_model
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.word_tokenizer import WordTokenizer

LEARNING_RATE = 1e-3
LSTM_PARTS = ("kernel", "recurrent_kernel", "bias")


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfAttentiveClassifier(AspectModel):
    """Classifies texts by several weighted sums of a BiLSTM's states, without a pretrained encoder.

    The text is read once, alone; each (target, aspect) has its own last layer, so that a task with one aspect is plain
    sentence classification. The attention's penalty joins the loss.

    Args:
        task: The `AspectTask`; its aspects must be a closed set.
        tokenizer: A `WordTokenizer`.
        attention: A `StructuredSelfAttention`, of which the model uses a copy. With `variant="reference"` the LSTM sees no
            mask either, as in the original graph. Defaults to None: 8 hops, 64 units.
        embedding_size: Int, E. Defaults to 100.
        lstm_units: Int, U, in each direction. Defaults to 100.
        hidden_units: Int, F, of the dense ReLU layer. Defaults to 256.
        dropout: Float, rate on the word vectors and on the hidden layer. Defaults to 0.3.
        max_length: Int, most words of a text. Defaults to 128.
        temperature, none_threshold: See `AspectClassifier`. Defaults to 1 and None.
        **kwargs: Passed to `keras.Model`.

    Call arguments:
        inputs: A dict of int32 tensors: `input_ids` and `attention_mask` [B, T], `context_ids` [B].
        return_attention: Bool, also return A, float32 [B, R, T]. Defaults to False.

    Returns:
        Logits, float32 [B, C].

    Example:
        >>> from keras_absa.data import AspectExample, task_from_examples
        >>> rows = [AspectExample("good soup", "food", "good"), AspectExample("bad soup", "food", "bad")]
        >>> model = SelfAttentiveClassifier.from_examples(rows, task_from_examples(rows, "soups"))
        >>> model.compile()
        >>> _ = model.fit(rows, epochs=1, verbose=0)
        >>> model.predict(rows).shape
        (2, 2)

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding".
    """

    scheme = "single"
    binary = False

    def __init__(
        self,
        task: AspectTask,
        tokenizer: WordTokenizer,
        *,
        attention: StructuredSelfAttention | None = None,
        embedding_size: int = 100,
        lstm_units: int = 100,
        hidden_units: int = 256,
        dropout: float = 0.3,
        max_length: int = 128,
        temperature: float = 1.0,
        none_threshold: float | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.task = task
        self.embedding_size = embedding_size
        self.lstm_units = lstm_units
        self.hidden_units = hidden_units
        self.dropout = dropout
        self.max_length = max_length
        self.temperature = temperature
        self.none_threshold = none_threshold
        self.text_encoder = AspectEncoder(tokenizer, task, scheme="single", max_length=max_length)
        attention = StructuredSelfAttention(8, 64) if attention is None else attention
        config = {**attention.get_config(), "name": "attention", "return_attention": True}
        if attention.pooling == "none":
            raise ValueError(
                "`attention` must give one vector a text: received pooling='none'. Use 'flatten', 'mean' or 'project'."
            )

        self.embedding = keras.layers.Embedding(tokenizer.vocab_size, embedding_size, name="embedding")
        self.bilstm = keras.layers.Bidirectional(keras.layers.LSTM(lstm_units, return_sequences=True), name="bilstm")
        self.attention = StructuredSelfAttention.from_config(config)
        self.hidden = keras.layers.Dense(hidden_units, activation="relu", name="hidden")
        self.word_dropout = keras.layers.Dropout(dropout)
        self.hidden_dropout = keras.layers.Dropout(dropout)
        self.embedding.build(None)
        self.bilstm.build(tf.TensorShape([None, None, embedding_size]))
        self.attention.build(tf.TensorShape([None, None, 2 * lstm_units]))
        self.hidden.build(tf.TensorShape([None, self.attention.output_dim]))
        labels = len(task.labels)
        limit = float(np.sqrt(6.0 / (hidden_units + labels)))  # Glorot's, of one context's map
        self.classifier_kernel = self.add_weight(
            name="classifier/kernel",
            shape=(task.num_contexts, hidden_units, labels),
            initializer=keras.initializers.RandomUniform(-limit, limit),
        )
        self.classifier_bias = self.add_weight(
            name="classifier/bias", shape=(task.num_contexts, labels), initializer="zeros"
        )
        self.load_report = None
        self.selection = None  # what the last `fit` selected: monitor, epoch and value
        self.build()

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
    ) -> "SelfAttentiveClassifier":
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
        texts = dict.fromkeys(row.text for row in getattr(examples, "examples", examples))
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

    @property
    def tokenizer(self) -> WordTokenizer:
        """The tokenizer of the model's words."""
        return self.text_encoder.pair_encoder.tokenizer

    def compile(self, optimizer="adam", loss=None, metrics=None, *, learning_rate: float | None = None, **kwargs):
        """As `TextModel.compile`, with Adam at 1e-3 by default."""
        if isinstance(optimizer, str) and learning_rate is None:
            learning_rate = LEARNING_RATE
        super().compile(optimizer, loss, metrics, learning_rate=learning_rate, **kwargs)

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False, return_attention=False):
        mask = tf.cast(inputs["attention_mask"], tf.bool)  # [B, T]
        mask = None if self.attention.variant == "reference" else mask
        words = self.word_dropout(self.embedding(inputs["input_ids"]), training=training)  # [B, T, E]
        states = self.bilstm(words, mask=mask, training=training)  # [B, T, 2 U]
        sentence, annotation = self.attention(states, mask=mask, training=training)  # [B, R 2 U], [B, R, T]
        hidden = self.hidden_dropout(self.hidden(sentence), training=training)  # [B, F]
        hidden, heads = tf.cast(hidden, tf.float32), inputs["context_ids"]
        kernel, bias = tf.cast(self.classifier_kernel, tf.float32), tf.cast(self.classifier_bias, tf.float32)
        logits = tf.einsum("bf,bfc->bc", hidden, tf.gather(kernel, heads)) + tf.gather(bias, heads)  # [B, C]
        return (logits, annotation) if return_attention else logits

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        cells = {"forward": self.bilstm.forward_layer.cell, "backward": self.bilstm.backward_layer.cell}
        return {
            "embedding": self.embedding.embeddings,
            **{f"{way}/{part}": getattr(cell, part) for way, cell in cells.items() for part in LSTM_PARTS},
            **weights_by_name("attention", self.attention),
            **weights_by_name("hidden", self.hidden),
            "classifier/kernel": self.classifier_kernel,
            "classifier/bias": self.classifier_bias,
        }

    def inference_weights(self) -> list[tf.Variable]:
        """What an export holds."""
        return list(self.named_weights().values())

    def training_identity(self) -> dict:
        """What makes two models the same before their training."""
        return {**self._settings(), "attention": {**self.attention.get_config(), "name": ""}}

    def _settings(self):
        names = (
            "embedding_size",
            "lstm_units",
            "hidden_units",
            "dropout",
            "max_length",
            "temperature",
            "none_threshold",
        )
        return {
            "task": self.task.to_dict(),
            "attention": keras.layers.serialize(self.attention),
            "lower_case": self.tokenizer.lower_case,
            **{name: getattr(self, name) for name in names},
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
    def from_pretrained(cls, folder: str | Path) -> "SelfAttentiveClassifier":
        """Reads what `save_pretrained` wrote."""
        return read_word_model(cls, folder)
