"""Pickles of arrays, tensors, dicts, lists and strings, read without running anything that they name.

A pickle is a program: it says which functions to call. Here it can name nothing but the few stand-ins below, which only note
what they were given; arrays are made from these notes afterwards, and checked.
"""

import io
import math
import pickle
import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

MAX_DEPTH = 100
# PyTorch's kinds of storage, as NumPy's; bfloat16 is the upper half of a float32.
STORAGES = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "BFloat16Storage": "<u2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "?",
}
_NUMPY_KINDS = "biufSU"  # no objects


class RefusedPickle(ValueError):
    """A pickle that names or holds more than data."""


class _Dict(dict):
    """An OrderedDict; what else it carries, such as a state dict's versions, is not kept."""

    def __setstate__(self, state):
        pass


@dataclass
class _Storage:
    kind: str
    key: str
    size: int


@dataclass
class _Tensor:
    arguments: tuple


@dataclass
class _DType:
    name: str
    order: str = "="

    def __setstate__(self, state):
        self.order = state[1] if isinstance(state, tuple) and len(state) > 1 else "?"


@dataclass
class _Array:
    state: tuple = ()

    def __setstate__(self, state):
        self.state = state


class _Skipped:
    """Stands for what a training writes beside its weights; nothing of it is kept."""

    def __new__(cls, *_, **__):
        return object.__new__(cls)

    def __init__(self, *_, **__):
        pass

    def __setstate__(self, state):
        pass


@dataclass
class _Scalar:
    arguments: tuple = field(default_factory=tuple)


def _encoded(text, encoding):
    """How old pickles write bytes."""
    if encoding != "latin1" or not isinstance(text, str):
        raise RefusedPickle(f"bytes in the encoding {encoding!r}, expected 'latin1'")
    return text.encode("latin1")


# Settings and losses, which public trainings save beside a state dict. They can be passed over, and never be read.
_BESIDE = {
    ("argparse", "Namespace"),
    *(
        ("torch.nn.modules.loss", name)
        for name in ("CrossEntropyLoss", "BCEWithLogitsLoss", "BCELoss", "MSELoss", "L1Loss")
    ),
    *((module, "set") for module in ("builtins", "__builtin__")),
}
_MULTIARRAY = ("numpy.core.multiarray", "numpy._core.multiarray")
_NAMES = {
    ("collections", "OrderedDict"): _Dict,
    ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: _Tensor(arguments),
    ("torch._utils", "_rebuild_parameter"): lambda data, *rest: data,
    **{("torch", name): name for name in STORAGES},
    ("numpy", "ndarray"): "ndarray",
    ("numpy", "dtype"): lambda name, *rest: _DType(name),
    **{(module, "_reconstruct"): lambda *arguments: _Array() for module in _MULTIARRAY},
    **{(module, "scalar"): lambda *arguments: _Scalar(arguments) for module in _MULTIARRAY},
    **{
        (module, "_frombuffer"): lambda data, dtype, shape, order: _Array((1, shape, dtype, order == "F", data))
        for module in ("numpy.core.numeric", "numpy._core.numeric")
    },
    ("_codecs", "encode"): _encoded,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, kinds):
        super().__init__(file)
        self.kinds = kinds

    def find_class(self, module, name):
        if (module, name) in _BESIDE:
            return _Skipped
        if (module, name) not in _NAMES:
            raise RefusedPickle(f"it names {module}.{name}, expected arrays, tensors, dicts, lists and strings only")
        return _NAMES[module, name]

    def persistent_load(self, pid):
        fits = isinstance(pid, tuple) and len(pid) in (5, 6) and pid[0] == "storage" and pid[1] in STORAGES
        if (
            not fits
            or not isinstance(pid[2], str)
            or not isinstance(pid[4], int)
            or pid[4] < 0
            or pid[5:] not in ((), (None,))
        ):
            raise RefusedPickle(f"it refers to {pid!r:.80}, expected a storage of PyTorch")
        if self.kinds.setdefault(pid[2], pid[1]) != pid[1]:
            raise RefusedPickle(f"storage {pid[2]!r:.40} has two kinds, expected one")
        return _Storage(pid[1], pid[2], pid[4])


