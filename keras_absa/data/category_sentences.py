"""What the SemEval readers share: sentences with opinions on a closed set of categories, to rows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name, usable_text
from keras_absa.data.xml_document import Element, read_xml

CATEGORY_NAMES = {"anecdotes/miscellaneous": "anecdotes"}


@dataclass
class CategorySentence:
    """A text, where it begins, and its opinions as (where, category, polarity)."""

    id: str
    text: str
    line: int
    opinions: list[tuple[str, str, str]]


class SentenceReader:
    """Reads what all SemEval files have in common: ids, texts and opinions of elements."""

    def __init__(self, log: ProblemLog):
        self.log = log
        self.ids = set()

    def sentences(self, path) -> Iterator[tuple[Element, str, str]]:
        """The usable sentences of a SemEval-2014 file: (element, id, text)."""
        root = read_xml(path, "sentences", self.log)
        self.expect(root, sentence=None)
        for element in root.children("sentence"):
            whole = self.expect(element, text=1, aspectTerms=1, aspectCategories=1)
            identifier, text = self.identifier(element), self.text(element)
            if text is not None and whole:
                yield element, identifier, text

    def expect(self, element: Element, **most: int | None) -> bool:
        """Whether an element has no other tags inside than these, each as often as is said (None, any number)."""
        seen, whole = Counter(), True
        for part in element.content:
            if not isinstance(part, Element):
                continue
            seen[part.tag] += 1
            if part.tag in most and (most[part.tag] is None or seen[part.tag] <= most[part.tag]):
                continue
            again = "a second " if part.tag in most else ""
            expected = ", ".join(f"<{tag}>" for tag in most)
            what = (
                f"{again}<{part.tag}> inside <{element.tag}>, expected {expected}{' once each' if again else ' only'}"
            )
            self.log.bad("unexpected_element", part.where, what)
            whole = False
        return whole

    def in_scope(self, element: Element) -> bool:
        """Whether a sentence of SemEval-2015 or 2016 is to be used; others are counted."""
        outside = element.attributes.get("OutOfScope", "").upper() == "TRUE"
        if outside:
            self.log.note("out_of_scope", element.where, "a sentence out of scope")
        return not outside

    def review_sentences(self, path) -> Iterator[tuple[Element, str, str]]:
        """The usable sentences of a SemEval-2015 or 2016 file: (element, id, text)."""
        for review in read_xml(path, "Reviews", self.log).children("Review"):
            for element in filter(self.in_scope, sentences_of(review, self.log)):
                whole = self.expect(element, text=1, Opinions=None)
                identifier, text = self.identifier(element), self.text(element)
                if text is not None and whole:
                    yield element, identifier, text

    def identifier(self, element: Element, name: str = "id") -> str:
        """The element's id, made unique."""
        value = element.attributes.get(name)
        if not value:
            self.log.bad(
                "missing_id", element.where, f"missing id: received {value!r}, expected <{element.tag} {name}=...>"
            )
            value = f"auto-{len(self.ids) + 1}"
        identifier, copies = value, 1
        if identifier in self.ids:
            what = f"id {identifier!r} is used before, expected one {element.tag} an id"
            self.log.bad("duplicate_id", element.where, what)
            while identifier in self.ids:
                copies += 1
                identifier = f"{value}#{copies}"
        self.ids.add(identifier)
        return identifier

    def text(self, element: Element) -> str | None:
        """The text of the element's `<text>`, or `None` if it cannot be used."""
        text = element.child("text")
        if text is not None and text.markup():
            what = f"<{text.markup()}> inside <text>, expected characters only"
            self.log.bad("markup_in_text", element.where, what)
        return usable_text(None if text is None else text.text(), element.where, self.log)

    def opinions(self, element: Element, tag: str) -> list[tuple[str, str, str]]:
        """The opinions inside an element that lists them; what is incomplete has empty names."""
        # What an unexpected tag says of which category is not known.
        opinions = [] if self.expect(element, **{tag: None}) else [(element.where, "", "")]
        for opinion in element.children(tag):
            category, polarity = opinion.attributes.get("category"), opinion.attributes.get("polarity")
            if category and polarity:
                opinions.append((opinion.where, category, polarity))
            else:
                what = f"received attributes {opinion.attributes}, expected category and polarity"
                self.log.bad("incomplete_category", opinion.where, what)
                opinions.append((opinion.where, "", ""))
        return opinions


def sentences_of(review: Element, log: ProblemLog) -> list[Element]:
    """The sentences of a review of SemEval-2015 or 2016, those that are out of scope among them."""
    for element in review.children("sentence"):
        log.bad(
            "misplaced_sentence", element.where, "a <sentence> directly in <Review>, expected it inside <sentences>"
        )
    found = [element for inside in review.children("sentences") for element in inside.children("sentence")]
    if not found:
        log.note("empty_reviews", review.where, "a review without sentences")
    return found


def check_category_task(task: AspectTask) -> None:
    """Refuses a task that has targets, or no label for what is not mentioned."""
    if task.targets or task.none_label is None:
        raise ValueError(
            f"SemEval files of categories need a `task` without targets and with a none_label: received task {task.name!r} "
            f"with targets {list(task.targets)} and none_label {task.none_label!r}. Use `aspect_task.semeval2014()`."
        )


def category_rows(
    sentences: list[CategorySentence], task: AspectTask, split: str, log: ProblemLog
) -> list[AspectExample]:
    """One row for every (sentence, aspect); the first opinion on an aspect wins, what is not mentioned is `none_label`."""
    return [
        AspectExample(
            text=sentence.text,
            aspect=aspect,
            label=labels.get(aspect, task.none_label),
            id=sentence.id,
            split=split,
            source=f"{log.path}:{sentence.line}",
        )
        for sentence in sentences
        for labels in [_labels(sentence, task, log)]
        for aspect in task.aspects
    ]


def _labels(sentence: CategorySentence, task: AspectTask, log: ProblemLog) -> dict:
    """The label of every aspect that the sentence has."""
    known = [label for label in task.labels if label != task.none_label]
    labels = {}
    for place, category, polarity in sentence.opinions:
        if not (category and polarity):
            log.leave_out(sentence.id)  # what it says of which aspect is not known
            continue
        aspect = category if category in task.aspects else CATEGORY_NAMES.get(category, category)
        label = match_name(polarity, known, any_case=not log.strict)
        if aspect not in task.aspects:
            log.note("unused_aspects", place, f"category {category!r} is not in task {task.name!r}")
        elif label is None:
            log.bad("unknown_label", place, f"unknown label {polarity!r}; known: {', '.join(sorted(known))}")
            log.leave_out(sentence.id)
        elif aspect not in labels:
            labels[aspect] = label
        elif labels[aspect] == label:
            log.note("duplicates", place, f"{aspect} {label} is given twice")
        else:
            what = f"{aspect} is {labels[aspect]}, then {label}"
            log.conflict(place, what, sentence.id, kept="the first one counts")
    return labels
