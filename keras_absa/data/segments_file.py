"""The project's file of segments: one `.npz` a split.

Shapes: N segments, M frames of all segments, L frames of the longest, F features.
"""

import zipfile
from pathlib import Path

import numpy as np

from keras_absa.data.data_error import DataError
from keras_absa.data.segments import RESERVED, Segments

LENGTH, NAMES = "_length", "_names"


def write_segments(segments: Segments, path: str | Path) -> None:
    """Writes a `.npz` that `read_segments` reads: no pickles, frames of all segments one after the other.

    Keys: `segment_id` [N], `text` [N], `modalities`, for each of them its frames [M, F] (samples [M] of a waveform) and
    `<modality>_length` [N], each target [N] or [N, C] and `<target>_names` [C], `contexts` [N].

    Args:
        segments: The segments.
        path: The file; one that exists is replaced.

    Raises:
        OSError: If it cannot be written.

    Example:
        >>> write_segments(Segments(["a"], ["so good"], {"audio": [np.ones([3, 2])]}), "dev.npz")
        >>> read_segments("dev.npz", split="dev").features["audio"][0].shape
        (3, 2)
    """
    arrays = {
        "segment_id": np.array(segments.ids, dtype=np.str_),
        "modalities": np.array(list(segments.features), np.str_),
    }
    if segments.texts is not None:
        arrays["text"] = np.array(segments.texts, dtype=np.str_)
    for name, frames in segments.features.items():
        arrays[name] = np.concatenate(frames)
        arrays[name + LENGTH] = np.array([len(each) for each in frames], "int32")
    arrays |= segments.targets
    arrays |= {name + NAMES: np.array(names, np.str_) for name, names in segments.names.items()}
    if segments.contexts is not None:
        arrays["contexts"] = segments.contexts
    np.savez(path, **arrays)


def read_segments(path: str | Path, split: str = "train") -> Segments:
    """Reads the segments of one split.

    It reads what `write_segments` writes, and padded arrays: a modality as [N, L, F] (frames of zeros at the end are padding),
    and words as `tokens` [N, L] with their `vocabulary` [V], where 0 is padding.

    Args:
        path: A `.npz`.
        split: The split's name. Defaults to `"train"`.

    Raises:
        FileNotFoundError: If there is no such file.
        DataError: If it holds pickles, or arrays that do not fit; the message names the file and the key.

    Example:
        >>> np.savez("padded.npz", segment_id=["a"], audio=[[[1.0, 2.0], [0.0, 0.0]]], sentiment=[1.5])
        >>> read_segments("padded.npz").features["audio"][0].tolist()
        [[1.0, 2.0]]
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Check the path.")
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise DataError(f"{path}: a single array, expected a .npz of named ones. See `write_segments`.")
        with loaded as file:
            arrays = {name: _array(path, file, name) for name in file.files}
    except (zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: no readable .npz, {error!s:.100}. Write it with `write_segments`.") from error
    if "segment_id" not in arrays:
        raise DataError(f"{path}: no `segment_id`, expected an id for each segment: received {sorted(arrays)}.")
    ids = [str(each) for each in arrays.pop("segment_id").reshape(-1)]
    try:
        return _segments(path, ids, arrays, split)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error


def _array(path, file, name):
    try:
        return file[name]
    except ValueError as error:
        raise DataError(
            f"{path}: `{name}` holds Python objects, which only a pickle can hold and which are never read; expected numbers or "
            "strings. Store sequences of different lengths one after the other, see `write_segments`."
        ) from error


def _segments(path, ids, arrays, split):
    declared = arrays.pop("modalities", None)
    modalities = [str(each) for each in declared.reshape(-1)] if declared is not None else []
    modalities += [
        name
        for name, each in arrays.items()
        if name not in (*modalities, *RESERVED) and (each.ndim == 3 or name + LENGTH in arrays)
    ]
    features = {}
    for name in modalities:
        if name not in arrays:
            raise DataError(f"{path}: `{name}` stands in `modalities`, but there is no array of that name.")
        features[name] = _split_up(path, name, arrays.pop(name), arrays.pop(name + LENGTH, None), len(ids))
    texts = arrays.pop("text", None)
    tokens, vocabulary = arrays.pop("tokens", None), arrays.pop("vocabulary", None)
    if texts is None and tokens is not None:
        texts = _texts(path, tokens, vocabulary)
    elif texts is not None:
        if texts.dtype.kind != "U" or texts.ndim != 1:
            raise DataError(f"{path}: `text` must be strings [N]: received {texts.dtype} of shape {texts.shape}.")
        texts = texts.tolist()
    contexts = arrays.pop("contexts", None)
    names = {name.removesuffix(NAMES): arrays.pop(name).tolist() for name in list(arrays) if name.endswith(NAMES)}
    return Segments(ids, texts, features, arrays, names, split, contexts)


def _split_up(path, name, frames, lengths, count):
    """A list of `count` arrays from padded frames or from those of all segments in one."""
    if frames.dtype.kind not in "biuf":
        raise DataError(f"{path}: `{name}` must be numbers: received {frames.dtype}.")
    if lengths is not None and (lengths.shape != (count,) or lengths.dtype.kind not in "iu" or (lengths < 0).any()):
        raise DataError(f"{path}: `{name}{LENGTH}` must be {count} numbers of frames: received shape {lengths.shape}.")
    if frames.ndim == 3:
        if len(frames) != count:
            raise DataError(f"{path}: `{name}` must have {count} segments: received {len(frames)}.")
        if lengths is None:
            real = (frames != 0).any(axis=2)  # [N, L]; what is not finite counts as real
            lengths = np.where(real.any(axis=1), frames.shape[1] - real[:, ::-1].argmax(axis=1), 0)
        return [each[:length] for each, length in zip(frames, lengths, strict=True)]
    if lengths is None or frames.ndim not in (1, 2) or int(lengths.sum()) != len(frames):
        total = "none" if lengths is None else int(lengths.sum())
        raise DataError(
            f"{path}: `{name}` must be [N, L, F], or the frames of all segments with their number in `{name}{LENGTH}`: received "
            f"shape {frames.shape} and a sum of {total}."
        )
    ends = np.cumsum(lengths)
    return [frames[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _texts(path, tokens, vocabulary):
    if vocabulary is None or vocabulary.ndim != 1 or vocabulary.dtype.kind != "U":
        raise DataError(f"{path}: `tokens` need the words in `vocabulary` [V]: received none. Store `text` instead.")
    if (
        tokens.ndim != 2
        or tokens.dtype.kind not in "iu"
        or tokens.min(initial=0) < 0
        or tokens.max(initial=0) >= len(vocabulary)
    ):
        raise DataError(f"{path}: `tokens` must be places in the vocabulary of {len(vocabulary)} words, [N, L].")
    return [" ".join(vocabulary[row[row != 0]].tolist()) for row in tokens]
