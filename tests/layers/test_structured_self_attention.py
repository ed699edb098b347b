import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import StructuredSelfAttention

HALF = np.log(3.0) / 2  # tanh is 1/2 there


def states(batch=3, tokens=5, width=6, seed=0):
    return np.random.default_rng(seed).normal(size=(batch, tokens, width)).astype("float32")


MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]], bool)


def test_by_hand():
    """One unit that reads feature 0; hop 0 wants it high, hop 1 low. tanh(HALF) = 1/2, so that the scores are 1 and -1."""
    layer = StructuredSelfAttention(2, 1, pooling="none", return_attention=True)
    layer.build(tf.TensorShape([None, None, 2]))
    layer.w_s1.assign([[1.0, 0.0]])
    layer.w_s2.assign([[2.0], [-2.0]])
    tokens = np.array([[[HALF, 8.0], [-HALF, 16.0], [9.0, 9.0]]], "float32")
    matrix, attention = layer(tokens, mask=tf.constant([[1, 1, 0]]))
    high = np.e / (np.e + 1 / np.e)
    np.testing.assert_allclose(attention, [[[high, 1 - high, 0], [1 - high, high, 0]]], atol=1e-6)
    np.testing.assert_allclose(matrix[0, 0, 1], 8 * high + 16 * (1 - high), atol=1e-5)
    same, other = high**2 + (1 - high) ** 2, 2 * high * (1 - high)
    np.testing.assert_allclose(layer.overlap(attention), [[[same, other], [other, same]]], atol=1e-6)
    np.testing.assert_allclose(layer.penalties(attention), [2 * (same - 1) ** 2 + 2 * other**2], atol=1e-6)


@pytest.mark.parametrize(
    ("attention", "kwargs", "expected"),
    [
        (np.eye(2, 3), {}, 0.0),  # disjoint and sharp
        ([[1, 0, 0], [1, 0, 0]], {}, 2.0),  # twice the same token
        ([[1, 0, 0], [1, 0, 0]], {"penalty": "frobenius"}, 2.0**0.5),
        ([[1, 0, 0], [1, 0, 0]], {"penalty": "reference"}, 2.0**0.5),
        ([[0.5, 0.5, 0], [0, 0, 1]], {}, 0.25),
        ([[0.5, 0.5, 0], [0, 0, 1]], {"penalty": "frobenius"}, 0.5),
        ([[0.5, 0.5, 0], [0, 0, 1]], {"penalty": "reference"}, 0.25),
        ([[0.5, 0.5, 0], [0, 0, 1]], {"penalty_scale": "r2"}, 0.25 / 4),
        ([[0.5, 0.5, 0], [0, 0, 1]], {"penalty_scale": "n2"}, (0.25 + 3 - 2) / 9),
    ],
)
def test_penalties_by_hand(attention, kwargs, expected):
    layer = StructuredSelfAttention(2, 1, **kwargs)
    np.testing.assert_allclose(layer.penalties([attention]), [expected], atol=1e-6)


@pytest.mark.parametrize("penalty", ["squared_frobenius", "frobenius", "reference"])
def test_the_gradient_is_finite_where_there_is_no_excess(penalty):
    layer = StructuredSelfAttention(1, 2, penalty=penalty, penalty_coef=1.0)
    with tf.GradientTape() as tape:
        layer(states(tokens=1))
        loss = tf.add_n(layer.losses)
    assert loss == 0.0 and all(np.all(np.isfinite(each)) for each in tape.gradient(loss, layer.trainable_weights))


