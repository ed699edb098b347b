"""Segments of speech: what was said, how it sounded, what could be seen, and what is to be learned about it.

Shapes: N segments, T frames of a segment, F features of a frame, S samples of a waveform.
"""

import copy
from collections.abc import Mapping, Sequence

import numpy as np

RESERVED = ("text", "segment_id", "tokens", "vocabulary", "modalities", "contexts")


class Segments:
    """The segments of one split, in memory, with modalities of any length.

    Numbers that are not finite become 0 and are counted: trackers write them where they found no face or no voice. A modality
    that a segment lacks is an array without frames; models treat its positions as padding.

    Args:
        ids: N different strings, for example `"video[3]"`.
        texts: N strings; `""` where nothing was said. Defaults to None, no text.
        features: Modality to a list of N arrays, frames [T, F] or waveforms [S], or None where there is none. Defaults to None.
        targets: Name to an array of N entries: names, numbers, or rows of numbers. Defaults to None.
        names: Target to the names of its columns. Defaults to None.
        split: `"train"`, `"dev"` or `"test"`. Defaults to `"train"`.
        contexts: Ints [N], for an encoder that is guided by contexts. Defaults to None, all 0.

    Attributes:
        widths: Modality to the features of a frame; None for a waveform.
        counts: What was missing or repaired, by `<modality>_missing`, `<modality>_not_finite` (values) and `text_empty`.

    Raises:
        ValueError: If lengths, widths or ids do not fit.

    Example:
        >>> found = Segments(["a", "b"], ["so good", "no"], {"audio": [np.ones([3, 2]), None]})
        >>> len(found), found.counts
        (2, {'audio_missing': 1})
    """

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str] | None = None,
        features: Mapping[str, Sequence] | None = None,
        targets: Mapping | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        split: str = "train",
        contexts: Sequence[int] | None = None,
    ):
        self.ids = [str(each) for each in ids]
        self.split = split
        if len(set(self.ids)) < len(self.ids):
            twice = next(each for each in self.ids if self.ids.count(each) > 1)
            raise ValueError(f"Segment ids must be different: received {twice!r} twice. Number them.")
        self.counts: dict[str, int] = {}
        self.texts = None if texts is None else self._checked("text", list(texts))
        if self.texts is not None:
            wrong = next((row for row, text in enumerate(self.texts) if not isinstance(text, str)), None)
            if wrong is not None:
                raise ValueError(
                    f'Segment {self.ids[wrong]!r}: its text must be a string: received {self.texts[wrong]!r:.60}. Write "" '
                    "where nothing was said."
                )
            self._count("text_empty", sum(not text.strip() for text in self.texts))
        self.widths: dict[str, int | None] = {}
        self.features = {name: self._frames(name, arrays) for name, arrays in (features or {}).items()}
        self.targets = {name: self._checked(name, np.asarray(each)) for name, each in (targets or {}).items()}
        self.names = {name: tuple(each) for name, each in (names or {}).items()}
        self.contexts = None if contexts is None else self._checked("contexts", np.asarray(contexts, "int32"))

    def _checked(self, name, values):
        if len(values) != len(self.ids):
            raise ValueError(
                f"`{name}` must have an entry for each of {len(self.ids)} segments: received {len(values)}."
            )
        return values

    def _count(self, name, number):
        if number:
            self.counts[name] = self.counts.get(name, 0) + int(number)

    def _frames(self, name, arrays) -> list[np.ndarray]:
        """Float32 arrays of one rank and width, finite; a missing one has no frames."""
        if name in RESERVED or not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"A modality must have a name of letters that is not in {RESERVED}: received {name!r}.")
        found, shape, missing, broken = [], None, 0, 0
        for row, each in enumerate(self._checked(name, list(arrays))):
            where = f"Segment {self.ids[row]!r}: its {name}"
            if each is None:
                found.append(None)
                continue
            each = np.asarray(each)
            if each.dtype.kind not in "biuf" or each.ndim not in (1, 2) or 0 in each.shape[1:]:
                raise ValueError(
                    f"{where} must be numbers, frames [T, F] or a waveform [S]: received {each.dtype} of shape {each.shape}."
                )
            shape = each.shape[1:] if shape is None else shape
            if each.shape[1:] != shape:
                raise ValueError(
                    f"{where} must have frames of {list(shape) or 'one'} features, as the segments before: received "
                    f"{list(each.shape[1:]) or 'a waveform'}. Extract all with one setting."
                )
            with np.errstate(over="ignore"):  # becomes infinite, and is counted
                each = each.astype("float32", copy=False)
            finite = np.isfinite(each)
            if not finite.all():
                broken += int((~finite).sum())
                each = np.where(finite, each, np.float32(0))
            found.append(each)
        if shape is None:
            raise ValueError(f"`{name}` must be there for some segment: received none at all. Leave the modality out.")
        self.widths[name] = shape[0] if shape else None
        found = [np.zeros((0, *shape), "float32") if each is None else each for each in found]
        missing = sum(not len(each) for each in found)
        self._count(f"{name}_missing", missing)
        self._count(f"{name}_not_finite", broken)
        return found

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Segments({self.split}: {self.summary()})"

    def summary(self) -> str:
        """One line: how many there are, of what, and what was missing or repaired."""
        parts = [f"{len(self)} segments"] + ([] if self.texts is None else ["text"])
        for name, arrays in self.features.items():
            lengths, width = [len(each) for each in arrays] or [0], self.widths[name]
            what = "samples" if width is None else f"frames of {width}"
            parts.append(f"{name} {min(lengths)} to {max(lengths)} {what}")
        parts += [f"{count} {name.replace('_', ' ')}" for name, count in self.counts.items()]
        return ", ".join(parts)

    def take(self, rows: Sequence[int]) -> "Segments":
        """Some of the segments, in the order of `rows`."""
        return self._rebuilt(rows, {name: rows for name in self.features})

    def shuffled(self, modality: str, seed: int = 0) -> "Segments":
        """The same segments with one modality, `"text"` or one of `features`, dealt out anew: what does a model lose?"""
        known = [*(["text"] if self.texts is not None else []), *self.features]
        if modality not in known:
            raise ValueError(f"`modality` must be one of {known}: received {modality!r}. Pick one of them.")
        mixed = np.random.default_rng(seed).permutation(len(self))
        rows = np.arange(len(self))
        return self._rebuilt(rows, {name: mixed if name == modality else rows for name in ("text", *self.features)})

    def _rebuilt(self, rows, of_modality):
        """What was checked and repaired once is not looked at again."""
        found = copy.copy(self)
        found.ids = [self.ids[row] for row in rows]
        found.counts = {}
        if self.texts is not None:
            found.texts = [self.texts[row] for row in of_modality.get("text", rows)]
            found._count("text_empty", sum(not text.strip() for text in found.texts))
        found.features = {name: [arrays[row] for row in of_modality[name]] for name, arrays in self.features.items()}
        for name, arrays in found.features.items():
            found._count(f"{name}_missing", sum(not len(each) for each in arrays))
        found.targets = {name: each[list(rows)] for name, each in self.targets.items()}
        found.contexts = None if self.contexts is None else self.contexts[list(rows)]
        return found
