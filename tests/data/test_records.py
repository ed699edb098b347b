import datasets
import numpy
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from keras_absa.data import DataError, LoadReport, from_records, read_examples, read_table, restaurants
from keras_absa.data.aspect_example import AspectExample

ROWS = [
    {"text": "Cold soup", "aspect": "food", "sentiment": "negative", "id": 7},
    {"text": "Cold soup", "aspect": "service", "sentiment": "none", "id": 7},
    {"text": "NA", "aspect": "price", "sentiment": "positive", "id": 8},
]
EXAMPLES = [
    AspectExample(
        row["text"], row["aspect"], row["sentiment"], id=str(row["id"]), split="train", source=f"records:{place}"
    )
    for place, row in enumerate(ROWS)
]


@pytest.mark.parametrize(
    "make",
    [list, iter, pandas.DataFrame, pyarrow.Table.from_pylist, datasets.Dataset.from_list],
    ids=["list", "iterator", "pandas", "pyarrow", "datasets"],
)
def test_every_kind_of_table(make):
    assert from_records(make(ROWS), restaurants(), split="train") == EXAMPLES


def test_class_labels_and_ones_own_column_names():
    features = datasets.Features(
        {
            "review": datasets.Value("string"),
            "about": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["bad", "good"]),
        }
    )
    table = datasets.Dataset.from_dict(
        {"review": ["x", "y"], "about": ["food"] * 2, "label": [1, 0]}, features=features
    )
    rows = from_records(table, columns={"review": "text", "about": "aspect"}, name="hub/reviews")
    assert [(row.text, row.label, row.source) for row in rows] == [
        ("x", "good", "hub/reviews:0"),
        ("y", "bad", "hub/reviews:1"),
    ]
    unlabelled = datasets.Dataset.from_dict({"review": ["x"], "about": ["food"], "label": [-1]}, features=features)
    rows = from_records(unlabelled, columns={"review": "text", "about": "aspect"}, labelled=False)
    assert rows[0].label is None


def test_missing_values_of_pandas_and_the_label_none():
    frame = pandas.DataFrame({"text": ["a", "b"], "aspect": ["food", "food"], "sentiment": ["None", float("nan")]})
    assert from_records(frame, labelled=False)[0].label == "None"
    with pytest.raises(DataError, match="records:1: empty sentiment"):
        from_records(frame)


def test_numbers_that_are_none():
    rows = [
        {**ROWS[0], "id": numpy.int64(7)},
        {**ROWS[1], "id": float("inf")},
        {**ROWS[2], "id": numpy.float32("nan")},
        {**ROWS[2], "id": pandas.NaT},
        {**ROWS[2], "id": pandas.NA},
    ]
    report = LoadReport()
    found = from_records(rows, restaurants(), on_error="skip", report=report)
    assert [row.id for row in found] == ["7", "text-1", "text-1", "text-1"] and report.counts["bad_record"] == 1


def test_an_id_that_was_made_up_is_nobody_elses():
    rows = from_records([{**ROWS[0], "id": "text-1"}, {**ROWS[2], "id": None}], restaurants())
    assert [row.id for row in rows] == ["text-1", "text-2"]


def test_a_missing_label_is_no_conflict():
    rows = [{**ROWS[0]}, {**ROWS[0], "sentiment": None}]
    assert len(from_records(rows, restaurants(), labelled=False, conflict="error")) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: datasets.Dataset.from_list(ROWS).to_iterable_dataset().map(lambda row: row),
        lambda: datasets.Dataset.from_list(ROWS).with_format("pandas"),
        lambda: datasets.Dataset.from_list(ROWS).with_format("numpy"),
        lambda: pyarrow.array(ROWS),
    ],
    ids=["streamed", "pandas format", "numpy format", "structs"],
)
def test_other_forms_of_the_same(make):
    assert from_records(make(), restaurants(), split="train") == EXAMPLES


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"review": "text"}, r"must not give a name twice: received two columns for \['text'\]"),
        ({"review": "bogus"}, r"must give names of \['text'.*: received \['bogus'\]"),
        ("text", "must be a dict of your names to ours: received 'text'"),
    ],
)
def test_columns_that_cannot_be(columns, message):
    frame = pandas.DataFrame([{**row, "review": "x"} for row in ROWS])
    with pytest.raises(ValueError, match=message):
        from_records(frame, columns=columns)


def test_mistakes_are_named_by_their_number():
    rows = [
        *ROWS,
        {"text": None, "aspect": "food", "sentiment": "none"},
        {"text": "x", "aspect": 3, "sentiment": "none"},
        5,
    ]
    with pytest.raises(DataError) as error:
        from_records(rows, restaurants())
    assert [str(each) for each in error.value.errors] == [
        "records:3: empty text: received '', expected some words",
        "records:4: aspect must be a string: received 3",
        "records:5: expected a dict: received 5",
    ]
    report = LoadReport()
    assert len(from_records(rows, restaurants(), on_error="skip", report=report)) == 3
    assert len(report.rejected) == 3


