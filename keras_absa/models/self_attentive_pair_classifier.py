"""The structured self-attentive embedding of two texts, compared hop by hop.

Shapes: B rows, T words of the longest text, U units of one LSTM, D = 2 U, R hops, G features of a hop, F hidden units, C labels.
"""

import tensorflow as tf

from keras_absa.data.aspect_task import AspectTask
from keras_absa.keras import keras
from keras_absa.layers.structured_self_attention import StructuredSelfAttention
from keras_absa.models.word_model import WordModel, check_attention
from keras_absa.text.word_tokenizer import WordTokenizer

SCHEMES = ("nli_m", "qa_m")


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfAttentivePairClassifier(WordModel):
    """Classifies a pair of texts: a premise and a hypothesis, or a text and what is asked about it.

    Both are read by one encoder. A gate compares their annotations M_1 and M_2 hop by hop: each hop has a map for the
    first text and one for the second, and the products of what they give are classified.

        F_i[r] = M_i[r] W_i[r],  F = F_1 * F_2,  logits = W_b relu(W_a flatten(F))

    The mean penalty of both texts joins the loss.

    Args:
        task: The `AspectTask`. With open aspects the second text is the aspect, word for word: `keras_absa.data.snli` has the
            hypothesis there. With a closed set of them it is the scheme's auxiliary sentence.
        tokenizer: A `WordTokenizer`.
        attention: A `StructuredSelfAttention`, of which the model uses a copy that gives M itself, whatever its `pooling`.
            Defaults to None: 8 hops, 64 units.
        scheme: `"nli_m"` or `"qa_m"`, how an aspect is written out, see `AspectTask.auxiliary_sentence`. Defaults to
            `"nli_m"`.
        gate_units: Int, G. Defaults to None, D, as in the authors' release.
        embedding_size, lstm_units, hidden_units, max_length, temperature, none_threshold: As in `SelfAttentiveClassifier`.
        dropout: Float, rate on the word vectors, on the gated features and on the hidden layer. Defaults to 0.3.
        **kwargs: Passed to `keras.Model`.

    Call arguments:
        inputs: A dict of int32 tensors: `input_ids` and `attention_mask`, `second_ids` and `second_mask`, each [B, T].
        return_attention: Bool, also return A of the first texts and of the second, float32 [B, R, T] each. Defaults to False.

    Returns:
        Logits, float32 [B, C].

    Raises:
        ValueError: If `attention` is the reference variant, which the original graph has for single texts only, or `scheme`
            writes no second text.

    Example:
        >>> from keras_absa.data import AspectExample, snli
        >>> rows = [AspectExample("A dog runs.", "An animal moves.", "entailment"),
        ...         AspectExample("A dog runs.", "A dog sleeps.", "contradiction")]
        >>> model = SelfAttentivePairClassifier.from_examples(rows, snli())
        >>> model.compile()
        >>> history = model.fit(rows, epochs=1)  # doctest: +SKIP
        >>> model.predict(rows)  # doctest: +SKIP
        >>> model.count_params() == sum(weight.shape.num_elements() for weight in model.named_weights().values())
        True

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", section 4.3 and appendix B; gate width and dropout are
        the authors' release's.
    """

    own_settings = ("scheme", "gate_units")

    def __init__(
        self,
        task: AspectTask,
        tokenizer: WordTokenizer,
        *,
        attention: StructuredSelfAttention | None = None,
        scheme: str = "nli_m",
        gate_units: int | None = None,
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
        sizes = {"embedding_size": embedding_size, "lstm_units": lstm_units, "hidden_units": hidden_units}
        check_attention(attention, {**sizes, "gate_units": 1 if gate_units is None else gate_units})
        if attention.variant == "reference":
            raise ValueError(
                "The reference variant mixes the texts of a batch: received it for pairs. Use variant='paper', or "
                "SelfAttentiveClassifier."
            )
        if scheme not in SCHEMES:
            raise ValueError(f"`scheme` must be one of {list(SCHEMES)}: received {scheme!r}. Pick one of them.")
        attention = StructuredSelfAttention.from_config({**attention.get_config(), "pooling": "none"})
        sizes = embedding_size, lstm_units, hidden_units, dropout, max_length
        super().__init__(task, tokenizer, scheme, attention, *sizes, temperature, none_threshold, **kwargs)
        width, hops = 2 * lstm_units, attention.hops
        self.gate_units = width if gate_units is None else gate_units
        # Glorot's limit, of one hop's map.
        limit = (6.0 / (width + self.gate_units)) ** 0.5
        self.gates = [
            self.add_weight(
                name=f"gate_{which}",
                shape=(hops, width, self.gate_units),
                initializer=keras.initializers.RandomUniform(-limit, limit),
            )
            for which in ("first", "second")
        ]
        self.gate_dropout = keras.layers.Dropout(dropout)
        self.classifier = keras.layers.Dense(len(task.labels), dtype="float32", name="classifier")
        self.hidden.build(tf.TensorShape([None, hops * self.gate_units]))
        self.classifier.build(tf.TensorShape([None, hidden_units]))
        self.build()

    @classmethod
    def _texts(cls, examples, task, kwargs):
        scheme = kwargs.get("scheme", "nli_m")
        if task.open_aspects:
            asked = [task.auxiliary_sentence(scheme, 0, aspect=row.aspect) for row in examples]
        else:
            asked = [task.auxiliary_sentence(scheme, context) for context in range(task.num_contexts)]
        return [row.text for row in examples] + asked

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False, return_attention=False):
        # One batch of both: the LSTM's steps are taken once.
        ids, mask = (
            tf.concat([inputs[first], inputs[second]], axis=0)
            for first, second in (("input_ids", "second_ids"), ("attention_mask", "second_mask"))
        )
        matrix, annotation = self.encode(ids, mask, training)  # [2 B, R, D], [2 B, R, T]
        gated = 1.0
        for each, gate in zip(tf.split(matrix, 2), self.gates, strict=True):
            gated *= tf.einsum("brd,rdg->brg", each, tf.cast(gate, each.dtype))  # [B, R, G]
        gated = tf.reshape(gated, [-1, self.attention.hops * self.gate_units])  # [B, R G]
        hidden = self.hidden(self.gate_dropout(gated, training=training))  # [B, F]
        logits = self.classifier(self.hidden_dropout(hidden, training=training))  # [B, C]
        return (logits, *tf.split(annotation, 2)) if return_attention else logits

    def head_weights(self) -> dict[str, tf.Variable]:
        """The weights of the gate and of the last layer."""
        return {
            "gate/first": self.gates[0],
            "gate/second": self.gates[1],
            "classifier/kernel": self.classifier.kernel,
            "classifier/bias": self.classifier.bias,
        }
