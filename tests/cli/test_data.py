import json

import pytest

HEAD = "text,aspect,sentiment\n"


@pytest.fixture
def tables(tmp_path):
    rows = "".join(f"dish {n} was {word},food,{word}\n" for n in range(20) for word in ("good", "bad"))
    (tmp_path / "train.csv").write_text(HEAD + rows)
    (tmp_path / "test.csv").write_text(HEAD + "Dish 1 was  GOOD,food,bad\nnew,food,great\n")
    return tmp_path


def test_report(keras_absa, tables):
    done = keras_absa("data", "report", tables, "--json", code=1)
    found = json.loads(done.stdout)
    assert found["sizes"]["train"] == {"texts": 40, "rows": 40} and found["leaks"] == {"train/test": 1}
    assert found["conflicts"] == 1 and found["lengths"]["train"]["max"] == 8
    assert "test.csv:3: unknown label 'great'; known: bad, good" in done.stderr

    page, picture = tables / "report.html", tables / "report.png"
    arguments = ("--html", page, "--picture", picture, "--backbone", "none")
    printed = keras_absa("data", "report", tables / "train.csv", *arguments).stdout
    assert "Sizes\n  split  texts  rows" in printed and "Word pieces" not in printed
    assert page.read_text().startswith("<!DOCTYPE html>") and picture.read_bytes().startswith(b"\x89PNG")


def test_convert_and_back(keras_absa, tables):
    source = tables / "train.csv"
    for middle in ("a.jsonl", "a.parquet", "a.tsv"):
        keras_absa("data", "convert", source, tables / middle)
        keras_absa("data", "convert", tables / middle, tables / "back.csv", "--overwrite")
        rows = [line.split(",", 1)[1] for line in (tables / "back.csv").read_text().splitlines()]
        assert rows == source.read_text().splitlines(), middle
    failed = keras_absa("data", "convert", source, tables / "a.jsonl", code=2)
    assert "which exists. Add --overwrite" in failed.stderr
    failed = keras_absa("data", "convert", source, tables / "a.xml", code=2)
    assert "without targets and with a none_label" in failed.stderr and not (tables / "a.xml").exists()
    (tables / "bad.csv").write_text(HEAD + "x,food,good\n,food,good\n")
    failed = keras_absa("data", "convert", tables / "bad.csv", tables / "b.jsonl", code=2)
    assert "bad.csv:3: empty text" in failed.stderr and not (tables / "b.jsonl").exists()


def test_terms(keras_absa, tables):
    (tables / "t.raw").write_text("the $T$ is cold\nmiso soup\n-1\n")
    keras_absa("data", "convert", tables / "t.raw", tables / "t.xml")
    assert '<aspectTerm term="miso soup" polarity="negative" from="4" to="13"/>' in (tables / "t.xml").read_text()
    keras_absa("data", "convert", tables / "t.xml", tables / "t.jsonl", "--task", "terms")
    row = json.loads((tables / "t.jsonl").read_text())
    assert (row["aspect"], row["sentiment"], row["from"], row["to"]) == ("miso soup", "negative", 4, 13)


def test_split(keras_absa, tables):
    keras_absa("data", "split", tables / "train.csv", tables / "parts", "--shares", "0.5", "0", "0.5", "--seed", "3")
    parts = {path.name: path.read_text().splitlines()[1:] for path in (tables / "parts").iterdir()}
    assert sorted(parts) == ["test.csv", "train.csv"] and [len(each) for each in parts.values()] == [20, 20]
    assert all(sum(line.endswith(",good") for line in each) == 10 for each in parts.values())
    failed = keras_absa("data", "split", tables / "train.csv", tables / "parts", code=2)
    assert "which exists" in failed.stderr and not (tables / "parts" / "dev.csv").exists()


def test_report_goes_on_where_rows_are_bad_or_have_no_label(keras_absa, tables):
    (tables / "bad.csv").write_text(HEAD + "x,food,good\n,food,good\ny,food,\n")
    done = keras_absa("data", "report", tables / "bad.csv", "--json", "--backbone", "none", code=1)
    assert json.loads(done.stdout)["labels"] == {"bad": {"food": {"good": 1, "(no label)": 1}}}
    assert "bad.csv:3: empty text" in done.stderr
    (tables / "plain.csv").write_text("text,aspect\nx,food\n")
    done = keras_absa("data", "report", tables / "plain.csv", "--json", "--backbone", "none")
    assert json.loads(done.stdout)["labels"] == {"plain": {"food": {"(no label)": 1}}}
    keras_absa("data", "convert", tables / "plain.csv", tables / "plain.jsonl")
    assert json.loads((tables / "plain.jsonl").read_text())["sentiment"] is None


