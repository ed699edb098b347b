"""Multi-head attention of one sequence over another.

Shapes: B batch, Q queries, T keys, D width, H heads.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.attention_heads import check_plug_inputs, dot_scores, merge_heads, split_heads
from keras_absa.layers.joint_parts import MASKED, built, dense, weights_of


@keras.utils.register_keras_serializable(package="keras_absa")
class KeyMaskedAttention(keras.layers.Layer):
    """Each query's weighted mean of the values, in several heads; padded keys get no weight.

    Args:
        num_heads: Int, H; divides D.
        dropout: Float, rate on the weights. Defaults to 0.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        query: Float [B, Q, D].
        key: Float [B, T, D]; its states are the values, too.
        mask: Bool or 0/1 [B, T], true for real keys. Defaults to None, all real. Without a real key a row averages all of
            them, padded ones included, as the public code does.
        value: Float [B, T, D]. Defaults to None, `key`.
        training: Bool, switches dropout on.
        return_attention: Bool, also return the weights, float32 [B, H, Q, T]. Defaults to False.

    Returns:
        Float [B, Q, D].

    Raises:
        ValueError: If D is no multiple of `num_heads`.

    Example:
        >>> layer = KeyMaskedAttention(num_heads=2)
        >>> layer(tf.ones([1, 3, 8]), tf.ones([1, 5, 8])).shape
        TensorShape([1, 3, 8])

    Reference:
        Vaswani et al. 2017, section 3.2.2; Delbrouck et al. 2020, Eq. 3.
    """

    def __init__(self, num_heads: int, dropout: float = 0.0, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout = dropout
        self.map_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        width = int(input_shape[-1])
        check_plug_inputs(self, width)
        self.q, self.k, self.v, self.merge = (
            built(dense(self, width, name), width) for name in ("q", "k", "v", "merge")
        )
        super().build(input_shape)

    def call(self, query, key, mask=None, value=None, training=False, return_attention=False):
        # Keras casts a layer's first input only.
        key = tf.cast(key, self.compute_dtype)
        value = key if value is None else tf.cast(value, self.compute_dtype)
        heads = [
            split_heads(each, self.num_heads) for each in (self.q(query), self.k(key), self.v(value))
        ]  # [B, H, Q or T, D / H]
        scores = dot_scores(*heads[:2])  # [B, H, Q, T]
        if mask is not None:
            scores = tf.where(tf.cast(mask, tf.bool)[:, None, None, :], scores, MASKED)
        weights = tf.nn.softmax(scores)  # [B, H, Q, T]
        dropped = tf.cast(self.map_dropout(weights, training=training), self.compute_dtype)
        result = self.merge(merge_heads(tf.matmul(dropped, heads[2])))  # [B, Q, D]
        return (result, weights) if return_attention else result

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        return weights_of(self, {name: getattr(self, name) for name in ("q", "k", "v", "merge")})

    def get_config(self):
        return {**super().get_config(), "num_heads": self.num_heads, "dropout": self.dropout}
