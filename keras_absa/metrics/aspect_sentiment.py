"""A scorer for any set of aspects and labels."""

from collections.abc import Hashable, Sequence

import numpy as np

from keras_absa.metrics.calibration_error import calibration_error
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.scored_rows import check_rows, confusion_table, mean_or_none, rows_by_group


def aspect_sentiment_metrics(
    y_true,
    scores,
    labels: Sequence[str],
    none_label: str | None = None,
    groups: Sequence[Hashable] | None = None,
    aspect_ids: Sequence[int] | None = None,
    aspects: Sequence[str] | None = None,
    y_pred=None,
) -> MetricReport:
    """Scores predictions of a task that has no published scorer of its own.

    Always: `accuracy`, `macro_f1` (the mean over the labels that occur in gold or prediction; the others are left out
    and counted), `expected_calibration_error` (15 bins of equal width). With `groups`: `strict_accuracy`, the share
    of groups with every row right. With `none_label`: `aspect_precision`, `aspect_recall` and `aspect_f1` of rows that
    are not none (0 where a denominator is 0), and `sentiment_accuracy`, the best label other than none over the rows
    whose gold label is not none.

    Args:
        y_true: Ints, shape `[N]`, places in `labels`.
        scores: Probabilities, shape `[N, C]`.
        labels: The C label names in id order.
        none_label: The label for "not mentioned". Defaults to `None`: there is no such label.
        groups: One hashable a row, for example the text's id. Groups may have any size.
        aspect_ids: Ints, shape `[N]`, for the per-aspect table.
        aspects: Names for `aspect_ids`. Defaults to the ids themselves.
        y_pred: Ints, shape `[N]`. Defaults to the largest score, the first one where several are equal.

    Returns:
        A `MetricReport` with the tables `"labels"`, `"confusion"` and, with `aspect_ids`, `"aspects"`.

    Raises:
        ValueError: If shapes or ids do not fit, if scores are not probabilities, or if `none_label` is no label.

    Example:
        >>> report = aspect_sentiment_metrics([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], ("bad", "good"))
        >>> round(report["accuracy"], 3), round(report["macro_f1"], 3)
        (0.667, 0.667)

    Reference:
        Calibration: Guo et al. 2017, "On Calibration of Modern Neural Networks", equation 3.
    """
    labels = tuple(labels)
    y_true, scores, y_pred = check_rows(y_true, scores, y_pred, len(labels))
    if none_label is not None and none_label not in labels:
        raise ValueError(f"`none_label` must be one of {list(labels)}: received {none_label!r}. Pass None without one.")
    if aspects is not None and aspect_ids is None:
        raise ValueError("`aspects` names the `aspect_ids`: received names without ids. Pass the ids too.")
    label_table = _label_table(y_true, y_pred, labels)
    seen = [cells["f1"] for cells in label_table.values() if cells["gold"] or cells["predicted"]]
    results = {"accuracy": mean_or_none(y_true == y_pred), "macro_f1": mean_or_none(np.asarray(seen))}
    counts = {"rows": len(y_true), "labels_left_out": len(labels) - len(seen)}
    if groups is not None:
        rows_of = rows_by_group(groups, len(y_true))
        results["strict_accuracy"] = mean_or_none([(y_true[rows] == y_pred[rows]).all() for rows in rows_of.values()])
        counts["groups"] = len(rows_of)
    if none_label is not None:
        results.update(_detection(y_true, scores, y_pred, labels.index(none_label)))
        counts["sentiment_rows"] = int((y_true != labels.index(none_label)).sum())
    results["expected_calibration_error"] = calibration_error(y_true, scores, y_pred)
    undefined = {name: reason for name, (_, reason) in results.items() if reason}

    tables = {"labels": label_table, "confusion": confusion_table(y_true, y_pred, labels)}
    if aspect_ids is not None:
        aspect_ids = np.asarray(aspect_ids, dtype=np.int64)
        names = _aspect_names(aspect_ids, aspects, len(y_true))
        tables["aspects"] = {}
        for place, aspect in names.items():
            here = aspect_ids == place
            cells = {"accuracy": mean_or_none(y_true[here] == y_pred[here])}
            if none_label is not None:
                cells.update(_detection(y_true[here], scores[here], y_pred[here], labels.index(none_label)))
            undefined.update({f"aspects/{aspect}/{name}": reason for name, (_, reason) in cells.items() if reason})
            tables["aspects"][aspect] = {"rows": int(here.sum()), **{name: value for name, (value, _) in cells.items()}}
    return MetricReport({name: value for name, (value, _) in results.items()}, undefined, counts, tables)


def _label_table(y_true, y_pred, labels):
    table = {}
    for place, label in enumerate(labels):
        gold, pred = y_true == place, y_pred == place
        precision, recall, f1 = _precision_recall_f1(gold, pred)
        counts = {"gold": int(gold.sum()), "predicted": int(pred.sum())}
        table[label] = {**counts, "precision": precision, "recall": recall, "f1": f1}
    return table


def _detection(y_true, scores, y_pred, none_id):
    gold, pred = y_true != none_id, y_pred != none_id
    found = zip(("aspect_precision", "aspect_recall", "aspect_f1"), _precision_recall_f1(gold, pred), strict=True)
    sentiments = scores.copy()
    sentiments[:, none_id] = -1.0
    hits = (sentiments.argmax(axis=1) == y_true)[gold]
    return {**{name: (value, None) for name, value in found}, "sentiment_accuracy": mean_or_none(hits)}


def _precision_recall_f1(gold, pred):
    both, num_gold, num_pred = int((gold & pred).sum()), int(gold.sum()), int(pred.sum())
    f1 = 2 * both / (num_gold + num_pred) if both else 0.0
    return both / max(num_pred, 1), both / max(num_gold, 1), f1


def _aspect_names(aspect_ids, aspects, num_rows):
    if aspect_ids.shape != (num_rows,):
        raise ValueError(f"`aspect_ids` must have one entry for each of {num_rows} rows: received {aspect_ids.shape}.")
    if aspects is None:
        return {int(place): str(place) for place in np.unique(aspect_ids)}
    wrong = np.flatnonzero((aspect_ids < 0) | (aspect_ids >= len(aspects)))
    if wrong.size:
        raise ValueError(
            f"`aspect_ids` must be places in {list(aspects)}: received {aspect_ids[wrong[0]]} in row {wrong[0]}."
        )
    return dict(enumerate(aspects))
