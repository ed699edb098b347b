import pytest

from keras_absa.data import DataError, LoadReport, aspect_terms, read_examples, read_target_texts, restaurants


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "train.raw"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return read_target_texts(path, **options)

    return read


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_three_lines_an_example(read, tmp_path, end, start):
    lines = ["my $T$ died ; $T$ !", "old phone", "-1", "$T$ sings", "she", "Positive", "$T$ sings", "she", "1", "", ""]
    rows = read(start + end.join(lines))
    assert [(row.text, row.aspect, row.label, row.span, row.id) for row in rows] == [
        ("my old phone died ; old phone !", "old phone", "negative", (3, 12), "text-1"),
        ("she sings", "she", "positive", (0, 3), "text-2"),
        ("she sings", "she", "positive", (0, 3), "text-2"),
    ]
    assert rows[1].source == f"{tmp_path / 'train.raw'}:4"


def test_read_examples_knows_the_suffix(tmp_path):
    (tmp_path / "test.raw").write_text("$T$ \u2028 ok\nit\n0\n", "utf-8")
    (row,) = read_examples(aspect_terms(), tmp_path / "test.raw")
    assert (row.text, row.label) == ("it \u2028 ok", "neutral")


@pytest.mark.parametrize(
    "reason, example, message",
    [
        ("no_mark", "a phone\nphone\n1\n", r"train.raw:4: received 'a phone', expected a text with \$T\$"),
        ("empty_aspect", "a $T$\n \n1\n", "train.raw:5: empty target"),
        ("unknown_label", "a $T$\nphone\n2\n", "train.raw:6: unknown label '2'; known: 1, 0, -1, negative"),
        ("control_characters", "a\x00 $T$\nphone\n1\n", r"train.raw:4: unusable character U\+0000 at position 1"),
    ],
)
def test_bad_examples(read, reason, example, message):
    content = "$T$ rings\nphone\n0\n" + example + "the $T$ rings\nphone\n1\n"
    with pytest.raises(DataError, match=message):
        read(content)
    report = LoadReport()
    assert len(read(content, on_error="skip", report=report)) == (3 if reason == "control_characters" else 2)
    assert report.counts == {reason: 1} and len(report.rejected) == 1


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_file_that_cannot_be_cut_into_threes(read, on_error):
    with pytest.raises(DataError, match="the file has 4 lines, expected three an example"):
        read("$T$ a\nb\n1\n$T$ c\n", on_error=on_error)
    with pytest.raises(DataError, match="train.raw:1: empty file"):
        read("\n\n", on_error=on_error)
    with pytest.raises(DataError, match="train.raw:2: byte 0xe9 at offset 5 is not UTF-8"):
        read(b"$T$ \n\xe9\n1\n", on_error=on_error)


@pytest.mark.parametrize("conflict, kept", [("keep", 2), ("drop", 0)])
def test_conflicts(read, conflict, kept):
    report = LoadReport()
    content = "$T$ rings\nphone\n0\n$T$ rings\nphone\n1\n"
    assert len(read(content, conflict=conflict, report=report)) == kept and report.counts == {"conflicts": 1}
    with pytest.raises(
        DataError, match="train.raw:4: target 'phone' of this text is 'neutral' before, 'positive' here"
    ):
        read(content, conflict="error")


def test_a_closed_task_is_refused(read):
    with pytest.raises(ValueError, match="need a `task` with open_aspects"):
        read("$T$ a\nb\n1\n", task=restaurants())


def test_other_words_of_the_file_are_labels(read):
    """A file that is written from a task with other labels can be read without that task."""
    assert [row.label for row in read("$T$ a\nb\nconflict\n$T$ c\nd\n1\n")] == ["conflict", "positive"]
    numbers = aspect_terms(labels=("1", "0", "-1"))
    assert read("$T$ a\nb\n-1\n", task=numbers)[0].label == "-1"
