"""Segments as batches: their order, and what stands in them."""

import numpy as np

from keras_absa.models.segment_table import epoch_plan


def order(*arguments):
    return np.concatenate(epoch_plan(*arguments)).tolist()


def test_every_row_comes_once_an_epoch_in_an_order_of_its_own():
    plan = epoch_plan(10, 4, 0, 0)
    assert [len(rows) for rows in plan] == [4, 4, 2]
    first = order(10, 4, 0, 0)
    assert sorted(first) == list(range(10)) != first
    assert order(10, 4, 0, 0) == first  # a resumed training sees the same
    assert order(10, 4, 0, 1) != first and order(10, 4, 1, 0) != first
    assert order(10, 3, 0, 0) == first  # batches cut one order
    assert epoch_plan(0, 4, 0, 0) == []
