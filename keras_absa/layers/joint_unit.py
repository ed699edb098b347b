"""What the three units of the joint encoder share: attentions and a feed-forward network, each with a residual and a norm.

Shapes: B batch, T tokens, S tokens of the guide, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.feed_forward import FeedForward
from keras_absa.layers.joint_parts import built, normalization, weights_of
from keras_absa.layers.key_masked_attention import KeyMaskedAttention


class JointUnit(keras.layers.Layer):
    """Base of `SelfAttentionUnit`, `GuidedAttentionUnit` and `SelfGuidedAttentionUnit`.

    Args:
        num_heads: Int; divides D.
        inner_units: Int, inner width of the feed-forward network.
        dropout: Float, rate on attention weights, inside the network, and before each residual. Defaults to 0.
        norm: `"unbiased"`, as the public code, or `"standard"`. Defaults to `"unbiased"`.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).
    """

    guided = ()  # for each attention, whether its keys are the guide's

    def __init__(self, num_heads: int, inner_units: int, dropout: float = 0.0, norm: str = "unbiased", **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.inner_units = inner_units
        self.dropout = dropout
        self.norm = norm
        own = {"dtype": self.dtype_policy}
        names = ["mhatt"] if len(self.guided) == 1 else [f"mhatt{place + 1}" for place in range(len(self.guided))]
        self.attentions = [KeyMaskedAttention(num_heads, dropout, name=name, **own) for name in names]
        self.norms = [normalization(self, norm, f"norm{place + 1}") for place in range(len(names) + 1)]
        self.residual_dropout = keras.layers.Dropout(dropout, **own)

    def build(self, input_shape):
        width = int(input_shape[-1])
        self.ffn = FeedForward(self.inner_units, width, self.dropout, name="ffn", dtype=self.dtype_policy)
        for part in (*self.attentions, *self.norms, self.ffn):
            built(part, width)
        super().build(input_shape)

    def call(self, inputs, guide=None, mask=None, guide_mask=None, training=False):
        for attention, norm, guided in zip(self.attentions, self.norms, self.guided):  # the last norm is the network's
            keys, keys_mask = (guide, guide_mask) if guided else (inputs, mask)
            found = attention(inputs, keys, mask=keys_mask, training=training)  # [B, T, D]
            inputs = norm(inputs + self.residual_dropout(found, training=training))
        found = self.ffn(inputs, training=training)
        return self.norms[-1](inputs + self.residual_dropout(found, training=training))

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self, {part.name: part for part in (*self.attentions, *self.norms, self.ffn)})

    def get_config(self):
        names = ("num_heads", "inner_units", "dropout", "norm")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
