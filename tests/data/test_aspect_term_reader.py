import pytest

from keras_absa.data import DataError, LoadReport, aspect_terms, read_aspect_terms, read_examples, restaurants
from tests.data.test_semeval2014_reader import document


def sentence(*terms, identifier="1", text="The soup came cold, the soup!"):
    tags = "".join(
        f'<aspectTerm term="{name}" polarity="{label}" from="{first}" to="{end}"/>' for name, label, first, end in terms
    )
    return f'<sentence id="{identifier}"><text>{text}</text><aspectTerms>{tags}</aspectTerms></sentence>'


@pytest.fixture
def read(tmp_path):
    def read(*sentences, **options):
        path = tmp_path / "menu.xml"
        path.write_text(document(*sentences), "utf-8")
        return read_aspect_terms(path, **options)

    return read


def test_a_row_for_each_term(read, tmp_path):
    report = LoadReport()
    rows = read(
        sentence(("soup", "negative", 4, 8), ("soup", "conflict", 24, 28)),
        sentence(identifier="2", text="Nice."),
        sentence(("miso &amp; rice", "positive", 0, 11), identifier="3", text="miso &amp; rice caf\u00e9"),
        split="test",
        report=report,
    )
    assert [(row.id, row.aspect, row.label, row.span) for row in rows] == [
        ("1", "soup", "negative", (4, 8)),
        ("1", "soup", "conflict", (24, 28)),
        ("3", "miso & rice", "positive", (0, 11)),
    ]
    assert rows[0].source == f"{tmp_path / 'menu.xml'}:3" and rows[0].split == "test"
    assert report.counts == {"no_terms": 1} and report.texts == 2


def test_read_examples_asks_the_task(tmp_path):
    path = tmp_path / "train.xml"
    path.write_text(document(sentence(("soup", "negative", 4, 8))), "utf-8")
    assert [row.aspect for row in read_examples(aspect_terms(), path)] == ["soup"]
    with pytest.raises(DataError, match="missing <aspectCategories>: this may be a file of aspect terms only"):
        read_examples(None, path)


@pytest.mark.parametrize(
    "reason, term, message, kept",
    [
        (
            "offset_mismatch",
            ("came", "negative", 4, 8),
            "characters 4 to 8 of the text are 'soup', expected the term 'came'",
            1,
        ),
        ("offset_mismatch", ("soup", "negative", 5, 9), "are 'oup ', expected", 0),  # it stands there twice
        ("offset_mismatch", ("came", "negative", "nine", 13), "from='nine' to='13', expected the place of the term", 1),
        ("offset_mismatch", ("soup!", "negative", 24, 99), "characters 24 to 99 of the text are 'soup!'", 1),
        ("offset_mismatch", ("rice", "negative", 400, 404), "characters 400 to 404 of the text are ''", 0),
        ("incomplete_term", ("", "negative", 0, 0), "expected term and polarity", 0),
        ("unknown_label", ("soup", "bad", 4, 8), "unknown label 'bad'; known: negative, neutral, positive", 0),
    ],
)
def test_bad_terms(read, reason, term, message, kept):
    content = sentence(term), sentence(("soup", "positive", 4, 8), identifier="2")
    with pytest.raises(DataError, match=r"menu.xml:3:\d+: ") as error:
        read(*content, task=aspect_terms())
    assert message in str(error.value)
    report = LoadReport()
    rows = read(*content, task=aspect_terms(), on_error="skip", report=report)
    assert report.counts == {reason: 1} and len(rows) == kept + 1
    assert not kept or rows[0].span in ((9, 13), (24, 29))


@pytest.mark.parametrize("conflict, kept", [("keep", 2), ("drop", 0)])
def test_one_place_with_two_labels(read, conflict, kept):
    terms = sentence(("soup", "negative", 4, 8), ("soup", "positive", 4, 8))
    report = LoadReport()
    assert len(read(terms, conflict=conflict, report=report)) == kept
    assert report.counts["conflicts"] == 1
    with pytest.raises(DataError, match="'negative' before, 'positive' here; expected one label"):
        read(terms, conflict="error")


def test_a_closed_task_is_refused(read):
    with pytest.raises(ValueError, match="need a `task` with open_aspects: received task 'restaurants'"):
        read(sentence(("soup", "negative", 4, 8)), task=restaurants())
    with pytest.raises(DataError, match="no aspect term with a polarity"):
        read(sentence())


def test_published_files(data_dir):
    counts = {}
    for name in ("Restaurants_Train.xml", "Restaurants_Test_Gold.xml"):
        report = LoadReport()
        rows = read_aspect_terms(data_dir / "semeval2014" / name, report=report)
        assert all(row.text[slice(*row.span)] == row.aspect for row in rows)
        labels = [row.label for row in rows]
        counts[name] = [len(rows), *(labels.count(each) for each in ("positive", "negative", "neutral", "conflict"))]
        counts[name].append(report.counts["no_terms"])
    assert counts == {
        "Restaurants_Train.xml": [3699, 2164, 807, 637, 91, 1021],
        "Restaurants_Test_Gold.xml": [1134, 728, 196, 196, 14, 194],
    }


def test_a_conflict_at_one_place_leaves_the_others(read):
    terms = sentence(("soup", "negative", 4, 8), ("soup", "positive", 4, 8), ("soup", "positive", 24, 28))
    assert [row.span for row in read(terms, conflict="drop")] == [(24, 28)]
