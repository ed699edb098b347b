"""How far confidence and accuracy are apart."""

import math

import numpy as np

NUM_BINS = 15


def calibration_error(y_true, scores, y_pred) -> tuple[float, str | None]:
    """The expected calibration error: the mean gap between confidence and accuracy, weighted by the rows of each bin.

    Args:
        y_true: Int array [N].
        scores: Probabilities [N, C].
        y_pred: Int array [N]; a row's confidence is the probability of its prediction.

    Returns:
        (value, None), or (nan, "no_rows"). There are 15 bins of equal width, open on the left.

    Reference:
        Guo et al. 2017, "On Calibration of Modern Neural Networks", equation 3.
    """
    if not len(y_true):
        return float("nan"), "no_rows"
    confidence = scores[np.arange(len(y_true)), y_pred]
    bins = np.clip(np.ceil(confidence * NUM_BINS).astype(int) - 1, 0, NUM_BINS - 1)
    gaps = (y_true == y_pred) - confidence
    # Exact sums, so that the order of the rows does not show in the last digit.
    return math.fsum(abs(math.fsum(gaps[bins == place])) for place in range(NUM_BINS)) / len(y_true), None
