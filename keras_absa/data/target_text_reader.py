"""Texts whose target is written as `$T$`, three lines an example."""

import re

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, aspect_terms
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import match_name, read_text, usable_text
from keras_absa.data.term_spans import check_term_task

MARK = "$T$"
NUMBERS = {"1": "positive", "0": "neutral", "-1": "negative"}


def read_target_texts(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads a file of three lines an example: the text with `$T$` for its target, the target, and the label.

    Labels are `1`, `0` and `-1` for positive, neutral and negative, or words. Where `$T$` stands several times, the
    target is written at each place, and `span` is the first.

    Args:
        path: The file.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: A task with `open_aspects`. Defaults to `aspect_terms()`, with other words of the file as further labels.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of one text and target with two labels: `"keep"` counts it and keeps both, `"drop"` counts
            it and leaves both out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in the order of the file; equal texts share an id.

    Raises:
        DataError: If the file is not of this form, or, unless rows are skipped, if an example has a mistake; it is named by
            the line on which it begins.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".raw") as file:
        ...     _ = file.write("the $T$ was cold\\nmiso soup\\n-1\\n")
        ...     file.flush()
        ...     row = read_target_texts(file.name)[0]
        >>> row.text, row.aspect, row.label, row.span
        ('the miso soup was cold', 'miso soup', 'negative', (4, 13))

    Reference:
        Dong et al. 2014, "Adaptive Recursive Neural Network for Target-dependent Twitter Sentiment Classification".
    """
    if task is not None:
        check_term_task(task)
    log = ProblemLog(path, on_error, report, conflict)
    lines = re.split(r"\r\n|\r|\n", read_text(path, log))
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise log.fatal(1, "empty file, expected three lines an example.")
    if len(lines) % 3:
        raise log.fatal(
            len(lines), f"the file has {len(lines)} lines, expected three an example: text with {MARK}, target, label."
        )
    task = _task_of([line.strip() for line in lines[2::3]]) if task is None else task
    rows, ids, labels = [], {}, {}
    for place in range(0, len(lines), 3):
        pattern, target, label = lines[place : place + 3]
        row = _row(pattern, target.strip(), label.strip(), place + 1, task, log)
        if row is None:
            continue
        text, label, span = row
        identifier = ids.setdefault(text, f"text-{len(ids) + 1}")
        question = (identifier, None, target.strip())
        before = labels.setdefault((question, span), label)
        if before != label:
            what = f"target {target.strip()!r} of this text is {before!r} before, {label!r} here"
            log.conflict(place + 1, what, *question, span)
        source = f"{log.path}:{place + 1}"
        rows.append(AspectExample(text, target.strip(), label, id=identifier, split=split, source=source, span=span))
    return log.finish(rows)


def _task_of(labels: list[str]) -> AspectTask:
    """The usual task, and other labels that are words; an unknown number stays a mistake."""
    usual = aspect_terms()
    words = sorted({label for label in labels if label.isalpha() and match_name(label, usual.labels) is None})
    return aspect_terms(labels=(*usual.labels, *words))


def _row(pattern, target, label, line, task, log):
    """(text, label, span) of an example, or `None` if it cannot be used."""
    if MARK not in pattern:
        log.bad("no_mark", line, f"received {pattern!r:.60}, expected a text with {MARK}")
        return None
    if not target:
        log.bad("empty_aspect", line + 1, "empty target, expected what stands at " + MARK)
        return None
    name = match_name(label, task.labels) or match_name(NUMBERS.get(label, label), task.labels)
    if name is None:
        known = ", ".join(sorted(task.labels))
        log.bad("unknown_label", line + 2, f"unknown label {label!r}; known: 1, 0, -1, {known}")
        return None
    text = usable_text(pattern.replace(MARK, target), line, log)
    if text is None:
        return None
    first = text.find(target, min(pattern.index(MARK), len(text)))
    return text, name, (first, first + len(target)) if first >= 0 else None
