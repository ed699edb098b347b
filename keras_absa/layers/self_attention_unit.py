"""A transformer layer over one modality.

Shapes: B batch, T tokens, D width.
"""

from keras_absa.keras import keras
from keras_absa.layers.joint_unit import JointUnit


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfAttentionUnit(JointUnit):
    """Self-attention and a feed-forward network, each followed by dropout, residual and normalisation (SA).

    The arguments are those of `JointUnit`.

    Call arguments:
        inputs: Float [B, T, D].
        mask: Bool or 0/1 [B, T], true for real tokens. Defaults to None, all real. Padded tokens give no keys, but states.
        training: Bool, switches dropout on.

    Returns:
        Float [B, T, D].

    Example:
        >>> import tensorflow as tf
        >>> SelfAttentionUnit(num_heads=2, inner_units=16)(tf.ones([1, 3, 8])).shape
        TensorShape([1, 3, 8])

    Reference:
        Delbrouck et al. 2020, section 3.1.
    """

    guided = (False,)

    def call(self, inputs, mask=None, training=False):
        return super().call(inputs, mask=mask, training=training)
