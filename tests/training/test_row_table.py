"""Examples as rows of a model: what is encoded is what the text encoder says about the same rows."""

import functools

import numpy as np
import pytest

from keras_absa.data import AspectExample, AspectTask
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.training.epoch_plan import length_buckets
from keras_absa.training.row_table import RowTable
from tests.models.tiny import tiny_task, tiny_tokenizer

EXAMPLES = (
    AspectExample("the food was good", "food", "good"),
    AspectExample("the food was good", "service", "none"),
    AspectExample("slow", "service", "bad"),
    AspectExample("the place was great and not very good but the bill was bad and the staff were cold", "food", "none"),
)


@functools.cache
def table_of(scheme="nli_m", examples=EXAMPLES, task=None, max_length=64):
    task = task or tiny_task()
    return RowTable(examples, task, AspectEncoder(tiny_tokenizer(), task, scheme=scheme, max_length=max_length))


def encoded(table, rows, **kwargs):
    return next(table.batches([np.array(rows)], with_labels=False, few_shapes=False, **kwargs).as_numpy_iterator())


@pytest.mark.parametrize("scheme", ["nli_m", "single"])
def test_a_row_is_an_example(scheme):
    table = table_of(scheme)
    rows = [3, 0, 2]
    batch = encoded(table, rows)
    chosen = [EXAMPLES[row] for row in rows]
    expected = table.encoder([row.text for row in chosen], [tiny_task().context_id(None, row.aspect) for row in chosen])
    assert set(batch) == set(expected) == {"input_ids", "token_type_ids", "attention_mask", "context_ids"}
    for name, values in expected.items():
        np.testing.assert_array_equal(batch[name], values)
        assert batch[name].dtype == np.int32
    np.testing.assert_array_equal(table.row_labels, [1, 0, 2, 0])


def test_binary_rows_stand_side_by_side():
    table = table_of("qa_b")
    # Labels are good, none, bad, none of (none, good, bad): one "yes" for each example.
    np.testing.assert_array_equal(table.row_labels, [0, 1, 0] + [1, 0, 0] + [0, 0, 1] + [1, 0, 0])
    np.testing.assert_array_equal(table.expand(np.array([2, 0])), [6, 7, 8, 0, 1, 2])
    batch = encoded(table, table.expand(np.array([2, 0])))
    texts, contexts = ["slow"] * 3 + ["the food was good"] * 3, [1] * 3 + [0] * 3
    expected = table.encoder(texts, contexts, [0, 1, 2, 0, 1, 2])
    for name, values in expected.items():
        np.testing.assert_array_equal(batch[name], values)
    assert len({tuple(ids) for ids in batch["input_ids"]}) == 6


def test_targets_are_marked():
    task = tiny_task(targets=("LOCATION1", "LOCATION2"), target_words=("place a", "place b"))
    rows = (
        AspectExample("the soup in Ely was good", "food", "good", target="Ely"),
        AspectExample("Ely was slow but Bath was great", "service", "bad", target="Bath", other_target="Ely"),
        AspectExample("LOCATION2 was bad", "food", "bad", target="LOCATION2"),
    )
    table = table_of(task=task, examples=rows)
    np.testing.assert_array_equal(table.context_ids, [0, 1, 2])
    plain = AspectEncoder(tiny_tokenizer(), tiny_task())
    written = ["the soup in place a was good", "place b was slow but place a was great", "place b was bad"]
    auxiliary = [task.auxiliary_sentence("nli_m", context) for context in (0, 1, 2)]
    expected = plain.pair_encoder(written, auxiliary)
    for name, values in expected.items():
        np.testing.assert_array_equal(encoded(table, [0, 1, 2])[name], values)


def test_labels_follow_their_rows():
    batches = table_of().batches([np.array([3, 2]), np.array([0])], with_labels=True, few_shapes=False)
    assert [labels.tolist() for _, labels in batches.as_numpy_iterator()] == [[0, 2], [1]]


def test_a_batch_is_as_long_as_its_longest_row_or_its_bucket():
    table, plan = table_of(), [np.array([2]), np.array([0, 2]), np.array([3, 1])]
    # [CLS] text [SEP] aspect [SEP]: 4 + pieces of the text.
    np.testing.assert_array_equal(table.lengths, [8, 8, 5, 22])
    exact, bucketed = (
        [batch["input_ids"].shape[1] for batch in table.batches(plan, with_labels=False, few_shapes=pad)]
        for pad in (False, True)
    )
    buckets = length_buckets(64)
    assert exact == [5, 8, 22]
    assert bucketed == [min(bucket for bucket in buckets if bucket >= length) for length in exact]


def test_a_short_batch_is_filled_up_with_its_own_rows():
    plan = [np.array([2, 0, 1]), np.array([3, 1])]
    for few_shapes, last in ((False, [0, 1]), (True, [0, 1, 0])):
        *_, (inputs, labels) = table_of().batches(plan, with_labels=True, few_shapes=few_shapes).as_numpy_iterator()
        contexts = table_of().context_ids[[3, 1]][last]
        assert inputs["context_ids"].tolist() == contexts.tolist()
        assert labels.tolist() == table_of().labels[[3, 1]][last].tolist()


def test_the_element_has_one_shape():
    """One signature for all batches, so that one trace serves them."""
    spec = table_of().batches([np.array([0]), np.array([3, 1])], with_labels=False, few_shapes=False).element_spec
    assert spec["input_ids"].shape.as_list() == [None, None] and spec["context_ids"].shape.as_list() == [None]


def test_what_was_cut_is_counted():
    table = table_of(max_length=16)
    np.testing.assert_array_equal(table.lengths, [8, 8, 5, 16])
    np.testing.assert_array_equal(table.cut, [0, 0, 0, 6])


def test_rows_beyond_one_chunk(monkeypatch):
    monkeypatch.setattr("keras_absa.training.row_table._CHUNK", 3)
    np.testing.assert_array_equal(table_of.__wrapped__().lengths, [8, 8, 5, 22])


def test_unlabelled_rows():
    rows = (*EXAMPLES, AspectExample("slow", "food", source="reviews.csv:7"), AspectExample("slow", "food"))
    table = table_of(examples=rows)
    np.testing.assert_array_equal(table.labels, [1, 0, 2, 0, -1, -1])
    table_of().check_labelled()
    with pytest.raises(
        ValueError, match=r"must have a label here: 2 of 6 have none, the first is row 4 \(reviews.csv:7\)\. Use"
    ):
        table.check_labelled()


@pytest.mark.parametrize("wrong", [{"aspect": "price"}, {"label": "fine"}, {"target": "Ely"}])
def test_a_row_of_another_task_is_named(wrong):
    row = AspectExample(**{"text": "slow", "aspect": "food", "label": "bad", "source": "reviews.csv:9", **wrong})
    with pytest.raises(ValueError, match=r"reviews\.csv:9: `\w+` must be .*received"):
        table_of(examples=(*EXAMPLES, row))


def test_one_label_is_no_binary_scheme():
    task = AspectTask("one", aspects=("food",), labels=("good",))
    table = table_of("nli_m", examples=EXAMPLES[:1], task=task)
    np.testing.assert_array_equal(table.row_labels, [0])


def test_the_text_graph_is_made_once():
    """`fit`, `evaluate` and `predict` each make a table; tracing is what costs there."""
    task = tiny_task()
    encoder = AspectEncoder(tiny_tokenizer(), task)
    graphs = [RowTable(examples, task, encoder).encoder.traced for examples in (EXAMPLES[:2], EXAMPLES)]
    assert graphs[0] is graphs[1] and graphs[1].lengths.experimental_get_tracing_count() == 1
