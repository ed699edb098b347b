"""SNLI and MultiNLI: pairs of a premise and a hypothesis, a JSON object a line."""

from itertools import islice

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, snli
from keras_absa.data.json_lines import json_objects, stream_lines
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import RowReader

KEYS = {"sentence1": "text", "sentence2": "aspect", "gold_label": "sentiment"}
NO_CONSENSUS = "-"


def read_snli(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
    limit: int | None = None,
) -> list[AspectExample]:
    """Reads `snli_1.0_train.jsonl` and its like as a stream: the premise is the text, the hypothesis what is asked about it.

    Pairs whose annotators did not agree (`gold_label` "-") are left out and counted, as in the published scores.

    Args:
        path: The `.jsonl` file, with `sentence1`, `sentence2` and `gold_label`; other keys are not read.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: A task with `open_aspects`. Defaults to `snli()`.
        on_error, report, conflict: As in `read_table`.
        limit: Int, stop after so many pairs. Defaults to None, all.

    Returns:
        A list of `AspectExample`; pairs with the same premise share an id.

    Raises:
        DataError: If, unless rows are skipped, a line has a mistake.
        ValueError: If the task has a closed set of aspects.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w+", suffix=".jsonl") as file:
        ...     _ = file.write('{"sentence1": "A dog runs.", "sentence2": "It moves.", "gold_label": "entailment"}')
        ...     _ = file.seek(0)
        ...     row = read_snli(file.name)[0]
        >>> row.text, row.aspect, row.label
        ('A dog runs.', 'It moves.', 'entailment')

    Reference:
        Bowman et al. 2015, "A large annotated corpus for learning natural language inference".
    """
    task = snli() if task is None else task
    if not task.open_aspects:
        raise ValueError(
            f"Pairs of texts need a task with open aspects: received {task.name!r}. Use `keras_absa.data.snli()`."
        )
    log = ProblemLog(path, on_error, report, conflict)
    return RowReader(task, split, True, log).read_all(islice(_records(path, log), limit))


def _records(path, log):
    for line, values in json_objects(stream_lines(path, log), log):
        record, wrong = {}, None
        for key, column in KEYS.items():
            record[column] = values.get(key)
            if wrong is None and not isinstance(record[column], str):
                wrong = f"{key} must be a string: received {values.get(key)!r:.40}"
        if wrong is not None:
            log.bad("bad_record", line, wrong)
        elif record["sentiment"] == NO_CONSENSUS:
            log.note("no_gold_label", line, "the annotators did not agree; left out")
        else:
            yield line, record
