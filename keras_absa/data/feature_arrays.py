"""Feature arrays by segment id, from a folder of `.npy` files, a `.npz` or a dict."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from keras_absa.data.data_error import DataError


def feature_arrays(source, ids) -> list:
    """An array for each id, None where there is none.

    Args:
        source: A dict, a `.npz` whose keys are the ids, or a folder with `<id>.npy` files.
        ids: The ids.

    Raises:
        FileNotFoundError: If there is no such file or folder.
        DataError: If a file holds a pickle or cannot be read, or none of the ids is there.
    """
    if isinstance(source, Mapping):
        found = [source.get(each) for each in ids]
    else:
        source = Path(source)
        if not source.exists():
            raise FileNotFoundError(f"{source}: no such file or folder. Give a .npz, or a folder of .npy files.")
        found = _of_folder(source, ids) if source.is_dir() else _of_file(source, ids)
    if len(found) and all(each is None for each in found):
        raise DataError(
            f"{source if isinstance(source, Path) else 'features'}: none of the {len(found)} segment ids is there, such as "
            f"{ids[0]!r}. Name the arrays by the ids."
        )
    return found


def _of_folder(folder, ids):
    files = {path.stem: path for path in sorted(folder.glob("*.npy"))}  # an id is never made into a path
    return [None if each not in files else _loaded(files[each]) for each in ids]


def _of_file(path, ids):
    loaded = _loaded(path)
    if not isinstance(loaded, np.lib.npyio.NpzFile):
        raise DataError(f"{path}: a single array, expected a .npz with an array for each segment id.")
    with loaded as file:
        keys = set(file.files)
        return [_guarded(path, lambda key=each: file[key]) if each in keys else None for each in ids]


def _loaded(path):
    return _guarded(path, lambda: np.load(path, allow_pickle=False))


def _guarded(path, load):
    try:
        return load()
    except (zipfile.BadZipFile, EOFError, ValueError, OSError) as error:
        raise DataError(f"{path}: no readable array of numbers, {error!s:.100}. Save it with numpy.save.") from error
