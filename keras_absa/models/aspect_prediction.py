"""One answer of a model, and the rows that a question about texts turns into."""

import re
from dataclasses import dataclass

import numpy as np

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask


@dataclass(frozen=True)
class AspectPrediction:
    """What a model says about one (target, aspect) of one text.

    Attributes:
        text, target, aspect: What was asked.
        label: The most probable label.
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
    def of(cls, row: AspectExample, task: AspectTask, probabilities: np.ndarray) -> "AspectPrediction":
        """The answer for a row whose probabilities [C] are known."""
        named = {label: float(value) for label, value in zip(task.labels, probabilities, strict=True)}
        return cls(row.text, row.target, row.aspect, task.labels[int(np.argmax(probabilities))], named)


def prediction_rows(
    task: AspectTask, texts, targets=None, other_targets=None, aspects=None
) -> list[list[AspectExample]]:
    """The rows to predict: for each text every target and aspect in question.

    Raises:
        ValueError: If the lists differ in length, an aspect is unknown, or a target does not stand in its text.
    """
    if isinstance(texts, str):
        raise ValueError("`texts` must be a list of strings: received one string. Put it into a list.")
    texts = list(texts)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"`texts` must be strings: received {text!r} at {index}. Use '' for an empty text.")
    for name, values in (("targets", targets), ("other_targets", other_targets)):
        if values is not None and not task.targets:
            raise ValueError(f"Task {task.name!r} has no targets: received `{name}`. Leave them out.")
        if values is not None and (isinstance(values, str) or len(values) != len(texts)):
            count = "one string" if isinstance(values, str) else len(values)
            raise ValueError(f"`{name}` must have one entry a text: received {count} for {len(texts)} texts.")
    aspects = list(task.aspects if aspects is None else aspects)
    rows = []
    for index, text in enumerate(texts):
        other = other_targets[index] if other_targets is not None else None
        asked = _targets_of(task, text, targets[index] if targets is not None else None, other, index)
        rows.append(
            [AspectExample(text, aspect, target=target, other_target=other) for target in asked for aspect in aspects]
        )
    for row in (row for text_rows in rows for row in text_rows):
        task.context_id(row.target, row.aspect)
    return rows


def _targets_of(task, text, target, other, index):
    if not task.targets:
        return [None]
    asked = [name for name in task.targets if name in text] if target is None else [target]
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
