"""The published scorer of SentiHood."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from keras_absa.metrics.calibration_error import calibration_error
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.roc_auc import roc_auc
from keras_absa.metrics.scored_rows import check_rows, complete_groups, confusion_table, mean_or_none

LABELS = ("None", "Positive", "Negative")
ASPECTS = ("general", "price", "safety", "transit-location")
NONE, POSITIVE, NEGATIVE = range(3)


def sentihood_metrics(
    y_true,
    scores,
    y_pred=None,
    groups: Sequence[Hashable] | None = None,
    aspect_ids: Sequence[int] | None = None,
    remainder: str = "error",
) -> MetricReport:
    """Scores predictions the way all papers on SentiHood do, and adds what they leave out.

    A group is one text and one target with the four aspects general, price, safety, transit-location. The published
    numbers are `strict_accuracy` (all four labels right), `macro_f1` (aspects found; groups without a gold aspect
    are skipped), `aspect_auc` (None against the rest), `sentiment_accuracy` and `sentiment_auc` (rows with a gold
    sentiment; P(Negative) over P(Positive) + P(Negative)); an AUC is the mean over the four aspects. Added are
    `aspect_only_strict_accuracy` (polarity does not count), `expected_calibration_error` (15 bins) and the two
    `..._auc_defined_mean`, over those aspects whose AUC is defined.

    Departs from the public code in one thing: where that raises or gives nan, the metric is nan with a reason. A
    row whose two sentiments both have probability 0 has no sentiment, so `sentiment_accuracy` and the AUC of its
    aspect are undefined (`"zero_mass"`).

    Args:
        y_true: Ints, shape `[N]`: 0 None, 1 Positive, 2 Negative.
        scores: Probabilities, shape `[N, 3]`.
        y_pred: Ints, shape `[N]`. Defaults to the largest score, the first one where several are equal.
        groups: One hashable a row that stands for (id, target). With it rows may come in any order. Defaults to the
            layout of the published files: four consecutive rows a group.
        aspect_ids: Ints, shape `[N]`, the place of each row's aspect. Needs `groups`; without it a group's rows
            count in the order in which they come.
        remainder: What to do with an incomplete last group if there are no `groups`: `"error"`, or `"ignore"` as the
            public code does (strict accuracies and F1 leave it out, the others use it).

    Returns:
        A `MetricReport` with the tables `"aspects"` and `"confusion"`.

    Raises:
        ValueError: If shapes or ids do not fit, if scores are not probabilities, or if a group is incomplete.

    Example:
        >>> gold = [0, 1, 0, 2, 0, 2, 0, 1]
        >>> scores = [[0.8, 0.1, 0.1] if label == 0 else [0.2, 0.6, 0.2] for label in gold]
        >>> report = sentihood_metrics(gold, scores)
        >>> report["strict_accuracy"], report["macro_f1"], report["sentiment_accuracy"]
        (0.0, 1.0, 0.5)
        >>> report.undefined["sentiment_auc"]
        'no_rows'

    Reference:
        Saeidi et al. 2016, "SentiHood: Targeted Aspect Based Sentiment Analysis Dataset for Urban Neighbourhoods",
        section 5; the definitions are those of the code of Sun, Huang and Qiu 2019.
    """
    y_true, scores, y_pred = check_rows(y_true, scores, y_pred, len(LABELS))
    members, aspects = complete_groups(len(y_true), len(ASPECTS), groups, aspect_ids, remainder)
    gold, pred = y_true[members], y_pred[members]  # [G, 4]
    with np.errstate(invalid="ignore"):
        negativity = scores[:, NEGATIVE] / (scores[:, NEGATIVE] + scores[:, POSITIVE])  # 0 / 0 is nan
    has_gold = y_true != NONE
    hits = (negativity > 0.5) == (y_true == NEGATIVE)  # a tie is positive

    results = {
        "strict_accuracy": mean_or_none((gold == pred).all(axis=1)),
        "macro_f1": _macro_f1(gold != NONE, pred != NONE),
        "sentiment_accuracy": _sentiment_accuracy(hits[has_gold], negativity[has_gold]),
        "aspect_only_strict_accuracy": mean_or_none(((gold != NONE) == (pred != NONE)).all(axis=1)),
    }
    table = {}
    for place, aspect in enumerate(ASPECTS):
        here = aspects == place
        told = here & has_gold
        table[aspect] = {
            "rows": int(here.sum()),
            "gold": int(told.sum()),
            "predicted": int((here & (y_pred != NONE)).sum()),
            "accuracy": mean_or_none(y_true[here] == y_pred[here]),
            "aspect_auc": roc_auc(y_true[here] == NONE, scores[here, NONE]),
            "sentiment_accuracy": _sentiment_accuracy(hits[told], negativity[told]),
            "sentiment_auc": roc_auc(y_true[told] == NEGATIVE, negativity[told]),
        }
    for name in ("aspect_auc", "sentiment_auc"):
        parts = [cells[name] for cells in table.values()]
        results[name] = _mean_of_all(parts)
        results[f"{name}_defined_mean"] = _mean_of_all([part for part in parts if part[1] is None])
    order = ("strict_accuracy", "macro_f1", "aspect_auc", "sentiment_accuracy", "sentiment_auc")
    results = {name: results[name] for name in (*order, *(name for name in results if name not in order))}

    results["expected_calibration_error"] = calibration_error(y_true, scores, y_pred)
    undefined = {name: reason for name, (_, reason) in results.items() if reason}
    for aspect, cells in table.items():
        for name, cell in cells.items():
            if isinstance(cell, tuple):
                cells[name] = cell[0]
                if cell[1]:
                    undefined[f"aspects/{aspect}/{name}"] = cell[1]
    counts = {
        "rows": len(y_true),
        "groups": len(members),
        "groups_without_gold": int((gold == NONE).all(axis=1).sum()),
        "rows_outside_groups": len(y_true) - members.size,
        "sentiment_rows": int(has_gold.sum()),
        "zero_mass_rows": int(np.isnan(negativity[has_gold]).sum()),
        "undefined_aspect_aucs": sum(math.isnan(cells["aspect_auc"]) for cells in table.values()),
        "undefined_sentiment_aucs": sum(math.isnan(cells["sentiment_auc"]) for cells in table.values()),
    }
    tables = {"aspects": table, "confusion": confusion_table(y_true, y_pred, LABELS)}
    return MetricReport({name: value for name, (value, _) in results.items()}, undefined, counts, tables)


def _macro_f1(gold, pred):
    """Harmonic mean of mean precision and mean recall over the groups with a gold aspect; bools `[G, 4]`."""
    told = gold.any(axis=1)
    if not told.any():
        return float("nan"), "no_rows"
    both = (gold & pred)[told].sum(axis=1)
    # `fsum` is exact, so that the order of the groups does not show in the last digit.
    precision = math.fsum(both / np.maximum(pred[told].sum(axis=1), 1)) / len(both)
    recall = math.fsum(both / gold[told].sum(axis=1)) / len(both)
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), None


def _sentiment_accuracy(hits, negativity):
    return (float("nan"), "zero_mass") if np.isnan(negativity).any() else mean_or_none(hits)


def _mean_of_all(parts):
    reasons = {reason for _, reason in parts}
    for reason in ("no_rows", "zero_mass", "single_class"):  # the public code stops at the first two
        if reason in reasons or not parts:
            return float("nan"), reason
    return math.fsum(value for value, _ in parts) / len(parts), None
