"""What holds for both attentions alike: every rule here is checked for each of their forms."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import ContextGuidedAttention, QuasiAttention
from tests.layers.helpers import GATES, call, plain_attention, random_inputs, randomize

HEADS, WIDTH = 3, 24
FORMS = {
    "cg_tanh": (ContextGuidedAttention, {}),
    "cg_sigmoid": (ContextGuidedAttention, {"gate_activation": "sigmoid", "gate_bias": True}),
    "cg_per_head": (ContextGuidedAttention, {"per_head_gates": True}),
    "quasi": (QuasiAttention, {}),
    "quasi_shared": (QuasiAttention, {"quasi_map": "shared", "gate_bias": False}),
    "quasi_l1_per_head": (QuasiAttention, {"similarity": "negative_l1", "per_head_gates": True, "alpha": 1.5}),
}
STARTS_AS_BERT = [name for name in FORMS if name != "cg_sigmoid"]


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def built(form, **kwargs):
    layer_class, arguments = form
    layer = layer_class(HEADS, **arguments, **kwargs)
    layer.build(tf.TensorShape([None, None, WIDTH]))
    return layer


@pytest.mark.parametrize("batch, tokens, width, heads", [(2, 6, 24, 3), (1, 1, 8, 2)])
def test_shapes(form, batch, tokens, width, heads):
    layer_class, arguments = form
    inputs = random_inputs(batch, tokens, width, padded=0)
    output, maps = call(layer_class(heads, **arguments), *inputs, return_attention=True)
    assert output.shape == (batch, tokens, width)
    for name, value in maps.items():
        last = (
            1
            if name.startswith("lambda")
            else tokens
            if "attention" in name or name == "gated_quasi"
            else width // heads
        )
        shared = arguments.get("quasi_map") == "shared" and name.startswith("context")
        assert value.shape == (batch, 1 if shared else heads, tokens, last), name
        assert value.dtype == tf.float32, name


def test_a_query_for_the_first_tokens_only(form):
    layer = built(form)
    randomize(layer, std=0.3)
    query, key, value, context, mask = random_inputs()
    whole, maps = layer(query, key, value, context=context, mask=mask, return_attention=True)
    some, some_maps = layer(query[:, :2], key, value, context=context, mask=mask, return_attention=True)
    np.testing.assert_allclose(some, whole[:, :2], atol=1e-6)
    for name, value in some_maps.items():
        np.testing.assert_allclose(value, maps[name][:, :, : value.shape[2]], atol=1e-6, err_msg=name)
    assert some_maps["attention"].shape[2] == 2


def test_config_round_trip(form):
    layer = built(form, dropout=0.3, gate_init_std=0.2, context_init_std=0.4, name="plug")
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.get_config() != type(layer)(HEADS, name="plug").get_config()
    again = keras.layers.deserialize(keras.layers.serialize(layer))
    assert type(again) is type(layer) and again.get_config() == layer.get_config()
    inputs = random_inputs()
    call(again, *inputs)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(call(again, *inputs), call(layer, *inputs))


def test_initial_values(form):
    layer_class, arguments = form
    layer = layer_class(4, gate_init_std=0.1, context_init_std=0.5, **arguments)
    layer.build(tf.TensorShape([None, None, 1024]))
    for name in ("context_query", "context_key"):
        assert np.std(getattr(layer, f"{name}_kernel")) == pytest.approx(0.5, rel=0.05)
        assert not np.any(getattr(layer, f"{name}_bias"))
    for name in GATES:
        kernel, bias = getattr(layer, name)
        assert np.std(kernel) == pytest.approx(0.1, rel=0.25)
        assert bias is None or not np.any(bias)
    kernels = [weight.numpy().ravel()[:8].tolist() for weight in layer.weights if "kernel" in weight.name]
    assert len(kernels) == 6 and all(kernels.count(kernel) == 1 for kernel in kernels), "each weight has its own draw"


@pytest.mark.parametrize("name", STARTS_AS_BERT)
def test_closed_gates_leave_plain_attention(name):
    layer, inputs = randomize(built(FORMS[name])), random_inputs()
    for gate in GATES:
        for weight in getattr(layer, gate):
            if weight is not None:
                weight.assign(tf.zeros_like(weight))
    output = call(layer, *inputs)
    query, key, value, context, mask = inputs
    np.testing.assert_allclose(output, plain_attention(query, key, value, mask, HEADS), atol=1e-5)
    # Exactly: not a bit depends on the context or on its maps.
    np.testing.assert_array_equal(output, call(layer, query, key, value, 3 * context + 1, mask))


def test_the_context_matters(form):
    layer, (query, key, value, context, mask) = randomize(built(form)), random_inputs(padded=0)
    change = np.abs(call(layer, query, key, value, context, mask) - call(layer, query, key, value, -context, mask))
    assert change.max(axis=-1).min() > 1e-3, "every token of every row sees the context"


def test_what_is_padding_changes_no_real_token(form):
    layer, inputs = randomize(built(form)), random_inputs(padded=2)
    changed = [tensor.copy() for tensor in inputs]
    for tensor in changed[:4]:
        tensor[-1, -2:] = 50.0
    before, after = call(layer, *inputs), call(layer, *changed)
    np.testing.assert_array_equal(before[0], after[0])
    np.testing.assert_array_equal(before[1, :-2], after[1, :-2])
    assert np.abs(before[1, -2:] - after[1, -2:]).max() > 1e-3


def test_more_padding_changes_no_real_token(form):
    layer, inputs = randomize(built(form)), random_inputs(padded=2)
    longer = [np.pad(tensor, [(0, 0), (0, 3), (0, 0)], constant_values=7.0) for tensor in inputs[:4]]
    mask = np.pad(inputs[4], [(0, 0), (0, 0), (0, 0), (0, 3)], constant_values=-10000.0)
    np.testing.assert_allclose(call(layer, *longer, mask)[:, :6], call(layer, *inputs), atol=1e-6, rtol=1e-6)


def test_a_row_of_padding_gives_zeros_and_finite_gradients(form):
    layer, inputs = randomize(built(form)), [tf.constant(tensor) for tensor in random_inputs(padded=6)]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        output = call(layer, *inputs)
        loss = tf.reduce_sum(output**2)
    assert not np.any(output[1]) and np.any(output[0])
    gradients = tape.gradient(loss, [*layer.trainable_weights, *inputs])
    assert all(np.all(np.isfinite(gradient)) for gradient in gradients)


def test_returning_the_attention_changes_nothing(form):
    layer, inputs = randomize(built(form)), random_inputs()
    output, maps = call(layer, *inputs, return_attention=True)
    np.testing.assert_array_equal(output, call(layer, *inputs))
    value = inputs[2].reshape(2, 6, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
    product = (maps["attention"] @ value).numpy().transpose(0, 2, 1, 3).reshape(2, 6, WIDTH)
    np.testing.assert_allclose(output, product, atol=1e-5, rtol=1e-5)


def test_gradient_reaches_every_weight(form):
    layer, inputs = built(form), random_inputs()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(call(layer, *inputs) ** 2)
    gradients = tape.gradient(loss, layer.trainable_weights)
    assert len(gradients) == len(layer.weights) > 0
    for weight, gradient in zip(layer.trainable_weights, gradients, strict=True):
        assert gradient is not None and np.abs(gradient).max() > 1e-8, weight.name


@pytest.mark.parametrize("jit_compile", [False, True])
def test_eager_equals_graph(form, jit_compile):
    layer, inputs = randomize(built(form)), random_inputs()
    graph = tf.function(lambda *tensors: call(layer, *tensors), jit_compile=jit_compile)
    np.testing.assert_allclose(graph(*map(tf.constant, inputs)), call(layer, *inputs), atol=1e-5, rtol=1e-5)


def test_mixed_precision(form):
    full, mixed, inputs = randomize(built(form), std=0.2), built(form, dtype="mixed_float16"), random_inputs()
    mixed.set_weights(full.get_weights())
    half = [tensor.astype("float16") for tensor in inputs]
    output, maps = call(mixed, *half, return_attention=True)
    assert output.dtype == tf.float16 and all(value.dtype == tf.float32 for value in maps.values())
    np.testing.assert_allclose(tf.cast(output, tf.float32), call(full, *inputs), atol=2e-2)


def test_dropout_works_in_training_only(form):
    layer, inputs = randomize(built(form, dropout=0.5)), random_inputs()
    np.testing.assert_array_equal(call(layer, *inputs), call(layer, *inputs, training=False))
    assert np.any(call(layer, *inputs, training=True) != call(layer, *inputs))


def test_per_head_gates(form):
    """With the same vector in every head, one gate a head is one gate for all."""
    layer_class, arguments = form
    arguments = {key: value for key, value in arguments.items() if key != "per_head_gates"}
    shared, inputs = randomize(built((layer_class, arguments))), random_inputs()
    single = randomize(built((layer_class, arguments), per_head_gates=True))
    gate_weights = [weight for gate in GATES for weight in getattr(shared, gate) if weight is not None]
    assert single.count_params() - shared.count_params() == (HEADS - 1) * sum(
        np.size(weight) for weight in gate_weights
    )
    for name in ("context_query_kernel", "context_query_bias", "context_key_kernel", "context_key_bias"):
        getattr(single, name).assign(getattr(shared, name))
    for gate in GATES:
        for own, common in zip(getattr(single, gate), getattr(shared, gate), strict=True):
            if own is not None:
                own.assign(np.repeat(common, HEADS, axis=0))
    np.testing.assert_allclose(call(single, *inputs), call(shared, *inputs), atol=1e-5, rtol=1e-5)

    # Another vector in head 1 moves the lambda of head 1 only.
    before = call(single, *inputs, return_attention=True)[1]["lambda_query"]
    single.query_gate[0].assign(tf.tensor_scatter_nd_add(single.query_gate[0], [[1]], tf.ones([1, WIDTH // HEADS])))
    after = call(single, *inputs, return_attention=True)[1]["lambda_query"]
    moved = np.abs(after - before).max(axis=(0, 2, 3))
    assert moved[1] > 1e-2 and moved[0] == moved[2] == 0


@pytest.mark.parametrize("layer_class", [ContextGuidedAttention, QuasiAttention])
def test_gate_bias(layer_class):
    without, with_bias = (built((layer_class, {"gate_bias": bias})) for bias in (False, True))
    assert with_bias.count_params() - without.count_params() == len(GATES)
    assert without.query_gate[1] is None
    inputs = random_inputs()
    lambdas = [call(with_bias, *inputs, return_attention=True)[1]["lambda_query"]]
    with_bias.query_gate[1].assign([2.0])
    lambdas.append(call(with_bias, *inputs, return_attention=True)[1]["lambda_query"])
    inverse = np.arctanh if layer_class is ContextGuidedAttention else lambda p: np.log(p / (1 - p))
    np.testing.assert_allclose(inverse(lambdas[1]) - inverse(lambdas[0]), 2.0, atol=1e-4)


@pytest.mark.parametrize("layer_class", [ContextGuidedAttention, QuasiAttention])
def test_a_width_that_does_not_divide_is_refused(layer_class):
    with pytest.raises(ValueError, match=r"multiple of `num_heads`: received width 24 and num_heads=5.*\. Use"):
        call(layer_class(5), *random_inputs())


@pytest.mark.parametrize(
    "layer_class, name",
    [(ContextGuidedAttention, "gate_activation"), (QuasiAttention, "quasi_map"), (QuasiAttention, "similarity")],
)
def test_unknown_choices_are_refused(layer_class, name):
    with pytest.raises(ValueError, match=rf"`{name}` must be one of \['\w+', '\w+'\]: received 'cosine'\. \w+"):
        layer_class(3, **{name: "cosine"})
