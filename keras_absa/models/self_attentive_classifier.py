"""The structured self-attentive sentence embedding as a whole model: word vectors, BiLSTM, attention, two dense layers.

Shapes: B rows, T words, E width of a word vector, U units of one LSTM, R hops, F hidden units, C labels, K contexts.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_task import AspectTask
from keras_absa.keras import keras
from keras_absa.layers.structured_self_attention import StructuredSelfAttention
from keras_absa.models.backbone import LoadReport
from keras_absa.models.tf1_checkpoint import model_weights, read_tf1_checkpoint
from keras_absa.models.word_model import WordModel, check_attention
from keras_absa.text.word_tokenizer import PADDING, UNKNOWN, WordTokenizer


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfAttentiveClassifier(WordModel):
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
        >>> history = model.fit(rows, epochs=1)  # doctest: +SKIP
        >>> model.predict(rows).shape
        (2, 2)

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding".
    """

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
        attention = StructuredSelfAttention(8, 64) if attention is None else attention
        check_attention(
            attention, {"embedding_size": embedding_size, "lstm_units": lstm_units, "hidden_units": hidden_units}
        )
        if attention.pooling == "none":
            raise ValueError(
                "`attention` must give one vector a text: received pooling='none'. Use 'flatten', 'mean' or 'project'."
            )
        sizes = embedding_size, lstm_units, hidden_units, dropout, max_length
        super().__init__(task, tokenizer, "single", attention, *sizes, temperature, none_threshold, **kwargs)
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
        self.build()

    @classmethod
    def from_tf1_checkpoint(
        cls,
        path: str | Path,
        task: AspectTask,
        vocabulary: list[str],
        *,
        variant: str = "reference",
        penalty_coef: float = 0.0,
        forget_bias: float = 1.0,
        names: dict[str, str] | None = None,
        lower_case: bool = True,
        **kwargs,
    ) -> "SelfAttentiveClassifier":
        """The model with the weights that the original TensorFlow 1 graph was trained to; its sizes are theirs.

        With the reference variant the logits are the graph's for the same ids, in the same batch, padded to the same length.
        The original pads to a fixed length; `predict` on strings pads a batch to its longest text.

        Args:
            path, names: See `read_tf1_checkpoint`.
            task: The task, with one context and the labels in the order of the graph's.
            vocabulary: The words, by the graph's ids, with `"[PAD]"` and `"[UNK]"` where it has padding and unknown words.
                The model's own order begins with these two.
            variant: `"reference"`, or `"paper"` to go on with the same weights in the paper's form. Defaults to
                `"reference"`.
            penalty_coef: Float, the graph's `beta_l2`, for training on. Defaults to 0.
            forget_bias: Float, of the graph's LSTM cells. Defaults to 1, TensorFlow 1's default.
            lower_case: Bool. Defaults to True.
            **kwargs: More of the constructor's arguments; `dropout` is 0 by default, as in the graph.

        Raises:
            FileNotFoundError: If there is no such checkpoint.
            ValueError: If its weights do not fit the graph, the task or the vocabulary.

        Example:
            >>> task = AspectTask("stars", aspects=("all",), labels=("1", "2", "3", "4", "5"))
            >>> words = ["[PAD]", "[UNK]", "good", "food"]
            >>> SelfAttentiveClassifier.from_tf1_checkpoint("model.ckpt-1000", task, words)  # doctest: +SKIP
        """
        arrays, unused = read_tf1_checkpoint(path, names)
        _check_original(arrays, task, vocabulary)
        place = {word: row for row, word in enumerate(vocabulary)}
        order = sorted(place, key=lambda word: (word != PADDING, word != UNKNOWN, place[word]))
        arrays["embedding"] = arrays["embedding"][[place[word] for word in order]]
        attention = StructuredSelfAttention(*arrays["w_s2"].shape, variant, penalty_coef=penalty_coef)
        sizes = {
            "embedding_size": arrays["embedding"].shape[1],
            "lstm_units": arrays["fw_bias"].size // 4,
            "hidden_units": arrays["hidden_bias"].size,
        }
        tokenizer = WordTokenizer(order, lower_case=lower_case)
        model = cls(task, tokenizer, attention=attention, **{"dropout": 0.0, **kwargs, **sizes})
        values = model_weights(arrays, forget_bias)
        for name, weight in model.named_weights().items():
            weight.assign(tf.reshape(values[name], weight.shape))
        model.load_report = LoadReport(str(path), loaded=list(values), unused=unused)
        return model

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False, return_attention=False):
        sentence, annotation = self.encode(inputs["input_ids"], inputs["attention_mask"], training)  # [B, R 2 U]
        hidden = self.hidden_dropout(self.hidden(sentence), training=training)  # [B, F]
        hidden, heads = tf.cast(hidden, tf.float32), inputs["context_ids"]
        kernel, bias = tf.cast(self.classifier_kernel, tf.float32), tf.cast(self.classifier_bias, tf.float32)
        logits = tf.einsum("bf,bfc->bc", hidden, tf.gather(kernel, heads)) + tf.gather(bias, heads)  # [B, C]
        return (logits, annotation) if return_attention else logits

    def head_weights(self) -> dict[str, tf.Variable]:
        """The weights after the hidden layer."""
        return {"classifier/kernel": self.classifier_kernel, "classifier/bias": self.classifier_bias}


def _check_original(arrays, task, vocabulary):
    """Raises if a TensorFlow 1 graph's weights do not belong to a task and a vocabulary."""
    rows, labels = len(arrays["embedding"]), arrays["classifier_bias"].size
    if task.num_contexts != 1 or len(task.labels) != labels:
        raise ValueError(
            f"`task` must have one context and the graph's {labels} labels: received {task.num_contexts} contexts and "
            f"{len(task.labels)} labels in task {task.name!r}. Make one with AspectTask(name, aspects=('all',), labels=(...))."
        )
    missing = [word for word in (PADDING, UNKNOWN) if word not in vocabulary]
    if missing or len(vocabulary) != rows or len(set(vocabulary)) != rows:
        raise ValueError(
            f"`vocabulary` must give each of the embedding's {rows} rows a word of its own, {PADDING!r} and {UNKNOWN!r} among "
            f"them: received {len(vocabulary)} words, {len(set(vocabulary))} different ones, without {missing}. Name every row."
        )
