"""Splitting rows by text, and checking that they come in complete groups."""

import hashlib
import unicodedata
from collections.abc import Iterable

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask


def grouped_holdout(
    examples: Iterable[AspectExample], fraction: float = 0.1, seed: int = 0
) -> tuple[list[AspectExample], list[AspectExample]]:
    """Sets some texts aside, with all their rows.

    Rows of one id, and of one text but for case, blanks and Unicode forms, stay on one side, so that no held-out text was
    trained on. The choice depends on the ids and the seed only: not on the order of the rows, the machine or
    `PYTHONHASHSEED`.

    Args:
        examples: `AspectExample` rows.
        fraction: Float between 0 and 1, the share of texts to hold out. Defaults to 0.1.
        seed: Int. Defaults to 0.

    Returns:
        (train, heldout): two lists, both in the order of `examples`.

    Raises:
        ValueError: If `fraction` is not between 0 and 1, or there are fewer than two texts.

    Example:
        >>> rows = [AspectExample(f"Dish {n}.", "food", id=str(n)) for n in range(10)]
        >>> [len(part) for part in grouped_holdout(rows, fraction=0.2)]
        [8, 2]
    """
    if not 0 < fraction < 1:
        raise ValueError(f"`fraction` must be between 0 and 1: received {fraction}. Give the share to hold out.")
    examples = list(examples)
    group_of = text_groups(examples)
    members = {}
    for example, group in zip(examples, group_of):
        members.setdefault(group, set()).add(example.id or example.text)
    if len(members) < 2:
        raise ValueError(f"A hold-out needs at least two texts: received {len(members)}. Give more rows.")

    def lot(group):
        return hashlib.sha256(f"{seed}\n{min(members[group])}".encode("utf-8", "surrogatepass")).digest()

    size = min(max(1, round(fraction * len(members))), len(members) - 1)
    chosen = set(sorted(members, key=lot)[:size])
    train = [example for example, group in zip(examples, group_of) if group not in chosen]
    heldout = [example for example, group in zip(examples, group_of) if group in chosen]
    return train, heldout


def check_groups(examples: Iterable[AspectExample], task: AspectTask) -> None:
    """Makes sure that every (id, target) has each aspect of the task once, in context order.

    The metrics that look at all aspects of a text together need this.

    Args:
        examples: `AspectExample` rows.
        task: The task they belong to.

    Raises:
        ValueError: Naming the first row that is out of place, or the last one of a group that lacks some.

    Example:
        >>> task = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))
        >>> check_groups([AspectExample("Kind people.", aspect, id="7") for aspect in task.aspects], task)
    """
    groups = {}
    for example in examples:
        group = groups.setdefault((example.split, example.id or example.text, example.target), [])
        place = len(group)
        expected = task.aspects[place] if place < len(task.aspects) else "no further row"
        if example.aspect != expected:
            raise ValueError(
                f"{_describe(example)}: received aspect {example.aspect!r} as row {place + 1} of its group, expected "
                f"{expected!r}. Every text and target needs each of {list(task.aspects)} once, in this order."
            )
        group.append(example)
    for group in groups.values():
        if len(group) < len(task.aspects):
            raise ValueError(
                f"{_describe(group[-1])}: the group ends after {len(group)} of {len(task.aspects)} aspects, expected "
                f"{task.aspects[len(group)]!r} next. Add the missing rows."
            )


def _describe(example: AspectExample) -> str:
    target = f" target {example.target!r}" if example.target is not None else ""
    return f"{example.source or 'row'} (id {example.id!r}{target})"


def normal_form(text: str) -> str:
    """The text without what makes no other text of it: case, blanks, and how Unicode writes a character."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def text_groups(examples: list[AspectExample]) -> list[tuple]:
    """The name of each row's group; rows that share an id or a text are in one group."""
    parent = {}

    def root(name):
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    names = [("text", normal_form(example.text)) for example in examples]
    for example, name in zip(examples, names):
        if example.id:
            parent[root(name)] = root(("id", example.split, example.id))
    return [root(name) for name in names]