def test_nothing_is_replaced_or_mixed_up(keras_absa, tables):
    source = tables / "train.csv"
    before = source.read_text()
    for arguments, message in (
        (("report", source, source), "must be given once"),
        (("report", source, "--html", source), "which exists. Add --overwrite"),
        (("report", source, "--html", source, "--overwrite"), "must not replace the data"),
        (("split", source, tables), "which exists"),
        (("convert", source, tables / "no" / "a.csv"), "there is no folder"),
    ):
        assert message in keras_absa("data", *arguments, code=2).stderr, arguments
    keras_absa("data", "split", source, tables / "parts")
    failed = keras_absa("data", "split", source, tables / "parts", "--shares", "1", "0", "0", "--overwrite", code=2)
    assert "must not hold parts of another split" in failed.stderr and "dev.csv, test.csv" in failed.stderr
    assert source.read_text() == before


def test_usage_errors(keras_absa, tables):
    assert "no such file" in keras_absa("data", "report", tables / "no.csv", code=2).stderr
    assert "must end in one of" in keras_absa("data", "convert", tables / "train.csv", tables / "a.doc", code=2).stderr
    assert (
        "built-in"
        in keras_absa("train", "--data", "restaurants", "--task", "terms", "--output", tables / "run", code=2).stderr
    )


def test_convert_tells_what_was_left_out(keras_absa, tables):
    rows = "a,food,good\na,food,bad\nb,food,bad\nc,food,\n,food,bad\n"
    (tables / "odd.csv").write_text(HEAD + rows)
    assert (
        "odd.csv:6: empty text" in keras_absa("data", "convert", tables / "odd.csv", tables / "o.jsonl", code=2).stderr
    )
    own = ("--on-error", "skip", "--conflict", "drop")
    done = keras_absa("data", "convert", tables / "odd.csv", tables / "o.jsonl", *own)
    assert "conflicts: 1" in done.stderr and "empty_text: 1" in done.stderr and "2 rows of 2 texts" in done.stderr
    (tables / "none.csv").write_text(HEAD)
    failed = keras_absa("data", "convert", tables / "none.csv", tables / "n.jsonl", code=2).stderr
    assert "none.csv" in failed and not (tables / "n.jsonl").exists()


def test_nothing_that_is_read_is_written_over(keras_absa, tables):
    train = tables / "train.csv"
    before = train.read_bytes()
    for arguments in (
        ("split", train, tables, "--overwrite"),
        ("convert", train, train, "--overwrite"),
        ("report", tables, "--html", train, "--overwrite"),
    ):
        if arguments[0] == "split":
            (tables / "test.csv").rename(tables / "other.csv")
        failed = keras_absa("data", *arguments, code=2)
        assert "must not replace the data" in failed.stderr and train.read_bytes() == before, arguments
    assert sorted(path.name for path in tables.iterdir()) == ["other.csv", "train.csv"]
    for own, message in (
        (("--picture", tables / "pic"), "`--picture` must end in one of"),
        (("--picture", tables / "a.svg", "--html", tables / "a.svg"), "must be two files"),
    ):
        assert message in keras_absa("data", "report", train, *own, code=2).stderr
    treebank = ("data", "convert", train, tables / "a.json", "--clean", "treebank")
    assert "`--clean treebank` rewrites the targets" in keras_absa(*treebank, code=2).stderr


def test_a_split_is_written_whole_or_not_at_all(keras_absa, tables):
    lines = [json.dumps({"text": f"dish {n}", "aspect": "food", "sentiment": "good"}) + "\n" for n in range(30)]
    (tables / "t.json").write_text("".join(lines))  # is read as a table; as SentiHood's format it cannot be written
    failed = keras_absa("data", "split", tables / "t.json", tables / "parts", code=2)
    assert "the target None" in failed.stderr and not (tables / "parts").exists()
    (tables / "parts" / "test.csv").mkdir(parents=True)
    failed = keras_absa("data", "split", tables / "train.csv", tables / "parts", "--overwrite", code=2)
    assert "received the folder" in failed.stderr
    assert [path.name for path in (tables / "parts").iterdir()] == ["test.csv"]


def test_report_tells_what_was_not_read(keras_absa, tables):
    (tables / "extra.csv").write_text("text,aspect,sentiment,stars\nx,food,good,3\n")
    found = json.loads(keras_absa("data", "report", tables / "extra.csv", "--json", "--backbone", "none").stdout)
    count, place = found["reading"]["extra"]["unused_columns"]
    assert count == 1 and place.endswith("extra.csv:1: column 'stars' is not used")


def test_report_of_a_folder_without_labels(keras_absa, tables):
    for name in ("train", "test"):
        (tables / f"{name}.csv").write_text("text,aspect\nnice,food\n")
    found = json.loads(keras_absa("data", "report", tables, "--json", "--backbone", "none").stdout)
    assert found["labels"]["train"] == {"food": {"(no label)": 1}}
