"""Every format read back gives the rows that were written."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from keras_absa.data import (
    AspectExample,
    AspectTask,
    aspect_terms,
    read_examples,
    read_semeval2016,
    restaurants,
    semeval2014,
    sentihood,
    synthetic_reviews,
    write_examples,
)

NASTY = [
    'She said "cold, sour\tsoup", twice',
    "=SUM(A1) & <b>&amp;</b> ]]> 'x' -- \u2028 \u0085 caf\u00e9 \U0001f363",
    " outer blanks, a double  one and a tail ",
    "two\nlines\r\nand\rmore",
    "a lone\rreturn",
    "\ufeffnot a mark",
]


def plain(rows):
    return [replace(row, source="", split="") for row in rows]


def closed_rows(texts):
    task = restaurants()
    return [
        AspectExample(text, aspect, task.labels[(place + number) % 3], id=f"r{number}")
        for number, text in enumerate(texts)
        for place, aspect in enumerate(task.aspects)
    ]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xml"])
def test_closed_aspects_with_every_kind_of_character(tmp_path, suffix):
    rows, path = closed_rows(NASTY), tmp_path / f"train{suffix}"
    write_examples(rows, path, restaurants())
    assert plain(read_examples(restaurants(), path)) == rows
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_semeval2016_puts_sentences_into_their_reviews(tmp_path):
    aspects = ("FOOD#QUALITY", "SERVICE#GENERAL")
    task = AspectTask("shop", aspects=aspects, labels=("positive", "negative", "none"), none_label="none")
    ids = ("7:0", "7:1", "a&b:0", "no review", ":3", "7:2")
    rows = [
        AspectExample(text, aspect, task.labels[(place + number) % 3], id=ids[number])
        for number, text in enumerate(NASTY)
        for place, aspect in enumerate(aspects)
    ]
    path = tmp_path / "train.xml"
    write_examples(rows, path, task)
    assert plain(read_examples(task, path)) == rows == plain(read_semeval2016(path, task=task))
    root = ElementTree.parse(path).getroot()
    found = [(review.get("rid"), [each.get("id") for each in review.iter("sentence")]) for review in root]
    assert root.tag == "Reviews"
    assert found == [
        ("7", ["7:0", "7:1"]),
        ("a&b", ["a&b:0"]),
        ("no review", ["no review"]),
        (":3", [":3"]),
        ("7", ["7:2"]),
    ]


def test_the_order_of_aspects_does_not_matter_to_xml(tmp_path):
    rows = closed_rows(NASTY[:2])
    write_examples(rows[3::-1] + rows[4:], tmp_path / "a.xml", restaurants())
    assert plain(read_examples(restaurants(), tmp_path / "a.xml")) == rows


def test_tsv_holds_what_has_no_tab_and_no_line_break(tmp_path):
    rows, path = closed_rows(NASTY[1:3]), tmp_path / "train.tsv"
    write_examples(rows, path)
    assert plain(read_examples(restaurants(), path)) == rows
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"row 0: this format cannot hold tabs or line breaks.* Write .csv, .jsonl"):
        write_examples(closed_rows(NASTY[:1]), path)
    assert path.read_bytes() == before


TERMS = [
    AspectExample("the soup & the soup", "soup", "negative", id="1", span=(4, 8)),
    AspectExample("the soup & the soup", "soup", "conflict", id="1", span=(15, 19)),
    AspectExample('"miso <soup>"', "miso <soup>", "positive", id="2", span=(1, 12)),
]
PLACES = [
    AspectExample("LOCATION1 or LOCATION2", aspect, "None", target=target, id="1")
    for target in sentihood().targets
    for aspect in sentihood().aspects
]
BLANK_TERM = AspectExample("the soup", " soup", "positive", id="3", span=(3, 8))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".xml", ".raw"])
def test_terms_keep_their_places(tmp_path, suffix):
    path = tmp_path / f"train{suffix}"
    task = aspect_terms(labels=("positive", "neutral", "negative", "conflict"))
    write_examples(TERMS, path, task)
    if suffix != ".raw":
        write_examples([*TERMS, BLANK_TERM], path, task)
        assert plain(read_examples(task, path)) == [*TERMS, BLANK_TERM]
        write_examples(TERMS, path, task)
    found = plain(read_examples(task, path))
    expected = [replace(row, id=f"text-{row.id}") for row in TERMS] if suffix == ".raw" else TERMS
    assert found == expected


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".json"])
def test_targets(tmp_path, suffix):
    rows, path = plain(synthetic_reviews("neighbourhoods", "test", size=48)), tmp_path / f"train{suffix}"
    task = replace(sentihood(), name="neighbourhoods")
    write_examples(rows, path, task)
    assert sorted(map(repr, plain(read_examples(task, path)))) == sorted(map(repr, rows))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_rows_without_a_label(tmp_path, suffix):
    rows = [AspectExample("soup", "food", id="1"), AspectExample("soup", "price", "none", id="1")]
    write_examples(rows, tmp_path / f"a{suffix}")
    assert plain(read_examples(restaurants(), tmp_path / f"a{suffix}", labelled=False)) == rows


@pytest.mark.parametrize(
    "name, task", [("sentihood-test.json", sentihood()), ("Restaurants_Test_Gold.xml", semeval2014())]
)
def test_published_data_through_every_format(data_dir, tmp_path, name, task):
    rows = plain(read_examples(task, data_dir / task.name / name))
    own = ".json" if task.targets else ".xml"
    for suffix in (".csv", ".tsv", ".jsonl", ".parquet", own):
        write_examples(rows, tmp_path / f"test{suffix}", task)
        assert plain(read_examples(task, tmp_path / f"test{suffix}")) == rows, suffix


@pytest.mark.parametrize(
    "rows, name, task, message",
    [
        (closed_rows(["soup \uffff"]), "a.xml", restaurants(), r"cannot hold the character U\+FFFF"),
        ([replace(row, id="\x01") for row in closed_rows(["x"])], "a.xml", restaurants(), r"the character U\+0001"),
        (PLACES[:4], "a.json", sentihood(), "cannot hold a text that names LOCATION2 without rows for it"),
        (
            [replace(row, other_target="Ely") for row in PLACES],
            "a.json",
            sentihood(),
            "cannot hold the other target 'Ely'",
        ),
        ([], "a.csv", None, "There must be rows to write: received none"),
        (TERMS, "a.txt", None, r"must end in one of \['.csv'"),
        (TERMS, "a.xml", None, "`task` is needed to write .xml"),
        (closed_rows(["x"])[:2], "a.xml", restaurants(), "the group ends after 2 of 4 aspects"),
        ([replace(TERMS[0], span=None)], "a.xml", aspect_terms(), "without its place in the text"),
        ([replace(TERMS[0], span=None)], "a.raw", aspect_terms(), "without its place in the text"),
        ([AspectExample("a soup", " soup", "positive", span=(1, 6))], "a.raw", None, "with its outer blanks"),
        ([AspectExample("a\n$T$ b", "b", "positive", span=(6, 7))], "a.raw", None, r"texts with \$T\$ or line breaks"),
        (closed_rows(["x"]), "a.json", sentihood(), "the target None, which is none of"),
        (closed_rows(["x"]), "a.xml", sentihood(), "need a task without targets"),
        ([replace(row, label=None) for row in closed_rows(["x"])], "a.xml", restaurants(), "rows without a label"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path, rows, name, task, message):
    with pytest.raises(ValueError, match=message):
        write_examples(rows, tmp_path / name, task)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_loses_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(FileNotFoundError):
        write_examples(TERMS, tmp_path / "no" / "a.csv")
    with pytest.raises(UnicodeEncodeError):
        write_examples([AspectExample("\ud800", "food", "good")], path)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "row, name, message",
    [
        (AspectExample("LOCATION1 and newLOCATION1", "price", "None", "LOCATION1"), "a.json", "touches other letters"),
        (AspectExample("\ufeffbad soup", "soup", "positive", span=(5, 9)), "a.raw", "a byte-order mark"),
    ],
)
def test_what_would_not_come_back_as_it_is_is_refused(tmp_path, row, name, message):
    rows = [replace(row, aspect=aspect) for aspect in sentihood().aspects] if name.endswith("json") else [row]
    with pytest.raises(ValueError, match=message):
        write_examples(rows, tmp_path / name, sentihood())
    assert not list(tmp_path.iterdir())


def test_ids_of_very_many_digits(tmp_path):
    rows = [AspectExample("LOCATION1", aspect, "None", "LOCATION1", id="9" * 5000) for aspect in sentihood().aspects]
    write_examples(rows, tmp_path / "a.json", sentihood())
    assert {row.id for row in read_examples(sentihood(), tmp_path / "a.json")} == {"9" * 5000}
