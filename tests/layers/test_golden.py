"""The two attentions against arrays made with the authors' public code."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.layers import ContextGuidedAttention, QuasiAttention
from tests.layers.helpers import assign_attention, project

pytestmark = pytest.mark.golden


@pytest.fixture(scope="module")
def load(golden_dir):
    return lambda name: np.load(golden_dir / name, allow_pickle=False)


def run(layer, arrays):
    hidden, context = arrays["in/hidden_states"], arrays["in/context_matrix"]
    layer.build(tf.TensorShape(hidden.shape))
    assign_attention(layer, arrays, "w/")
    query, key, value = project(hidden, arrays, "w/")
    return layer(query, key, value, context=context, mask=arrays["in/additive_mask"], return_attention=True)


def heads_of(arrays):
    return arrays["exp/q_heads"].shape[1]


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_context_guided_attention(load, activation):
    arrays = load("cg_attention.npz")
    output, maps = run(ContextGuidedAttention(heads_of(arrays), gate_activation=activation), arrays)
    expected = {
        "attention": "attention_probs",
        "lambda_query": "lambda_q",
        "lambda_key": "lambda_k",
        "guided_query": "q_hat",
        "guided_key": "k_hat",
    }
    for name, golden in expected.items():
        np.testing.assert_allclose(maps[name], arrays[f"exp_{activation}/{golden}"], atol=1e-5, rtol=0, err_msg=name)
    for name, golden in {"context_query": "context_q", "context_key": "context_k"}.items():
        np.testing.assert_allclose(maps[name], arrays[f"exp/{golden}"], atol=1e-5, rtol=0, err_msg=name)
    np.testing.assert_allclose(output, arrays[f"exp_{activation}/attention_output"], atol=1e-5, rtol=0)


def test_quasi_attention(load):
    arrays = load("qacg_attention.npz")
    output, maps = run(QuasiAttention(heads_of(arrays)), arrays)
    expected = {
        "self_attention": "self_attention_probs",
        "quasi_attention": "quasi_attention",
        "lambda_query": "lambda_q",
        "lambda_key": "lambda_k",
        "lambda_attention": "lambda_a",
        "gated_quasi": "gated_quasi",
        "attention": "attention_weights",
    }
    for name, golden in expected.items():
        np.testing.assert_allclose(maps[name], arrays[f"exp/{golden}"], atol=1e-5, rtol=0, err_msg=name)
    np.testing.assert_allclose(output, arrays["exp/attention_output"], atol=1e-5, rtol=0)
    masked = arrays["in/attention_mask"][:, None, None, :] == 0
    assert not np.any(np.where(masked, maps["quasi_attention"], 0)), "quasi attention must be 0 at padded keys"


def test_quasi_attention_with_other_scalars(load):
    arrays = load("qacg_attention.npz")
    scalars = {name: float(arrays[f"abg/{name}"]) for name in ("alpha", "beta", "gamma")}
    output, maps = run(QuasiAttention(heads_of(arrays), **scalars), arrays)
    np.testing.assert_allclose(maps["lambda_attention"], arrays["abg/lambda_a"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(maps["attention"], arrays["abg/attention_weights"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(output, arrays["abg/attention_output"], atol=1e-5, rtol=0)
