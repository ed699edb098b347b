"""Raising or skipping: one place that decides what happens to a mistake in a file."""

from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport

ON_ERROR = ("raise", "skip")
ON_CONFLICT = ("keep", "drop", "error")
ERROR_LIMIT = 20


class ProblemLog:
    """Collects a file's mistakes (`on_error="raise"`) or counts them in a report (`on_error="skip"`).

    Args:
        path: The file's name, for messages.
        on_error: `"raise"` or `"skip"`.
        report: `LoadReport` to fill in; a private one when `None`.
        conflict: What becomes of a question that has two labels: `"keep"` counts it and leaves the reader its own rule,
            `"drop"` counts it, lists it among the rejected and leaves its rows out, `"error"` makes it a mistake. Defaults to
            `"keep"`.
    """

    def __init__(self, path, on_error: str, report: LoadReport | None = None, conflict: str = "keep"):
        for name, value, known in (("on_error", on_error, ON_ERROR), ("conflict", conflict, ON_CONFLICT)):
            if value not in known:
                raise ValueError(f"`{name}` must be one of {list(known)}: received {value!r}. Pick one of them.")
        self.path = str(path)
        self.strict = on_error == "raise"
        self.report = LoadReport() if report is None else report
        self.report.path = self.path
        self._errors = []
        self._conflict = conflict
        self._dropped = set()

    def bad(self, reason: str, where, what: str) -> None:
        """A mistake: an error of a strict reading, one more rejected row of the other."""
        message = f"{self.path}:{where}: {what}"
        if not self.strict:
            self.report.reject(reason, message)
            return
        self._errors.append(message)
        if len(self._errors) == ERROR_LIMIT:
            raise DataError(*self._errors, f"{self.path}: stopped after {ERROR_LIMIT} errors; there may be more.")

    def note(self, reason: str, where, what: str) -> None:
        """Nothing wrong, but worth telling: counted in both modes."""
        self.report.add(reason, f"{self.path}:{where}: {what}")

    def conflict(
        self,
        where,
        what: str,
        identifier: str,
        target: str | None = None,
        aspect: str | None = None,
        kept: str = "both count",
    ) -> None:
        """Two labels for one question, of which the reader keeps what `kept` says; without an `aspect` all rows of the text and
        target belong to it."""
        if self._conflict == "error":
            self.bad("conflicts", where, f"{what}; expected one label")
        elif self._conflict == "drop":
            self.report.reject("conflicts", f"{self.path}:{where}: {what}: neither counts")
        else:
            self.note("conflicts", where, f"{what}: {kept}")
        if self._conflict != "keep":
            self._dropped.add((identifier, target, aspect))

    def fatal(self, where, what: str) -> DataError:
        """The error, to be raised, after which nothing of the file can be trusted either way."""
        return DataError(*self._errors, f"{self.path}:{where}: {what}" if where else f"{self.path}: {what}")

    def finish(self, examples: list) -> list:
        """Raises what was collected; otherwise completes the report and gives the rows back."""
        if self._errors:
            raise DataError(*self._errors)
        if self._dropped:
            examples = [
                each
                for each in examples
                if not {(each.id, each.target, aspect) for aspect in (each.aspect, None)} & self._dropped
            ]
        self.report.rows = len(examples)
        self.report.texts = len({example.id for example in examples})
        return examples
