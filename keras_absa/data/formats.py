"""Reading any supported file, and any folder with a file a split."""

from dataclasses import replace
from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.aspect_term_reader import read_aspect_terms
from keras_absa.data.json_lines import first_keys
from keras_absa.data.load_report import LoadReport
from keras_absa.data.semeval2014_reader import read_semeval2014
from keras_absa.data.semeval2016_reader import read_semeval2016
from keras_absa.data.sentihood_reader import CLEANINGS, read_sentihood
from keras_absa.data.snli_reader import read_snli
from keras_absa.data.splits import grouped_holdout
from keras_absa.data.table import read_table
from keras_absa.data.target_text_reader import read_target_texts
from keras_absa.data.xml_document import root_tag
from keras_absa.data.yelp_reader import read_yelp

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xml", ".raw")
SPLIT_STEMS = {"train": ("train",), "dev": ("dev", "val"), "test": ("test",)}
PUBLISHED_NAMES = {
    "train": ("sentihood-train.json", "Restaurants_Train.xml", "snli_1.0_train.jsonl"),
    "dev": ("sentihood-dev.json", "snli_1.0_dev.jsonl"),
    "test": ("sentihood-test.json", "Restaurants_Test_Gold.xml", "snli_1.0_test.jsonl"),
}
JSON_READERS = {"snli": read_snli, "yelp": read_yelp}


