"""Word vectors from the files that GloVe, word2vec and fastText write.

Shapes: V words, D values of a vector.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog

_HEADER = re.compile(rb"(\d+) (\d+)\s*")
_LINE = 2**20  # bytes; no line or word is longer
_BLOCK = 2**18  # bytes of a binary file that are read at once


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors.

    Args:
        words: V strings in the order of the file, which is by frequency in all published ones.
        vectors: Float32 [V, D].

    Example:
        >>> found = WordVectors(("soup",), np.array([[1.0, 2.0]], "float32"))
        >>> found.matrix(["[PAD]", "soup"], std=0.0).tolist()
        [[0.0, 0.0], [1.0, 2.0]]
    """

    words: tuple[str, ...]
    vectors: np.ndarray

    def matrix(self, vocabulary: list[str], *, std: float = 0.1, seed: int = 0) -> np.ndarray:
        """Float32 [len(vocabulary), D]: a word's vector; for a word that has none normal numbers around 0.

        Args:
            vocabulary: The words that are wanted, in the order of their ids.
            std: Float, standard deviation of the vectors of unknown words. Defaults to 0.1.
            seed: Int. Defaults to 0.
        """
        matrix = (
            np.random.default_rng(seed).normal(0.0, std, (len(vocabulary), self.vectors.shape[1])).astype("float32")
        )
        rows = {word: row for row, word in enumerate(self.words)}
        for place, word in enumerate(vocabulary):
            if word in rows:
                matrix[place] = self.vectors[rows[word]]
        return matrix


