"""Rows back into files, in every format that is read."""

import json
import os
from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.sentihood_reader import set_apart
from keras_absa.data.splits import check_groups
from keras_absa.data.target_text_reader import MARK, NUMBERS
from keras_absa.data.term_spans import MAX_DIGITS
from keras_absa.data.write_xml import refusal, rows_by_text, semeval_xml

WRITTEN_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".xml", ".json", ".raw")
LINE_BREAKS = "\r\n"


def write_examples(examples: list[AspectExample], path, task: AspectTask | None = None) -> None:
    """Writes rows to one file; its name says in which format.

    | name | format | what it cannot hold, and refuses |
    |---|---|---|
    | `.csv`, `.jsonl`, `.parquet` | a row a line; Parquet needs pyarrow | nothing |
    | `.tsv` | the same without quoting | tabs and line breaks in a field |
    | `.xml` | SemEval-2014's categories | targets; texts that lack a row for an aspect |
    | `.xml` of a task whose aspects all have a `#` | SemEval-2015's and 2016's categories | the same |
    | `.xml` of a task with open aspects | SemEval-2014's terms | terms without a place |
    | `.json` | SentiHood | tasks without targets, targets that are not placeholders |
    | `.raw` | texts with `$T$`, three lines a row | closed aspects, terms without a place, line breaks |

    Rows with ids that are read back are equal but for `source` and `split`, in XML with the rows of a text side by side;
    `.raw` keeps no ids. The file is written as a whole or
    not at all.

    Args:
        examples: `AspectExample` rows.
        path: The file to write; one that exists is replaced.
        task: Their task; needed for `.xml` and `.json`, and tells terms from categories. Defaults to None.

    Raises:
        ValueError: If the format cannot hold a row, which is named, or there are none.
        ImportError: If pyarrow is needed and not installed.

    Example:
        >>> write_examples([AspectExample("Cold, sour soup", "food", "bad", id="7")], "shop.csv")
        >>> print(open("shop.csv").read())
        id,text,aspect,sentiment
        7,"Cold, sour soup",food,bad
        <BLANKLINE>
    """
    replace_file(path, examples_as_file(examples, path, task))


def examples_as_file(examples: list[AspectExample], path, task: AspectTask | None = None) -> bytes | str:
    """What `write_examples` writes, with the same arguments."""
    path, examples = Path(path), list(examples)
    suffix = path.suffix.lower()
    if suffix not in WRITTEN_SUFFIXES:
        raise ValueError(
            f"A data file's name must end in one of {list(WRITTEN_SUFFIXES)}: received {str(path)!r}. Rename it."
        )
    if not examples:
        raise ValueError(f"There must be rows to write: received none for {path}. Read some first.")
    if suffix in (".xml", ".json") and task is None:
        raise ValueError(f"`task` is needed to write {suffix}: received None for {path}. Pass the task of the rows.")
    if suffix == ".xml":
        return semeval_xml(examples, task)
    if suffix == ".json":
        return _sentihood_json(examples, task)
    if suffix == ".raw":
        return _target_texts(examples)
    return _parquet(examples) if suffix == ".parquet" else _rows_text(examples, suffix)


def replace_file(path: Path, data: bytes | str) -> None:
    """Writes a file under another name and renames it, so that nobody sees half of it and a failure loses nothing."""
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        what = "a folder, expected a file's name" if path.is_dir() else f"there is no folder {path.parent}"
        raise FileNotFoundError(f"{path}: {what}. Choose another name, or make the folder.")
    scratch = path.with_name(f".{path.name}.{os.getpid()}.writing")
    try:
        scratch.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def _records(examples) -> list[dict]:
    """The rows as dicts with the columns that any of them uses."""
    rows = [
        {
            "id": row.id,
            "text": row.text,
            "aspect": row.aspect,
            "sentiment": row.label,
            "target": row.target,
            "other_target": row.other_target,
            "from": None if row.span is None else row.span[0],
            "to": None if row.span is None else row.span[1],
        }
        for row in examples
    ]
    needed = ("text", "aspect", "sentiment")
    columns = [name for name in rows[0] if name in needed or any(row[name] not in (None, "") for row in rows)]
    return [{name: row[name] for name in columns} for row in rows]


