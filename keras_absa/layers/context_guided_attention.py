"""CG-BERT's attention: queries and keys that are partly taken from a context.

Shapes: B batch, T tokens, Q tokens with a query, D width, H heads, F = D / H width of a head.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.attention_heads import (
    add_dense,
    add_gate,
    check_plug_inputs,
    dot_scores,
    gate_scores,
    masked_softmax,
    merge_heads,
    project,
    query_rows,
    split_heads,
)

GATE_ACTIVATIONS = ("tanh", "sigmoid")


@keras.utils.register_keras_serializable(package="keras_absa")
class ContextGuidedAttention(keras.layers.Layer):
    """Softmax attention whose queries and keys are gated mixtures with a context's queries and keys.

    A plug for the attention slot of `keras_absa.models.SlottedBert`: the encoder's own projections stay
    outside, the layer owns the paper's weights only. With its gate vectors at zero and `gate_activation="tanh"`
    it is plain attention.

    Args:
        num_heads: Int, the encoder's number of attention heads.
        gate_activation: `"tanh"` (the paper, Eq. 3) or `"sigmoid"` (the public code). A sigmoid starts at one half, so
            half of each pretrained query and key is replaced by noise at first. Defaults to `"tanh"`.
        gate_init_std: Float, standard deviation of the gate vectors' initial values. Defaults to 0.01.
        context_init_std: Float, the same for the context's query and key maps. Defaults to 0.02.
        per_head_gates: Bool, one pair of gate vectors a head (the paper's superscript h) instead of one for all heads
            (the public code). Defaults to False.
        gate_bias: Bool, a scalar bias on each gate vector. Defaults to False, as paper and public code.
        dropout: Float, rate on the attention matrix. Defaults to 0.1.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        query: Float [B, Q, D], the encoder's projection of the first Q tokens: of all, or of a static number of them.
        key, value: Float [B, T, D], the encoder's projections.
        context: Float [B, T, D], the layer's context matrix.
        mask: Float [B, 1, 1, T], 0 for real tokens and -10000 for padding. A row without real tokens gives zeros.
        training: Bool, switches dropout on.
        return_attention: Bool, also return what the paper plots. Defaults to False.

    Returns:
        Float [B, Q, D]; with `return_attention` a pair of it and a dict of float32 tensors, taken before dropout:
        `attention` [B, H, Q, T], `lambda_query` [B, H, Q, 1] and `lambda_key` [B, H, T, 1], `context_query` and
        `guided_query` [B, H, Q, F], `context_key` and `guided_key` [B, H, T, F].

    Raises:
        ValueError: If the width is not a multiple of `num_heads`, or `gate_activation` is unknown.

    Example:
        >>> layer = ContextGuidedAttention(num_heads=3)
        >>> x, mask = tf.ones([2, 5, 24]), tf.zeros([2, 1, 1, 5])
        >>> layer(x, x, x, context=x, mask=mask).shape
        TensorShape([2, 5, 24])

    Reference:
        Wu and Ong 2021, "Context-Guided BERT for Targeted Aspect-Based Sentiment Analysis", Eqs. 1-3.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        gate_activation: str = "tanh",
        gate_init_std: float = 0.01,
        context_init_std: float = 0.02,
        per_head_gates: bool = False,
        gate_bias: bool = False,
        dropout: float = 0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if gate_activation not in GATE_ACTIVATIONS:
            raise ValueError(
                f"`gate_activation` must be one of {list(GATE_ACTIVATIONS)}: received {gate_activation!r}. Use 'tanh' "
                "for the paper, 'sigmoid' for the public code."
            )
        self.num_heads = num_heads
        self.gate_activation = gate_activation
        self.gate_init_std = gate_init_std
        self.context_init_std = context_init_std
        self.per_head_gates = per_head_gates
        self.gate_bias = gate_bias
        self.dropout = dropout
        self.attention_dropout = keras.layers.Dropout(dropout, dtype="float32")

    def build(self, input_shape):
        width = int(input_shape[-1])
        check_plug_inputs(self, width)
        size = width // self.num_heads
        self.context_query_kernel, self.context_query_bias = add_dense(self, "context_query", (size, size))
        self.context_key_kernel, self.context_key_bias = add_dense(self, "context_key", (size, size))
        self.query_gate = add_gate(self, "query_gate", size)
        self.query_context_gate = add_gate(self, "query_context_gate", size)
        self.key_gate = add_gate(self, "key_gate", size)
        self.key_context_gate = add_gate(self, "key_context_gate", size)
        super().build(input_shape)

    def call(self, query, key, value, context, mask, training=False, return_attention=False):
        rows = query.shape[1]
        query = split_heads(query, self.num_heads)  # [B, H, Q, F]
        key = split_heads(key, self.num_heads)  # [B, H, T, F]
        value = split_heads(value, self.num_heads)  # [B, H, T, F]
        context = split_heads(tf.cast(context, query.dtype), self.num_heads)  # [B, H, T, F]

        # One map serves all heads; each head sees its own slice of the context.
        query_context = query_rows(context, rows)  # [B, H, Q, F]
        context_query = project(query_context, self.context_query_kernel) + self.context_query_bias  # [B, H, Q, F]
        context_key = project(context, self.context_key_kernel) + self.context_key_bias  # [B, H, T, F]
        lambda_query = self._gate(query, self.query_gate, context_query, self.query_context_gate)  # [B, H, Q, 1]
        lambda_key = self._gate(key, self.key_gate, context_key, self.key_context_gate)  # [B, H, T, 1]
        guided_query = self._mix(query, context_query, lambda_query)  # [B, H, Q, F]
        guided_key = self._mix(key, context_key, lambda_key)  # [B, H, T, F]

        attention = masked_softmax(dot_scores(guided_query, guided_key), mask)  # Eq. 1, [B, H, Q, T]
        dropped = tf.cast(self.attention_dropout(attention, training=training), value.dtype)
        output = merge_heads(tf.matmul(dropped, value))  # [B, Q, D]
        if not return_attention:
            return output
        return output, {
            "attention": attention,
            "lambda_query": lambda_query,
            "lambda_key": lambda_key,
            "context_query": tf.cast(context_query, tf.float32),
            "context_key": tf.cast(context_key, tf.float32),
            "guided_query": guided_query,
            "guided_key": guided_key,
        }

    def _gate(self, heads, gate, context_heads, context_gate):
        scores = gate_scores(heads, gate) + gate_scores(context_heads, context_gate)
        return tf.tanh(scores) if self.gate_activation == "tanh" else tf.sigmoid(scores)  # Eq. 3

    def _mix(self, heads, context_heads, gate):
        heads, context_heads = tf.cast(heads, tf.float32), tf.cast(context_heads, tf.float32)
        return (1.0 - gate) * heads + gate * context_heads  # Eq. 2

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "gate_activation": self.gate_activation,
            "gate_init_std": self.gate_init_std,
            "context_init_std": self.context_init_std,
            "per_head_gates": self.per_head_gates,
            "gate_bias": self.gate_bias,
            "dropout": self.dropout,
        }
