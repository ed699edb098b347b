import pytest

from keras_absa.cli.data_source import find_task
from keras_absa.data import (
    AspectTask,
    DataError,
    LoadReport,
    aspect_terms,
    mams,
    read_aspect_terms,
    read_examples,
    read_semeval2016,
    semeval2014,
)
from keras_absa.data.aspect_task import sentihood


def opinion(category="FOOD#QUALITY", polarity="negative", target="soup"):
    return f'<Opinion target="{target}" category="{category}" polarity="{polarity}" from="0" to="0"/>'


OPINION = opinion()


def sentence(identifier="1:0", text="The soup came cold.", opinions=(OPINION,), extra=""):
    listed = f"<Opinions>{''.join(opinions)}</Opinions>" if opinions is not None else ""
    return f'<sentence id="{identifier}"{extra}><text>{text}</text>{listed}</sentence>'


def review(*sentences, rid="1", opinions=None):
    listed = f"<Opinions>{''.join(opinions)}</Opinions>" if opinions is not None else ""
    return f'<Review rid="{rid}"><sentences>{"".join(sentences)}</sentences>{listed}</Review>'


def document(*reviews):
    return '<?xml version="1.0"?>\n<Reviews>\n' + "\n".join(reviews) + "\n</Reviews>\n"


TASK = AspectTask(
    "meals",
    aspects=("FOOD#QUALITY", "SERVICE#GENERAL"),
    labels=("positive", "negative", "neutral", "none"),
    none_label="none",
)


@pytest.fixture
def write(tmp_path):
    def write(content, name="train.xml"):
        (tmp_path / name).write_text(content, "utf-8")
        return tmp_path / name

    return write


def answers(rows):
    return [(row.id, row.aspect, row.label) for row in rows]


def test_sentences(write):
    second = opinion("SERVICE#GENERAL", "positive", "NULL")
    path = write(
        document(review(sentence(), sentence("1:1", "Kind &amp; quick", [second])), review(sentence("2:0", "Hm")))
    )
    rows = read_semeval2016(path, "train", TASK)
    assert answers(rows) == [
        ("1:0", "FOOD#QUALITY", "negative"),
        ("1:0", "SERVICE#GENERAL", "none"),
        ("1:1", "FOOD#QUALITY", "none"),
        ("1:1", "SERVICE#GENERAL", "positive"),
        ("2:0", "FOOD#QUALITY", "negative"),
        ("2:0", "SERVICE#GENERAL", "none"),
    ]
    assert rows[2].text == "Kind & quick" and rows[0].split == "train" and rows[4].source == f"{path}:4"


def test_the_task_of_the_file(write):
    path = write(document(review(sentence(opinions=[opinion("B#C", "positive")]), sentence("1:1"))))
    rows = read_examples(None, path)
    assert answers(rows)[:2] == [("1:0", "B#C", "positive"), ("1:0", "FOOD#QUALITY", "none")]
    task = find_task(None, str(path.parent))
    assert task.aspects == ("B#C", "FOOD#QUALITY") and task.labels == ("negative", "none", "positive")
    assert task.none_label == "none"


def test_a_task_in_which_every_text_has_every_category(write):
    path = write(document(review(sentence(opinions=[opinion(), opinion("B#C", "positive")]))))
    assert find_task(None, str(path.parent)).none_label == "none"


def test_whole_reviews(write):
    """Subtask 2: opinions on a review, whose text is spread over sentences."""
    texts = [
        sentence("1:0", "Cold soup.", [opinion("SERVICE#GENERAL")]),
        sentence("1:1", "Kind staff.", None),
        sentence("1:2", "Bye.", None, ' OutOfScope="TRUE"'),
    ]
    report = LoadReport()
    rows = read_semeval2016(write(document(review(*texts, rid="r9", opinions=[opinion()]))), task=TASK, report=report)
    assert report.counts == {"out_of_scope": 1, "sentence_opinions": 1}
    assert answers(rows) == [("r9", "FOOD#QUALITY", "negative"), ("r9", "SERVICE#GENERAL", "none")]
    assert rows[0].text == "Cold soup. Kind staff."


def test_odd_structure_loses_nothing(write):
    twice = sentence("1:0", opinions=[opinion()]).replace(
        "</sentence>", f"<Opinions>{opinion('SERVICE#GENERAL')}</Opinions></sentence>"
    )
    reviews = f'<Review rid="1"><sentences>{twice}</sentences><sentences>{sentence("1:1")}</sentences></Review><Review rid="2"/>'
    path, report = write(document(reviews)), LoadReport()
    labels = [row.label for row in read_semeval2016(path, task=TASK, report=report)]
    assert labels == ["negative", "negative", "negative", "none"] and report.counts == {"empty_reviews": 1}
    with pytest.raises(DataError, match="a <sentence> directly in <Review>, expected it inside <sentences>"):
        read_semeval2016(write(document(f'<Review rid="1">{sentence()}</Review>', review(sentence()))), task=TASK)
    write("<!--" + "x" * 200_000 + "-->" + document(review(sentence())).split("?>")[1])
    assert read_examples(TASK, path)[0].label == "negative"


