import json
from dataclasses import replace

import pytest

from keras_absa.data.aspect_task import AspectTask, semeval2014, sentihood
from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport
from keras_absa.data.sentihood_reader import read_sentihood


def opinion(sentiment="Positive", aspect="price", target="LOCATION1"):
    return {"sentiment": sentiment, "aspect": aspect, "target_entity": target}


def record(identifier=1, text="LOCATION1 has cheap rooms", opinions=()):
    return {"id": identifier, "text": text, "opinions": list(opinions)}


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "rooms.json"
        data = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return read_sentihood(path, **options)

    return read


def test_rows_of_one_text(read, tmp_path):
    rows = read([record(5, "LOCATION1 beats LOCATION2", [opinion(), opinion("Negative", "safety", "LOCATION2")])])
    assert [(row.target, row.aspect, row.label) for row in rows] == [
        ("LOCATION1", "general", "None"),
        ("LOCATION1", "price", "Positive"),
        ("LOCATION1", "safety", "None"),
        ("LOCATION1", "transit-location", "None"),
        ("LOCATION2", "general", "None"),
        ("LOCATION2", "price", "None"),
        ("LOCATION2", "safety", "Negative"),
        ("LOCATION2", "transit-location", "None"),
    ]
    assert {(row.id, row.other_target, row.split) for row in rows} == {("5", None, "")}
    assert rows[0].source == f"{tmp_path / 'rooms.json'}:record 1"


def test_order_is_that_of_strings_with_longer_ids_first(read):
    rows = read([record(number, "LOCATION1 or LOCATION2") for number in (100, 2, 1000, 10)], split="dev")
    assert [row.id for row in rows[:16:4]] == ["1000", "100", "10", "2"]
    assert [row.target for row in rows] == ["LOCATION1"] * 16 + ["LOCATION2"] * 16
    assert {row.split for row in rows} == {"dev"}


def test_last_opinion_wins_as_the_corrected_release_has_it(read):
    report = LoadReport()
    opinions = [
        opinion("Positive", "general"),
        opinion("Positive", "general"),
        opinion("Negative", "safety"),
        opinion("Positive", "safety"),
        opinion("Positive", "nightlife"),
    ]
    rows = read([record(opinions=opinions)], report=report)
    assert [row.label for row in rows] == ["Positive", "None", "Positive", "None"]
    assert report.counts == {"duplicates": 1, "conflicts": 1, "unused_aspects": 1}
    assert "safety is Negative, then Positive" in report.samples["conflicts"][0]
    assert (report.texts, report.rows) == (1, 4)


@pytest.mark.parametrize(
    "text, shown",
    [
        (" Flats inLOCATION1 cost less ", " Flats in LOCATION1 cost less "),
        ("LOCATION1s and _LOCATION1_", "LOCATION1 s and _ LOCATION1 _"),
        ("LOCATION1LOCATION2 line", "LOCATION1 LOCATION2 line"),
        ("LOCATION1/LOCATION2, 'LOCATION1'", "LOCATION1/LOCATION2, 'LOCATION1'"),
    ],
)
def test_raw_text_sets_placeholders_apart(read, text, shown):
    assert read([record(text=text)])[0].text == shown


def test_treebank_text(read):
    assert read([record(text=" LOCATION1 isn't far.")], clean="treebank")[0].text == "location - 1 is n't far ."


def test_byte_order_mark_and_line_ends(read):
    text = json.dumps([record()], indent=1).replace("\n", "\r\n")
    assert len(read(b"\xef\xbb\xbf" + text.encode())) == 4


