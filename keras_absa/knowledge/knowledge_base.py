"""Entities, their vectors, and the words that mention them.

Shapes: N entities, special ones included; W width of a vector.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from keras_absa.knowledge.mention_index import HYPHEN, MentionIndex, base_form

UNKNOWN, MASK, NULL = "@@UNKNOWN@@", "@@MASK@@", "@@NULL@@"
SPECIAL = (UNKNOWN, MASK, NULL)
MANIFEST, ENTITIES, VECTORS, CLASSES, MENTIONS = (
    "manifest.json",
    "entities.txt",
    "vectors.npy",
    "classes.npy",
    "mentions.npz",
)
SPECIAL_STD = 0.004  # of the vectors of @@MASK@@ and @@NULL@@, as in the public code
_CHUNK = 1 << 20


class KnowledgeBase:
    """What a `KnowledgeAttention` knows: it links words of a text to these entities.

    Entity ids are 1 for `@@UNKNOWN@@`, then the entities, then `@@MASK@@` (a mention that is hidden) and `@@NULL@@` (a mention of
    nothing here); 0 is padding. Vectors stay on the disk: only what a batch needs is read.

    Args:
        name: Of letters and digits; inputs of models begin with it, for example `"wordnet"`.
        entities: The N names, the three special ones in their places.
        vectors: Float [N + 1, W], by id.
        mentions: A `MentionIndex` with these ids.
        classes: Ints [N + 1], for an `EntityEmbedding` with classes. Defaults to None.
        num_classes: Int, how many there are. Defaults to 0.

    Raises:
        ValueError: If the parts do not fit each other.

    Example:
        >>> mentions = [("ramen", "ramen", 1), ("noodles", "ramen", 1), ("noodles", "soba", 3)]
        >>> kitchen = KnowledgeBase.from_tables("kitchen", ["ramen", "soba", "udon"], np.eye(3), mentions)
        >>> kitchen.entities[1:4], kitchen.vectors.shape
        (['ramen', 'soba', 'udon'], (7, 3))
        >>> kitchen.mentions("Two noodles".split())
        (Mention(start=1, end=1, entities=(2, 3), priors=(0.25, 0.75)),)

    Reference:
        Peters et al. 2019, section 3.1: "a KB is a fixed collection of K entity nodes", candidates and priors come with it.
    """

    unknown_id = 1

    def __init__(
        self,
        name: str,
        entities: Sequence[str],
        vectors: np.ndarray,
        mentions: MentionIndex,
        classes: np.ndarray | None = None,
        num_classes: int = 0,
    ):
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(
                f"A knowledge base must have a name of letters, digits and _: received {name!r}. Rename it."
            )
        self.name = name
        self.entities = list(entities)
        self.vectors = vectors
        self.mentions = mentions
        self.classes = None if classes is None else np.asarray(classes, "int32")
        self.num_classes = num_classes
        self.folder: Path | None = None
        self._check()
        self._ids = {entity: place for place, entity in enumerate(self.entities, start=1)}
        if len(self._ids) < len(self.entities):
            twice = next(each for each in self._ids if self.entities.count(each) > 1)
            raise ValueError(f"Entities must have different names: received {twice!r} twice. Rename one.")

    def _check(self):
        count = len(self.entities)
        ends = [*self.entities[:1], *self.entities[-2:]]
        wrong = next((each for each in self.entities if not isinstance(each, str) or len(each.split()) != 1), None)
        if ends != list(SPECIAL) or wrong is not None:
            received = f"{wrong!r}" if wrong is not None else f"{ends}"
            raise ValueError(
                f"Entities must be names without blanks, {UNKNOWN} first and {MASK}, {NULL} last: received {received}. Use "
                "`KnowledgeBase.from_tables`, and _ for blanks."
            )
        if self.vectors.ndim != 2 or len(self.vectors) != count + 1 or not self.vectors.shape[1]:
            raise ValueError(
                f"`vectors` must have a row for padding and each of {count} entities: received shape {self.vectors.shape}."
            )
        last = int(self.mentions.entities.max())
        if last > count:
            raise ValueError(f"`mentions` must have ids up to {count}: received {last}. Use those of these entities.")
        if self.classes is not None and (
            len(self.classes) != count + 1 or self.classes.min() < 0 or self.classes.max() >= self.num_classes
        ):
            raise ValueError(
                f"`classes` must be {count + 1} numbers below `num_classes`, {self.num_classes}: received "
                f"{len(self.classes)} up to {self.classes.max()}."
            )

    def __len__(self) -> int:
        return len(self.entities)

    def __repr__(self) -> str:
        return f"KnowledgeBase({self.name!r}: {len(self)} entities, vectors of {self.width} numbers)"

    @property
    def mask_id(self) -> int:
        """Id of `@@MASK@@`."""
        return len(self.entities) - 1

    @property
    def null_id(self) -> int:
        """Id of `@@NULL@@`."""
        return len(self.entities)

    @property
    def width(self) -> int:
        """Of a vector, W."""
        return self.vectors.shape[1]

    def entity_id(self, name: str) -> int:
        """An entity's id; that of `@@UNKNOWN@@` where there is no such entity."""
        return self._ids.get(name, self.unknown_id)

    def rows(self, ids: np.ndarray) -> np.ndarray:
        """The vectors of some entities, float32 [len(ids), W]."""
        return np.asarray(self.vectors[ids], "float32")

    @classmethod
    def from_tables(
        cls,
        name: str,
        entities: Sequence[str],
        vectors: np.ndarray,
        mentions: Iterable[tuple[str, str, float]],
        *,
        classes: Sequence[int] | None = None,
        lemmas: Mapping[str, str] | None = None,
        max_tokens: int = 6,
        max_candidates: int = 30,
        seed: int = 0,
    ) -> "KnowledgeBase":
        """A knowledge base from your own tables.

        Args:
            name: See the class.
            entities: Names without blanks.
            vectors: Float [len(entities), W], in their order; of any source, for example a sentence encoder's of descriptions.
            mentions: (words, entity, weight): how texts mention entities, and how often. Upper case, hyphens and full stops
                make no difference.
            classes: Ints from 1, one an entity, such as parts of speech; the special entities get classes of their own.
                Defaults to None.
            lemmas: Word to base form, applied to mentions and texts; `read_lemma_table` has an English one. Defaults to None.
            max_tokens, max_candidates: See `MentionIndex`. Default to 6 and 30.
            seed: Int, of the small random vectors of `@@MASK@@` and `@@NULL@@`. Defaults to 0.

        Raises:
            ValueError: If a mention has no words or no such entity; it says which.
        """
        entities, vectors = list(entities), np.asarray(vectors, "float32")
        if vectors.ndim != 2 or len(vectors) != len(entities) or not np.isfinite(vectors).all():
            raise ValueError(
                f"`vectors` must be finite, a row for each of {len(entities)} entities: received shape {vectors.shape}, "
                f"{int((~np.isfinite(vectors)).sum())} numbers not finite. Make one row an entity."
            )
        drawn = np.random.default_rng(seed).normal(scale=SPECIAL_STD, size=(2, vectors.shape[1]))
        table = np.concatenate([np.zeros((2, vectors.shape[1])), vectors, drawn]).astype("float32")
        ids = {entity: place for place, entity in enumerate(entities, start=2)}
        index = MentionIndex(_entries(mentions, ids, dict(lemmas or {})), lemmas, max_tokens, max_candidates)
        num_classes = 0
        if classes is not None:
            own = np.asarray(classes, "int32")
            most = int(own.max(initial=0))
            classes, num_classes = np.concatenate([[0, most + 3], own, [most + 1, most + 2]]), most + 4
        return cls(name, [UNKNOWN, *entities, MASK, NULL], table, index, classes, num_classes)

    def save(self, folder: str | Path) -> None:
        """Writes a folder that `load` reads; its manifest, with the files' checksums, comes last."""
        from keras_absa import __version__

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MANIFEST).unlink(missing_ok=True)
        (folder / ENTITIES).write_text("".join(f"{each}\n" for each in self.entities), "utf-8")
        if not (isinstance(self.vectors, np.memmap) and (folder / VECTORS).is_file()):
            np.save(folder / VECTORS, np.asarray(self.vectors, "float32"))
        self.mentions.save(folder / MENTIONS)
        names = [ENTITIES, VECTORS, MENTIONS]
        if self.classes is not None:
            np.save(folder / CLASSES, self.classes)
            names.append(CLASSES)
        manifest = {
            "format": 1,
            "keras_absa": __version__,
            "name": self.name,
            "entities": len(self),
            "width": self.width,
            "num_classes": self.num_classes,
            "files": {name: checksum(folder / name) for name in names},
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
        self.folder = folder

    @classmethod
    def load(cls, folder: str | Path, check: bool = False) -> "KnowledgeBase":
        """Opens what `save` wrote; the vectors are memory-mapped.

        Args:
            folder: The folder.
            check: Bool, compare all files with the manifest's checksums. Defaults to False: their sizes alone.

        Raises:
            FileNotFoundError: If there is no knowledge base.
            ValueError: If a file is missing, or is not the one that was written.
        """
        folder = Path(folder)
        if not (folder / MANIFEST).is_file():
            raise FileNotFoundError(
                f"{folder}: no {MANIFEST} in this folder. Give one that `KnowledgeBase.save` or `keras-absa kb` finished."
            )
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        if manifest.get("format") != 1:
            raise ValueError(
                f"{folder / MANIFEST}: format 1 is needed: received {manifest.get('format')!r}. Install a newer version."
            )
        for name, wanted in manifest["files"].items():
            path = folder / name
            size = path.stat().st_size if path.is_file() else None
            if size != wanted["bytes"] or (check and checksum(path) != wanted):
                found = "it is missing" if size is None else f"another file, of {size} bytes"
                raise ValueError(
                    f"{path}: expected the file of {wanted['bytes']} bytes of the manifest: {found}. Build it again."
                )
        classes = np.load(folder / CLASSES) if manifest["num_classes"] else None
        loaded = cls(
            manifest["name"],
            (folder / ENTITIES).read_text("utf-8").splitlines(),
            np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False),
            MentionIndex.load(folder / MENTIONS),
            classes,
            manifest["num_classes"],
        )
        loaded.folder = folder
        return loaded


def _entries(mentions, ids, lemmas):
    from keras_absa.text.normalizer import Normalizer

    normalizer = Normalizer(lower_case=False)
    weights = {}
    for row, (words, entity, weight) in enumerate(mentions):
        tokens = [word for word, *_ in normalizer.spans(str(words)) if word != HYPHEN]
        words_of_it = " ".join(base_form(token, lemmas) for token in tokens).strip()
        if entity not in ids or not words_of_it or not weight > 0:
            raise ValueError(
                f"Mention {row}: expected words, one of the {len(ids)} entities, and a weight above 0: received "
                f"{(words, entity, weight)!r:.100}. Correct the table."
            )
        key = (words_of_it, ids[entity])
        weights[key] = weights.get(key, 0) + weight
    return [(*key, weight) for key, weight in weights.items()]


def checksum(path: Path) -> dict:
    """A file's size and SHA-256."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}
