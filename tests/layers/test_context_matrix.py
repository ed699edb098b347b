"""The context matrix: C = [E_c, H] W + b + E_c."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import ContextMatrix
from tests.layers.helpers import randomize


def context_and_states(batch=2, tokens=5, width=6):
    rng = np.random.default_rng(0)
    return (
        tf.constant(rng.normal(size=(batch, width)), tf.float32),
        tf.constant(rng.normal(size=(batch, tokens, width)), tf.float32),
    )


@pytest.mark.parametrize("size", [(2, 5, 6), (1, 1, 3)])
def test_shape(size):
    assert ContextMatrix()(*context_and_states(*size)).shape == size


def test_by_hand():
    layer = ContextMatrix()
    layer.build(tf.TensorShape([None, 2]))
    # The kernel's upper half belongs to the context (here times 1), the lower one to the hidden state (times 10).
    layer.kernel.assign([[1, 0], [0, 1], [10, 0], [0, 10]])
    layer.bias.assign([100, 200])
    matrix = layer(tf.constant([[1.0, 2.0]]), tf.constant([[[1.0, 0.0], [0.0, 1.0]]]))
    # Token 0: 1 + 10 + 100 and 2 + 0 + 200, plus the context itself once more.
    np.testing.assert_array_equal(matrix[0], [[1 + 10 + 100 + 1, 2 + 200 + 2], [1 + 100 + 1, 2 + 10 + 200 + 2]])


def test_equals_the_product_with_the_concatenation():
    layer, (context, states) = ContextMatrix(), context_and_states()
    layer(context, states)
    randomize(layer)
    repeated = np.repeat(context.numpy()[:, None], states.shape[1], axis=1)
    expected = np.concatenate([repeated, states], -1) @ layer.kernel.numpy() + layer.bias.numpy() + repeated
    np.testing.assert_allclose(layer(context, states), expected, atol=1e-5)


def test_config_round_trip_and_initial_spread():
    layer = ContextMatrix(context_init_std=0.3, name="matrix")
    assert ContextMatrix.from_config(layer.get_config()).get_config() == layer.get_config()
    again = keras.layers.deserialize(keras.layers.serialize(layer))
    assert type(again) is ContextMatrix and again.get_config() == layer.get_config()
    again(*context_and_states(width=64))
    assert np.std(again.kernel) == pytest.approx(0.3, rel=0.05)
    assert not np.any(again.bias)


def test_gradient_reaches_both_weights_and_both_inputs():
    layer, inputs = ContextMatrix(), context_and_states()
    layer(*inputs)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(layer(*inputs) ** 2)
    gradients = tape.gradient(loss, [*layer.trainable_weights, *inputs])
    assert len(gradients) == 4 and all(np.any(gradient) for gradient in gradients)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_eager_equals_graph(jit_compile):
    layer, inputs = ContextMatrix(), context_and_states()
    eager = layer(*inputs)
    np.testing.assert_allclose(tf.function(layer, jit_compile=jit_compile)(*inputs), eager, atol=1e-5)


def test_mixed_precision():
    inputs = context_and_states()
    full, mixed = ContextMatrix(), ContextMatrix(dtype="mixed_float16")
    expected = full(*inputs)
    mixed(*inputs)
    mixed.set_weights(full.get_weights())
    matrix = mixed(*inputs)
    assert matrix.dtype == tf.float16
    np.testing.assert_allclose(matrix, expected, atol=2e-2)


def test_widths_that_differ_are_refused():
    with pytest.raises(ValueError, match=r"must be as wide as.*received 8 and 6\. Give"):
        ContextMatrix()(tf.zeros([2, 6]), tf.zeros([2, 5, 8]))
