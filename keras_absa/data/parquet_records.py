"""Records of a Parquet file."""

from collections.abc import Iterator

from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import ALIASES, COLUMNS, check_columns, text_record


def parquet_records(path, labelled: bool, log: ProblemLog) -> Iterator[tuple[int, dict]]:
    """Yields (row, record), rows counted from 1; needs pyarrow.

    Raises:
        ImportError: Without pyarrow, with the line that installs it.
        DataError: If the file is not Parquet, or a column is missing.
        FileNotFoundError: If there is no such file.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: it is not installed. pip install 'pyarrow>=16'") from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file. Check the path.") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise log.fatal("", f"unreadable Parquet, {str(error).partition('. ')[0]:.200}.") from error
    with file:
        columns = file.schema_arrow.names
        check_columns(columns, columns, labelled, "", log)
        known = [ALIASES.get(name, name) for name in columns if ALIASES.get(name, name) in COLUMNS]
        twice = sorted({name for name in known if known.count(name) > 1})
        if twice:
            raise log.fatal("", f"column {twice[0]!r} is given twice; received columns: {', '.join(columns)}.")
        for name in columns:
            if ALIASES.get(name, name) not in COLUMNS:
                log.note("unused_columns", "", f"column {name!r} is not used")
        wanted = [name for name in columns if ALIASES.get(name, name) in COLUMNS]  # others may not fit into Python
        number = 0
        try:
            for batch in file.iter_batches(columns=wanted):
                for values in rows_of_batch(batch):
                    number += 1
                    if isinstance(values, Exception):
                        log.bad(
                            "bad_record", number, f"a value that cannot be read, {values!s:.90}; expected text in UTF-8"
                        )
                        continue
                    record = text_record(values, number, log, set(), "column")
                    if record is not None:
                        yield number, record
        except (pyarrow.ArrowException, OSError) as error:
            raise log.fatal(number + 1, f"unreadable Parquet, {str(error).partition('. ')[0]:.200}.") from error


def rows_of_batch(batch) -> Iterator[dict | Exception]:
    """The rows of a batch; one with a value that Python cannot hold is the error."""
    try:
        yield from batch.to_pylist()
    except (UnicodeDecodeError, OverflowError, ValueError):
        for place in range(batch.num_rows):
            try:
                yield batch.slice(place, 1).to_pylist()[0]
            except (UnicodeDecodeError, OverflowError, ValueError) as error:
                yield error
