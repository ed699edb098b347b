"""Records, dicts of column to value, to examples: what all tables share."""

import re
from numbers import Real

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name, usable_name, usable_text
from keras_absa.data.term_spans import find_span

COLUMNS = ("text", "aspect", "sentiment", "target", "other_target", "id", "from", "to")
ALIASES = {"label": "sentiment"}
NUMBERS = ("id", "from", "to")  # columns that may hold whole numbers
PANDAS_MISSING = ("NAType", "NaTType")


def text_record(values: dict, where, log: ProblemLog, unused: set, whose: str = "key") -> dict | None:
    """The values of known columns as strings, "" where there is none; `None` if one cannot be used.

    Args:
        values: Column to value. A value that is not equal to itself (nan) is a missing one.
        where: The record's place, for messages.
        log: Where mistakes go.
        unused: Names that were counted as unused before; new ones are added.
        whose: What a column is called, for messages. Defaults to `"key"`.
    """
    record = {}
    for key, value in values.items():
        name = ALIASES.get(key, key)
        if name not in COLUMNS:
            if name not in unused:
                log.note("unused_columns", where, f"{whose} {key!r} is not used")
            unused.add(name)
        elif name in record:
            log.bad("bad_record", where, f"{whose}s {name!r} and {key!r} mean the same, expected one of them")
            return None
        elif value is None or type(value).__name__ in PANDAS_MISSING or isinstance(value, Real) and value != value:
            record[name] = ""
        elif (
            name in NUMBERS
            and isinstance(value, Real)
            and not isinstance(value, bool)
            and abs(value) < 1e18
            and value % 1 == 0
        ):
            record[name] = str(int(value))
        elif isinstance(value, str):
            record[name] = value
        else:
            log.bad("bad_record", where, f"{key} must be a string: received {_shown(value):.40}")
            return None
    return record


def _shown(value) -> str:
    """`repr`, which fails for numbers of thousands of digits."""
    try:
        return repr(value)
    except ValueError:
        return f"a {type(value).__name__} of very many digits"


def check_columns(names, received, labelled: bool, where, log: ProblemLog) -> None:
    """Raises if a table lacks a column that every row needs; `received` is what a message shows."""
    names = [ALIASES.get(name, name) for name in names]
    for name in ("text", "aspect", *(["sentiment"] if labelled else [])):
        if name not in names:
            shown = f"{', '.join(map(str, received)):.300}"
            hint = " Separate columns with commas." if len(received) == 1 and ";" in shown else ""
            raise log.fatal(where, f"missing column {name!r}; received columns: {shown}.{hint}")


