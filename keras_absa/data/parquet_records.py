"""Records of a Parquet file."""

from collections.abc import Iterator

from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.row_reader import check_columns, text_record


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
        unused, number = set(), 0
        try:
            for batch in file.iter_batches():
                for values in batch.to_pylist():
                    number += 1
                    record = text_record(values, number, log, unused, "column")
                    if record is not None:
                        yield number, record
        except (pyarrow.ArrowException, OSError) as error:
            raise log.fatal(number + 1, f"unreadable Parquet, {str(error).partition('. ')[0]:.200}.") from error
