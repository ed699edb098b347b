"""Yelp's reviews: a text and its stars, a JSON object a line."""

from itertools import islice
from numbers import Real

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, yelp
from keras_absa.data.json_lines import json_objects, stream_lines
from keras_absa.data.load_report import LoadReport
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import RowReader


def read_yelp(
    path,
    split: str = "",
    task: AspectTask | None = None,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
    limit: int | None = None,
) -> list[AspectExample]:
    """Reads the review file of the Yelp open dataset as a stream: each text is asked for its stars.

    Args:
        path: The `.json` or `.jsonl` file with an object a line: `text`, `stars` and, if it is there, `review_id`; other keys
            are not read.
        split: `"train"`, `"dev"`, `"test"` or `""`, kept in the rows.
        task: A task with one aspect, and numbers of stars as labels. Defaults to `yelp()`.
        on_error, report, conflict: As in `read_table`.
        limit: Int, stop after so many reviews; the file of all of them has millions. Defaults to None, all.

    Returns:
        A list of `AspectExample`.

    Raises:
        DataError: If, unless rows are skipped, a line has a mistake.
        ValueError: If the task has more than one aspect.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
        ...     _ = file.write('{"review_id": "a1", "stars": 4.0, "text": "Good soup, slow staff."}')
        ...     _ = file.seek(0)
        ...     row = read_yelp(file.name)[0]
        >>> row.aspect, row.label
        ('overall', '4')
    """
    task = yelp() if task is None else task
    if task.open_aspects or task.targets or len(task.aspects) != 1:
        raise ValueError(
            f"A review's stars are one question: received task {task.name!r} with {task.num_contexts} contexts. Use "
            "`keras_absa.data.yelp()`."
        )
    log = ProblemLog(path, on_error, report, conflict)
    return RowReader(task, split, True, log).read_all(islice(_records(path, task.aspects[0], log), limit))


def _records(path, aspect, log):
    for line, values in json_objects(stream_lines(path, log), log):
        text, stars, identifier = (values.get(key) for key in ("text", "stars", "review_id"))
        if not isinstance(stars, Real) or isinstance(stars, bool) or stars % 1:
            log.bad("bad_record", line, f"stars must be a whole number: received {stars!r:.40}")
        elif not isinstance(text, str) or not isinstance(identifier, (str, type(None))):
            wrong = ("text", text) if not isinstance(text, str) else ("review_id", identifier)
            log.bad("bad_record", line, f"{wrong[0]} must be a string: received {wrong[1]!r:.40}")
        else:
            yield line, {"text": text, "aspect": aspect, "sentiment": str(int(stars)), "id": identifier or ""}
