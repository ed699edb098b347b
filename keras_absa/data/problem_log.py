"""Raising or skipping: one place that decides what happens to a mistake in a file."""

from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport

ON_ERROR = ("raise", "skip")
ERROR_LIMIT = 20


class ProblemLog:
    """Collects a file's mistakes (`on_error="raise"`) or counts them in a report (`on_error="skip"`).

    Args:
        path: The file's name, for messages.
        on_error: `"raise"` or `"skip"`.
        report: `LoadReport` to fill in; a private one when `None`.
    """

    def __init__(self, path, on_error: str, report: LoadReport | None = None):
        if on_error not in ON_ERROR:
            raise ValueError(f"`on_error` must be one of {list(ON_ERROR)}: received {on_error!r}. Pick one of them.")
        self.path = str(path)
        self.strict = on_error == "raise"
        self.report = LoadReport() if report is None else report
        self.report.path = self.path
        self._errors = []

    def bad(self, reason: str, where, what: str) -> None:
        """A mistake: an error of a strict reading, one more rejected row of the other."""
        message = f"{self.path}:{where}: {what}"
        if not self.strict:
            self.report.add(reason, message)
            return
        self._errors.append(message)
        if len(self._errors) == ERROR_LIMIT:
            raise DataError(*self._errors, f"{self.path}: stopped after {ERROR_LIMIT} errors; there may be more.")

    def note(self, reason: str, where, what: str) -> None:
        """Nothing wrong, but worth telling: counted in both modes."""
        self.report.add(reason, f"{self.path}:{where}: {what}")

    def fatal(self, where, what: str) -> DataError:
        """The error, to be raised, after which nothing of the file can be trusted either way."""
        return DataError(*self._errors, f"{self.path}:{where}: {what}" if where else f"{self.path}: {what}")

    def finish(self, examples: list) -> list:
        """Raises what was collected; otherwise completes the report and gives the rows back."""
        if self._errors:
            raise DataError(*self._errors)
        self.report.rows = len(examples)
        self.report.texts = len({example.id for example in examples})
        return examples
