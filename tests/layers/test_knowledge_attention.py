"""What holds for any knowledge attention: sizes, padding, frozen parts, precision, and its bad inputs."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import EntityEmbedding, EntityLinker, KnowledgeAttention, PostNormBlock, SelfAttentiveSpanPooling
from keras_absa.training import MarginLinkingLoss, SoftmaxLinkingLoss, linking_targets

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=[6, 8]).astype("float32")


def small(**kwargs):
    """A layer [B, T, 12] with weights that matter."""
    layer = KnowledgeAttention(vector_units=8, num_heads=2, inner_units=10, scorer_units=4, init_std=0.5, **kwargs)
    layer.build(tf.TensorShape([None, None, 12]))
    return layer


def candidates(spans, entities, **others):
    """One row of candidates; all priors of a span are alike."""
    entities = tf.constant([entities])
    found = {
        "spans": tf.constant([spans]),
        "entities": entities,
        "priors": tf.ones(entities.shape) / entities.shape[-1],
    }
    return {**found, "vectors": tf.constant(VECTORS), **others}


HIDDEN = tf.constant(RNG.normal(size=[1, 5, 12]).astype("float32"))
USUAL = ([[0, 1], [2, 2]], [[1, 2], [3, 0]])


@pytest.mark.parametrize(("entity_units", "total"), [(300, 2_422_154), (200, 1_456_354)])
def test_sizes_of_the_published_models(entity_units, total):
    layer = KnowledgeAttention(vector_units=entity_units)
    layer.build(tf.TensorShape([None, None, 768]))
    assert sum(weight.shape.num_elements() for weight in layer.trainable_weights) == total


def test_size_of_the_projection_of_wordnet():
    layer = EntityEmbedding(entity_units=200, num_classes=9)
    layer.build(tf.TensorShape([None, 2248]))
    sizes = {name: weight.shape.num_elements() for name, weight in layer.named_weights().items()}
    assert sizes["projection.kernel"] + sizes["projection.bias"] == 454_800
    assert sizes["classes.embeddings"] == 225


def test_a_published_layer_has_no_frozen_weight_but_the_null_vector():
    assert not small().non_trainable_weights
    frozen = small(threshold=0.0).non_trainable_weights
    assert [weight.shape.as_list() for weight in frozen] == [[8]]


def test_a_span_of_one_token_is_that_token_and_equal_scores_give_the_mean():
    pooling = SelfAttentiveSpanPooling()
    pooling.build(tf.TensorShape([None, None, 12]))
    pooling.kernel.assign(tf.zeros_like(pooling.kernel))
    found = pooling(HIDDEN, spans=tf.constant([[[3, 3], [1, 2], [-1, -1]]]))[0]
    np.testing.assert_allclose(found, [HIDDEN[0, 3], (HIDDEN[0, 1] + HIDDEN[0, 2]) / 2, np.zeros(12)], atol=1e-6)


def test_span_weights_are_a_softmax_within_the_span():
    pooling = SelfAttentiveSpanPooling(init_std=1.0)
    _, weights = pooling(HIDDEN, spans=tf.constant([[[1, 3]]]), return_attention=True)
    scores = np.exp(HIDDEN[0, 1:4].numpy() @ pooling.kernel.numpy()[:, 0])
    np.testing.assert_allclose(weights[0, 0], [0, *(scores / scores.sum()), 0], atol=1e-6)


def test_more_padding_changes_nothing():
    layer, (spans, entities) = small(), USUAL
    wanted, links = layer(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    wider = candidates([*spans, [-1, -1]], [[*each, 0] for each in [*entities, [0, 0]]])
    wider["priors"] = tf.pad(links["scores"] * 0 + 0.5, [[0, 0], [0, 1], [0, 1]])
    found, others = layer(HIDDEN, candidates=wider, return_links=True)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(others["scores"][:, :2, :2], links["scores"], atol=1e-5)


def test_a_row_without_spans_reads_a_constant_whatever_the_number_of_padded_spans():
    layer = small(threshold=0.0)
    one = layer(HIDDEN, candidates=candidates([[-1, -1]], [[0]]))
    three = layer(HIDDEN, candidates=candidates([[-1, -1]] * 3, [[0, 0]] * 3))
    assert np.isfinite(one).all()
    np.testing.assert_allclose(one, three, atol=1e-5)


def test_the_gradients_of_a_new_layer_are_of_ordinary_size():
    """Where nothing is mentioned, new biases make states without a direction, which a normalisation would blow up."""
    keras.utils.set_random_seed(0)
    layer = KnowledgeAttention(vector_units=8, num_heads=2, inner_units=10, scorer_units=4, dropout=0.0)
    layer.build(tf.TensorShape([None, None, 12]))
    with tf.GradientTape() as tape:
        outputs = layer(HIDDEN, candidates=candidates([[-1, -1]], [[0]]))
        loss = tf.reduce_sum(outputs * np.arange(60.0, dtype="float32").reshape(1, 5, 12))
    gradients = tape.gradient(loss, layer.trainable_weights, unconnected_gradients="zero")
    assert max(float(tf.norm(gradient)) for gradient in gradients) < 1e4


def test_rows_do_not_influence_each_other():
    layer, (spans, entities) = small(), USUAL
    other = {"spans": [[1, 4], [-1, -1]], "entities": [[5, 4], [0, 0]]}
    both = candidates(spans, entities)
    for key, value in candidates(other["spans"], other["entities"]).items():
        both[key] = both[key] if key == "vectors" else tf.concat([both[key], value], axis=0)
    alone = layer(HIDDEN, candidates=candidates(spans, entities))
    np.testing.assert_allclose(layer(tf.concat([HIDDEN, -HIDDEN], 0), candidates=both)[:1], alone, atol=1e-5)


def test_the_distinct_rows_of_a_batch_are_enough():
    layer, (spans, entities) = small(), USUAL
    wanted = layer(HIDDEN, candidates=candidates(spans, entities))
    fed = candidates(spans, entities, vectors=tf.constant(VECTORS[[0, 1, 2, 3]]), rows=tf.constant([entities]))
    np.testing.assert_allclose(layer(HIDDEN, candidates=fed), wanted, atol=1e-6)
    turned = candidates(
        spans, entities, vectors=tf.constant(VECTORS[[3, 1, 0, 2]]), rows=tf.constant([[[1, 3], [0, 2]]])
    )
    np.testing.assert_allclose(layer(HIDDEN, candidates=turned), wanted, atol=1e-6)


def test_a_table_can_be_embedded_once():
    layer, (spans, entities) = small(entity_units=6, num_classes=9), USUAL
    classes = tf.constant([0, 1, 2, 3, 4, 5])
    wanted = layer(HIDDEN, candidates=candidates(spans, entities, classes=classes))
    given = candidates(spans, entities)
    del given["vectors"]
    found = layer(HIDDEN, candidates={**given, "embedded": layer.embed(VECTORS, classes)})
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_without_an_output_the_layer_norm_of_its_input_is_left():
    layer, (spans, entities) = small(), USUAL
    layer.to_hidden.set_weights([tf.zeros_like(weight) for weight in layer.to_hidden.weights])
    states = HIDDEN.numpy()
    wanted = (states - states.mean(-1, keepdims=True)) / np.sqrt(states.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(layer(HIDDEN, candidates=candidates(spans, entities)), wanted, atol=1e-5)


def test_a_span_below_the_threshold_gets_the_null_vector_and_is_not_linked():
    layer, (spans, entities) = small(threshold=1e6), USUAL
    layer.linker.null_vector.assign(tf.range(8.0))
    _, links = layer(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    np.testing.assert_allclose(links["mixture"][0], [np.arange(8.0)] * 2)
    best, _ = layer.linker.best(links["scores"], tf.constant([entities]))
    assert not best.numpy().any()


def test_the_null_entity_and_padding_are_no_links():
    linker = EntityLinker()
    scores = tf.constant([[[1.0, 0.5], [0.1, 0.9], [-10000.0, -10000.0]]])
    entities = tf.constant([[[4, 5], [4, 5], [0, 0]]])
    assert linker.best(scores, entities)[0].numpy().tolist() == [[4, 5, 0]]
    assert linker.best(scores, entities, null_id=5)[0].numpy().tolist() == [[4, 0, 0]]
    assert EntityLinker(threshold=0.9).best(scores, entities)[0].numpy().tolist() == [[4, 0, 0]]


def test_the_linkers_loss_reaches_the_linkers_weights_and_no_others():
    layer, (spans, entities) = small(entity_units=6, num_classes=9), USUAL
    given = candidates(spans, entities, classes=tf.range(6))
    with tf.GradientTape() as tape:
        _, links = layer(HIDDEN, candidates=given, return_links=True)
        loss = SoftmaxLinkingLoss()(linking_targets(tf.constant([entities]), tf.constant([[2, 3]])), links["scores"])
    gradients = tape.gradient(loss, layer.trainable_weights)
    reached = {w.ref() for w, g in zip(layer.trainable_weights, gradients, strict=True) if g is not None}
    assert reached == {weight.ref() for weight in layer.linker_weights()}
    assert 0 < len(reached) < len(layer.trainable_weights)


def test_the_switches_of_the_score():
    spans, entities = USUAL
    plain, scaled = small(scale_product=False), small()
    plain.set_weights(scaled.get_weights())
    _, by = plain(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    _, root = scaled(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    assert np.abs(by["scores"] - root["scores"])[0, 0].max() > 1e-3
    raw = small(normalize_entities=False)
    _, links = raw(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    np.testing.assert_allclose(links["mixture"][0, 1], VECTORS[3], atol=1e-6)  # its only candidate, as it is


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision(policy):
    spans, entities = [[0, 1], [2, 4], [-1, -1]], [[1, 2], [3, 0], [0, 0]]
    exact, mixed = small(threshold=0.0), small(threshold=0.0, dtype=policy)
    mixed.set_weights(exact.get_weights())
    wanted, _ = exact(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    found, links = mixed(HIDDEN, candidates=candidates(spans, entities), return_links=True)
    assert found.dtype == policy.removeprefix("mixed_") and links["scores"].dtype == tf.float32
    assert np.isfinite(tf.cast(found, tf.float32)).all()
    np.testing.assert_allclose(tf.cast(found, tf.float32), wanted, atol=0.2)
    empty = mixed(HIDDEN, candidates=candidates([[-1, -1]], [[0, 0]]))
    assert np.isfinite(tf.cast(empty, tf.float32)).all()


def test_dropout_only_in_training():
    layer, (spans, entities) = small(dropout=0.5), USUAL
    given = candidates(spans, entities)
    assert np.array_equal(layer(HIDDEN, candidates=given), layer(HIDDEN, candidates=given))
    assert np.abs(layer(HIDDEN, candidates=given) - layer(HIDDEN, candidates=given, training=True)).max() > 0.01


def test_every_mention_of_an_entity_has_the_same_dropout():
    embedding = EntityEmbedding(entity_units=50, dropout=0.5)
    found = tf.gather(embedding(tf.ones([2, 3]), training=True), [[1, 1]])[0]
    assert np.array_equal(found[0], found[1]) and (found.numpy() == 0).any()


def test_xla_gives_the_same():
    layer, (spans, entities) = small(threshold=0.0), USUAL
    given = candidates(spans, entities)
    compiled = tf.function(lambda states: layer(states, candidates=given), jit_compile=True)
    np.testing.assert_allclose(compiled(HIDDEN), layer(HIDDEN, candidates=given), atol=1e-5)


def test_config_gives_the_same_layer():
    layer = small(entity_units=6, num_classes=9, threshold=0.1, scale_product=False, normalize_entities=False)
    copy = keras.layers.deserialize(keras.layers.serialize(layer))
    copy.build(tf.TensorShape([None, None, 12]))
    assert copy.get_config() == layer.get_config()
    assert list(copy.named_weights()) == list(layer.named_weights()) and len(layer.named_weights()) == len(
        layer.weights
    )


def test_the_block_without_states_attends_to_its_input():
    block = PostNormBlock(num_heads=3, inner_units=8, init_std=0.5)
    found, weights = block(HIDDEN, return_attention=True)
    np.testing.assert_allclose(found, block(HIDDEN, states=HIDDEN), atol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(weights, -1), np.ones([1, 3, 5]), atol=1e-6)


def test_the_margin_loss_by_hand():
    # Right: 0.2 - 0.1 = 0.1. Wrong: 0.2 + 0.3 = 0.5. A wrong one far below costs nothing; padding does not count.
    targets = linking_targets([[[3, 4, 5, 0]]], [[3]])
    assert MarginLinkingLoss()(targets, [[[0.1, 0.3, -1.0, -10000.0]]]).numpy() == pytest.approx(0.6 / 3)
    assert MarginLinkingLoss()(linking_targets([[[0]]], [[0]]), [[[-10000.0]]]).numpy() == 0.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: PostNormBlock(num_heads=5, inner_units=8)(HIDDEN), "`num_heads` must divide the width: received 5"),
        (lambda: EntityEmbedding(num_classes=9), "`num_classes` needs `entity_units`"),
        (lambda: EntityEmbedding(4, num_classes=9)(tf.ones([1, 2])), "has classes: received none"),
        (lambda: SoftmaxLinkingLoss("none"), "`missing` must be one of"),
        (lambda: small()(HIDDEN, candidates={"spans": tf.constant([[[0, 0]]])}), "Add entities, priors, vectors"),
    ],
)
def test_bad_input_names_the_rule(make, says):
    with pytest.raises(ValueError, match=says):
        make()
