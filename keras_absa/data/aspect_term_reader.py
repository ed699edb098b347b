"""The aspect terms of sentences, as XML: SemEval-2014 task 4 and MAMS, and the opinion targets of SemEval-2015 and 2016."""

from collections.abc import Iterator
from typing import NamedTuple

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, aspect_terms
from keras_absa.data.category_sentences import SentenceReader
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name
from keras_absa.data.term_spans import check_term_task, find_span
from keras_absa.data.xml_document import Element, root_tag


class _Term(NamedTuple):
    """A term as its file gives it: the sentence's id and text, the element, and the attribute that names the term."""

    id: str
    text: str
    element: Element
    attribute: str


def read_aspect_terms(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads the aspect terms of one SemEval or MAMS file: one row a term, with its place in the text.

    In files of SemEval-2015 and 2016 the terms are the targets of the opinions. A target that has several categories gives one
    row a polarity; targets that are `NULL`, and sentences out of scope, are left out. All of this is counted, and so are
    sentences without a term, which give no row. The polarity `conflict` of SemEval-2014 is a label like the others: a task
    without it calls it a mistake, which `on_error="skip"` leaves out and counts.

    Args:
        path: The file, `<sentences>` of `<sentence id>` with `<text>` and `<aspectTerms>`, or `<Reviews>` as
            `read_semeval2016` reads them.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: A task with `open_aspects`. Defaults to `aspect_terms` with the file's own polarities.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it. A term
            whose offsets are wrong is then kept where it stands in its text just once. Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of one place in a text with two labels: `"keep"` counts it and keeps both, `"drop"` counts
            it and leaves both out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in document order; `aspect` is the term, `span` its characters in the text.

    Raises:
        DataError: If the file is not XML of this form, or, unless rows are skipped, if a term has a mistake.

    Example:
        >>> import tempfile
        >>> term = '<aspectTerms><aspectTerm term="soup" polarity="negative" from="5" to="9"/></aspectTerms>'
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write(f'<sentences><sentence id="1"><text>Cold soup</text>{term}</sentence></sentences>')
        ...     file.flush()
        ...     row = read_aspect_terms(file.name)[0]
        >>> row.aspect, row.label, row.span
        ('soup', 'negative', (5, 9))

    Reference:
        Pontiki et al. 2014, "SemEval-2014 Task 4", subtasks 1 and 2; Jiang et al. 2019 (MAMS, ATSA files); Pontiki et al. 2015
        and 2016, slot 2.
    """
    log = ProblemLog(path, on_error, report, conflict)
    reader = SentenceReader(log)
    targets = root_tag(path) == "Reviews"
    found = list(_targets(path, reader, log) if targets else _terms(path, reader, log))
    if task is None:
        polarities = [term.element.attributes.get("polarity") for term in found]
        labels = sorted({polarity for polarity in polarities if polarity})
        if not labels:
            expected = "<Opinion target=... polarity=...>" if targets else "<aspectTerm term=... polarity=...>"
            raise log.fatal("", f"no aspect term with a polarity in the file, expected {expected}.")
        task = aspect_terms(labels=labels)
    check_term_task(task)
    rows, seen = [], {}
    for term in found:
        row = _row(term, task, split, log)
        if row is None:
            continue
        where, place = term.element.where, (row.id, row.span)
        before = seen.setdefault(place, [])
        if targets and row.label in before:
            log.note(
                "duplicates", where, f"target {row.aspect!r} at {row.span} is {row.label!r} for several categories"
            )
            continue
        if before and row.label != before[0]:
            what = f"term {row.aspect!r} at {row.span} is {before[0]!r} before, {row.label!r} here"
            log.conflict(where, what, row.id, None, row.aspect, row.span)
        before.append(row.label)
        rows.append(row)
    return log.finish(rows)


def _terms(path, reader: SentenceReader, log: ProblemLog) -> Iterator[_Term]:
    """The terms of SemEval-2014 and MAMS."""
    for element, identifier, text in reader.sentences(path):
        terms = element.child("aspectTerms")
        if terms is not None:
            reader.expect(terms, aspectTerm=None)
        terms = [] if terms is None else list(terms.children("aspectTerm"))
        if not terms:
            log.note("no_terms", element.where, "a sentence without aspect terms")
        yield from (_Term(identifier, text, term, "term") for term in terms)


def _targets(path, reader: SentenceReader, log: ProblemLog) -> Iterator[_Term]:
    """The opinion targets of SemEval-2015 and 2016."""
    for element, identifier, text in reader.review_sentences(path):
        opinions = [opinion for part in element.children("Opinions") for opinion in part.children("Opinion")]
        implicit = [opinion for opinion in opinions if opinion.attributes.get("target") == "NULL"]
        for opinion in implicit:
            log.note("implicit_targets", opinion.where, "an opinion without a target in the text")
        if len(implicit) == len(opinions):
            log.note("no_terms", element.where, "a sentence without aspect terms")
        yield from (_Term(identifier, text, opinion, "target") for opinion in opinions if opinion not in implicit)


def _row(found: _Term, task: AspectTask, split: str, log: ProblemLog) -> AspectExample | None:
    term = found.element
    name, polarity = term.attributes.get(found.attribute), term.attributes.get("polarity")
    if not (name and name.strip() and polarity):
        what = f"received attributes {term.attributes}, expected {found.attribute} and polarity"
        log.bad("incomplete_term", term.where, what)
        return None
    label = match_name(polarity, task.labels, any_case=not log.strict)
    if label is None:
        log.bad("unknown_label", term.where, f"unknown label {polarity!r}; known: {', '.join(sorted(task.labels))}")
        return None
    span = find_span(found.text, name, term.attributes.get("from"), term.attributes.get("to"), term.where, log)
    if span is None:
        return None
    source = f"{log.path}:{term.line}"
    return AspectExample(found.text, name, label, id=found.id, split=split, source=source, span=span)