def load_notes(file: io.BufferedIOBase, path: str | Path, kinds: dict[str, str] | None = None):
    """One pickle from an open file: plain values with notes in place of arrays, for `made`.

    Args:
        file: Bytes; it is left at the pickle's end.
        path: The file, for messages.
        kinds: Filled with the kind of each storage by its key. Defaults to None.

    Raises:
        RefusedPickle: If it names anything else, or is no pickle.
    """
    try:
        start = file.tell()
        # `load` makes room for whatever length and number a file claims: more than it holds is refused before.
        for count, (code, argument, _) in enumerate(pickletools.genops(file)):
            if code.name.endswith("PUT") and not 0 <= argument <= count:
                raise RefusedPickle(f"it numbers value {count} as {argument}")
        file.seek(start)
        return _Unpickler(file, {} if kinds is None else kinds).load()
    except RefusedPickle as error:
        raise RefusedPickle(f"{path}: refused, {error}. Save arrays or a state dict, not objects.") from None
    except Exception as error:  # a broken pickle fails in whatever way it is broken
        raise RefusedPickle(f"{path}: no readable pickle, {error!s:.100}. Save it again.") from None


def made(
    notes, path: str | Path, storage: Callable[[str, str, int], np.ndarray] | None = None, part: str | None = None
):
    """Plain values with arrays in them.

    Args:
        notes: What `load_notes` gave.
        path: The file, for messages.
        storage: Gives the values of a storage, 1-D, from its kind, key and size. Defaults to None: there are none.
        part: Make only what has this key in a dict that has it. Defaults to None, everything.

    Raises:
        RefusedPickle: If something is no data, or does not fit.
    """
    done, open_now = {}, set()  # a value that stands in many places is made once

    def make(value, depth):
        if isinstance(value, (str, bytes, int, float, type(None))):
            return value
        if id(value) in done:
            return done[id(value)]
        if depth > MAX_DEPTH or id(value) in open_now:
            raise RefusedPickle(f"{path}: refused, nested deeper than {MAX_DEPTH}, or in itself. Save plain values.")
        open_now.add(id(value))
        try:
            result = compose(value, depth + 1)
        except RefusedPickle:
            raise
        except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
            raise RefusedPickle(
                f"{path}: refused, an array that does not fit, {error!s:.100}. Save it again."
            ) from None
        open_now.discard(id(value))
        done[id(value)] = result
        return result

    def compose(value, depth):
        if isinstance(value, dict):
            return {make(key, depth): make(each, depth) for key, each in value.items()}
        if isinstance(value, list):
            return [make(each, depth) for each in value]
        if isinstance(value, tuple):
            return tuple(make(each, depth) for each in value)
        if isinstance(value, _Tensor):
            return _tensor(value, storage)
        if isinstance(value, _Array):
            _, shape, dtype, fortran, data = value.state
            flat = np.frombuffer(bytes(data), _numpy_type(dtype))
            return flat.reshape(shape, order="F" if fortran else "C").copy()
        if isinstance(value, _Scalar):
            dtype, data = value.arguments
            (scalar,) = np.frombuffer(bytes(data), _numpy_type(dtype))
            return scalar
        what = "settings object" if isinstance(value, _Skipped) else type(value).__name__
        raise RefusedPickle(f"{path}: refused, it holds a {what}. Save arrays, dicts, lists and strings.")

    if part is not None and isinstance(notes, dict) and part in notes:
        return make(notes[part], 0)
    return make(notes, 0)


def _numpy_type(note) -> np.dtype:
    if not isinstance(note, _DType) or not isinstance(note.name, str) or note.name[:1] not in _NUMPY_KINDS:
        raise ValueError(f"received the type {note!r:.60}, expected numbers or strings")
    return np.dtype(note.name).newbyteorder(note.order if note.order in "<>" else "=")


def _tensor(note: _Tensor, storage) -> np.ndarray:
    """A tensor as an array of its own; bfloat16 as float32."""
    held, offset, size, stride = note.arguments[:4]
    if not isinstance(held, _Storage) or storage is None:
        raise ValueError("a tensor without a storage")
    numbers = (offset, *size, *stride)
    if not all(type(number) is int and number >= 0 for number in numbers) or len(size) != len(stride):
        raise ValueError(f"offset {offset!r}, size {size!r} and stride {stride!r}")
    values = storage(held.kind, held.key, held.size)
    count = math.prod(size)
    last = offset + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    # A step of 0 can make any size of a single number.
    if count and (last >= len(values) or count > len(values)):
        raise ValueError(f"size {size!r} with stride {stride!r} in a storage of {len(values)}")
    if not count:
        values = np.zeros(size, values.dtype)
    else:
        steps = [step * values.itemsize for step in stride]
        values = np.lib.stride_tricks.as_strided(values[offset:], size, steps).copy()
    if held.kind == "BFloat16Storage":
        return (values.astype("<u4") << 16).view("<f4")
    return values
