"""The layers of the joint encoder give the reference arrays; what is easily got wrong does not."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.layers import (
    FeatureBranch,
    Glimpse,
    GuidedAttentionUnit,
    JointEncoderBlock,
    JointEncoderStack,
    KeyMaskedAttention,
    SelfAttentionUnit,
    SelfGuidedAttentionUnit,
    UnbiasedLayerNormalization,
    WordBranch,
)

pytestmark = pytest.mark.golden
TOLERANCE = {"atol": 1e-5, "rtol": 0}


@pytest.fixture
def golden(golden_dir):
    def read(name):
        return dict(np.load(golden_dir / f"tbje_{name}.npz", allow_pickle=False))

    return read


def assign(layer, arrays, prefix):
    """Puts a golden file's weights into a built layer; it must have just these."""
    named = layer.named_weights()
    assert {f"{prefix}.{name}" for name in named} == {name for name in arrays if name.startswith(f"{prefix}.")}
    assert len(named) == len(layer.weights)
    for name, weight in named.items():
        weight.assign(arrays[f"{prefix}.{name}"])


def real(mask):
    """The golden masks are true at padding."""
    return tf.constant(~mask)


def inner_units(arrays, prefix):
    return arrays[f"{prefix}.fc1.bias"].size


def test_layer_normalization(golden):
    arrays = golden("layernorm")
    layer = UnbiasedLayerNormalization(epsilon=float(arrays["eps"]))
    layer.build(arrays["x"].shape)
    layer.gamma.assign(arrays["norm.gamma"])
    layer.beta.assign(arrays["norm.beta"])
    x = tf.constant(arrays["x"])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
        total = tf.reduce_sum(y * arrays["cotangent"])
    np.testing.assert_allclose(y, arrays["y"], **TOLERANCE)
    assert np.abs(y - arrays["y_standard_layernorm"]).max() > 0.1
    grads = tape.gradient(total, [x, layer.gamma, layer.beta])
    for gradient, name in zip(grads, ("grad_x", "grad_gamma", "grad_beta"), strict=True):
        np.testing.assert_allclose(gradient, arrays[name], atol=1e-4, rtol=1e-4)  # a constant row's is a million


@pytest.mark.parametrize("kind", ["masked", "unmasked"])
def test_attention(golden, kind):
    arrays = golden("mhatt")
    layer = KeyMaskedAttention(int(arrays["heads"]))
    layer.build(arrays["q"].shape)
    assign(layer, arrays, "mhatt")
    mask = real(arrays["key_mask"]) if kind == "masked" else None
    states = {name: tf.constant(arrays[letter]) for name, letter in (("query", "q"), ("key", "k"), ("value", "v"))}
    output, weights = layer(**states, mask=mask, return_attention=True)
    np.testing.assert_allclose(output, arrays[f"out_{kind}"], **TOLERANCE)
    np.testing.assert_allclose(weights, arrays[f"att_map_{kind}"], **TOLERANCE)


@pytest.mark.parametrize("kind", ["masked", "unmasked"])
def test_units(golden, kind):
    arrays = golden("sa")
    layer = SelfAttentionUnit(int(arrays["heads"]), inner_units(arrays, "sa.ffn"))
    layer.build(arrays["y"].shape)
    assign(layer, arrays, "sa")
    output = layer(tf.constant(arrays["y"]), mask=real(arrays["y_mask"]) if kind == "masked" else None)
    np.testing.assert_allclose(output, arrays[f"out_{kind}"], **TOLERANCE)

    arrays = golden("sga")
    layer = SelfGuidedAttentionUnit(int(arrays["heads"]), inner_units(arrays, "sga.ffn"))
    layer.build(arrays["x"].shape)
    assign(layer, arrays, "sga")
    masks = {"mask": real(arrays["x_mask"]), "guide_mask": real(arrays["y_mask"])} if kind == "masked" else {}
    output = layer(tf.constant(arrays["x"]), tf.constant(arrays["y"]), **masks)
    np.testing.assert_allclose(output, arrays[f"out_{kind}"], **TOLERANCE)


