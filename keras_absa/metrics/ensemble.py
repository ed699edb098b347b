"""Several runs' answers as one."""

import numpy as np

AVERAGES = ("logits", "probabilities")


def ensemble_logits(members, average: str = "logits") -> np.ndarray:
    """The mean of the first k members, for every k.

    The number of members is a choice like any other: choose k on the development set, and report the test set at that k.

    Args:
        members: Floats, shape `[K, N, C]`: logits of K runs, for the same rows in the same order, the best first.
        average: `"logits"`, their mean, as the public code of TBJE; `"probabilities"`, the logarithm of the mean of their
            softmax. Defaults to `"logits"`.

    Returns:
        Float64 `[K, N, C]`, the logits of the first 1, 2, ..., K members together.

    Raises:
        ValueError: If `members` has another shape or holds what is not finite, or `average` is unknown.

    Example:
        >>> ensemble_logits([[[1.0, 0.0]], [[0.0, 3.0]]])[1].tolist()
        [[0.5, 1.5]]

    Reference:
        Delbrouck et al. 2020, public code, whose comment says probabilities and whose k is chosen on the split it reports.
    """
    members = np.asarray(members, dtype=np.float64)
    if members.ndim != 3 or not len(members) or not np.isfinite(members).all():
        raise ValueError(
            f"`members` must be finite logits of shape [members, rows, classes]: received shape {members.shape}. Stack the "
            "runs' predictions."
        )
    if average not in AVERAGES:
        raise ValueError(f"`average` must be one of {list(AVERAGES)}: received {average!r}. Pick one of them.")
    count = np.arange(1, len(members) + 1)[:, None, None]
    if average == "logits":
        return np.cumsum(members, axis=0) / count
    shifted = members - members.max(axis=-1, keepdims=True)
    probabilities = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.log(np.cumsum(probabilities, axis=0) / count)
