"""The reader of WordNet's files: names, sense keys, relations and counts; WordNet 3.0's own where it is installed."""

import json
import shutil
from collections import Counter

import pytest

from keras_absa.data import DataError
from keras_absa.knowledge import WordNet


def test_synsets(small):
    by_name = {synset.name: synset for synset in small.synsets}
    assert len(by_name) == len(small) == len(small.synsets)
    assert [synset.pos for synset in small.synsets[:7]] == ["a", "a", "s", "s", "s", "a", "r"]  # adjectives come first
    dish = by_name["dish.n.02"]
    assert dish.words == ["dish", "plate"] and dish.keys == ["dish%1:00:01::", "plate%1:00:00::"]
    assert dish.definition == "what food is served on"
    assert dish.examples == ["a broken dish", "wash the plates"]
    assert by_name["new_york.n.01"].words == ["New_York", "Big_Apple"]


def test_satellites(small):
    by_name = {synset.name: synset for synset in small.synsets}
    assert by_name["tasty.s.01"].words == ["tasty", "flavourful"]  # without the mark (a)
    assert by_name["tasty.s.01"].keys == ["tasty%5:00:00:good:00", "flavourful%5:00:00:good:00"]
    assert by_name["half-baked.s.02"].keys == ["half-baked%5:00:01:bad:00"]


def test_relations(small):
    rows = list(small.relations())
    assert ("soup.n.01", "synset_hypernyms", "dish.n.01") in rows
    assert ("new_york.n.01", "synset_instance_hypernyms", "city.n.01") in rows
    assert ("ice_cream.n.01", "synset_substance_holonyms", "ice.n.01") in rows
    assert ("tasty.s.01", "synset_similar_tos", "good.a.01") in rows
    assert ("dish.n.02", "synset_lemma", "plate%1:00:00::") in rows
    assert ("well%4:00:00::", "lemma_pertainyms", "good%3:00:00::") in rows
    assert ("good%3:00:00::", "lemma_antonyms", "bad%3:00:00::") in rows
    assert not any("poor" in head for head, relation, _ in rows if relation == "lemma_antonyms")  # of one word alone
    published = list(small.relations(lemma_heads="synset"))
    assert ("good.a.01", "lemma_antonyms", "bad%3:00:00::") in published
    assert len(published) == len(rows)
    with pytest.raises(ValueError, match="`lemma_heads` must be one of"):
        list(small.relations("word"))


def test_entities_and_counts(small):
    rows = list(small.entities())
    assert [row["id"] for row in rows[:4]] == ["good.a.01", "good%3:00:00::", "bad.a.01", "bad%3:00:00::"]
    counts = {row["id"]: row["count"] for row in rows if row["type"] == "lemma"}
    assert counts["bank%1:00:00::"] == 25 and counts["plate%1:00:00::"] == 0
    assert small.exceptions == {"mice": "mouse", "dishes": "dish", "served": "serve"}


def copied(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_without_counts_and_exceptions(small_folder, tmp_path):
    folder = copied(small_folder, tmp_path)
    for name in ("cntlist.rev", "noun.exc", "verb.exc"):
        (folder / name).unlink()
    assert (WordNet(folder).counts, WordNet(folder).exceptions) == ({}, {})


def test_a_missing_file_is_named(small_folder, tmp_path):
    folder = copied(small_folder, tmp_path)
    (folder / "index.adv").unlink()
    with pytest.raises(DataError, match=r"index\.adv not there.*nltk_data"):
        WordNet(folder)
    with pytest.raises(DataError, match="must hold data.adj"):
        WordNet(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "file, old, new, message",
    [
        ("data.noun", " n 02 dish 1", " n 02 dish", r"data\.noun:6: A line must be a synset"),
        ("data.verb", " v 01 act 0", " v zz act 0", r"data\.verb:3: .*zz"),
        ("index.noun", "soup n 1", "soups n 1", r"data\.noun:9: .*index\.noun.*KeyError: 'soup'"),
        ("index.noun", "soup n 1", "soup n one", r"index\.noun:\d+: A line must be a word"),
        ("cntlist.rev", "bank%1:00:01:: 1 20", "bank%1:00:01:: 20", r"cntlist\.rev:1: A line must be a key"),
        ("data.adj", "&", "^", r"A satellite must point to its head with &: 'tasty.s.01'"),
    ],
)
def test_a_broken_line_is_named(small_folder, tmp_path, file, old, new, message):
    folder = copied(small_folder, tmp_path)
    edit(folder / file, old, new)
    with pytest.raises(DataError, match=message):
        WordNet(folder)


def test_a_pointer_to_nothing_is_named(small_folder, tmp_path, small):
    folder = copied(small_folder, tmp_path)
    thing = next(synset for synset in small.synsets if synset.name == "thing.n.01")
    edit(folder / "data.noun", f"@ {thing.offset:08d}", "@ 99999999")
    with pytest.raises(DataError, match=r"@ of 'food.n.01' leads to 99999999 n"):
        WordNet(folder)


def test_another_encoding_is_named(small_folder, tmp_path):
    folder = copied(small_folder, tmp_path)
    (folder / "data.adv").write_bytes((folder / "data.adv").read_bytes() + "café\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"data\.adv: WordNet's files are ASCII"):
        WordNet(folder)


@pytest.mark.golden
def test_all_counts_of_wordnet(wordnet, golden_dir):
    wanted = json.loads((golden_dir / "wordnet_candidates.json").read_text(encoding="utf-8"))["graph"]
    assert len(wordnet) == wanted["synsets"]
    assert Counter(synset.pos for synset in wordnet.synsets) == wanted["synsets_by_type"]
    entities = list(wordnet.entities())
    lemmas = [row for row in entities if row["type"] == "lemma"]
    assert len(lemmas) == wanted["lemma_rows"]
    assert len({row["id"] for row in lemmas}) == wanted["distinct_lemma_keys"]
    found = {row["id"]: row for row in reversed(entities)}
    for row in wanted["sample_entities"]:
        assert found[row["id"]] == row
    rows = list(wordnet.relations(lemma_heads="synset"))
    assert len(rows) == wanted["relation_rows"] and len(set(rows)) == wanted["distinct_relation_rows"]
    assert Counter(relation for _, relation, _ in rows) == wanted["rows_by_relation"]
    assert len({node for head, _, tail in rows for node in (head, tail)}) == wanted["nodes_in_relation_file"]
    assert len({head for head, *_ in rows}) == wanted["distinct_head_nodes"]
