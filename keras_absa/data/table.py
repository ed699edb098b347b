"""Your own data: a table of texts, aspects and sentiments, as CSV, TSV or JSONL."""

import csv
import io
import re
from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import JsonError, match_name, parse_json, read_text, usable_text

COLUMNS = ("text", "aspect", "sentiment", "target", "other_target", "id")
ALIASES = {"label": "sentiment"}
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
    """Reads a CSV, TSV or JSONL file with one (text, aspect) a row.

    Columns, or keys, are `text`, `aspect`, `sentiment` (or `label`) and, where needed, `target`, `other_target` and
    `id`; others are ignored and counted in the report. Every value is taken as it is written: the label
    `None` is a label, not a missing value. Aspects and labels may differ from the task's in case.

    Args:
        path: The file. `.csv` has the usual quoting, `.tsv` none; `.jsonl` and `.json` have an object a line.
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
    else:
        raise ValueError(f"A table's name must end in .csv, .tsv, .jsonl or .json: received {str(path)!r}. Rename it.")

    reader = _RowReader(task, split, labelled, log)
    examples = [example for line, record in records if (example := reader.read(line, record)) is not None]
    if task is None and any(example.target for example in examples):
        for example in examples:
            if not example.target:
                line = example.source.rpartition(":")[2]
                log.bad("missing_target", line, "empty target, expected one as in other rows")
        examples = [example for example in examples if example.target]
    return log.finish(examples)


class _RowReader:
    """Turns one record, a dict of column to value, into an example."""

    def __init__(self, task: AspectTask | None, split: str, labelled: bool, log: ProblemLog):
        self.task, self.split, self.labelled, self.log = task, split, labelled, log
        self.text_of_id = {}
        self.id_of_text = {}
        self.label_of_question = {}

    def read(self, line: int, record: dict) -> AspectExample | None:
        text = usable_text(record.get("text", ""), line, self.log)
        aspect = self._name("aspect", line, record, self.task and self.task.aspects)
        label = self._name("sentiment", line, record, self.task and self.task.labels)
        targets = self._targets(line, record, text)
        if text is None or aspect is None or targets is None or (label is None and not self._may_lack(record)):
            return None
        identifier = self._identifier(line, record, text)
        if identifier is None:
            return None
        target, other = targets
        question = (identifier, target, aspect)
        before = self.label_of_question.setdefault(question, label)
        if before != label:
            what = f"aspect {aspect!r} of this text is {before!r} before, {label!r} here"
            self.log.conflict(line, what, *question)
        return AspectExample(
            text=text,
            aspect=aspect,
            label=label,
            target=target,
            other_target=other,
            id=identifier,
            split=self.split,
            source=f"{self.log.path}:{line}",
        )

    def _may_lack(self, record: dict) -> bool:
        return not self.labelled and not record.get("sentiment", "").strip()

    def _name(self, column: str, line: int, record: dict, known) -> str | None:
        """An aspect or label, in the task's spelling."""
        value = record.get(column, "")
        if not value.strip():
            if column == "aspect" or self.labelled:
                what = f"empty {column}" + (f"; known: {', '.join(sorted(known))}" if known else ", expected a name")
                self.log.bad(f"empty_{column}", line, what)
            return None
        if known is None:
            return value.strip()
        name = match_name(value, known)
        if name is None:
            kind = "label" if column == "sentiment" else column
            self.log.bad(f"unknown_{kind}", line, f"unknown {kind} {value!r}; known: {', '.join(sorted(known))}")
        return name

    def _targets(self, line: int, record: dict, text: str | None):
        """(target, other target), or `None` if they cannot be used."""
        target, other = (record.get(column, "").strip() or None for column in ("target", "other_target"))
        if self.task is not None and self.task.targets and target is None:
            self.log.bad("missing_target", line, f"empty target, expected one: task {self.task.name!r} asks for it")
            return None
        if self.task is not None and not self.task.targets and target is not None:
            what = f"received target {target!r}, expected none: task {self.task.name!r} has no targets"
            self.log.bad("unexpected_target", line, what)
            return None
        if other is not None and (target is None or other.casefold() == target.casefold()):
            what = f"received other_target {other!r} with target {target!r}, expected two different names"
            self.log.bad("bad_other_target", line, what)
            return None
        for column, name in (("target", target), ("other_target", other)):
            if name is not None and text is not None and not self._stands_in(name, text):
                what = f"{column} {name!r} is not in the text {text!r:.60}, expected it as a word of its own"
                self.log.bad("target_not_in_text", line, what)
                return None
        return target, other

    def _stands_in(self, name: str, text: str) -> bool:
        words = dict(zip(self.task.targets, self.task.target_words)) if self.task else {}
        return any(
            re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", text, re.IGNORECASE)
            for spelling in (name, words.get(name, name))
        )

    def _identifier(self, line: int, record: dict, text: str) -> str | None:
        identifier = record.get("id", "").strip()
        if not identifier:
            identifier = self.id_of_text.setdefault(text, f"text-{len(self.id_of_text) + 1}")
        elif self.text_of_id.setdefault(identifier, text) != text:
            first = self.text_of_id[identifier]
            what = f"id {identifier!r} stands for the text {first!r:.60} before, for {text!r:.60} here"
            self.log.bad("duplicate_id", line, what)
            return None
        return identifier


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
    for name in ("text", "aspect", *(["sentiment"] if labelled else [])):
        if name not in columns:
            raise log.fatal(line, f"missing column {name!r}; received columns: {', '.join(row)}.")
    for name in columns:
        if name not in COLUMNS:
            log.note("unused_columns", line, f"column {name!r} is not used")
    return columns


def _json_records(text: str, log: ProblemLog):
    """Yields (line, record); a line is what a line feed or carriage return ends."""
    if text.lstrip().startswith("["):
        raise log.fatal(1, "a JSON array, expected an object a line. SentiHood's arrays are for `read_sentihood`.")
    unused = set()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if not line.strip():
            continue
        try:
            values = parse_json(line)
        except JsonError as error:
            log.bad("bad_record", f"{number}:{error.column}" if error.column else number, str(error))
            continue
        if not isinstance(values, dict):
            log.bad("bad_record", number, f"expected a JSON object: received {line.strip()!r:.40}")
            continue
        record = {}
        for key, value in values.items():
            name = ALIASES.get(key, key)
            if name not in COLUMNS:
                if name not in unused:
                    log.note("unused_columns", number, f"key {key!r} is not used")
                unused.add(name)
            elif name in record:
                log.bad("bad_record", number, f"keys {name!r} and {key!r} mean the same, expected one of them")
                break
            elif name == "id" and isinstance(value, int) and not isinstance(value, bool):
                record[name] = str(value)
            elif value is None or isinstance(value, str):
                record[name] = value or ""
            else:
                log.bad("bad_record", number, f"{key} must be a string: received {value!r:.40}")
                break
        else:
            yield number, record
