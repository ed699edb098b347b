import pytest

from keras_absa.data.aspect_task import sentihood
from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport
from keras_absa.data.semeval2014_reader import read_semeval2014


def sentence(identifier="1", text="The soup came cold.", categories=(("food", "negative"),)):
    tags = "".join(f'<aspectCategory category="{name}" polarity="{label}"/>' for name, label in categories)
    return f'<sentence id="{identifier}"><text>{text}</text><aspectCategories>{tags}</aspectCategories></sentence>'


def document(*sentences, head='<?xml version="1.0"?>'):
    return head + "\n<sentences>\n" + "\n".join(sentences) + "\n</sentences>\n"


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "menu.xml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_semeval2014(path, **options)

    return read


def test_rows_of_one_sentence(read, tmp_path):
    categories = [("anecdotes/miscellaneous", "conflict"), ("food", "negative")]
    rows = read(document(sentence("9#1", categories=categories)), split="test")
    assert [(row.aspect, row.label) for row in rows] == [
        ("price", "none"),
        ("anecdotes", "conflict"),
        ("food", "negative"),
        ("ambience", "none"),
        ("service", "none"),
    ]
    assert {(row.id, row.target, row.split) for row in rows} == {("9#1", None, "test")}
    assert rows[0].source == f"{tmp_path / 'menu.xml'}:3"


def test_documents_keep_their_order(read):
    assert [row.id for row in read(document(sentence("9"), sentence("10")))[::5]] == ["9", "10"]


def test_first_of_a_repeated_category_wins(read):
    report = LoadReport()
    categories = [("food", "negative"), ("food", "negative"), ("food", "positive"), ("parking", "positive")]
    rows = read(document(sentence(categories=categories)), report=report)
    assert rows[2].label == "negative"
    assert report.counts == {"duplicates": 1, "conflicts": 1, "unused_aspects": 1}
    assert "food is negative, then positive: the first one counts" in report.samples["conflicts"][0]


def test_text_is_decoded_and_otherwise_unchanged(read):
    rows = read(document(sentence(text=" Fish &amp;  chips &#8211; &lt;3, <![CDATA[a<b]]> ")))
    assert rows[0].text == " Fish &  chips \u2013 <3, a<b "


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(read, encoding):
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    assert read(document(sentence(text="Caf\xe9"), head=head).encode(encoding))[0].text == "Caf\xe9"


BOMB = '<!DOCTYPE sentences [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
EXTERNAL = '<!DOCTYPE sentences [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
PARAMETER = '<!DOCTYPE sentences [<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]>'


