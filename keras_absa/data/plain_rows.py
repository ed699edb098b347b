"""Rows of any CSV, TSV or JSON Lines file as dicts of strings, with the lines that they came from."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from keras_absa.data.json_lines import json_objects
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import read_text

DELIMITERS = {".csv": ",", ".tsv": "\t"}
FIELD_LIMIT = 131_072  # characters; Python's csv reader takes no more


def plain_rows(path: str | Path, needed, log: ProblemLog) -> Iterator[tuple[int, dict]]:
    """(line, values) for each row that has all the `needed` columns; others go to the log.

    Args:
        path: A `.csv`, `.tsv`, or else a file with a JSON object a line; UTF-8.
        needed: Names of columns that must be there.
        log: Where mistakes go.

    Raises:
        FileNotFoundError: If there is no such file.
        DataError: If a table has no such columns, or is no table.
    """
    text = read_text(path, log)
    delimiter = DELIMITERS.get(Path(path).suffix.lower())
    if delimiter is None:
        rows = json_objects(text.splitlines(), log)
    else:
        rows = _table_rows(text, delimiter, needed, log)
    for line, values in rows:
        missing = [name for name in needed if values.get(name) is None]
        if missing:
            found = "null" if missing[0] in values else sorted(map(str, values))[:8]
            log.bad("missing_value", line, f"no {missing[0]!r}: received {found}, expected it")
        else:
            yield line, values


def _table_rows(text, delimiter, needed, log):
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
        missing = [name for name in needed if name not in (header or ())]
        if missing or len(set(header)) < len(header):
            raise log.fatal(
                1, f"a header with different names, {', '.join(needed)} among them, is needed: received {header}."
            )
        line = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(header):
                log.bad("bad_record", line, f"{len(row)} values, expected {len(header)} as in the header")
            elif row:
                yield line, dict(zip(header, row, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise log.fatal(
            reader.line_num, f"no readable table, {error}. Quote texts with commas or line breaks."
        ) from error
