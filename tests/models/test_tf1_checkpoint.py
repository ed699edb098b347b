"""The original graph, trained and saved by TensorFlow 1's own functions, and read back."""

import numpy as np
import pytest
import tensorflow as tf
from tf_keras.src.layers.rnn.legacy_cells import LSTMCell  # the cell that the original graph has

from keras_absa.data import AspectTask
from keras_absa.models import SelfAttentiveClassifier
from keras_absa.models.tf1_checkpoint import read_tf1_checkpoint

v1 = tf.compat.v1


def original_graph(arrays, layers=("layer/W_f1", "layer/b_f1", "layer/W_f2", "layer/b_f2")):
    """The graph of the reference arrays: (ids, labels, logits, loss)."""
    (batch, length), width = arrays["X"].shape, 2 * int(arrays["u"])
    attention_units, hops = arrays["W_s1"].shape[0], arrays["W_s2"].shape[0]
    ids, labels = v1.placeholder(tf.int32, [batch, length]), v1.placeholder(tf.int32, [batch])

    def weight(name, value):
        return v1.get_variable(name, initializer=tf.constant(value))

    embedding = weight("word_embedding", arrays["embedding"])
    with v1.variable_scope("bilstm"):
        cells = [LSTMCell(int(arrays["u"])) for _ in range(2)]
        states, _ = v1.nn.bidirectional_dynamic_rnn(*cells, tf.nn.embedding_lookup(embedding, ids), dtype=tf.float32)
    columns = tf.reshape(tf.concat(states, axis=-1), [width, -1])
    w_s1, w_s2 = weight("attention/W_s1", arrays["W_s1"]), weight("attention/W_s2", arrays["W_s2"])
    weights = tf.reshape(tf.nn.softmax(w_s2 @ tf.tanh(w_s1 @ columns)), [-1, hops, length])
    sentence = tf.reshape(weights @ tf.concat(states, axis=-1), [-1, width * hops])
    hidden = tf.nn.relu(sentence @ weight(layers[0], arrays["fc1.kernel"]) + weight(layers[1], arrays["fc1.bias"]))
    logits = hidden @ weight(layers[2], arrays["fc2.kernel"]) + weight(layers[3], arrays["fc2.bias"])
    excess = tf.square(tf.matmul(weights, weights, transpose_b=True) - tf.eye(hops))
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    penalty = float(arrays["penalty_coef"]) * tf.norm(excess, axis=[-2, -1])
    assert attention_units == w_s1.shape[0]
    return ids, labels, logits, tf.reduce_mean(surprise + penalty)


@pytest.fixture(scope="module")
def arrays(golden_dir):
    return dict(np.load(golden_dir / "self_attentive_reference.npz", allow_pickle=False))


@pytest.fixture(scope="module")
def checkpoint(arrays, tmp_path_factory):
    """(prefix, the graph's logits before and after two steps); saved after them."""
    prefix = tmp_path_factory.mktemp("tf1") / "model.ckpt"
    with tf.Graph().as_default(), v1.Session() as session:
        ids, labels, logits, loss = original_graph(arrays)
        step = v1.train.AdamOptimizer(0.01).minimize(loss, global_step=v1.train.get_or_create_global_step())
        session.run(v1.global_variables_initializer())
        kernels = {
            variable.op.name: variable for variable in v1.trainable_variables() if "lstm_cell" in variable.op.name
        }
        for way in ("fw", "bw"):
            for part in ("kernel", "bias"):
                (variable,) = (each for name, each in kernels.items() if f"/{way}/" in name and name.endswith(part))
                variable.load(arrays[f"tf1.{way}_{part}"], session)
        feed = {ids: arrays["X"], labels: arrays["y"]}
        before = session.run(logits, feed)
        for _ in range(2):
            session.run(step, feed)
        v1.train.Saver().save(session, str(prefix), global_step=2)
        return prefix.with_name("model.ckpt-2"), before, session.run(logits, feed)


def task(arrays, name="golden"):
    return AspectTask(name, aspects=("all",), labels=tuple(f"label {n}" for n in range(arrays["fc2.bias"].size)))


def words(arrays):
    return ["[PAD]", *(f"w{n}" for n in range(1, len(arrays["embedding"]) - 1)), "[UNK]"]


def load(checkpoint, arrays, path=None, **kwargs):
    vocabulary = kwargs.pop("vocabulary", words(arrays))
    return SelfAttentiveClassifier.from_tf1_checkpoint(path or checkpoint[0], task(arrays), vocabulary, **kwargs)


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore:The reference variant")
def test_logits_are_those_of_the_graph(arrays, checkpoint):
    np.testing.assert_allclose(checkpoint[1], arrays["out.logits"], atol=1e-5)  # it is the original graph
    model = load(checkpoint, arrays)
    assert model.load_report.unused == [] and len(model.load_report.loaded) == len(model.weights)
    place = np.array([model.tokenizer.vocabulary.index(word) for word in words(arrays)])
    inputs = {
        "input_ids": place[arrays["X"]],
        "attention_mask": np.ones_like(arrays["X"]),
        "context_ids": 0 * arrays["y"],
    }
    logits = model({key: tf.constant(value, tf.int32) for key, value in inputs.items()})
    np.testing.assert_allclose(logits, checkpoint[2], atol=1e-5)
    assert np.abs(logits - checkpoint[1]).max() > 1e-3  # the two steps were read, too
    # From here on it is a model like any other, in the paper's form as well.
    paper = load(checkpoint, arrays, checkpoint[0].parent, variant="paper", penalty_coef=0.1)
    assert paper.attention.variant == "paper" and paper.predict_aspects(["w1 w2"])[0][0].aspect == "all"


