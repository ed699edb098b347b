"""From examples and probabilities to the numbers that their task is scored by."""

from collections.abc import Sequence

import numpy as np

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.metrics import semeval2014, sentihood
from keras_absa.metrics.aspect_sentiment import aspect_sentiment_metrics
from keras_absa.metrics.bootstrap import Interval, bootstrap_intervals
from keras_absa.metrics.decision import decide
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.scored_rows import check_rows

PUBLISHED = {
    "sentihood": (sentihood.sentihood_metrics, sentihood.LABELS, sentihood.ASPECTS),
    "semeval2014": (semeval2014.semeval2014_metrics, semeval2014.LABELS, semeval2014.ASPECTS),
}
SCORERS = (*PUBLISHED, "aspect_sentiment")


def task_metrics(
    task: AspectTask, examples: Sequence[AspectExample], probabilities, none_threshold: float | None = None
) -> MetricReport:
    """Scores a model's probabilities with the task's own scorer (`task.metrics`).

    Rows may come in any order: they are grouped by id (and target, for SentiHood), or by text where an example has
    no id.

    Args:
        task: The task that the examples belong to.
        examples: N labelled examples.
        probabilities: Floats, shape `[N, C]`, in the order of `task.labels`.
        none_threshold: Float, see `decide`. Defaults to None: the most probable label is the prediction.

    Returns:
        The `MetricReport` of `sentihood_metrics`, `semeval2014_metrics` or `aspect_sentiment_metrics`.

    Raises:
        ValueError: If an example has no label or an unknown one (the message names its source), if there is no such
            scorer or it does not fit the task, or for whatever the scorer refuses.

    Example:
        >>> task = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))
        >>> rows = [AspectExample("Cheap!", "price", "good"), AspectExample("Rude.", "staff", "bad")]
        >>> task_metrics(task, rows, [[0.2, 0.8], [0.6, 0.4]])["accuracy"]
        1.0

    Reference:
        See the three scorers.
    """
    y_pred = None
    if none_threshold is not None:
        none_id = None if task.none_label is None else task.label_id(task.none_label)
        y_pred = decide(probabilities, none_id, none_threshold)
    return _score(task, *_columns(task, examples), probabilities, y_pred)


def constant_baseline(task: AspectTask, examples: Sequence[AspectExample]) -> MetricReport:
    """The metrics of a model that says the same for every row: what a trained model has to beat.

    It predicts `task.none_label` or, in a task without one, the most frequent label of `examples`, with probability
    0.5 (0.75 if there are two labels); the other labels share the rest, earlier ones more.

    Args:
        task: The task that the examples belong to.
        examples: N labelled examples.

    Returns:
        A `MetricReport`, as `task_metrics` gives.

    Raises:
        ValueError: As `task_metrics` does.

    Example:
        >>> task = AspectTask("shop", aspects=("price",), labels=("bad", "good"))
        >>> rows = [AspectExample("Cheap!", "price", "good"), AspectExample("Fair.", "price", "good")]
        >>> constant_baseline(task, rows)["accuracy"]
        1.0

    Reference:
        Chance level on the two published test sets: `full_split` in `tests/golden/absa_metrics.json`.
    """
    y_true, groups, aspect_ids = _columns(task, examples)
    if task.none_label is not None:
        answer = task.label_id(task.none_label)
    else:
        answer = int(np.bincount(y_true, minlength=len(task.labels)).argmax())
    size = len(task.labels)
    top = {1: 1.0, 2: 0.75}.get(size, 0.5)
    others = np.arange(size - 1, 0, -1) / max(1, size * (size - 1) / 2) * (1 - top)
    return _score(task, y_true, groups, aspect_ids, np.tile(np.insert(others, answer, top), (len(y_true), 1)))


def task_intervals(
    task: AspectTask,
    examples: Sequence[AspectExample],
    probabilities,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Bootstrap intervals for every metric of `task_metrics`; texts are drawn, with all their rows.

    Args:
        task: The task that the examples belong to.
        examples: N labelled examples.
        probabilities: Floats, shape `[N, C]`, in the order of `task.labels`.
        n: Int, number of draws. Defaults to 1000.
        seed: Int. Defaults to 0.
        level: Float, the share of the draws inside the interval. Defaults to 0.95.

    Returns:
        Metric name to `Interval(value, low, high, undefined_draws)`.

    Raises:
        ValueError: As `task_metrics` and `bootstrap_intervals` do.

    Example:
        >>> task = AspectTask("shop", aspects=("price",), labels=("bad", "good"))
        >>> rows = [AspectExample("Cheap!", "price", "good"), AspectExample("Dear.", "price", "bad")]
        >>> task_intervals(task, rows, [[0.2, 0.8], [0.3, 0.7]], n=100)["accuracy"].high
        1.0

    Reference:
        See `bootstrap_intervals`.
    """
    y_true, groups, aspect_ids = _columns(task, examples)
    _, scores, _ = check_rows(y_true, probabilities, None, len(task.labels))
    numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    group_ids = np.array([numbers[group] for group in groups], dtype=np.int64)

    def metric_fn(rows, draws):
        copies = draws * len(numbers) + group_ids[rows]
        return _score(task, y_true[rows], copies, aspect_ids[rows], scores[rows])

    return bootstrap_intervals(metric_fn, [_text_key(example) for example in examples], n, seed, level)


def _columns(task, examples):
    """Label ids `[N]`, group keys and aspect ids `[N]` of the examples."""
    if task.metrics not in SCORERS:
        raise ValueError(
            f"`task.metrics` must be one of {list(SCORERS)}: received {task.metrics!r} in task {task.name!r}. "
            "Use 'aspect_sentiment' for labels of your own."
        )
    y_true, groups, aspect_ids = [], [], []
    for row, example in enumerate(examples):
        where = example.source or f"row {row}"
        if example.label is None:
            raise ValueError(
                f"{where}: an example must have a label to be scored: received none. Label it, or leave it."
            )
        try:
            y_true.append(task.label_id(example.label))
            aspect_ids.append(task.context_id(example.target, example.aspect) % max(1, len(task.aspects)))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        key = _text_key(example)
        groups.append((*key, example.target) if task.metrics == "sentihood" else key)
    return np.array(y_true, dtype=np.int64), groups, np.array(aspect_ids, dtype=np.int64)


def _text_key(example):
    """Ids are unique inside a split only."""
    return example.split, example.id or example.text


def _score(task, y_true, groups, aspect_ids, probabilities, y_pred=None):
    if task.metrics in PUBLISHED:
        scorer, labels, aspects = PUBLISHED[task.metrics]
        if task.labels != labels or task.aspects != aspects:
            raise ValueError(
                f"The scorer {task.metrics!r} needs the labels {list(labels)} and the aspects {list(aspects)}, in this "
                f"order: received {list(task.labels)} and {list(task.aspects)} in task {task.name!r}. Use the scorer "
                "'aspect_sentiment'."
            )
        return scorer(y_true, probabilities, groups=groups, aspect_ids=aspect_ids, y_pred=y_pred)
    per_aspect = (None, None) if task.open_aspects else (aspect_ids, task.aspects)
    return aspect_sentiment_metrics(
        y_true, probabilities, task.labels, task.none_label, groups, *per_aspect, y_pred=y_pred
    )
