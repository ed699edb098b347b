"""The area under the ROC curve, defined or with a reason."""

import numpy as np


def roc_auc(is_positive, scores) -> tuple[float, str | None]:
    """The probability that a positive row scores above a negative one; a tie counts one half.

    Computed from mid-ranks (Mann-Whitney U), which are whole or half numbers: the result does not depend on the order
    of the rows, and equals scikit-learn's `roc_auc_score` wherever that is defined.

    Args:
        is_positive: Bools, shape `[N]`.
        scores: Floats, shape `[N]`; larger means more positive.

    Returns:
        `(value, None)`, or `(nan, reason)` with the reason `"no_rows"`, `"zero_mass"` (a score is nan: a ratio of
        two zeros) or `"single_class"`.

    Example:
        >>> roc_auc([False, True, True], [0.1, 0.1, 0.7])
        (0.75, None)
        >>> roc_auc([True, True], [0.2, 0.3])
        (nan, 'single_class')

    Reference:
        Hanley and McNeil 1982, "The meaning and use of the area under a receiver operating characteristic curve".
    """
    is_positive = np.asarray(is_positive, dtype=bool)
    scores = np.asarray(scores, dtype=np.float64)
    if is_positive.shape != scores.shape or scores.ndim != 1:
        raise ValueError(
            f"`is_positive` and `scores` must be two vectors of one length: received shapes {is_positive.shape} and "
            f"{scores.shape}. Pass one score for each row."
        )
    if not scores.size:
        return float("nan"), "no_rows"
    if np.isnan(scores).any():
        return float("nan"), "zero_mass"
    num_positive = int(is_positive.sum())
    num_negative = is_positive.size - num_positive
    if not num_positive or not num_negative:
        return float("nan"), "single_class"
    _, level, copies = np.unique(scores, return_inverse=True, return_counts=True)
    mid_ranks = np.cumsum(copies) - (copies - 1) / 2
    wins = mid_ranks[level][is_positive].sum() - num_positive * (num_positive + 1) / 2
    return float(wins / (num_positive * num_negative)), None
