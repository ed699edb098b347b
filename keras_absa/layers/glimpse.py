"""Several soft choices among the positions of a sequence.

Shapes: B batch, T tokens, D width, G glimpses.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.feed_forward import FeedForward
from keras_absa.layers.joint_parts import MASKED, built, dense, weights_of


@keras.utils.register_keras_serializable(package="keras_absa")
class Glimpse(keras.layers.Layer):
    """G weighted means of a sequence; a network finds for each position a weight in each of them.

    Where `num_glimpses` is the length of the sequence, the result can be added to it: inside the blocks of the joint encoder it
    is, and the weights depend on the length.

    Args:
        num_glimpses: Int, G.
        inner_units: Int, inner width of the network.
        output_units: Int, width of one vector made of all glimpses by a dense map. Defaults to None, the glimpses themselves.
        dropout: Float, rate inside the network. Defaults to 0.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D].
        mask: Bool or 0/1 [B, T], true for real positions. Defaults to None, all real. Without a real position all of them,
            padded ones included, weigh the same, as in the public code.
        training: Bool, switches dropout on.
        return_attention: Bool, also return the weights, float32 [B, G, T], each with sum 1. Defaults to False.

    Returns:
        Float [B, G, D], or [B, `output_units`].

    Example:
        >>> Glimpse(num_glimpses=5, inner_units=16)(tf.ones([1, 3, 8])).shape
        TensorShape([1, 5, 8])

    Reference:
        Delbrouck et al. 2020, section 3.3.
    """

    def __init__(
        self, num_glimpses: int, inner_units: int, output_units: int | None = None, dropout: float = 0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self.num_glimpses = num_glimpses
        self.inner_units = inner_units
        self.output_units = output_units
        self.dropout = dropout
        self.mlp = FeedForward(inner_units, num_glimpses, dropout, name="mlp", dtype=self.dtype_policy)
        self.merge = None if output_units is None else dense(self, output_units, "merge")

    def build(self, input_shape):
        width = int(input_shape[-1])
        built(self.mlp, width)
        if self.merge is not None:
            built(self.merge, self.num_glimpses * width)
        super().build(input_shape)

    def call(self, inputs, mask=None, training=False, return_attention=False):
        scores = tf.cast(self.mlp(inputs, training=training), tf.float32)  # [B, T, G]
        if mask is not None:
            scores = tf.where(tf.cast(mask, tf.bool)[:, :, None], scores, MASKED)
        weights = tf.transpose(tf.nn.softmax(scores, axis=1), [0, 2, 1])  # [B, G, T]
        glimpses = tf.matmul(tf.cast(weights, inputs.dtype), inputs)  # [B, G, D]
        if self.merge is not None:
            glimpses = self.merge(tf.reshape(glimpses, [-1, self.num_glimpses * inputs.shape[-1]]))
        return (glimpses, weights) if return_attention else glimpses

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self, {"mlp": self.mlp, **({} if self.merge is None else {"merge": self.merge})})

    def get_config(self):
        names = ("num_glimpses", "inner_units", "output_units", "dropout")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
