"""Rows that are in memory already: pandas frames, Hugging Face datasets, Arrow tables, lists of dicts."""

from collections.abc import Iterable, Iterator, Mapping

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.load_report import LoadReport
from keras_absa.data.parquet_records import rows_of_batch
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import ALIASES, COLUMNS, RowReader, check_columns, text_record


def from_records(
    records,
    task: AspectTask | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    name: str = "records",
    split: str = "",
    labelled: bool = True,
    on_error: str = "raise",
    report: LoadReport | None = None,
    conflict: str = "keep",
) -> list[AspectExample]:
    """Makes examples of a table that is in memory, by the rules of `read_table`.

    A value that is None or nan is a missing one; the string "None" is a label. A `ClassLabel` column of a Hugging Face data
    set gives its names.

    Args:
        records: A pandas `DataFrame`, a `datasets.Dataset` (not a `DatasetDict`: pass one of its splits), a pyarrow
            `Table`, a polars `DataFrame`, or an iterable of dicts.
        task: The task that the rows have to fit. Defaults to None: any aspects and labels.
        columns: Your own names of the columns, to those of `read_table`, for example `{"review": "text"}`. Defaults to
            None, the same names.
        name: What the records are called in messages and in the rows' `source`. Defaults to `"records"`.
        split, labelled, on_error, report, conflict: As in `read_table`.

    Returns:
        A list of `AspectExample`, in the order of the records.

    Raises:
        DataError: If a column is missing or, unless rows are skipped, if a row has a mistake; it is named by its number,
            counted from 0.
        ValueError: If `records` is none of these things, or a name in `columns` is not one of them.

    Example:
        >>> rows = from_records([{"review": "Cold soup", "aspect": "food", "sentiment": "bad"}], columns={"review": "text"})
        >>> rows[0].text, rows[0].source
        ('Cold soup', 'records:0')
    """
    log = ProblemLog(name, on_error, report, conflict)
    names, rows = _table(records)
    if columns is not None and not isinstance(columns, Mapping):
        raise ValueError(
            f"`columns` must be a dict of your names to ours: received {columns!r}. Write {{'review': 'text'}}."
        )
    renamed = dict(columns or {})
    wrong = sorted(str(each) for each in renamed.values() if each not in (*COLUMNS, *ALIASES))
    if wrong:
        raise ValueError(f"`columns` must give names of {list(COLUMNS)}: received {wrong}. Correct the name.")
    if names is not None:
        absent = sorted(set(renamed) - set(names))
        if absent:
            raise ValueError(
                f"`columns` must name columns of {name}: received {absent}, it has {list(names)}. Correct the name."
            )
        given = [renamed.get(each, each) for each in names]
        twice = sorted({each for each in given if each in COLUMNS and given.count(each) > 1})
        if twice:
            raise ValueError(
                f"`columns` must not give a name twice: received two columns for {twice}. Drop one of them."
            )
        check_columns(given, names, labelled, "", log)
    return RowReader(task, split, labelled, log).read_all(_checked(rows, renamed, log))


def _checked(rows, renamed, log) -> Iterator[tuple[int, dict]]:
    unused = set()
    for number, values in enumerate(rows):
        if isinstance(values, Exception):
            log.bad("bad_record", number, f"a value that cannot be read, {values!s:.90}")
            continue
        if not isinstance(values, Mapping):
            log.bad("bad_record", number, f"expected a dict: received {values!r:.40}")
            continue
        given = [renamed.get(key, key) for key in values]
        twice = sorted({each for each in given if each in COLUMNS and given.count(each) > 1})
        if twice:
            log.bad(
                "bad_record", number, f"two values for {twice[0]!r}: received keys {list(values)!r:.60}, expected one"
            )
            continue
        values = dict(zip(given, values.values(), strict=True))
        record = text_record(values, number, log, unused, "column")
        if record is not None:
            yield number, record


def _table(records) -> tuple[list[str] | None, Iterable[dict]]:
    """The names of the columns, where the records have one set of them, and the rows; by what an object can do."""
    if isinstance(records, Mapping):
        raise ValueError(
            f"`records` must be one table: received a {type(records).__name__} of {sorted(map(str, records))}. Pass one of them."
        )
    if hasattr(records, "to_pylist") and not hasattr(records, "column_names"):  # a pyarrow array of structs
        return None, records.to_pylist()
    if hasattr(records, "to_pylist"):  # a pyarrow table
        return list(records.column_names), _arrow_rows(records)
    if hasattr(records, "to_dicts"):  # polars
        return list(records.columns), records.to_dicts()
    if hasattr(records, "features") and hasattr(records, "column_names"):  # datasets, streamed ones without names
        names = records.column_names
        return names if names is None else list(names), _with_label_names(records)
    if hasattr(records, "columns") and hasattr(records, "to_dict"):  # pandas
        return list(map(str, records.columns)), records.to_dict("records")
    if isinstance(records, (str, bytes)) or not isinstance(records, Iterable):
        raise ValueError(
            f"`records` must be a table or an iterable of dicts: received {type(records).__name__}. For a file, use "
            "`read_examples`."
        )
    return None, records


def _arrow_rows(table) -> Iterator:
    for batch in table.to_batches():
        yield from rows_of_batch(batch)


def _with_label_names(dataset) -> Iterator[dict]:
    features = dataset.features or {}
    names = {key: feature.int2str for key, feature in features.items() if hasattr(feature, "int2str")}
    for values in dataset.with_format(None):
        known = {key: value for key, value in values.items() if key in names and value is not None and value >= 0}
        missing = {key: None for key in names if key not in known}
        yield {**values, **{key: names[key](value) for key, value in known.items()}, **missing}
