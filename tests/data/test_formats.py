import json

import pytest

from keras_absa.data.aspect_task import AspectTask, semeval2014, sentihood
from keras_absa.data.data_error import DataError
from keras_absa.data.formats import find_splits, read_examples, read_folder

SHOP = AspectTask("shop", aspects=("price",), labels=("bad", "good"))
PLACES = json.dumps([{"id": number, "text": f"LOCATION1 isn't no. {number}", "opinions": []} for number in range(10)])
MENU = (
    "<sentences>"
    + "".join(f'<sentence id="{n}"><text>Dish {n}</text><aspectCategories/></sentence>' for n in range(10))
    + "</sentences>"
)
TABLE = "text,aspect,label\n" + "".join(f"Shop {number},price,good\n" for number in range(10))
LINES = '{"text": "Dear.", "aspect": "price", "label": "bad"}\n'


def put(folder, **files):
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "task, name, content, rows",
    [
        (sentihood(), "a.json", PLACES, 40),
        (None, "a.json", "\ufeff \n" + PLACES, 40),
        (semeval2014(), "a.xml", MENU, 50),
        (None, "a.XML", MENU, 50),
        (SHOP, "a.csv", TABLE, 10),
        (None, "a.tsv", TABLE.replace(",", "\t"), 10),
        (SHOP, "a.jsonl", LINES, 1),
        (SHOP, "a.json", LINES, 1),
    ],
)
def test_the_reader_is_picked_by_suffix_and_content(tmp_path, task, name, content, rows):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(read_examples(task, tmp_path / name)) == rows


def test_arguments_reach_the_reader(tmp_path):
    put(tmp_path, a__json=PLACES, a__csv="text,aspect\nDear.,price\n,price\n")
    assert read_examples(None, tmp_path / "a.json", "dev", "treebank")[0].text == "location - 1 is n't no . 0"
    (row,) = read_examples(SHOP, tmp_path / "a.csv", "test", labelled=False, on_error="skip")
    assert (row.label, row.split) == (None, "test")
    with pytest.raises(DataError):
        read_examples(SHOP, tmp_path / "a.csv", labelled=False)


@pytest.mark.parametrize(
    "name, clean, error, message",
    [
        ("a.csv", "treebank", ValueError, "`clean='treebank'` is for SentiHood files"),
        ("a.csv", "tidy", ValueError, "`clean` must be one of"),
        ("a.txt", "raw", ValueError, "must end in one of"),
        ("b.csv", "raw", FileNotFoundError, "b.csv: no such file"),
    ],
)
def test_wrong_arguments(tmp_path, name, clean, error, message):
    put(tmp_path, a__csv=TABLE, a__txt=TABLE)
    with pytest.raises(error, match=message):
        read_examples(SHOP, tmp_path / name, clean=clean)


@pytest.mark.parametrize(
    "names, splits",
    [
        (["sentihood-train.json", "sentihood-dev.json", "sentihood-test.json"], ["train", "dev", "test"]),
        (["Restaurants_Train.xml", "Restaurants_Test_Gold.xml", "README.txt"], ["train", "test"]),
        (["train.csv", "val.jsonl", "test.tsv"], ["train", "dev", "test"]),
        (["train.json"], ["train"]),
    ],
)
def test_find_splits(tmp_path, names, splits):
    for name in names:
        (tmp_path / name).touch()
    found = find_splits(None, tmp_path)
    assert list(found) == splits
    assert [path.name for path in found.values()] == names[: len(splits)]


def test_find_splits_says_what_it_looked_for(tmp_path):
    (tmp_path / "training.csv").touch()
    with pytest.raises(FileNotFoundError) as error:
        find_splits(SHOP, tmp_path)
    for part in ("no training file of task 'shop'", "sentihood-train.json", "train.csv", "folder holds training.csv"):
        assert part in str(error.value)
    with pytest.raises(FileNotFoundError, match="absent: no such folder"):
        find_splits(SHOP, tmp_path / "absent")


def test_find_splits_does_not_choose(tmp_path):
    put(tmp_path, train__csv="", dev__csv="", val__csv="")
    with pytest.raises(ValueError, match="several files for the dev split: dev.csv, val.csv. Keep one"):
        find_splits(SHOP, tmp_path)


def test_read_folder(tmp_path):
    put(tmp_path, train__csv=TABLE, dev__jsonl=LINES, test__json=LINES)
    reports = {}
    rows = read_folder(SHOP, tmp_path, reports=reports)
    assert {split: len(part) for split, part in rows.items()} == {"train": 10, "dev": 1, "test": 1}
    assert all(row.split == split for split, part in rows.items() for row in part)
    assert {split: report.rows for split, report in reports.items()} == {"train": 10, "dev": 1, "test": 1}


def test_read_folder_holds_out_what_is_missing(tmp_path):
    put(tmp_path, Restaurants_Train__xml=MENU, Restaurants_Test_Gold__xml=MENU)
    rows = read_folder(semeval2014(), tmp_path, holdout=0.3, seed=1)
    assert {split: len(part) for split, part in rows.items()} == {"train": 35, "dev": 15, "test": 50}
    assert all(row.split == split for split, part in rows.items() for row in part)
    assert not {row.id for row in rows["train"]} & {row.id for row in rows["dev"]}
    assert rows == read_folder(semeval2014(), tmp_path, holdout=0.3, seed=1)
    assert rows != read_folder(semeval2014(), tmp_path, holdout=0.3, seed=2)


def test_read_folder_passes_cleaning_and_mode(tmp_path):
    put(tmp_path, train__json=PLACES.replace("LOCATION1 isn't no. 9", " "))
    with pytest.raises(DataError, match="record 10 .id 9.: empty text"):
        read_folder(sentihood(), tmp_path)
    rows = read_folder(sentihood(), tmp_path, clean="treebank", on_error="skip")
    assert len(rows["train"]) + len(rows["dev"]) == 36
    assert rows["test"] == [] and rows["train"][0].text.startswith("location - 1 is n't")
