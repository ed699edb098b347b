"""Rows as SemEval's XML; `write_examples` is the public function."""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.splits import check_groups

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def refusal(example: AspectExample, number: int, what: str, instead: str = ".csv, .jsonl or .parquet") -> ValueError:
    """The error that a format cannot hold a row."""
    where = example.source or f"row {number}"
    return ValueError(
        f"{where}: this format cannot hold {what}: received {example.text!r:.60}. Write {instead} instead."
    )


def _check_characters(examples: list[AspectExample]) -> None:
    for number, row in enumerate(examples):
        for value in (row.id, row.text, row.aspect, row.label or ""):
            found = _NO_XML.search(value)
            if found:
                raise refusal(row, number, f"the character U+{ord(found.group()):04X}")


def rows_by_text(examples: list[AspectExample]) -> dict[str, list[AspectExample]]:
    """Rows by the id, or else the text, that they share."""
    texts = {}
    for number, row in enumerate(examples):
        group = texts.setdefault(row.id or row.text, [])
        if group and group[0].text != row.text:
            raise refusal(row, number, f"two texts with the id {row.id!r}")
        if row.label is None:
            raise refusal(row, number, "rows without a label")
        group.append(row)
    return texts


def semeval_xml(examples: list[AspectExample], task: AspectTask) -> str:
    """SemEval-2014's terms for a task with open aspects, 2015's and 2016's categories where they look so, else 2014's."""
    _check_characters(examples)
    if task.open_aspects:
        return _terms(examples)
    if task.targets or task.none_label is None:
        raise ValueError(
            f"SemEval files of categories need a task without targets and with a none_label: received task {task.name!r}. Write "
            ".csv, .jsonl or .parquet instead."
        )
    place = {aspect: number for number, aspect in enumerate(task.aspects)}
    texts = {
        identifier: sorted(rows, key=lambda row: place.get(row.aspect, len(place)))
        for identifier, rows in rows_by_text(examples).items()
    }
    check_groups([row for rows in texts.values() for row in rows], task)

    def category(row):
        return {"category": row.aspect, "polarity": row.label} if row.label != task.none_label else {}

    if all("#" in aspect for aspect in task.aspects):
        return _document("Reviews", _reviews(texts, category))
    return _document("sentences", _sentences(texts, "aspectCategories", "aspectCategory", category))


def _terms(examples) -> str:
    def term(row):
        return {"term": row.aspect, "polarity": row.label, "from": row.span[0], "to": row.span[1]}

    for number, row in enumerate(examples):
        if row.span is None:
            raise refusal(row, number, f"the term {row.aspect!r} without its place in the text")
    return _document("sentences", _sentences(rows_by_text(examples), "aspectTerms", "aspectTerm", term))


def _document(root: str, lines: Iterator[str]) -> str:
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<{root}>", *lines, f"</{root}>", ""])


def _reviews(texts: dict, attributes: Callable) -> Iterator[str]:
    """Sentences with their reviews around them: the id of a sentence is its review's, a colon and a number."""
    for review, group in groupby(texts, key=lambda identifier: identifier.rpartition(":")[0] or identifier):
        yield f"<Review rid={quoteattr(review)}>"
        yield "<sentences>"
        yield from _sentences(
            {identifier: texts[identifier] for identifier in group}, "Opinions", "Opinion", attributes
        )
        yield "</sentences>"
        yield "</Review>"


def _sentences(texts: dict, group: str, tag: str, attributes: Callable) -> Iterator[str]:
    for identifier, rows in texts.items():
        tags = "".join(
            f"<{tag} " + " ".join(f"{name}={quoteattr(str(value))}" for name, value in each.items()) + "/>"
            for each in map(attributes, rows)
            if each
        )
        yield f"<sentence id={quoteattr(identifier)}>"
        yield f"<text>{escape(rows[0].text, {chr(13): '&#13;'})}</text>"
        yield f"<{group}>{tags}</{group}>"
        yield "</sentence>"
