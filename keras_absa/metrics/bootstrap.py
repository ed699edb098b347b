"""How far a metric would move on other texts of the same kind."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from keras_absa.metrics.scored_rows import rows_by_group


class Interval(NamedTuple):
    """A metric with the ends of its interval, and in how many of the draws it was undefined.

    Example:
        >>> Interval(value=0.8, low=0.7, high=0.9, undefined_draws=0).low
        0.7
    """

    value: float
    low: float
    high: float
    undefined_draws: int


def bootstrap_intervals(
    metric_fn: Callable[[np.ndarray, np.ndarray], Mapping[str, float]],
    groups_by_text: Sequence[Hashable],
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Percentile intervals from drawing whole texts with replacement.

    The rows of a text stand or fall together, so drawing single rows would give intervals that are too narrow.

    Args:
        metric_fn: Called with `(rows, draws)`, two int arrays of one length: the rows of the drawn texts, and the
            number of the draw each belongs to. A text that is drawn twice comes with two draw numbers, so that
            `(draw, group)` keeps its copies apart. Returns a metric name to float mapping.
        groups_by_text: One hashable a row: which text it belongs to.
        n: Int, how many times a test set is drawn. Defaults to 1000.
        seed: Int. Defaults to 0.
        level: Float, the share of the draws inside the interval. Defaults to 0.95.

    Returns:
        Metric name to `Interval`; draws in which the metric is nan are left out and counted.

    Raises:
        ValueError: If there are no rows, or `n` or `level` make no sense.

    Example:
        >>> right = np.array([1.0, 1.0, 0.0, 1.0])
        >>> intervals = bootstrap_intervals(lambda rows, draws: {"accuracy": right[rows].mean()}, ["a", "a", "b", "c"])
        >>> intervals["accuracy"].value
        0.75

    Reference:
        Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13 (percentile intervals).
    """
    if n < 1 or not 0 < level < 1:
        raise ValueError(f"`n` must be positive and `level` between 0 and 1: received {n} and {level}.")
    blocks = [np.asarray(rows) for rows in rows_by_group(groups_by_text, len(groups_by_text)).values()]
    if not blocks:
        raise ValueError("`groups_by_text` must not be empty: received no rows. Pass the text of every row.")
    value = _call(metric_fn, blocks)
    random = np.random.default_rng(seed)
    draws = [_call(metric_fn, [blocks[i] for i in random.integers(len(blocks), size=len(blocks))]) for _ in range(n)]
    tail = (1 - level) / 2
    intervals = {}
    for name in value:
        defined = [draw[name] for draw in draws if not math.isnan(draw[name])]
        low, high = np.quantile(defined, (tail, 1 - tail)).tolist() if defined else (float("nan"),) * 2
        intervals[name] = Interval(float(value[name]), low, high, n - len(defined))
    return intervals


def _call(metric_fn, blocks):
    numbers = np.repeat(np.arange(len(blocks)), [len(rows) for rows in blocks])
    return metric_fn(np.concatenate(blocks), numbers)