def read_examples(
    task: AspectTask | None,
    path,
    split: str = "",
    clean: str = "raw",
    labelled: bool = True,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads one file with the reader that its name and its first character call for.

    Args:
        task: The task of the rows; `None` for the reader's own, or, with a table, for any aspects and labels.
        path: A SentiHood file (`.json` that begins with `[`), a SemEval-2014, 2015, 2016 or MAMS file (`.xml`; with a task
            with open aspects its aspect terms, else its categories), texts with `$T$` (`.raw`), SNLI's pairs or Yelp's reviews
            (`.jsonl` or `.json`, told by the keys of the first object), or a table (`.csv`, `.tsv`, `.jsonl`, `.json`,
            `.parquet`).
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        clean: `"raw"` or, for SentiHood only, `"treebank"`. Defaults to `"raw"`.
        labelled: Bool, whether every row of a table needs a sentiment. Defaults to `True`.
        on_error: `"raise"` or `"skip"`. Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: `"keep"`, `"drop"` or `"error"`: what becomes of a question with two labels. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample`.

    Raises:
        DataError: If the file, or unless rows are skipped any of its rows, cannot be used.
        FileNotFoundError: If there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "shop.jsonl")
        >>> with open(path, "w") as file:
        ...     _ = file.write('{"text": "Kind people.", "aspect": "staff", "sentiment": "good"}\\n')
        >>> read_examples(None, path)[0].aspect
        'staff'
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"A data file's name must end in one of {list(SUFFIXES)}: received {str(path)!r}. Rename it.")
    if clean not in CLEANINGS:
        raise ValueError(f"`clean` must be one of {list(CLEANINGS)}: received {clean!r}. Pick one of them.")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Check the path.")
    if path.suffix.lower() == ".json" and begins_with_array(path):
        return read_sentihood(path, split, task, clean, on_error, report, conflict)
    if clean != "raw":
        raise ValueError(f"`clean={clean!r}` is for SentiHood files: received {str(path)!r}. Leave it out.")
    if path.suffix.lower() == ".xml":
        reader = read_semeval2016 if root_tag(path) == "Reviews" else read_semeval2014
        if task is not None and task.open_aspects:
            reader = read_aspect_terms
        return reader(path, split, task, on_error, report, conflict)
    if path.suffix.lower() == ".raw":
        return read_target_texts(path, split, task, on_error, report, conflict)
    if path.suffix.lower() in (".jsonl", ".json"):
        reader = JSON_READERS.get(json_kind(path))
        if reader is not None:
            return reader(path, split, task, on_error, report, conflict)
    return read_table(path, task, split, labelled, on_error, report, conflict)


def json_kind(path: Path) -> str | None:
    """`"snli"` or `"yelp"`, if a file's first object has the keys of these; else None."""
    keys = first_keys(path)
    if {"sentence1", "sentence2", "gold_label"} <= keys:
        return "snli"
    return "yelp" if {"text", "stars"} <= keys and "aspect" not in keys else None


def find_splits(task: AspectTask | None, folder) -> dict[str, Path]:
    """The files of a folder that hold the training, development and test rows.

    Args:
        task: The task, for messages; may be `None`.
        folder: A folder with the files of SentiHood or SemEval-2014 under their published names, or with
            `train`, `dev` (or `val`) and `test` files in any format that `read_examples` knows.

    Returns:
        A dict of `"train"` and, where they exist, `"dev"` and `"test"` to their paths.

    Raises:
        FileNotFoundError: If there is no such folder, or no training file in it.
        ValueError: If several files could be the same split.

    Example:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("train.csv", "test.csv"):
        ...     (folder / name).touch()
        >>> sorted(find_splits(None, folder))
        ['test', 'train']
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. Give the folder that holds the train and test files.")
    found = {}
    for split, stems in SPLIT_STEMS.items():
        names = (*PUBLISHED_NAMES[split], *(stem + suffix for stem in stems for suffix in SUFFIXES))
        files = [folder / name for name in names if (folder / name).is_file()]
        folders = [name for name in names if (folder / name).is_dir()]
        if folders and not files:
            raise FileNotFoundError(f"{folder / folders[0]}: a folder, expected the file of the {split} split.")
        if len(files) > 1:
            several = ", ".join(path.name for path in files)
            raise ValueError(f"{folder}: several files for the {split} split: {several}. Keep one of them.")
        if files:
            found[split] = files[0]
        elif split == "train":
            held = ", ".join(sorted(path.name for path in folder.iterdir())[:10]) or "nothing"
            whose = f" of task {task.name!r}" if task else ""
            raise FileNotFoundError(
                f"{folder}: no training file{whose}; looked for {', '.join(names)}; the folder holds {held}."
            )
    return found


def read_folder(
    task: AspectTask,
    folder,
    clean: str = "raw",
    holdout: float = 0.1,
    seed: int = 0,
    on_error: str = "raise",
    reports: dict[str, LoadReport] | None = None,
    conflict: str = "keep",
) -> dict[str, list[AspectExample]]:
    """Reads all splits of a folder; a missing development split is held out from the training rows.

    Args:
        task: The task of the rows.
        folder: The folder, see `find_splits`.
        clean: `"raw"` or, for SentiHood only, `"treebank"`. Defaults to `"raw"`.
        holdout: Float between 0 and 1, the share of the training texts that become the development split where the
            folder has none. Defaults to 0.1.
        seed: Int, the seed of the hold-out. Defaults to 0.
        on_error: `"raise"` or `"skip"`. Defaults to `"raise"`.
        reports: A dict to fill in with the `LoadReport` of every file, by split. Defaults to `None`.
        conflict: `"keep"`, `"drop"` or `"error"`: what becomes of a question with two labels. Defaults to `"keep"`.

    Returns:
        A dict of `"train"`, `"dev"` and `"test"` to lists of `AspectExample`; `"test"` is empty where the folder
        has no test file.

    Raises:
        DataError: If a file, or unless rows are skipped any of its rows, cannot be used.
        FileNotFoundError: If there is no training file.

    Example:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> rows = "".join(f"Dish {n},food,good\\n" for n in range(10))
        >>> _ = (folder / "train.csv").write_text("text,aspect,sentiment\\n" + rows)
        >>> task = AspectTask("kitchen", aspects=("food",), labels=("bad", "good"))
        >>> {split: len(rows) for split, rows in read_folder(task, folder).items()}
        {'train': 9, 'dev': 1, 'test': 0}
    """
    reports = {} if reports is None else reports
    rows = {"train": [], "dev": [], "test": []}
    for split, path in find_splits(task, folder).items():
        reports[split] = LoadReport()
        rows[split] = read_examples(
            task, path, split, clean, on_error=on_error, report=reports[split], conflict=conflict
        )
    if "dev" not in reports:
        rows["train"], heldout = grouped_holdout(rows["train"], holdout, seed)
        rows["dev"] = [replace(example, split="dev") for example in heldout]
    return rows


def begins_with_array(path: Path) -> bool:
    """Whether a JSON file holds an array, as SentiHood's do, rather than an object a line."""
    with path.open("rb") as file:
        return file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
