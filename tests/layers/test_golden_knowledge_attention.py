"""The knowledge attention gives the reference arrays, step by step, and their gradients."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.layers import KnowledgeAttention
from keras_absa.training import MarginLinkingLoss, SoftmaxLinkingLoss, linking_targets

pytestmark = pytest.mark.golden
TOLERANCE = {"atol": 1e-5, "rtol": 0}
# A layer's own names -> those of the golden files.
PARTS = {
    "to_entities": "bert_to_kg",
    "to_hidden": "kg_to_bert",
    "output_norm": "output_layer_norm",
    "entity_span_norm": "entity_span_layer_norm",
    "linker.span_pool": "span_pool",
    "linker.span_norm": "span_layer_norm",
    "linker.entity_norm": "entity_layer_norm",
    "linker.scorer_inner": "linker_mlp/dense_1",
    "linker.scorer_output": "linker_mlp/dense_2",
    "linker.null_vector": "null_embedding",
    "embedding.projection": "wordnet_embedder/projection",
    "embedding.classes": "wordnet_embedder/pos",
}
SPAN_ENCODER = {"attention_dense": "attention/output/dense", "attention_norm": "attention/output/LayerNorm"}
SPAN_ENCODER |= {name: f"attention/{name}" for name in ("query", "key", "value")}
SPAN_ENCODER |= {"inner": "intermediate/dense", "output_dense": "output/dense", "output_norm": "output/LayerNorm"}
ATTENTION = {"attention_dense": "output/dense", "attention_norm": "output/LayerNorm", "inner": "intermediate/dense"}
ATTENTION |= {"output_dense": "ffn_output/dense", "output_norm": "ffn_output/LayerNorm"}
PARTS |= {f"linker.span_encoder.{name}": f"span_encoder/layer_0/{role}" for name, role in SPAN_ENCODER.items()}
PARTS |= {f"span_attention.{name}": f"span_attention/{ATTENTION.get(name, name)}" for name in SPAN_ENCODER}
FROZEN = ("entity_embeddings", "wordnet_embedder/entity_embeddings", "wordnet_embedder/pos_ids")


def roles(layer):
    """Golden role -> weight."""
    found = {}
    for name, weight in layer.named_weights().items():
        part, _, own = name.rpartition(".")
        if name in PARTS:
            found[PARTS[name]] = weight
        elif part == "embedding.classes":
            found["wordnet_embedder/pos_embeddings"] = weight
        else:
            found[f"{PARTS[part]}/{own}"] = weight
    assert len(found) == len(layer.weights)
    return found


def filled(arrays, prefix="weight/", name=None):
    """A layer of a golden file's sizes with its weights."""
    own = {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}
    embedder = "wordnet_embedder/entity_embeddings" in own
    table = own["wordnet_embedder/entity_embeddings" if embedder else "entity_embeddings"]
    settings = {"vector_units": table.shape[1], "threshold": None if embedder else 0.0}
    if embedder:
        classes, class_units = own["wordnet_embedder/pos_embeddings"].shape
        units = own["wordnet_embedder/projection/bias"].size
        settings |= {"entity_units": units, "num_classes": classes, "class_units": class_units}
    layer = KnowledgeAttention(
        num_heads=arrays["expected/span_attention_probs"].shape[1] if "expected/span_attention_probs" in arrays else 4,
        inner_units=own["span_attention/intermediate/dense/bias"].size,
        scorer_units=own["linker_mlp/dense_1/bias"].size,
        name=name,
        **settings,
    )
    layer.build(tf.TensorShape([None, None, own["bert_to_kg/kernel"].shape[0]]))
    named = roles(layer)
    assert set(named) == set(own) - set(FROZEN)
    for role, weight in named.items():
        weight.assign(own[role])
    return layer


def candidates_of(arrays, inputs="input/", weights="weight/"):
    found = {key: tf.constant(arrays[f"{inputs}candidate_{key}"]) for key in ("spans", "entities", "priors")}
    if f"{weights}entity_embeddings" in arrays:
        return {**found, "vectors": tf.constant(arrays[f"{weights}entity_embeddings"])}
    embedder = f"{weights}wordnet_embedder/"
    return {
        **found,
        "vectors": tf.constant(arrays[f"{embedder}entity_embeddings"]),
        "classes": tf.constant(arrays[f"{embedder}pos_ids"]),
    }


@pytest.fixture
def golden(golden_dir):
    def read(name):
        return dict(np.load(golden_dir / f"knowbert_{name}.npz", allow_pickle=False))

    return read


@pytest.mark.parametrize("kind", ["margin", "softmax"])
def test_each_step(golden, kind):
    arrays = golden(f"kar_{kind}")
    layer, candidates = filled(arrays), candidates_of(arrays)
    hidden = tf.constant(arrays["input/hidden_states"])
    outputs, links = layer(hidden, candidates=candidates, return_links=True)

    tokens = layer.to_entities(hidden)
    vectors = layer.linker.entity_norm(layer.embed(candidates["vectors"], candidates.get("classes")))
    pooled = layer.linker.span_pool(tokens, spans=candidates["spans"])
    known = layer.span_norm(links["spans"] + links["mixture"])
    read = layer.span_attention(tokens, states=known, mask=candidates["spans"][:, :, 0] >= 0)
    found = {
        "projected_tokens": tokens,
        "candidate_embeddings_layer_norm": tf.gather(vectors, candidates["entities"]),
        "span_pool": pooled,
        "span_pool_layer_norm": layer.linker.span_norm(pooled),
        "span_encoder": links["spans"],
        "linking_scores": links["scores"],
        "weighted_entity_embeddings": links["mixture"],
        "entity_spans": known,
        "span_attention_probs": links["attention"],
        "span_attention_output": read,
        "kg_to_bert_output": layer.to_hidden(read),
        "recontextualised": outputs,
    }
    found["normalised_scores" if kind == "margin" else "normalised_scores_no_threshold"] = links["probabilities"]
    for name, value in found.items():
        np.testing.assert_allclose(value, arrays[f"expected/{name}"], err_msg=name, **TOLERANCE)