class RowReader:
    """Turns one record, a dict of column to value, into an example."""

    def __init__(self, task: AspectTask | None, split: str, labelled: bool, log: ProblemLog):
        self.task, self.split, self.labelled, self.log = task, split, labelled, log
        self.text_of_id = {}
        self.id_of_text = {}
        self.label_of_question = {}

    def read_all(self, records) -> list[AspectExample]:
        """The examples of all (line, record) pairs; raises what the log collected."""
        examples = [example for line, record in records if (example := self.read(line, record)) is not None]
        if self.task is None and any(example.target for example in examples):
            for example in examples:
                if not example.target:
                    line = example.source.rpartition(":")[2]
                    self.log.bad("missing_target", line, "empty target, expected one as in other rows")
            examples = [example for example in examples if example.target]
        return self.log.finish(examples)

    def read(self, line: int, record: dict) -> AspectExample | None:
        text = usable_text(record.get("text", ""), line, self.log)
        aspects = None if self.task is None or self.task.open_aspects else self.task.aspects
        aspect = self._name("aspect", line, record, aspects)
        spanned = bool(record.get("from", "").strip() or record.get("to", "").strip())
        if spanned and aspect is not None and aspects is None:
            aspect = record["aspect"]  # as the text has it
        label = self._name("sentiment", line, record, self.task and self.task.labels)
        targets = self._targets(line, record, text)
        if text is None or aspect is None or targets is None or (label is None and not self._may_lack(record)):
            return None
        identifier = self._identifier(line, record, text)
        if identifier is None:
            return None
        target, other = targets
        span = None
        if spanned:
            span = find_span(text, aspect, record.get("from", "").strip(), record.get("to", "").strip(), line, self.log)
            if span is None:
                return None
        question = (identifier, target, aspect, span)  # one term may stand in a text twice
        if label is not None and self.label_of_question.get(question) == label:
            self.log.note("duplicates", line, f"aspect {aspect!r} of this text is {label!r} before, too")
        before = label if label is None else self.label_of_question.setdefault(question, label)
        if before != label:
            what = f"aspect {aspect!r} of this text is {before!r} before, {label!r} here"
            self.log.conflict(line, what, *question)
        return AspectExample(
            text=text,
            aspect=aspect,
            label=label,
            target=target,
            other_target=other,
            id=identifier,
            split=self.split,
            source=f"{self.log.path}:{line}",
            span=span,
        )

    def _may_lack(self, record: dict) -> bool:
        return not self.labelled and not record.get("sentiment", "").strip()

    def _name(self, column: str, line: int, record: dict, known) -> str | None:
        """An aspect or label, in the task's spelling."""
        value = record.get(column, "")
        if not value.strip():
            if column == "aspect" or self.labelled:
                what = f"empty {column}" + (f"; known: {', '.join(sorted(known))}" if known else ", expected a name")
                self.log.bad(f"empty_{column}", line, what)
            return None
        if known is None:
            return usable_name(column, value.strip(), line, self.log)
        name = match_name(value, known)
        if name is None:
            kind = "label" if column == "sentiment" else column
            self.log.bad(f"unknown_{kind}", line, f"unknown {kind} {value!r}; known: {', '.join(sorted(known))}")
        return name

    def _targets(self, line: int, record: dict, text: str | None):
        """(target, other target), or `None` if they cannot be used."""
        target, other = (record.get(column, "").strip() or None for column in ("target", "other_target"))
        if self.task is not None and self.task.targets and target is None:
            self.log.bad("missing_target", line, f"empty target, expected one: task {self.task.name!r} asks for it")
            return None
        if self.task is not None and not self.task.targets and target is not None:
            what = f"received target {target!r}, expected none: task {self.task.name!r} has no targets"
            self.log.bad("unexpected_target", line, what)
            return None
        if other is not None and (target is None or other.casefold() == target.casefold()):
            what = f"received other_target {other!r} with target {target!r}, expected two different names"
            self.log.bad("bad_other_target", line, what)
            return None
        for column, name in (("target", target), ("other_target", other)):
            if name is not None and text is not None and not self._stands_in(name, text):
                what = f"{column} {name!r} is not in the text {text!r:.60}, expected it as a word of its own"
                self.log.bad("target_not_in_text", line, what)
                return None
        return target, other

    def _stands_in(self, name: str, text: str) -> bool:
        words = dict(zip(self.task.targets, self.task.target_words)) if self.task else {}
        return any(
            re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", text, re.IGNORECASE)
            for spelling in (name, words.get(name, name))
        )

    def _identifier(self, line: int, record: dict, text: str) -> str | None:
        identifier = record.get("id", "")  # as it is: SemEval-2014 has an id that ends in a blank
        if usable_name("id", identifier, line, self.log) is None:
            return None
        if not identifier.strip():
            if text not in self.id_of_text:
                number = len(self.id_of_text) + 1
                while self.text_of_id.setdefault(f"text-{number}", text) != text:
                    number += 1
                self.id_of_text[text] = f"text-{number}"
            identifier = self.id_of_text[text]
        elif self.text_of_id.setdefault(identifier, text) != text:
            first = self.text_of_id[identifier]
            what = f"id {identifier!r} stands for the text {first!r:.60} before, for {text!r:.60} here"
            self.log.bad("duplicate_id", line, what)
            return None
        return identifier
