"""Built-in segments whose label needs the words and the sound together.

Shapes: T frames, F features of a frame.
"""

import numpy as np

from keras_absa.data.joint_task import JointTask
from keras_absa.data.segments import Segments

FEATURES = 8
THINGS = ("meeting", "lecture", "film", "dinner", "journey", "concert", "meal", "talk")
PRAISE = ("a delight", "worth every minute", "just what we needed", "well prepared", "a great success")
BLAME = ("a disaster", "a waste of an evening", "far too long", "badly prepared", "a complete failure")
OPENINGS = ("you know", "honestly", "to be fair", "well", "I must say", "as it turned out")
SIZES = {"train": 768, "dev": 192, "test": 384}
SINCERE, IRONIC = (1, 2), (5, 6)  # the features that are loud in each tone


def cross_modal() -> JointTask:
    """The task of `cross_modal_segments`: does the speaker mean it well?

    Example:
        >>> cross_modal().labels
        ('negative', 'positive')
    """
    return JointTask("cross_modal", "sentiment", "classes", ("negative", "positive"))


def cross_modal_segments(split: str = "train", size: int | None = None, seed: int = 0) -> Segments:
    """Segments in which praise or blame is spoken sincerely or ironically.

    The words say praise or blame, a band of the sound says whether they are meant: the label is "positive" for sincere praise
    and ironic blame. All four are equally frequent, so words alone or sound alone tell nothing about it.

    Args:
        split: `"train"`, `"dev"` or `"test"`; they are drawn apart. Defaults to `"train"`.
        size: Int, number of segments. Defaults to None: 768, 192 or 384.
        seed: Int. Defaults to 0.

    Returns:
        `Segments` with text, `audio` of 6 to 12 frames [T, 8], and the target `sentiment`.

    Example:
        >>> found = cross_modal_segments("dev", size=8)
        >>> found.widths, sorted(found.targets["sentiment"].tolist()).count("positive")
        ({'audio': 8}, 4)
    """
    if split not in SIZES:
        raise ValueError(f"`split` must be one of {list(SIZES)}: received {split!r}. Pick one of them.")
    size = SIZES[split] if size is None else size
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"`size` must be a positive number of segments: received {size!r}. Raise it.")
    random = np.random.default_rng([seed, list(SIZES).index(split)])
    kinds = random.permutation(np.arange(size) % 4)
    texts, sounds, labels = [], [], []
    for kind in kinds:
        praise, sincere = bool(kind % 2), bool(kind // 2)
        verdict = random.choice(PRAISE if praise else BLAME)
        texts.append(f"{random.choice(OPENINGS)}, the {random.choice(THINGS)} was {verdict}")
        sounds.append(_sound(random, SINCERE if sincere else IRONIC))
        labels.append("positive" if praise == sincere else "negative")
    ids = [f"{split}[{place}]" for place in range(size)]
    return Segments(ids, texts, {"audio": sounds}, {"sentiment": np.array(labels, np.str_)}, split=split)


def _sound(random, band):
    """Noise in all features, and a band that is loud in about half of the frames."""
    frames = random.normal(0.0, 0.3, (random.integers(6, 13), FEATURES)).astype("float32")
    loud = random.random(len(frames)) < 0.5
    loud[random.integers(len(frames))] = True
    frames[np.ix_(loud, band)] += random.uniform(0.8, 1.6, (loud.sum(), 1)).astype("float32")
    return frames
