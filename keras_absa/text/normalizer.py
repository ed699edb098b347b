"""BERT's text normalisation and word splitting, as core TensorFlow ops.

Shape legend: B texts, C code points of a text, W words of a text.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import tensorflow as tf

from keras_absa.text import unicode_ranges
from keras_absa.text.inputs import as_strings

_SPACE = 0x20
_ITSELF = -1  # stands for "the code point that came in" in an output
_KEEP, _DELETE, _BREAK, _ISOLATE = range(4)  # the rules that hold for many code points; replacements follow
_PAGE = 128


class Normalizer(tf.Module):
    """Cleans texts and splits them into words exactly as the reference BERT tokenizer does.

    In the reference order: tab and line breaks become spaces, control, format and private-use characters vanish, every
    white space becomes a space, CJK ideographs become words; uncased text is decomposed (NFD), loses its non-spacing
    marks and is lower-cased; punctuation characters become words. Each step works on single code points, so that all
    of them are one table from a code point to its output, taken from the reference itself (`unicode_probe.py`). Only
    core TensorFlow ops run, and no Unicode table of any other library matters: TensorFlow versions agree.

    Differences from the reference that remain:

    | kind | texts | here | reference |
    |---|---|---|---|
    | order of kept marks | uncased, two of the 96 code points below side by side | as typed | sorted by class |
    | broken UTF-8 | bytes such as b"caf\\xe9" | the bad bytes vanish | takes Unicode strings only |

    The 96 are marks which Unicode 9 gives a combining class and which the reference does not count as non-spacing, or
    decompose to such a mark: 8D4-8E1 1B44 1BAA 1BF2-1BF3 1DFB 302E-302F A953 A9C0 111C0 11235 1134D 11442 11446 116B6
    11C3F 1D15E-1D166 1D16D-1D172 1D1BB-1D1C0 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E944-1E94A.

    Args:
        lower_case: bool, `True` for uncased vocabularies. Defaults to `True`.
        name: str, name of the module. Defaults to `None`.

    Example:
        >>> from keras_absa.text import Normalizer
        >>> Normalizer()(["Caf\\u00e9, great!"]).numpy().tolist()
        [b'cafe , great !']

    Reference: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers"; the basic tokenizer of the
    public code, as in `BertTokenizerFast`.
    """

    def __init__(self, *, lower_case: bool = True, name: str | None = None):
        super().__init__(name=name)
        self.lower_case = lower_case
        # NumPy arrays, not tensors: every graph gets its own constants, whoever exports it.
        self._pages, self._rules, self._starts, self._counts, self._outputs = _tables(lower_case)

    @tf.autograph.experimental.do_not_convert  # no branch depends on a tensor; graphs are made faster
    def split(self, strings) -> tf.RaggedTensor:
        """Splits texts into normalised words.

        Args:
            strings: text, list of texts, or string tensor of shape [] or [B].

        Returns:
            `tf.RaggedTensor` of strings, [B, (W)]; for a single text a string tensor [W].

        Raises:
            ValueError: if something is no text; the message gives its row.

        Example:
            >>> from keras_absa.text import Normalizer
            >>> Normalizer().split("Don't").numpy().tolist()
            [b'don', b"'", b't']
        """
        strings = as_strings(strings)
        points = tf.strings.unicode_decode(tf.reshape(strings, [-1]), "UTF-8")  # [B, (C)]
        page, offset = points.values // _PAGE, points.values % _PAGE
        rule = tf.gather(self._rules, tf.gather(self._pages, page) * _PAGE + offset)
        start = tf.gather(self._starts, rule)
        where = tf.ragged.range(start, start + tf.gather(self._counts, rule))  # [all C, (outputs)]
        output = tf.gather(self._outputs, where.values)
        source = tf.gather(points.values, where.value_rowids())
        output = where.with_values(tf.where(output == _ITSELF, source, output))
        output = points.with_values(output).merge_dims(1, 2)  # [B, (C)]
        words = tf.strings.split(tf.strings.unicode_encode(output, "UTF-8"))  # [B, (W)]
        return words[0] if strings.shape.rank == 0 else words

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """The words that `split` gives for one text, and where they stand in it.

        Args:
            text: The text.

        Returns:
            A list of (word, start, end) in characters of `text`, the end exclusive. What vanishes inside a word or at its
            end, such as an accent, belongs to it; one character may give several words.

        Example:
            >>> from keras_absa.text import Normalizer
            >>> Normalizer().spans("Caf\u00e9, great!")
            [('cafe', 0, 4), (',', 4, 5), ('great', 6, 11), ('!', 11, 12)]
        """
        points = np.frombuffer(text.encode("utf-32-le"), "<u4").astype("int64")
        rules = self._rules[self._pages[points // _PAGE] * _PAGE + points % _PAGE]
        words, letters, start, end = [], [], 0, 0
        for place, (point, rule) in enumerate(zip(points.tolist(), rules.tolist(), strict=True)):
            first = self._starts[rule]
            for output in self._outputs[first : first + self._counts[rule]].tolist():
                output = point if output == _ITSELF else output
                if output != _SPACE:
                    start = start if letters else place
                    letters.append(chr(output))
                    end = place + 1
                elif letters:
                    words.append(("".join(letters), start, end))
                    letters = []
            if rule == _DELETE and letters:
                end = place + 1
        return words + ([("".join(letters), start, end)] if letters else [])

    @tf.autograph.experimental.do_not_convert
    def __call__(self, strings) -> tf.Tensor:
        """Normalises texts.

        Args:
            strings: text, list of texts, or string tensor of shape [] or [B].

        Returns:
            String tensor of the same shape: the words of each text, joined by single spaces.

        Raises:
            ValueError: if something is no text; the message gives its row.

        Example:
            >>> from keras_absa.text import Normalizer
            >>> Normalizer(lower_case=False)("Great,food").numpy()
            b'Great , food'
        """
        return tf.strings.reduce_join(self.split(strings), axis=-1, separator=" ")


def _points(ranges):
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def _replacements(mapping):
    for run in mapping.split():
        first, targets = run.split(":")
        for point, target in enumerate(targets.split(","), int(first, 16)):
            if target:
                yield point, tuple(int(part, 16) for part in target.split("+"))


def _hangul_replacements():
    """The Unicode standard's arithmetic: 19 leading x 21 vowel x 28 trailing jamo (the first trailing is "none")."""
    for index in range(19 * 21 * 28):
        lead, vowel, trail = 0x1100 + index // 588, 0x1161 + index % 588 // 28, 0x11A7 + index % 28
        yield 0xAC00 + index, (lead, vowel) if trail == 0x11A7 else (lead, vowel, trail)


