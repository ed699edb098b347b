"""Your own data: a table of texts, aspects and sentiments, as CSV, TSV, JSONL or Parquet."""

import csv
import io
import re
from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.json_lines import json_objects
from keras_absa.data.load_report import LoadReport
from keras_absa.data.parquet_records import parquet_records
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import ALIASES, COLUMNS, RowReader, check_columns, text_record
from keras_absa.data.source_file import read_text

DIALECTS = {
    ".csv": {"delimiter": ",", "strict": True},
    ".tsv": {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "strict": True},
}


def read_table(
    path,
    task: AspectTask | None,
    split: str = "",
    labelled: bool = True,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads a CSV, TSV, JSONL or Parquet file with one (text, aspect) a row.

    Columns, or keys, are `text`, `aspect`, `sentiment` (or `label`) and, where needed, `target`, `other_target`, `id`,
    and `from` and `to`, the characters of an aspect term; others are ignored and counted in the report. Every value is
    taken as it is written: the label `None` is a label, not a missing value. Aspects and labels may differ from the
    task's in case.

    Args:
        path: The file. `.csv` has the usual quoting, `.tsv` none; `.jsonl` and `.json` have an object a line; `.parquet`
            needs the package pyarrow.
        task: The task that the rows have to fit. `None` accepts any aspects and labels; `task_from_examples`
            makes a task of them.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        labelled: Bool, whether every row needs a sentiment. Defaults to `True`.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of a question with two labels: `"keep"` counts it and keeps both rows, `"drop"`
            counts it and leaves both out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in the order of the file. Without an `id` column, equal texts share an id.

    Raises:
        DataError: If the file is not such a table, or, unless rows are skipped, if a row has a mistake. Each is named
            by the line on which its row starts.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "shop.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("text,aspect,sentiment\\nKind people.,staff,good\\n")
        >>> read_table(path, task=None)[0].label
        'good'
    """
    suffix = Path(path).suffix.lower()
    log = ProblemLog(path, on_error, report, conflict)
    if suffix in DIALECTS:
        records = _delimited_records(read_text(path, log), DIALECTS[suffix], labelled, log)
    elif suffix in (".jsonl", ".json"):
        records = _json_records(read_text(path, log), log)
    elif suffix == ".parquet":
        records = parquet_records(path, labelled, log)
    else:
        raise ValueError(
            f"A table's name must end in .csv, .tsv, .jsonl, .json or .parquet: received {str(path)!r}. Rename it."
        )
    return RowReader(task, split, labelled, log).read_all(records)


def _delimited_records(text: str, dialect: dict, labelled: bool, log: ProblemLog):
    """Yields (line on which the record starts, record)."""
    # `newline=""` leaves the line ends to csv; only \n, \r and \r\n count as such, not U+2028 and its like.
    rows = csv.reader(io.StringIO(text, newline=""), **dialect)
    columns, start = None, 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            hint = "Is a quotation mark missing, or not doubled inside quotes?"
            if "field limit" in str(error):
                hint = f"A field may have {csv.field_size_limit()} characters. Split the text, or close its quotation mark."
            raise log.fatal(start, f"unreadable row, {error}. {hint}") from error
        if row is None:
            break
        line, start = start, rows.line_num + 1
        if len(row) <= 1 and not "".join(row).strip():
            continue
        if columns is None:
            columns = _columns(row, line, labelled, log)
        elif len(row) != len(columns):
            what = f"received {len(row)} columns, expected {len(columns)} ({', '.join(columns)})"
            log.bad("bad_columns", line, what)
        else:
            yield line, dict(zip(columns, row))
    if columns is None:
        raise log.fatal(1, "empty file, expected a line with the names of the columns.")


def _columns(row: list[str], line: int, labelled: bool, log: ProblemLog) -> list[str]:
    columns = [name.strip().lower() for name in row]
    columns = [ALIASES.get(name, name) for name in columns]
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise log.fatal(line, f"column {twice[0]!r} is given twice; received columns: {', '.join(row)}.")
    check_columns(columns, row, labelled, line, log)
    for name in columns:
        if name not in COLUMNS:
            log.note("unused_columns", line, f"column {name!r} is not used")
    return columns


def _json_records(text: str, log: ProblemLog):
    """Yields (line, record); a line is what a line feed or carriage return ends."""
    if text.lstrip().startswith("["):
        raise log.fatal(1, "a JSON array, expected an object a line. SentiHood's arrays are for `read_sentihood`.")
    unused = set()
    for number, values in json_objects(re.split(r"\r\n|\r|\n", text), log):
        record = text_record(values, number, log, unused)
        if record is not None:
            yield number, record