def test_what_does_not_belong_together(arrays, checkpoint, tmp_path):
    with pytest.raises(FileNotFoundError, match="no TensorFlow checkpoint"):
        load(checkpoint, arrays, tmp_path)
    with pytest.raises(
        ValueError, match=r"must give each of the embedding's \d+ rows a word of its own.*received 2 words"
    ):
        load(checkpoint, arrays, vocabulary=["[PAD]", "[UNK]"])
    with pytest.raises(ValueError, match="must have one context and the graph's"):
        other = AspectTask("other", aspects=("a", "b"), labels=("x", "y"))
        SelfAttentiveClassifier.from_tf1_checkpoint(checkpoint[0], other, words(arrays))
    with pytest.raises(ValueError, match=r"(?s)`names` must lead from .*received \['w_s3'\].*\n  attention/W_s1 \["):
        read_tf1_checkpoint(checkpoint[0], {"w_s3": "attention/W_s1"})


def saved(path, weights):
    """A checkpoint of arrays by name."""
    with tf.Graph().as_default(), v1.Session() as session:
        for name, value in weights.items():
            v1.get_variable(name, initializer=tf.constant(value))
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(path))


def test_other_names(tmp_path):
    """E = 3, U = 1, A = R = 2, F = C = 4, V = 7: W_s1 [2, 2] and W_s2 [2, 2], and the two biases, differ by name only."""
    shapes = {"a": (7, 3), "b": (2, 2), "c": (2, 2), "d": (4, 4), "e": (4, 4), "f": (4,), "g": (4,)}
    cells = {
        f"x/{way}/cell/{part}": shape for way in ("fw", "bw") for part, shape in (("kernel", (4, 4)), ("bias", (4,)))
    }
    arrays = {
        name: np.random.default_rng(at).normal(size=shape).astype("float32")
        for at, (name, shape) in enumerate({**shapes, **cells, "unrelated": (2, 2, 2)}.items())
    }
    path = saved(tmp_path / "alike", arrays)
    with pytest.raises(ValueError, match="received 8 ways to take them. Name them in `names`"):
        read_tf1_checkpoint(path)
    names = {"w_s1": "c", "hidden_kernel": "e", "hidden_bias": "g"}
    read, unused = read_tf1_checkpoint(path, names)
    for part, name in {
        **names,
        "embedding": "a",
        "w_s2": "b",
        "classifier_kernel": "d",
        "classifier_bias": "f",
    }.items():
        np.testing.assert_array_equal(read[part], arrays[name])
    np.testing.assert_array_equal(read["bw_kernel"], arrays["x/bw/cell/kernel"])
    assert unused == ["unrelated"]

    hinted = {"c": "W_s1", "b": "W_s2", "e": "fc1/w", "d": "fc2/w"}
    path = saved(tmp_path / "hinted", {hinted.get(name, name): value for name, value in arrays.items()})
    read, _ = read_tf1_checkpoint(path, {"hidden_bias": "g"})
    np.testing.assert_array_equal(read["w_s1"], arrays["c"])
    np.testing.assert_array_equal(read["hidden_kernel"], arrays["e"])

    del arrays["d"]
    with pytest.raises(ValueError, match="received no weights that fit each other"):
        read_tf1_checkpoint(saved(tmp_path / "few", arrays))
    del arrays["x/fw/cell/kernel"]
    with pytest.raises(
        ValueError, match=r"one weight in a scope like fw/lstm_cell/kernel for fw_kernel: received \[\]"
    ):
        read_tf1_checkpoint(saved(tmp_path / "fewer", arrays))


NAMES = {
    "w_s1": "c",
    "w_s2": "b",
    "hidden_kernel": "e",
    "hidden_bias": "g",
    "classifier_kernel": "d",
    "classifier_bias": "f",
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x/fw/cell/bias": np.zeros(6, "float32")}, r"must have LSTM kernels \[E \+ U, 4 U\].*'fw_bias': \[6\]"),
        (
            {"x/bw/cell/kernel": np.zeros((5, 4), "float32")},
            r"alike in both directions: received.*'bw_kernel': \[5, 4\]",
        ),
        ({"x/fw/cell/kernel": np.zeros((4, 4, 1), "float32")}, r"received.*'fw_kernel': \[4, 4, 1\]"),
        (
            {"e": np.full((4, 4), np.nan, "float32")},
            "'e' must hold finite floats: received numbers that are not finite",
        ),
        ({"a": np.zeros((7, 3), "int32")}, "'a' must hold finite floats: received int32"),
    ],
)
def test_weights_that_no_graph_has(tmp_path, changes, message):
    shapes = {"a": (7, 3), "b": (2, 2), "c": (2, 2), "d": (4, 4), "e": (4, 4), "f": (4,), "g": (4,)}
    cells = {
        f"x/{way}/cell/{part}": (4, 4)[: 2 - (part == "bias")] for way in ("fw", "bw") for part in ("kernel", "bias")
    }
    arrays = {name: np.ones(shape) for name, shape in {**shapes, **cells}.items()}  # float64
    read, _ = read_tf1_checkpoint(saved(tmp_path / "whole", arrays), NAMES)
    assert all(array.dtype == "float32" for array in read.values())
    with pytest.raises(ValueError, match=message):
        read_tf1_checkpoint(saved(tmp_path / "wrong", {**arrays, **changes}), NAMES)
