"""One set of rows into several, with texts whole and labels alike."""

import math
from collections import Counter
from collections.abc import Mapping
from random import Random

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.splits import text_groups

SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}


def split_examples(
    examples: list[AspectExample], shares: Mapping[str, float] | None = None, seed: int = 0
) -> dict[str, list[AspectExample]]:
    """Splits rows so that no text is in two parts, and every part has nearly the same share of each (aspect, label).

    Rows of one id, and of one text but for case, blanks and Unicode forms, go together. Texts with the rarest (aspect, label)
    are dealt out first, each to the part that lacks most of it. A pair that is too rare for each part to get one, as
    most aspect terms are, counts by its label only.

    Args:
        examples: `AspectExample` rows.
        shares: Part to its share of the texts; they are divided by their sum. Defaults to 0.8 for `"train"` and 0.1 each for
            `"dev"` and `"test"`.
        seed: Int, decides between texts that are alike. Defaults to 0.

    Returns:
        Part to rows, in the order of `examples`.

    Raises:
        ValueError: If a share is not above 0, or there are fewer texts than parts.

    Example:
        >>> rows = [AspectExample(f"Dish {n}", "food", "good" if n % 2 else "bad") for n in range(20)]
        >>> parts = split_examples(rows, {"train": 3, "test": 1})
        >>> {part: [row.label for row in rows].count("bad") for part, rows in parts.items()}
        {'train': 8, 'test': 2}

    Reference:
        Sechidis, Tsoumakas and Vlahavas 2011, "On the Stratification of Multi-label Data", algorithm 1, with whole texts
        as the instances.
    """
    examples, shares = list(examples), dict(SHARES if shares is None else shares)
    if not shares or not all(0 < share < math.inf for share in shares.values()):
        raise ValueError(
            f"`shares` must be finite numbers above 0: received {shares}. Leave out a part that should stay empty."
        )
    total = sum(shares.values())
    shares = {part: share / total for part, share in shares.items()}
    keys = text_groups(examples)
    cells = {}  # group -> its (aspect, label) pairs, counted
    for key, cell in zip(keys, _frequent_cells(examples, 1 / min(shares.values())), strict=True):
        cells.setdefault(key, Counter())[cell] += 1
    if len(cells) < len(shares):
        raise ValueError(f"There must be a text for each part: received {len(cells)} texts for {list(shares)}.")

    left = Counter()
    for counts in cells.values():
        left.update(counts)
    wanted = {part: {cell: share * count for cell, count in left.items()} for part, share in shares.items()}
    room = {part: share * len(cells) for part, share in shares.items()}
    order = list(cells)
    Random(seed).shuffle(order)
    waiting = {}
    for key in order:
        for cell in cells[key]:
            waiting.setdefault(cell, []).append(key)
    part_of = {}
    while len(part_of) < len(cells):
        rarest = min((cell for cell in left if left[cell] > 0), key=lambda cell: (left[cell], str(cell)))
        for key in waiting.pop(rarest):
            if key in part_of:
                continue
            part = max(shares, key=lambda part: (wanted[part][rarest], room[part]))
            part_of[key] = part
            room[part] -= 1
            for cell, count in cells[key].items():
                wanted[part][cell] -= count
                left[cell] -= count
        left.pop(rarest)
    _fill_empty(part_of, shares)
    return {part: [row for key, row in zip(keys, examples, strict=True) if part_of[key] == part] for part in shares}


def _frequent_cells(examples, least):
    """For each row its (aspect, label), or less than that where it is on fewer rows than `least`."""
    names = [(row.aspect, row.label) for row in examples]
    for general in (lambda aspect, label: (None, label), lambda aspect, label: (None, None)):
        counts = Counter(names)
        names = [name if counts[name] >= least else general(*name) for name in names]
    return names


def _fill_empty(part_of, shares):
    """Gives a part that got no text one of the largest part's."""
    for part in shares:
        sizes = Counter(part_of.values())
        if not sizes[part]:
            largest = max(sizes, key=sizes.get)
            part_of[next(key for key, own in part_of.items() if own == largest)] = part