def test_without_a_threshold_the_same_scores_give_another_mixture(golden):
    arrays = golden("kar_margin")
    layer = filled(arrays)
    layer.linker.threshold = None
    _, links = layer(arrays["input/hidden_states"], candidates=candidates_of(arrays), return_links=True)
    for name, value in (("normalised_scores", "probabilities"), ("weighted_entity_embeddings", "mixture")):
        np.testing.assert_allclose(links[value], arrays[f"expected/{name}_no_threshold"], **TOLERANCE)
        assert np.abs(links[value] - arrays[f"expected/{name}"]).max() > 0.01


@pytest.mark.parametrize("kind", ["margin", "softmax"])
def test_losses(golden, kind):
    arrays = golden(f"kar_{kind}")
    entities, scores = arrays["input/candidate_entities"], arrays["expected/linking_scores"]
    loss = MarginLinkingLoss() if kind == "margin" else SoftmaxLinkingLoss()
    np.testing.assert_allclose(
        loss(linking_targets(entities, arrays["input/gold_entities"]), scores), arrays["expected/loss"], **TOLERANCE
    )
    if kind == "softmax":
        targets = linking_targets(entities, arrays["input/gold_entities_missing"])
        np.testing.assert_allclose(
            SoftmaxLinkingLoss("first")(targets, scores), arrays["expected/loss_gold_missing"], **TOLERANCE
        )
        kept = tf.reduce_any(targets > 0, axis=-1)
        by_hand = -tf.math.log(tf.reduce_sum(tf.where(targets > 0, tf.nn.softmax(scores), 0.0), axis=-1)[kept])
        np.testing.assert_allclose(loss(targets, scores), tf.reduce_mean(by_hand), **TOLERANCE)


@pytest.mark.parametrize("kind", ["margin", "softmax"])
def test_links(golden, kind):
    arrays = golden(f"kar_{kind}")
    layer, candidates = filled(arrays), candidates_of(arrays)
    _, links = layer(arrays["input/hidden_states"], candidates=candidates, return_links=True)
    null = candidates["vectors"].shape[0] - 1
    best, _ = layer.linker.best(links["scores"], candidates["entities"], null_id=null)
    found = [
        [row, *arrays["input/candidate_spans"][row, span], int(best[row, span])] for row, span in np.argwhere(best > 0)
    ]
    assert sorted(found) == sorted(arrays["expected/decoded"].tolist())


def test_gradients(golden):
    arrays, wanted = golden("kar_margin"), golden("gradients")
    layer, candidates = filled(arrays), candidates_of(arrays)
    named = {role: weight for role, weight in roles(layer).items() if weight.trainable}
    assert {f"gradient/{role}" for role in named} == {name for name in wanted if name.startswith("gradient/")}
    with tf.GradientTape() as tape:
        outputs, links = layer(arrays["input/hidden_states"], candidates=candidates, return_links=True)
        targets = linking_targets(candidates["entities"], arrays["input/gold_entities"])
        total = MarginLinkingLoss()(targets, links["scores"]) + tf.reduce_mean(outputs * wanted["cotangent"])
    np.testing.assert_allclose(total, wanted["objective"], **TOLERANCE)
    for role, gradient in tape.gradient(total, named).items():
        np.testing.assert_allclose(gradient, wanted[f"gradient/{role}"], err_msg=role, **TOLERANCE)


@pytest.mark.parametrize("prefix", ["", "tall_public_code/"])
def test_pseudo_inverse(golden, prefix):
    arrays = golden("pinv")
    kernel = arrays[f"{prefix}bert_to_kg/kernel"]
    layer = KnowledgeAttention(vector_units=kernel.shape[1], inner_units=8)
    layer.build(tf.TensorShape([None, None, kernel.shape[0]]))
    layer.to_entities.set_weights([kernel, arrays[f"{prefix}bert_to_kg/bias"]])
    layer.invert_projection()
    np.testing.assert_allclose(layer.to_hidden.kernel, arrays[f"{prefix}kg_to_bert/kernel"], **TOLERANCE)
    if prefix:  # the public code has the bias with the other sign
        np.testing.assert_allclose(layer.to_hidden.bias, -arrays[f"{prefix}kg_to_bert/bias"], **TOLERANCE)
        return
    np.testing.assert_allclose(layer.to_hidden.bias, arrays["kg_to_bert/bias"], **TOLERANCE)
    projected = layer.to_entities(arrays["check/hidden"])
    np.testing.assert_allclose(layer.to_hidden(projected), arrays["check/round_trip"], **TOLERANCE)
    np.testing.assert_allclose(layer.to_entities(layer.to_hidden(projected)), projected, **TOLERANCE)
