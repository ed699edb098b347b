"""CG-BERT's attention with numbers that can be followed by hand: one head of width 1, two tokens."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.layers import ContextGuidedAttention
from tests.layers.helpers import assign, call, plain_attention, random_inputs, randomize

LN2 = np.log(2.0)


def column(*values):
    return np.array(values, "float32").reshape(1, -1, 1)


def layer_of(**kwargs):
    layer = ContextGuidedAttention(1, **kwargs)
    layer.build(tf.TensorShape([None, None, 1]))
    return layer


def test_tanh_gate_by_hand():
    # The gate sees the context only: tanh(artanh(1/2) * 1) = 1/2. The key's gate is closed.
    layer = assign(layer_of(), context_query_kernel=[[1]], query_context_gate=[np.arctanh(0.5)])
    query, key, value, context = column(3, 1), column(LN2, 0), column(1, 0), column(1, 1)
    output, maps = call(layer, query, key, value, context, np.zeros((1, 1, 1, 2), "float32"), return_attention=True)
    np.testing.assert_allclose(maps["lambda_query"].numpy().ravel(), [0.5, 0.5], atol=1e-6)
    np.testing.assert_allclose(maps["guided_query"].numpy().ravel(), [2, 1], atol=1e-6)  # half of 3 and 1, half of 1
    np.testing.assert_array_equal(maps["guided_key"].numpy().ravel(), key.ravel())
    # Token 0 scores 2 ln 2 and 0, so 4 : 1; token 1 scores ln 2 and 0, so 2 : 1.
    np.testing.assert_allclose(output.numpy().ravel(), [4 / 5, 2 / 3], atol=1e-6)


def test_sigmoid_gate_by_hand():
    # With all gates at zero a sigmoid is 1/2: half of each query and key is the context's.
    layer = assign(layer_of(gate_activation="sigmoid"), context_query_kernel=[[1]], context_key_bias=[LN2])
    query, key, value, context = column(3, 1), column(LN2, -LN2), column(1, 0), column(1, 1)
    output, maps = call(layer, query, key, value, context, np.zeros((1, 1, 1, 2), "float32"), return_attention=True)
    np.testing.assert_allclose(maps["guided_query"].numpy().ravel(), [2, 1], atol=1e-6)
    np.testing.assert_allclose(maps["guided_key"].numpy().ravel(), [LN2, 0], atol=1e-6)
    np.testing.assert_allclose(output.numpy().ravel(), [4 / 5, 2 / 3], atol=1e-6)


def test_each_gate_reads_its_own_input():
    gates = {"query_gate": 0.1, "query_context_gate": 0.2, "key_gate": 0.3, "key_context_gate": 0.4}
    layer = assign(layer_of(), context_query_kernel=[[1]], context_key_kernel=[[10]], **gates)
    query, key, context = column(1, 2), column(3, 4), column(0.5, 0)
    mask = np.zeros((1, 1, 1, 2), "float32")
    maps = call(layer, query, key, key, context, mask, return_attention=True)[1]
    np.testing.assert_allclose(maps["lambda_query"].numpy().ravel(), np.tanh([0.1 + 0.1, 0.2]), atol=1e-6)
    np.testing.assert_allclose(maps["lambda_key"].numpy().ravel(), np.tanh([0.9 + 2.0, 1.2]), atol=1e-6)


def test_a_closed_sigmoid_is_not_plain_attention():
    layer = ContextGuidedAttention(3, gate_activation="sigmoid")
    query, key, value, context, mask = random_inputs()
    call(layer, query, key, value, context, mask)
    assign(layer)
    assert (
        np.abs(call(layer, query, key, value, context, mask) - plain_attention(query, key, value, mask, 3)).max() > 0.1
    )


def test_one_map_serves_all_heads():
    """Each head maps its own slice of the context: moving the slices moves the heads."""
    layer, inputs = ContextGuidedAttention(3), random_inputs()
    call(layer, *inputs)
    randomize(layer)
    rolled = [np.roll(tensor, 8, axis=-1) for tensor in inputs[:4]]
    np.testing.assert_allclose(call(layer, *rolled, inputs[4]), np.roll(call(layer, *inputs), 8, axis=-1), atol=1e-5)


@pytest.mark.parametrize("gate_bias, expected", [(False, 2 * (64 + 8) + 4 * 8), (True, 2 * (64 + 8) + 4 * 9)])
def test_parameters(gate_bias, expected):
    layer = ContextGuidedAttention(3, gate_bias=gate_bias)
    layer.build(tf.TensorShape([None, None, 24]))
    assert layer.count_params() == expected
