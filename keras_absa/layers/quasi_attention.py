"""QACG-BERT's attention: a softmax attention plus a signed "quasi" attention steered by a context.

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

QUASI_MAPS = ("full", "shared")
SIMILARITIES = ("dot", "negative_l1")


@keras.utils.register_keras_serializable(package="keras_absa")
class QuasiAttention(keras.layers.Layer):
    """Adds to softmax attention a context's attention matrix, with a gate in (-1, 1) that may subtract it.

    A plug for the attention slot of `keras_absa.models.SlottedBert`: the encoder's own projections stay
    outside, the layer owns the paper's weights only. The rows of the sum are not normalised and may hold
    negative weights. With gate vectors and gate biases at zero it is plain attention.

    Args:
        num_heads: Int, the encoder's number of attention heads.
        alpha: Float, scale of the quasi attention (Eq. 6). Defaults to 1.
        beta: Float, weight of the query's gate (Eq. 8). Defaults to 1.
        gamma: Float, weight of the key's gate (Eq. 8). Defaults to 1.
        quasi_map: `"full"` maps the context with [D, D], so that each head has its own block (the public code);
            `"shared"` with [D, F] for all heads (Eq. 5). Defaults to `"full"`.
        similarity: `"dot"`, or `"negative_l1"`, minus the sum of absolute differences (named in the text at Eq. 6, it
            needs memory for [B, H, T, T, F]). Both are divided by the root of F. Defaults to `"dot"`.
        gate_bias: Bool, a scalar bias on each gate vector, as in the public code; False as in the paper.
            Defaults to True.
        gate_init_std: Float, standard deviation of the gate vectors' initial values. Defaults to 0.01.
        context_init_std: Float, the same for the context's query and key maps. Defaults to 0.02.
        per_head_gates: Bool, one set of gate vectors a head (the paper's superscript h) instead of one for all heads
            (the public code). Defaults to False.
        context_dropout: Float, rate on the context's queries and keys (public code only; 0 switches it off).
            Defaults to 0.1.
        dropout: Float, rate on the summed attention matrix. Defaults to 0.1.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        query: Float [B, Q, D], the encoder's projection of the first Q tokens: of all, or of a static number of them.
        key, value: Float [B, T, D], the encoder's projections.
        context: Float [B, T, D], the layer's context matrix.
        mask: Float [B, 1, 1, T], 0 for real tokens and -10000 for padding. A row without real tokens gives zeros.
        training: Bool, switches dropout on.
        return_attention: Bool, also return what the paper plots. Defaults to False.

    Returns:
        Float [B, Q, D]; with `return_attention` a pair of it and a dict of float32 tensors: `attention` (the
        signed sum, before dropout), `self_attention`, `quasi_attention` and `gated_quasi` [B, H, Q, T]; `lambda_query`,
        `lambda_key` and `lambda_attention` [B, H, Q, 1]; `context_query` [B, H, Q, F] and `context_key` [B, H, T, F].

    Raises:
        ValueError: If the width is not a multiple of `num_heads`, or a named choice is unknown.

    Example:
        >>> layer = QuasiAttention(num_heads=3)
        >>> x, mask = tf.ones([2, 5, 24]), tf.zeros([2, 1, 1, 5])
        >>> layer(x, x, x, context=x, mask=mask).shape
        TensorShape([2, 5, 24])

    Reference:
        Wu and Ong 2021, "Context-Guided BERT for Targeted Aspect-Based Sentiment Analysis", Eqs. 4-8. As in the public
        code, the key's gate is read at the query's position: row i is gated by `lambda_query[i]` and `lambda_key[i]`.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1.0,
        quasi_map: str = "full",
        similarity: str = "dot",
        gate_bias: bool = True,
        gate_init_std: float = 0.01,
        context_init_std: float = 0.02,
        per_head_gates: bool = False,
        context_dropout: float = 0.1,
        dropout: float = 0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, value, choices in (("quasi_map", quasi_map, QUASI_MAPS), ("similarity", similarity, SIMILARITIES)):
            if value not in choices:
                raise ValueError(f"`{name}` must be one of {list(choices)}: received {value!r}. Pick one of them.")
        self.num_heads = num_heads
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.quasi_map = quasi_map
        self.similarity = similarity
        self.gate_bias = gate_bias
        self.gate_init_std = gate_init_std
        self.context_init_std = context_init_std
        self.per_head_gates = per_head_gates
        self.context_dropout = context_dropout
        self.dropout = dropout
        self.context_query_dropout = keras.layers.Dropout(context_dropout)
        self.context_key_dropout = keras.layers.Dropout(context_dropout)
        self.attention_dropout = keras.layers.Dropout(dropout, dtype="float32")

    def build(self, input_shape):
        width = int(input_shape[-1])
        check_plug_inputs(self, width)
        size = width // self.num_heads
        units = width if self.quasi_map == "full" else size
        self.context_query_kernel, self.context_query_bias = add_dense(self, "context_query", (width, units))
        self.context_key_kernel, self.context_key_bias = add_dense(self, "context_key", (width, units))
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
        context = tf.cast(context, query.dtype)  # [B, T, D]

        # Eq. 5; with quasi_map="shared" the one head is broadcast over H.
        context_heads = self.num_heads if self.quasi_map == "full" else 1
        query_context = query_rows(context, rows)  # [B, Q, D]
        context_query = project(query_context, self.context_query_kernel) + self.context_query_bias  # [B, Q, D or F]
        context_key = project(context, self.context_key_kernel) + self.context_key_bias  # [B, T, D or F]
        context_query = split_heads(context_query, context_heads)  # [B, H or 1, Q, F]
        context_key = split_heads(context_key, context_heads)  # [B, H or 1, T, F]
        context_query = self.context_query_dropout(context_query, training=training)
        context_key = self.context_key_dropout(context_key, training=training)

        self_attention = masked_softmax(dot_scores(query, key), mask)  # Eq. 1, [B, H, Q, T]
        scores = self._similarity(context_query, context_key) + tf.cast(mask, tf.float32)  # [B, H or 1, Q, T]
        quasi_attention = self.alpha * tf.sigmoid(scores)  # Eq. 6

        lambda_query = self._gate(query, self.query_gate, context_query, self.query_context_gate)  # [B, H, Q, 1]
        lambda_key = self._gate(key, self.key_gate, context_key, self.key_context_gate)  # [B, H, T, 1]
        lambda_key = query_rows(lambda_key, rows)  # [B, H, Q, 1]
        lambda_attention = 1.0 - (self.beta * lambda_query + self.gamma * lambda_key)  # Eq. 8, [B, H, Q, 1]
        gated_quasi = lambda_attention * quasi_attention  # [B, H, Q, T]
        attention = self_attention + gated_quasi  # Eq. 4

        dropped = tf.cast(self.attention_dropout(attention, training=training), value.dtype)
        output = merge_heads(tf.matmul(dropped, value))  # [B, Q, D]
        if not return_attention:
            return output
        return output, {
            "attention": attention,
            "self_attention": self_attention,
            "quasi_attention": tf.broadcast_to(quasi_attention, tf.shape(attention)),
            "gated_quasi": gated_quasi,
            "lambda_query": lambda_query,
            "lambda_key": lambda_key,
            "lambda_attention": lambda_attention,
            "context_query": tf.cast(context_query, tf.float32),
            "context_key": tf.cast(context_key, tf.float32),
        }

    def _similarity(self, context_query, context_key):
        if self.similarity == "dot":
            return dot_scores(context_query, context_key)
        context_query, context_key = tf.cast(context_query, tf.float32), tf.cast(context_key, tf.float32)
        distances = tf.abs(context_query[:, :, :, None, :] - context_key[:, :, None, :, :])  # [B, H, Q, T, F]
        return -tf.reduce_sum(distances, axis=-1) * context_query.shape[-1] ** -0.5

    def _gate(self, heads, gate, context_heads, context_gate):
        return tf.sigmoid(gate_scores(heads, gate) + gate_scores(context_heads, context_gate))  # Eq. 7

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "alpha": self.alpha,
            "beta": self.beta,
            "gamma": self.gamma,
            "quasi_map": self.quasi_map,
            "similarity": self.similarity,
            "gate_bias": self.gate_bias,
            "gate_init_std": self.gate_init_std,
            "context_init_std": self.context_init_std,
            "per_head_gates": self.per_head_gates,
            "context_dropout": self.context_dropout,
            "dropout": self.dropout,
        }
