"""SemEval-2014 task 4: the aspect categories of restaurant sentences, as XML."""

from xml.parsers import expat

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, semeval2014
from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name, read_bytes, usable_text

CATEGORY_NAMES = {"anecdotes/miscellaneous": "anecdotes"}
MAX_DEPTH = 32


def read_semeval2014(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
) -> list[AspectExample]:
    """Reads one SemEval-2014 file, one row for every (sentence, aspect category).

    A category that a sentence does not have gets the task's `none_label`. Where a sentence has one category twice,
    the first one wins. Both this and categories that are not in the task are counted in the report. The text
    is the sentence as it stands in the file, with its XML entities decoded. No document type declaration is
    accepted, so nothing is ever expanded or fetched.

    Args:
        path: The file, `<sentences>` of `<sentence id>` with `<text>` and `<aspectCategories>`.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: The task. Defaults to `aspect_task.semeval2014()`.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.

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
        Pontiki et al. 2014, "SemEval-2014 Task 4: Aspect Based Sentiment Analysis".
    """
    task = semeval2014() if task is None else task
    if task.targets or task.none_label is None:
        raise ValueError(
            f"SemEval-2014 files need a `task` without targets and with a none_label: received task {task.name!r} "
            f"with targets {list(task.targets)} and none_label {task.none_label!r}. Use `aspect_task.semeval2014()`."
        )
    log = ProblemLog(path, on_error, report)
    examples, seen = [], set()
    for sentence in _SentenceParser(log).parse(read_bytes(path, log)):
        identifier = _identifier(sentence, seen, log)
        where = f"{sentence['line']}:{sentence['column']}"
        if sentence["markup"]:
            log.bad("markup_in_text", where, f"<{sentence['markup']}> inside <text>, expected characters only")
        text = usable_text(sentence["text"], where, log)
        if text is None:
            continue
        labels = _labels(sentence, where, task, log)
        source = f"{path}:{sentence['line']}"
        examples += [
            AspectExample(
                text=text,
                aspect=aspect,
                label=labels.get(aspect, task.none_label),
                id=identifier,
                split=split,
                source=source,
            )
            for aspect in task.aspects
        ]
    return log.finish(examples)


def _identifier(sentence: dict, seen: set, log: ProblemLog) -> str:
    where = f"{sentence['line']}:{sentence['column']}"
    value = sentence["id"]
    if not value:
        log.bad("missing_id", where, f"missing id: received {value!r}, expected <sentence id=...>")
        value = f"auto-{len(seen) + 1}"
    identifier, copies = value, 1
    if identifier in seen:
        log.bad("duplicate_id", where, f"id {identifier!r} is used before, expected one sentence an id")
        while identifier in seen:
            copies += 1
            identifier = f"{value}#{copies}"
    seen.add(identifier)
    return identifier


def _labels(sentence: dict, where: str, task: AspectTask, log: ProblemLog) -> dict:
    """The label of every aspect that the sentence has."""
    if sentence["categories"] is None:
        log.bad("missing_categories", where, "missing <aspectCategories>: this may be a file of aspect terms only")
        return {}
    known = [label for label in task.labels if label != task.none_label]
    labels = {}
    for line, column, attributes in sentence["categories"]:
        place = f"{line}:{column}"
        category, polarity = attributes.get("category"), attributes.get("polarity")
        if not category or not polarity:
            log.bad("incomplete_category", place, f"received attributes {attributes}, expected category and polarity")
            continue
        aspect = category if category in task.aspects else CATEGORY_NAMES.get(category, category)
        label = match_name(polarity, known, any_case=not log.strict)
        if aspect not in task.aspects:
            log.note("unused_aspects", place, f"category {category!r} is not in task {task.name!r}")
        elif label is None:
            log.bad("unknown_label", place, f"unknown label {polarity!r}; known: {', '.join(sorted(known))}")
        elif aspect not in labels:
            labels[aspect] = label
        elif labels[aspect] == label:
            log.note("duplicates", place, f"{aspect} {label} is given twice")
        else:
            log.note("conflicts", place, f"{aspect} is {labels[aspect]}, then {label}: the first one counts")
    return labels


class _SentenceParser:
    """Collects the sentences from expat's events; its own small stack, so that deep nesting costs nothing."""

    def __init__(self, log: ProblemLog):
        self.log = log
        self.sentences = []
        self.open_tags = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def parse(self, data: bytes) -> list[dict]:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            what = f"invalid XML, {expat.ErrorString(error.code)}."
            raise self.log.fatal(f"{error.lineno}:{error.offset + 1}", what) from error
        except DataError:
            raise
        except (LookupError, ValueError) as error:
            # The declaration names an encoding that expat cannot use.
            raise self.log.fatal(self._place(), f"invalid XML, {error}. Save the file as UTF-8.") from error
        return self.sentences

    def _place(self) -> str:
        return f"{self.parser.CurrentLineNumber}:{self.parser.CurrentColumnNumber + 1}"

    def _refuse_doctype(self, name, *_):
        what = f"document type declaration of {name!r} is not allowed: it can define entities. Remove it."
        raise self.log.fatal(self._place(), what)

    def _start(self, tag, attributes):
        if not self.open_tags and tag != "sentences":
            raise self.log.fatal(self._place(), f"the root is <{tag}>, expected <sentences>.")
        if len(self.open_tags) >= MAX_DEPTH:
            raise self.log.fatal(self._place(), f"tags nested deeper than {MAX_DEPTH}.")
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        if self.open_tags == ["sentences"] and tag == "sentence":
            sentence = {"id": attributes.get("id"), "text": None, "markup": "", "categories": None}
            self.sentences.append({**sentence, "line": line, "column": column})
        elif self.open_tags[1:] == ["sentence"]:
            if tag == "text":
                self.sentences[-1]["text"] = self.sentences[-1]["text"] or ""
            elif tag == "aspectCategories":
                self.sentences[-1]["categories"] = self.sentences[-1]["categories"] or []
        elif self.open_tags[1:] == ["sentence", "aspectCategories"] and tag == "aspectCategory":
            self.sentences[-1]["categories"].append((line, column, attributes))
        elif self.open_tags[1:3] == ["sentence", "text"]:
            self.sentences[-1]["markup"] = tag
        self.open_tags.append(tag)

    def _end(self, tag):
        self.open_tags.pop()

    def _characters(self, characters):
        if self.open_tags[1:3] == ["sentence", "text"]:
            self.sentences[-1]["text"] += characters
