import math

import numpy as np
import pytest

from keras_absa.metrics import bootstrap_intervals

RIGHT = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])


def accuracy(rows, draws):
    return {"accuracy": RIGHT[rows].mean()}


def test_value_lies_in_its_interval_and_seed_decides():
    one, two = (bootstrap_intervals(accuracy, list("abcdef"), n=200, seed=3)["accuracy"] for _ in range(2))
    assert one == two
    assert one.value == 0.5
    assert 0 <= one.low < one.value < one.high <= 1
    assert one != bootstrap_intervals(accuracy, list("abcdef"), n=200, seed=4, level=0.5)["accuracy"]


def test_a_higher_level_is_wider():
    narrow, wide = (bootstrap_intervals(accuracy, list("abcdef"), level=level)["accuracy"] for level in (0.5, 0.99))
    assert wide.low < narrow.low and narrow.high < wide.high


def test_whole_texts_are_drawn_and_copies_are_numbered():
    def metric(rows, draws):
        for draw in set(draws.tolist()):
            assert sorted(rows[draws == draw].tolist()) in ([0, 2], [1, 3, 4, 5])
        assert sorted(set(draws.tolist())) == [0, 1]
        return {"rows": float(len(rows))}

    assert bootstrap_intervals(metric, list("abab") + ["b", "b"], n=50)["rows"].value == 6


def test_wider_than_row_by_row():
    paired = np.repeat(np.random.default_rng(0).integers(0, 2, size=40), 5).astype(float)

    def metric(rows, draws):
        return {"accuracy": paired[rows].mean()}

    by_text = bootstrap_intervals(metric, np.repeat(np.arange(40), 5))["accuracy"]
    by_row = bootstrap_intervals(metric, np.arange(200))["accuracy"]
    assert by_text.high - by_text.low > 1.5 * (by_row.high - by_row.low)


def test_undefined_draws_are_counted():
    def metric(rows, draws):
        return {"some": math.nan if 0 in rows else 1.0, "never": math.nan}

    intervals = bootstrap_intervals(metric, ["a", "b"], n=100)
    assert 50 < intervals["some"].undefined_draws < 100
    assert intervals["some"].low == 1.0
    assert intervals["never"].undefined_draws == 100
    assert math.isnan(intervals["never"].low)


@pytest.mark.parametrize("changes", [{"n": 0}, {"level": 1.0}, {"groups_by_text": []}])
def test_refusals(changes):
    with pytest.raises(ValueError, match="must"):
        bootstrap_intervals(**{"metric_fn": accuracy, "groups_by_text": ["a"], **changes})
