"""The structured self-attention against the original TensorFlow 1 graph and against the paper's formulas in float64."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import StructuredSelfAttention

pytestmark = [pytest.mark.golden, pytest.mark.filterwarnings("ignore:The reference variant")]


@pytest.fixture(scope="module")
def load(golden_dir):
    return lambda name: np.load(golden_dir / f"self_attentive_{name}.npz", allow_pickle=False)


def near(found, expected, name=""):
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0, err_msg=name)


def layer_of(arrays, width, **kwargs):
    layer = StructuredSelfAttention(*arrays["W_s2"].shape, return_attention=True, **kwargs)
    layer.build(tf.TensorShape([None, None, width]))
    layer.w_s1.assign(arrays["W_s1"])
    layer.w_s2.assign(arrays["W_s2"])
    return layer


class Graph:
    """The whole model around the layer: word vectors, BiLSTM, attention, two dense layers, penalised loss."""

    def __init__(self, arrays, **kwargs):
        self.arrays = arrays
        self.layer = layer_of(arrays, 2 * int(arrays["u"]), penalty_coef=float(arrays["penalty_coef"]), **kwargs)
        lstm = keras.layers.LSTM(int(arrays["u"]), return_sequences=True)
        self.bilstm = keras.layers.Bidirectional(lstm)
        self.bilstm.build(tf.TensorShape([None, None, arrays["embedding"].shape[1]]))
        parts = [f"lstm_{way}.{part}" for way in ("fw", "bw") for part in ("kernel", "recurrent_kernel", "bias")]
        self.bilstm.set_weights([arrays[part] for part in parts])
        self.first = tf.Variable(arrays["fc1.kernel"])

    def states(self, ids, mask):
        vectors = tf.gather(self.arrays["embedding"], ids)
        return self.bilstm(vectors, mask=None if mask is None else tf.constant(mask))

    def logits(self, ids, mask=None):
        return self.run(ids, mask)[0]

    def run(self, ids, mask=None):
        flat, attention = self.layer(self.states(ids, mask), mask=mask)
        hidden = tf.nn.relu(flat @ self.first + self.arrays["fc1.bias"])
        return hidden @ self.arrays["fc2.kernel"] + self.arrays["fc2.bias"], flat, attention

    def gradients(self, labels, ids, mask=None):
        with tf.GradientTape() as tape:
            logits, flat, attention = self.run(ids, mask)
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(surprise) + tf.add_n(self.layer.losses)
        weights = [self.layer.w_s1, self.layer.w_s2, self.first]
        return logits, flat, attention, loss, tape.gradient(loss, weights)


def check(arrays, prefix, grads, found, matrix, mask=None):
    logits, flat, attention, loss, gradients = found
    near(attention, arrays[f"{prefix}A"], "A")
    near(tf.reshape(flat, arrays[f"{prefix}{matrix}"].shape), arrays[f"{prefix}{matrix}"], "M")
    near(logits, arrays[f"{prefix}logits"], "logits")
    near(loss, arrays[f"{prefix}loss"][0], "loss")
    for name, gradient in zip(("W_s1", "W_s2", "W_f1") if grads else (), gradients, strict=grads):
        near(gradient, arrays[f"{prefix}grad.{name}"], f"gradient of {name}")


@pytest.mark.parametrize("prefix", ["masked.", "unmasked."])
def test_paper(load, prefix):
    arrays = load("paper")
    mask = arrays["mask"] if prefix == "masked." else None
    graph = Graph(arrays)
    found = graph.gradients(arrays["y"], arrays["X"], mask)
    check(arrays, prefix, mask is not None, found, "M")
    states, real = graph.states(arrays["X"], mask), arrays["mask"] if mask is not None else slice(None)
    near(states.numpy()[real], arrays[f"{prefix}H"][real], "H")
    attention = found[2]
    kinds = {
        "penalty": {},
        "penalty_mean_r2": {"penalty_scale": "r2"},
        "penalty_norm": {"penalty": "frobenius"},
        "penalty_nxn_mean": {"penalty_scale": "n2"},
    }
    for name, kwargs in kinds.items():
        near(StructuredSelfAttention(*arrays["W_s2"].shape, **kwargs).penalties(attention), arrays[prefix + name], name)
    excess = arrays[f"{prefix}penalty_nxn_sum"] - arrays[f"{prefix}penalty"]
    near(excess, np.full(len(excess), int(arrays["n"]) - int(arrays["r"])), "n x n against r x r")


def test_reference(load):
    arrays = load("reference")
    graph = Graph(arrays, variant="reference")
    found = graph.gradients(arrays["y"], arrays["X"])
    check(arrays, "out.", True, found, "M_flat")
    near(graph.states(arrays["X"], None), arrays["out.H"], "H")
    near(graph.layer.penalties(found[2]), arrays["out.penalty"], "penalty")
    with tf.GradientTape() as tape:
        penalty = tf.reduce_mean(graph.layer.penalties(graph.run(arrays["X"])[2]))
    for name, gradient in zip(
        ("W_s1", "W_s2"), tape.gradient(penalty, [graph.layer.w_s1, graph.layer.w_s2]), strict=True
    ):
        near(gradient, arrays[f"out.grad_penalty.{name}"], name)


def test_reference_shows_its_defects(load):
    """A sentence's logits depend on its batch, on its neighbours' order and on padding, as in the original."""
    arrays, defects = load("reference"), load("defects")
    graph, ids = Graph(arrays, variant="reference"), defects["X"]
    together = graph.logits(ids)
    near(together, defects["logits_in_batch"])
    alone = tf.concat([graph.logits(ids[row : row + 1]) for row in range(len(ids))], axis=0)
    near(alone, defects["logits_alone"])
    near(graph.logits(ids[defects["batch_permutation"]]), defects["logits_permuted_batch"])
    near(graph.logits(defects["X_one_more_pad"]), defects["logits_one_more_pad"])
    attention = graph.run(ids)[2]
    near(attention, defects["A"])
    near(tf.reduce_sum(attention, axis=-1), defects["row_sums_A"])
    hops, count = int(defects["r"]), len(ids)
    flat = defects["A_flat"].reshape(hops, count, -1)
    source = np.array([[divmod(row * hops + hop, count) for hop in range(hops)] for row in range(count)])
    np.testing.assert_array_equal(source, defects["chunk_source"])
    near(attention, flat[source[..., 0], source[..., 1]], "each hop comes from the chunk that the map names")
    for kind, name in (("reference", "seed"), ("squared_frobenius", "paper"), ("frobenius", "norm")):
        expected = defects[f"penalty_{name}" + ("" if name == "seed" else "_on_same_A")]
        near(StructuredSelfAttention(hops, 1, penalty=kind).penalties(attention), expected, kind)


def test_reference_shrinks_with_the_batch(load):
    """Columns of the study: batch size, mean row sum of A, ..., the penalty saturates at the root of the hops."""
    arrays, study = load("reference"), load("defects")["batch_size_study"]
    layer, rng = layer_of(arrays, 2 * int(arrays["u"]), variant="reference"), np.random.default_rng(0)
    for size, row_sum in study[:, :2]:
        states = rng.normal(size=(int(size), int(arrays["n"]), 2 * int(arrays["u"]))).astype("float32")
        near(np.mean(np.sum(layer(states)[1], axis=-1)), row_sum)


@pytest.mark.parametrize("special", [True, False])
def test_pooling_of_encoder_states(load, special):
    arrays = load("encoder_pooling")
    states = arrays["hidden_states"]
    mask = arrays["attention_mask"] if special else arrays["special_free_mask"]
    suffix = "" if special else "_no_special"
    layer = layer_of(arrays, states.shape[-1], pooling="none")
    matrix, attention = layer(states, mask=tf.constant(mask))
    near(attention, arrays["A" + suffix], "A")
    near(matrix, arrays["M" + suffix], "M")
    if not special:
        empty = mask.sum(axis=1) == 0
        assert empty.any() and not np.any(matrix.numpy()[empty]) and not np.any(attention.numpy()[empty])
        return
    near(layer.penalties(attention), arrays["penalty"], "penalty")
    project = {"pooling": "project", "projection_units": arrays["proj.bias"].shape[0]}
    for name, kwargs in (("flat", {}), ("mean_hops", {"pooling": "mean"}), ("projected", project)):
        layer = layer_of(arrays, states.shape[-1], **kwargs)
        if name == "projected":
            layer.projection.set_weights([arrays["proj.kernel"], arrays["proj.bias"]])
        pooled = layer(states, mask=tf.constant(mask))[0]
        near(pooled, arrays[f"pooled_{name}"], name)
        assert pooled.shape[-1] == layer.output_dim
