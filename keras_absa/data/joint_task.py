"""What is asked about a segment of text, sound and video: tasks of the joint encoder."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from keras_absa.metrics.sentiment_classes import RULES, sentiment_classes

KINDS = ("labels", "classes", "score")
MOSEI_EMOTIONS = ("happy", "sad", "anger", "surprise", "disgust", "fear")  # the order of the CMU SDK's columns
MELD_EMOTIONS = ("neutral", "surprise", "fear", "sadness", "joy", "disgust", "anger")
MELD_SENTIMENTS = ("neutral", "positive", "negative")
SENTIMENTS = {
    2: ("negative", "not negative"),
    7: (
        "strongly negative",
        "negative",
        "weakly negative",
        "neutral",
        "weakly positive",
        "positive",
        "strongly positive",
    ),
}


@dataclass(frozen=True)
class JointTask:
    """What a joint encoder answers about a segment.

    Args:
        name: The task's name.
        target: Which of a `Segments`' targets it is about, for example `"emotion"`.
        kind: `"labels"`, several may hold at once; `"classes"`, exactly one does; `"score"`, a number from -3 to 3.
        labels: Names of the labels or classes; the position is the id. None for a score.
        from_scores: Bool, the target holds scores from -3 to 3, whose classes are those of `sentiment_classes`. Defaults to
            False.

    Raises:
        ValueError: If these do not fit each other.

    Example:
        >>> task = JointTask("mood", target="mood", kind="classes", labels=("calm", "tense"))
        >>> task.outputs, JointTask.from_dict(task.to_dict()) == task
        (2, True)
    """

    name: str
    target: str
    kind: str
    labels: tuple[str, ...] = ()
    from_scores: bool = False

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"`kind` must be one of {list(KINDS)}: received {self.kind!r}. Pick one of them.")
        texts = (self.name, self.target, *self.labels)
        if not all(isinstance(each, str) and each.strip() for each in texts) or len(set(self.labels)) < len(
            self.labels
        ):
            raise ValueError(f"Names must be different strings that are not blank: received {texts}. Correct them.")
        object.__setattr__(self, "labels", tuple(self.labels))
        least = {"labels": 1, "classes": 2, "score": 0}[self.kind]
        if len(self.labels) < least or (self.kind == "score" and self.labels):
            raise ValueError(
                f"A task of the kind {self.kind!r} must have {'no' if not least else f'at least {least}'} labels: received "
                f"{len(self.labels)}. Name them as they stand in the data."
            )
        if self.from_scores and (self.kind != "classes" or len(self.labels) not in RULES):
            raise ValueError(
                f"`from_scores` goes with {list(RULES)} classes: received the kind {self.kind!r} with {len(self.labels)}. "
                "Leave it out."
            )

    @property
    def outputs(self) -> int:
        """How many numbers a model gives for a segment."""
        return len(self.labels) or 1

    @property
    def monitor(self) -> str:
        """The metric that is to be high on a development set."""
        return "correlation" if self.kind == "score" else "accuracy"

    def encode(self, segments) -> np.ndarray:
        """What a model is trained on: float32 [N, C] presence, int64 [N] class ids, or float32 [N] scores.

        Args:
            segments: `Segments` with this task's target.

        Raises:
            ValueError: If the target is missing, or a segment's is not one of the task's; it is named.
        """
        if self.target not in segments.targets:
            raise ValueError(
                f"Segments must have the target {self.target!r} of task {self.name!r}: received "
                f"{sorted(segments.targets) or 'none'}. Add it, or choose the task that fits."
            )
        values = segments.targets[self.target]
        return getattr(self, f"_{self.kind}")(values, segments)

    def _labels(self, values, segments):
        names = segments.names.get(self.target, self.labels)
        missing = [name for name in self.labels if name not in names]
        if missing or values.ndim != 2 or values.shape[1] != len(names) or values.dtype.kind not in "biuf":
            raise ValueError(
                f"The target {self.target!r} must hold a number for each of {list(self.labels)}: received shape "
                f"{values.shape} of {list(names)}. Store their names with the data."
            )
        values = values[:, [names.index(name) for name in self.labels]].astype("float32")
        self._refuse(~np.isfinite(values).all(axis=1), values, segments, "numbers, above 0 where present")
        return (values > 0).astype("float32")

    def _classes(self, values, segments):
        if self.from_scores:
            return sentiment_classes(self._score(values, segments), len(self.labels))
        places = {name: place for place, name in enumerate(self.labels)}
        if values.ndim != 1 or values.dtype.kind != "U":
            raise ValueError(
                f"The target {self.target!r} must hold a name for each segment: received {values.dtype} of shape "
                f"{values.shape}. Write the classes' names."
            )
        found = np.array([places.get(str(value), -1) for value in values], "int64")
        self._refuse(found < 0, values, segments, f"one of {list(self.labels)}")
        return found

    def _score(self, values, segments):
        if values.ndim != 1 or values.dtype.kind not in "iuf":
            raise ValueError(
                f"The target {self.target!r} must hold a number for each segment: received {values.dtype} of shape "
                f"{values.shape}. Store scores from -3 to 3."
            )
        self._refuse(~(np.abs(values.astype("float64")) <= 3.0), values, segments, "a score from -3 to 3")
        return values.astype("float32")

    def _refuse(self, wrong, values, segments, expected):
        if not wrong.any():
            return
        row = int(np.flatnonzero(wrong)[0])
        value = values[row].tolist()
        raise ValueError(
            f"Segment {segments.ids[row]!r}: the target {self.target!r} must be {expected}: received "
            f"{value if value != '' else 'none'}, and {int(wrong.sum())} such segments in all. Correct or drop them."
        )

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return {**asdict(self), "labels": list(self.labels)}

    @classmethod
    def from_dict(cls, values: Mapping) -> "JointTask":
        """The task that `to_dict` described."""
        known = [field.name for field in fields(cls)]
        needed = {"name", "target", "kind"}
        if not isinstance(values, Mapping) or set(values) - set(known) or not needed <= set(values):
            received = sorted(values) if isinstance(values, Mapping) else type(values).__name__
            raise ValueError(f"A joint task must have the keys {known}, the last two optional: received {received}.")
        labels = values.get("labels", ())
        if isinstance(labels, str) or not isinstance(labels, Sequence):
            raise ValueError(f"`labels` must be a list of names: received {labels!r:.60}. Write one.")
        return cls(**{**values, "labels": tuple(labels)})


def mosei_emotion() -> JointTask:
    """CMU-MOSEI's six emotions, present where an annotation is above 0.

    Example:
        >>> mosei_emotion().labels[:3]
        ('happy', 'sad', 'anger')
    """
    return JointTask("mosei_emotion", "emotion", "labels", MOSEI_EMOTIONS)


def mosei_sentiment(classes: int = 7) -> JointTask:
    """CMU-MOSEI's sentiment in 7 or 2 classes of its scores, see `keras_absa.metrics.sentiment_classes`.

    Args:
        classes: 7 or 2. Defaults to 7.

    Example:
        >>> mosei_sentiment(2).labels
        ('negative', 'not negative')
    """
    if classes not in SENTIMENTS:
        raise ValueError(f"`classes` must be one of {list(SENTIMENTS)}: received {classes!r}. Pick one of them.")
    return JointTask(f"mosei_sentiment_{classes}", "sentiment", "classes", SENTIMENTS[classes], from_scores=True)


def mosei_score() -> JointTask:
    """CMU-MOSEI's sentiment as a number from -3 to 3.

    Example:
        >>> mosei_score().outputs
        1
    """
    return JointTask("mosei_score", "sentiment", "score")


def meld_emotion() -> JointTask:
    """MELD's seven emotions, in the order of the public code of TBJE's authors.

    Example:
        >>> meld_emotion().labels[0]
        'neutral'
    """
    return JointTask("meld_emotion", "emotion", "classes", MELD_EMOTIONS)


def meld_sentiment() -> JointTask:
    """MELD's three sentiments.

    Example:
        >>> meld_sentiment().labels
        ('neutral', 'positive', 'negative')
    """
    return JointTask("meld_sentiment", "sentiment", "classes", MELD_SENTIMENTS)