def _rows_text(examples, suffix) -> str:
    records = _records(examples)
    if suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in records)
    cells = [["" if value is None else str(value) for value in row.values()] for row in records]
    if suffix == ".csv":
        return "".join(map(csv_line, [list(records[0]), *cells]))
    for number, (example, row) in enumerate(zip(examples, cells, strict=True)):
        if any(char in cell for cell in row for char in "\t" + LINE_BREAKS):
            raise refusal(example, number, "tabs or line breaks")
    return "".join("\t".join(row) + "\n" for row in [list(records[0]), *cells])


def csv_line(cells: list[str]) -> str:
    """One row of a CSV file that every reader takes for one row."""
    return ",".join(map(_csv_cell, cells)) + "\n"


def _csv_cell(cell: str) -> str:
    # `csv.writer` leaves a lone carriage return without quotes, which `csv.reader` takes for the end of a line.
    return '"' + cell.replace('"', '""') + '"' if any(char in cell for char in '",' + LINE_BREAKS) else cell


def _parquet(examples) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: it is not installed. pip install 'pyarrow>=16'") from error
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(_records(examples)), sink)
    return sink.getvalue().to_pybytes()


def _sentihood_json(examples, task) -> str:
    for number, row in enumerate(examples):
        if row.target not in task.targets:
            raise refusal(row, number, f"the target {row.target!r}, which is none of {list(task.targets)}")
        if row.other_target:
            raise refusal(row, number, f"the other target {row.other_target!r}")
        if task.targets[0] not in row.text:
            raise refusal(row, number, f"a text that does not name {task.targets[0]}")
        if set_apart(row.text, task) != row.text:
            raise refusal(row, number, "a target that touches other letters, which is read as a word of its own,")
    check_groups(sorted(examples, key=lambda row: (row.id or row.text, row.target)), task)
    for rows in rows_by_text(examples).values():
        silent = [
            target for target in task.targets if target in rows[0].text and target not in {row.target for row in rows}
        ]
        if silent:
            raise refusal(rows[0], examples.index(rows[0]), f"a text that names {silent[0]} without rows for it")
    records = [
        {
            "id": int(identifier) if _is_number(identifier) else identifier,
            "text": rows[0].text,
            "opinions": [
                {"sentiment": row.label, "aspect": row.aspect, "target_entity": row.target}
                for row in rows
                if row.label != task.none_label
            ],
        }
        for identifier, rows in rows_by_text(examples).items()
    ]
    return json.dumps(records, indent=1) + "\n"


def _is_number(identifier: str) -> bool:
    """Whether a JSON number says the same as this string."""
    return identifier.isdecimal() and len(identifier) <= MAX_DIGITS and str(int(identifier)) == identifier


def _target_texts(examples) -> str:
    numbers = {label: number for number, label in NUMBERS.items()}
    lines = []
    for number, row in enumerate(examples):
        if row.span is None or row.text[slice(*row.span)] != row.aspect:
            raise refusal(row, number, f"the aspect {row.aspect!r} without its place in the text")
        if row.label is None:
            raise refusal(row, number, "rows without a label")
        if row.aspect != row.aspect.strip():
            raise refusal(row, number, f"the aspect {row.aspect!r} with its outer blanks")
        pattern = row.text[: row.span[0]] + MARK + row.text[row.span[1] :]
        if MARK in row.text or any(char in row.text for char in LINE_BREAKS):
            raise refusal(row, number, f"texts with {MARK} or line breaks")
        if number == 0 and pattern.startswith("\ufeff"):
            raise refusal(row, number, "a byte-order mark at the beginning of a text, where it marks the file")
        lines += [pattern, row.aspect, numbers.get(row.label, row.label)]
    return "\n".join([*lines, ""])
