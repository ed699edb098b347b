"""Which word piece stood at a masked place?

Shapes: B batch, T tokens, M masked places, D width, V word pieces.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, weights_of
from keras_absa.layers.post_norm_block import normal_dense


@keras.utils.register_keras_serializable(package="keras_absa")
class MaskedLMHead(keras.layers.Layer):
    """A dense map, gelu and layer normalisation, then the product with BERT's own word embeddings, and a bias.

    Args:
        vocab_size: Int, V.
        init_std: Float, standard deviation of the kernel's initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [..., D], hidden states of any places.
        table: Float [V, D], the word embeddings.

    Returns:
        Logits, float32 [..., V].

    Example:
        >>> MaskedLMHead(vocab_size=10)(tf.ones([2, 4]), table=tf.ones([10, 4])).shape
        TensorShape([2, 10])

    Reference:
        Devlin et al. 2019, section 3.1; the transformation before the product as in the public code.
    """

    def __init__(self, vocab_size: int, init_std: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.init_std = init_std

    def build(self, input_shape):
        width = int(input_shape[-1])
        self.transform = built(normal_dense(self, width, "transform", self.init_std), width)
        self.norm = keras.layers.LayerNormalization(epsilon=1e-12, name="norm", dtype=self.dtype_policy)
        built(self.norm, width, rank=2)
        self.bias = self.add_weight("bias", [self.vocab_size], initializer="zeros")
        super().build(input_shape)

    def call(self, inputs, table):
        states = tf.nn.gelu(self.transform(inputs), approximate=False)
        states = self.norm(tf.reshape(states, [-1, states.shape[-1]]))  # [M, D]
        logits = tf.matmul(states, tf.cast(table, states.dtype), transpose_b=True) + self.bias  # [M, V]
        return tf.reshape(tf.cast(logits, tf.float32), tf.concat([tf.shape(inputs)[:-1], [self.vocab_size]], 0))

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return {**weights_of(self, {"transform": self.transform, "norm": self.norm}), "bias": self.bias}

    def get_config(self):
        return {**super().get_config(), "vocab_size": self.vocab_size, "init_std": self.init_std}
