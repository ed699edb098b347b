"""A transformer layer as BERT has it, over its own states or over others'.

Shapes: B batch, Q queries, K keys, D width, H heads, d = D / H, F inner width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, weights_of

MASKED = -10000.0  # finite, as in BERT: a row without any key looks at all of them


@keras.utils.register_keras_serializable(package="keras_absa")
class PostNormBlock(keras.layers.Layer):
    """Attention and a feed-forward network, each followed by dropout, residual and layer normalisation.

    Args:
        num_heads: Int, H; it divides D.
        inner_units: Int, F.
        dropout: Float, rate on attention weights and on both outputs. Defaults to 0.1.
        init_std: Float, standard deviation of the kernels' initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, Q, D], the queries and what the first residual adds.
        states: Float [B, K, D], keys and values. Defaults to None, `inputs`.
        mask: Bool or 0/1 [B, K], true for real keys. Defaults to None, all real.
        training: Bool, switches dropout on.
        return_attention: Bool, also return the weights, float32 [B, H, Q, K]. Defaults to False.

    Returns:
        Float [B, Q, D].

    Raises:
        ValueError: If `num_heads` does not divide D.

    Example:
        >>> PostNormBlock(num_heads=2, inner_units=16)(tf.ones([1, 3, 8])).shape
        TensorShape([1, 3, 8])

    Reference:
        Devlin et al. 2019; Peters et al. 2019, section 3.3, uses it for spans and for the attention of word pieces to them.
    """

    def __init__(self, num_heads: int, inner_units: int, dropout: float = 0.1, init_std: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.inner_units = inner_units
        self.dropout = dropout
        self.init_std = init_std
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        width = int(input_shape[-1])
        if width % self.num_heads:
            raise ValueError(
                f"`num_heads` must divide the width: received {self.num_heads} heads for {width}. Pick a divisor of {width}."
            )
        for name in ("query", "key", "value", "attention_dense", "inner", "output_dense"):
            units = self.inner_units if name == "inner" else width
            setattr(self, name, normal_dense(self, units, name, self.init_std))
            built(getattr(self, name), self.inner_units if name == "output_dense" else width)
        for name in ("attention_norm", "output_norm"):
            setattr(self, name, keras.layers.LayerNormalization(epsilon=1e-12, name=name, dtype=self.dtype_policy))
            built(getattr(self, name), width)
        super().build(input_shape)

    def call(self, inputs, states=None, mask=None, training=False, return_attention=False):
        states = inputs if states is None else states
        query, key, value = (
            self._heads(self.query(inputs)),
            self._heads(self.key(states)),
            self._heads(self.value(states)),
        )
        scores = tf.cast(tf.matmul(query, key, transpose_b=True), tf.float32)  # [B, H, Q, K]
        scores /= tf.sqrt(float(query.shape[-1]))
        if mask is not None:
            scores += (1.0 - tf.cast(mask, tf.float32))[:, None, None, :] * MASKED
        weights = tf.nn.softmax(scores)
        read = tf.matmul(self.drop(tf.cast(weights, value.dtype), training=training), value)  # [B, H, Q, d]
        read = tf.reshape(tf.transpose(read, [0, 2, 1, 3]), tf.shape(inputs))  # [B, Q, D]
        attended = self.attention_norm(steady(self.drop(self.attention_dense(read), training=training) + inputs))
        inner = tf.nn.gelu(self.inner(attended), approximate=False)  # [B, Q, F]
        outputs = self.output_norm(steady(self.drop(self.output_dense(inner), training=training) + attended))
        return (outputs, weights) if return_attention else outputs

    def _heads(self, states):
        """[B, T, D] to [B, H, T, d]."""
        size = states.shape[-1] // self.num_heads
        split = tf.reshape(states, [tf.shape(states)[0], tf.shape(states)[1], self.num_heads, size])
        return tf.transpose(split, [0, 2, 1, 3])

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        names = ("query", "key", "value", "attention_dense", "attention_norm", "inner", "output_dense", "output_norm")
        return weights_of(self, {name: getattr(self, name) for name in names})

    def get_config(self):
        names = ("num_heads", "inner_units", "dropout", "init_std")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def steady(states: tf.Tensor) -> tf.Tensor:
    """The same states, without a gradient into those whose numbers are all equal.

    Such a state has no direction for a normalisation to keep, and the gradient through one would be 1 / sqrt(epsilon), a million.
    A new layer's biases are zero, and so is everything in a span of padding.
    """
    variance = tf.math.reduce_variance(tf.cast(states, tf.float32), axis=-1, keepdims=True)
    return tf.where(variance > 1e-12, states, tf.stop_gradient(states))


def normal_dense(owner: keras.layers.Layer, units: int, name: str, std: float) -> keras.layers.Dense:
    """A dense map whose kernel begins with normal values."""
    return keras.layers.Dense(
        units, kernel_initializer=keras.initializers.RandomNormal(stddev=std), name=name, dtype=owner.dtype_policy
    )
