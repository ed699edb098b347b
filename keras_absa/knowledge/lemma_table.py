"""English words and their base forms, without parts of speech."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

# Where the list of spaCy 2.0.18, with which KnowBert was trained, differs from that of spacy-lookups-data 1.0.5.
AS_IN_SPACY_2_0 = {
    "dry": "spin-dry",
    "spun": "spin-dry",
    "lenses": "lense",
    "singing": "singe",
    "first": "\ufeff1",
}
NOT_IN_SPACY_2_0 = ("spun-dry",)


def read_lemma_table(exceptions: dict[str, str] | None = None, as_published: bool = True) -> tuple[dict[str, str], str]:
    """The table that candidates are looked up with.

    Args:
        exceptions: What to use where the package spacy-lookups-data is not installed: irregular form to base form, for example
            `WordNet.exceptions`. Defaults to None, nothing.
        as_published: Bool, the list of spaCy 2.0.18 to the letter, with a few entries that were corrected later. Defaults to
            True.

    Returns:
        (table, where it is from): word, as it is written, to base form.

    Example:
        >>> table, source = read_lemma_table({"mice": "mouse"})
        >>> table["mice"]
        'mouse'
    """
    path = lookups_file()
    if path is None:
        return dict(exceptions or {}), "WordNet's exception lists (install spacy-lookups-data for regular forms, too)"
    table = json.loads(gzip.decompress(path.read_bytes()).decode("utf-8"))
    if not as_published:
        return table, "spacy-lookups-data"
    table |= AS_IN_SPACY_2_0
    for word in NOT_IN_SPACY_2_0:
        table.pop(word, None)
    return table, "spacy-lookups-data, as in spaCy 2.0.18"


def lookups_file() -> Path | None:
    """The file of spacy-lookups-data; None where it is not installed."""
    spec = find_spec("spacy_lookups_data")
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0]) / "data" / "en_lemma_lookup.json.gz"
    return path if path.is_file() else None
