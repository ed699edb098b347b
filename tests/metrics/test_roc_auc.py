import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from keras_absa.metrics import roc_auc


def test_equals_scikit_learn_with_ties():
    random = np.random.default_rng(0)
    for size, levels in ((2, 2), (5, 2), (50, 3), (400, 1000), (400, 4)):
        scores = random.integers(0, levels, size=size) / levels
        is_positive = np.arange(size) % 2 == 0
        value, reason = roc_auc(is_positive, scores)
        assert reason is None
        assert value == pytest.approx(roc_auc_score(is_positive, scores), abs=1e-12)


def test_by_hand():
    assert roc_auc([True, False], [0.9, 0.1]) == (1.0, None)
    assert roc_auc([True, False], [0.1, 0.9]) == (0.0, None)
    assert roc_auc([True, False, False], [0.5, 0.5, 0.5]) == (0.5, None)


@pytest.mark.parametrize(
    ("is_positive", "scores", "reason"),
    [
        ([], [], "no_rows"),
        ([True, True], [0.1, 0.2], "single_class"),
        ([False], [0.1], "single_class"),
        ([True, False], [math.nan, 0.2], "zero_mass"),
    ],
)
def test_undefined(is_positive, scores, reason):
    value, why = roc_auc(is_positive, scores)
    assert math.isnan(value)
    assert why == reason


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="two vectors of one length"):
        roc_auc([True, False], [0.1])
