"""The normaliser must split every text like the reference."""

import runpy
import unicodedata

import numpy as np
import pytest
import tensorflow as tf
from text_cases import HARD_STRINGS, random_strings, reference_words

from keras_absa.text import Normalizer, normalizer, unicode_probe
from keras_absa.text.unicode_probe import LAST_CODE_POINT, SURROGATES, probe_reference

CASES = pytest.mark.parametrize("lower_case", [True, False], ids=["uncased", "cased"])


@pytest.fixture(scope="module")
def probes():
    """Fresh answers of the reference by `lower_case`."""
    return {lower_case: probe_reference(lower_case) for lower_case in (True, False)}


def words(lower_case, texts):
    return [[word.decode() for word in row] for row in Normalizer(lower_case=lower_case).split(texts).to_list()]


@pytest.fixture(scope="module")
def hard_words():
    """Our words of each hard string, by `lower_case` and kind."""
    texts = list(HARD_STRINGS.values())
    return {lower: dict(zip(HARD_STRINGS, words(lower, texts), strict=True)) for lower in (True, False)}


class TestTable:
    @CASES
    def test_equals_a_fresh_probe_for_every_code_point(self, lower_case, probes):
        pages, rules, starts, counts, outputs = normalizer._tables(lower_case)
        points = np.arange(LAST_CODE_POINT + 1)
        rule = rules[pages[points // normalizer._PAGE] * normalizer._PAGE + points % normalizer._PAGE]
        found = {}
        for point in np.flatnonzero(rule != normalizer._KEEP).tolist():
            output = outputs[starts[rule[point]] :][: counts[rule[point]]].tolist()
            found[point] = "".join(chr(point if part == normalizer._ITSELF else part) for part in output)
        expected = probes[lower_case]
        assert len(expected) > 200_000
        assert found == expected
        assert not set(found) & set(SURROGATES)

    def test_probe_asks_about_single_code_points_too(self, references, probes):
        answers = probes[True]
        for character in "A\u0130\u0301\u2028\u00bf\u2260\ua000\U00010400\U0002f800":
            expected = " ".join(reference_words(references[True], f"a{character}b"))[1:-1]
            assert answers.get(ord(character), character) == expected

    def test_generated_module_is_up_to_date(self, tmp_path, probes, monkeypatch):
        monkeypatch.setattr(unicode_probe, "probe_reference", lambda lower_case: dict(probes[lower_case]))
        unicode_probe.write_ranges(tmp_path / "ranges.py")
        written = runpy.run_path(str(tmp_path / "ranges.py"))
        for name in ("DELETED", "SPACES", "ISOLATED", "MARKS", "LOWERED", "LOWERED_ISOLATED"):
            assert getattr(normalizer.unicode_ranges, name) == written[name], name


class TestWords:
    @CASES
    @pytest.mark.parametrize("kind", HARD_STRINGS)
    def test_hard_strings(self, kind, lower_case, hard_words, references):
        assert hard_words[lower_case][kind] == reference_words(references[lower_case], HARD_STRINGS[kind])

    def test_by_hand(self):
        assert words(True, ["\u0130stanbul\nStra\u00dfe a\x00b\u2026"]) == [["istanbul", "stra\u00dfe", "ab", "\u2026"]]
        assert words(False, ["\u0130stanbul,\u5403x"]) == [["\u0130stanbul", ",", "\u5403", "x"]]
        assert words(True, ["\uac01"]) == [["\u1100\u1161\u11a8"]]

    @CASES
    def test_random_strings(self, lower_case, references):
        texts = random_strings(2000, seed=20)
        expected = [reference_words(references[lower_case], text) for text in texts]
        wrong = sum(a != b for a, b in zip(words(lower_case, texts), expected, strict=True))
        assert wrong <= 4  # 2 in 1,000; the only kind left is test_known_difference_order_of_kept_marks

    @CASES
    def test_real_texts(self, lower_case, references, real_texts):
        expected = [reference_words(references[lower_case], text) for text in real_texts]
        assert words(lower_case, real_texts) == expected

    @CASES
    def test_spans_are_those_of_the_words(self, lower_case):
        texts = [*random_strings(500, seed=21), *HARD_STRINGS.values(), "", "  "]
        spans = [Normalizer(lower_case=lower_case).spans(text) for text in texts]
        assert [[word for word, _, _ in row] for row in spans] == words(lower_case, texts)
        for text, row in zip(texts, spans, strict=True):
            assert all(0 <= start < end <= len(text) for _, start, end in row)
            # Words come in order, and only words of one and the same character share a place.
            pairs = zip(row, row[1:])
            assert all(one[2] <= other[1] or one[2] - 1 == other[1] for one, other in pairs), row
        accents = Normalizer(lower_case=lower_case).spans("Cafe\u0301, \u200bx\u00ad y")
        assert [span for _, *span in accents] == [[0, 5], [5, 6], [8, 10], [11, 12]]

    def test_known_difference_order_of_kept_marks(self, references):
        """Fails when the reference changes, or when the docstring's list is no longer complete."""
        line = Normalizer.__doc__.split("such a mark:")[1].split("Args:")[0].strip(" .\n")
        listed = set(normalizer._points(line))
        assert len(listed) == 96
        normalize = references[True].backend_tokenizer.normalizer.normalize_str
        for point in range(LAST_CODE_POINT + 1):
            if point in listed or (unicodedata.combining(chr(point)) and point not in SURROGATES):
                alone = normalize(chr(point))
                after, before = normalize(f"a\u302e{chr(point)}"), normalize(f"a{chr(point)}\u1b44")
                sorted_by_reference = alone and (after != f"a\u302e{alone}" or before != f"a{alone}\u1b44")
                assert bool(sorted_by_reference) == (point in listed), hex(point)
        assert words(True, ["a\u302e\u1b44"]) == [["a\u302e\u1b44"]]
        assert reference_words(references[True], "a\u302e\u1b44") == ["a\u1b44\u302e"]

    def test_known_difference_broken_utf8_vanishes(self):
        assert words(True, [b"caf\xe9 ok\xf0\x9f", b"\xed\xa0\x80x"]) == [["caf", "ok"], ["x"]]


class TestInterface:
    def test_call_joins_the_words(self):
        assert Normalizer()(["Good,  food", "", " \n"]).numpy().tolist() == [b"good , food", b"", b""]
        assert Normalizer()("Good food!").numpy() == b"good food !"

    def test_no_rows(self):
        assert Normalizer().split([]).shape.as_list() == [0, None]

    def test_only_core_ops(self):
        function = tf.function(Normalizer().split).get_concrete_function(tf.TensorSpec([None], tf.string))
        operations = {operation.type for operation in function.graph.get_operations()}
        assert {"UnicodeDecode", "UnicodeEncode", "StringSplitV2"} <= operations
        assert not {name for name in operations if "Normalize" in name or "Fold" in name or "Regex" in name}

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (["good", None], "received None in row 1"),
            (["good", float("nan")], "received nan in row 1"),
            (None, "received None"),
            (3, "received 3"),
            ([["good"]], r"received \['good'\] in row 0"),
            (["ok", "\ud800"], "lone surrogate in row 1"),
            (tf.constant([1]), "dtype int32"),
            (tf.constant([["good"]]), r"shape \(1, 1\)"),
            (tf.ragged.constant([["good"]]), "RaggedTensor"),
        ],
    )
    def test_rejects_what_is_no_text(self, value, message):
        with pytest.raises(ValueError, match=message):
            Normalizer().split(value)