def read_word_vectors(
    path, *, words=None, limit: int | None = None, on_error: str = "raise", report: LoadReport | None = None
) -> WordVectors:
    """Reads GloVe's text, word2vec's text and binary, and fastText's text; the format is told by the first lines.

    The file is read as a stream: only the vectors that are asked for take memory. The first vector of a word counts, others are
    counted in the report.

    Args:
        path: The file; `.gz` is decompressed on the way.
        words: The words that are wanted. Defaults to None, all.
        limit: Int, read no further once so many vectors were taken. Defaults to None.
        on_error: `"raise"` raises all mistakes of a text file together; `"skip"` skips the lines and counts them. A binary file
            that is wrong is refused either way. Defaults to `"raise"`.
        report: A `LoadReport` to fill in; `rows` are the vectors. Defaults to `None`.

    Returns:
        The `WordVectors`.

    Raises:
        DataError: If the file is none of these formats, ends too early, or, unless lines are skipped, if a line has a mistake.
        FileNotFoundError: If there is no such file.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        ...     _ = file.write("the 0.5 1\\nsoup 0.25 -1\\n")
        ...     file.flush()
        ...     read_word_vectors(file.name, words={"soup"}).vectors.tolist()
        [[0.25, -1.0]]

    Reference:
        Pennington et al. 2014 (GloVe); Mikolov et al. 2013 (word2vec); Bojanowski et al. 2017 (fastText).
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Check the path.")
    if limit is not None and limit < 1:
        raise ValueError(f"`limit` must be at least 1: received {limit!r}. Leave it out for all vectors.")
    log = ProblemLog(path, on_error, report)
    opened = gzip.open if path.suffix == ".gz" else open
    wanted = None if words is None else frozenset(words)
    most = min((each for each in (limit, wanted and len(wanted)) if each is not None), default=None)
    try:
        with opened(path, "rb") as file:
            found = _taken(_records(file, wanted, log), most, log)
    except (EOFError, gzip.BadGzipFile) as error:
        raise log.fatal("", f"unreadable gzip, {error}. Fetch the file again.") from error
    if not len(found.words) and not log.report.rejected and wanted is None:
        raise log.fatal("", "no vectors, expected a word and its numbers in each line.")
    log.finish([])
    log.report.rows = log.report.texts = len(found.words)
    return found


def _taken(records: Iterator, most: int | None, log: ProblemLog) -> WordVectors:
    """The first `most` records, in an array that grows by doubling."""
    words, vectors = {}, np.empty((0, 0), "float32")
    for where, word, vector in records:
        if word in words:
            log.note("duplicates", where, f"word {word!r} has a vector before")
            continue
        if len(words) == len(vectors):
            grown = np.empty((max(2 * len(vectors), 64), len(vector)), "float32")
            grown[: len(vectors)] = vectors if len(vectors) else grown[:0]
            vectors = grown
        vectors[len(words)] = vector
        words[word] = None
        if len(words) == most:
            break
    return WordVectors(tuple(words), vectors[: len(words)].copy())


def _records(file, wanted, log: ProblemLog) -> Iterator[tuple[str, str, np.ndarray]]:
    """Where, word and vector of the wanted words."""
    first = file.readline(_LINE)
    header = _HEADER.fullmatch(first)
    if header is None:
        size = len(first.split()) - 1
        if size < 1:
            raise log.fatal(
                1, f"received {first[:40]!r}, expected a word and its numbers, or the numbers of words and values."
            )
        yield from _text_records(file, first, 1, size, None, wanted, log)
        return
    count, size = map(int, header.groups())
    if not 1 <= size <= 2**16:
        raise log.fatal(1, f"vectors of {size} values, expected 1 to {2**16}.")
    start = file.tell()
    second = file.readline(_LINE)
    if _is_text(second, size):
        yield from _text_records(file, second, 2, size, count, wanted, log)
    else:
        file.seek(start)
        yield from _binary_records(file, size, count, wanted, log)


def _is_text(line: bytes, size: int) -> bool:
    try:
        line.decode("utf-8")
        return np.array(line.split()[-size:], "float32").shape == (size,)
    except ValueError:
        return False


def _text_records(file, line: bytes, number: int, size: int, count: int | None, wanted, log: ProblemLog):
    """`line` is the first one; `count` is what a header promises."""
    begun = number
    while line:
        word, *values = line.strip(b" \r\n").rsplit(b" ", size)  # from the right: some of GloVe's words hold blanks
        if wanted is None or _decoded(word) in wanted:
            vector = _parsed(word, values, size, number, log)
            if vector is not None:
                yield number, _decoded(word), vector
        number += 1
        line = file.readline(_LINE)
    if count is not None and number - begun != count:
        raise log.fatal(number - 1, f"the file ends after {number - begun} vectors, its first line promises {count}.")


def _decoded(word: bytes) -> str | None:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _parsed(word, values, size, number, log) -> np.ndarray | None:
    last = word.rpartition(b" ")[2]
    if len(values) != size or (last != word and _is_number(last)):
        received = max(len(b" ".join([word, *values]).split()) - 1, 0)
        log.bad("bad_vector", number, f"received {received} values, expected a word and {size} as in the first line")
        return None
    if _decoded(word) is None:
        log.bad("bad_word", number, f"the word {word[:40]!r} is not UTF-8")
        return None
    try:
        with np.errstate(over="ignore"):  # infinity is refused below
            vector = np.array(values, "float32")
    except ValueError:
        wrong = next(value for value in values if not _is_number(value))
        log.bad("bad_vector", number, f"received {wrong[:40].decode('utf-8', 'replace')!r}, expected a number")
        return None
    if not np.all(np.isfinite(vector)):
        log.bad("bad_vector", number, "a value is not finite, expected numbers that float32 holds")
        return None
    return vector


def _is_number(value: bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _binary_records(file, size: int, count: int, wanted, log: ProblemLog):
    """word2vec's binary form: a word, a blank and the values in little-endian float32, some files with a line break between."""
    buffer, place = b"", 0
    for number in range(1, count + 1):
        while (space := buffer.find(b" ", place)) < 0 or len(buffer) < space + 1 + 4 * size:
            more = file.read(_BLOCK)
            if not more or space < 0 and len(buffer) - place > _LINE:
                raise log.fatal(
                    f"vector {number}",
                    f"the file ends, or is not word2vec's: its first line promises {count} vectors of {size}.",
                )
            buffer, place = buffer[place:] + more, 0
        raw = buffer[place:space].lstrip(b"\n")
        place = space + 1 + 4 * size
        word = raw.decode("utf-8", "replace")
        if wanted is not None and word not in wanted:
            continue
        vector = np.frombuffer(buffer, "<f4", size, space + 1)
        if not np.all(np.isfinite(vector)):
            raise log.fatal(f"vector {number}", f"the vector of {word[:40]!r} has a value that is not finite.")
        yield f"vector {number}", word, vector
