"""Segments from the `.csd` files of the CMU Multimodal SDK.

Shapes: K segments of a video, T frames of a video, F features.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from keras_absa.data.data_error import DataError
from keras_absa.data.joint_task import MOSEI_EMOTIONS
from keras_absa.data.segments import Segments

PAUSE = "sp"


def read_csd(
    labels: str | Path,
    features: Mapping[str, str | Path] | None = None,
    words: str | Path | None = None,
    *,
    videos: Iterable[str] | None = None,
    frame_seconds: Mapping[str, float] | None = None,
    split: str = "train",
) -> Segments:
    """Reads computational sequences, HDF5 files of features and the times that they belong to.

    A frame or word belongs to the segment in which the middle of its interval lies, the segment's start included. The labels'
    columns are sentiment and six emotions, as in CMU-MOSEI; segments are called `video[k]`, k from 0.

    Args:
        labels: The file of labels; its intervals are the segments.
        features: Modality to file, for example `{"audio": "CMU_MOSEI_COVAREP.csd"}`. Defaults to None.
        words: The file of time-stamped words. Defaults to None, no text.
        videos: Ids of the videos of this split, such as a list of the SDK's standard folds. Defaults to None, all.
        frame_seconds: Modality to seconds; frames of so much time become their mean. COVAREP has a hundred frames a second, of
            which 60 are little. Defaults to None, frames as they are.
        split: The split's name. Defaults to `"train"`.

    Raises:
        FileNotFoundError: If a file is not there.
        DataError: If one is no computational sequence; it names file and video.

    Example:
        >>> import h5py
        >>> with h5py.File("labels.csd", "w") as file:
        ...     file["All Labels/data/v/features"] = [[1.0, 0, 0, 0, 0, 0, 0]]
        ...     file["All Labels/data/v/intervals"] = [[0.0, 2.0]]
        >>> read_csd("labels.csd").targets["sentiment"].tolist()
        [1.0]

    Reference:
        Zadeh et al. 2018, "Multimodal Language Analysis in the Wild: CMU-MOSEI Dataset".
    """
    wanted = None if videos is None else {str(each) for each in videos}
    with _Sequence(labels) as sequence:
        segments = []
        for video in sequence.videos if wanted is None else [each for each in sequence.videos if each in wanted]:
            rows, intervals = sequence.read(video)
            if rows.dtype.kind not in "iuf" or rows.ndim != 2 or rows.shape[1] != 1 + len(MOSEI_EMOTIONS):
                raise DataError(
                    f"{labels}: video {video!r}: expected {1 + len(MOSEI_EMOTIONS)} labels a segment: received {rows.shape}."
                )
            segments += [(video, place, *interval, row) for place, (interval, row) in enumerate(zip(intervals, rows))]
    if not segments:
        raise DataError(f"{labels}: no segment of the videos that were asked for; expected some. Check the ids.")
    found = {}
    for name, path in (features or {}).items():
        step = (frame_seconds or {}).get(name)
        with _Sequence(path) as sequence:
            found[name] = [_frames(sequence, each, step) for each in segments]
    texts = None
    if words is not None:
        with _Sequence(words) as sequence:
            texts = [_text(sequence, each) for each in segments]
    table = np.array([row for *_, row in segments], "float32")
    return Segments(
        [f"{video}[{place}]" for video, place, *_ in segments],
        texts,
        found,
        {"sentiment": table[:, 0], "emotion": table[:, 1:]},
        {"emotion": MOSEI_EMOTIONS},
        split,
    )


def _frames(sequence, segment, step):
    video, _, start, end, _ = segment
    if video not in sequence.known:
        return None
    rows, intervals = sequence.read(video)
    if rows.dtype.kind not in "iuf":
        raise DataError(f"{sequence.path}: video {video!r}: expected numbers: received {rows.dtype}.")
    inside, middles = _inside(intervals, start, end)
    rows = rows[inside].astype("float32")
    if step is None or not len(rows):
        return rows if len(rows) else None
    bins = ((middles - start) // step).astype(int)
    finite = np.isfinite(rows)
    sums, counts = np.zeros((bins[-1] + 1, rows.shape[1])), np.zeros((bins[-1] + 1, rows.shape[1]))
    np.add.at(sums, bins, np.where(finite, rows, 0.0))
    np.add.at(counts, bins, finite)
    filled = np.isin(np.arange(len(sums)), bins)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)  # nan: not one was finite
    return means[filled].astype("float32")


def _text(sequence, segment):
    video, _, start, end, _ = segment
    if video not in sequence.known:
        return ""
    rows, intervals = sequence.read(video)
    inside, _ = _inside(intervals, start, end)
    spoken = [
        word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word) for word in rows[inside].reshape(-1)
    ]
    return " ".join(word for word in spoken if word != PAUSE)


def _inside(intervals, start, end):
    """Places of the frames of a segment in the order of time, and the middles of their intervals."""
    middles = intervals.mean(axis=1)
    places = np.flatnonzero((middles >= start) & (middles < end))
    places = places[np.argsort(middles[places], kind="stable")]
    return places, middles[places]


class _Sequence:
    """An open file of one computational sequence; the last video that was read is kept."""

    def __init__(self, path):
        import h5py  # TensorFlow's Keras brings it

        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file. Check the path.")
        try:
            self.file = h5py.File(self.path, "r")
        except OSError as error:
            raise DataError(f"{self.path}: no readable HDF5 file, {error!s:.80}. Download it again.") from error
        names = list(self.file)
        roots = [name for name in names if isinstance(self.file[name], h5py.Group) and "data" in self.file[name]]
        if len(roots) != 1 or not isinstance(self.file[roots[0]]["data"], h5py.Group):
            self.file.close()
            raise DataError(f"{self.path}: expected one computational sequence with its `data`: received {names[:5]}.")
        self.data = self.file[roots[0]]["data"]
        self.videos = list(self.data)
        self.known = set(self.videos)
        self._last = (None, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read(self, video):
        """Features [T, F] and intervals [T, 2] of a video."""
        if self._last[0] != video:
            group = self.data[video]
            try:
                rows, intervals = group["features"][()], np.asarray(group["intervals"][()], "float64")
            except (KeyError, TypeError, ValueError, OSError) as error:
                raise DataError(
                    f"{self.path}: video {video!r}: expected `features` and `intervals`: {error!s:.80}."
                ) from error
            if intervals.shape != (len(rows), 2):
                raise DataError(
                    f"{self.path}: video {video!r}: expected a start and an end for each of {len(rows)} frames: received shape "
                    f"{intervals.shape}."
                )
            self._last = (video, (rows, intervals))
        return self._last[1]
