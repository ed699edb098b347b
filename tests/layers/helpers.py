"""Shared by the tests of the attention plugs: golden weights into layers, and inputs to try them on."""

import numpy as np
import tensorflow as tf

# Attribute of a plug -> role in the golden files.
DENSE = {"context_query": "context_q", "context_key": "context_k"}
GATES = {
    "query_gate": "gate_q_query",
    "query_context_gate": "gate_q_context",
    "key_gate": "gate_k_key",
    "key_context_gate": "gate_k_context",
}


def plug_variables(layer):
    """Golden role -> (variable, shape in the golden file) of a plug's weights."""
    pairs = {}
    for attribute, role in DENSE.items():
        pairs[f"{role}/kernel"] = getattr(layer, f"{attribute}_kernel")
        pairs[f"{role}/bias"] = getattr(layer, f"{attribute}_bias")
    for attribute, role in GATES.items():
        kernel, bias = getattr(layer, attribute)
        pairs[f"{role}/kernel"] = kernel
        if bias is not None:
            pairs[f"{role}/bias"] = bias
    return pairs


def assign_attention(layer, arrays, prefix):
    """Puts a golden file's weights into a plug."""
    for role, variable in plug_variables(layer).items():
        variable.assign(arrays[prefix + role].reshape(variable.shape))


def project(hidden, arrays, prefix):
    """The encoder's query, key and value of hidden states [B, T, D], with a golden file's weights."""
    return [
        hidden @ arrays[f"{prefix}{name}/kernel"] + arrays[f"{prefix}{name}/bias"] for name in ("query", "key", "value")
    ]


def random_inputs(batch=2, tokens=6, width=24, padded=2, seed=0):
    """Query, key, value, context [B, T, D] and the additive mask [B, 1, 1, T]; the last row is padded."""
    rng = np.random.default_rng(seed)
    states = [rng.normal(size=(batch, tokens, width)).astype("float32") for _ in range(4)]
    mask = np.zeros((batch, 1, 1, tokens), "float32")
    if padded:
        mask[-1, :, :, -padded:] = -10000.0
    return *states, mask


def call(layer, query, key, value, context, mask, **kwargs):
    """Calls a plug with positional arrays."""
    query, key, value, context, mask = map(tf.convert_to_tensor, (query, key, value, context, mask))
    return layer(query, key, value, context=context, mask=mask, **kwargs)


def randomize(layer, std=0.5, seed=1):
    """Gives every weight of a built layer random values, so that gates are open and biases matter."""
    rng = np.random.default_rng(seed)
    for weight in layer.weights:
        weight.assign(rng.normal(scale=std, size=weight.shape))
    return layer


def assign(layer, **values):
    """Sets weights by attribute, a gate's kernel by the gate's name and its bias by `<gate>_bias`; all others to 0."""
    for weight in layer.weights:
        weight.assign(tf.zeros_like(weight))
    for name, value in values.items():
        variable = getattr(layer, name, None)
        if name in GATES:
            variable = variable[0]
        elif variable is None:
            variable = getattr(layer, name.removesuffix("_bias"))[1]
        variable.assign(tf.reshape(tf.cast(value, tf.float32), variable.shape))
    return layer


def plain_attention(query, key, value, mask, heads):
    """Softmax attention [B, T, D] in NumPy, head by head."""
    size = query.shape[-1] // heads
    blocks = []
    for start in range(0, query.shape[-1], size):
        q, k, v = (tensor[..., start : start + size] for tensor in (query, key, value))
        scores = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(size) + mask[:, 0])
        blocks.append(scores / scores.sum(-1, keepdims=True) @ v)
    return np.concatenate(blocks, axis=-1)
