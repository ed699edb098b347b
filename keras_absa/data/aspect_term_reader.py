"""SemEval-2014 task 4 and MAMS: the aspect terms of sentences, as XML."""

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, aspect_terms
from keras_absa.data.category_sentences import SentenceReader
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name
from keras_absa.data.term_spans import check_term_task, find_span
from keras_absa.data.xml_document import Element


def read_aspect_terms(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads the aspect terms of one SemEval-2014 or MAMS file: one row a term, with its place in the text.

    Sentences without a term give no row and are counted in the report. The polarity `conflict` of SemEval-2014 is a label
    like the others: a task without it calls it a mistake, which `on_error="skip"` leaves out and counts.

    Args:
        path: The file, `<sentences>` of `<sentence id>` with `<text>` and `<aspectTerms>`.
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
        Pontiki et al. 2014, "SemEval-2014 Task 4", subtasks 1 and 2; Jiang et al. 2019 (MAMS, ATSA files).
    """
    log = ProblemLog(path, on_error, report, conflict)
    reader, found = SentenceReader(log), []
    for element, identifier, text in reader.sentences(path):
        terms = element.child("aspectTerms")
        terms = [] if terms is None else list(terms.children("aspectTerm"))
        if not terms:
            log.note("no_terms", element.where, "a sentence without aspect terms")
        found += [(identifier, text, term) for term in terms]
    if task is None:
        labels = sorted({term.attributes["polarity"] for *_, term in found if term.attributes.get("polarity")})
        if not labels:
            raise log.fatal(
                "", "no aspect term with a polarity in the file, expected <aspectTerm term=... polarity=...>."
            )
        task = aspect_terms(labels=labels)
    check_term_task(task)
    rows, seen = [], {}
    for identifier, text, term in found:
        row = _row(identifier, text, term, task, split, log)
        if row is None:
            continue
        before = seen.setdefault((identifier, row.span), row.label)
        if before != row.label:
            what = f"term {row.aspect!r} at {row.span} is {before!r} before, {row.label!r} here"
            log.conflict(term.where, what, identifier, None, row.aspect)
        rows.append(row)
    return log.finish(rows)


def _row(identifier, text, term: Element, task, split, log) -> AspectExample | None:
    name, polarity = term.attributes.get("term"), term.attributes.get("polarity")
    if not (name and name.strip() and polarity):
        what = f"received attributes {term.attributes}, expected term and polarity"
        log.bad("incomplete_term", term.where, what)
        return None
    label = match_name(polarity, task.labels, any_case=not log.strict)
    if label is None:
        log.bad("unknown_label", term.where, f"unknown label {polarity!r}; known: {', '.join(sorted(task.labels))}")
        return None
    span = find_span(text, name, term.attributes.get("from"), term.attributes.get("to"), term.where, log)
    if span is None:
        return None
    return AspectExample(text, name, label, id=identifier, split=split, source=f"{log.path}:{term.line}", span=span)
