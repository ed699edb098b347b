"""Which tokens a pooling plug looks at.

Shapes: B batch, T tokens.
"""

import tensorflow as tf

POOLING_TOKENS = ("all", "words", "first_segment_words")


def pooled_tokens(attention_mask, token_type_ids, tokens: str) -> tf.Tensor:
    """A mask, bool [B, T].

    Args:
        attention_mask: Int [B, T], 1 for real tokens, which come first in a row.
        token_type_ids: Int [B, T], 0 in the first segment, 1 in the second.
        tokens: `"all"` real tokens; `"words"`, without [CLS] and the [SEP] that ends each segment;
            `"first_segment_words"`, those of the first segment.

    Example:
        >>> mask, types = [[1, 1, 1, 1, 1, 0]], [[0, 0, 0, 1, 1, 0]]  # [CLS] a [SEP] b [SEP] [PAD]
        >>> pooled_tokens(mask, types, "words").numpy().astype(int).tolist()
        [[0, 1, 0, 1, 0, 0]]
    """
    real = tf.cast(attention_mask, tf.bool)  # [B, T]
    if tokens == "all":
        return real
    first = real & tf.equal(token_type_ids, 0)  # [B, T]
    position = tf.range(tf.shape(real)[1])[None, :]  # [1, T]
    special = tf.equal(position, 0)
    for segment in (first, real):
        last = tf.reduce_sum(tf.cast(segment, tf.int32), axis=1, keepdims=True) - 1  # [B, 1]
        special |= tf.equal(position, last)
    return (real if tokens == "words" else first) & ~special
