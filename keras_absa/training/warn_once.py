"""Warnings that are given once a process, with numbers."""

import warnings

import numpy as np

_seen = set()


def warn_once(key: str, message: str) -> None:
    """Warns unless `key` was warned about before."""
    if key not in _seen:
        _seen.add(key)
        warnings.warn(message, stacklevel=3)


def warn_cut(cut: np.ndarray, max_length: int, modality: str | None = None) -> None:
    """Says how many rows lost how many word pieces; of a modality, how many tokens, frames or samples."""
    rows = int(np.count_nonzero(cut))
    if rows and modality is not None:
        warn_once(
            f"{modality} cut at {max_length}",
            f"{rows} of {len(cut)} segments were cut at {max_length} positions of {modality}; {int(cut.sum())} were left out. "
            f"Raise `lengths[{modality!r}]` if their end matters.",
        )
    elif rows:
        warn_once(
            f"cut at {max_length}",
            f"{rows} of {len(cut)} rows were cut at {max_length} tokens; {int(cut.sum())} word pieces were left out. Raise "
            "`max_length` if the end of the texts matters.",
        )
