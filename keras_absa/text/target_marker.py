"""Finds the targets of a text and writes the words that a model knows them by, in TensorFlow ops.

Shapes: B texts.
"""

import tensorflow as tf

# Unicode noncharacters: never part of a text that means something, and deleted from it before they are used.
_MARKS = ("\ufdd0", "\ufdd1")
_NO_WORD = r"[^\pL\pN\pM_]"
_MAX_SURFACE = 200  # characters; a longer one would not fit a regular expression's budget, and counts as not found


class TargetMarker(tf.Module):
    """Replaces the target in question, and a second one, by the words that stand for them in training data.

    A surface form is found as a whole word, in any case, whatever characters it has; of two forms, the longer
    one is looked for first, so that "Camden" and "Camden Town" can be told apart. A target given by its
    placeholder keeps its own place; any other form takes the first place if it is the target in question, and
    the other place if it is not. Placeholders that remain in the text are replaced as well.

    Args:
        placeholders: Strings, for example `("LOCATION1", "LOCATION2")`; one or two.
        words: As many strings, what is written instead, for example `("location - 1", "location - 2")`.

    Example:
        >>> marker = TargetMarker(("LOCATION1", "LOCATION2"), ("location - 1", "location - 2"))
        >>> texts, found, place = marker(["Camden beats Soho"], ["soho"], ["Camden"])
        >>> texts.numpy()[0], found.numpy().tolist()
        (b'location - 2 beats location - 1', [True])
    """

    def __init__(self, placeholders: tuple[str, ...], words: tuple[str, ...], name: str | None = None):
        super().__init__(name=name)
        if not 1 <= len(placeholders) <= 2 or len(words) != len(placeholders):
            raise ValueError(
                f"A task has one or two targets, each with its words: received placeholders {list(placeholders)} and words "
                f"{list(words)}. Name two targets at most; a text with more is asked about two at a time."
            )
        self.placeholders = tuple(placeholders)
        self.words = tuple(words)

    def __call__(self, text, target, other_target=None):
        """Marks a batch.

        Args:
            text: String [B].
            target: String [B], surface forms or placeholders.
            other_target: String [B], `""` where there is none. Defaults to None, none at all.

        Returns:
            (text, found, place): string [B]; bool [B], whether the target stands in the text; int32 [B], which of the
            placeholders the target took.
        """
        text, target = _valid_utf8(text), tf.strings.strip(_valid_utf8(target))
        other_target = tf.zeros_like(target) if other_target is None else tf.strings.strip(_valid_utf8(other_target))
        place = tf.zeros(tf.shape(target), tf.int32)
        if len(self.placeholders) == 2:
            place = tf.where(target == self.placeholders[1], 1, place)
        for mark in _MARKS:
            text = tf.strings.regex_replace(text, mark, "")

        text, found = tf.map_fn(
            _mark_row,
            (text, target, other_target, place),
            fn_output_signature=(tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.bool)),
        )
        return self.render(text), found, place

    def render(self, text):
        """Writes the words for every mark and every placeholder that stands in the text: string [B] to [B]."""
        for mark, placeholder, words in zip(_MARKS, self.placeholders, self.words, strict=False):
            text = tf.strings.regex_replace(text, mark, _rewrite(words))
            if words != placeholder:
                text = tf.strings.regex_replace(text, _escape_python(placeholder), _rewrite(words))
        if len(self.placeholders) == 1:  # a second target without a place of its own stays unnamed
            text = tf.strings.regex_replace(text, _MARKS[1], "it")
        return text


def _valid_utf8(strings):
    # A byte that is no UTF-8 would make a regular expression fail, and with it the batch of everybody else.
    return tf.strings.unicode_transcode(strings, "UTF-8", "UTF-8", errors="replace")


def _mark_row(row):
    text, target, other, place = row
    target_mark = tf.gather(_MARKS, place)
    other_mark = tf.gather(_MARKS, 1 - place)
    target_first = tf.strings.length(target, unit="UTF8_CHAR") >= tf.strings.length(other, unit="UTF8_CHAR")
    first, second = tf.where(target_first, target, other), tf.where(target_first, other, target)
    first_mark = tf.where(target_first, target_mark, other_mark)
    second_mark = tf.where(target_first, other_mark, target_mark)
    after_first = _replace_word(text, first, first_mark)
    after_both = _replace_word(after_first, second, second_mark)
    found_first, found_second = after_first != text, after_both != after_first
    return after_both, tf.where(target_first, found_first, found_second)


def _replace_word(text, surface, mark):
    """Replaces whole words, in any case. RE2 has no look-around, so the neighbours are matched and written back."""
    usable = tf.strings.length(surface, unit="UTF8_CHAR") <= _MAX_SURFACE
    surface = tf.where(usable, surface, "")
    escaped = tf.strings.regex_replace(surface, r"([!-/:-@\[-`{-~])", r"\\\1")  # all of ASCII's punctuation
    pattern = tf.strings.join([rf"(?i)(^|{_NO_WORD})", escaped, rf"($|{_NO_WORD})"])
    rewrite = tf.strings.join([r"\1", mark, r"\2"])
    replaced = tf.strings.regex_replace(text, pattern, rewrite)
    replaced = tf.strings.regex_replace(replaced, pattern, rewrite)  # neighbours that shared one separator
    return tf.where(tf.strings.length(surface) > 0, replaced, text)


def _escape_python(literal: str) -> str:
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in literal)


def _rewrite(literal: str) -> str:
    return literal.replace("\\", "\\\\")
