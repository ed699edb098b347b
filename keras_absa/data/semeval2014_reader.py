"""SemEval-2014 task 4 and MAMS: the aspect categories of restaurant sentences, as XML."""

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, mams, semeval2014
from keras_absa.data.category_sentences import (
    CategorySentence,
    SentenceReader,
    category_rows,
    check_category_task,
)
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.xml_document import read_xml


def read_semeval2014(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads one SemEval-2014 file, or one of MAMS' category files, one row for every (sentence, aspect category).

    A category that a sentence does not have gets the task's `none_label`. Where a sentence has one category twice,
    the first one wins. Both this and categories that are not in the task are counted in the report. The text
    is the sentence as it stands in the file, with its XML entities decoded. No document type declaration is
    accepted, so nothing is ever expanded or fetched.

    Args:
        path: The file, `<sentences>` of `<sentence id>` with `<text>` and `<aspectCategories>`.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: The task. Defaults to `aspect_task.semeval2014()`; MAMS needs `aspect_task.mams()`.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of a question with two labels: `"keep"` counts it and follows the rule above, `"drop"`
            counts it and leaves its rows out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in document order, aspects in context order.

    Raises:
        DataError: If the file is not XML of this form, or, unless rows are skipped, if a sentence has a mistake.

    Example:
        >>> import tempfile
        >>> category = '<aspectCategories><aspectCategory category="food" polarity="negative"/></aspectCategories>'
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write(f'<sentences><sentence id="1"><text>Cold soup</text>{category}</sentence></sentences>')
        ...     file.flush()
        ...     [(row.aspect, row.label) for row in read_semeval2014(file.name)][1:3]
        [('anecdotes', 'none'), ('food', 'negative')]

    Reference:
        Pontiki et al. 2014, "SemEval-2014 Task 4: Aspect Based Sentiment Analysis"; Jiang et al. 2019, "A Challenge
        Dataset and Effective Models for Aspect-Based Sentiment Analysis" (MAMS).
    """
    task = semeval2014() if task is None else task
    check_category_task(task)
    log = ProblemLog(path, on_error, report, conflict)
    reader, sentences = SentenceReader(log), []
    for element, identifier, text in reader.sentences(path):
        categories = element.child("aspectCategories")
        if categories is None:
            what = "missing <aspectCategories>: this may be a file of aspect terms only"
            log.bad("missing_categories", element.where, what)
            log.leave_out(identifier)
        opinions = [] if categories is None else reader.opinions(categories, "aspectCategory")
        sentences.append(CategorySentence(identifier, text, element.line, opinions))
    return log.finish(category_rows(sentences, task, split, log))


def task_of_categories(path) -> AspectTask:
    """`mams()` for a file with categories that only MAMS has, else `semeval2014()`."""
    log = ProblemLog(path, "skip")
    own = set(mams().aspects) - set(semeval2014().aspects)
    for sentence in read_xml(path, "sentences", log).children("sentence"):
        categories = sentence.child("aspectCategories")
        found = () if categories is None else categories.children("aspectCategory")
        if any(category.attributes.get("category") in own for category in found):
            return mams()
    return semeval2014()