def test_what_is_legal_is_counted(write):
    sentences = [
        sentence("1:0", "We left.", None),
        sentence("1:1", "Hello.", None, ' OutOfScope="TRUE"'),
        sentence("1:2", opinions=[opinion(), opinion(target="fish"), opinion(polarity="positive"), opinion("X#Y")]),
    ]
    report = LoadReport()
    rows = read_semeval2016(write(document(review(*sentences))), task=TASK, report=report)
    assert answers(rows)[::2] == [("1:0", "FOOD#QUALITY", "none"), ("1:2", "FOOD#QUALITY", "negative")]
    assert report.counts == {"out_of_scope": 1, "duplicates": 1, "conflicts": 1, "unused_aspects": 1}
    assert (report.texts, report.rows) == (2, 4)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (sentence("2", text=""), "train.xml:3:28: empty text"),
        (
            '<sentence id="2"><text>Hm</text><Opinions><Opinion category="A"/></Opinions></sentence>',
            "category and polarity",
        ),
        (
            sentence("2", opinions=[opinion(polarity="conflict")]),
            "unknown label 'conflict'; known: negative, neutral, pos",
        ),
        (sentence("1"), "id '1' is used before, expected one sentence an id"),
    ],
)
def test_bad_sentence(write, bad, message):
    path = write(document(review(bad), review(sentence("1")), review(sentence("1") if "id '1'" in message else "")))
    with pytest.raises(DataError) as error:
        read_semeval2016(path, task=TASK)
    assert message in str(error.value) and len(error.value.errors) == 1 + ("id '1'" in message)
    report = LoadReport()
    assert (
        len(read_semeval2016(path, task=TASK, on_error="skip", report=report)) >= 2 and sum(report.counts.values()) >= 1
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (document(review(rid="1", opinions=[opinion()])), "a review without any text"),
        (document(review(sentence(opinions=None))), "no opinion in any text"),
        ('<!DOCTYPE Reviews [<!ENTITY a "ha">]>' + document(), "invalid XML|not allowed"),
        ("<Reviews><Review>", "invalid XML, no element found"),
    ],
)
def test_bad_file(write, content, message):
    with pytest.raises(DataError, match=message):
        read_semeval2016(write(content))


def test_opinion_targets_are_terms(write):
    text = "The soup came cold, soup!"

    def target(category="FOOD#QUALITY", polarity="negative", first=4, end=8, name="soup"):
        return f'<Opinion target="{name}" category="{category}" polarity="{polarity}" from="{first}" to="{end}"/>'

    sentences = [
        sentence("1:0", text, [target(), target("FOOD#PRICES"), target(first=20, end=24, polarity="positive")]),
        sentence("1:1", text, [target(name="NULL", first=0, end=0)]),
        sentence("1:2", text, [target(), target("FOOD#PRICES", "positive"), target("X#Y", "positive")]),
        sentence("1:3", text, None),
        sentence("1:4", text, [target()], ' OutOfScope="TRUE"'),
    ]
    path, report = write(document(review(*sentences))), LoadReport()
    rows = read_examples(aspect_terms(), path, report=report)
    assert [(row.id, row.aspect, row.label, row.span) for row in rows] == [
        ("1:0", "soup", "negative", (4, 8)),
        ("1:0", "soup", "positive", (20, 24)),
        ("1:2", "soup", "negative", (4, 8)),
        ("1:2", "soup", "positive", (4, 8)),
    ]
    assert report.counts == {"duplicates": 2, "implicit_targets": 1, "no_terms": 2, "conflicts": 1, "out_of_scope": 1}
    assert find_task("terms", str(path.parent)).open_aspects
    assert [row.id for row in read_examples(aspect_terms(), path, conflict="drop")] == ["1:0", "1:0"]
    with pytest.raises(DataError, match="train.xml:3:.* characters 5 to 9 of the text are 'oup ', expected the term"):
        read_examples(aspect_terms(), write(document(review(sentence("1:0", text, [target(first=5, end=9)])))))
    with pytest.raises(DataError, match=r"no aspect term with a polarity in the file, expected <Opinion target="):
        read_aspect_terms(write(document(review(sentence(opinions=None)))))


def test_a_task_with_targets_is_refused(write):
    with pytest.raises(ValueError, match=r"need a `task` without targets .*received task 'sentihood'"):
        read_semeval2016(write(document()), task=sentihood())


def test_mams_is_told_by_its_categories(write):
    template = (
        '<sentences><sentence id="1"><text>Hm</text><aspectCategories><aspectCategory category="{}" polarity="neutral"/>'
        "</aspectCategories></sentence></sentences>"
    )
    path = write(template.format("menu"))
    task = find_task(None, str(path.parent))
    assert task == mams()
    labels = {row.aspect: row.label for row in read_examples(task, path)}
    assert len(labels) == 8 and labels["menu"] == "neutral" and labels["staff"] == "none"
    write(template.format("food"))
    assert find_task(None, str(path.parent)) == semeval2014()
