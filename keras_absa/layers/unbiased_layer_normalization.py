"""The layer normalisation of the joint encoder, which divides by the unbiased standard deviation.

Shapes: D width.
"""

import tensorflow as tf

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class UnbiasedLayerNormalization(keras.layers.Layer):
    """Normalises the last axis by its unbiased standard deviation, with epsilon outside the root.

        s = sqrt(sum((x - mean)^2) / (D - 1)),  y = gamma (x - mean) / (s + epsilon) + beta

    On ordinary rows this is sqrt((D - 1) / D) times Keras' `LayerNormalization`; on nearly constant ones it is far from it.
    A constant row gives beta, and a gradient of about gamma / epsilon. It is computed in float32, whatever the policy.

    Args:
        epsilon: Float, added to the standard deviation. Defaults to 1e-6.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [..., D].

    Returns:
        Float, as the inputs.

    Example:
        >>> UnbiasedLayerNormalization(epsilon=0.0)(tf.constant([[1.0, 2.0, 3.0]])).numpy().tolist()
        [[-1.0, 0.0, 1.0]]

    Reference:
        The public code of Delbrouck et al. 2020; the paper writes "LayerNorm".
    """

    def __init__(self, epsilon: float = 1e-6, **kwargs):
        super().__init__(**kwargs)
        self.epsilon = epsilon
        self.supports_masking = True

    def build(self, input_shape):
        width = int(input_shape[-1])
        self.gamma = self.add_weight(name="gamma", shape=(width,), initializer="ones")
        self.beta = self.add_weight(name="beta", shape=(width,), initializer="zeros")
        super().build(input_shape)

    def call(self, inputs):
        values = tf.cast(inputs, tf.float32)
        values -= tf.reduce_mean(values, axis=-1, keepdims=True)
        variance = tf.reduce_sum(tf.square(values), axis=-1, keepdims=True) / max(values.shape[-1] - 1, 1)
        constant = variance == 0
        # The root's gradient at 0 is infinite: it is taken of 1 instead, and thrown away.
        deviation = tf.where(constant, 0.0, tf.sqrt(tf.where(constant, 1.0, variance)))
        gamma, beta = tf.cast(self.gamma, tf.float32), tf.cast(self.beta, tf.float32)
        return tf.cast(gamma * values / (deviation + self.epsilon) + beta, inputs.dtype)

    def get_config(self):
        return {**super().get_config(), "epsilon": self.epsilon}
