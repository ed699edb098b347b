"""What every scorer returns: numbers by name, and a reason where there is no number."""

import math
from collections.abc import Iterator, Mapping

REASONS = ("no_rows", "single_class", "zero_mass")
NO_SHARES = ("mae", "constant_mae", "correlation")  # printed as they are; all others in percent


def shown(name: str, value: float) -> str:
    """A metric as tables print it."""
    return f"{value:.3f}" if name in NO_SHARES else f"{100 * value:.2f}"


class MetricReport(Mapping[str, float]):
    """The numbers of one evaluation, readable as a dictionary, a table or JSON.

    A number that cannot be computed is `nan`, and `undefined` says why, so that no run is lost to an exception after
    training and no made-up zero enters an average.

    Args:
        values: Metric name to float, between 0 and 1 but for those of `NO_SHARES`.
        undefined: Name to reason, for every metric that is `nan`: `"no_rows"` (nothing to count), `"single_class"`
            (an AUC needs both classes) or `"zero_mass"` (both sentiments have probability 0). A table's cell has the
            name `"table/row/column"`.
        counts: Name to int: rows, groups, and whatever was left out.
        tables: Table name to `{row: {column: number}}`, for example `"aspects"` and `"confusion"`
            (gold label to predicted label to int).

    Raises:
        ValueError: If a metric is `nan` without a reason, or a reason is not one of the three.

    Example:
        >>> report = MetricReport({"accuracy": 0.75, "auc": float("nan")}, {"auc": "single_class"}, {"rows": 4})
        >>> report["accuracy"]
        0.75
        >>> report.to_dict()["metrics"]
        {'accuracy': 0.75, 'auc': None}
        >>> print(report)
        accuracy      75.00
        auc       undefined (single_class)
        rows              4

    Reference:
        An AUC with one class was 0, nan or an exception, depending on library and version: scikit-learn issue 4230.
    """

    def __init__(
        self,
        values: Mapping[str, float],
        undefined: Mapping[str, str] | None = None,
        counts: Mapping[str, int] | None = None,
        tables: Mapping[str, Mapping] | None = None,
    ):
        self._values = {name: float(value) for name, value in values.items()}
        self.undefined = dict(undefined or {})
        self.counts = {name: int(count) for name, count in (counts or {}).items()}
        self.tables = {name: {row: dict(cells) for row, cells in rows.items()} for name, rows in (tables or {}).items()}
        for name, reason in self.undefined.items():
            if reason not in REASONS:
                raise ValueError(f"A reason must be one of {list(REASONS)}: received {reason!r} for {name!r}.")
        silent = [name for name, value in self._values.items() if math.isnan(value) and name not in self.undefined]
        if silent:
            raise ValueError(f"A metric that is nan needs a reason in `undefined`: received none for {silent}.")

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_dict(self) -> dict:
        """Plain values for `json.dump`: `nan` becomes `None`, and the reasons stand under `"undefined"`.

        Returns:
            A dict with `"metrics"`, `"undefined"`, `"counts"` and `"tables"`.
        """
        tables = {
            name: {str(row): {str(key): _plain(cell) for key, cell in cells.items()} for row, cells in rows.items()}
            for name, rows in self.tables.items()
        }
        metrics = {name: _plain(value) for name, value in self._values.items()}
        return {"metrics": metrics, "undefined": self.undefined, "counts": self.counts, "tables": tables}

    @classmethod
    def from_dict(cls, values: dict) -> "MetricReport":
        """The report that `to_dict` described."""
        nan = float("nan")
        metrics = {name: nan if value is None else value for name, value in values["metrics"].items()}
        tables = {
            name: {
                row: {key: nan if cell is None else cell for key, cell in cells.items()} for row, cells in rows.items()
            }
            for name, rows in values["tables"].items()
        }
        return cls(metrics, values["undefined"], values["counts"], tables)

    def __str__(self) -> str:
        width = max([len(name) for name in (*self._values, *self.counts)], default=0)
        lines = [f"{name:<{width}}  {self._cell(value, name):>9}" for name, value in self._values.items()]
        lines += [f"{name:<{width}}  {count:>9}" for name, count in self.counts.items()]
        for name, rows in self.tables.items():
            lines += ["", *self._table_lines(name, rows)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MetricReport({self._values})"

    def _table_lines(self, name, rows):
        columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
        lines = [[name, *columns]]
        for row, cells in rows.items():
            lines.append([str(row)] + [self._cell(cells.get(key), f"{name}/{row}/{key}") for key in columns])
        widths = [max(len(line[place]) for line in lines) for place in range(len(columns) + 1)]
        return [
            "  ".join(
                [line[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True)]
            )
            for line in lines
        ]

    def _cell(self, value, name):
        if value is None:
            return ""
        if isinstance(value, float):
            return f"undefined ({self.undefined.get(name, 'no_rows')})" if math.isnan(value) else shown(name, value)
        return str(value)


def _plain(value):
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    return int(value)
