"""Several runs' answers as one, and which of them."""

from dataclasses import dataclass

import numpy as np

from keras_absa.metrics.joint import joint_metrics
from keras_absa.metrics.metric_report import MetricReport

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


@dataclass(frozen=True)
class EnsembleChoice:
    """Which members answer together, as `choose_ensemble` found it.

    Args:
        members: Places of the chosen members, the best first.
        average: How their outputs are averaged.
        reports: The development scores of the best 1, 2, ... members together.

    Example:
        >>> choice = EnsembleChoice((1, 0), "logits", ())
        >>> choice.outputs([[[1.0]], [[3.0]]]).tolist()
        [[2.0]]
    """

    members: tuple[int, ...]
    average: str
    reports: tuple[MetricReport, ...]

    def outputs(self, members) -> np.ndarray:
        """The chosen members' outputs as one, float64 [N, C], from those of all members [K, N, C]."""
        members = np.asarray(members)
        return ensemble_logits(members[list(self.members)], self.average)[-1]


def choose_ensemble(task, y_true, members, average: str = "logits") -> EnsembleChoice:
    """Sorts runs by their scores on a development set, and chooses how many of the best answer together.

    Args:
        task: The `JointTask`; its `monitor` is what counts.
        y_true: What `task.encode` gives for the development set.
        members: Floats [K, N, C]: the outputs of K runs for it.
        average: See `ensemble_logits`. Defaults to `"logits"`.

    Returns:
        An `EnsembleChoice`; give its `outputs` the test set's outputs of all runs. Of equal choices the smaller one wins.

    Raises:
        ValueError: If shapes do not fit, or no choice has a score.

    Example:
        >>> from keras_absa.data import cross_modal
        >>> dev = [[[0.0, 1.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]]
        >>> choose_ensemble(cross_modal(), [0, 1], dev).members
        (1,)

    Reference:
        Delbrouck et al. 2020, public code, which reports the best k of the split that it scores; such a number is optimistic.
    """

    def score(report):
        value = report[task.monitor]
        return -np.inf if np.isnan(value) else value

    members = np.asarray(members, dtype=np.float64)
    alone = [score(joint_metrics(task, y_true, each)) for each in members]
    order = np.argsort(-np.array(alone), kind="stable")
    reports = tuple(joint_metrics(task, y_true, each) for each in ensemble_logits(members[order], average))
    scores = [score(report) for report in reports]
    if not np.isfinite(max(scores)):
        raise ValueError(
            f"`{task.monitor}` must be defined on the development set to choose: it is not. Use one with different answers."
        )
    return EnsembleChoice(tuple(int(place) for place in order[: int(np.argmax(scores)) + 1]), average, reports)
