"""A tokenizer of whole words, for models with a table of word vectors.

Shape legend: B texts, W words of a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from keras_absa.text.inputs import as_strings
from keras_absa.text.normalizer import Normalizer

PADDING, UNKNOWN = "[PAD]", "[UNK]"
SPLITS = ("words", "blanks")
_CHUNK = 1024  # texts that are split at once


class WordTokenizer(tf.Module):
    """Turns texts into the ids of words, split and normalised as BERT's words are before they are cut into pieces.

    Args:
        vocabulary: List of str, `"[PAD]"` and `"[UNK]"` first; the position is the id. See `from_texts`.
        lower_case: Bool, lower-case words and strip accents. Defaults to True.
        split: `"words"`, as above, or `"blanks"`, what stands between blanks, as it is, whatever `lower_case` says. Defaults to
            `"words"`.

    Raises:
        ValueError: If the vocabulary does not begin with the two, or holds a word twice, or `split` is unknown.

    Example:
        >>> tokenizer = WordTokenizer(["[PAD]", "[UNK]", "good", "food"])
        >>> tokenizer.tokenize(["Good food!", ""]).to_list()
        [[2, 3, 1], []]
    """

    pad_id, unk_id = 0, 1

    def __init__(self, vocabulary: list[str], lower_case: bool = True, split: str = "words", name: str | None = None):
        super().__init__(name=name)
        if split not in SPLITS:
            raise ValueError(f"`split` must be one of {list(SPLITS)}: received {split!r}. Pick one of them.")
        vocabulary = list(vocabulary)
        if vocabulary[:2] != [PADDING, UNKNOWN]:
            raise ValueError(
                f"`vocabulary` must begin with {PADDING!r} and {UNKNOWN!r}: received {vocabulary[:2]}. Put them in front."
            )
        broken = next((word for word in vocabulary if not word or "\n" in word or "\r" in word), None)
        if broken is not None:
            raise ValueError(
                f"`vocabulary` must hold words without line breaks, since it is saved a word a line: received {broken!r}. "
                "Rename it."
            )
        twice = next((word for word, count in Counter(vocabulary).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"`vocabulary` must hold each word once: received {twice!r} twice. Leave one out.")
        self.lower_case = lower_case
        self.split = split
        self._normalizer = Normalizer(lower_case=lower_case) if split == "words" else None
        self._vocabulary = np.array(vocabulary, dtype=object)  # a list would be tracked, word by word
        with tf.init_scope():  # one table, wherever the tokenizer is made
            # The two special ones can stay: no text gives a word with brackets in it.
            pairs = tf.lookup.KeyValueTensorInitializer(tf.constant(vocabulary), tf.range(len(vocabulary)))
            self._table = tf.lookup.StaticHashTable(pairs, self.unk_id)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        max_words: int | None = None,
        min_count: int = 1,
        lower_case: bool = True,
        split: str = "words",
    ) -> WordTokenizer:
        """A tokenizer whose vocabulary are the words of texts, the most frequent first, equal ones by their spelling.

        Args:
            texts: Strings; of a generator only a chunk is in memory at once.
            max_words: Int, most words beside the two special ones. Defaults to None, all.
            min_count: Int, rarer words are left out. Defaults to 1.
            lower_case, split: See the class. Default to True and `"words"`.

        Example:
            >>> WordTokenizer.from_texts(["Good food", "good wine"], max_words=2).vocabulary
            ['[PAD]', '[UNK]', 'good', 'food']
        """
        if max_words is not None and (isinstance(max_words, bool) or not isinstance(max_words, int) or max_words < 1):
            raise ValueError(
                f"`max_words` must be an integer of at least 1: received {max_words!r}. Pass for example 50_000."
            )
        cut = Normalizer(lower_case=lower_case).split if split == "words" else tf.strings.split
        counts, chunk = Counter(), []
        for text in texts:
            chunk.append(text)
            if len(chunk) == _CHUNK:
                counts.update(cut(chunk).values.numpy().tolist())
                chunk = []
        if chunk:
            counts.update(cut(chunk).values.numpy().tolist())
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        words = [word.decode("utf-8") for word, count in ranked[:max_words] if count >= min_count]
        return cls([PADDING, UNKNOWN, *words], lower_case=lower_case, split=split)

    @tf.autograph.experimental.do_not_convert
    def tokenize(self, strings) -> tf.RaggedTensor:
        """Ids of the words of texts: `tf.RaggedTensor` int32 [B, (W)], for a single text int32 [W]."""
        strings = as_strings(strings)
        strings_1d = tf.reshape(strings, [-1])
        words = (
            tf.strings.split(strings_1d) if self._normalizer is None else self._normalizer.split(strings_1d)
        )  # [B, (W)]
        ids = words.with_values(self._table.lookup(words.values))
        return ids[0] if strings.shape.rank == 0 else ids

    def word_spans(self, text: str) -> list[tuple[str, int, int, int]]:
        """The words of one text, where they stand in it, and 1 for each: (word, start, end, 1), see `Normalizer.spans`.

        Example:
            >>> WordTokenizer(["[PAD]", "[UNK]"]).word_spans("Good food")
            [('good', 0, 4, 1), ('food', 5, 9, 1)]
        """
        if self._normalizer is None:
            return [(found.group(), *found.span(), 1) for found in re.finditer(r"\S+", text)]
        return [(*span, 1) for span in self._normalizer.spans(text)]

    @property
    def vocabulary(self) -> list[str]:
        """The words, list of str; the position is the id."""
        return self._vocabulary.tolist()

    @property
    def vocab_size(self) -> int:
        """Number of words."""
        return len(self._vocabulary)
