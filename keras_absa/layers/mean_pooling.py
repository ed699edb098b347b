"""The mean of a text's tokens, as a plug for the pooling slot.

Shapes: B texts, T tokens, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class MeanPooling(keras.layers.Layer):
    """Averages the states of the real tokens: what other poolings must beat.

    Args:
        return_attention: Bool, also return the weights. Defaults to False.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D].
        mask: Bool or 0/1 [B, T], true for real tokens; a Keras mask arrives by itself. Defaults to None, all real. A text
            without a real token gives zeros.

    Returns:
        Float [B, D]; with `return_attention` a pair of it and the weights, float32 [B, 1, T].

    Example:
        >>> MeanPooling()(tf.constant([[[1.0], [3.0], [9.0]]]), mask=tf.constant([[1, 1, 0]])).numpy().tolist()
        [[2.0]]
    """

    def __init__(self, return_attention: bool = False, **kwargs):
        super().__init__(**kwargs)
        self.return_attention = return_attention
        self.supports_masking = True

    def build(self, input_shape):
        self.output_dim = int(input_shape[-1])
        super().build(input_shape)

    def call(self, inputs, mask=None):
        real = tf.ones(tf.shape(inputs)[:2]) if mask is None else tf.cast(mask, tf.float32)  # [B, T]
        weights = tf.math.divide_no_nan(real, tf.reduce_sum(real, axis=1, keepdims=True))[:, None, :]  # [B, 1, T]
        pooled = tf.matmul(tf.cast(weights, inputs.dtype), inputs)[:, 0]  # [B, D]
        return (pooled, weights) if self.return_attention else pooled

    def compute_mask(self, inputs, mask=None):
        return None  # no axis of tokens is left

    def get_config(self):
        return {**super().get_config(), "return_attention": self.return_attention}
