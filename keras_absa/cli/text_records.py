"""Texts from a file or a pipe, one record at a time, whatever their size."""

import csv
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.source_file import CONTROL, MAX_TEXT_CHARACTERS, SURROGATE, JsonError, match_name, parse_json
from keras_absa.data.table import DIALECTS
from keras_absa.models.aspect_prediction import stands_in

FORMATS = ("text", "jsonl", "csv", "tsv")
KEYS = ("text", "target", "other_target", "aspect")
# Far more than a usable text needs; the rest of a longer line is passed over, so that it need not fit into memory.
MAX_LINE_BYTES = 2**20
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # how `surrogateescape` carries a byte that is not UTF-8


class BadRecord(ValueError):
    """A record that cannot be asked about: what is wrong, what was received, what was expected."""


def read_records(
    stream: BinaryIO, kind: str, report: Callable[[int, str], None], name: str = "stdin"
) -> Iterator[tuple[int, dict]]:
    """Yields (line, record) for every usable record.

    Only a line feed, with or without a carriage return before it, ends a line. Blank lines are passed over.

    Args:
        stream: Bytes, UTF-8 with or without a byte-order mark.
        kind: `"text"`, a text a line; `"jsonl"`; `"csv"` or `"tsv"`, whose first line names the columns.
        report: Called with the line and the message of what cannot be used.
        name: The stream's name, for an error.

    Raises:
        ValueError: If a table has no first line, or no column `text` in it.
    """
    if kind == "text":
        for number, line in enumerate(_lines(stream), 1):
            if line.strip():
                yield number, {"text": line.rstrip("\r\n")}
    elif kind == "jsonl":
        yield from _json_records(stream, report)
    else:
        yield from _table_records(stream, DIALECTS[f".{kind}"], report, name)


def _lines(stream: BinaryIO) -> Iterator[str]:
    first = True
    while line := stream.readline(MAX_LINE_BYTES):
        rest = line
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES)
        yield (line.removeprefix(b"\xef\xbb\xbf") if first else line).decode("utf-8", "surrogateescape")
        first = False


def _json_records(stream, report):
    for number, line in enumerate(_lines(stream), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except JsonError as error:
            report(number, f"{error} Received {_shown(line.strip())}, expected a JSON object.")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            report(number, f'no JSON object: received {_shown(line.strip())}, expected {{"text": ...}}.')


def _table_records(stream, dialect, report, name):
    rows = csv.reader(_lines(stream), **dialect)
    columns, start = None, 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            report(start, f"unreadable row down to line {rows.line_num}: {error}. Expected quotation marks in pairs.")
            start = rows.line_num + 1
            continue
        if row is None:
            if columns is None:
                raise ValueError(f"{name}:1: empty file, expected a line with the names of the columns.")
            return
        line, start = start, rows.line_num + 1
        if len(row) <= 1 and not "".join(row).strip():
            continue
        if columns is None:
            columns = [column.strip().lower() for column in row]
            if "text" not in columns or len(set(columns)) < len(columns):
                rule = "the columns must be distinct, and one of them `text`"
                raise ValueError(f"{name}:{line}: {rule}: received {', '.join(row)}.")
        elif len(row) != len(columns):
            report(line, f"received {len(row)} columns, expected {len(columns)} ({', '.join(columns)}).")
        else:
            record = zip(columns, row, strict=True)
            yield line, {key: value for key, value in record if value.strip() or key == "text"}


def questions(task: AspectTask, record: dict, names: tuple[str, ...] = ()) -> list[AspectExample]:
    """What a record asks: its own target and aspect, or each that is possible.

    Args:
        task: The model's task.
        record: With `text` and perhaps `target`, `other_target` and `aspect`.
        names: Targets to look for in a text whose record names none. Defaults to the task's placeholders.

    Raises:
        BadRecord: If there is nothing that the model could be asked.
    """
    values = {key: record.get(key) for key in KEYS}
    for key, value in values.items():
        if value is not None and not isinstance(value, str):
            raise BadRecord(f"{key} must be a string: received {_shown(value)}.")
        byte = _NOT_UTF8.search(value or "")
        if byte:
            raise BadRecord(f"{key} is not UTF-8: received byte {ord(byte.group()) - 0xDC00:#04x}, expected UTF-8.")
        if SURROGATE.search(value or ""):
            raise BadRecord(
                f"{key} holds half of a surrogate pair: received {_shown(value)}, expected whole characters."
            )
        control = CONTROL.search(value or "")
        if control:
            raise BadRecord(
                f"{key} holds the control character U+{ord(control.group()):04X}: received {_shown(value)}, expected none."
            )
    text = values["text"]
    if text is None or not text.strip():
        raise BadRecord(f"no text: received {_shown(text)}, expected some words.")
    if len(text) > MAX_TEXT_CHARACTERS:
        raise BadRecord(
            f"text too long: received {len(text)} characters or more, expected at most {MAX_TEXT_CHARACTERS}."
        )
    aspects = task.aspects
    if task.open_aspects:
        if not (values["aspect"] or "").strip():
            raise BadRecord(f"no aspect: received {_shown(values['aspect'])}, expected what the question is about.")
        aspects = (values["aspect"].strip(),)
    elif values["aspect"]:
        aspects = (match_name(values["aspect"], task.aspects),)
        if aspects[0] is None:
            raise BadRecord(
                f"unknown aspect: received {values['aspect']!r}, expected one of {', '.join(task.aspects)}."
            )
    pairs = _targets(task, text, values["target"] or None, values["other_target"] or None, names)
    return [
        AspectExample(text, aspect, target=target, other_target=other) for target, other in pairs for aspect in aspects
    ]


def _targets(task, text, target, other, names):
    if not task.targets:
        if target or other:
            raise BadRecord(
                f"received target {target or other!r}, expected none: the task {task.name!r} has no targets."
            )
        return [(None, None)]
    if target is None and other is not None:
        raise BadRecord(f"received other_target {other!r} without a target, expected both or only a target.")
    if target is None:
        found = [name for name in names or task.targets if stands_in(name, text)]
        if not found:
            listed = ", ".join(names or task.targets)
            raise BadRecord(
                f"no target in the text: received {_shown(text)}, expected one of {listed} as a word of its own."
            )
        if names and len(found) == 2:
            return [tuple(found), tuple(reversed(found))]
        return [(name, None) for name in found]
    for name in (target, other):
        if name and not stands_in(name, text):
            raise BadRecord(
                f"target {name!r} is not in the text: received {_shown(text)}, expected it as a word of its own."
            )
    if other and other.casefold() == target.casefold():
        raise BadRecord(f"received {target!r} as target and other_target, expected two different names.")
    return [(target, other)]


def _shown(value) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