def test_guided_unit_is_the_second_half_of_the_third(golden):
    """GA has no array of its own: with SGA's guided attention it must continue what SGA's self-attention leaves."""
    arrays = golden("sga")
    heads, inner = int(arrays["heads"]), inner_units(arrays, "sga.ffn")
    whole, guided = SelfGuidedAttentionUnit(heads, inner), GuidedAttentionUnit(heads, inner)
    own = KeyMaskedAttention(heads)
    for layer in (whole, guided, own):
        layer.build(arrays["x"].shape)
    assign(whole, arrays, "sga")
    renamed = {"mhatt2": "mhatt", "norm2": "norm1", "norm3": "norm2", "ffn": "ffn"}
    parts = {}
    for name, value in arrays.items():
        group, _, rest = name.removeprefix("sga.").partition(".")
        if name.startswith("sga.") and group in renamed:
            parts[f"ga.{renamed[group]}.{rest}"] = value
    assign(guided, parts, "ga")
    assign(own, arrays, "sga.mhatt1")
    x, guide = tf.constant(arrays["x"]), tf.constant(arrays["y"])
    mask, guide_mask = real(arrays["x_mask"]), real(arrays["y_mask"])
    halfway = whole.norms[0](x + own(x, x, mask=mask))
    np.testing.assert_allclose(guided(halfway, guide, guide_mask=guide_mask), arrays["out_masked"], **TOLERANCE)


@pytest.mark.parametrize("kind", ["masked", "unmasked"])
@pytest.mark.parametrize("name", ["glimpse", "merge1", "merge3"])
def test_glimpses(golden, name, kind):
    arrays = golden("attflat")
    merged = arrays.get(f"{name}.merge.bias")
    glimpses = arrays[f"{name}.mlp.fc2.bias"].size
    layer = Glimpse(glimpses, inner_units(arrays, f"{name}.mlp"), None if merged is None else merged.size)
    layer.build(arrays["x"].shape)
    assign(layer, arrays, name)
    mask = real(arrays["x_mask"]) if kind == "masked" else None
    output, weights = layer(tf.constant(arrays["x"]), mask=mask, return_attention=True)
    np.testing.assert_allclose(output, arrays[f"out_{name}_{kind}"], **TOLERANCE)
    np.testing.assert_allclose(tf.reduce_sum(weights, axis=-1), 1.0, atol=1e-5)


def block(arrays, place, **kwargs):
    prefix = f"block{place}"
    lengths = arrays["x"].shape[1], arrays["y"].shape[1]
    inner = inner_units(arrays, f"{prefix}.sa_lang.ffn")
    own = {"glimpse": f"{prefix}.norm_lang.gamma" in arrays, **kwargs}
    layer = JointEncoderBlock(lengths, int(arrays["heads"]), inner, **own)
    layer.build([arrays["x"].shape, arrays["y"].shape])
    assign(layer, arrays, prefix)
    return layer


def test_blocks(golden):
    arrays = golden("block")
    states = [tf.constant(arrays["x"]), tf.constant(arrays["y"])]
    masks = [real(arrays["x_mask"]), real(arrays["y_mask"])]
    last = block(arrays, 2)
    from_inputs = last(states, masks=masks)
    for place, (name, mask) in enumerate((("first", masks), ("middle", None), ("last", None))):
        states = block(arrays, place)(states, masks=mask)
        for letter, each in zip("xy", states, strict=True):
            np.testing.assert_allclose(each, arrays[f"{letter}_{name}"], **TOLERANCE)
    for letter, each in zip("xy", from_inputs, strict=True):
        np.testing.assert_allclose(each, arrays[f"{letter}_last_masked_from_inputs"], **TOLERANCE)


@pytest.mark.parametrize(
    "wrong", [{"norm": "standard"}, {"guide": "sa_output"}, {"unit_residual": False}, {"no_masks": True}]
)
def test_other_forms_are_not_the_public_codes(golden, wrong):
    arrays = golden("block")
    masks = [real(arrays["x_mask"]), real(arrays["y_mask"])]
    layer = block(arrays, 0, **{name: value for name, value in wrong.items() if name != "no_masks"})
    states = layer([tf.constant(arrays["x"]), tf.constant(arrays["y"])], masks=None if "no_masks" in wrong else masks)
    assert max(np.abs(each - arrays[f"{letter}_first"]).max() for letter, each in zip("xy", states, strict=True)) > 0.1


def assigned(layer, arrays, names):
    """Gives a built layer the golden weights of these names, which must be all it has."""
    named = layer.named_weights()
    assert len(named) == len(layer.weights) and set(named) == set(names)
    for name, weight in named.items():
        weight.assign(arrays[names[name]])
    return layer


