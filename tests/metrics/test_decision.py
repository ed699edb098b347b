import numpy as np
import pytest

from keras_absa.metrics.decision import decide

ROWS = [[0.6, 0.3, 0.1], [0.4, 0.1, 0.5], [0.4, 0.3, 0.3]]


@pytest.mark.parametrize(
    "threshold, labels",
    [(None, [0, 2, 0]), (0.5, [0, 2, 1]), (0.4, [0, 0, 0]), (0.7, [1, 2, 1]), (0.0, [0, 0, 0])],
)
def test_by_hand(threshold, labels):
    assert decide(ROWS, 0, threshold).tolist() == labels


def test_one_row_and_more_dimensions():
    assert int(decide(ROWS[0])) == 0
    assert decide(np.array([ROWS, ROWS]), 2, 0.09).tolist() == [[2, 2, 2]] * 2


def test_a_threshold_needs_a_none_label():
    with pytest.raises(ValueError, match="needs a task with a `none_label`"):
        decide(ROWS, None, 0.5)
