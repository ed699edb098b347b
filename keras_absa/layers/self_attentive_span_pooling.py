"""One vector for each span of a sequence.

Shapes: B batch, T tokens, S spans, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import weights_of

OUTSIDE = -1e9  # in place of the score of a token that is not in the span


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfAttentiveSpanPooling(keras.layers.Layer):
    """A weighted mean of a span's tokens; one learned score a token, soft-maxed within the span, weighs them.

    Args:
        init_std: Float, standard deviation of the kernel's initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D].
        spans: Int [B, S, 2], the first and the last token of each span, both within it; -1 for padding.
        return_attention: Bool, also return the weights, float32 [B, S, T]. Defaults to False.

    Returns:
        Float [B, S, D]; zeros for padded spans.

    Example:
        >>> pooling = SelfAttentiveSpanPooling()
        >>> pooling(tf.ones([1, 4, 8]), spans=tf.constant([[[0, 2], [-1, -1]]]))[0, :, 0].numpy()
        array([1., 0.], dtype=float32)

    Reference:
        Lee et al. 2017, "End-to-end Neural Coreference Resolution", equations 4 to 6; Peters et al. 2019, section 3.3.
    """

    def __init__(self, init_std: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.init_std = init_std

    def build(self, input_shape):
        normal = keras.initializers.RandomNormal(stddev=self.init_std)
        self.kernel = self.add_weight("kernel", [int(input_shape[-1]), 1], initializer=normal)
        # It moves all scores of a span alike, so that it cannot change the result; checkpoints have it.
        self.bias = self.add_weight("bias", [1], initializer="zeros")
        super().build(input_shape)

    def call(self, inputs, spans, return_attention=False):
        scores = tf.cast(tf.matmul(inputs, self.kernel) + self.bias, tf.float32)  # [B, T, 1]
        tokens = tf.range(tf.shape(inputs)[1], dtype=spans.dtype)
        within = (spans[:, :, :1] <= tokens) & (tokens <= spans[:, :, 1:])  # [B, S, T]
        weights = tf.nn.softmax(tf.where(within, tf.transpose(scores, [0, 2, 1]), OUTSIDE))
        weights *= tf.cast(spans[:, :, :1] >= 0, tf.float32)
        pooled = tf.matmul(tf.cast(weights, inputs.dtype), inputs)  # [B, S, D]
        return (pooled, weights) if return_attention else pooled

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self, {})

    def get_config(self):
        return {**super().get_config(), "init_std": self.init_std}
