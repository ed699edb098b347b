"""Raising or skipping: one place that decides what happens to a mistake in a file."""

from keras_absa.data.data_error import DataError
from keras_absa.data.load_report import LoadReport

ON_ERROR = ("raise", "skip")
ON_CONFLICT = ("keep", "drop", "error")
ERROR_LIMIT = 20
ANY = "\0any"  # no target or aspect is called so


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
        self._dropped = {}

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

    def conflict(self, where, what: str, *question, kept: str = "both count") -> None:
        """Two labels for one question, see `leave_out`, of which the reader keeps what `kept` says."""
        if self._conflict == "error":
            self.bad("conflicts", where, f"{what}; expected one label")
        elif self._conflict == "drop":
            self.report.reject("conflicts", f"{self.path}:{where}: {what}: neither counts")
        else:
            self.note("conflicts", where, f"{what}: {kept}")
        if self._conflict != "keep":
            self.leave_out(*question)

    def leave_out(self, identifier: str, target=ANY, aspect=ANY, span=ANY) -> None:
        """Has `finish` leave out the rows of a text, or those of one target, aspect or place in it."""
        self._dropped.setdefault(identifier, []).append((target, aspect, span))

    def _is_left_out(self, row) -> bool:
        return any(
            all(wanted in (ANY, own) for wanted, own in zip(question, (row.target, row.aspect, row.span), strict=True))
            for question in self._dropped.get(row.id, ())
        )

    def fatal(self, where, what: str) -> DataError:
        """The error, to be raised, after which nothing of the file can be trusted either way."""
        return DataError(*self._errors, f"{self.path}:{where}: {what}" if where else f"{self.path}: {what}")

    def finish(self, examples: list) -> list:
        """Raises what was collected; otherwise completes the report and gives the rows back."""
        if self._errors:
            raise DataError(*self._errors)
        if self._dropped:
            examples = [row for row in examples if not self._is_left_out(row)]
        self.report.rows = len(examples)
        self.report.texts = len({example.id for example in examples})
        return examples
