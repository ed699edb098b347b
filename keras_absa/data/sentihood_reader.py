"""SentiHood: opinions on places named in a text, as JSON."""

import re

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, sentihood
from keras_absa.data.load_report import LoadReport
from keras_absa.data.pairs import canonical_order
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import JsonError, match_name, parse_json, read_text, usable_text
from keras_absa.data.treebank import treebank_clean

CLEANINGS = ("raw", "treebank")
MAX_OPINIONS = 200


def read_sentihood(
    path,
    split: str = "",
    task: AspectTask | None = None,
    clean: str = "raw",
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Reads one SentiHood file, one row for every (text, target, aspect).

    An aspect without an opinion gets the task's `none_label`. Where a text has several opinions on one
    (target, aspect), the last one wins, which turns the uncorrected release of the data into the corrected one.
    Opinions on other aspects than the task's are ignored. All of it is counted in the report.

    Args:
        path: The file, a JSON array of objects with `id`, `text` and `opinions`.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: The task; its targets are the placeholders in the texts. Defaults to `aspect_task.sentihood()`.
        clean: `"raw"` for the text as it is, with a placeholder set apart from letters it touches, or `"treebank"`
            for the text of the published sentence pairs (`treebank_clean`). Defaults to `"raw"`.
        on_error: `"raise"` raises all mistakes of the file together; `"skip"` skips what is wrong and counts it.
            Defaults to `"raise"`.
        report: A `LoadReport` to fill in. Defaults to `None`.
        conflict: What becomes of a question with two labels: `"keep"` counts it and follows the rule above, `"drop"`
            counts it and leaves its rows out, `"error"` makes it a mistake. Defaults to `"keep"`.

    Returns:
        A list of `AspectExample` in the order of the published pairs: all rows of the first target before those of
        the second, ids in string order, aspects in context order.

    Raises:
        DataError: If the file is not JSON of this form, or, unless rows are skipped, if a record has a mistake.

    Example:
        >>> import json, tempfile
        >>> opinion = {"sentiment": "Negative", "aspect": "price", "target_entity": "LOCATION1"}
        >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        ...     json.dump([{"id": 7, "text": "LOCATION1 is dear", "opinions": [opinion]}], file)
        ...     file.flush()
        ...     [(row.aspect, row.label) for row in read_sentihood(file.name)][:2]
        [('general', 'None'), ('price', 'Negative')]

    Reference:
        Saeidi et al. 2016, "SentiHood: Targeted Aspect Based Sentiment Analysis Dataset for Urban Neighbourhoods".
    """
    task = sentihood() if task is None else task
    if clean not in CLEANINGS:
        raise ValueError(f"`clean` must be one of {list(CLEANINGS)}: received {clean!r}. Pick one of them.")
    if not task.targets or task.none_label is None:
        raise ValueError(
            f"SentiHood files need a `task` with targets and a none_label: received task {task.name!r} with targets "
            f"{list(task.targets)} and none_label {task.none_label!r}. Use `aspect_task.sentihood()` or one like it."
        )
    log = ProblemLog(path, on_error, report, conflict)
    try:
        records = parse_json(read_text(path, log))
    except JsonError as error:
        raise log.fatal(f"{error.line}:{error.column}" if error.line else "", str(error)) from error
    if not isinstance(records, list):
        raise log.fatal("", f"expected a JSON array of records: received a {type(records).__name__}.")
    examples, seen = [], set()
    for number, record in enumerate(records, 1):
        where = f"record {number}"
        if not isinstance(record, dict):
            log.bad("bad_record", where, f"expected an object: received {record!r:.40}")
            continue
        identifier = _identifier(record, number, seen, log)
        where += f" (id {identifier})"
        text = usable_text(record.get("text"), where, log)
        if text is None:
            continue
        if task.targets[0] not in text:
            log.bad("no_target", where, f"the text does not name {task.targets[0]}: received {text!r:.60}")
            continue
        labels = _labels(record, text, where, identifier, task, log)
        shown = treebank_clean(text) if clean == "treebank" else set_apart(text, task)
        for target in task.targets:
            if target in text:
                examples += [
                    AspectExample(
                        text=shown,
                        aspect=aspect,
                        label=labels.get((target, aspect), task.none_label),
                        target=target,
                        id=identifier,
                        split=split,
                        source=f"{path}:record {number}",
                    )
                    for aspect in task.aspects
                ]
    return canonical_order(log.finish(examples), task)


def _identifier(record: dict, number: int, seen: set, log: ProblemLog) -> str:
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, (int, str)) or value == "":
        log.bad("missing_id", f"record {number}", f"missing id: received {value!r:.40}, expected a number or a string")
        value = f"auto-{number}"
    identifier, copies = str(value), 1
    if identifier in seen:
        log.bad("duplicate_id", f"record {number}", f"id {identifier!r} is used before, expected one text an id")
        while identifier in seen:
            copies += 1
            identifier = f"{value}#{copies}"
    seen.add(identifier)
    return identifier


def _labels(record: dict, text: str, where: str, identifier: str, task: AspectTask, log: ProblemLog) -> dict:
    """The label of every (target, aspect) that has an opinion."""
    opinions = record.get("opinions")
    if not isinstance(opinions, list):
        log.bad("missing_opinions", where, f"missing opinions: received {opinions!r:.40}, expected an array")
        log.leave_out(identifier)
        return {}
    if len(opinions) > MAX_OPINIONS:
        log.bad("too_many_opinions", where, f"{len(opinions)} opinions, expected at most {MAX_OPINIONS}")
        log.leave_out(identifier)
        return {}
    known = [label for label in task.labels if label != task.none_label]
    labels = {}
    for opinion in opinions:
        fields = opinion if isinstance(opinion, dict) else {}
        values = [fields.get(key) for key in ("target_entity", "aspect", "sentiment")]
        if not all(isinstance(value, str) for value in values):
            what = f"received {opinion!r:.90}, expected strings target_entity, aspect and sentiment"
            log.bad("incomplete_opinion", where, f"incomplete opinion: {what}")
            log.leave_out(identifier)
            continue
        target, aspect, sentiment = values
        label = match_name(sentiment, known, any_case=not log.strict)
        if target not in task.targets:
            log.bad("unknown_target", where, f"unknown target {target!r}; known: {', '.join(task.targets)}")
            log.leave_out(identifier)  # it may be about any of them
        elif target not in text:
            log.bad("target_not_in_text", where, f"target {target!r} is not in the text {text!r:.60}")
            log.leave_out(identifier)
        elif aspect not in task.aspects:
            log.note("unused_aspects", where, f"aspect {aspect!r} is not in task {task.name!r}")
        elif label is None:
            log.bad("unknown_label", where, f"unknown label {sentiment!r}; known: {', '.join(sorted(known))}")
            log.leave_out(identifier, target)
        else:
            before = labels.get((target, aspect), label)
            if (target, aspect) in labels and before == label:
                log.note("duplicates", where, f"{target} {aspect} {label} is given twice")
            elif before != label:
                what = f"{target} {aspect} is {before}, then {label}"
                log.conflict(where, what, identifier, target, kept="the last one counts")
            labels[target, aspect] = label
    return labels


def set_apart(text: str, task: AspectTask) -> str:
    """`inLOCATION1` -> `in LOCATION1`: a placeholder is a word of its own."""
    for target in map(re.escape, task.targets):
        text = re.sub(rf"(?<=\w)(?={target})|(?<={target})(?=\w)", " ", text)
    return text
