"""Files with a JSON object a line: as a text, or as a stream of any length."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import JsonError, parse_json

MAX_LINE_BYTES = 16 * 2**20


def json_objects(lines: Iterable[str], log: ProblemLog) -> Iterator[tuple[int, dict]]:
    """(line, object) for each line that is not blank; what is no object goes to the log."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values = parse_json(line)
        except JsonError as error:
            log.bad("bad_record", f"{number}:{error.column}" if error.column else number, str(error))
            continue
        if isinstance(values, dict):
            yield number, values
        else:
            log.bad("bad_record", number, f"expected a JSON object: received {line.strip()!r:.40}")


def stream_lines(path, log: ProblemLog) -> Iterator[str]:
    """The lines of a UTF-8 file, one in memory at a time; one that cannot be read goes to the log and is given as ""."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Check the path.")
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise log.fatal(number, f"a line of more than {MAX_LINE_BYTES} bytes, expected a JSON object a line.")
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                what = f"byte {line[error.start]:#04x} at offset {error.start} of the line is not UTF-8, expected UTF-8"
                log.bad("bad_encoding", number, what)
                yield ""


def first_keys(path) -> set[str]:
    """The keys of a file's first object; none where there is no such object."""
    try:
        with Path(path).open("rb") as file:
            lines = (file.readline(MAX_LINE_BYTES).decode("utf-8-sig") for _ in range(10))
            line = next((line for line in lines if line.strip()), "")
        values = parse_json(line)
    except (JsonError, UnicodeDecodeError):
        return set()
    return set(values) if isinstance(values, dict) else set()
