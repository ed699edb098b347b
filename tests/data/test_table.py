import json

import pytest

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.data_error import DataError
from keras_absa.data.formats import read_examples
from keras_absa.data.load_report import LoadReport
from keras_absa.data.table import read_table
from keras_absa.data.task_from_examples import task_from_examples

SHOP = AspectTask("shop", aspects=("price", "staff"), labels=("positive", "neutral", "negative"))
TOWN = AspectTask(
    "town", aspects=("price",), labels=("None", "good"), none_label="None", targets=("TARGET1", "TARGET2")
)
HEAD = "text,aspect,sentiment\n"


@pytest.fixture
def read(tmp_path):
    def read(content, task=SHOP, name="data.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_table(path, task, **options)

    return read


@pytest.fixture
def errors(read):
    def errors(*args, **options):
        with pytest.raises(DataError) as error:
            read(*args, **options)
        return [message[message.index("data.") :] for message in error.value.errors]

    return errors


class TestCsv:
    def test_row(self, read, tmp_path):
        (row,) = read("id,text,aspect,label\n4,Kind people.,staff,positive\n", split="dev")
        assert (row.text, row.aspect, row.label, row.id) == ("Kind people.", "staff", "positive", "4")
        assert (row.split, row.source, row.target) == ("dev", f"{tmp_path / 'data.csv'}:2", None)

    def test_byte_order_mark_line_ends_and_blank_lines(self, read):
        rows = read(b"\xef\xbb\xbftext,aspect,sentiment\r\n\r\nCheap.,price,positive\r\n  \r\nDear.,price,negative")
        assert [(row.text, row.label, row.source[-1]) for row in rows] == [
            ("Cheap.", "positive", "3"),
            ("Dear.", "negative", "5"),
        ]

    def test_quotes(self, read):
        rows = read(HEAD + '"Cheap, and ""fun"".\nReally.",price,positive\nDear.,price,negative\n')
        assert rows[0].text == 'Cheap, and "fun".\nReally.'
        assert [row.source.rpartition(":")[2] for row in rows] == ["2", "4"]

    def test_unicode_line_separators_do_not_end_a_line(self, read):
        assert read(HEAD + "Cheap\u2028and\x85cheerful.,price,positive\n")[0].text == "Cheap\u2028and\x85cheerful."

    def test_none_is_a_label_and_na_a_text(self, read):
        rows = read(HEAD + "NA,price,None\nnull,nan,NULL\n", task=None)
        assert [(row.text, row.aspect, row.label) for row in rows] == [("NA", "price", "None"), ("null", "nan", "NULL")]

    def test_names_match_exactly_or_else_in_any_case(self, read):
        (row,) = read(HEAD + "Cheap., Price ,POSITIVE\n")
        assert (row.aspect, row.label) == ("price", "positive")
        both = AspectTask("shop", aspects=("price",), labels=("Good", "good"))
        assert read(HEAD + "Cheap.,price,good\n", task=both)[0].label == "good"

    def test_name_in_several_cases_is_not_guessed(self, errors):
        both = AspectTask("shop", aspects=("price",), labels=("Good", "good"))
        assert errors(HEAD + "Cheap.,price,GOOD\n", task=both) == [
            "data.csv:2: unknown label 'GOOD'; known: Good, good"
        ]

    def test_equal_texts_share_an_id(self, read):
        rows = read(HEAD + "Fine.,price,neutral\nFine.,staff,neutral\nGood.,price,positive\n")
        assert [row.id for row in rows] == ["text-1", "text-1", "text-2"]

    def test_conflicting_rows_are_kept_and_counted(self, read):
        report = LoadReport()
        assert len(read(HEAD + "Fine.,price,neutral\nFine.,price,positive\n", report=report)) == 2
        assert report.counts == {"conflicts": 1}

    def test_other_columns_are_counted(self, read):
        report = LoadReport()
        read("text,aspect,sentiment,stars\nFine.,price,neutral,3\n", report=report)
        assert report.counts == {"unused_columns": 1}

    def test_the_error_of_a_misspelt_label(self, errors):
        content = HEAD + "Cheap.,price,positive\nDear.,price,postive\n"
        assert errors(content) == ["data.csv:3: unknown label 'postive'; known: negative, neutral, positive"]

    @pytest.mark.parametrize(
        "reason, row, message",
        [
            ("unknown_aspect", "Cheap.,prize,positive", "unknown aspect 'prize'; known: price, staff"),
            ("empty_text", " ,price,positive", "empty text: received ' ', expected some words"),
            ("empty_text", ",,positive", "empty text: received '', expected some words"),
            ("empty_aspect", "Cheap.,,positive", "empty aspect; known: price, staff"),
            ("empty_sentiment", "Cheap.,price,", "empty sentiment; known: negative, neutral, positive"),
            ("bad_columns", "Cheap, fun.,price,positive", "received 4 columns, expected 3 (text, aspect, sentiment)"),
            ("bad_columns", "Cheap.,price", "received 2 columns, expected 3 (text, aspect, sentiment)"),
            ("control_characters", "Che\x01ap.,price,positive", "unusable character U+0001 at position 3 of the text"),
        ],
    )
    def test_bad_row(self, read, errors, reason, row, message):
        content = HEAD + f"Fine.,price,neutral\n{row}\nGood.,price,positive\n"
        assert f"data.csv:3: {message}" in "\n".join(errors(content))
        report = LoadReport()
        rows = read(content, on_error="skip", report=report)
        assert report.counts[reason] == 1
        assert len(rows) == (3 if reason == "control_characters" else 2)

    @pytest.mark.parametrize(
        "content, message",
        [
            ("", "data.csv:1: empty file, expected a line with the names of the columns."),
            ("text,aspect\n", "data.csv:1: missing column 'sentiment'; received columns: text, aspect."),
            ("text,label\n", "data.csv:1: missing column 'aspect'; received columns: text, label."),
            ("text,text,aspect\n", "data.csv:1: column 'text' is given twice; received columns: text, text, aspect."),
            ("text,aspect,label,sentiment\n", "column 'sentiment' is given twice"),
            (HEAD + 'Fine.,price,neutral\n"Open,price,neutral\nFine.,price,neutral\n', "data.csv:3: unreadable row"),
            (HEAD + '"Fine" day,price,neutral\n', "data.csv:2: unreadable row"),
            (b"text,aspect,sentiment\ncaf\xe9,price,neutral\n", "data.csv:2: byte 0xe9 at offset 25 is not UTF-8"),
        ],
    )
    @pytest.mark.parametrize("on_error", ["raise", "skip"])
    def test_unreadable_file_is_an_error_either_way(self, errors, content, message, on_error):
        assert message in errors(content, on_error=on_error)[0]

    def test_file_too_big(self, errors, monkeypatch):
        monkeypatch.setattr("keras_absa.data.source_file.MAX_FILE_BYTES", 10)
        assert errors(HEAD) == ["data.csv: the file has 22 bytes, the limit is 10. Split it into smaller files."]

    def test_unlabelled(self, read, errors):
        assert read("text,aspect\nFine.,price\n", labelled=False)[0].label is None
        rows = read(HEAD + "Fine.,price,\nFine.,staff,neutral\n", labelled=False)
        assert [row.label for row in rows] == [None, "neutral"]
        assert "unknown label 'fine'" in errors(HEAD + "Fine.,price,fine\n", labelled=False)[0]

    def test_one_id_for_two_texts(self, errors):
        content = "id,text,aspect,label\n1,Fine.,price,neutral\n1,Good.,price,positive\n"
        assert errors(content) == ["data.csv:3: id '1' stands for the text 'Fine.' before, for 'Good.' here"]

    def test_stray_quote_in_tsv_is_a_character(self, read):
        rows = read('text\taspect\tsentiment\n"Fine\tprice\tneutral\nGood\tprice\tpositive\n', name="data.tsv")
        assert [row.text for row in rows] == ['"Fine', "Good"]


class TestTargets:
    HEAD = "text,target,other_target,aspect,sentiment\n"

    def test_surface_forms_and_placeholders(self, read):
        content = "Oak Road beats elm road.,Elm Road,Oak Road,price,good\nTARGET1 is nice.,TARGET1,,price,none\n"
        rows = read(self.HEAD + content, task=TOWN)
        assert [(row.target, row.other_target, row.label) for row in rows] == [
            ("Elm Road", "Oak Road", "good"),
            ("TARGET1", None, "None"),
        ]

    @pytest.mark.parametrize(
        "row, message",
        [
            ("Elms here.,Elm,,price,good", "target 'Elm' is not in the text 'Elms here.'"),
            ("Elm here.,Elm,Oak,price,good", "other_target 'Oak' is not in the text 'Elm here.'"),
            ("Elm here.,,,price,good", "empty target, expected one: task 'town' asks for it"),
            ("Elm here.,Elm,elm,price,good", "other_target 'elm' with target 'Elm', expected two different names"),
            ("Elm here.,,Elm,price,good", "expected two different names"),
        ],
    )
    def test_bad_target(self, read, errors, row, message):
        task = None if "two different" in message else TOWN
        content = self.HEAD + f"Elm here.,Elm,,price,good\n{row}\n"
        assert "data.csv:3: " in errors(content, task=task)[0] and message in errors(content, task=task)[0]
        assert len(read(content, task=task, on_error="skip")) == 1

    def test_target_in_a_task_without(self, errors):
        message = "data.csv:2: received target 'Elm', expected none: task 'shop' has no targets"
        assert errors(self.HEAD + "Elm here.,Elm,,price,positive\n") == [message]

    def test_target_in_some_rows_only(self, read, errors):
        content = self.HEAD + "Elm here.,Elm,,price,good\nOak here.,,,price,good\n"
        assert errors(content, task=None) == ["data.csv:3: empty target, expected one as in other rows"]
        assert len(read(content, task=None, on_error="skip")) == 1


class TestJsonl:
    def test_rows(self, read):
        lines = [
            {"text": 'Cheap\u2028but "fun".', "aspect": "price", "label": "positive", "id": 3},
            {"text": "Kind.", "aspect": "staff", "sentiment": "neutral", "target": None, "stars": 2},
        ]
        text = "\ufeff" + "\r\n\r\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        rows = read(text, name="data.jsonl")
        assert [(row.text, row.label, row.id, row.source[-1]) for row in rows] == [
            ('Cheap\u2028but "fun".', "positive", "3", "1"),
            ("Kind.", "neutral", "text-1", "3"),
        ]

    @pytest.mark.parametrize(
        "line, message",
        [
            ("[1]", "expected a JSON object: received '[1]'"),
            ('{"text": ', "invalid JSON, expecting value"),
            ('{"text": NaN}', "invalid JSON, NaN is not a JSON value"),
            ('{"text": "a", "text": "b"}', "invalid JSON, key 'text' is given twice"),
            ('{"text": "a", "aspect": 5}', "aspect must be a string: received 5"),
            ('{"sentiment": "neutral", "label": "neutral"}', "keys 'sentiment' and 'label' mean the same"),
            ('{"aspect": "price", "sentiment": "neutral"}', "empty text"),
            ('{"text": "Fine.", "aspect": "price"}', "empty sentiment; known: "),
            ('{"text": "\\ud800", "aspect": "price", "label": "neutral"}', "unusable character U+D800"),
        ],
    )
    def test_bad_line(self, read, errors, line, message):
        good = '{"text": "Fine.", "aspect": "price", "label": "neutral"}\n'
        (error,) = errors(good + line + "\n" + good, name="data.jsonl")
        assert error.startswith("data.jsonl:2") and message in error
        report = LoadReport()
        read(good + line + "\n" + good, name="data.jsonl", on_error="skip", report=report)
        assert report.counts.pop("duplicates") == 1 and sum(report.counts.values()) == 1

    def test_none_is_a_label_and_null_is_not(self, read):
        lines = (
            '{"text": "Fine.", "aspect": "price", "label": "None"}\n{"text": "Fine.", "aspect": "price", "label": null}'
        )
        assert [row.label for row in read(lines, None, "data.jsonl", labelled=False)] == ["None", None]

    def test_array(self, errors):
        assert "a JSON array, expected an object a line" in errors("[]", name="data.json")[0]


def test_unknown_suffix(read):
    with pytest.raises(ValueError, match="must end in .csv, .tsv, .jsonl, .json or .parquet"):
        read(HEAD, name="data.txt")


def test_twenty_errors_at_most(errors):
    assert len(errors(HEAD + "Fine.,price,so-so\n" * 30)) == 21


def test_report_reads_well(read):
    report = LoadReport(max_samples=1)
    read(HEAD + "Fine.,price,so-so\n" * 3 + "Fine.,price,neutral\n", on_error="skip", report=report)
    lines = str(report).splitlines()
    assert lines[0].endswith("data.csv: 1 texts, 1 rows")
    assert lines[1] == "  unknown_label: 3"
    assert "data.csv:2: unknown label 'so-so'" in lines[2]
    assert lines[3] == "    ... and 2 more"


class TestTaskFromExamples:
    def test_sorted_names_and_none_label(self, read):
        task = task_from_examples(read(HEAD + "Fine.,staff,ok\nFine.,price,NONE\nDear.,price,bad\n", task=None), "shop")
        assert task == AspectTask("shop", ("price", "staff"), ("NONE", "bad", "ok"), none_label="NONE")

    def test_targets(self, read):
        rows = read("text,target,aspect,label\nElm here.,Elm,price,good\n", task=None)
        assert task_from_examples(rows, "town").targets == ("TARGET1", "TARGET2")

    def test_no_labels(self, read):
        with pytest.raises(ValueError, match="A task needs rows with labels: received 1 rows without any"):
            task_from_examples(read("text,aspect\nFine.,price\n", task=None, labelled=False), "shop")


def test_names_that_differ_in_case_are_told():
    rows = [AspectExample("x", aspect, label) for aspect, label in (("Food", "good"), ("food", "bad"))]
    with pytest.warns(UserWarning, match=r"aspects that differ in case only .*: \['Food', 'food'\]"):
        assert task_from_examples(rows, "shop").aspects == ("Food", "food")


def test_hints(read):
    with pytest.raises(DataError, match="received columns: text;aspect;sentiment. Separate columns with commas."):
        read("text;aspect;sentiment\na;b;c\n", None)
    with pytest.raises(DataError, match="A field may have 131072 characters"):
        read(f"text,aspect,sentiment\n{'x' * 200_000},food,good\n", None)


def test_duplicates_are_counted(read):
    report = LoadReport()
    assert len(read("text,aspect,sentiment\n" + "a,food,good\n" * 3, None, report=report)) == 3
    assert report.counts == {"duplicates": 2}


@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data.jsonl"])
def test_a_line_of_ten_megabytes(read, name):
    text = "x" * 10 * 2**20
    if name.endswith("l"):
        content = json.dumps({"text": text, "aspect": "price", "sentiment": "neutral"}) + "\n"
    else:
        mark = "," if name == "data.csv" else "\t"
        content = mark.join(["text", "aspect", "sentiment"]) + "\n" + mark.join([text, "price", "neutral"]) + "\n"
    with pytest.raises(DataError, match="text of 10485760 characters, expected at most 20000|A field may have 131072"):
        read(content, name=name)


def test_json_nested_a_hundred_thousand_deep(read):
    with pytest.raises(DataError, match="data.jsonl:1.* nested too deeply"):
        read('{"text": ' + "[" * 100_000 + "\n", name="data.jsonl")


def test_places_are_numbers_and_names_hold_no_control_characters(tmp_path):
    path, report = tmp_path / "a.csv", LoadReport()
    path.write_text(
        "text,aspect,sentiment,from,to\nthe soup soup,soup,a,4,8\nthe soup soup,soup,b, 4,8 \nthe soup soup,soup,b,9,13\n"
    )
    with pytest.raises(
        DataError, match="a.csv:3: aspect 'soup' of this text is 'a' before, 'b' here; expected one label"
    ):
        read_examples(None, path, conflict="error")
    assert [row.span for row in read_examples(None, path, conflict="drop", report=report)] == [(9, 13)]
    path.write_text('{"text": "soup", "aspect": "fo\\u0000od", "sentiment": "good"}\n', "utf-8")
    with pytest.raises(DataError, match=r"a.jsonl:1: unusable character U\+0000 in the aspect"):
        read_examples(None, path.rename(tmp_path / "a.jsonl"))
