"""The published scorer of SemEval-2014 task 4, aspect categories."""

from collections.abc import Hashable, Sequence

import numpy as np

from keras_absa.metrics.calibration_error import calibration_error
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.scored_rows import check_rows, complete_groups, confusion_table, mean_or_none

LABELS = ("positive", "neutral", "negative", "conflict", "none")
ASPECTS = ("price", "anecdotes", "food", "ambience", "service")
POSITIVE, NEUTRAL, NEGATIVE, CONFLICT, NONE = range(5)


def semeval2014_metrics(
    y_true,
    scores,
    y_pred=None,
    groups: Sequence[Hashable] | None = None,
    aspect_ids: Sequence[int] | None = None,
    remainder: str = "error",
) -> MetricReport:
    """Scores predictions the way the papers on SemEval-2014 restaurants do.

    A group is one sentence with the five categories price, anecdotes, food, ambience, service. `precision`,
    `recall` and `f1` count categories found, whatever their polarity, over all sentences that have one; a
    denominator of zero gives 0, as in the public code. `accuracy_4way`, `accuracy_3way` and `accuracy_2way` count
    polarities over the rows whose gold label is among the first four, three (no conflict) and two (positive and
    negative); a prediction outside that set is replaced by the set's best score. Added are `strict_accuracy` (all
    five labels of a sentence right), `aspect_only_strict_accuracy` and `expected_calibration_error` (15 bins).

    Args:
        y_true: Ints, shape `[N]`: 0 positive, 1 neutral, 2 negative, 3 conflict, 4 none.
        scores: Probabilities, shape `[N, 5]`.
        y_pred: Ints, shape `[N]`. Defaults to the largest score, the first one where several are equal.
        groups: One hashable a row that stands for the sentence. With it rows may come in any order. Defaults to
            five consecutive rows a group.
        aspect_ids: Ints, shape `[N]`, the place of each row's category. Needs `groups`.
        remainder: What to do with an incomplete last group if there are no `groups`: `"error"`, or `"ignore"` as the
            public code does (P, R, F1 leave it out, the accuracies use it).

    Returns:
        A `MetricReport` with the tables `"aspects"` and `"confusion"`.

    Raises:
        ValueError: If shapes or ids do not fit, if scores are not probabilities, or if a group is incomplete.

    Example:
        >>> gold = [4, 4, 0, 4, 2]
        >>> scores = [[0.1, 0.1, 0.1, 0.1, 0.6], [0.1, 0.1, 0.1, 0.1, 0.6], [0.6, 0.1, 0.1, 0.1, 0.1],
        ...           [0.6, 0.1, 0.1, 0.1, 0.1], [0.2, 0.1, 0.3, 0.0, 0.4]]
        >>> report = semeval2014_metrics(gold, scores)
        >>> report["precision"], report["recall"], report["accuracy_4way"]
        (0.5, 0.5, 1.0)

    Reference:
        Pontiki et al. 2014, "SemEval-2014 Task 4: Aspect Based Sentiment Analysis", subtasks 3 and 4; the three
        accuracies and their replacements are those of the code of Sun, Huang and Qiu 2019.
    """
    y_true, scores, y_pred = check_rows(y_true, scores, y_pred, len(LABELS))
    members, aspects = complete_groups(len(y_true), len(ASPECTS), groups, aspect_ids, remainder)
    gold, pred = y_true[members], y_pred[members]  # [G, 5]

    told = (gold != NONE).any(axis=1)
    precision, recall, f1 = _found(gold[told] != NONE, pred[told] != NONE)
    results = {"precision": (precision, None), "recall": (recall, None), "f1": (f1, None)}
    sets = {
        "accuracy_4way": (POSITIVE, NEUTRAL, NEGATIVE, CONFLICT),
        "accuracy_3way": (POSITIVE, NEUTRAL, NEGATIVE),
        "accuracy_2way": (POSITIVE, NEGATIVE),
    }
    hits = {name: y_true == _within(y_pred, scores, allowed) for name, allowed in sets.items()}
    eligible = {name: np.isin(y_true, allowed) for name, allowed in sets.items()}
    for name in sets:
        results[name] = mean_or_none(hits[name][eligible[name]])
    results["strict_accuracy"] = mean_or_none((gold == pred).all(axis=1))
    results["aspect_only_strict_accuracy"] = mean_or_none(((gold != NONE) == (pred != NONE)).all(axis=1))
    results["expected_calibration_error"] = calibration_error(y_true, scores, y_pred)
    undefined = {name: reason for name, (_, reason) in results.items() if reason}

    table = {}
    for place, aspect in enumerate(ASPECTS):
        found = _found(gold[told, place] != NONE, pred[told, place] != NONE)
        here = aspects == place
        table[aspect] = {
            "rows": int(here.sum()),
            "gold": int((here & (y_true != NONE)).sum()),
            "predicted": int((here & (y_pred != NONE)).sum()),
            **dict(zip(("precision", "recall", "f1"), found, strict=True)),
        }
        for name in sets:
            table[aspect][name], reason = mean_or_none(hits[name][here & eligible[name]])
            if reason:
                undefined[f"aspects/{aspect}/{name}"] = reason
    counts = {
        "rows": len(y_true),
        "groups": len(members),
        "groups_without_gold": int((~told).sum()),
        "rows_outside_groups": len(y_true) - members.size,
        **{name.replace("accuracy", "rows"): int(rows.sum()) for name, rows in eligible.items()},
    }
    tables = {"aspects": table, "confusion": confusion_table(y_true, y_pred, LABELS)}
    return MetricReport({name: value for name, (value, _) in results.items()}, undefined, counts, tables)


def _within(y_pred, scores, allowed):
    """The prediction, or the best of the allowed labels where it is none of them; the first of equal ones."""
    best = np.asarray(allowed)[scores[:, allowed].argmax(axis=1)]
    return np.where(np.isin(y_pred, allowed), y_pred, best)


def _found(gold, pred):
    """Precision, recall and F1 of bools; zero denominators give 0."""
    both, num_gold, num_pred = int((gold & pred).sum()), int(gold.sum()), int(pred.sum())
    precision, recall = both / max(num_pred, 1), both / max(num_gold, 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0
