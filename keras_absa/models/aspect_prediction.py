"""One answer of a model, and the rows that a question about texts turns into."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.source_file import SURROGATE
from keras_absa.metrics.decision import decide


@dataclass(frozen=True)
class AspectPrediction:
    """What a model says about one (target, aspect) of one text.

    Attributes:
        text, target, aspect: What was asked.
        label: The most probable label, or what the model's `none_threshold` makes of the probabilities.
        probabilities: Label to probability, in the task's order.

    Example:
        >>> answer = AspectPrediction("Cold soup", None, "food", "bad", {"good": 0.1, "bad": 0.9})
        >>> answer.label, answer.probabilities["bad"]
        ('bad', 0.9)
    """

    text: str
    target: str | None
    aspect: str
    label: str
    probabilities: dict[str, float]

    @classmethod
    def of(
        cls, row: AspectExample, task: AspectTask, probabilities: np.ndarray, none_threshold: float | None = None
    ) -> "AspectPrediction":
        """The answer for a row whose probabilities [C] are known; see `decide` for the threshold."""
        none_id = None if task.none_label is None else task.label_id(task.none_label)
        label = task.labels[int(decide(probabilities, none_id, none_threshold))]
        named = {label: float(value) for label, value in zip(task.labels, probabilities, strict=True)}
        return cls(row.text, row.target, row.aspect, label, named)

    @classmethod
    def of_texts(cls, rows, task: AspectTask, probabilities, none_threshold=None) -> "list[list[AspectPrediction]]":
        """The answers for lists of rows, one a text, whose probabilities stand in one array, row after row."""
        each = iter(probabilities)
        return [[cls.of(row, task, next(each), none_threshold) for row in text_rows] for text_rows in rows]


def prediction_rows(
    task: AspectTask, texts, targets=None, other_targets=None, aspects=None
) -> list[list[AspectExample]]:
    """The rows to predict: for each text every target in question, and for each of them every aspect, in the order given.

    Args:
        task: The `AspectTask`.
        texts: Strings.
        targets: One entry a text: a name, a list of names, or None for the placeholders that stand in it.
        other_targets: One name or None a text.
        aspects: Names to ask every text about, or one list of names (or None, for all) a text. Defaults to None, all of
            the task.

    Raises:
        ValueError: If the lists differ in length, a text is empty, an aspect is unknown, or a target does not stand in its
            text.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        what = "one string" if isinstance(texts, str) else repr(texts)
        raise ValueError(f"`texts` must be a list of strings: received {what}. Put it into a list.")
    texts = list(texts)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"`texts` must be strings: received {text!r} at {index}. Leave it out, or convert it.")
        if not text.strip():
            raise ValueError(f"`texts` must hold some words each: received {text!r} at {index}. Leave empty texts out.")
    for name, values in (("targets", targets), ("other_targets", other_targets)):
        if values is not None and not task.targets:
            raise ValueError(f"Task {task.name!r} has no targets: received `{name}`. Leave them out.")
        if values is not None and (isinstance(values, str) or len(values) != len(texts)):
            count = "one string" if isinstance(values, str) else len(values)
            raise ValueError(
                f"`{name}` must be a list with one entry a text: received {count} for {len(texts)} texts. Write one for each."
            )
    for other in other_targets or ():
        if not (other is None or isinstance(other, str)):
            raise ValueError(f"`other_targets` must be strings or None: received {other!r}. Give one name a text.")
    aspects = _aspects_of(task, aspects, len(texts))
    rows = []
    for index, text in enumerate(texts):
        other = other_targets[index] if other_targets is not None else None
        asked = _targets_of(task, text, targets[index] if targets is not None else None, other, index)
        rows.append(
            [
                AspectExample(text, aspect, target=target, other_target=other)
                for target in asked
                for aspect in aspects[index]
            ]
        )
    for index, row in ((index, row) for index, text_rows in enumerate(rows) for row in text_rows):
        task.context_id(row.target, row.aspect)
        for string in (row.text, row.aspect, row.target or "", row.other_target or ""):
            if SURROGATE.search(string):
                raise ValueError(
                    f"Strings must be valid Unicode: received a lone surrogate in {string[:60]!r} at {index}. Remove it."
                )
    return rows


def _aspects_of(task, aspects, count) -> list[list[str]]:
    """The aspects to ask each text about."""
    if aspects is None:
        if task.open_aspects:
            raise ValueError(
                f"Task {task.name!r} has no list of aspects: received no `aspects`. Pass those to ask about, one list a text."
            )
        return [list(task.aspects)] * count
    if isinstance(aspects, str):
        raise ValueError("`aspects` must be a list of strings: received one string. Put it into a list.")
    aspects = list(aspects)
    if all(isinstance(aspect, str) for aspect in aspects):
        return [aspects] * count
    if len(aspects) != count:
        raise ValueError(f"`aspects` must have one list a text: received {len(aspects)} for {count} texts.")
    if not task.open_aspects:
        aspects = [task.aspects if own is None else own for own in aspects]
    for index, own in enumerate(aspects):
        if own is None or isinstance(own, str) or not all(isinstance(aspect, str) for aspect in own):
            raise ValueError(
                f"`aspects` must be strings, or one list of strings a text: received {own!r} at {index}. Put it into a list."
            )
    return [list(own) for own in aspects]


def _targets_of(task, text, target, other, index):
    if not task.targets:
        return [None]
    asked = [target] if isinstance(target, str) or not isinstance(target, Iterable) else list(target)
    asked = [] if target is None else asked
    if not all(isinstance(name, str) for name in asked):
        raise ValueError(
            f"`targets` must be a name or a list of names a text: received {target!r} at {index}. Give strings."
        )
    if other and other.casefold() in (name.casefold() for name in asked):
        raise ValueError(
            f"`other_targets` must name somebody else than the target: received {other!r} for both at {index}. Leave it out."
        )
    if target is None:
        asked = [name for name in task.targets if name in text]
    if not asked:
        raise ValueError(
            f"Text {index} must name a target: it holds none of {list(task.targets)}. Pass `targets`, the name that stands in "
            "the text."
        )
    for name in [*asked, *([other] if other else [])]:
        if not stands_in(name, text):
            raise ValueError(
                f"A target must stand in its text as a whole word: {name!r} is not in text {index} ({text[:60]!r}). Write it as "
                "the text does."
            )
    return asked


def stands_in(name: str, text: str) -> bool:
    """Whether a name is in a text as a whole word, in any case."""
    name = name.strip()
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
