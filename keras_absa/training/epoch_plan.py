"""Which rows go into which batch, in which order: plain numbers, the same for the same seed."""

import numpy as np

WINDOW = 50  # batches whose rows are sorted by length together; the classes drawn stay as they were drawn


def draw_rows(labels: np.ndarray, sampler: str, seed: int, epoch: int) -> np.ndarray:
    """Draws the rows of one epoch.

    Args:
        labels: Int [N].
        sampler: `"balanced"` (N draws with replacement, each class that occurs equally likely), `"shuffle"` or
            `"none"`.
        seed, epoch: Ints; the two together decide the draw.

    Returns:
        Int64 [N].

    Reference:
        Wu and Ong 2021, public code (weighted sampler; not in the paper).
    """
    count = len(labels)
    rng = np.random.default_rng([seed, epoch, 0])
    if sampler == "none":
        return np.arange(count)
    if sampler == "shuffle":
        return rng.permutation(count)
    weights = 1.0 / np.bincount(labels)[labels]
    return rng.choice(count, size=count, replace=True, p=weights / weights.sum())


def plan_epoch(
    labels: np.ndarray, lengths: np.ndarray, batch_size: int, sampler: str, seed: int, epoch: int
) -> list[np.ndarray]:
    """The batches of one training epoch, rows of like length together.

    The rows are drawn first; within a window of 50 batches they are sorted by length and cut into batches,
    whose order is then shuffled. So the share of the classes is the sampler's, and little is padded.
    `sampler="none"` keeps the order.

    Returns:
        A list of int64 arrays; all but one have `batch_size` rows.
    """
    rows = draw_rows(labels, sampler, seed, epoch)
    if sampler == "none":
        return [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]
    rng = np.random.default_rng([seed, epoch, 1])
    batches = []
    for start in range(0, len(rows), WINDOW * batch_size):
        window = rows[start : start + WINDOW * batch_size]
        window = window[np.argsort(lengths[window], kind="stable")]
        cut = [window[at : at + batch_size] for at in range(0, len(window), batch_size)]
        batches += [cut[index] for index in rng.permutation(len(cut))]
    return batches


def plan_evaluation(lengths: np.ndarray, batch_size: int) -> list[np.ndarray]:
    """All rows once, longest first, so that a batch that does not fit into memory is met at once."""
    order = np.argsort(-lengths, kind="stable")
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def length_buckets(max_length: int) -> list[int]:
    """At most eight lengths, the last of them `max_length`; XLA compiles a program for each."""
    steps = np.unique(np.ceil(np.geomspace(16, max(16, max_length), 8) / 8).astype(int) * 8)
    return [int(step) for step in steps if step < max_length] + [max_length]
