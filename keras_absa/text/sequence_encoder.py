"""From one or two texts per row to the ids of their words: what `PairEncoder` is to BERT, for models without special tokens.

Shape legend: B rows, T words of the longest text, W words of a text.
"""

from __future__ import annotations

import tensorflow as tf

from keras_absa.text.inputs import as_strings


class SequenceEncoder(tf.Module):
    """Encodes texts as dense, padded ids; what is longer than `max_length` loses its end, and is counted.

    Args:
        tokenizer: A `WordTokenizer`.
        max_length: Int, most words of a text. Defaults to 128.

    Raises:
        ValueError: If `max_length` is no whole number of at least 1.

    Example:
        >>> from keras_absa.text import WordTokenizer
        >>> encoder = SequenceEncoder(WordTokenizer(["[PAD]", "[UNK]", "good", "food"]))
        >>> encoder(["good food", "food"])["input_ids"].numpy().tolist()
        [[2, 3], [3, 0]]
    """

    special_tokens = 0  # in a row of one text
    shares_room = False  # each text has `max_length` words of its own

    def __init__(self, tokenizer, max_length: int = 128, name: str | None = None):
        super().__init__(name=name)
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 1:
            raise ValueError(
                f"`max_length` must be an integer of at least 1: received {max_length!r}. Pass for example 128."
            )
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __call__(self, first, second=None, length=None) -> dict[str, tf.Tensor]:
        """A dict of int32 tensors; arguments and keys as in `encode_with_counts`."""
        return self.encode_with_counts(first, second, length)[0]

    @tf.autograph.experimental.do_not_convert
    def encode_with_counts(self, first, second=None, length=None) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Encodes a batch of rows and counts what did not fit.

        Args:
            first: Texts, list or string tensor [B].
            second: Texts, list or string tensor [B], kept apart from the first ones. Defaults to None.
            length: Int or int32 scalar tensor, pad to this many words; at least the longest text's. Defaults to None, the
                longest text.

        Returns:
            (inputs, cut): `input_ids` and `attention_mask` [B, T]; with second texts `second_ids` and `second_mask` [B, T],
            too; and int32 [B], the number of words cut from each row.
        """
        texts = [as_strings(first, "first"), *([] if second is None else [as_strings(second, "second")])]
        ids = [self.tokenizer.tokenize(each) for each in texts]  # each [B, (W)]
        words = [tf.cast(each.row_lengths(), tf.int32) for each in ids]  # each [B]
        kept = [tf.minimum(each, self.max_length) for each in words]
        # A batch without words has a width, too.
        length = tf.maximum(tf.reduce_max(tf.concat([*kept, [1]], axis=0)), 0 if length is None else length)
        inputs = {}
        for names, each, count in zip((("input_ids", "attention_mask"), ("second_ids", "second_mask")), ids, kept):
            dense = each.to_tensor(self.tokenizer.pad_id, shape=[None, self.max_length])[:, :length]  # [B, T]
            inputs |= zip(names, (dense, tf.sequence_mask(count, tf.shape(dense)[1], tf.int32)), strict=True)
        return inputs, tf.add_n(words) - tf.add_n(kept)

    tokens_with_counts = encode_with_counts  # nothing else is found
