"""The input shared by all scorers: checked arrays, and rows put into groups of aspects."""

from collections.abc import Hashable, Sequence

import numpy as np

SUM_TOLERANCE = 1e-3  # published score files are rounded, float16 models too


def check_rows(y_true, scores, y_pred, num_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three arrays as int64 `[N]`, float64 `[N, C]` and int64 `[N]`, or a `ValueError` that names the row.

    Without `y_pred` it is the label with the largest score, the first one where several are equal.
    """
    y_true = _label_ids("y_true", y_true, num_labels)
    scores = np.asarray(scores, dtype=np.float64)
    if not scores.size:
        scores = scores.reshape(0, num_labels)
    if scores.shape != (len(y_true), num_labels):
        raise ValueError(
            f"`scores` must have shape [rows, labels] = {(len(y_true), num_labels)}: received {scores.shape}. "
            "Pass one row of probabilities for each label in `y_true`."
        )
    _check_probabilities(scores)
    y_pred = scores.argmax(axis=1) if y_pred is None else _label_ids("y_pred", y_pred, num_labels)
    if len(y_pred) != len(y_true):
        raise ValueError(
            f"`y_pred` must have one label for each row: received {len(y_pred)} for {len(y_true)} rows. "
            "Leave it out to use the largest score."
        )
    return y_true, scores, y_pred


def complete_groups(
    num_rows: int,
    num_aspects: int,
    groups: Sequence[Hashable] | None,
    aspect_ids: Sequence[int] | None,
    remainder: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Which rows make up each group, and which aspect each row asks for.

    Args:
        num_rows: Int, N.
        num_aspects: Int, A.
        groups: One hashable a row, or `None` for the layout of the published files: A consecutive rows a group.
        aspect_ids: One int a row, or `None` for the order in which a group's rows appear.
        remainder: `"error"` or `"ignore"`, for an incomplete last group in the positional layout.

    Returns:
        `(members, aspects)`: row numbers, int `[G, A]` with groups in order of appearance, and int `[N]`.
    """
    if remainder not in ("error", "ignore"):
        raise ValueError(f"`remainder` must be 'error' or 'ignore': received {remainder!r}. Pick one.")
    if groups is None:
        if aspect_ids is not None:
            raise ValueError("`aspect_ids` must come with `groups`: received no groups. Pass the (id, target) of rows.")
        whole = num_rows // num_aspects * num_aspects
        if whole != num_rows and remainder == "error":
            raise ValueError(
                f"Rows must come in groups of {num_aspects}: received {num_rows} rows, {num_rows - whole} too many. "
                "Complete the last group, pass `groups` and `aspect_ids`, or pass remainder='ignore'."
            )
        return np.arange(whole).reshape(-1, num_aspects), np.arange(num_rows) % num_aspects

    rows_of = rows_by_group(groups, num_rows)
    if aspect_ids is None:
        aspects = np.full(num_rows, -1)
        for rows in rows_of.values():
            aspects[rows] = np.arange(len(rows))
    else:
        aspects = _integers("aspect_ids", aspect_ids)
        if len(aspects) != num_rows:
            raise ValueError(
                f"`aspect_ids` must have one entry for each row: received {len(aspects)} for {num_rows} rows."
            )
    members = np.empty((len(rows_of), num_aspects), dtype=np.int64)
    for place, (group, rows) in enumerate(rows_of.items()):
        found = sorted(aspects[rows].tolist())
        if found != list(range(num_aspects)):
            raise ValueError(
                f"Every group must have each of the aspects 0 to {num_aspects - 1} exactly once: received {found} for "
                f"group {group!r}. Add the missing rows, or remove the copies."
            )
        members[place, aspects[rows]] = rows
    return members, aspects


def rows_by_group(groups: Sequence[Hashable], num_rows: int) -> dict[Hashable, list[int]]:
    """The row numbers of each group, in order of appearance."""
    groups = groups.tolist() if isinstance(groups, np.ndarray) else groups
    if len(groups) != num_rows:
        raise ValueError(f"`groups` must have one entry for each row: received {len(groups)} for {num_rows} rows.")
    rows_of: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows_of.setdefault(tuple(group) if isinstance(group, list) else group, []).append(row)
    return rows_of


def confusion_table(y_true: np.ndarray, y_pred: np.ndarray, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """Gold label to predicted label to number of rows."""
    size = len(labels)
    counts = np.bincount(y_true * size + y_pred, minlength=size * size).reshape(size, size)
    return {gold: dict(zip(labels, row, strict=True)) for gold, row in zip(labels, counts.tolist(), strict=True)}


def mean_or_none(hits: np.ndarray) -> tuple[float, str | None]:
    """The share of true entries, or `(nan, "no_rows")`."""
    return (float(np.mean(hits)), None) if len(hits) else (float("nan"), "no_rows")


def _label_ids(name, values, num_labels):
    ids = _integers(name, values)
    wrong = np.flatnonzero((ids < 0) | (ids >= num_labels))
    if wrong.size:
        raise ValueError(
            f"`{name}` must be label ids from 0 to {num_labels - 1}: received {ids[wrong[0]]} in row {wrong[0]}. "
            "Use the order of the task's labels."
        )
    return ids


def _integers(name, values):
    values = np.asarray(values)
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(
            f"`{name}` must be a vector of ints: received shape {values.shape} and type {values.dtype}. "
            "Turn names into ids first, for example with `task.label_id`."
        )
    return values.astype(np.int64)


def _check_probabilities(scores):
    for holds, problem in (
        (np.isfinite(scores).all(axis=1), "must be finite"),
        (((scores >= 0) & (scores <= 1)).all(axis=1), "must be probabilities from 0 to 1; these look like logits"),
        (np.abs(scores.sum(axis=1) - 1) <= SUM_TOLERANCE, f"must sum to 1 within {SUM_TOLERANCE} in every row"),
    ):
        wrong = np.flatnonzero(~holds)
        if wrong.size:
            raise ValueError(
                f"`scores` {problem}: received {scores[wrong[0]].tolist()} in row {wrong[0]}, and {wrong.size} such "
                "rows in all. Apply a softmax to the model's outputs."
            )
