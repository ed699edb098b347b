"""Mel spectrograms against a computation with NumPy alone."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import MelSpectrogram


def reference(wave, rate, mels, window, hop, keep, top_db=20.0, floor_db=100.0, lowest=0.0):
    """A frame at a time: a DFT as a sum, triangles in mel, decibels."""
    size = 2 ** int(np.ceil(np.log2(window)))
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    hertz = np.arange(size // 2 + 1) * rate / size
    mel = 2595 * np.log10(1 + hertz / 700)
    ends = 2595 * np.log10(1 + np.array([lowest, rate / 2]) / 700)
    edges = np.linspace(*ends, mels + 2)
    waves = np.exp(-2j * np.pi * np.outer(np.arange(size // 2 + 1), np.arange(size)) / size)
    frames = []
    for start in range(0, len(wave), hop * keep):
        part = np.zeros(size)
        cut = wave[start : start + window]
        if not cut.any():
            frames.append(np.zeros(mels))
            continue
        part[: len(cut)] = cut
        part[:window] *= hann
        magnitude = np.abs(waves @ part)
        bins = []
        for low, middle, high in zip(edges, edges[1:], edges[2:]):
            rise, fall = (mel - low) / (middle - low), (high - mel) / (high - middle)
            triangle = np.maximum(0, np.minimum(rise, fall))
            triangle[0] = 0.0  # the constant part belongs to no bin
            bins.append(triangle @ magnitude)
        decibels = 20 * np.log10(np.maximum(1e-5, bins))
        frames.append(np.clip((decibels - top_db + floor_db) / floor_db, 1e-8, 1.0))
    return np.array(frames)


@pytest.mark.parametrize(
    "settings",
    [
        {"rate": 8000, "mels": 20, "window": 0.05, "hop": 0.0125, "keep": 4},
        {"rate": 16000, "mels": 80, "window": 0.05, "hop": 0.0125, "keep": 16},  # the defaults
    ],
)
def test_equals_an_independent_computation(settings):
    rate = settings["rate"]
    seconds = np.arange(rate) / rate
    wave = 0.3 * np.sin(2 * np.pi * 440 * seconds) + 0.2 * np.sin(2 * np.pi * 1900 * seconds * seconds)
    wave = (wave + np.random.default_rng(0).normal(0, 0.01, rate)).astype("float32")
    wave[rate // 4 : rate // 2] = 0.0  # silence in the middle
    layer = MelSpectrogram(rate, settings["mels"], settings["window"], settings["hop"], settings["keep"])
    found = layer(tf.constant(wave[None]))[0].numpy()
    window, hop = round(settings["window"] * rate), round(settings["hop"] * rate)
    wanted = reference(wave.astype("float64"), rate, settings["mels"], window, hop, settings["keep"])
    assert found.shape == wanted.shape == (layer.frames(rate), settings["mels"])
    np.testing.assert_allclose(found, wanted, atol=2e-4)
    assert (found.sum(axis=1) == 0).any() and (found[found.sum(axis=1) > 0] > 0).all()


def test_a_tone_is_loud_at_its_pitch():
    layer = MelSpectrogram(sample_rate=16000, num_mels=40)
    loudest = []
    for hertz in (200.0, 1000.0, 4000.0):
        wave = np.sin(2 * np.pi * hertz * np.arange(8000) / 16000).astype("float32")
        loudest.append(int(layer(wave[None])[0, 0].numpy().argmax()))
    assert loudest == sorted(set(loudest))


def test_shapes_padding_and_configuration():
    layer = MelSpectrogram(sample_rate=8000, num_mels=10, keep_every=4)
    assert layer.frames(layer.samples(7)) == 7 and layer.frames(0) == 0
    assert layer(tf.zeros([2, 0])).shape == (2, 0, 10) and layer(tf.ones([1, 1])).shape == (1, 1, 10)
    wave = tf.random.normal([1, 2000])
    padded = layer(tf.pad(wave, [[0, 0], [0, layer.samples(9) - 2000]]))
    np.testing.assert_allclose(padded[:, : layer.frames(2000)], layer(wave), atol=1e-6)
    np.testing.assert_array_equal(padded[:, layer.frames(2000) :], 0.0)
    again = MelSpectrogram.from_config(layer.get_config())
    np.testing.assert_array_equal(again(wave), layer(wave))
    traced = tf.function(layer, input_signature=[tf.TensorSpec([None, None])])
    np.testing.assert_allclose(traced(wave), layer(wave), atol=1e-6)
    assert not layer.weights and layer.compute_output_shape([None, 2000]).as_list() == [None, 5, 10]


def test_float32_under_mixed_precision():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        found = MelSpectrogram(sample_rate=8000, num_mels=10)(tf.random.normal([1, 4000]))
    finally:
        keras.mixed_precision.set_global_policy("float32")
    assert found.dtype == tf.float32 and np.isfinite(found).all()


@pytest.mark.parametrize(
    "settings", [{"window_seconds": 0.0}, {"lowest": 9000.0}, {"highest": 9000.0}, {"num_mels": 0}, {"floor_db": 0.0}]
)
def test_settings_that_are_refused(settings):
    with pytest.raises(ValueError, match="Windows, hops and bins must be at least 1"):
        MelSpectrogram(**settings)


def test_waveforms_have_two_axes():
    with pytest.raises(ValueError, match=r"must be waveforms \[B, S\]"):
        MelSpectrogram()(tf.ones([1, 100, 2]))
