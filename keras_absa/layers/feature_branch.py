"""Frames of sound, video or an encoder's states, as a modality of the joint encoder.

Shapes: B batch, T frames, F features, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, dense, lstm, weights_of


@keras.utils.register_keras_serializable(package="keras_absa")
class FeatureBranch(keras.layers.Layer):
    """One dense map of each frame, or an LSTM over them, and which frames are real.

    Args:
        units: Int, D.
        recurrent: Bool, an LSTM instead of the dense map; it reads padding, too, as `WordBranch`'s. Defaults to False.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, F].
        mask: Bool or 0/1 [B, T], true for real frames. Defaults to None: a frame is padding if all its features are 0, silence in
            the middle included.

    Returns:
        A pair of the states, float [B, T, D], and the mask, bool [B, T].

    Example:
        >>> states, mask = FeatureBranch(4)(tf.constant([[[1.0, 0.0], [0.0, 0.0]]]))
        >>> states.shape, mask.numpy().tolist()
        (TensorShape([1, 2, 4]), [[True, False]])

    Reference:
        Delbrouck et al. 2020, public code; its audio and video adapters. An earlier state of it had an LSTM for the audio.
    """

    def __init__(self, units: int, recurrent: bool = False, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.recurrent = recurrent
        self.adapter = lstm(self, units, "lstm") if recurrent else dense(self, units, "adapter")

    def build(self, input_shape):
        built(self.adapter, int(input_shape[-1]))
        super().build(input_shape)

    def call(self, inputs, mask=None):
        real = tf.reduce_any(inputs != 0, axis=-1) if mask is None else tf.cast(mask, tf.bool)  # [B, T]
        return self.adapter(inputs), real

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self.adapter, {})

    def get_config(self):
        return {**super().get_config(), "units": self.units, "recurrent": self.recurrent}
