import io
import json
import tracemalloc

import pytest

from keras_absa.cli.text_records import BadRecord, questions, read_records
from keras_absa.data import neighbourhoods
from tests.models.tiny import tiny_task


def read(data, kind):
    """(records, reports) of some bytes."""
    reports = []
    records = list(read_records(io.BytesIO(data), kind, lambda line, what: reports.append((line, what))))
    return records, reports


def problem(task, record, names=()):
    with pytest.raises(BadRecord) as caught:
        questions(task, record, names)
    return str(caught.value)


def test_text_is_split_at_line_feeds_only():
    data = '\ufefffirst\r\none\u2028line\x85only\x0c!\r\n\r\n "quoted", caf\u00e9'.encode()
    records, reports = read(data, "text")
    assert records == [
        (1, {"text": "first"}),
        (2, {"text": "one\u2028line\x85only\x0c!"}),
        (4, {"text": ' "quoted", caf\u00e9'}),
    ]
    assert reports == []


def test_bytes_that_are_not_utf8_are_named():
    for kind, data in (("text", b"caf\xe9"), ("jsonl", b'{"text": "caf\xe9"}'), ("csv", b"text\ncaf\xe9")):
        ((_, record),) = read(data, kind)[0]
        assert "received byte 0xe9, expected UTF-8" in problem(tiny_task(), record)


def test_jsonl_reports_what_is_no_object_and_goes_on():
    data = (
        b'\xef\xbb\xbf{"text": "one\\u2028line"}\r\n\n{"text": "the \n[1]\n{"text": "a", "text": "b"}\n{"text": "last"}'
    )
    records, reports = read(data, "jsonl")
    assert records == [(1, {"text": "one\u2028line"}), (6, {"text": "last"})]
    assert [line for line, _ in reports] == [3, 4, 5]
    assert "expected a JSON object" in reports[0][1] and "'text' is given twice" in reports[2][1]


def test_csv_counts_lines_of_quoted_fields():
    data = b'aspect,Text\r\nfood,"two\r\nlines, ""quoted"""\r\nfood,one,too many\r\n\r\n,"broken" quote\r\n,last\r\n'
    records, reports = read(data, "csv")
    assert records == [(2, {"aspect": "food", "text": 'two\r\nlines, "quoted"'}), (7, {"text": "last"})]
    assert [line for line, _ in reports] == [4, 6]
    assert "received 3 columns, expected 2 (aspect, text)" in reports[0][1]
    with pytest.raises(ValueError, match="one of them `text`: received aspect, review"):
        read(b"aspect,review\nfood,good\n", "csv")
    with pytest.raises(ValueError, match="stdin:1: empty file"):
        read(b"\n", "csv")


def test_tsv_takes_quotation_marks_as_they_are():
    assert read(b'text\taspect\n"great\tfood\n', "tsv") == ([(2, {"text": '"great', "aspect": "food"})], [])


def test_a_huge_line_needs_little_memory_and_leaves_the_next_one_whole():
    class Raw(io.RawIOBase):
        parts = [b"a" * 2**16] * 1000 + [b"\nlast\n"]

        def readable(self):
            return True

        def readinto(self, buffer):
            part = self.parts.pop(0)[: len(buffer)] if self.parts else b""
            buffer[: len(part)] = part
            return len(part)

    stream = io.BufferedReader(Raw(), buffer_size=2**16)
    tracemalloc.start()
    records = list(read_records(stream, "text", None))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert records[-1][1] == {"text": "last"} and peak < 16 * 2**20
    assert "text too long" in problem(tiny_task(), records[0][1])


def test_all_aspects_or_the_one_asked_for():
    asked = [(row.text, row.aspect) for row in questions(tiny_task(), {"text": "Cold!", "id": 7})]
    assert asked == [("Cold!", "food"), ("Cold!", "service")]
    assert [row.aspect for row in questions(tiny_task(), {"text": "Cold!", "aspect": "FOOD "})] == ["food"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "the soup", "aspect": "bill"}, "unknown aspect: received 'bill', expected one of food, service"),
        ({"text": 5}, "text must be a string: received 5"),
        ({"text": " "}, "no text: received ' '"),
        ({"review": "x"}, "no text: received None"),
        ({"text": "the soup", "target": "Camden"}, "received target 'Camden', expected none"),
        ({"text": "caf\udce9"}, "received byte 0xe9, expected UTF-8"),
        ({"text": "half \ud83d"}, "half of a surrogate pair"),
        ({"text": "a" * 20_001}, "received 20001 characters or more"),
    ],
)
def test_what_cannot_be_asked(record, message):
    assert message in problem(tiny_task(), record)


def test_targets_of_the_record_of_the_option_and_of_the_task():
    def asked(record, names=()):
        rows = questions(neighbourhoods(), record, names)
        return list(dict.fromkeys((row.target, row.other_target) for row in rows))

    given = {"text": "Soho is cheap, Camden is not", "target": "camden", "other_target": "Soho"}
    assert asked(given) == [("camden", "Soho")]
    assert asked({"text": "LOCATION2 beats LOCATION1"}) == [("LOCATION1", None), ("LOCATION2", None)]
    assert asked({"text": "only soho"}, ("Soho", "Camden")) == [("Soho", None)]
    both = [("Soho", "Camden"), ("Camden", "Soho")]
    assert asked({"text": "Camden, not Soho"}, ("Soho", "Camden")) == both
    assert asked({"text": "A, B, C"}, ("A", "B", "C")) == [("A", None), ("B", None), ("C", None)]
    task = neighbourhoods()
    expected = "no target in the text: received 'Sohoho', expected one of Soho as a word of its own"
    assert expected in problem(task, {"text": "Sohoho"}, ("Soho",))
    assert "target 'Camden' is not in the text" in problem(task, {"text": "Soho", "target": "Camden"})
    assert "two different names" in problem(task, {"text": "Soho", "target": "Soho", "other_target": "soho"})
    assert "without a target" in problem(task, {"text": "Soho", "other_target": "soho"})


def test_shown_values_stay_short():
    assert len(problem(neighbourhoods(), {"text": "word " * 1000})) < 200
    assert json.dumps(problem(tiny_task(), {"text": "x", "aspect": "\u2028"}))
