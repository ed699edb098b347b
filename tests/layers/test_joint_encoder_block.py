"""The joint encoder's layers beyond the reference arrays: sizes, forms, masks, precision and configurations."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import (
    FeatureBranch,
    FeedForward,
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

WIDTH = 8


def states(*lengths, seed=0):
    rng = np.random.default_rng(seed)
    return [tf.constant(rng.normal(size=(2, length, WIDTH)).astype("float32")) for length in lengths]


@pytest.mark.parametrize(
    "layer, expected",
    [
        (KeyMaskedAttention(4), 1_050_624),
        (FeedForward(1024, 512), 1_050_112),
        (SelfAttentionUnit(4, 1024), 2_102_784),
        (SelfGuidedAttentionUnit(4, 1024), 3_154_432),
        (Glimpse(60, 1024), 586_812),
        (Glimpse(1, 1024, output_units=1024), 1_051_649),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_sizes_are_the_public_codes(layer, expected):
    layer.build(tf.TensorShape([None, 60, 512]))
    assert layer.count_params() == expected


@pytest.mark.parametrize("modalities, num_blocks, expected", [(2, 4, 28_375_920), (3, 4, 44_071_461)])
def test_sizes_of_whole_models(modalities, num_blocks, expected):
    """Those of the public code, without its word vectors; its LSTM has a second bias."""
    words, sound, video = WordBranch(1, 300, 512), FeatureBranch(512), FeatureBranch(512)
    stack = JointEncoderStack((60,) * modalities, 6, num_blocks=num_blocks)
    words.build(tf.TensorShape([None, 60]))
    sound.build(tf.TensorShape([None, 60, 80]))
    video.build(tf.TensorShape([None, 60, 512]))
    stack.build([tf.TensorShape([None, 60, 512])] * modalities)
    branches = [words, sound, video][:modalities]
    second_bias, word_vectors = 4 * 512, 300
    found = sum(layer.count_params() for layer in [*branches, stack])
    assert found - word_vectors + second_bias == expected


@pytest.mark.parametrize(
    "layer",
    [
        UnbiasedLayerNormalization(epsilon=1e-5),
        FeedForward(6, 4, dropout=0.2),
        Glimpse(3, 6, output_units=4, dropout=0.1),
        SelfAttentionUnit(2, 6, dropout=0.1, norm="standard"),
        WordBranch(9, 6, 4),
        FeatureBranch(4),
        JointEncoderStack((3, 4), 5, mask_blocks="all", glimpse_masks=(0, 0), head_dropout=0.5),
        JointEncoderBlock((3, 4), 2, 6, co_attention="sa_ga", guide="sa_output", modalities=("text", "sound")),
    ],
)
def test_configurations_come_back(layer):
    again = keras.layers.deserialize(keras.layers.serialize(layer))
    assert type(again) is type(layer) and again.get_config() == layer.get_config()


def test_initial_values_are_pytorchs():
    keras.utils.set_random_seed(0)
    layer = FeedForward(2000, 50)
    layer.build(tf.TensorShape([None, None, 100]))
    for name, limit in (("fc1.kernel", 0.1), ("fc1.bias", 0.1), ("fc2.kernel", 2000**-0.5), ("fc2.bias", 2000**-0.5)):
        values = np.abs(layer.named_weights()[name])
        assert 0.9 * limit < values.max() <= limit and 0.4 * limit < values.mean() < 0.6 * limit, name


def test_the_forms_of_co_attention():
    x, y, z = states(3, 4, 5)
    block = JointEncoderBlock((3, 4, 5), 2, 6, co_attention="id_ga", glimpse=False)
    first, *others = block([x, y, z])
    np.testing.assert_array_equal(first, x)  # the guide stays as it is
    assert set(block.named_weights()) & {"ga_audio.mhatt.q.kernel", "ga_video.norm2.gamma"} and len(others) == 2
    guided = JointEncoderBlock((3, 4), 2, 6, co_attention="sa_ga", glimpse=False)
    moved = guided([x, y])
    by_hand = guided.units[1](y, x) + y
    np.testing.assert_allclose(moved[1], by_hand, atol=1e-6)
    assert type(guided.units[1]) is GuidedAttentionUnit and type(guided.units[0]) is SelfAttentionUnit
    alone = JointEncoderBlock((3,), 2, 6)
    np.testing.assert_array_equal(alone([x])[0].shape, x.shape)


def test_each_glimpse_has_its_own_mask_or_the_released_one():
    inputs = states(3, 4, 4)
    masks = [tf.ones([2, 3]), tf.constant([[1, 1, 0, 0]] * 2), tf.constant([[1, 1, 1, 0]] * 2)]
    own = JointEncoderBlock((3, 4, 4), 2, 6)
    _, weights = own(inputs, masks=masks, return_attention=True)
    released = JointEncoderBlock.from_config({**own.get_config(), "glimpse_masks": (0, 1, 1)})
    released.build([each.shape for each in inputs])
    released.set_weights(own.get_weights())
    _, other = released(inputs, masks=masks, return_attention=True)
    np.testing.assert_array_equal(weights[2][:, :, 3], np.zeros([2, 4]))
    assert np.all(weights[2][:, :, 2] > 0) and np.all(other[2][:, :, 2:] == 0)


def test_padded_positions_do_not_reach_real_ones_and_nothing_is_nan():
    x, y = states(3, 4)
    mask = tf.constant([[1, 1, 0, 0], [0, 0, 0, 0]])
    block = JointEncoderBlock((3, 4), 2, 6)
    noise = y + 100.0 * tf.cast(1 - mask, tf.float32)[:, :, None]
    plain, noisy = (block([x, each], masks=[None, mask])[1] for each in (y, noise))
    np.testing.assert_allclose(plain[0, :2], noisy[0, :2], atol=1e-5)
    with tf.GradientTape() as tape:
        tape.watch(y)
        total = tf.add_n([tf.reduce_sum(tf.square(each)) for each in block([x, y], masks=[None, mask])])
    assert np.all(np.isfinite(tape.gradient(total, y))) and np.all(np.isfinite(plain))


def test_a_row_without_keys_averages_all():
    (x,) = states(4)
    _, weights = KeyMaskedAttention(2)(x, x, mask=tf.zeros([2, 4]), return_attention=True)
    np.testing.assert_allclose(weights, 0.25)


def test_half_precision_keeps_norms_and_softmax_in_single():
    block = JointEncoderBlock((3, 4), 2, 6, dtype=keras.mixed_precision.Policy("mixed_float16"))
    inputs = states(3, 4)
    single = JointEncoderBlock((3, 4), 2, 6)
    for layer in (block, single):
        layer.build([each.shape for each in inputs])
    single.set_weights(block.get_weights())
    found, weights = block(inputs, return_attention=True)
    assert found[0].dtype == tf.float16 and weights[0].dtype == tf.float32
    for half, whole in zip(found, single(inputs), strict=True):
        np.testing.assert_allclose(half, whole, atol=0.02)


def test_dropout_acts_in_training_only():
    x, y = states(3, 4)
    block = JointEncoderBlock((3, 4), 2, 6, dropout=0.5)
    still = [block([x, y])[1].numpy() for _ in range(2)]
    np.testing.assert_array_equal(*still)
    assert np.abs(block([x, y], training=True)[1] - still[0]).max() > 0.01


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"co_attention": "ga"}, "`co_attention` must be one of"),
        ({"guide": "audio"}, "`guide` must be one of"),
        ({"norm": "batch"}, "`norm` must be one of"),
        ({"glimpse_masks": (0, 2)}, "must have one entry for each of 2 lengths"),
        ({"modalities": ("a", "a")}, "must have one entry for each of 2 lengths"),
    ],
)
def test_what_it_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        JointEncoderBlock((3, 4), 2, 6, **arguments)


def test_other_lengths_and_widths_are_refused():
    block = JointEncoderBlock((3, 4), 2, 6, name="block")
    with pytest.raises(ValueError, match=r"block was built for 2 sequences of the lengths \[3, 4\].*received \[3, 5\]"):
        block(states(3, 5))
    with pytest.raises(ValueError, match="must be a multiple of `num_heads`: received width 8 and num_heads=3"):
        SelfAttentionUnit(3, 6)(states(3)[0])
