"""Foreign checkpoints, read without PyTorch and without running anything that is in them."""

import os
import struct
import zipfile
from pathlib import Path

import numpy as np

from keras_absa.models.restricted_pickle import STORAGES, RefusedPickle, load_notes, made

_LEGACY_MAGIC, _LEGACY_PROTOCOL = 0x1950A86A20F9469CFC6C, 1001


def read_torch_checkpoint(path: str | Path, part: str | None = None):
    """The values of a checkpoint or of a data pickle: dicts, lists, strings, numbers and arrays.

    Reads safetensors, what `torch.save` writes (as a zip archive since PyTorch 1.6, and before), and plain pickles of arrays.
    Tensors become arrays of their own, also where they shared memory; bfloat16 becomes float32. Anything else in the
    file, such as a whole module, is refused before it runs.

    Args:
        path: The file; its contents say what it is, for safetensors its name.
        part: A key, for example `"state_dict"`: of a dict that has it only that value is read. Beside it a pickle may then hold
            an `argparse.Namespace` and losses of PyTorch, as trainings leave them; they are passed over. Defaults to None,
            everything.

    Raises:
        FileNotFoundError: If there is no such file.
        RefusedPickle: If it is none of these, is damaged, or names more than data; a `ValueError`.

    Example:
        >>> import pickle
        >>> _ = Path("state.bin").write_bytes(pickle.dumps({"weight": np.ones(2, "float32"), "epoch": 3}))
        >>> read_torch_checkpoint("state.bin")
        {'weight': array([1., 1.], dtype=float32), 'epoch': 3}
        >>> _ = Path("evil.bin").write_bytes(b"cos\\nsystem\\n(S'echo hello'\\ntR.")
        >>> read_torch_checkpoint("evil.bin")
        Traceback (most recent call last):
        keras_absa.models.restricted_pickle.RefusedPickle: evil.bin: refused, it names os.system, expected arrays, ...

    Reference:
        Python's manual on `pickle`: "Only unpickle data you trust".
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Check the path.")
    if path.suffix == ".safetensors":
        return _safetensors(path)
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"PK\x03\x04":
        return _zip(path, part)
    with path.open("rb") as file:
        notes = load_notes(file, path)
        if notes == _LEGACY_MAGIC:
            return _legacy(file, path, part)
    return made(notes, path, part=part)


def _safetensors(path):
    import tensorflow as tf
    from safetensors import SafetensorError
    from safetensors.tensorflow import load_file

    try:
        tensors = load_file(path)
    except SafetensorError as error:
        raise RefusedPickle(f"{path}: no readable safetensors, {error!s:.100}. Save it again.") from error
    return {
        name: (tf.cast(tensor, tf.float32) if tensor.dtype == tf.bfloat16 else tensor).numpy()
        for name, tensor in tensors.items()
    }


def _zip(path, part):
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            roots = [name[: -len("data.pkl")] for name in members if name.endswith("/data.pkl")]
            size = sum(member.file_size for member in members.values())
            stored = all(member.compress_type == zipfile.ZIP_STORED for member in members.values())
            # torch.save compresses nothing; what unpacks to more than the file is made to fill the memory.
            if len(roots) != 1 or not stored or size > path.stat().st_size:
                raise RefusedPickle(f"{path}: no archive of torch.save. Save a state dict with it.")
            root = roots[0]
            order = archive.read(f"{root}byteorder") if f"{root}byteorder" in members else b"little"
            with archive.open(f"{root}data.pkl") as file:
                notes = load_notes(file, path)

            def storage(kind, key, count):
                name = f"{root}data/{key}"
                if name not in members:
                    raise ValueError(f"a storage {key!r} that is not there")
                return _values(archive.read(name), kind, count, order == b"big")

            return made(notes, path, storage, part)
    except RefusedPickle:
        raise
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        LookupError,
        OSError,
        ValueError,
        struct.error,
    ) as error:
        raise RefusedPickle(f"{path}: a damaged archive, {error!s:.100}. Save it again.") from error


def _legacy(file, path, part):
    """What follows the magic number: protocol, system, values, keys of storages, and the storages."""
    kinds = {}
    protocol, system = load_notes(file, path), load_notes(file, path)
    notes, keys = load_notes(file, path, kinds), load_notes(file, path)
    if protocol != _LEGACY_PROTOCOL or not isinstance(system, dict) or not isinstance(keys, list):
        raise RefusedPickle(
            f"{path}: a file of torch.save with protocol {protocol!r:.20}, expected {_LEGACY_PROTOCOL}."
        )
    big, end, storages = system.get("little_endian") is False, os.fstat(file.fileno()).st_size, {}
    for key in keys:
        head = file.read(8)
        if not isinstance(key, str) or key not in kinds or len(head) < 8:
            raise RefusedPickle(f"{path}: damaged at the storage {key!r:.40}. Save it again.")
        (count,) = struct.unpack(">q" if big else "<q", head)
        length = count * np.dtype(STORAGES[kinds[key]]).itemsize
        if not 0 <= length <= end - file.tell():
            raise RefusedPickle(f"{path}: damaged, a storage of {length} bytes is longer than the file. Save it again.")
        storages[key] = _values(file.read(length), kinds[key], count, big)

    def storage(kind, key, count):
        if key not in storages:
            raise ValueError(f"a storage {key!r:.40} that is not there")
        return storages[key]

    return made(notes, path, storage, part)


def _values(data: bytes, kind: str, count: int, big: bool) -> np.ndarray:
    """The numbers of a storage, 1-D, in this machine's order."""
    dtype = np.dtype(STORAGES[kind])
    if len(data) < count * dtype.itemsize:
        raise ValueError(f"a storage of {len(data)} bytes, expected {count * dtype.itemsize}")
    values = np.frombuffer(data, dtype.newbyteorder(">") if big else dtype, count)
    return values.astype(dtype)
