"""QACG-BERT's attention with numbers that can be followed by hand: one head of width 2, two tokens."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.layers import QuasiAttention
from tests.layers.helpers import assign, call, random_inputs, randomize

LN3 = np.log(3.0)  # sigmoid(ln 3) = 3/4, sigmoid(-ln 3) = 1/4
EYE = np.eye(2, dtype="float32")[None]
ZEROS = np.zeros((1, 2, 2), "float32")
NO_PADDING = np.zeros((1, 1, 1, 2), "float32")


def layer_of(**kwargs):
    layer = QuasiAttention(1, **kwargs)
    layer.build(tf.TensorShape([None, None, 2]))
    return layer


@pytest.mark.parametrize(
    "alpha, beta, gamma, gate, quasi",
    [
        (1, 1, 1, -0.5, [0.75, 0.5]),
        (2, 1, 1, -0.5, [1.5, 1.0]),
        (1, 0.4, 0, 0.7, [0.75, 0.5]),
        (1, 0, 0.8, 0.4, [0.75, 0.5]),
    ],
)
def test_by_hand(alpha, beta, gamma, gate, quasi):
    layer = layer_of(alpha=alpha, beta=beta, gamma=gamma)
    # Queries and keys are zero: self attention is 1/2. Both gates are sigmoid(ln 3) = 3/4, by their biases.
    maps = {"context_query_kernel": EYE[0], "context_key_kernel": EYE[0]}
    assign(layer, **maps, query_gate_bias=[LN3], key_context_gate_bias=[LN3])
    # Context scores: ln 3 for a token with itself, 0 with the other one.
    context = EYE * np.sqrt(LN3 * np.sqrt(2)).astype("float32")
    output, maps = call(layer, ZEROS, ZEROS, EYE, context, NO_PADDING, return_attention=True)
    np.testing.assert_allclose(maps["self_attention"][0, 0], [[0.5, 0.5], [0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(maps["quasi_attention"][0, 0], [quasi, quasi[::-1]], atol=1e-6)
    np.testing.assert_allclose(maps["lambda_attention"][0, 0, :, 0], [gate, gate], atol=1e-6)
    own, other = 0.5 + gate * quasi[0], 0.5 + gate * quasi[1]
    np.testing.assert_allclose(maps["gated_quasi"][0, 0, 0], np.multiply(gate, quasi), atol=1e-6)
    np.testing.assert_allclose(output[0], [[own, other], [other, own]], atol=1e-6)  # the values are the identity


def test_the_key_gate_is_read_at_the_querys_position():
    layer = assign(layer_of(), key_gate=[LN3, 0])
    key = np.array([[[1, 0], [0, 0]]], "float32")
    output = call(layer, ZEROS, key, EYE, ZEROS, NO_PADDING)
    # Row 0: lambda = 1 - (1/2 + 3/4) = -1/4 times quasi 1/2, on both of its keys; row 1: lambda = 0.
    np.testing.assert_allclose(output[0], [[0.375, 0.375], [0.5, 0.5]], atol=1e-6)


def test_each_gate_reads_its_own_input():
    gates = {"query_gate": [1, 0], "query_context_gate": [0, 1], "key_gate": [2, 0], "key_context_gate": [0, 2]}
    layer = assign(layer_of(), context_query_kernel=EYE[0], context_key_kernel=3 * EYE[0], **gates)
    query, key, context = (np.array([[[1, 9], [2, 9]]], "float32") * scale for scale in (0.1, 0.2, 0.01))
    maps = call(layer, query, key, key, context, NO_PADDING, return_attention=True)[1]
    inner = np.log(maps["lambda_query"] / (1 - maps["lambda_query"])).ravel()
    np.testing.assert_allclose(inner, [0.1 + 0.09, 0.2 + 0.09], atol=1e-5)
    inner = np.log(maps["lambda_key"] / (1 - maps["lambda_key"])).ravel()
    np.testing.assert_allclose(inner, [0.4 + 2 * 0.27, 0.8 + 2 * 0.27], atol=1e-5)


def test_negative_l1_by_hand():
    layer = assign(layer_of(similarity="negative_l1"), context_query_kernel=EYE[0], context_key_kernel=EYE[0])
    context = np.array([[[0, 0], [np.sqrt(2) * LN3, 0]]], "float32")  # distance sqrt(2) ln 3, divided by sqrt(2)
    maps = call(layer, ZEROS, ZEROS, EYE, context, NO_PADDING, return_attention=True)[1]
    np.testing.assert_allclose(maps["quasi_attention"][0, 0], [[0.5, 0.25], [0.25, 0.5]], atol=1e-6)


@pytest.mark.parametrize("quasi_map", ["full", "shared"])
def test_negative_l1_against_numpy(quasi_map):
    layer, inputs = QuasiAttention(3, similarity="negative_l1", quasi_map=quasi_map), random_inputs(padded=0)
    call(layer, *inputs)
    maps = call(randomize(layer, std=0.1), *inputs, return_attention=True)[1]
    query, key = maps["context_query"].numpy(), maps["context_key"].numpy()
    scores = -np.abs(query[:, :, :, None] - key[:, :, None]).sum(-1) / np.sqrt(8)
    np.testing.assert_allclose(
        maps["quasi_attention"], np.broadcast_to(1 / (1 + np.exp(-scores)), (2, 3, 6, 6)), atol=1e-5
    )


@pytest.mark.parametrize("similarity", ["dot", "negative_l1"])
def test_shared_map_is_a_full_map_with_equal_blocks(similarity):
    shared, full = (QuasiAttention(3, quasi_map=name, similarity=similarity) for name in ("shared", "full"))
    inputs = random_inputs()
    for layer in (shared, full):
        layer.build(tf.TensorShape([None, None, 24]))
    randomize(shared)
    full.set_weights(shared_weight_tiled(shared))
    np.testing.assert_allclose(call(shared, *inputs), call(full, *inputs), atol=1e-5, rtol=1e-5)


def shared_weight_tiled(layer):
    return [np.tile(weight, 3) if weight.name.startswith("context") else weight.numpy() for weight in layer.weights]


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({}, 2 * (24 * 24 + 24) + 4 * (8 + 1)),
        ({"quasi_map": "shared"}, 2 * (24 * 8 + 8) + 4 * (8 + 1)),
        ({"gate_bias": False}, 2 * (24 * 24 + 24) + 4 * 8),
        ({"per_head_gates": True}, 2 * (24 * 24 + 24) + 3 * 4 * (8 + 1)),
    ],
)
def test_parameters(arguments, expected):
    layer = QuasiAttention(3, **arguments)
    layer.build(tf.TensorShape([None, None, 24]))
    assert layer.count_params() == expected


def test_attention_can_be_negative_and_its_rows_are_not_normalised():
    layer = assign(layer_of(), query_gate_bias=[20], key_gate_bias=[20])  # both gates 1, so lambda is -1
    key = np.array([[[9, 0], [-9, 0]]], "float32")
    query = np.array([[[9, 0], [9, 0]]], "float32")
    attention = call(layer, query, key, EYE, ZEROS, NO_PADDING, return_attention=True)[1]["attention"]
    np.testing.assert_allclose(attention[0, 0], [[0.5, -0.5], [0.5, -0.5]], atol=1e-5)


def test_context_dropout_is_apart_from_attention_dropout():
    layer, inputs = QuasiAttention(3, context_dropout=0.5, dropout=0.0), random_inputs()
    call(layer, *inputs)
    maps = [call(randomize(layer), *inputs, training=training, return_attention=True)[1] for training in (False, True)]
    np.testing.assert_array_equal(maps[0]["self_attention"], maps[1]["self_attention"])
    assert np.mean(maps[1]["context_query"] == 0) == pytest.approx(0.5, abs=0.1)
    assert np.mean(maps[1]["context_key"] == 0) == pytest.approx(0.5, abs=0.1)
    assert not np.any(maps[0]["context_query"] == 0)
    still = QuasiAttention(3, context_dropout=0.0, dropout=0.0)
    np.testing.assert_array_equal(call(still, *inputs, training=True), call(still, *inputs))
