"""WordNet's database files: synsets, their words, and what relates them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from keras_absa.data.data_error import DataError

PARTS = {"adj": "a", "adv": "r", "noun": "n", "verb": "v"}  # of speech, in the order in which the synsets are numbered
_TYPE_NUMBERS = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
_FILES = [f"{kind}.{part}" for kind in ("data", "index") for part in PARTS]
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand
_SHARED = {
    "hypernyms": "@",
    "instance_hypernyms": "@i",
    "member_holonyms": "#m",
    "substance_holonyms": "#s",
    "part_holonyms": "#p",
    "attributes": "=",
    "entailments": "*",
    "causes": ">",
    "also_sees": "^",
    "verb_groups": "$",
    "similar_tos": "&",
}
# Hyponyms and meronyms are the same relations the other way round.
SYNSET_RELATIONS = _SHARED
LEMMA_RELATIONS = {
    "antonyms": "!",
    **_SHARED,
    "topic_domains": ";c",
    "region_domains": ";r",
    "usage_domains": ";u",
    "derivationally_related_forms": "+",
    "pertainyms": "\\",
}


@dataclass
class Synset:
    """A meaning, and the words for it.

    Attributes:
        name: For example `"half-baked.s.02"`: the first word, the type, and its rank among the word's meanings.
        pos: `"n"`, `"v"`, `"a"`, `"s"` (satellite adjective) or `"r"`.
        offset: Where it stands in its file.
        words: As WordNet writes them, with `_` for blanks.
        keys: The sense key of each word.
        definition: String.
        examples: Strings.

    Example:
        >>> Synset("ice.n.01", "n", 1740, ["ice"], ["ice%1:27:00::"], "frozen water", []).words
        ['ice']
    """

    name: str
    pos: str
    offset: int
    words: list[str]
    keys: list[str]
    definition: str
    examples: list[str]


class WordNet:
    """A WordNet 3.0 or 3.1 database, wherever its files are; nothing else is needed.

    Names follow one rule: the first word in lower case, the type, and the two-digit rank of the synset in the word's index line,
    where adjectives and satellites are counted together. (Current releases of nltk count satellites apart.)

    Args:
        folder: With `data.noun`, `index.noun`, and so on for `verb`, `adj` and `adv`; `cntlist.rev`, if there, has the counts.

    Attributes:
        synsets: List of `Synset`: adjectives, adverbs, nouns, verbs, each in the order of its file.
        counts: Sense key to how often the sense was tagged in WordNet's corpora; empty without `cntlist.rev`.
        exceptions: Irregular form to base form, of all `*.exc` files that are there.

    Raises:
        DataError: If a file is missing, or a line is not WordNet's.

    Example:
        >>> WordNet("/usr/share/wordnet").synsets[0].name  # doctest: +SKIP
        'able.a.01'

    Reference:
        Fellbaum 1998; the manual pages wndb(5WN) and senseidx(5WN).
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        missing = [name for name in _FILES if not (self.folder / name).is_file()]
        if missing:
            raise DataError(
                f"{folder}: A WordNet folder must hold {', '.join(_FILES)}: {', '.join(missing)} not there. Give the folder "
                "`dict` of a download, nltk_data/corpora/wordnet, or, with Debian's wordnet-base, /usr/share/wordnet.",
            )
        self._pointers = []  # of each synset: (symbol, synset's key, source, target), the last two 0 for the whole synset
        self._places: dict[tuple[str, int], int] = {}  # (part of speech, offset) -> place in `synsets`
        self.synsets: list[Synset] = []
        for part in PARTS:
            self._read_synsets(part)
        self._check_pointers()
        self._name_senses()
        self.counts = self._read_counts()
        self.exceptions = self._read_exceptions()

    def __len__(self) -> int:
        return len(self.synsets)

    def _lines(self, name):
        path = self.folder / name
        with open(path, encoding="utf-8", errors="strict", newline="\n") as lines:
            try:
                for number, line in enumerate(lines, start=1):
                    if line.strip() and not line.startswith("  "):  # the licence stands at the top
                        yield number, line.rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DataError(f"{path}: WordNet's files are ASCII: {error.reason}. Get the file anew.") from error

    def _read_synsets(self, part):
        index = self._read_index(part)
        for number, line in self._lines(f"data.{part}"):
            try:
                columns, _, gloss = line.partition("|")
                fields = columns.split()
                offset, pos, count = int(fields[0]), fields[2], int(fields[3], 16)
                raw = fields[4 : 4 + 2 * count : 2]
                lex_ids = [int(each, 16) for each in fields[5 : 5 + 2 * count : 2]]
                words = [_MARKER.sub("", word) for word in raw]
                links = int(fields[4 + 2 * count])
                start = 5 + 2 * count
                pointers = []
                for at in range(start, start + 4 * links, 4):
                    symbol, target, target_pos, ends = fields[at : at + 4]
                    key = ("a" if target_pos == "s" else target_pos, int(target))
                    pointers.append((symbol, key, int(ends[:2], 16), int(ends[2:], 16)))
                rank = index[words[0].lower()].index(offset) + 1
                number_of_type = _TYPE_NUMBERS[pos]
            except (ValueError, IndexError, KeyError) as error:
                raise DataError(
                    f"{self.folder}/data.{part}:{number}: A line must be a synset of wndb(5WN), and its first word must be in "
                    f"index.{part} with its offset: received {line[:60]!r} ({type(error).__name__}: {error}). Use the files of "
                    "one release, unchanged.",
                ) from error
            definition, examples = _split_gloss(gloss)
            stems = [
                (word.lower(), f"{number_of_type}:{fields[1]}:{lex_id:02d}")
                for word, lex_id in zip(words, lex_ids, strict=True)
            ]
            self._places[PARTS[part], offset] = len(self.synsets)
            self._pointers.append(pointers)
            name = f"{words[0].lower()}.{pos}.{rank:02d}"
            self.synsets.append(Synset(name, pos, offset, words, stems, definition, examples))

    def _read_index(self, part):
        """Word to the offsets of its synsets, the commonest first."""
        index = {}
        for number, line in self._lines(f"index.{part}"):
            fields = line.split()
            try:
                offsets = [int(each) for each in fields[-int(fields[2]) :]]
                index[fields[0]] = offsets
            except (ValueError, IndexError) as error:
                raise DataError(
                    f"{self.folder}/index.{part}:{number}: A line must be a word of wndb(5WN): received {line[:60]!r}. Get the "
                    "file anew.",
                ) from error
        return index

    def _check_pointers(self):
        for synset, pointers in zip(self.synsets, self._pointers, strict=True):
            for symbol, key, own, target in pointers:
                words = len(self.synsets[self._places[key]].words) if key in self._places else -1
                if own > len(synset.words) or target > words:
                    raise DataError(
                        f"{self.folder}: A pointer must lead to a synset or to a word of one: {symbol} of {synset.name!r} leads "
                        f"to {key[1]:08d} {key[0]}, word {target}. Use the files of one release, unchanged.",
                    )

    def _name_senses(self):
        """Completes the sense keys: a satellite's has the first word of its head's synset."""
        heads = {}
        for place, synset in enumerate(self.synsets):
            head = ("", "")
            if synset.pos == "s":
                found = next((key for symbol, key, *_ in self._pointers[place] if symbol == "&"), None)
                if found not in self._places:
                    raise DataError(
                        f"{self.folder}/data.adj: A satellite must point to its head with &: {synset.name!r} does not. Get the "
                        "file anew.",
                    )
                word, rest = self.synsets[self._places[found]].keys[0]
                head = (word, rest.rpartition(":")[2])
            heads[place] = head
        for place, synset in enumerate(self.synsets):
            synset.keys = [f"{word}%{rest}:{':'.join(heads[place])}" for word, rest in synset.keys]

    def _read_counts(self):
        if not (self.folder / "cntlist.rev").is_file():
            return {}
        counts = {}
        for number, line in self._lines("cntlist.rev"):
            try:
                key, _, count = line.split()
                counts[key] = int(count)
            except ValueError as error:
                raise DataError(
                    f"{self.folder}/cntlist.rev:{number}: A line must be a key and two numbers: received {line[:60]!r}. Get "
                    "the file anew.",
                ) from error
        return counts

    def _read_exceptions(self):
        found = {}
        for part in PARTS:
            if (self.folder / f"{part}.exc").is_file():
                for _, line in self._lines(f"{part}.exc"):
                    form, *bases = line.split()
                    if bases:
                        found.setdefault(form, bases[0])
        return found

    def related(self, place: int, symbol: str, word: int | None = None) -> list[tuple[int, int]]:
        """What a synset, or one of its words, points to.

        Args:
            place: Of the synset in `synsets`.
            symbol: WordNet's, for example `"@"`.
            word: Place of the word in the synset. Defaults to None, the synset itself.

        Returns:
            List of (place of the synset, place of the word in it); -1 for the whole synset.
        """
        source = 0 if word is None else word + 1
        found = [
            (self._places[key], target - 1)
            for each, key, own, target in self._pointers[place]
            if each == symbol and own == source
        ]
        return found if source else list(dict.fromkeys(found))  # a few pointers of words stand twice

    def entities(self) -> Iterator[dict]:
        """Each synset as a dict, followed by its words: what `entities.jsonl` of a built knowledge base holds."""
        for synset in self.synsets:
            yield {
                "id": synset.name,
                "pos": synset.pos,
                "lemmas": synset.keys,
                "examples": synset.examples,
                "definition": synset.definition,
                "type": "synset",
            }
            for key in synset.keys:
                count = self.counts.get(key, 0)
                yield {"id": key, "pos": synset.pos, "synset": synset.name, "type": "lemma", "count": count}

    def relations(self, lemma_heads: str = "lemma") -> Iterator[tuple[str, str, str]]:
        """The graph: (head, relation, tail), with `synset_` or `lemma_` before the relation's name.

        Args:
            lemma_heads: What a relation of words starts at: `"lemma"`, the word's sense key; `"synset"`, the synset's name, as
                in the public code. Defaults to `"lemma"`.

        Raises:
            ValueError: If `lemma_heads` is neither.
        """
        if lemma_heads not in ("lemma", "synset"):
            raise ValueError(
                f"`lemma_heads` must be one of ['lemma', 'synset']: received {lemma_heads!r}. Pick one of them."
            )
        for place, synset in enumerate(self.synsets):
            for relation, symbol in SYNSET_RELATIONS.items():
                for target, _ in self.related(place, symbol):
                    yield synset.name, f"synset_{relation}", self.synsets[target].name
            for word, key in enumerate(synset.keys):
                yield synset.name, "synset_lemma", key
                for relation, symbol in LEMMA_RELATIONS.items():
                    for target, other in self.related(place, symbol, word):
                        head = key if lemma_heads == "lemma" else synset.name
                        yield head, f"lemma_{relation}", self.synsets[target].keys[other]


def _split_gloss(gloss: str) -> tuple[str, list[str]]:
    """The definition, and the examples in quotes."""
    definition, examples = [], []
    for part in gloss.split(";"):
        part = part.strip()
        if part.startswith('"'):
            examples.append(part.strip('"'))
        else:
            definition.append(part)
    return "; ".join(definition), examples
