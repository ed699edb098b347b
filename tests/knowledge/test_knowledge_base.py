"""A knowledge base from tables: its ids, its files, and what it refuses."""

import json

import numpy as np
import pytest

from keras_absa.knowledge import KnowledgeBase

ENTITIES = ["ramen", "soba", "u.s._beef"]
VECTORS = np.arange(6.0).reshape(3, 2)
MENTIONS = [("Ramen", "ramen", 1), ("noodles", "ramen", 1), ("noodles", "soba", 2), ("U.S.-Beef", "u.s._beef", 1)]


def kitchen(**kwargs):
    arguments = {"entities": ENTITIES, "vectors": VECTORS, "mentions": MENTIONS, **kwargs}
    return KnowledgeBase.from_tables(arguments.pop("name", "kitchen"), **arguments)


def test_ids_and_vectors():
    own = kitchen()
    assert own.entities == ["@@UNKNOWN@@", *ENTITIES, "@@MASK@@", "@@NULL@@"]
    assert (own.entity_id("soba"), own.entity_id("udon"), own.mask_id, own.null_id, len(own)) == (3, 1, 5, 6, 6)
    assert repr(own) == "KnowledgeBase('kitchen': 6 entities, vectors of 2 numbers)"
    np.testing.assert_array_equal(own.rows(np.array([2, 4])), VECTORS[[0, 2]])
    assert not own.rows(np.array([0, 1])).any()  # padding and unknown
    assert 0 < np.abs(own.rows(np.array([5, 6]))).max() < 0.03
    np.testing.assert_array_equal(own.vectors, kitchen().vectors)  # from a seed
    assert (own.vectors[5] != kitchen(seed=1).vectors[5]).all()


def test_mentions_are_found_however_they_are_written():
    own = kitchen(lemmas={"noodles": "noodle"})
    found = [(m.start, m.end, m.entities) for m in own.mentions("RAMEN noodle u . s . - beef".split())]
    assert found == [(0, 0, (2,)), (1, 1, (2, 3)), (2, 7, (4,))]


def test_weights_of_one_mention_are_added():
    own = kitchen(mentions=[("x", "ramen", 1), ("X", "ramen", 2), ("x", "soba", 1)])
    assert own.mentions(["x"])[0].priors == (0.75, 0.25)


@pytest.mark.parametrize("classes", [None, [1, 2, 1]])
def test_save_and_load(tmp_path, classes):
    own = kitchen(classes=classes, max_tokens=4)
    own.save(tmp_path / "kb")
    loaded = KnowledgeBase.load(tmp_path / "kb", check=True)
    assert isinstance(loaded.vectors, np.memmap)  # not in memory
    assert (loaded.name, loaded.entities, loaded.num_classes) == (own.name, own.entities, own.num_classes)
    np.testing.assert_array_equal(loaded.vectors, own.vectors)
    assert (loaded.classes is None) if classes is None else (loaded.classes.tolist() == own.classes.tolist())
    text = "ramen noodles U.S. beef".split()
    assert loaded.mentions(text) == own.mentions(text) and loaded.mentions.max_tokens == 4
    loaded.save(tmp_path / "kb")  # where it is already
    assert KnowledgeBase.load(tmp_path / "kb", check=True).entities == own.entities


def test_files_that_are_not_those_that_were_written(tmp_path):
    kitchen().save(tmp_path / "kb")
    path = tmp_path / "kb" / "vectors.npy"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    KnowledgeBase.load(tmp_path / "kb")
    with pytest.raises(ValueError, match=r"vectors\.npy: expected the file of \d+ bytes"):
        KnowledgeBase.load(tmp_path / "kb", check=True)
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match=r"vectors\.npy: .*another file, of"):
        KnowledgeBase.load(tmp_path / "kb")
    path.unlink()
    with pytest.raises(ValueError, match="it is missing. Build it again"):
        KnowledgeBase.load(tmp_path / "kb")
    manifest = json.loads((tmp_path / "kb" / "manifest.json").read_text("utf-8"))
    (tmp_path / "kb" / "manifest.json").write_text(json.dumps({**manifest, "format": 2}), "utf-8")
    with pytest.raises(ValueError, match="format 1 is needed: received 2"):
        KnowledgeBase.load(tmp_path / "kb")
    with pytest.raises(FileNotFoundError, match=r"no manifest\.json"):
        KnowledgeBase.load(tmp_path)


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"name": "my kitchen"}, "a name of letters"),
        ({"entities": ["ramen", "soba", "us beef"], "mentions": MENTIONS[:1]}, "without blanks.*received 'us beef'"),
        ({"entities": ["ramen", "soba", "soba"], "mentions": MENTIONS[:1]}, "received 'soba' twice"),
        ({"vectors": VECTORS[:2]}, r"a row for each of 3 entities: received shape \(2, 2\)"),
        ({"vectors": VECTORS * np.nan}, "6 numbers not finite"),
        ({"mentions": [*MENTIONS, ("udon", "udon", 1)]}, r"Mention 4: .*received \('udon', 'udon', 1\)"),
        ({"mentions": [("--", "ramen", 1)]}, "Mention 0: expected words"),
        ({"mentions": [("ramen", "ramen", 0)]}, "a weight above 0"),
        ({"mentions": []}, "needs entries"),
        ({"classes": [1, 2]}, "`classes` must be 7 numbers"),
        ({"classes": [1, -2, 1]}, "`classes` must be 7 numbers"),
    ],
)
def test_errors(kwargs, message):
    with pytest.raises(ValueError, match=message):
        kitchen(**kwargs)
