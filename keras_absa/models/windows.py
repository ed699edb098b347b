"""Long texts as overlapping windows, and one answer made of those of the windows.

Shapes: W windows, N rows, C labels.
"""

import re
from dataclasses import replace

import numpy as np

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.models.aspect_prediction import stands_in


def split_rows(rows: list[AspectExample], encoder, window: int) -> tuple[list[AspectExample], np.ndarray]:
    """Rows whose text is longer than a window, as one row for each window.

    A window holds whole words, `window` word pieces at most; two neighbours share the words of about a quarter of them. A
    word that is longer than a window is split. Of a row with a target, the windows that name it are kept; where a
    window's border falls into each mention of a name, the text stays whole.

    Args:
        rows: `AspectExample` rows.
        encoder: The model's `AspectEncoder`.
        window: Int, most word pieces of a window.

    Returns:
        (windows, owners): the rows to ask, and int [W], the number of the row that each belongs to; owners rise.

    Raises:
        ValueError: If a window and the longest auxiliary sentence do not fit into the encoder's `max_length`.

    Example:
        >>> from keras_absa.data import restaurants
        >>> from keras_absa.environment import minilm_folder
        >>> from keras_absa.text import Tokenizer
        >>> from keras_absa.text.aspect_encoder import AspectEncoder
        >>> encoder = AspectEncoder(Tokenizer(minilm_folder() / "vocab.txt"), restaurants())
        >>> windows, owners = split_rows([AspectExample("one two three four five six seven", "food")], encoder, 4)
        >>> [row.text for row in windows], owners.tolist()
        (['one two three four', 'four five six seven'], [0, 0])
    """
    room = encoder.room(row.aspect for row in rows)
    if not (isinstance(window, int) and 2 <= window <= room):
        raise ValueError(
            f"`window` must be between 2 and {room}, so that the question fits beside it: received {window}. Choose a smaller "
            "window, or make the model with a larger `max_length`."
        )
    windows, owners, parts_of = [], [], {}
    for number, row in enumerate(rows):
        if row.text not in parts_of:
            parts_of[row.text] = _windows(row.text, encoder.pair_encoder.tokenizer, window)
        parts = parts_of[row.text]
        if row.target is not None:
            parts = [part for part in parts if stands_in(row.target, part)] or [row.text]
        windows += [replace(row, text=part) for part in parts]
        owners += [number] * len(parts)
    return windows, np.array(owners, "int64")


def combine_windows(probabilities: np.ndarray, owners: np.ndarray, count: int, task: AspectTask) -> np.ndarray:
    """One answer a row from those of its windows.

    With a `none_label` it is the answer of the window that is surest that the aspect is mentioned (the least
    probability of none; the first of equal ones): other windows being silent about an aspect says nothing. Without one it
    is the mean over the windows.

    Args:
        probabilities: Float [W, C].
        owners: Int [W], what `split_rows` gave.
        count: Int N, how many rows there are.
        task: The `AspectTask`.

    Returns:
        Float [N, C].
    """
    combined = np.empty((count, probabilities.shape[1]), probabilities.dtype)
    borders = np.searchsorted(owners, np.arange(count + 1))
    for number in range(count):
        own = probabilities[borders[number] : borders[number + 1]]
        if task.none_label is None:
            combined[number] = own.mean(axis=0)
        else:
            combined[number] = own[own[:, task.label_id(task.none_label)].argmin()]
    return combined


def _windows(text: str, tokenizer, size: int) -> list[str]:
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    pieces = _counts(tokenizer, [text[begin:end] for begin, end in spans])
    if sum(pieces) <= size:
        return [text]
    spans, pieces = _without_long_words(text, spans, pieces, tokenizer, size)
    parts, first = [], 0
    while True:
        last, used = first, 0
        while last < len(spans) and used + pieces[last] <= size:
            used += pieces[last]
            last += 1
        parts.append(text[spans[first][0] : spans[last - 1][1]])
        if last == len(spans):
            return parts
        shared = 0
        next_first = last
        while next_first - 1 > first and shared + pieces[next_first - 1] <= max(1, size // 4):
            next_first -= 1
            shared += pieces[next_first]
        first = next_first


def _without_long_words(text, spans, pieces, tokenizer, size):
    """Words of more than `size` pieces as short runs of characters, so that windows overlap in them too."""
    short = []
    for (begin, end), count in zip(spans, pieces, strict=True):
        step = end - begin if count <= size else max(1, size // 4)  # a piece has at least one character
        short += [(at, min(at + step, end)) for at in range(begin, end, step)]
    counts = _counts(tokenizer, [text[begin:end] for begin, end in short])
    return short, [min(count, size) for count in counts]


def _counts(tokenizer, words) -> list[int]:
    return tokenizer.tokenize(words).row_lengths().numpy().tolist() if words else []