def front(arrays, name):
    """The branch of a modality."""
    if name == "lang":
        vocabulary, size = arrays["embedding"].shape
        layer = WordBranch(vocabulary, size, arrays["lstm.bias"].size // 4)
        layer.build(tf.TensorShape([None, None]))
        return assigned(layer, arrays, {each: each for each in layer.named_weights()})
    kernel = arrays[f"{name}_adapter.kernel"]
    layer = FeatureBranch(kernel.shape[1])
    layer.build(tf.TensorShape([None, None, kernel.shape[0]]))
    return assigned(layer, arrays, {part: f"{name}_adapter.{part}" for part in ("kernel", "bias")})


def stack(arrays, lengths, **kwargs):
    width = arrays["proj_norm.gamma"].size // 2
    layer = JointEncoderStack(
        lengths,
        arrays["proj.bias"].size,
        num_heads=int(arrays["heads"]),
        inner_units=inner_units(arrays, "flat_lang.mlp"),
        num_blocks=int(arrays["layers"]),
        **kwargs,
    )
    layer.build([tf.TensorShape([None, length, width]) for length in lengths])
    return assigned(layer, arrays, {each: each for each in layer.named_weights()})


def test_lstm(golden):
    arrays = golden("lstm")
    branch = WordBranch(1, arrays["x"].shape[2], arrays["out"].shape[2])
    branch.build(tf.TensorShape([None, None]))
    for name, weight in branch.named_weights().items():
        if name != "embedding":
            weight.assign(arrays[name])
    np.testing.assert_allclose(branch.lstm(tf.constant(arrays["x"])), arrays["out"], **TOLERANCE)


def test_two_modalities(golden):
    arrays = golden("model_la")
    lang, audio = front(arrays, "lang"), front(arrays, "audio")
    layer = stack(arrays, (arrays["ids"].shape[1], arrays["audio"].shape[1]))
    with tf.GradientTape() as tape:
        (x, x_mask), (y, y_mask) = lang(tf.constant(arrays["ids"])), audio(tf.constant(arrays["audio"]))
        logits = layer([x, y], masks=[x_mask, y_mask])
        loss = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(arrays["labels_emotion"], logits))
    np.testing.assert_allclose(x, arrays["trace.x_in"], **TOLERANCE)
    np.testing.assert_allclose(y, arrays["trace.y_in"], **TOLERANCE)
    np.testing.assert_allclose(logits, arrays["logits"], **TOLERANCE)
    np.testing.assert_allclose(loss, arrays["loss_bce_sum"], rtol=1e-5)
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(arrays["labels_class"], logits)
    np.testing.assert_allclose(tf.reduce_sum(surprise), arrays["loss_ce_sum"], rtol=1e-5)
    named = {**lang.named_weights(), **layer.named_weights()}
    wanted = {name.removeprefix("grad."): array for name, array in arrays.items() if name.startswith("grad.")}
    gradients = tape.gradient(loss, {name: named[name] for name in wanted})
    for name, array in wanted.items():
        np.testing.assert_allclose(tf.convert_to_tensor(gradients[name]), array, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("kind, glimpse_masks", [("own_mask", None), ("released", (0, 1, 1))])
def test_three_modalities(golden, kind, glimpse_masks):
    arrays = golden("model_lav")
    fed = {name: tf.constant(arrays[key]) for name, key in (("lang", "ids"), ("audio", "audio"), ("video", "video"))}
    states, masks = zip(*(front(arrays, name)(values) for name, values in fed.items()), strict=True)
    layer = stack(arrays, [each.shape[1] for each in states], glimpse_masks=glimpse_masks)
    np.testing.assert_allclose(layer(list(states), masks=list(masks)), arrays[f"logits_{kind}"], **TOLERANCE)


@pytest.mark.parametrize("reach", ["first", "all"])
def test_an_encoder_as_language(golden, reach):
    arrays = golden("encoder_language")
    hidden, real_words = arrays["hidden_states"], tf.constant(arrays["attention_mask"])
    layer = stack(arrays, (hidden.shape[1], arrays["audio"].shape[1]), mask_blocks=reach)
    y, y_mask = front(arrays, "audio")(tf.constant(arrays["audio"]))

    def logits(states):
        x, x_mask = front(arrays, "lang_states")(tf.constant(states), mask=real_words)
        return layer([x, y], masks=[x_mask, y_mask]).numpy()

    arrays |= {f"lang_states_adapter.{part}": arrays[f"lang_adapter.{part}"] for part in ("kernel", "bias")}
    np.testing.assert_allclose(logits(hidden), arrays[f"logits_masks_{reach}"], **TOLERANCE)
    moved = np.abs(logits(hidden + (1 - arrays["attention_mask"])[:, :, None]) - logits(hidden)).max()
    assert moved < 1e-5 if reach == "all" else moved > 1e-2  # padded states reach the answer through later blocks