@lru_cache(maxsize=2)
def _tables(lower_case):
    """Returns (pages, rules, starts, counts, outputs), int32.

    Code point p follows rule r = rules[pages[p // _PAGE] * _PAGE + p % _PAGE] and becomes
    outputs[starts[r]:starts[r] + counts[r]]. Equal pages are stored once.
    """
    outputs = [(_ITSELF,), (), (_SPACE,), (_SPACE, _ITSELF, _SPACE)]  # indexed by _KEEP, _DELETE, _BREAK, _ISOLATE
    rules = np.full(0x110000, _KEEP, np.int32)
    rules[list(_points(unicode_ranges.DELETED))] = _DELETE
    rules[list(_points(unicode_ranges.SPACES))] = _BREAK
    rules[list(_points(unicode_ranges.ISOLATED))] = _ISOLATE
    if lower_case:
        rules[list(_points(unicode_ranges.MARKS))] = _DELETE
        replaced = dict(_replacements(unicode_ranges.LOWERED))
        replaced.update(_hangul_replacements())
        for point, target in _replacements(unicode_ranges.LOWERED_ISOLATED):
            replaced[point] = (_SPACE, *target, _SPACE)
        for point, target in replaced.items():
            rules[point] = len(outputs)
            outputs.append(target)
    rules, pages = np.unique(rules.reshape(-1, _PAGE), axis=0, return_inverse=True)
    counts = np.array([len(output) for output in outputs], np.int32)
    starts = (np.cumsum(counts) - counts).astype(np.int32)
    flat = np.array([part for output in outputs for part in output], np.int32)
    return pages.reshape(-1).astype(np.int32), rules.reshape(-1), starts, counts, flat
