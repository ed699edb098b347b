"""TuckER: equal to the reference arrays, and it learns the small WordNet's graph."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.knowledge import RelationGraph, TuckER, ranking_metrics

TOLERANCE = {"atol": 1e-5, "rtol": 0}


@pytest.fixture
def arrays(golden_dir):
    return np.load(golden_dir / "knowbert_tucker.npz", allow_pickle=False)


def filled(arrays, **kwargs):
    entities, relations = arrays["weight/entity_embeddings"], arrays["weight/relation_embeddings"]
    model = TuckER(len(entities), len(relations), entities.shape[1], relations.shape[1], **kwargs)
    pairs = {"entity_embeddings": model.entities, "relation_embeddings": model.relations, "core": model.core}
    for name, norm in (("batch_norm_0", model.head_norm), ("batch_norm_1", model.product_norm)):
        pairs |= {f"{name}/{each}": getattr(norm, each) for each in ("gamma", "beta", "moving_mean", "moving_variance")}
    for name, weight in pairs.items():
        weight.assign(arrays[f"weight/{name}"])
    assert len(pairs) == len(model.weights)
    return model


def query(arrays):
    return {name: tf.constant(arrays[f"input/{name}"]) for name in ("entity", "relation")}


@pytest.mark.golden
def test_golden_evaluation(arrays):
    model = filled(arrays)
    logits = model(query(arrays))
    np.testing.assert_allclose(tf.sigmoid(logits), arrays["expected/probabilities_eval"], **TOLERANCE)
    loss = tf.reduce_mean(model.tail_loss(arrays["input/positives"], logits))
    np.testing.assert_allclose(loss, arrays["expected/loss_eval"], **TOLERANCE)
    smoothed = keras.losses.binary_crossentropy(arrays["expected/labels_smoothed"], logits, from_logits=True)
    np.testing.assert_allclose(loss, tf.reduce_mean(smoothed), **TOLERANCE)  # the labels that are never made
    ranks = model.ranks(*(arrays[f"input/{name}"] for name in ("entity", "relation", "target", "positives")))
    assert ranks.tolist() == arrays["expected/ranks"].tolist()
    metrics = ranking_metrics(ranks, hits=(1, 10))
    for name, wanted in (
        ("mean_rank", "mean_rank"),
        ("mean_reciprocal_rank", "mean_reciprocal_rank"),
        ("hits_1", "standard_hits_1"),
        ("hits_10", "standard_hits_10"),
    ):
        np.testing.assert_allclose(metrics[name], arrays[f"expected/{wanted}"], rtol=1e-6)


@pytest.mark.golden
def test_golden_training(arrays):
    model = filled(arrays, dropouts=(0.0, 0.0, 0.0))
    with tf.GradientTape() as tape:
        logits = model(query(arrays), training=True)
        loss = tf.reduce_mean(model.tail_loss(arrays["input/positives"], logits))
    np.testing.assert_allclose(tf.sigmoid(logits), arrays["expected/probabilities_train_no_dropout"], **TOLERANCE)
    np.testing.assert_allclose(loss, arrays["expected/loss_train_no_dropout"], **TOLERANCE)
    core, entities = tape.gradient(loss, [model.core, model.entities])
    np.testing.assert_allclose(core, arrays["expected/grad_core"], **TOLERANCE)
    np.testing.assert_allclose(tf.convert_to_tensor(entities), arrays["expected/grad_entity_embeddings"], **TOLERANCE)
    for name, norm in (("batch_norm_0", model.head_norm), ("batch_norm_1", model.product_norm)):
        for each in ("moving_mean", "moving_variance"):
            np.testing.assert_allclose(getattr(norm, each), arrays[f"expected/{name}/{each}_after_step"], **TOLERANCE)


def test_the_graph():
    rows = [("a", "r", "b"), ("a", "r", "c"), ("b", "s", "c"), ("a", "r", "b")]
    graph = RelationGraph(rows, dev_share=0)
    assert graph.nodes == ["a", "b", "c"] and graph.relations == ["r", "r_reverse", "s", "s_reverse"]
    heads, relations, tails = graph.train
    found = {(*query, *own) for *query, own in zip(heads.tolist(), relations.tolist(), map(tuple, tails), strict=True)}
    assert found == {(1, 1, 2, 3), (2, 2, 1, 0), (3, 2, 1, 0), (2, 3, 3, 0), (3, 4, 2, 0)}
    assert not len(graph.dev[0])
    held_out = RelationGraph(rows, dev_share=0.34)  # one of three
    assert (held_out.dev[2] > 0).sum() == 2 and (held_out.train[2] > 0).sum() == 4  # in both directions
    for head, relation, tails, known in zip(*held_out.dev, held_out.dev_known, strict=True):
        assert set(tails[tails > 0]) <= set(known), (head, relation)
    with pytest.raises(ValueError, match="needs rows"):
        RelationGraph([])


def test_ranks_by_hand():
    model = TuckER(5, 2, 2, 1)
    model.entities.assign([[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]])
    model.relations.assign([[0.0], [1.0]])
    model.core.assign([[[1.0, 0.0], [0.0, 1.0]]])  # the score of a tail is what it stands for
    assert model.ranks([1], [1], [2], [[2, 0]]).tolist() == [3]
    assert model.ranks([1], [1], [2], [[2, 4]]).tolist() == [2]  # another right one is not in the way
    assert model.ranks([1], [1], [4], [[4, 2]]).tolist() == [1]
    with pytest.raises(ValueError, match="numbers from 1"):
        ranking_metrics([])


def test_it_learns_the_small_wordnet(small):
    keras.utils.set_random_seed(1)
    graph = RelationGraph(small.relations(), dev_share=0.0)
    heads, relations, tails = graph.train
    model = TuckER(
        len(graph.nodes) + 1, len(graph.relations) + 1, entity_units=16, relation_units=8, dropouts=(0.0, 0.0, 0.1)
    )
    model.compile(keras.optimizers.Adam(0.01))
    inputs = {"entity": heads, "relation": relations}

    def reciprocal_rank():
        graph.dev, graph.dev_known = graph.train, tails
        return ranking_metrics(graph.dev_ranks(model))["mean_reciprocal_rank"]

    before = reciprocal_rank()
    history = model.fit(inputs, tails, batch_size=32, epochs=80, verbose=0).history["loss"]
    assert history[-1] < 0.5 * history[0]
    assert before < 0.3 and reciprocal_rank() > 0.8
