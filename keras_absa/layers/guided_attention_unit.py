"""A transformer layer over one modality that looks at another one only.

Shapes: B batch, T tokens, S tokens of the guide, D width.
"""

from keras_absa.keras import keras
from keras_absa.layers.joint_unit import JointUnit


@keras.utils.register_keras_serializable(package="keras_absa")
class GuidedAttentionUnit(JointUnit):
    """Attention over a guide and a feed-forward network, each followed by dropout, residual and normalisation (GA).

    The arguments are those of `JointUnit`.

    Call arguments:
        inputs: Float [B, T, D].
        guide: Float [B, S, D], what is looked at.
        guide_mask: Bool or 0/1 [B, S], true for real tokens. Defaults to None, all real.
        training: Bool, switches dropout on.

    Returns:
        Float [B, T, D].

    Example:
        >>> import tensorflow as tf
        >>> GuidedAttentionUnit(num_heads=2, inner_units=16)(tf.ones([1, 3, 8]), tf.ones([1, 5, 8])).shape
        TensorShape([1, 3, 8])

    Reference:
        Delbrouck et al. 2020, section 3.2.
    """

    guided = (True,)

    def call(self, inputs, guide, guide_mask=None, training=False):
        return super().call(inputs, guide, guide_mask=guide_mask, training=training)
