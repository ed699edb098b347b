"""Exports of joint encoders: text, frames and waveforms in, names out, in both runtimes."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import JointTask, Segments, cross_modal, cross_modal_segments, mosei_emotion, mosei_score
from keras_absa.keras import keras
from keras_absa.layers import MelSpectrogram
from keras_absa.models import JointEncoder, SlottedBert
from keras_absa.serving import export
from tests.models.tiny import tiny_bert, tiny_encoder, tiny_tokenizer

SMALL = {"hidden_units": 8, "inner_units": 8, "num_heads": 2, "num_blocks": 2}
LENGTHS = {"text": 10, "audio": 8}


@pytest.fixture(scope="module")
def segments():
    return cross_modal_segments("test", size=5)


@pytest.fixture(scope="module")
def words(segments, tmp_path_factory):
    """A model on words and frames, with high dropout, so that an export that leaves it on is caught."""
    keras.utils.set_random_seed(0)
    model = JointEncoder.from_segments(segments, cross_modal(), lengths=LENGTHS, dropout=0.5, embedding_size=6, **SMALL)
    return model, export(model, tmp_path_factory.mktemp("saved") / "words")


def padded(segments, name="audio"):
    """Frames of all segments in one array, as a client sends them."""
    arrays = segments.features[name]
    found = np.zeros([len(arrays), max(map(len, arrays)), *arrays[0].shape[1:]], "float32")
    for place, each in enumerate(arrays):
        found[place, : len(each)] = each
    return found


def request(segments, **more):
    inputs = {"text": segments.texts, "audio": padded(segments).tolist(), **more}
    return {"signature": "serving_default", "inputs": inputs}


def check(model, segments, answers, tolerance):
    expected = model.predict(segments)
    np.testing.assert_allclose(answers["probabilities"], expected, atol=tolerance)
    assert answers["label"] == [model.task.labels[place] for place in expected.argmax(axis=1)]
    assert answers["error"] == [""] * len(segments)


def test_a_fresh_process_answers_like_the_python_model(words, segments, ask):
    model, folder = words
    _, (answers,) = ask(folder, [request(segments)])
    check(model, segments, answers, 1e-5)
    description = json.loads((folder / "assets.extra" / "keras_absa.json").read_text("utf-8"))
    assert description["class"] == "JointEncoder" and description["lengths"] == LENGTHS
    assert JointTask.from_dict(description["task"]) == model.task


def test_the_oldest_server_runtime_answers_too(words, segments, ask, old_python, tmp_path):
    model, folder = words
    version, (answers,) = ask(folder, [request(segments)], python=old_python)
    assert version.startswith("2.12.")
    check(model, segments, answers, 1e-4)

    on_bert = JointEncoder(
        cross_modal(), tiny_tokenizer(), tiny_encoder("quasi"), {"audio": 8}, lengths=LENGTHS, **SMALL
    )
    contexts = np.arange(5) % 2
    own = Segments(segments.ids, segments.texts, segments.features, contexts=contexts)
    folder = export(on_bert, tmp_path / "bert")
    _, (answers,) = ask(folder, [request(own, context_ids=contexts.tolist())], python=old_python)
    check(on_bert, own, answers, 1e-4)

    # Noise: in a pure tone most bins hold nothing but rounding errors.
    noise = np.random.default_rng(0).normal(0, 0.1, 3000)
    sound = Segments(["a", "b"], features={"sound": [noise, noise[:900]]})
    spectrogram = MelSpectrogram(sample_rate=8000, num_mels=10, keep_every=4)
    heard = JointEncoder.from_segments(
        sound, cross_modal(), features={"sound": spectrogram}, lengths={"sound": 6}, **SMALL
    )
    folder = export(heard, tmp_path / "sound")
    inputs = {"sound": padded(sound, "sound").tolist()}
    _, (answers,) = ask(folder, [{"signature": "serving_default", "inputs": inputs}], python=old_python)
    check(heard, sound, answers, 1e-4)


def served(folder):
    return tf.saved_model.load(str(folder)).signatures["serving_default"]


def test_frames_of_any_length(words, segments):
    """Cut, padded or missing: as in Python; rows of a batch do not see each other."""
    model, folder = words
    answer = served(folder)
    features = [np.ones([count, 8], "float32") for count in (0, 1, 8, 20, 3)]
    own = Segments(segments.ids, segments.texts, {"audio": features})
    frames = tf.constant(padded(own))
    found = answer(text=tf.constant(own.texts), audio=frames)
    np.testing.assert_allclose(found["probabilities"], model.predict(own), atol=1e-5)
    alone = answer(text=tf.constant(own.texts[:1]), audio=tf.zeros([1, 0, 8]))
    np.testing.assert_allclose(alone["probabilities"], found["probabilities"][:1], atol=1e-5)
    nobody = answer(text=tf.constant([], tf.string), audio=tf.zeros([0, 3, 8]))
    assert nobody["label"].shape == (0,) and nobody["probabilities"].shape == (0, 2)


def test_a_bad_row_leaves_the_others_alone(words, segments):
    model, folder = words
    frames = padded(segments)
    frames[1, 0, 0] = np.nan
    frames[2] = 0.0
    texts = [segments.texts[0], segments.texts[1], " ", *segments.texts[3:]]
    found = served(folder)(text=tf.constant(texts), audio=tf.constant(frames))
    errors = [each.decode() for each in found["error"].numpy()]
    assert errors[0] == errors[3] == errors[4] == ""
    assert "not finite" in errors[1] and "nothing in this segment" in errors[2]
    np.testing.assert_array_equal(found["probabilities"][1:3], 0.0)
    assert found["label"].numpy()[1:3].tolist() == [b"", b""]
    np.testing.assert_allclose(found["probabilities"][3:], model.predict(segments)[3:], atol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="`audio` must have one row for each of `text`"):
        served(folder)(text=tf.constant(texts), audio=tf.constant(frames[:2]))


@pytest.mark.parametrize("task", [mosei_emotion(), mosei_score()], ids=lambda task: task.kind)
def test_labels_and_scores(segments, task, tmp_path):
    keras.utils.set_random_seed(0)
    model = JointEncoder.from_segments(segments, task, lengths=LENGTHS, embedding_size=6, **SMALL)
    found = served(export(model, tmp_path / "model"))(
        text=tf.constant(segments.texts), audio=tf.constant(padded(segments))
    )
    expected = model.predict(segments)
    if task.kind == "score":
        np.testing.assert_allclose(found["score"], expected, atol=1e-5)
        return
    np.testing.assert_allclose(found["probabilities"], expected, atol=1e-5)
    np.testing.assert_array_equal(found["present"], expected > 0.5)
    assert found["label"][0].numpy().tolist() == [label.encode() for label in task.labels]


def test_only_inference_weights_are_stored_in_float32(segments, tmp_path):
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        bert = SlottedBert(tiny_bert())
        model = JointEncoder(cross_modal(), tiny_tokenizer(), bert, {"audio": 8}, lengths=LENGTHS, **SMALL)
        model.compile()
        model.fit(cross_modal_segments("train", size=8), epochs=1, verbose=0)
    finally:
        keras.mixed_precision.set_global_policy("float32")
    folder = export(model, tmp_path / "model")
    stored = tf.train.list_variables(str(folder / "variables" / "variables"))
    sizes = sum(int(np.prod(shape)) for name, shape in stored if name.startswith("weights"))
    assert sizes == sum(int(np.prod(weight.shape)) for weight in model.inference_weights())
    assert not any("Adam" in name or "optimizer" in name for name, _ in stored)
    found = served(folder)(text=tf.constant(segments.texts), audio=tf.constant(padded(segments)))
    assert found["probabilities"].dtype == tf.float32
    np.testing.assert_allclose(found["probabilities"], model.predict(segments), atol=2e-2)