def test_padding_neighbours_and_order_do_not_matter():
    layer, inputs = StructuredSelfAttention(4, 3, return_attention=True), states()
    pooled, attention = layer(inputs, mask=tf.constant(MASK))
    np.testing.assert_allclose(np.sum(attention, axis=-1), np.ones((3, 4)), atol=1e-6)
    assert not np.any(attention.numpy().transpose(0, 2, 1)[~MASK])

    disturbed = np.where(MASK[..., None], inputs, 1e3).astype("float32")
    longer = np.concatenate([inputs, np.full((3, 2, 6), 7, "float32")], axis=1)
    long_mask = np.pad(MASK, ((0, 0), (0, 2)))
    order = [2, 0, 1]
    np.testing.assert_allclose(layer(disturbed, mask=tf.constant(MASK))[0], pooled, atol=1e-6)
    np.testing.assert_allclose(layer(longer, mask=tf.constant(long_mask))[0], pooled, atol=1e-6)
    np.testing.assert_allclose(
        layer(inputs[order], mask=tf.constant(MASK[order]))[0], tf.gather(pooled, order), atol=1e-6
    )
    np.testing.assert_allclose(layer(inputs[1:2], mask=tf.constant(MASK[1:2]))[0], pooled[1:2], atol=1e-6)
    np.testing.assert_allclose(layer(inputs[1:2, :2])[0], pooled[1:2], atol=1e-6)


def test_a_sentence_without_tokens_gives_zeros_and_finite_gradients():
    layer = StructuredSelfAttention(2, 3, return_attention=True, penalty_coef=0.5)
    with tf.GradientTape() as tape:
        pooled, attention = layer(states(), mask=tf.constant(MASK & [[True], [False], [True]]))
        loss = tf.reduce_sum(pooled) + tf.add_n(layer.losses)
    assert not np.any(pooled[1]) and not np.any(attention[1]) and np.any(pooled[0])
    assert all(np.all(np.isfinite(each)) for each in tape.gradient(loss, layer.trainable_weights))


def test_the_loss_and_the_metric_are_the_mean_penalty():
    layer = StructuredSelfAttention(3, 2, penalty_coef=0.25, return_attention=True)
    assert np.isnan(layer.penalty_metric.result())
    _, attention = layer(states(), mask=tf.constant(MASK), training=True)
    mean = np.mean(layer.penalties(attention))
    np.testing.assert_allclose(layer.losses, [0.25 * mean], rtol=1e-6)
    np.testing.assert_allclose(layer.penalty_metric.result(), mean, rtol=1e-6)
    layer(states(seed=1))
    np.testing.assert_allclose(layer.penalty_metric.result(), mean, rtol=1e-6, err_msg="evaluation must not count")
    silent = StructuredSelfAttention(3, 2)
    silent(states())
    assert not silent.losses


def test_biases_regularizer_and_dropouts():
    layer = StructuredSelfAttention(
        2, 3, use_bias=True, kernel_regularizer="l2", attention_dropout=0.5, dropout=0.5, return_attention=True
    )
    inputs = states()
    pooled, attention = layer(inputs)
    assert {weight.name.split(":")[0].split("/")[-1] for weight in layer.weights} == {"w_s1", "w_s2", "b_s1", "b_s2"}
    squares = sum(float(tf.reduce_sum(weight**2)) for weight in (layer.w_s1, layer.w_s2))
    np.testing.assert_allclose(tf.add_n(layer.losses), 0.01 * squares, rtol=1e-5)
    layer.b_s1.assign([5.0, 0.0, 0.0])
    assert np.abs(layer(inputs)[1] - attention).max() > 1e-3, "the bias inside tanh must move the weights"
    layer.b_s1.assign([0.0, 0.0, 0.0])
    layer.b_s2.assign([3.0, -3.0])
    np.testing.assert_allclose(layer(inputs)[1], attention, atol=1e-6, err_msg="a softmax ignores a hop's constant")

    layer.input_dropout.rate = layer.hidden_dropout.rate = 0.0
    dropped, quiet = layer(inputs, training=True)
    np.testing.assert_allclose(quiet, attention, atol=1e-6)
    assert 0.2 < np.mean(dropped.numpy() == 0) < 0.8
    np.testing.assert_allclose(dropped[dropped != 0], 2 * pooled[dropped != 0], rtol=1e-5)
    for dropout in (layer.input_dropout, layer.hidden_dropout):
        dropout.rate = 0.5
        assert np.abs(layer(inputs, training=True)[1] - attention).max() > 1e-3
        dropout.rate = 0.0


