import gzip
import tracemalloc

import numpy as np
import pytest

from keras_absa.data import DataError, LoadReport, WordVectors, read_word_vectors

WORDS = ("the", "soup", "caf\u00e9", "\u5bff\u53f8", "cold")
VECTORS = np.array(
    [[0.5, -1.25, 3.0], [1e-3, 2.0, -0.0], [7.0, 8.0, 9.0], [-1.0, 0.25, 1e3], [4.0, 5.0, 6.0]], "float32"
)


def text(header=False, end="\n"):
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(WORDS, VECTORS, strict=True)]
    return end.join([f"{len(WORDS)} 3"] * header + lines + [""]).encode()


def binary(breaks=True):
    records = [word.encode() + b" " + row.astype("<f4").tobytes() for word, row in zip(WORDS, VECTORS, strict=True)]
    return f"{len(WORDS)} 3\n".encode() + b"".join(each + b"\n" * breaks for each in records)


FILES = {
    "glove.txt": text(),
    "word2vec.txt": text(header=True),
    "fasttext.vec": text(header=True, end=" \n"),
    "windows.txt": text(header=True, end="\r\n"),
    "word2vec.bin": binary(),
    "gensim.bin": binary(breaks=False),
    "glove.txt.gz": gzip.compress(text()),
    "word2vec.bin.gz": gzip.compress(binary()),
}


@pytest.fixture
def write(tmp_path):
    def write(content, name="vectors.txt"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", FILES)
def test_every_format(write, name):
    report = LoadReport()
    found = read_word_vectors(write(FILES[name], name), report=report)
    assert found.words == WORDS and found.vectors.dtype == np.float32
    np.testing.assert_array_equal(found.vectors, VECTORS)
    assert report.rows == 5 and not report.counts


@pytest.mark.parametrize("name", FILES)
def test_only_what_is_wanted(write, name):
    path = write(FILES[name], name)
    some = read_word_vectors(path, words=["cold", "soup", "nowhere"])
    assert some.words == ("soup", "cold")
    np.testing.assert_array_equal(some.vectors, VECTORS[[1, 4]])
    assert read_word_vectors(path, limit=2).words == WORDS[:2]
    assert read_word_vectors(path, words=WORDS[2:], limit=1).words == WORDS[2:3]


def test_words_with_blanks_and_numbers_as_words(write):
    found = read_word_vectors(write(b"the 1 2\n. . . 3 4\n2014 5 6\n"))
    assert found.words == ("the", ". . .", "2014") and found.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_the_first_vector_of_a_word_counts(write):
    report = LoadReport()
    found = read_word_vectors(write(b"the 1 2\nsoup 3 4\nthe 5 6\n"), report=report)
    assert found.vectors.tolist() == [[1, 2], [3, 4]] and report.counts == {"duplicates": 1}


def test_matrix():
    found = WordVectors(WORDS, VECTORS)
    matrix = found.matrix(["[PAD]", "soup", "unknown"], std=0.5, seed=3)
    np.testing.assert_array_equal(matrix[1], VECTORS[1])
    assert matrix.shape == (3, 3) and np.all(matrix[0] != matrix[2]) and np.abs(matrix[[0, 2]]).max() < 3
    np.testing.assert_array_equal(matrix, found.matrix(["[PAD]", "soup", "unknown"], std=0.5, seed=3))


@pytest.mark.parametrize("name", ["wide.txt", "wide.bin"])
def test_memory_is_that_of_the_wanted_words(write, name):
    rng, size, count = np.random.default_rng(0), 200, 10000
    rows = rng.normal(size=(count, size)).astype("<f4")
    if name.endswith("bin"):
        content = f"{count} {size}\n".encode() + b"".join(b"w%d " % n + row.tobytes() for n, row in enumerate(rows))
    else:
        content = b"".join(
            b"w%d " % n + " ".join(f"{each:.3f}" for each in row).encode() + b"\n" for n, row in enumerate(rows)
        )
    path = write(content, name)
    del content
    tracemalloc.start()
    found = read_word_vectors(path, words={"w7", "w9999"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.words == ("w7", "w9999") and peak < 3.5e6  # the binary file has 8 MB, the text 13
    np.testing.assert_allclose(found.vectors, rows[[7, 9999]], atol=1e-3)


@pytest.mark.parametrize(
    ("line", "message", "reason"),
    [
        (b"soup 1", "vectors.txt:2: received 1 values, expected a word and 2 as in the first line", "bad_vector"),
        (b"soup 1 2 3", "vectors.txt:2: received 3 values, expected a word and 2", "bad_vector"),
        (b"soup 1 two", "vectors.txt:2: received 'two', expected a number", "bad_vector"),
        (b"soup 1 nan", "vectors.txt:2: a value is not finite", "bad_vector"),
        (b"soup 1 1e99", "vectors.txt:2: a value is not finite", "bad_vector"),
        (b"so\xffup 1 2", "vectors.txt:2: the word b'so\\xffup' is not UTF-8", "bad_word"),
        (b"", "vectors.txt:2: received 0 values", "bad_vector"),
    ],
)
def test_bad_lines(write, line, message, reason):
    path = write(b"the 1 2\n" + line + b"\ncold 3 4\n")
    with pytest.raises(DataError) as error:
        read_word_vectors(path)
    assert message in str(error.value)
    report = LoadReport()
    assert read_word_vectors(path, on_error="skip", report=report).words == ("the", "cold")
    assert report.counts == {reason: 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "received b'', expected a word and its numbers"),
        (b"hello\n", "expected a word and its numbers"),
        (b"5 0\n", "vectors of 0 values"),
        (text(header=True)[:-20], "the file ends after|expected a word and 3"),
        (b"9 3" + text(header=True)[3:], "the file ends after 5 vectors, its first line promises 9"),
        (binary()[:-8], "vector 5: the file ends"),
        (b"2 3\n" + b"\xff" * 3_000_000, "vector 1: the file ends, or is not word2vec's"),
        (binary().replace(np.float32(8).tobytes(), np.float32("inf").tobytes()), "vector 3: the vector of 'caf"),
    ],
)
def test_bad_files(write, content, message):
    with pytest.raises(DataError, match=message):
        read_word_vectors(write(content))


def test_what_is_no_file(write, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_word_vectors(tmp_path / "no.txt")
    with pytest.raises(DataError, match="unreadable gzip"):
        read_word_vectors(write(gzip.compress(text())[:-9], "a.gz"))
    with pytest.raises(ValueError, match="`limit` must be at least 1: received 0"):
        read_word_vectors(write(text()), limit=0)
