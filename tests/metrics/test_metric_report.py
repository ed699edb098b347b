import json
from collections.abc import Mapping

import pytest

from keras_absa.metrics import MetricReport

NAN = float("nan")


@pytest.fixture
def report():
    return MetricReport(
        {"accuracy": 0.5, "auc": NAN},
        {"auc": "single_class", "aspects/price/auc": "no_rows"},
        {"rows": 4},
        {"aspects": {"food": {"rows": 3, "auc": 0.25}, "price": {"rows": 1, "auc": NAN}}},
    )


def test_is_a_mapping(report):
    assert isinstance(report, Mapping)
    assert list(report) == ["accuracy", "auc"]
    assert len(report) == 2
    assert report["accuracy"] == 0.5
    with pytest.raises(KeyError):
        report["rows"]


def test_json_has_no_nan(report):
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(text) == {
        "metrics": {"accuracy": 0.5, "auc": None},
        "undefined": {"auc": "single_class", "aspects/price/auc": "no_rows"},
        "counts": {"rows": 4},
        "tables": {"aspects": {"food": {"rows": 3, "auc": 0.25}, "price": {"rows": 1, "auc": None}}},
    }


def test_prints_percent_and_reasons(report):
    assert str(report).splitlines() == [
        "accuracy      50.00",
        "auc       undefined (single_class)",
        "rows              4",
        "",
        "aspects  rows                  auc",
        "food        3                25.00",
        "price       1  undefined (no_rows)",
    ]


def test_nan_needs_a_reason():
    with pytest.raises(ValueError, match="needs a reason"):
        MetricReport({"auc": NAN})
    with pytest.raises(ValueError, match="must be one of"):
        MetricReport({"auc": NAN}, {"auc": "bad luck"})
