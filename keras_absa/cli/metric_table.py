"""Metrics of several models side by side."""

import math

from keras_absa.metrics import MetricReport
from keras_absa.metrics.metric_report import shown


def metric_table(columns: dict[str, MetricReport]) -> str:
    """One line a metric and one column a report, in percent; counts and the first report's own tables follow."""
    first = next(iter(columns.values()))
    lines = [["", *columns]]
    lines += [[name, *(_cell(report, name) for report in columns.values())] for name in first]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    text = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    details = MetricReport({}, first.undefined, first.counts, first.tables)
    return "\n".join([*text, "", str(details)])


def _cell(report: MetricReport, name: str) -> str:
    value = report.get(name, math.nan)
    return f"undefined ({report.undefined.get(name, 'no_rows')})" if math.isnan(value) else shown(name, value)
