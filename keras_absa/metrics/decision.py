"""From probabilities to a label."""

import numpy as np


def decide(probabilities, none_id: int | None = None, none_threshold: float | None = None) -> np.ndarray:
    """The label of each row: the most probable one, or with a threshold "none" by a rule of its own.

    With `none_threshold` a row is "none" if the probability of none is at least the threshold; else it is the most
    probable of the other labels, however probable none is. A higher threshold finds more aspects.

    Args:
        probabilities: Float [..., C].
        none_id: Int, the place of the none label; needed with a threshold.
        none_threshold: Float between 0 and 1. Defaults to None, no rule of its own.

    Returns:
        Int [...], the first of equally probable labels.

    Raises:
        ValueError: If there is a threshold without a none label.

    Example:
        >>> decide([[0.6, 0.3, 0.1], [0.9, 0.0, 0.1]], none_id=0, none_threshold=0.8).tolist()
        [1, 0]
    """
    probabilities = np.asarray(probabilities)
    if none_threshold is None:
        return probabilities.argmax(axis=-1)
    if none_id is None:
        raise ValueError(
            "`none_threshold` needs a task with a `none_label`: received a threshold without. Leave it out."
        )
    others = probabilities.copy()
    others[..., none_id] = -1.0
    return np.where(probabilities[..., none_id] >= none_threshold, none_id, others.argmax(axis=-1))
