"""What `--task` and `--data` stand for where a joint encoder is meant."""

import re
from pathlib import Path

import numpy as np

from keras_absa.cli.command_group import tell
from keras_absa.data import (
    JointTask,
    Segments,
    cross_modal,
    cross_modal_segments,
    meld_emotion,
    meld_sentiment,
    mosei_emotion,
    mosei_score,
    mosei_sentiment,
    read_segments,
)
from keras_absa.data.source_file import JsonError, parse_json

BUILT_IN = "cross-modal"
TASKS = {
    "mosei-emotion": mosei_emotion,
    "mosei-sentiment-7": mosei_sentiment,
    "mosei-sentiment-2": lambda: mosei_sentiment(2),
    "mosei-score": mosei_score,
    "meld-emotion": meld_emotion,
    "meld-sentiment": meld_sentiment,
    BUILT_IN: cross_modal,
}
SPLITS = ("train", "dev", "test")


def find_joint_task(name: str | None, data: str) -> JointTask:
    """The task that `--task` names: one of `TASKS`, or a JSON file of `JointTask.to_dict()`."""
    if name is None and data == BUILT_IN:
        return cross_modal()
    if name in TASKS:
        return TASKS[name]()
    if name is None or not name.endswith(".json"):
        raise ValueError(
            f"`--task` must be one of {', '.join(TASKS)}, or a .json of JointTask.to_dict(): received {name}. Name what is to be "
            "learned."
        )
    path = Path(name)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Write JointTask.to_dict() as JSON.")
    try:
        return JointTask.from_dict(parse_json(path.read_text("utf-8")))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8. Save the file as UTF-8.") from error
    except (JsonError, ValueError) as error:
        line = getattr(error, "line", None)
        raise ValueError(f"{path}{f':{line}' if line else ''}: {error}") from error


def read_segment_split(data: str, split: str, seed: int = 0) -> Segments:
    """One split of a folder with `<split>.npz`, a single `.npz`, or the built-in segments."""
    if data == BUILT_IN:
        return cross_modal_segments(split, seed=seed)
    path = Path(data)
    if not path.exists():
        raise FileNotFoundError(
            f"{path}: no such file or folder. Give a folder with train.npz, dev.npz and test.npz, or {BUILT_IN}."
        )
    found = read_segments(path / f"{split}.npz" if path.is_dir() else path, split)
    tell(found.summary())
    return found


def read_segment_splits(data: str, holdout: float, seed: int) -> dict[str, Segments]:
    """The splits of a folder; where there is no dev.npz, a share of the training videos or dialogues becomes the dev split."""
    if data == BUILT_IN:
        return {split: cross_modal_segments(split, seed=seed) for split in SPLITS}
    if not Path(data).is_dir():
        what = "a file" if Path(data).exists() else "nothing there"
        raise ValueError(
            f"`--data` must be a folder with train.npz, dev.npz and test.npz, or {BUILT_IN}: received {data}, {what}."
        )
    there = [split for split in SPLITS if (Path(data) / f"{split}.npz").is_file()]
    if "train" not in there:
        raise FileNotFoundError(f"{data}: no train.npz in this folder. Write it with keras_absa.data.write_segments.")
    found = {split: read_segment_split(data, split) for split in there}
    if "dev" not in found:
        found["train"], found["dev"] = _held_out(found["train"], holdout, seed)
        tell(f"no dev.npz: {len(found['dev'])} segments, a share of {holdout} of the videos, were held out")
    return found


def _held_out(segments, share, seed):
    """Two parts without a video or dialogue in common."""
    groups = [re.split(r"\[|_utt", name)[0] for name in segments.ids]
    names = sorted(set(groups))
    count = max(1, round(share * len(names)))
    if count >= len(names):
        raise ValueError(f"A dev split needs videos of its own: received {len(names)} in all. Give a dev.npz.")
    chosen = {names[place] for place in np.random.default_rng(seed).permutation(len(names))[:count]}
    rows = {
        wanted: [row for row, group in enumerate(groups) if (group in chosen) == wanted] for wanted in (False, True)
    }
    train, dev = segments.take(rows[False]), segments.take(rows[True])
    dev.split = "dev"
    return train, dev
