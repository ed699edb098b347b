"""SemEval-2015 task 12 and SemEval-2016 task 5: opinions on ENTITY#ATTRIBUTE categories of reviews, as XML."""

from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.category_sentences import (
    CategorySentence,
    SentenceReader,
    category_rows,
    check_category_task,
    sentences_of,
)
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.xml_document import Element, read_xml


def read_semeval2016(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads one SemEval-2015 or SemEval-2016 file, one row for every (text, category).

    A text is a sentence or, where opinions stand directly under a review (subtask 2), the whole review with its
    sentences joined by blanks. A category that a text does not have gets the task's `none_label`; a sentence without
    `<Opinions>` has none of them. Sentences that are marked `OutOfScope` are left out and counted. Where a text has one
    category several times (for several target words), the first one wins, which is counted too.

    Args:
        path: The file, `<Reviews>` of `<Review rid>` with `<sentences>` of `<sentence id>`.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: The task. Defaults to one of the categories and polarities that the file has, sorted, and `"none"`. Read
            other splits with the training file's.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of a question with two labels: `"keep"` counts it and follows the rule above, `"drop"`
            counts it and leaves its rows out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in document order, aspects in context order.

    Raises:
        DataError: If the file is not XML of this form, or, unless rows are skipped, if a text has a mistake.

    Example:
        >>> import tempfile
        >>> opinion = '<Opinions><Opinion target="soup" category="FOOD#QUALITY" polarity="negative"/></Opinions>'
        >>> sentence = f'<sentence id="1:0"><text>Cold soup</text>{opinion}</sentence>'
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write(f'<Reviews><Review rid="1"><sentences>{sentence}</sentences></Review></Reviews>')
        ...     file.flush()
        ...     [(row.aspect, row.label) for row in read_semeval2016(file.name)]
        [('FOOD#QUALITY', 'negative')]

    Reference:
        Pontiki et al. 2015, "SemEval-2015 Task 12"; Pontiki et al. 2016, "SemEval-2016 Task 5".
    """
    if task is not None:
        check_category_task(task)
    log = ProblemLog(path, on_error, report, conflict)
    reader, sentences = SentenceReader(log), []
    for review in read_xml(path, "Reviews", log).children("Review"):
        elements = sentences_of(review, log)
        whole = review.child("Opinions")
        if whole is None:
            found = (_sentence(element, reader) for element in elements)
            sentences += [each for each in found if each is not None]
            continue
        elements = list(filter(reader.in_scope, elements))
        texts = [text for text in map(reader.text, elements) if text is not None]
        for element in elements:
            if element.child("Opinions") is not None:
                log.note(
                    "sentence_opinions",
                    element.where,
                    "opinions of a sentence of a review that has opinions as a whole",
                )
        identifier = reader.identifier(review, "rid")
        if texts:
            opinions = reader.opinions(whole, "Opinion")
            sentences.append(CategorySentence(identifier, " ".join(texts), review.line, opinions))
        else:
            log.bad("missing_text", review.where, "a review without any text, expected <sentences> with <text>")
    if task is None:
        aspects = sorted({category for sentence in sentences for _, category, _ in sentence.opinions if category})
        labels = sorted({polarity for sentence in sentences for _, _, polarity in sentence.opinions if polarity})
        if not aspects:
            raise log.fatal("", "no opinion in any text, expected <Opinion category=... polarity=...>. Pass a `task`.")
        task = AspectTask(Path(path).stem, aspects=aspects, labels=[*labels, "none"], none_label="none")
    return log.finish(category_rows(sentences, task, split, log))


def _sentence(element: Element, reader: SentenceReader) -> CategorySentence | None:
    if not reader.in_scope(element):
        return None
    whole = reader.expect(element, text=1, Opinions=None)
    identifier, text = reader.identifier(element), reader.text(element)
    if text is None or not whole:
        return None
    opinions = [each for part in element.children("Opinions") for each in reader.opinions(part, "Opinion")]
    return CategorySentence(identifier, text, element.line, opinions)
