"""Segments from the pickles that the public code of TBJE reads."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_absa.data.data_error import DataError
from keras_absa.data.joint_task import MELD_EMOTIONS, MELD_SENTIMENTS, MOSEI_EMOTIONS
from keras_absa.data.segments import Segments

SPLITS = {"train": "train", "dev": "valid", "valid": "valid", "test": "test", "private": "private"}
FEATURES = {"audio": "mels", "video": "r21d"}


def read_tbje_pickles(
    folder: str | Path,
    split: str = "train",
    *,
    emotion_names: Sequence[str] = MOSEI_EMOTIONS,
    sentiment_names: Sequence[str] = MELD_SENTIMENTS,
    meld_emotion_names: Sequence[str] = MELD_EMOTIONS,
) -> Segments:
    """Reads `<split>_sentences.p` and, where they are there, `_mels.p`, `_r21d.p`, `_sentiment.p` and `_emotion.p`.

    They are read without running what they name. Scores and emotions of CMU-MOSEI stay numbers; MELD's numbers of classes become
    names. A segment without frames lacks the modality, and is counted; one without a label is an error.

    Args:
        folder: The folder of a data set.
        split: `"train"`, `"dev"` (or `"valid"`), `"test"` or `"private"`. Defaults to `"train"`.
        emotion_names: Names of MOSEI's emotion columns, whose order the pickles do not hold. Defaults to the CMU SDK's order.
        sentiment_names, meld_emotion_names: Names of MELD's class numbers. Default to those of the authors' class weights.

    Raises:
        FileNotFoundError: If there is no file of sentences.
        DataError: If a file holds something else, or no entry for a segment.
        RefusedPickle: If a file names more than data.

    Example:
        >>> import pickle
        >>> _ = Path("dev_set").mkdir(); _ = Path("dev_set/valid_sentences.p").write_bytes(pickle.dumps({"v[0]": ["so", "good"]}))
        >>> read_tbje_pickles("dev_set", "dev").texts
        ['so good']

    Reference:
        Delbrouck et al. 2020, public code.
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {list(SPLITS)}: received {split!r}. Pick one of them.")
    folder, prefix = Path(folder), SPLITS[split]
    sentences = _read(folder / f"{prefix}_sentences.p")
    ids = list(sentences)
    texts = []
    for name, words in sentences.items():
        if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
            raise DataError(
                f"{folder / f'{prefix}_sentences.p'}: segment {name!r}: expected a list of words: received {words!r:.60}."
            )
        texts.append(" ".join(words))
    features = {}
    for modality, stem in FEATURES.items():
        path = folder / f"{prefix}_{stem}.p"
        if path.is_file():
            arrays = _read(path)
            features[modality] = [arrays.get(each) for each in ids]
    targets, names = {}, {}
    for target, columns, classes in (
        ("sentiment", None, sentiment_names),
        ("emotion", tuple(emotion_names), meld_emotion_names),
    ):
        path = folder / f"{prefix}_{target}.p"
        if path.is_file():
            targets[target] = _labels(path, ids, columns, classes)
            if targets[target].ndim == 2:
                names[target] = columns
    return Segments(ids, texts, features, targets, names, "dev" if split == "valid" else split)


def _read(path) -> dict:
    from keras_absa.models.torch_checkpoint import read_torch_checkpoint  # needs TensorFlow

    values = read_torch_checkpoint(path)
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise DataError(f"{path}: expected a dict by segment id: received a {type(values).__name__}.")
    return values


def _labels(path, ids, columns, classes):
    """Scores [N], rows of columns [N, C], or names [N] of class numbers."""
    values = _read(path)
    missing = [each for each in ids if each not in values]
    if missing:
        raise DataError(f"{path}: no label for {len(missing)} segments, such as {missing[0]!r}; expected one for each.")
    try:
        found = np.array([np.asarray(values[each]) for each in ids])
    except ValueError as error:
        raise DataError(f"{path}: labels of different shapes, {error!s:.60}.") from error
    if found.ndim == 1 and found.dtype.kind in "iu":
        if found.size and not 0 <= found.min() <= found.max() < len(classes):
            raise DataError(f"{path}: class {found.max()}, expected numbers below {len(classes)}: {list(classes)}.")
        return np.array(classes, np.str_)[found]
    if (
        found.dtype.kind != "f"
        or found.ndim not in (1, 2)
        or (found.ndim == 2 and found.shape[1] != len(columns or ()))
    ):
        raise DataError(
            f"{path}: expected scores, class numbers, or {len(columns or ())} numbers a segment: received {found.dtype} of shape "
            f"{found.shape}."
        )
    return found.astype("float32")