@pytest.mark.parametrize(
    "records, error, message",
    [
        (
            "train.csv",
            ValueError,
            "must be a table or an iterable of dicts: received str. For a file, use `read_examples`",
        ),
        (
            datasets.DatasetDict({"train": datasets.Dataset.from_list(ROWS)}),
            ValueError,
            r"one table: received a DatasetDict of",
        ),
        (pandas.DataFrame({"text": ["a"]}), DataError, "missing column 'aspect'; received columns: text"),
    ],
)
def test_what_is_no_table(records, error, message):
    with pytest.raises(error, match=message):
        from_records(records)


def test_a_name_that_is_no_column():
    with pytest.raises(
        ValueError, match=r"`columns` must name columns of records: received \['review'\], it has \['text'"
    ):
        from_records(pandas.DataFrame(ROWS), columns={"review": "text"})


class TestParquet:
    def test_rows(self, tmp_path):
        path = tmp_path / "train.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
        rows = read_examples(restaurants(), path, "train")
        assert [row.source for row in rows] == [f"{path}:{place}" for place in (1, 2, 3)]
        assert [(row.text, row.aspect, row.label, row.id) for row in rows] == [
            (row.text, row.aspect, row.label, row.id) for row in EXAMPLES
        ]

    def test_mistakes(self, tmp_path):
        path = tmp_path / "train.parquet"
        path.write_bytes(b"PAR1 this is not one")
        with pytest.raises(DataError, match="train.parquet: unreadable Parquet"):
            read_table(path, restaurants())
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": "a", "sentiment": "none"}]), path)
        with pytest.raises(
            DataError, match="train.parquet: missing column 'aspect'; received columns: text, sentiment"
        ):
            read_table(path, restaurants())
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([*ROWS, {**ROWS[0], "sentiment": "hot"}]), path)
        with pytest.raises(DataError, match="train.parquet:4: unknown label 'hot'"):
            read_table(path, restaurants())
        with pytest.raises(FileNotFoundError, match="no such file"):
            read_table(tmp_path / "no.parquet", restaurants())

    def test_a_file_cut_short(self, tmp_path):
        path = tmp_path / "train.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS * 1000), path)
        path.write_bytes(path.read_bytes()[:-40])
        with pytest.raises(DataError, match="unreadable Parquet"):
            read_table(path, restaurants())


def test_values_that_python_cannot_hold(tmp_path):
    """Dates out of range in a column that nobody asked for, and a text that is not UTF-8."""
    table = pyarrow.Table.from_pylist(ROWS)
    far = pyarrow.array([2**40] * len(ROWS), pyarrow.timestamp("s"))
    pyarrow.parquet.write_table(table.append_column("seen", far), tmp_path / "far.parquet")
    report = LoadReport()
    rows = read_table(tmp_path / "far.parquet", restaurants(), report=report)
    assert len(rows) == len(ROWS) and report.counts["unused_columns"] == 1

    texts = pyarrow.array([b"fine", b"caf\xe9"]).view(pyarrow.string())
    broken = pyarrow.table({"text": texts, "aspect": ["food"] * 2, "sentiment": ["none"] * 2})
    pyarrow.parquet.write_table(broken, tmp_path / "broken.parquet")
    with pytest.raises(DataError, match="broken.parquet:2: a value that cannot be read, 'utf-8' codec"):
        read_table(tmp_path / "broken.parquet", restaurants())
    assert len(read_table(tmp_path / "broken.parquet", restaurants(), on_error="skip")) == 1
    with pytest.raises(DataError, match="records:1: a value that cannot be read"):
        from_records(broken)


def test_two_values_for_one_column(tmp_path):
    with pytest.raises(DataError, match="records:0: two values for 'text'"):
        from_records([{"review": "A", "text": "B", "aspect": "food", "sentiment": "x"}], columns={"review": "text"})
    doubled = pyarrow.Table.from_arrays([pyarrow.array(["a"])] * 4, names=["text", "text", "aspect", "sentiment"])
    pyarrow.parquet.write_table(doubled, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="column 'text' is given twice"):
        read_table(tmp_path / "a.parquet", None)


def test_numbers_of_very_many_digits():
    row = {"text": "the soup", "aspect": "soup", "sentiment": "x", "from": "9" * 5000, "to": "8"}
    with pytest.raises(DataError, match="records:0: received from='9999"):
        from_records([row])
    with pytest.raises(DataError, match="records:0: id must be a string: received a int of very many digits"):
        from_records([{**row, "from": 4, "to": 8, "id": 10**5000}])