@pytest.mark.parametrize(("pooling", "shape"), [("flatten", 12), ("mean", 6), ("project", 7), ("none", 6)])
def test_pooling_and_a_round_trip(pooling, shape, tmp_path):
    layer = StructuredSelfAttention(2, 3, pooling=pooling, projection_units=7, penalty_coef=0.1, use_bias=True)
    inputs = keras.Input([None, 6])
    model = keras.Model(inputs, layer(inputs))
    pooled = model(states())
    assert pooled.shape == ((3, 2, 6) if pooling == "none" else (3, shape)) and layer.output_dim == shape
    copy = StructuredSelfAttention.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(states()), pooled)
    np.testing.assert_array_equal(loaded.losses, model.losses)


def test_a_mask_arrives_by_itself_and_stops_here():
    ids = np.array([[3, 4, 0, 0], [5, 6, 7, 1]])
    embedding = keras.layers.Embedding(9, 6, mask_zero=True)
    layer = StructuredSelfAttention(2, 3, return_attention=True)
    pooled, attention = layer(embedding(ids))
    assert not np.any(attention[0, :, 2:]) and np.all(attention[1] > 0)
    assert getattr(pooled, "_keras_mask", None) is None


def test_scores_run_in_float32_under_mixed_precision():
    layer = StructuredSelfAttention(2, 3, dtype="mixed_float16", return_attention=True, penalty_coef=0.1)
    pooled, attention = layer(states() * 100, mask=tf.constant(MASK))
    assert pooled.dtype == tf.float16 and attention.dtype == tf.float32 and layer.losses[0].dtype == tf.float32
    np.testing.assert_allclose(np.sum(attention, axis=-1), np.ones((3, 2)), atol=1e-6)
    exact = StructuredSelfAttention(2, 3)
    exact.build(tf.TensorShape([None, None, 6]))
    exact.set_weights(layer.get_weights())
    np.testing.assert_allclose(
        layer(states(), mask=tf.constant(MASK))[0], exact(states(), mask=tf.constant(MASK)), atol=2e-2
    )


def test_fit_learns_and_shows_the_penalty():
    """Which of two tokens marks the sentence decides; the penalty parts the hops."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(64, 4, 6)).astype("float32"), np.arange(64) % 2
    x[np.arange(64), rng.integers(0, 4, 64), 0] = np.where(y, 6, -6)
    layer = StructuredSelfAttention(2, 4, penalty_coef=1.0)
    model = keras.Sequential([layer, keras.layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.02), loss, metrics=["accuracy"])
    history = model.fit(x, y, epochs=25, verbose=0).history
    assert history["accuracy"][-1] > 0.9 and history["penalty"][-1] < 0.5 * history["penalty"][0]


def test_the_reference_variant_warns():
    with pytest.warns(UserWarning, match='mixes the sentences of a batch: .* Use variant="paper"'):
        layer = StructuredSelfAttention(2, 3, "reference", return_attention=True)
    with pytest.warns(UserWarning, match="has no mask: padding takes part"):
        masked = layer(states(), mask=tf.constant(MASK))[1]
    np.testing.assert_array_equal(masked, layer(states())[1])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"variant": "seed"}, r"`variant` must be one of \['paper', 'reference'\]: received 'seed'"),
        ({"penalty": "l1"}, "`penalty` must be one of"),
        ({"penalty_scale": "n"}, "`penalty_scale` must be one of"),
        ({"pooling": "max"}, "`pooling` must be one of"),
        ({"hops": 0}, "`hops` must be at least 1: received 0"),
        ({"penalty_coef": -1.0}, "`penalty_coef` must be a number from 0 on"),
        ({"penalty_coef": float("inf")}, "`penalty_coef` must be a number from 0 on: received inf"),
        ({"penalty": "frobenius", "penalty_scale": "n2"}, "is a mean of squares: received it with penalty='frobenius'"),
        ({"variant": "reference", "use_bias": True}, "has no bias, no dropout"),
        ({"variant": "reference", "dropout": 0.1}, "has no bias, no dropout"),
        ({"variant": "reference", "penalty": "frobenius"}, "has no bias, no dropout, and its own penalty"),
    ],
)
def test_errors(kwargs, message):
    with pytest.raises(ValueError, match=message):
        StructuredSelfAttention(**{"hops": 2, "attention_units": 3, **kwargs})
