"""Targets in texts: against a plain Python statement of the same rule, and on strings that break naive patterns."""

import re

import pytest
import tensorflow as tf

from keras_absa.text.target_marker import TargetMarker

PLACES = ("LOCATION1", "LOCATION2")
WORDS = ("location - 1", "location - 2")


@pytest.fixture(scope="module")
def mark():
    """Marks one text; gives it, whether the target was found, and the place that it took."""
    marker = TargetMarker(PLACES, WORDS)
    batched = tf.function(marker.__call__, input_signature=[tf.TensorSpec([None], tf.string)] * 3)

    def run(text, target, other=""):
        texts, found, place = batched(*(tf.constant([value]) for value in (text, target, other)))
        return texts.numpy()[0].decode("utf-8"), bool(found[0]), int(place[0])

    return run


def by_hand(text, target):
    """What the marker does with one target, in Python's regular expressions."""
    pattern = rf"(?<!\w){re.escape(target)}(?!\w)"
    return re.sub(pattern, WORDS[0], text, flags=re.IGNORECASE), bool(re.search(pattern, text, re.IGNORECASE))


CASES = [
    ("Camden is dear", "camden"),
    ("Camden Camden Camden, CAMDEN", "Camden"),
    ("Camdenish and xCamden are not meant", "Camden"),
    ("love C++ (old) a lot", "C++ (old)"),
    ("a.b is not axb", "a.b"),
    ("cost $5^2 [now] {or} a|b?", "$5^2 [now] {or} a|b?"),
    ("back\\slash \\E and \\1", "\\E"),
    ("S\u00e3o Jo\u00e3o, s\u00c3O jo\u00e3o!", "s\u00e3o jo\u00e3o"),
    ("caf\u00e9s but caf\u00e9", "caf\u00e9"),
    ("\u5317\u4eac is big", "\u5317\u4eac"),
    ("the \U0001f354 place", "\U0001f354"),
    ("a \u2014 b", "\u2014"),
    ("line\nCamden\nline", "Camden"),
    ("nothing here", "Camden"),
    ("", "Camden"),
]


@pytest.mark.parametrize("text, target", CASES)
def test_like_python(mark, text, target):
    expected, found = by_hand(text, target)
    assert mark(text, target) == (expected, found, 0)


def test_of_two_names_the_longer_one_is_found_first(mark):
    text = "Camden Town beats Camden"
    assert mark(text, "Camden", "Camden Town") == ("location - 2 beats location - 1", True, 0)
    assert mark(text, "camden town", "camden") == ("location - 1 beats location - 2", True, 0)


def test_a_placeholder_keeps_its_own_place(mark):
    text = "LOCATION2 beats LOCATION1"
    expected = "location - 2 beats location - 1"
    assert mark(text, "LOCATION1") == (expected, True, 0)
    assert mark(text, "LOCATION2") == (expected, True, 1)
    assert mark(text, "LOCATION2", "LOCATION1") == (expected, True, 1)


def test_a_target_that_only_the_other_name_covers_is_not_found(mark):
    assert mark("Camden Town is fine", "Camden", "Camden Town") == ("location - 2 is fine", False, 0)


@pytest.mark.parametrize("target", ["", " ", "x" * 201, "(" * 5000])
def test_a_target_that_cannot_be_looked_for_is_not_found(mark, target):
    assert mark("some text x", target) == ("some text x", False, 0)


def test_blanks_around_a_target_do_not_matter(mark):
    assert mark("in Camden", " Camden ") == ("in location - 1", True, 0)


def test_bytes_that_are_no_text_do_not_fail_the_batch():
    marker = TargetMarker(PLACES, WORDS)
    texts, found, _ = marker(tf.constant([b"\xff Camden", "Camden"]), tf.constant(["Camden", b"\xff\xfe"]))
    assert found.numpy().tolist() == [True, False]
    assert texts.numpy()[0].decode("utf-8").endswith("location - 1")


def test_characters_used_as_marks_are_removed_from_texts(mark):
    assert mark("\ufdd0 Camden \ufdd1", "Camden")[0] == " location - 1 "


def test_more_than_two_targets_are_refused():
    with pytest.raises(ValueError, match="one or two targets"):
        TargetMarker(("A", "B", "C"), ("a", "b", "c"))
