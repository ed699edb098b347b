import json

import pytest

from keras_absa.data import AspectExample, aspect_terms, read_examples, report, restaurants, semeval2014, sentihood
from keras_absa.environment import minilm_folder
from keras_absa.text import Tokenizer

TASK = restaurants()


def row(text, aspect="food", label="positive", **kwargs):
    return AspectExample(text, aspect, label, **kwargs)


TRAIN = [
    row("Cold soup", label="negative", id="1"),
    row("Cold soup", "price", "none", id="1"),
    row("Cold soup", label="positive", id="2", source="train.csv:4"),
    row("cold  SOUP", label="negative", id="3"),
    row("The food was \ufb01ne", id="4"),
]
TEST = [row("the FOOD was fine", id="1", source="test.csv:2"), row("Nice", label=None, id="2")]


@pytest.fixture
def found():
    return report({"train": TRAIN, "test": TEST}, TASK)


def test_sizes_labels_and_copies(found):
    assert found.sizes == {"train": {"texts": 4, "rows": 5}, "test": {"texts": 2, "rows": 2}}
    assert found.labels == {
        "train": {"food": {"negative": 2, "positive": 2}, "price": {"none": 1}},
        "test": {"food": {"positive": 1, "(no label)": 1}},
    }
    assert found.duplicates == {"train": {"exact": 1, "normalised": 2}, "test": {"exact": 0, "normalised": 0}}


def test_leaks_conflicts_and_absent_aspects(found):
    assert found.leaks == {"train/test": 1} and found.conflicts == 1
    assert found.samples["in train too"] == ["test.csv:2: 'the FOOD was fine'"]
    assert found.samples["several labels"] == ["train.csv:4: food is 'positive' here, 'negative' at 1"]
    assert found.absent_aspects == {"food": {"rows": 5, "absent": 3}}


def test_terms_are_counted_together_and_by_their_place():
    rows = [
        row("soup and soup", "soup", "negative", span=(0, 4)),
        row("soup and soup", "soup", "positive", span=(9, 13)),
        row("rice", "tea", "positive", id="9"),
    ]
    found = report({"train": rows}, aspect_terms())
    assert found.labels["train"] == {"(any term)": {"negative": 1, "positive": 2}} and found.conflicts == 0
    assert found.absent_aspects == {"(any term)": {"rows": 3, "absent": 1}}
    assert found.samples["term not in its text"] == ["9: 'tea' is not in 'rice'"]


def test_lengths_by_hand():
    tokenizer = Tokenizer(minilm_folder() / "vocab.txt")
    rows = [row("good"), row("good " * 20)]
    found = report({"train": rows}, TASK, tokenizer=tokenizer, max_length=20)
    # One word piece for the aspect, and [CLS] and two [SEP].
    assert found.lengths == {"train": {"max": 24, "mean": 14.5, "cut_rows": 1, "histogram": {"0": 1, "16": 1}}}


def test_lengths_are_those_that_a_model_sees(data_dir):
    from keras_absa.text.aspect_encoder import AspectEncoder
    from keras_absa.training.row_table import RowTable

    tokenizer, task = Tokenizer(minilm_folder() / "vocab.txt"), sentihood()
    rows = read_examples(task, data_dir / "sentihood" / "sentihood-dev.json")
    lengths = RowTable(rows, task, AspectEncoder(tokenizer, task, max_length=512)).lengths
    found = report({"dev": rows}, task, tokenizer=tokenizer, max_length=64).lengths["dev"]
    assert found["max"] == lengths.max() and found["mean"] == pytest.approx(lengths.mean())
    assert found["cut_rows"] == (lengths > 64).sum()


def test_a_list_of_rows():
    assert report(TRAIN).sizes == {"rows": {"texts": 4, "rows": 5}}


def test_forms(found, tmp_path):
    assert json.loads(json.dumps(found.to_dict()))["leaks"] == {"train/test": 1}
    assert "train/test  1" in str(found) and "Cold soup" not in str(found)
    page = report({"<b>": [row("<script>", source="a&b")]}, TASK).to_html()
    assert "&lt;b&gt;" in page and "<script>" not in page and page.startswith("<!DOCTYPE html>")
    for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        found.plot(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    "task, files, texts, copies, normal, leaks",
    [
        (
            sentihood(),
            ("sentihood-train.json", "sentihood-dev.json", "sentihood-test.json"),
            [2977, 747, 1491],
            [20, 0, 7],
            [24, 0, 9],
            60,
        ),
        (semeval2014(), ("Restaurants_Train.xml", "Restaurants_Test_Gold.xml"), [3044, 800], [6, 0], [9, 0], 1),
    ],
)
def test_published_data(data_dir, task, files, texts, copies, normal, leaks):
    """The numbers stand in the description of the data sets, which was written before this code."""
    found = report({name: read_examples(task, data_dir / task.name / name) for name in files}, task)
    assert [each["texts"] for each in found.sizes.values()] == texts
    assert [each["exact"] for each in found.duplicates.values()] == copies
    assert [each["normalised"] for each in found.duplicates.values()] == normal
    assert found.leaked_texts == leaks and sum(found.leaks.values()) >= leaks


def test_an_empty_split():
    found = report({"train": []}, TASK)
    assert found.sizes == {"train": {"texts": 0, "rows": 0}} and "train" in str(found)
