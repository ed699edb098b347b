"""Scores of several emotions at once, each present or absent, as papers on CMU-MOSEI report them."""

from collections.abc import Sequence

import numpy as np

from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.scored_rows import mean_or_none


def emotion_metrics(y_true, logits, labels: Sequence[str]) -> MetricReport:
    """Scores logits of labels that may stand together; one is present where its logit is above 0.

    `accuracy` is the mean over rows and labels, which a constant "absent" makes high where emotions are rare:
    `majority_accuracy`, the accuracy of each label's commoner answer, stands beside it. `exact_match` is the share of rows with
    every label right. `f1_micro`, `f1_macro` and `f1_weighted` (by support) are of the presence; a denominator of zero gives 0.

    The table `"labels"` has for each label `present` rows, `accuracy`, `majority_accuracy`, `f1_positive` of its presence,
    `f1_weighted`, the mean of the F1 of presence and absence weighted by their rows, which is what the TBJE paper's tables
    hold, and `weighted_accuracy`, (TP N / P + TN) / (2 N) with P rows where it is present and N where it is not, of earlier
    papers. Never compare one of these with another.

    Args:
        y_true: 0 or 1, shape `[N, C]`.
        logits: Floats, shape `[N, C]`.
        labels: The C names.

    Returns:
        A `MetricReport` with the table `"labels"`.

    Raises:
        ValueError: If shapes do not fit, a label is neither 0 nor 1, or a logit is not finite.

    Example:
        >>> report = emotion_metrics([[1, 0], [0, 0]], [[0.3, -1.0], [0.2, -2.0]], ("happy", "fear"))
        >>> report["accuracy"], report["exact_match"], report.tables["labels"]["fear"]["accuracy"]
        (0.75, 0.5, 1.0)

    Reference:
        Delbrouck et al. 2020, Table 1, and its public code; weighted accuracy as in earlier papers on CMU-MOSEI.
    """
    gold, claimed = _checked(y_true, logits, labels)
    present, absent = gold.sum(axis=0), (1 - gold).sum(axis=0)
    hits = (gold & claimed).sum(axis=0)
    f1_present = _f1(hits, present, claimed.sum(axis=0))
    f1_absent = _f1(((1 - gold) & (1 - claimed)).sum(axis=0), absent, (1 - claimed).sum(axis=0))
    majority = np.maximum(present, absent)

    table, undefined = {}, {}
    for place, name in enumerate(labels):
        rows = {
            "accuracy": mean_or_none(gold[:, place] == claimed[:, place]),
            "majority_accuracy": _share(majority[place], len(gold)),
            "f1_positive": (float(f1_present[place]), None),
            "f1_weighted": _share(present[place] * f1_present[place] + absent[place] * f1_absent[place], len(gold)),
            "weighted_accuracy": _weighted_accuracy(gold[:, place], claimed[:, place]),
        }
        table[name] = {"present": int(present[place]), **{key: value for key, (value, _) in rows.items()}}
        undefined |= {f"labels/{name}/{key}": reason for key, (_, reason) in rows.items() if reason}
    results = {
        "accuracy": mean_or_none((gold == claimed).reshape(-1)),
        "majority_accuracy": _share(majority.sum(), gold.size),
        "exact_match": mean_or_none((gold == claimed).all(axis=1)),
        "f1_micro": (float(_f1(hits.sum(), present.sum(), claimed.sum())), None),
        "f1_macro": (float(f1_present.mean()), None),
        "f1_weighted": _share((present * f1_present).sum(), present.sum()),
    }
    undefined |= {name: reason for name, (_, reason) in results.items() if reason}
    values = {name: value for name, (value, _) in results.items()}
    return MetricReport(values, undefined, {"rows": len(gold)}, {"labels": table})


def _checked(y_true, logits, labels):
    gold, logits = np.asarray(y_true), np.asarray(logits, dtype=np.float64)
    size = len(tuple(labels))
    if gold.ndim != 2 or gold.shape != logits.shape or gold.shape[1] != size:
        raise ValueError(
            f"`y_true` and `logits` must have shape [rows, labels] with {size} labels: received {gold.shape} and "
            f"{logits.shape}. Pass a column for each name."
        )
    if not np.isin(gold, (0, 1)).all():
        raise ValueError(
            f"`y_true` must hold 0 and 1: received {np.unique(gold[~np.isin(gold, (0, 1))])[:5].tolist()}. An annotation "
            "above 0 is presence: pass `annotations > 0`."
        )
    bad = np.argwhere(~np.isfinite(logits))
    if len(bad):
        raise ValueError(
            f"`logits` must be finite: received {logits[tuple(bad[0])]} in row {bad[0][0]}. Look at the model."
        )
    return gold.astype(np.int64), (logits > 0).astype(np.int64)


def _f1(hits, gold, claimed):
    total = np.asarray(gold + claimed, dtype=np.float64)
    return np.divide(2.0 * hits, total, out=np.zeros_like(total), where=total > 0)


def _share(part, whole):
    return (float(part) / whole, None) if whole else (float("nan"), "no_rows")


def _weighted_accuracy(gold, claimed):
    positives, negatives = gold.sum(), (1 - gold).sum()
    if not positives or not negatives:
        return float("nan"), "single_class"
    hits, correct_negatives = (gold & claimed).sum(), ((1 - gold) & (1 - claimed)).sum()
    return float((hits * negatives / positives + correct_negatives) / (2 * negatives)), None
