"""What `--task` and `--data` stand for; nothing here needs TensorFlow."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from keras_absa.cli.command_group import tell
from keras_absa.data import (
    AspectDataset,
    AspectExample,
    AspectTask,
    LoadReport,
    find_splits,
    mams,
    neighbourhoods,
    read_aspect_terms,
    read_examples,
    read_folder,
    read_target_texts,
    restaurants,
    semeval2014,
    sentihood,
    snli,
    synthetic_reviews,
    task_from_examples,
    write_rejects,
    yelp,
)
from keras_absa.data.formats import begins_with_array, json_kind
from keras_absa.data.semeval2014_reader import task_of_categories
from keras_absa.data.source_file import JsonError, parse_json
from keras_absa.data.xml_document import root_tag

BUILT_IN = {"restaurants": restaurants, "neighbourhoods": neighbourhoods}
TASKS = {"sentihood": sentihood, "semeval2014": semeval2014, "mams": mams, "snli": snli, "yelp": yelp, **BUILT_IN}
TERMS = "terms"
SPLITS = ("train", "dev", "test")


def find_task(name: str | None, data: str, on_error: str = "raise", labelled: bool = True) -> AspectTask | None:
    """The task that `--task` names or, without it, the one that the data call for.

    Args:
        name: A task's name, the path of a JSON file that `AspectTask.to_dict` describes, or `None`.
        data: A built-in data set's name or a folder.
        on_error: `"raise"` or `"skip"`, where the training file has to be read. Defaults to `"raise"`.
        labelled: Bool, see `task_of_file`. Defaults to True.

    Returns:
        The task. For a folder of tables it holds the aspects and labels of the training file.
    """
    if data not in BUILT_IN:
        path = find_splits(None, data)["train"] if name in (None, TERMS) else None
        return task_of_file(name, path, Path(data).resolve().name, on_error, labelled)
    if name == TERMS:
        raise ValueError(
            f"`--task {TERMS}` needs files with aspect terms: received the built-in {data!r}. Leave it out."
        )
    return task_of_file(name or data, None, data)


def task_of_file(
    name: str | None, path: Path | None, called: str, on_error: str = "raise", labelled: bool = True
) -> AspectTask | None:
    """The task that `--task` names or, without it, the one that a file calls for.

    Args:
        name: As in `find_task`.
        path: The file; not read if `name` is a task's name or a JSON file.
        called: The name of a task that is made from the file's rows.
        on_error: `"raise"` or `"skip"`, where the file has to be read. Defaults to `"raise"`.
        labelled: Bool, whether a table's rows need labels. Without, a table that has none gives None. Defaults to True.
    """
    if name in TASKS:
        return TASKS[name]()
    if name not in (None, TERMS):
        return _read_task(name)
    suffix = path.suffix.lower()
    if name is None and suffix == ".xml" and root_tag(path) != "Reviews":
        return task_of_categories(path)
    if name is None and suffix == ".json" and begins_with_array(path):
        return sentihood()
    if name is None and suffix in (".jsonl", ".json") and json_kind(path):
        return TASKS[json_kind(path)]()
    terms = name == TERMS or suffix == ".raw"
    readers = {".xml": read_aspect_terms, ".raw": read_target_texts} if terms else {}
    reader = readers.get(suffix, partial(read_examples, None, labelled=labelled))
    rows = reader(path, split="train", on_error=on_error)
    if not labelled and not any(row.label for row in rows):
        return None
    try:
        task = task_from_examples(rows, called, open_aspects=terms)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if suffix == ".xml" and not terms and task.none_label is None:  # every text has every category
        task = replace(task, labels=(*task.labels, "none"), none_label="none")
    aspects = "aspect terms" if terms else f"aspects {_listed(task.aspects)}"
    tell(f"task {task.name!r} from {path}: {aspects}; labels {', '.join(task.labels)}")
    return task


def _listed(names, most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _read_task(name: str) -> AspectTask:
    path = Path(name)
    if path.suffix.lower() != ".json":
        raise ValueError(
            f"`--task` must be one of {[*TASKS, TERMS]} or a .json file: received {name!r}. Leave it out to "
            "take the task from the training file."
        )
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. `--task` takes the JSON that `AspectTask.to_dict` describes.")
    try:
        values = parse_json(path.read_text("utf-8-sig"))
    except JsonError as error:
        raise ValueError(f"{path}:{error.line or 1}: {error}") from error
    try:
        return AspectTask.from_dict(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: this does not describe a task: {error}") from error


def read_splits(
    task: AspectTask,
    data: str,
    *,
    clean: str,
    holdout: float,
    seed: int,
    on_error: str = "raise",
    rejects: Path | None = None,
    conflict: str = "keep",
) -> dict[str, list[AspectExample]]:
    """The rows of all splits; `"test"` is empty where the folder has no test file."""
    if data in BUILT_IN:
        return {split: synthetic_reviews(data, split, seed=seed) for split in SPLITS}
    reports = {}
    rows = read_folder(task, data, clean, holdout, seed, on_error, reports, conflict)
    tell_counts(reports.values())
    if rejects is not None:
        tell(f"{write_rejects(list(reports.values()), rejects)} mistakes were skipped and listed in {rejects}")
    if "dev" not in reports:
        tell(f"no dev file in {data}: {len(rows['dev'])} of the training rows were held out, by text, for development")
    return rows


def read_split(task: AspectTask, data: str, split: str, *, clean: str, holdout: float, seed: int) -> AspectDataset:
    """One split of a built-in data set or of a folder, or a whole file."""
    path = Path(data)
    if data in BUILT_IN:
        rows = synthetic_reviews(data, split, seed=seed)
    elif path.is_dir() and split not in (found := find_splits(task, path)):
        if split != "dev":
            raise FileNotFoundError(
                f"{path}: no {split} file; it has {', '.join(found)}. Choose one of them with --split."
            )
        rows = read_splits(task, data, clean=clean, holdout=holdout, seed=seed)["dev"]
    else:
        report = LoadReport()
        rows = read_examples(task, found[split] if path.is_dir() else path, split, clean, report=report)
        tell_counts([report])
    return AspectDataset(rows, task, split=split)


def tell_counts(reports) -> None:
    """Tells what the reader of each file merged, ignored or left out."""
    for report in reports:
        if report.counts:
            tell(str(report))
