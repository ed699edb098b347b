"""Brings what users pass as text to one string tensor, or says what is wrong with it."""

from __future__ import annotations

import numpy as np
import tensorflow as tf


def as_strings(strings, name: str = "strings") -> tf.Tensor:
    """Returns a string tensor of rank 0 or 1.

    Args:
        strings: str, bytes, a sequence of them, or a string tensor of rank 0 or 1.
        name: str, how error messages call the argument. Defaults to `"strings"`.

    Returns:
        String tensor, shape [] or [B].

    Raises:
        ValueError: for a value that is no text (with its row), another dtype, or another rank.

    Example:
        >>> from keras_absa.text.inputs import as_strings
        >>> as_strings(["good food", ""]).shape
        TensorShape([2])
    """
    if isinstance(strings, (str, bytes)):
        return tf.constant(_checked(strings, name, None))
    if not tf.is_tensor(strings):
        if isinstance(strings, np.ndarray) and strings.ndim == 0:
            return as_strings(strings.item(), name)
        if strings is None or isinstance(strings, dict) or not hasattr(strings, "__iter__"):
            raise ValueError(_rule(name, f"received {strings!r}"))
        rows = [_checked(value, name, row) for row, value in enumerate(strings)]
        return tf.constant(rows, tf.string, shape=[len(rows)])
    if isinstance(strings, (tf.RaggedTensor, tf.SparseTensor)) or strings.dtype != tf.string:
        raise ValueError(_rule(name, f"received a {type(strings).__name__} of dtype {strings.dtype.name}"))
    if strings.shape.rank not in (0, 1):
        raise ValueError(_rule(name, f"received a tensor of shape {strings.shape}"))
    return strings


def _checked(value, name, row):
    where = "" if row is None else f" in row {row}"
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(
                f"`{name}` must be valid Unicode: received a lone surrogate{where}, {value!r}. Remove it, or decode the"
                ' source with errors="replace".'
            ) from error
    raise ValueError(_rule(name, f"received {value!r}{where}"))


def _rule(name, received):
    return (
        f"`{name}` must be a text, a list of texts, or a string tensor of rank 0 or 1: {received}. Pass strings only;"
        ' use "" for a missing text.'
    )
