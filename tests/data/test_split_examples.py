from collections import Counter

import pytest

from keras_absa.data import AspectExample, split_examples, synthetic_reviews

ROWS = synthetic_reviews("restaurants", "train", size=2000)


def test_no_text_is_in_two_parts_and_no_row_is_lost():
    parts = split_examples(ROWS)
    texts = [{" ".join(row.text.casefold().split()) for row in part} for part in parts.values()]
    assert not (texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])
    assert sorted(map(repr, ROWS)) == sorted(repr(row) for part in parts.values() for row in part)
    places = {id(row): place for place, row in enumerate(ROWS)}
    for part in parts.values():
        order = [places[id(row)] for row in part]
        assert order == sorted(order)


def test_every_part_has_the_shares_of_every_label():
    parts = split_examples(ROWS, {"train": 0.7, "dev": 0.1, "test": 0.2})
    whole = Counter((row.aspect, row.label) for row in ROWS)
    for part, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        here = Counter((row.aspect, row.label) for row in parts[part])
        for cell, count in whole.items():
            assert here[cell] == pytest.approx(share * count, abs=max(3, 0.05 * share * count)), (part, cell)


def test_rare_labels_are_in_every_part():
    rows = [AspectExample(f"text {n}", "food", "rare" if n < 3 else "usual") for n in range(60)]
    parts = split_examples(rows, {"a": 1, "b": 1, "c": 1})
    assert [sum(row.label == "rare" for row in part) for part in parts.values()] == [1, 1, 1]
    assert [len(part) for part in parts.values()] == [20, 20, 20]


def test_copies_of_a_text_stay_together():
    rows = [
        AspectExample(text, "food", "good", id=str(n))
        for n, text in enumerate(["Soup", "soup ", "tea", "rice", "fish"])
    ]
    parts = split_examples(rows, {"train": 1, "test": 1})
    (own,) = [part for part in parts.values() if any(row.text == "Soup" for row in part)]
    assert any(row.text == "soup " for row in own) and all(parts.values())


def test_the_seed_decides():
    first, again, other = (split_examples(ROWS, seed=seed) for seed in (1, 1, 2))
    assert first == again and first != other


@pytest.mark.parametrize(
    "rows, shares, message",
    [
        (ROWS, {}, "`shares` must be finite numbers above 0"),
        (ROWS, {"train": 1.0, "test": 0.0}, "`shares` must be finite numbers above 0"),
        (ROWS, {"train": 1.0, "test": float("nan")}, "`shares` must be finite numbers above 0"),
        (ROWS, {"train": 1.0, "test": float("inf")}, "`shares` must be finite numbers above 0"),
        (ROWS[:4], {"train": 1, "test": 1}, "a text for each part: received 1 texts"),
    ],
)
def test_errors(rows, shares, message):
    with pytest.raises(ValueError, match=message):
        split_examples(rows, shares)


def test_rare_pairs_do_not_all_go_to_the_largest_part():
    """A thousand aspect terms, each of them once: the parts still have their shares, and of each label, too."""
    rows = [AspectExample(f"The dish {n}", f"dish {n}", "good" if n % 4 else "bad") for n in range(1000)]
    parts = split_examples(rows)
    assert {name: len(part) for name, part in parts.items()} == {"train": 800, "dev": 100, "test": 100}
    assert [sum(row.label == "bad" for row in part) for part in parts.values()] == [200, 25, 25]


def test_one_text_in_two_unicode_forms_is_in_one_part():
    rows = [AspectExample(f"caf{e} {n}", "food", "good") for n in range(20) for e in ("\u00e9", "e\u0301")]
    parts = split_examples(rows)
    numbers = [{row.text.split()[1] for row in part} for part in parts.values()]
    assert sum(map(len, numbers)) == 20
