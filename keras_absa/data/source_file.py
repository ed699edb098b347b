"""Reading bytes, text and JSON from a file that nobody has checked yet."""

import json
import re
from pathlib import Path

from keras_absa.data.problem_log import ProblemLog

MAX_FILE_BYTES = 64 * 2**20
MAX_TEXT_CHARACTERS = 20_000

# Neither a tokenizer nor UTF-8 output can hold a lone surrogate; no text needs a control character but tab and newline.
SURROGATE = re.compile("[\ud800-\udfff]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read_bytes(path, log: ProblemLog) -> bytes:
    """The file's bytes, if it is a file of a sensible size."""
    path = Path(path)
    if not path.is_file():
        what = "no such file" if not path.exists() else "not a regular file"
        raise FileNotFoundError(f"{path}: {what}. Check the path.")
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise log.fatal("", f"the file has {size} bytes, the limit is {MAX_FILE_BYTES}. Split it into smaller files.")
    return path.read_bytes()


def read_text(path, log: ProblemLog) -> str:
    """The file's text: UTF-8, with or without a byte-order mark."""
    data = read_bytes(path, log)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte {data[error.start]:#04x} at offset {error.start} is not UTF-8. Save the file as UTF-8."
        raise log.fatal(line, what) from error


class JsonError(ValueError):
    """What is wrong with a JSON text, and where: `line` and `column` count from 1, `None` where not known."""

    def __init__(self, what: str, line: int | None = None, column: int | None = None):
        super().__init__(f"invalid JSON, {what}.")
        self.line, self.column = line, column


def parse_json(text: str):
    """The JSON value of `text`; refuses what the standard parser lets pass: NaN, Infinity and repeated keys."""

    def refuse_constant(name):
        raise ValueError(f"{name} is not a JSON value")

    def unique_keys(pairs):
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in values if keys.count(key) > 1)
            raise ValueError(f"key {twice!r} is given twice in one object")
        return values

    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg[:1].lower()}{error.msg[1:]}", error.lineno, error.colno) from error
    except RecursionError as error:
        raise JsonError("nested too deeply") from error
    except ValueError as error:
        raise JsonError(str(error).partition(";")[0]) from error


def usable_text(text, where, log: ProblemLog) -> str | None:
    """`text` if a model can read it; repaired where rows are skipped; `None` if the row has to be left out."""
    if not isinstance(text, str):
        log.bad("missing_text", where, f"missing text: received {text!r:.40}, expected a string")
        return None
    if not text.strip():
        log.bad("empty_text", where, f"empty text: received {text!r:.40}, expected some words")
        return None
    if len(text) > MAX_TEXT_CHARACTERS:
        log.bad("long_text", where, f"text of {len(text)} characters, expected at most {MAX_TEXT_CHARACTERS}")
        return None
    for reason, pattern, repair in (("surrogates", SURROGATE, "\ufffd"), ("control_characters", CONTROL, "")):
        found = pattern.search(text)
        if found:
            code = f"U+{ord(found.group()):04X}"
            log.bad(reason, where, f"unusable character {code} at position {found.start()} of the text, expected none")
            text = pattern.sub(repair, text)
    if not text.strip():
        log.bad("empty_text", where, "empty text after removing control characters, expected some words")
        return None
    return text


def usable_name(what: str, name: str, where, log: ProblemLog) -> str | None:
    """`name` if every format can hold it, else `None`."""
    found = SURROGATE.search(name) or CONTROL.search(name)
    if found:
        log.bad(
            "control_characters",
            where,
            f"unusable character U+{ord(found.group()):04X} in the {what} {name!r:.60}, expected none",
        )
        return None
    return name


def match_name(name: str, known, any_case: bool = True) -> str | None:
    """The known name equal to `name`, or else the only one that differs from it in case or outer blanks only."""
    if name in known:
        return name
    alike = [other for other in known if any_case and other.casefold() == name.strip().casefold()]
    return alike[0] if len(alike) == 1 else None
