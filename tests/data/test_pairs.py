"""Pairs of made-up sentences; the published ones are in test_published_pairs.py."""

import pytest

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, sentihood
from keras_absa.data.pairs import canonical_order, pair_rows, write_pairs

SHOP = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))


def place(text, target="LOCATION1", label="Positive", aspect="transit-location"):
    return AspectExample(text, aspect, label, target=target, id="3")


@pytest.mark.parametrize(
    "scheme, expected",
    [
        ("nli_m", [("location - 1 - transit location", "Positive")]),
        ("qa_m", [("what do you think of the transit location of location - 1 ?", "Positive")]),
        ("single", [("", "Positive")]),
        (
            "nli_b",
            [
                ("None - location - 1 - transit location", "0"),
                ("Positive - location - 1 - transit location", "1"),
                ("Negative - location - 1 - transit location", "0"),
            ],
        ),
        (
            "qa_b",
            [
                ("the polarity of the aspect transit location of location - 1 - is None .", "0"),
                ("the polarity of the aspect transit location of location - 1 - is Positive .", "1"),
                ("the polarity of the aspect transit location of location - 1 - is Negative .", "0"),
            ],
        ),
    ],
)
def test_schemes(scheme, expected):
    rows = pair_rows([place("near location - 1 ")], sentihood(), scheme)
    assert rows == [("3", "near location - 1 ", *pair) for pair in expected]


def test_binary_pairs_without_targets_have_no_trailing_blanks():
    example = AspectExample(" Kind people. ", "staff", "good")
    assert {row[1] for row in pair_rows([example], SHOP, "nli_b")} == {" Kind people."}
    assert pair_rows([example], SHOP, "nli_m")[0][1] == " Kind people. "


def test_unknown_label_is_empty():
    example = AspectExample("Kind people.", "staff")
    assert [row[3] for scheme in ("nli_m", "qa_b") for row in pair_rows([example], SHOP, scheme)] == ["", "", ""]


def test_placeholders_are_written_as_the_auxiliary_sentence_writes_them():
    rows = pair_rows([place("LOCATION2 beats LOCATION1.", "LOCATION2")], sentihood(), "nli_m")
    assert rows[0][1:3] == ("location - 2 beats location - 1.", "location - 2 - transit location")


def test_surface_forms_are_written_so_too():
    example = AspectExample("Elm and elm park, not Elms", "general", target="Elm Park", other_target="Elm")
    assert pair_rows([example], sentihood(), "nli_m")[0][1] == "location - 2 and location - 1, not Elms"


def test_order_with_targets():
    rows = [
        AspectExample("x", aspect, target=target, id=name)
        for name in ("10", "1", "2", "100")
        for target in ("LOCATION2", "LOCATION1")
        for aspect in ("safety", "general")
    ]
    ordered = [(row.target[-1], row.id, row.aspect[0]) for row in canonical_order(rows, sentihood())]
    names = ("100", "10", "1", "2")
    assert ordered == [(target, name, aspect) for target in "12" for name in names for aspect in "gs"]


def test_order_without_targets():
    rows = [AspectExample("x", aspect, id=name) for name in ("10", "9") for aspect in ("staff", "price")]
    assert [(row.id, row.aspect) for row in canonical_order(rows, SHOP)] == [
        ("10", "price"),
        ("10", "staff"),
        ("9", "price"),
        ("9", "staff"),
    ]


def test_wrong_scheme():
    with pytest.raises(ValueError, match="`scheme` must be one of"):
        pair_rows([AspectExample("Kind.", "staff")], SHOP, "nli_x")


def test_written_bytes(tmp_path):
    write_pairs([("1", "Caf\xe9.", "price", "good"), ("2", "Dear.", "", "")], tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_bytes() == b"1\tCaf\xc3\xa9.\tprice\tgood\n2\tDear.\t\t\n"


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\rb"])
def test_fields_that_would_shift_columns(tmp_path, text):
    with pytest.raises(ValueError, match="must not hold tabs or line breaks: received .* in row 1"):
        write_pairs([("1", text, "price", "good")], tmp_path / "pairs.tsv")
    assert not (tmp_path / "pairs.tsv").exists()
