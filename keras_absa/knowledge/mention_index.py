"""Which entities may a few words mean?"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

HYPHEN = "-"  # joins words without being one


class Mention(NamedTuple):
    """A span of tokens that may mean something.

    Attributes:
        start, end: Its first and its last token.
        entities: Ids of its candidates.
        priors: How likely each of them is without any context; they sum to 1.

    Example:
        >>> Mention(2, 3, (7,), (1.0,)).end
        3
    """

    start: int
    end: int
    entities: tuple[int, ...]
    priors: tuple[float, ...]


class MentionIndex:
    """Finds all spans of tokens that a knowledge base has words for, and their candidates. Spans may overlap.

    A token is looked up as its base form, in lower case, without full stops; hyphens inside a span are passed over.

    Args:
        entries: (words, entity id, weight) of everything that has a name; `_` and `-` in the words are blanks. The order decides
            between equal weights.
        lemmas: Token, as it is written, to its base form. Defaults to None: every token is its own.
        max_tokens: Int, tokens of the longest span. Defaults to 6.
        max_candidates: Int; of a span with more, the heaviest remain. Defaults to 30.
        surface_form: Bool, look tokens up as they are written, too. Defaults to False.

    Raises:
        ValueError: If a weight is not above 0, an id is not above 0, or nothing is left to look up.

    Example:
        >>> index = MentionIndex([("ice_cream", 7, 3.0), ("ice", 4, 2.0), ("ice", 5, 6.0)], {"creams": "cream"})
        >>> [tuple(mention) for mention in index("Two ice creams".split())]
        [(1, 1, (4, 5), (0.25, 0.75)), (1, 2, (7,), (1.0,))]

    Reference:
        Peters et al. 2019, section 4.1, and the public code: base forms without parts of speech, all spans, no stop words. (Its
        `max_entity_length` of 7 gives 6 tokens.)
    """

    def __init__(
        self,
        entries: Iterable[tuple[str, int, float]],
        lemmas: Mapping[str, str] | None = None,
        max_tokens: int = 6,
        max_candidates: int = 30,
        surface_form: bool = False,
    ):
        names: dict[str, list[tuple[int, float]]] = {}
        for words, entity, weight in entries:
            if not (entity > 0 and weight > 0):
                raise ValueError(
                    f"Entries must have an id and a weight above 0: received {words!r} with {entity} and {weight}. Correct it."
                )
            names.setdefault(words.replace("_", " ").replace("-", " "), []).append((int(entity), float(weight)))
        if not names or max_tokens < 1 or max_candidates < 1:
            raise ValueError(
                f"A MentionIndex needs entries, `max_tokens` and `max_candidates`: received {len(names)}, {max_tokens} and "
                f"{max_candidates}. Give at least 1 of each."
            )
        self.lemmas = dict(lemmas or {})
        self.max_tokens = max_tokens
        self.max_candidates = max_candidates
        self.surface_form = surface_form
        self.keys = list(names)
        self.splits = np.cumsum([0, *map(len, names.values())], dtype="int32")
        self.entities = np.array([entity for found in names.values() for entity, _ in found], "int32")
        self.weights = np.array([weight for found in names.values() for _, weight in found], "float32")
        self._place = {key: place for place, key in enumerate(self.keys)}
        self.cached = lru_cache(maxsize=100_000)(self.__call__)

    def __call__(self, tokens: Sequence[str]) -> tuple[Mention, ...]:
        """The mentions in a text's tokens, by first token, then by last. `cached` is the same, for tuples."""
        forms = [self._lemmas(tokens)]
        if self.surface_form:
            forms.append([token.lower().replace(".", "") for token in tokens])
        mentions = []
        for start in range(len(tokens)):
            for end in range(start, min(start + self.max_tokens, len(tokens))):
                found = []
                for tried, form in enumerate(forms):
                    span = form[start : end + 1]
                    if tried and span == forms[0][start : end + 1]:
                        continue
                    if span[0] != HYPHEN and span[-1] != HYPHEN:
                        found += self.named(" ".join(token for token in span if token != HYPHEN))
                if found:
                    mentions.append(mention_of(start, end, cut(found, self.max_candidates)))
        return tuple(mentions)

    def _lemmas(self, tokens):
        return [base_form(token, self.lemmas) for token in tokens]

    def lemma(self, token: str) -> str:
        """What a token is looked up as."""
        return self._lemmas([token])[0]

    def named(self, words: str, all_of_them: bool = False) -> list[tuple[int, float]]:
        """(entity, weight) of what has exactly this name: the heaviest, or all of them."""
        place = self._place.get(words)
        if place is None:
            return []
        own = slice(self.splits[place], self.splits[place + 1])
        found = list(zip(self.entities[own].tolist(), self.weights[own].tolist(), strict=True))
        return found if all_of_them else cut(found, self.max_candidates)

    def save(self, path: str | Path) -> None:
        """Writes a `.npz` that `load` reads."""
        lemmas = [each for pair in self.lemmas.items() for each in pair]
        np.savez(
            path,
            keys=_packed(self.keys),
            lemmas=_packed(lemmas),
            splits=self.splits,
            entities=self.entities,
            weights=self.weights,
            settings=np.array([self.max_tokens, self.max_candidates, self.surface_form], "int32"),
        )

    @classmethod
    def load(cls, path: str | Path) -> "MentionIndex":
        """Reads what `save` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            keys, lemmas = _unpacked(arrays["keys"]), _unpacked(arrays["lemmas"])
            repeated = np.repeat(np.arange(len(keys)), np.diff(arrays["splits"])).tolist()
            weights, entities = arrays["weights"].tolist(), arrays["entities"].tolist()
            entries = [(keys[place], *rest) for place, *rest in zip(repeated, entities, weights, strict=True)]
            max_tokens, max_candidates, surface_form = arrays["settings"].tolist()
        table = dict(zip(lemmas[::2], lemmas[1::2], strict=True))
        return cls(entries, table, max_tokens, max_candidates, bool(surface_form))


def base_form(token: str, lemmas: Mapping[str, str]) -> str:
    """What a token is looked up as."""
    return lemmas.get(token, token).lower().replace(".", "")


def cut(found: list[tuple[int, float]], most: int) -> list[tuple[int, float]]:
    """The heaviest, in the order of their weights, if there are more than `most`; else all of them as they are."""
    return found if len(found) <= most else sorted(found, key=lambda each: -each[1])[:most]


def mention_of(start: int, end: int, found: list[tuple[int, float]]) -> Mention:
    """A mention with weights as priors."""
    total = sum(weight for _, weight in found)
    return Mention(start, end, tuple(each for each, _ in found), tuple(weight / total for _, weight in found))


def _packed(strings):
    """Strings as one array of bytes; they hold no line breaks."""
    return np.frombuffer("\n".join(strings).encode("utf-8"), "uint8")


def _unpacked(array):
    text = array.tobytes().decode("utf-8")
    return text.split("\n") if text else []
