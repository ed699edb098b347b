"""A transformer layer over one modality that looks at itself, then at another one.

Shapes: B batch, T tokens, S tokens of the guide, D width.
"""

from keras_absa.keras import keras
from keras_absa.layers.joint_unit import JointUnit


@keras.utils.register_keras_serializable(package="keras_absa")
class SelfGuidedAttentionUnit(JointUnit):
    """Self-attention, attention over a guide and a feed-forward network, each with dropout, residual and norm (SGA).

    The arguments are those of `JointUnit`.

    Call arguments:
        inputs: Float [B, T, D].
        guide: Float [B, S, D], what is looked at.
        mask: Bool or 0/1 [B, T], true for real tokens. Defaults to None, all real.
        guide_mask: Bool or 0/1 [B, S]. Defaults to None, all real.
        training: Bool, switches dropout on.

    Returns:
        Float [B, T, D].

    Example:
        >>> import tensorflow as tf
        >>> SelfGuidedAttentionUnit(num_heads=2, inner_units=16)(tf.ones([1, 3, 8]), tf.ones([1, 5, 8])).shape
        TensorShape([1, 3, 8])

    Reference:
        Delbrouck et al. 2020, section 3.2; that self-attention has no feed-forward network of its own here is the public
        code's.
    """

    guided = (False, True)