@pytest.mark.parametrize("doctype", [BOMB, EXTERNAL, PARAMETER, "<!DOCTYPE sentences>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_document_type_declaration_is_refused(read, doctype, encoding, on_error):
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n{doctype}'
    with pytest.raises(DataError, match=r"menu.xml:2:\d+: document type declaration of 'sentences' is not allowed"):
        read(document(sentence(text="&c;"), head=head).encode(encoding), on_error=on_error)


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "menu.xml:1:1: invalid XML, no element found"),
        (document(sentence(text="Fish & chips")), "menu.xml:3:30: invalid XML, not well-formed"),
        (document(sentence(text="a\x0bb")), "menu.xml:3:25: invalid XML, not well-formed"),
        (document(sentence(text="&soup;")), "menu.xml:3:24: invalid XML, undefined entity"),
        (document(sentence())[:-20], "invalid XML"),
        (document() + document(head=""), "invalid XML, junk after document element"),
        (b'<?xml version="1.0" encoding="utf-8"?><sentences>\xe9</sentences>', "menu.xml:1:50: invalid XML"),
        ('<?xml version="1.0" encoding="klingon"?><sentences/>', "invalid XML, unknown encoding"),
        ("<Reviews></Reviews>", "menu.xml:1:1: the root is <Reviews>, expected <sentences>"),
        (document(sentence(text="<b>" * 200_000)), "tags nested deeper than 32"),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_unreadable_file_is_an_error_either_way(read, content, message, on_error):
    with pytest.raises(DataError) as error:
        read(content, on_error=on_error)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "reason, bad, message, rows_kept",
    [
        ("missing_text", '<sentence id="2"><aspectCategories/></sentence>', "menu.xml:4:1: missing text", 0),
        ("empty_text", sentence("2", text=""), "menu.xml:4:1: empty text: received ''", 0),
        ("missing_id", "<sentence><text>Hot</text><aspectCategories/></sentence>", "missing id: received None", 5),
        ("duplicate_id", sentence("1"), "menu.xml:4:1: id '1' is used before", 5),
        ("markup_in_text", sentence("2", text="Very <b>hot</b>"), "<b> inside <text>, expected characters only", 5),
        ("missing_categories", '<sentence id="2"><text>Hot</text></sentence>', "missing <aspectCategories>", 0),
        ("incomplete_category", sentence("2", categories=[("food", "")]), "expected category and polarity", 0),
        (
            "unknown_label",
            sentence("2", categories=[("food", "bad")]),
            "menu.xml:4:68: unknown label 'bad'; known: ",
            0,
        ),
    ],
)
def test_bad_sentence(read, reason, bad, message, rows_kept):
    content = document(sentence("1"), bad, sentence("3"))
    with pytest.raises(DataError) as error:
        read(content)
    assert message in str(error.value) and len(error.value.errors) == 1
    report = LoadReport()
    rows = read(content, on_error="skip", report=report)
    assert report.counts == {reason: 1}
    assert len(rows) == 10 + rows_kept


def test_lenient_joins_text_and_accepts_case(read):
    rows = read(document(sentence(text="Very <b>hot</b> tea", categories=[("food", "Negative")])), on_error="skip")
    assert (rows[0].text, rows[2].label) == ("Very hot tea", "negative")


def test_known_labels_are_listed(read):
    with pytest.raises(DataError, match="unknown label 'none'; known: conflict, negative, neutral, positive"):
        read(document(sentence(categories=[("food", "none")])))


def test_task_with_targets_is_refused(read):
    with pytest.raises(ValueError, match="need a `task` without targets"):
        read(document(sentence()), task=sentihood())


FOOD = '<aspectCategories><aspectCategory category="food" polarity="positive"/></aspectCategories>'


@pytest.mark.parametrize(
    "inside, message",
    [
        (f"<text>Soup.</text>{FOOD}{FOOD}", "a second <aspectCategories> inside <sentence>, expected <text>, "),
        (f"<text>Soup.</text><text>Cold.</text>{FOOD}", "a second <text> inside <sentence>"),
        (f"<text>Soup.</text><b>{FOOD}</b><aspectCategories/>", "<b> inside <sentence>, expected <text>, "),
        (
            f"<text>Soup.</text><aspectCategories>{FOOD}</aspectCategories>",
            "<aspectCategories> inside <aspectCategories>, expected <aspectCategory> only",
        ),
    ],
)
def test_what_is_in_an_odd_place_is_named_and_not_taken_for_none(read, inside, message):
    content = document(sentence("1"), f'<sentence id="2">{inside}</sentence>')
    with pytest.raises(DataError, match=f"menu.xml:4:[0-9]+: {message}"):
        read(content)
    assert {row.id for row in read(content, on_error="skip")} == {"1"}


def test_sentences_in_an_odd_place_are_named(read):
    with pytest.raises(DataError, match="<Sentence> inside <sentences>, expected <sentence> only"):
        read(document(sentence("1"), sentence("2").replace("sentence ", "Sentence ").replace("sentence>", "Sentence>")))
    with pytest.raises(DataError, match="<part> inside <sentences>"):
        read(document(sentence("1"), f"<part>{sentence('2')}</part>"))
