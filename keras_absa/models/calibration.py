"""Probabilities that can be trusted: a temperature, and a threshold for "none", fitted on development rows.

Shapes: N rows, C labels.
"""

import warnings

import numpy as np

GOLDEN_RATIO = (5**0.5 - 1) / 2
TEMPERATURES = (0.05, 20.0)


def fit_temperature(probabilities_at, labels: np.ndarray) -> float:
    """The temperature at which the labels are most likely, found to a thousandth by golden-section search.

    Args:
        probabilities_at: A function from a temperature to float [N, C].
        labels: Int [N], the right labels.

    Returns:
        A number between 0.05 and 20. Above 1 the model was too sure of itself, below 1 not sure enough.

    Reference:
        Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2.
    """

    def surprise(log_temperature):
        chosen = probabilities_at(float(np.exp(log_temperature)))[np.arange(len(labels)), labels]
        return -np.mean(np.log(np.maximum(chosen.astype("float64"), 1e-30)))

    low, high = np.log(TEMPERATURES)
    left, right = high - GOLDEN_RATIO * (high - low), low + GOLDEN_RATIO * (high - low)
    at_left, at_right = surprise(left), surprise(right)
    while high - low > 1e-3:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN_RATIO * (high - low)
            at_left = surprise(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN_RATIO * (high - low)
            at_right = surprise(right)
    temperature = float(np.exp((low + high) / 2))
    if not TEMPERATURES[0] * 1.01 < temperature < TEMPERATURES[1] / 1.01:
        warnings.warn(
            f"The best temperature lies outside {TEMPERATURES}: the development rows are too few, or all right or wrong, to "
            "calibrate on. Use more of them.",
            stacklevel=3,
        )
    return temperature


def fit_none_threshold(report_at, metric: str) -> float:
    """The threshold of 0.05, 0.1 to 0.95 with the best score; of equal ones the nearest to 0.5.

    Args:
        report_at: A function from a threshold (None for none) to a `MetricReport`.
        metric: The metric to maximise.

    Raises:
        ValueError: If there is no such score, or it is undefined on these rows.
    """
    plain = report_at(None)
    scores = [name for name in plain if name != "expected_calibration_error"]
    if metric not in scores:
        raise ValueError(f"`threshold_metric` must be one of {scores}: received {metric!r}. Pick one of them.")
    thresholds = sorted(np.round(np.arange(1, 20) * 0.05, 2).tolist(), key=lambda each: (abs(each - 0.5), each))
    found = {each: report_at(each)[metric] for each in thresholds}
    if all(np.isnan(value) for value in found.values()):
        reason = plain.undefined.get(metric, "undefined")
        raise ValueError(
            f"{metric!r} must be defined on the rows to fit a threshold: it is not, {reason}. Give more rows."
        )
    return max(thresholds, key=lambda each: np.nan_to_num(found[each], nan=-np.inf))
