"""What is skipped is counted and written down; what contradicts itself is kept, dropped or refused."""

import json

import pytest

from keras_absa.data import (
    AspectTask,
    DataError,
    LoadReport,
    load,
    read_examples,
    restaurants,
    semeval2014,
    sentihood,
    write_rejects,
)

SHOP = AspectTask("shop", aspects=("food", "staff"), labels=("good", "bad"))
TABLE = (
    "text,aspect,sentiment\nFine soup.,food,good\nFine soup.,food,bad\nFine soup.,staff,good\nGood bread.,food,good\n"
)
SENTENCES = (
    '<sentences><sentence id="1"><text>Soup</text><aspectCategories><aspectCategory category="food" polarity="positive"/>'
    '<aspectCategory category="food" polarity="negative"/></aspectCategories></sentence>'
    '<sentence id="2"><text>Bread</text><aspectCategories/></sentence></sentences>'
)
OPINIONS = [{"target_entity": "LOCATION1", "aspect": "price", "sentiment": label} for label in ("Positive", "Negative")]
RECORDS = json.dumps(
    [
        {"id": 1, "text": "LOCATION1 or LOCATION2", "opinions": OPINIONS},
        {"id": 2, "text": "LOCATION1", "opinions": []},
    ]
)
FILES = {"a.csv": (SHOP, TABLE), "a.xml": (semeval2014(), SENTENCES), "a.json": (sentihood(), RECORDS)}


@pytest.mark.parametrize(
    ("name", "kept", "dropped"),
    [("a.csv", 4, 2), ("a.xml", 10, 5), ("a.json", 12, 8)],  # a row; a sentence's five; a text and target's four
)
def test_conflicts(tmp_path, name, kept, dropped):
    task, content = FILES[name]
    path = tmp_path / name
    path.write_text(content)
    counts = {}
    for conflict in ("keep", "drop"):
        report = LoadReport()
        counts[conflict] = len(read_examples(task, path, report=report, conflict=conflict))
        assert report.counts["conflicts"] == 1 and report.rows == counts[conflict]
        assert ["neither counts" in message for _, message in report.rejected] == [True] * (conflict == "drop")
    assert counts == {"keep": kept, "drop": dropped}
    with pytest.raises(DataError, match=rf"{name}:.*(then|before).*; expected one label"):
        read_examples(task, path, conflict="error")
    report = LoadReport()
    assert len(read_examples(task, path, on_error="skip", conflict="error", report=report)) == dropped
    assert [reason for reason, _ in report.rejected] == ["conflicts"]
    with pytest.raises(ValueError, match=r"`conflict` must be one of .*received 'merge'\. Pick"):
        read_examples(task, path, conflict="merge")


def test_load_skips_and_lists(tmp_path):
    good = "".join(f"Dish {number}.,food,good\n" for number in range(10))
    (tmp_path / "train.csv").write_text(f"text,aspect,sentiment\n{good},food,good\nHm,price,good\nHm,food,so-so\n")
    (tmp_path / "test.csv").write_text("text,aspect,sentiment\nHm,food,good\nHm,staff,\n")
    with pytest.raises(DataError) as error:
        load(SHOP, tmp_path)
    assert len(error.value.errors) == 3
    rejects = tmp_path / "rejects.jsonl"
    with pytest.warns(UserWarning, match=r"4 mistakes in .* were skipped\. They are listed in .*rejects.jsonl"):
        train, dev, test = load(SHOP, tmp_path, on_error="skip", rejects=rejects)
    assert (len(train), len(dev), len(test)) == (9, 1, 1)
    listed = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [each["reason"] for each in listed] == ["empty_text", "unknown_aspect", "unknown_label", "empty_sentiment"]
    assert (
        listed[1]["file"] == str(tmp_path / "train.csv")
        and "train.csv:13: unknown aspect 'price'" in listed[1]["message"]
    )
    with pytest.warns(UserWarning, match=r"4 mistakes in .*Pass `rejects=`"):
        load(SHOP, tmp_path, on_error="skip")


def test_rejects_never_replace_the_data(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,aspect,sentiment\n,food,positive\nsoup,food,negative\n")
    before, report = path.read_text(), LoadReport()
    read_examples(restaurants(), path, on_error="skip", report=report)
    with pytest.raises(ValueError, match="Rejects must not replace the data: received .*train.csv for both"):
        write_rejects([report], tmp_path / ".." / tmp_path.name / "train.csv")
    with pytest.raises(FileNotFoundError, match="not a file in a folder that exists"):
        write_rejects([report], tmp_path / "no" / "rejects.jsonl")
    assert path.read_text() == before and write_rejects([report], tmp_path / "rejects.jsonl") == 1


def test_settings_for_files_are_refused_without_files():
    for own in ({"on_error": "skip"}, {"conflict": "drop"}, {"rejects": "x.jsonl"}):
        with pytest.raises(ValueError, match="are for files: received them with the built-in 'restaurants'"):
            load(restaurants(), "restaurants", **own)
