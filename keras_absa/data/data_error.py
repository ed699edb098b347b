"""The error that a data file with mistakes in it raises."""


class DataError(ValueError):
    """A data file that cannot be used as it is, with every mistake that was found in it.

    Args:
        *errors: One string a mistake, each in the form `file:line: what is wrong, received, expected`.

    Example:
        >>> error = DataError("data.csv:3: empty text", "data.csv:9: empty aspect")
        >>> len(error.errors)
        2
    """

    @property
    def errors(self) -> tuple[str, ...]:
        """The mistakes, one string each."""
        return self.args

    def __str__(self):
        return "\n".join(self.errors)
