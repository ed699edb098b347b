"""Which rows an epoch sees: plain numbers, checked without a model."""

import numpy as np
import pytest

from keras_absa.training.epoch_plan import WINDOW, draw_rows, length_buckets, plan_epoch, plan_evaluation

LABELS = np.array([0] * 900 + [1] * 90 + [3] * 10)  # class 2 does not occur
LENGTHS = np.random.default_rng(0).integers(5, 60, size=len(LABELS))


def test_balanced_draws_each_class_alike():
    counts = np.bincount(LABELS[np.concatenate([draw_rows(LABELS, "balanced", 0, epoch) for epoch in range(10)])])
    # 10,000 draws, a third for each of the three classes: the standard deviation is 47.
    np.testing.assert_allclose(counts, [3333, 3333, 0, 3333], atol=250)


def test_balanced_draws_with_replacement():
    rows = draw_rows(LABELS, "balanced", 0, 0)
    assert len(rows) == len(LABELS) and len(set(rows)) < 0.7 * len(rows)
    assert set(rows) <= set(range(len(LABELS)))


def test_shuffle_takes_each_row_once():
    rows = draw_rows(LABELS, "shuffle", 0, 0)
    assert sorted(rows) == list(range(len(LABELS))) and list(rows) != sorted(rows)


def test_none_keeps_the_order():
    assert list(draw_rows(LABELS, "none", 3, 5)) == list(range(len(LABELS)))


@pytest.mark.parametrize("sampler", ["balanced", "shuffle"])
def test_seed_and_epoch_decide(sampler):
    def plan(seed, epoch):
        return np.concatenate(plan_epoch(LABELS, LENGTHS, 24, sampler, seed, epoch)).tolist()

    assert plan(1, 2) == plan(1, 2)
    assert len({tuple(plan(seed, epoch)) for seed in range(3) for epoch in range(3)}) == 9


@pytest.mark.parametrize("sampler", ["shuffle", "none"])
def test_the_plan_covers_all_rows(sampler):
    batches = plan_epoch(LABELS, LENGTHS, 24, sampler, 0, 0)
    assert sorted(np.concatenate(batches)) == list(range(len(LABELS)))


@pytest.mark.parametrize("sampler", ["balanced", "shuffle", "none"])
def test_batch_sizes(sampler):
    sizes = [len(batch) for batch in plan_epoch(LABELS, LENGTHS, 24, sampler, 0, 0)]
    assert len(sizes) == 42 and sorted(sizes) == [1000 - 41 * 24] + [24] * 41


def test_a_window_holds_what_was_drawn_sorted_by_length():
    labels = np.zeros(2 * WINDOW * 4 + 6, int)
    lengths = np.random.default_rng(1).integers(5, 60, size=len(labels))
    drawn, batches = draw_rows(labels, "shuffle", 0, 0), plan_epoch(labels, lengths, 4, "shuffle", 0, 0)
    for start in (0, WINDOW, 2 * WINDOW):
        window = batches[start : start + WINDOW]
        assert sorted(np.concatenate(window)) == sorted(drawn[4 * start : 4 * (start + WINDOW)])
        by_length = sorted(window, key=lambda batch: (lengths[batch].min(), lengths[batch].max()))
        inside = np.concatenate([lengths[batch] for batch in by_length])
        assert np.all(np.diff(inside) >= 0), "batches are consecutive pieces of the sorted window"
    firsts = [lengths[batch].max() for batch in batches[:WINDOW]]
    assert firsts != sorted(firsts), "the batches themselves come in random order"


def test_sorting_saves_padding():
    def padded(batches):
        return sum(LENGTHS[batch].max() * len(batch) for batch in batches)

    assert padded(plan_epoch(LABELS, LENGTHS, 24, "shuffle", 0, 0)) < 0.7 * padded(
        plan_epoch(LABELS, LENGTHS, 24, "none", 0, 0)
    )


def test_evaluation_takes_each_row_once_longest_first():
    batches = plan_evaluation(LENGTHS, 64)
    rows = np.concatenate(batches)
    assert sorted(rows) == list(range(len(LENGTHS))) and np.all(np.diff(LENGTHS[rows]) <= 0)
    assert [len(batch) for batch in batches] == [64] * 15 + [40]


@pytest.mark.parametrize("max_length", [3, 16, 20, 32, 64, 100, 128, 256, 512])
def test_length_buckets(max_length):
    buckets = length_buckets(max_length)
    assert 1 <= len(buckets) <= 8 and buckets[-1] == max_length
    assert buckets == sorted(set(buckets))
    assert all(bucket % 8 == 0 for bucket in buckets[:-1])


def test_buckets_grow_by_like_factors():
    assert length_buckets(128) == [16, 24, 32, 40, 56, 72, 96, 128]
