"""Mentions and their candidates, in Python and as graph ops: by hand, and equal to the published generator's."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.knowledge import MentionIndex, MentionLookup, read_lemma_table

ENTRIES = [
    ("ice_cream", 7, 3.0),
    ("ice", 4, 2.0),
    ("ice", 5, 6.0),
    ("half-baked", 9, 1.0),
    ("us", 3, 1.0),
    ("well", 11, 1.0),
    ("better", 12, 3.0),
    ("a b c d", 2, 1.0),
]
LEMMAS = {"creams": "cream", "better": "Well", "Ices": "ice"}


def index(entries=ENTRIES, **kwargs):
    return MentionIndex(entries, LEMMAS, **kwargs)


def in_graph(own, texts):
    """The graph's answer in the form of the index's, one list a text."""
    tokens = tf.ragged.constant([text.split(" ") if text else [] for text in texts], tf.string, ragged_rank=1)
    spans, entities, priors = tf.function(MentionLookup(own).__call__)(tokens)
    rows = zip(spans.to_list(), entities.to_list(), priors.to_list(), strict=True)
    return [[(*span, ids, each) for span, ids, each in zip(*row, strict=True)] for row in rows]


def in_python(own, texts):
    return [[(m.start, m.end, list(m.entities), list(m.priors)) for m in own(text.split(" "))] for text in texts]


def check_both(own, texts, expected=None):
    """Python and graph agree, and give `expected`."""
    python = in_python(own, texts)
    for text, one, other in zip(texts, python, in_graph(own, texts), strict=True):
        assert [each[:3] for each in one] == [each[:3] for each in other], text
        for each, same in zip(one, other, strict=True):
            np.testing.assert_allclose(each[3], same[3], rtol=1e-6)
    if expected is not None:
        assert [[each[:3] for each in row] for row in python] == expected
    return python


def test_spans_and_priors():
    found = check_both(index(), ["Two ice creams", ""], [[(1, 1, [4, 5]), (1, 2, [7])], []])
    assert found[0][0][3] == [0.25, 0.75]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("half - baked ideas", [(0, 2, [9])]),  # hyphens are passed over inside
        ("half - - baked", [(0, 3, [9])]),
        ("- half - baked -", [(1, 3, [9])]),  # but no span begins or ends with one
        ("half-baked", []),  # one token is another name
        ("U.S. ICE .", [(0, 0, [3]), (1, 1, [4, 5])]),  # full stops and capitals
        ("Ices", [(0, 0, [4, 5])]),  # base forms of what is written
        ("Creams creams ice Creams", [(2, 2, [4, 5])]),  # a capital hides the base form: the table has none
        ("better", [(0, 0, [11])]),
    ],
)
def test_rules(text, expected):
    check_both(index(), [text], [expected])


def test_long_spans():
    check_both(index(), ["a b c d"], [[(0, 3, [2])]])
    check_both(index(max_tokens=3), ["a b c d"], [[]])
    check_both(index(max_tokens=4), ["a b", "c d"], [[], []])  # never across texts


def test_surface_forms_come_after_base_forms():
    own = index(surface_form=True)
    found = check_both(own, ["better ice"], [[(0, 0, [11, 12]), (1, 1, [4, 5])]])
    assert found[0][0][3] == [0.25, 0.75]


@pytest.mark.parametrize("surface_form", [False, True])
def test_the_heaviest_remain(surface_form):
    entries = [("bank", 1, 1.0), ("bank", 2, 5.0), ("bank", 3, 2.0), ("bank", 4, 5.0), ("few", 5, 1.0), ("few", 6, 2.0)]
    own = index(entries, max_candidates=3, surface_form=surface_form)
    found = check_both(
        own, ["bank few"], [[(0, 0, [2, 4, 3]), (1, 1, [5, 6])]]
    )  # equals as they come; few are not sorted
    np.testing.assert_allclose(found[0][0][3], [5 / 12, 5 / 12, 2 / 12])
    assert own.named("bank", all_of_them=True) == [(1, 1.0), (2, 5.0), (3, 2.0), (4, 5.0)]


def test_both_forms_are_cut_together():
    own = index([("well", 1, 2.0), ("well", 2, 1.0), ("better", 3, 9.0)], max_candidates=2, surface_form=True)
    check_both(own, ["better well"], [[(0, 0, [3, 1]), (1, 1, [1, 2])]])


def test_random_texts():
    rng = np.random.default_rng(3)
    words = np.array(["ice", "cream", "creams", "half", "baked", "-", ".", "better", "U.S.", "x", "Ices", "é"])
    texts = [" ".join(rng.choice(words, size=size)) for size in rng.integers(1, 15, size=50)]
    for surface_form in (False, True):
        check_both(index(surface_form=surface_form), texts)


def test_save_and_load(tmp_path):
    own = index(max_tokens=4, max_candidates=1, surface_form=True)
    own.save(tmp_path / "mentions.npz")
    loaded = MentionIndex.load(tmp_path / "mentions.npz")
    assert (loaded.max_tokens, loaded.max_candidates, loaded.surface_form, loaded.lemmas) == (4, 1, True, LEMMAS)
    text = "better half - baked ice creams a b c d".split()
    assert loaded(text) == own(text) and loaded(text)
    plain = MentionIndex(ENTRIES)
    plain.save(tmp_path / "plain.npz")
    assert MentionIndex.load(tmp_path / "plain.npz").lemmas == {}


@pytest.mark.parametrize(
    "entries, kwargs, message",
    [
        ([], {}, "needs entries"),
        ([("a", 0, 1.0)], {}, "'a' with 0 and 1.0"),
        ([("a", 1, 0.0)], {}, "above 0"),
        (ENTRIES, {"max_tokens": 0}, "at least 1"),
        (ENTRIES, {"max_candidates": 0}, "at least 1"),
    ],
)
def test_errors(entries, kwargs, message):
    with pytest.raises(ValueError, match=message):
        MentionIndex(entries, **kwargs)


def test_lemma_tables():
    table, source = read_lemma_table({"mice": "mouse"})
    assert table["mice"] == "mouse" and source
    if "spaCy" in source:
        newer, _ = read_lemma_table(as_published=False)
        assert (table["lenses"], newer["lenses"]) == ("lense", "lens")
        assert "spun-dry" in newer and "spun-dry" not in table


@pytest.mark.golden
@pytest.mark.parametrize("section, surface_form", [("raw", False), ("raw_with_surface_form", True)])
def test_all_candidates_of_wordnet(wordnet, golden_dir, section, surface_form):
    golden = json.loads((golden_dir / "wordnet_candidates.json").read_text(encoding="utf-8"))
    names = [synset.name for synset in wordnet.synsets]
    entries = [
        (key.partition("%")[0], place + 1, wordnet.counts.get(key, 0) + 1)
        for place, synset in enumerate(wordnet.synsets)
        for key in synset.keys
    ]
    own = MentionIndex(entries, golden["lemma_table_excerpt"], surface_form=surface_form)
    texts = [case["text"] for case in golden[section]]
    found = check_both(own, texts)
    for case, row in zip(golden[section], found, strict=True):
        assert [own.lemma(token) for token in case["tokens"]] == case["lemmas"]
        if case["spans"] == [[-1, -1]]:  # the published mark of a text without mentions
            assert not row
            continue
        assert [list(each[:2]) for each in row] == case["spans"]
        assert [[names[entity - 1] for entity in each[2]] for each in row] == case["entities"]
        for each, priors in zip(row, case["priors"], strict=True):
            np.testing.assert_allclose(each[3], priors, atol=1e-6)
