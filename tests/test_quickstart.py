"""The quickstart, run as it is: what it trains must answer right from a fresh process."""

import importlib.util
from pathlib import Path

import pytest

from keras_absa.metrics import constant_baseline
from keras_absa.serving import export

pytestmark = pytest.mark.slow

QUICKSTART = Path(__file__).resolve().parents[1] / "tutorials" / "quickstart.py"


def test_two_aspects_of_opposite_sentiment_come_out_right(tmp_path):
    spec = importlib.util.spec_from_file_location("quickstart", QUICKSTART)
    quickstart = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(quickstart)

    model, test = quickstart.train()
    metrics, constant = model.evaluate(test), constant_baseline(test.task, test.examples)
    for name in ("accuracy", "strict_accuracy", "aspect_f1", "sentiment_accuracy"):
        assert metrics[name] > constant[name] + 0.1, name

    food_first, service_first, _ = quickstart.ask(export(model, tmp_path / "quickstart"), quickstart.REVIEWS)
    assert food_first == {"food": "positive", "service": "negative", "price": "none", "ambience": "none"}
    assert service_first == {"food": "negative", "service": "positive", "price": "none", "ambience": "none"}