@pytest.mark.parametrize(
    "content, message",
    [
        ({}, "rooms.json: expected a JSON array of records: received a dict"),
        ("[{]", "rooms.json:1:3: invalid JSON, expecting property name"),
        ('[\n{"id": NaN}]', "invalid JSON, NaN is not a JSON value"),
        ('[{"id": 1, "id": 2}]', "invalid JSON, key 'id' is given twice"),
        ('[{"id": ' + "9" * 5000 + "}]", "invalid JSON, Exceeds the limit"),
        ("[" * 100_000, "invalid JSON, nested too deeply"),
        (b'[\n"caf\xe9"]', "rooms.json:2: byte 0xe9 at offset 6 is not UTF-8"),
        ("", "rooms.json:1:1: invalid JSON"),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_unreadable_file_is_an_error_either_way(read, content, message, on_error):
    with pytest.raises(DataError) as error:
        read(content, on_error=on_error)
    assert message in str(error.value)


BAD_RECORDS = [
    ("bad_record", 7, "record 2: expected an object: received 7", 0),
    ("missing_text", {"id": 2, "opinions": []}, "record 2 (id 2): missing text: received None", 0),
    ("empty_text", record(2, "  "), "record 2 (id 2): empty text: received '  '", 0),
    ("long_text", record(2, "LOCATION1 " * 2001), "text of 20010 characters, expected at most 20000", 0),
    ("no_target", record(2, "Nice place"), "record 2 (id 2): the text does not name LOCATION1", 0),
    ("missing_id", {"text": "LOCATION1 is big", "opinions": []}, "record 2: missing id: received None", 4),
    ("duplicate_id", record(1), "record 2: id '1' is used before", 4),
    ("missing_opinions", {"id": 2, "text": "LOCATION1 is big"}, "missing opinions: received None", 0),
    ("too_many_opinions", record(2, opinions=[opinion()] * 201), "201 opinions, expected at most 200", 0),
    ("incomplete_opinion", record(2, opinions=[{"aspect": "price"}]), "incomplete opinion", 0),
    ("incomplete_opinion", record(2, opinions=["price"]), "incomplete opinion: received 'price'", 0),
    ("unknown_label", record(2, opinions=[opinion("Mixed")]), "unknown label 'Mixed'; known: Negative, Positive", 0),
    ("unknown_target", record(2, opinions=[opinion(target="HERE")]), "unknown target 'HERE'; known: LOCATION1", 0),
    ("target_not_in_text", record(2, opinions=[opinion(target="LOCATION2")]), "'LOCATION2' is not in the text", 0),
    ("surrogates", record(2, "LOCATION1 \ud800 up"), "unusable character U+D800 at position 10", 4),
    ("control_characters", record(2, "LOCATION1 \x00 up"), "unusable character U+0000 at position 10", 4),
]


@pytest.mark.parametrize("reason, bad, message, rows_kept", BAD_RECORDS)
def test_bad_record(read, reason, bad, message, rows_kept):
    content = [record(1), bad, record(3)]
    with pytest.raises(DataError) as error:
        read(content)
    assert message in str(error.value) and len(error.value.errors) == 1
    report = LoadReport()
    rows = read(content, on_error="skip", report=report)
    assert report.counts == {reason: 1}
    assert len(rows) == report.rows == 8 + rows_kept


def test_lenient_repairs(read):
    content = [record(1, opinions=[opinion("positive")]), record(1, "LOCATION1 \ud800 up\x07")]
    rows = read(content, on_error="skip")
    assert rows[5].label == "Positive"
    assert rows[0].id == "1#2" and rows[0].text == "LOCATION1 \ufffd up"
    with pytest.raises(DataError, match="unknown label 'positive'"):
        read(content[:1])


def test_all_errors_of_a_file_together_up_to_twenty(read):
    with pytest.raises(DataError) as error:
        read([record(number, " ") for number in range(3)])
    assert len(error.value.errors) == 3
    with pytest.raises(DataError) as error:
        read([record(number, " ") for number in range(50)])
    assert len(error.value.errors) == 21 and "stopped after 20 errors" in error.value.errors[-1]


def test_own_task_keeps_its_context_order(read):
    task = replace(sentihood(), aspects=("safety", "general"), aspect_words=("safety", "general"))
    assert [row.aspect for row in read([record()], task=task)] == ["safety", "general"]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"clean": "tidy"}, "`clean` must be one of"),
        ({"on_error": "loose"}, "`on_error` must be one of"),
        ({"task": semeval2014()}, "need a `task` with targets"),
        ({"task": AspectTask("x", ("a",), ("b",), targets=("LOCATION1",))}, "and none_label None"),
    ],
)
def test_wrong_arguments(read, options, message):
    with pytest.raises(ValueError, match=message):
        read([record()], **options)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.json: no such file"):
        read_sentihood(tmp_path / "absent.json")
