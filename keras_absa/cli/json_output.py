"""JSON that any program can read: no NaN, no Infinity, and nothing but plain values."""

import json
import math
from pathlib import PurePath


def to_json(value, indent: int | None = 2) -> str:
    """The JSON text of a result; a float that is not finite becomes `null`."""
    text = json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False)
    # Legal in JSON, but many readers of lines take these for the end of one.
    for char in "\x85\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "item"):  # a NumPy number
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
