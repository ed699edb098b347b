"""Classes of CMU-MOSEI's sentiment scores."""

import numpy as np

RULES = (2, 7)


def sentiment_classes(scores, classes: int = 7) -> np.ndarray:
    """The class of each score on the scale from -3, very negative, to 3, very positive.

    Seven classes are not the scores rounded: those below -2, from -2 below -1, from -1 below 0, 0 itself, above 0 up to 1,
    above 1 up to 2, and above 2. Two classes are negative, and not negative; papers since 2019 often drop the scores of 0
    instead.

    Args:
        scores: Floats of any shape.
        classes: 7 or 2. Defaults to 7.

    Returns:
        Int64 of the same shape, from 0.

    Raises:
        ValueError: If `classes` is neither, or a score is not from -3 to 3.

    Example:
        >>> sentiment_classes([-0.33, 0.0, 0.33, -2.0]).tolist(), sentiment_classes([-0.1, 0.0], classes=2).tolist()
        ([2, 3, 4, 1], [0, 1])

    Reference:
        The CMU Multimodal SDK's rule, as in the public code of Delbrouck et al. 2020.
    """
    if classes not in RULES:
        raise ValueError(f"`classes` must be one of {list(RULES)}: received {classes!r}. Pick one of them.")
    scores = np.asarray(scores, dtype=np.float64)
    if not (np.abs(scores) <= 3.0).all():
        wrong = scores[~(np.abs(scores) <= 3.0)].reshape(-1)[0]
        raise ValueError(f"`scores` must be from -3 to 3: received {wrong}. Rescale them, or leave the row out.")
    if classes == 2:
        return (scores >= 0).astype(np.int64)
    below, above = np.searchsorted([-2, -1, 0], scores, side="right"), np.searchsorted([0, 1, 2], scores, side="left")
    return below + above
