"""SNLI's pairs and Yelp's reviews, invented ones in their formats."""

import json

import pytest

from keras_absa.data import DataError, LoadReport, load, read_examples, read_snli, read_yelp, restaurants, snli, yelp
from keras_absa.data.json_lines import MAX_LINE_BYTES


def pair(premise="A dog runs.", hypothesis="It moves.", label="entailment", **more):
    return {"sentence1": premise, "sentence2": hypothesis, "gold_label": label, "pairID": "7#1r1e", **more}


def review(text="Good soup.", stars=4.0, **more):
    return {"review_id": "r1", "stars": stars, "useful": 0, "text": text, **more}


@pytest.fixture
def written(tmp_path):
    def write(*lines, name="data.jsonl"):
        rows = [line if isinstance(line, (str, bytes)) else json.dumps(line) for line in lines]
        rows = [row if isinstance(row, bytes) else row.encode() for row in rows]
        path = tmp_path / name
        path.write_bytes(b"\n".join(rows) + b"\n")
        return path

    return write


def test_pairs(written):
    path = written(pair(), pair(hypothesis="It sleeps.", label="contradiction"), pair(label="-"), pair("A cat."))
    report = LoadReport()
    rows = read_snli(path, "dev", report=report)
    assert [(row.text, row.aspect, row.label) for row in rows] == [
        ("A dog runs.", "It moves.", "entailment"),
        ("A dog runs.", "It sleeps.", "contradiction"),
        ("A cat.", "It moves.", "entailment"),
    ]
    assert rows[0].id == rows[1].id != rows[2].id and rows[2].source.endswith("data.jsonl:4") and rows[0].split == "dev"
    assert report.counts == {"no_gold_label": 1} and report.rows == 3
    assert read_examples(None, path) == read_snli(path) == read_examples(snli(), path)
    assert len(read_snli(path, limit=2)) == 2


def test_reviews(written):
    path = written(review(), review("Bad.", 1, review_id="r2"), name="reviews.json")
    rows = read_yelp(path)
    assert [(row.text, row.aspect, row.label, row.id) for row in rows] == [
        ("Good soup.", "overall", "4", "r1"),
        ("Bad.", "overall", "1", "r2"),
    ]
    assert read_examples(None, path) == rows and read_yelp(path, limit=1) == rows[:1]


def test_mistakes_are_named_all_at_once(written):
    path = written(
        "[1]", pair(label=None), pair(hypothesis=" "), pair(label="maybe"), '{"sentence1": ', b'"\xff"', pair()
    )
    with pytest.raises(DataError) as error:
        read_snli(path)
    found = [message[message.index("data.") :] for message in error.value.errors]
    assert found == [
        "data.jsonl:1: expected a JSON object: received '[1]'",
        "data.jsonl:2: gold_label must be a string: received None",
        "data.jsonl:3: empty aspect, expected a name",
        "data.jsonl:4: unknown label 'maybe'; known: contradiction, entailment, neutral",
        "data.jsonl:5:15: invalid JSON, expecting value.",
        "data.jsonl:6: byte 0xff at offset 1 of the line is not UTF-8, expected UTF-8",
    ]
    report = LoadReport()
    assert len(read_snli(path, on_error="skip", report=report)) == 1 and len(report.rejected) == 6

    path = written(
        review(stars=3.5), review(stars="4"), review(stars=True), review(stars=6), review(None), review(review_id=7)
    )
    with pytest.raises(DataError) as error:
        read_yelp(path)
    found = [message[message.index("data.") :] for message in error.value.errors]
    assert found == [
        "data.jsonl:1: stars must be a whole number: received 3.5",
        "data.jsonl:2: stars must be a whole number: received '4'",
        "data.jsonl:3: stars must be a whole number: received True",
        "data.jsonl:4: unknown label '6'; known: 1, 2, 3, 4, 5",
        "data.jsonl:5: text must be a string: received None",
        "data.jsonl:6: review_id must be a string: received 7",
    ]


def test_odd_files(written, tmp_path):
    assert len(read_yelp(written(b"\xef\xbb\xbf" + json.dumps(review()).encode() + b"\r", "", "  "))) == 1
    with pytest.raises(DataError, match=r"data.jsonl:2: a line of more than \d+ bytes"):
        read_yelp(written(review(), " " * (MAX_LINE_BYTES + 2)))
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_snli(tmp_path / "absent.jsonl")
    with pytest.raises(ValueError, match="need a task with open aspects: received 'yelp'"):
        read_snli(written(pair()), task=yelp())
    with pytest.raises(ValueError, match="one question: received task 'restaurants' with 4 contexts"):
        read_yelp(written(review()), task=restaurants())


def test_a_folder_of_pairs(written):
    rows = [pair(f"A dog runs {n}.") for n in range(10)]
    folder = written(*rows, name="snli_1.0_train.jsonl").parent
    written(*rows[:3], name="snli_1.0_test.jsonl")
    train, dev, test = load(snli(), folder)
    assert (len(train), len(dev), len(test)) == (9, 1, 3)
