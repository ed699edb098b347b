"""From a joint encoder's outputs to the numbers that papers report."""

import numpy as np

from keras_absa.metrics.aspect_sentiment import aspect_sentiment_metrics
from keras_absa.metrics.emotion import emotion_metrics
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.scored_rows import mean_or_none
from keras_absa.metrics.sentiment_classes import sentiment_classes


def joint_metrics(task, y_true, outputs) -> MetricReport:
    """Scores the outputs of a `JointTask`: `emotion_metrics` of labels, `class_metrics` of classes, `score_metrics` of scores.

    Args:
        task: The task.
        y_true: What `task.encode` gives.
        outputs: Logits, floats [N, C]; for a score floats [N] or [N, 1].

    Returns:
        A `MetricReport`; the accuracy of the commonest answer, which a model has to beat, stands beside its accuracy.

    Raises:
        ValueError: If shapes do not fit or numbers are not finite.

    Example:
        >>> from keras_absa.data import mosei_score
        >>> report = joint_metrics(mosei_score(), [1.0, -2.0], [[1.5], [-2.0]])
        >>> report["mae"], report["accuracy_2"]
        (0.25, 1.0)
    """
    if task.kind == "labels":
        return emotion_metrics(y_true, outputs, task.labels)
    return score_metrics(y_true, outputs) if task.kind == "score" else class_metrics(y_true, outputs, task.labels)


def class_metrics(y_true, logits, labels) -> MetricReport:
    """Accuracy, F1 and confusion of one class a row, the largest logit's.

    `f1_weighted` is the mean of the classes' F1, weighted by their rows; the others are those of `aspect_sentiment_metrics`.

    Args:
        y_true: Ints [N], places in `labels`.
        logits: Floats [N, C].
        labels: The C names.

    Returns:
        A `MetricReport` with the tables `"labels"` and `"confusion"`.

    Raises:
        ValueError: If shapes do not fit or a logit is not finite.

    Example:
        >>> report = class_metrics([0, 1, 1], [[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]], ("calm", "tense"))
        >>> round(report["accuracy"], 2), round(report["majority_accuracy"], 2)
        (0.67, 0.67)
    """
    logits = _finite(logits, (len(y_true), len(labels)))
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    found = aspect_sentiment_metrics(y_true, shifted / shifted.sum(axis=1, keepdims=True), labels)
    rows, table = found.counts["rows"], found.tables["labels"]
    values, undefined = {"accuracy": found["accuracy"]}, dict(found.undefined)
    if rows:
        gold = [cells["gold"] for cells in table.values()]
        values["majority_accuracy"] = max(gold) / rows
        values["f1_weighted"] = sum(cells["gold"] * cells["f1"] for cells in table.values()) / rows
    else:
        values |= {"majority_accuracy": np.nan, "f1_weighted": np.nan}
        undefined |= {"majority_accuracy": "no_rows", "f1_weighted": "no_rows"}
    return MetricReport({**values, **found}, undefined, found.counts, found.tables)


def score_metrics(y_true, scores) -> MetricReport:
    """Mean absolute error and correlation of scores from -3 to 3, and their classes' accuracy.

    `constant_mae` is that of the gold scores' median, `majority_accuracy_7` and `_2` are those of the commonest class. Scores
    beyond -3 or 3 are taken as these. Two classes are negative and not negative, see `sentiment_classes`.

    Args:
        y_true: Floats [N] from -3 to 3.
        scores: Floats [N] or [N, 1].

    Returns:
        A `MetricReport`; `mae`, `constant_mae` and `correlation` (Pearson's) are no shares.

    Raises:
        ValueError: If shapes do not fit, a score is not finite, or a gold score is out of range.

    Example:
        >>> score_metrics([1.0, -2.0, 0.0], [1.5, -2.0, 0.0])["accuracy_7"]
        0.6666666666666666
    """
    gold = np.asarray(y_true, dtype=np.float64)
    scores = _finite(np.reshape(np.asarray(scores, dtype=np.float64), [-1]), gold.shape)
    scores = np.clip(scores, -3.0, 3.0)
    spread = len(gold) > 1 and gold.std() > 0 and scores.std() > 0
    reason = "no_rows" if not len(gold) else "single_class"
    results = {
        "mae": mean_or_none(np.abs(gold - scores)),
        "constant_mae": mean_or_none(np.abs(gold - np.median(gold)) if len(gold) else gold),
        "correlation": (float(np.corrcoef(gold, scores)[0, 1]), None) if spread else (np.nan, reason),
    }
    for classes in (7, 2):
        wanted, found = sentiment_classes(gold, classes), sentiment_classes(scores, classes)
        results[f"accuracy_{classes}"] = mean_or_none(wanted == found)
        commonest = np.bincount(wanted, minlength=1).argmax()
        results[f"majority_accuracy_{classes}"] = mean_or_none(wanted == commonest)
    undefined = {name: reason for name, (_, reason) in results.items() if reason}
    return MetricReport({name: value for name, (value, _) in results.items()}, undefined, {"rows": len(gold)})


def _finite(values, shape):
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape or not np.isfinite(values).all():
        received = values.shape if values.shape != shape else "numbers that are not finite"
        raise ValueError(
            f"A model's outputs must be finite, of shape {list(shape)}: received {received}. Look at the model."
        )
    return values
