"""The two-layer network of the joint encoder.

Shapes: B batch, T tokens, D width, F inner width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, dense, weights_of


@keras.utils.register_keras_serializable(package="keras_absa")
class FeedForward(keras.layers.Layer):
    """Dense, ReLU, dropout, dense, for each position alone.

    Args:
        inner_units: Int, F.
        units: Int, width of the result.
        dropout: Float, rate after the ReLU. Defaults to 0.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D].
        training: Bool, switches dropout on.

    Returns:
        Float [B, T, `units`].

    Example:
        >>> FeedForward(16, 4)(tf.ones([1, 3, 8])).shape
        TensorShape([1, 3, 4])

    Reference:
        Delbrouck et al. 2020, section 3.1.
    """

    def __init__(self, inner_units: int, units: int, dropout: float = 0.0, **kwargs):
        super().__init__(**kwargs)
        self.inner_units = inner_units
        self.units = units
        self.dropout = dropout
        self.fc1, self.fc2 = dense(self, inner_units, "fc1"), dense(self, units, "fc2")
        self.inner_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        built(self.fc1, int(input_shape[-1]))
        built(self.fc2, self.inner_units)
        super().build(input_shape)

    def call(self, inputs, training=False):
        inner = tf.nn.relu(self.fc1(inputs))  # [B, T, F]
        return self.fc2(self.inner_dropout(inner, training=training))

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self, {"fc1": self.fc1, "fc2": self.fc2})

    def get_config(self):
        own = {"inner_units": self.inner_units, "units": self.units, "dropout": self.dropout}
        return {**super().get_config(), **own}
