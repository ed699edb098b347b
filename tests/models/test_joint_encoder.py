"""Joint encoders: what they learn, what they answer, and what of them is kept."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import (
    JointTask,
    Segments,
    WordVectors,
    cross_modal,
    cross_modal_segments,
    mosei_emotion,
    mosei_score,
)
from keras_absa.keras import keras
from keras_absa.layers import MelSpectrogram, QuasiAttention
from keras_absa.models import JointEncoder, SlottedBert, load_model
from keras_absa.training import ReloadAndHalve, TrainingCheckpoint
from tests.models.tiny import open_plugs, tiny_bert, tiny_tokenizer

SMALL = {"hidden_units": 8, "inner_units": 8, "num_heads": 2, "num_blocks": 1, "embedding_size": 6}
LENGTHS = {"text": 12, "audio": 12}


def small_model(segments=None, task=None, **kwargs):
    segments = cross_modal_segments("train", size=16) if segments is None else segments
    keras.utils.set_random_seed(0)
    return JointEncoder.from_segments(segments, task or cross_modal(), **{**SMALL, "lengths": LENGTHS, **kwargs})


def learned(use=None, epochs=14):
    """A model of the built-in segments, trained on some of their modalities; about twelve seconds for both."""
    keras.utils.set_random_seed(1)
    model = JointEncoder.from_segments(
        cross_modal_segments("train"),
        cross_modal(),
        use=use,
        hidden_units=32,
        inner_units=32,
        num_heads=2,
        num_blocks=1,
        embedding_size=16,
        lengths={name: LENGTHS[name] for name in use or LENGTHS},
    )
    model.compile(learning_rate=3e-3)
    model.fit(cross_modal_segments("train"), validation_data=cross_modal_segments("dev"), epochs=epochs, verbose=0)
    return model


@pytest.fixture(scope="module")
def both():
    return learned()


def test_both_modalities_are_used(both):
    test = cross_modal_segments("test")
    assert both.evaluate(test)["accuracy"] > 0.95
    assert both.selection["monitor"] == "val_accuracy" and both.selection["value"] > 0.95
    for modality in LENGTHS:  # what one modality says is worth nothing without the other
        assert abs(both.evaluate(test.shuffled(modality))["accuracy"] - 0.5) < 0.1


@pytest.mark.parametrize("modality", LENGTHS)
def test_one_modality_alone_tells_nothing(modality):
    model = learned(use=[modality], epochs=6)
    assert abs(model.evaluate(cross_modal_segments("test"))["accuracy"] - 0.5) < 0.1
    assert model.modalities == (modality,)


def test_glimpses_look_at_words_and_frames(both):
    test = cross_modal_segments("test", size=70)
    found = both.glimpses(test)
    assert {name: each.shape for name, each in found.items()} == {"text": (70, 12), "audio": (70, 12)}
    for each in found.values():
        np.testing.assert_allclose(each.sum(axis=1), 1.0, atol=1e-5)
    assert both.tokens("You know, it's well-made / a DELIGHT")[:2] == ["you", "know"]


def test_answers_in_words(both):
    test = cross_modal_segments("test", size=3)
    answers = both.answer(test)
    assert [each["id"] for each in answers] == test.ids
    for each, row in zip(answers, both.predict(test), strict=True):
        assert list(each["probabilities"].values()) == pytest.approx(row.tolist())
        assert each["label"] == max(each["probabilities"], key=each["probabilities"].get)
    assert both.predict(test.take([])).shape == (0, 2)


def test_labels_and_scores():
    segments = cross_modal_segments("train", size=12)
    annotations = np.random.default_rng(0).integers(0, 2, (12, 6)).astype("float32")
    targets = {"emotion": annotations, "sentiment": np.linspace(-3, 3, 12)}
    segments = Segments(segments.ids, segments.texts, segments.features, targets, {"emotion": mosei_emotion().labels})
    model = small_model(segments, mosei_emotion())
    model.compile(weight=[2.0] * 6)
    history = model.fit(segments, validation_data=segments, epochs=1, verbose=0).history
    logits = model.logits(segments)
    np.testing.assert_allclose(model.predict(segments), 1 / (1 + np.exp(-logits)), atol=1e-6)
    wanted = np.mean(np.logaddexp(0, logits) - annotations * logits)
    assert history["val_loss"] == pytest.approx([wanted], rel=1e-4)
    assert history["val_accuracy"] == pytest.approx([np.mean((logits > 0) == (annotations > 0))])
    answer = model.answer(segments)[0]
    assert answer["labels"] == [name for name, each in answer["probabilities"].items() if each > 0.5]

    model = small_model(segments, mosei_score())
    model.compile()
    history = model.fit(segments, validation_data=segments, epochs=1, verbose=0).history
    scores = np.clip(model.logits(segments)[:, 0], -3, 3)
    assert history["val_mae"] == pytest.approx([np.abs(scores - targets["sentiment"]).mean()], rel=1e-4)
    assert model.answer(segments)[0] == {"id": "train[0]", "score": pytest.approx(float(scores[0]))}
    assert model.selection["monitor"] == "val_correlation"


def waves(size=8):
    """Segments of sound alone, a high or a low tone."""
    random, sounds, labels = np.random.default_rng(0), [], []
    for place in range(size):
        hertz = (300.0, 2000.0)[place % 2]
        sounds.append(np.sin(2 * np.pi * hertz * np.arange(random.integers(2000, 4000)) / 8000).astype("float32"))
        labels.append(("low", "high")[place % 2])
    return Segments([str(each) for each in range(size)], features={"sound": sounds}, targets={"pitch": labels})


def test_waveforms():
    task, segments = JointTask("pitch", "pitch", "classes", ("low", "high")), waves()
    spectrogram = MelSpectrogram(sample_rate=8000, num_mels=20, keep_every=4)
    model = small_model(segments, task, features={"sound": spectrogram}, lengths={"sound": 10})
    model.compile(learning_rate=0.01)
    model.fit(segments, epochs=30, batch_size=4, verbose=0)
    assert model.evaluate(segments)["accuracy"] == 1.0
    assert model.input_length("sound") == 10 * spectrogram.samples(1)
    again = JointEncoder.from_config(json.loads(json.dumps(model.get_config())))
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(segments), model.predict(segments), atol=1e-6)


def four_modalities(size=6):
    segments = cross_modal_segments("train", size=size)
    random = np.random.default_rng(0)
    features = {**segments.features}
    for name, width in (("video", 3), ("gaze", 2)):
        features[name] = [random.normal(size=(random.integers(1, 5), width)) for _ in range(size)]
    features["gaze"][0] = None
    return Segments(segments.ids, segments.texts, features, segments.targets)


def test_any_number_of_modalities_in_any_order():
    segments = four_modalities()
    lengths = {"text": 8, "audio": 5, "video": 4, "gaze": 3}
    model = small_model(
        segments, lengths=lengths, use=["audio", "text", "gaze", "video"], recurrent=["video"], num_blocks=2
    )
    assert model.modalities == ("audio", "text", "gaze", "video") and model.stack.modalities[:2] == ("audio", "lang")
    assert {"video_lstm.kernel", "gaze_adapter.kernel", "block1.sga_gaze.mhatt1.q.kernel"} <= set(model.named_weights())
    assert len(model.named_weights()) == len(model.weights)
    inputs = {key: tf.constant(each) for key, each in model.table(segments).inputs(np.arange(6)).items()}
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(model(inputs)[:, 0])
    assert all(gradient is not None for gradient in tape.gradient(total, model.trainable_variables))
    alone = [model.logits(segments.take([row])) for row in range(len(segments))]
    np.testing.assert_allclose(np.concatenate(alone), model.logits(segments), atol=1e-5)


def quasi_encoder(contexts=2):
    keras.utils.set_random_seed(0)
    encoder = SlottedBert(tiny_bert(dropout=0.0), attention=QuasiAttention(3, dropout=0.0), num_contexts=contexts)
    return open_plugs(encoder)


def on_bert(encoder=None, **kwargs):
    encoder = quasi_encoder() if encoder is None else encoder
    own = {key: value for key, value in SMALL.items() if key != "embedding_size"}
    return JointEncoder(cross_modal(), tiny_tokenizer(), encoder, {"audio": 8}, lengths=LENGTHS, **{**own, **kwargs})


def test_a_guided_bert_as_language(tmp_path):
    segments = cross_modal_segments("train", size=8)
    segments.contexts = np.arange(8) % 2
    model = on_bert()
    assert model.stack.mask_blocks == "all" and model.num_contexts == 2
    model.compile()
    assert float(model.optimizer.learning_rate) == pytest.approx(1e-4) and model.optimizer.slow_rate == 2e-5
    before = {name: weight.numpy() for name, weight in model.plug_weights().items()}
    model.fit(segments, epochs=1, batch_size=4, verbose=0)
    changed = {name for name, weight in model.plug_weights().items() if not np.array_equal(weight, before[name])}
    assert {"context_embedding", "lang_adapter.kernel", "audio_adapter.kernel", "proj.bias"} <= changed
    told = model.logits(segments)
    segments.contexts = 1 - segments.contexts
    assert np.abs(model.logits(segments) - told).max() > 1e-6
    model.save_pretrained(tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_allclose(again.logits(segments), model.logits(segments), atol=1e-6)
    assert (tmp_path / "model" / "tf_model.h5").is_file() or (tmp_path / "model" / "model.safetensors").is_file()
    segments.contexts = segments.contexts + 5
    with pytest.raises(ValueError, match="`contexts` must be from 0 to 1"):
        model.logits(segments)


def test_padded_states_of_a_bert_do_not_leak():
    """With masks everywhere a text's answer does not depend on what BERT makes of padding."""
    segments, model = cross_modal_segments("train", size=4), on_bert(SlottedBert(tiny_bert(dropout=0.0)))
    inputs = model.table(segments).inputs(np.arange(4))
    real = model(inputs)
    encode = model.encoder
    noise = tf.random.normal([1, 12, 24]) * tf.cast(1 - inputs["attention_mask"], tf.float32)[:, :, None]
    model.encoder = lambda *given, **named: {"last_hidden_state": encode(*given, **named)["last_hidden_state"] + noise}
    np.testing.assert_allclose(model(inputs), real, atol=1e-5)
    model.stack.mask_blocks = "first"
    assert np.abs(model(inputs) - real).max() > 1e-4


def test_frozen_recurrent_and_without_special_tokens():
    segments = cross_modal_segments("train", size=8)
    model = on_bert(SlottedBert(tiny_bert()), train_encoder=False, recurrent=["text"], special_tokens="mask")
    model.compile()
    weights = [weight.numpy() for weight in model.encoder.weights]
    model.fit(segments, epochs=1, verbose=0)
    assert all(np.array_equal(a, b) for a, b in zip(weights, model.encoder.weights, strict=True))
    assert "lang_lstm.kernel" in model.named_weights() and type(model.optimizer) is keras.optimizers.Adam
    inputs = model.table(segments).inputs(np.arange(2))
    _, weights = model(inputs, return_attention=True)
    ids, looked = inputs["input_ids"].numpy(), weights[-1][0][:, 0].numpy()
    special = (ids == model.tokenizer.cls_id) | (ids == model.tokenizer.sep_id) | (ids == 0)
    assert (looked[special] == 0).all() and (looked[~special] > 0).all()


def test_a_frozen_bert_has_no_dropout():
    """Its states are those of prediction, also in training; a trained one's are not."""
    segments = cross_modal_segments("train", size=4)
    for train_encoder in (False, True):
        model = on_bert(SlottedBert(tiny_bert(dropout=0.5)), train_encoder=train_encoder, dropout=0.0, head_dropout=0.0)
        inputs = model.table(segments).inputs(np.arange(4))
        moved = np.abs(model(inputs, training=True) - model(inputs)).max()
        assert (moved > 1e-3) == train_encoder, moved


def test_saved_and_loaded_in_a_fresh_process(both, tmp_path):
    both.save_pretrained(tmp_path / "model")
    both.save(tmp_path / "model.keras")
    test = cross_modal_segments("test", size=5)
    code = (
        "import sys, numpy as np, keras_absa as ka\nfrom keras_absa.keras import keras\nimport keras_absa.models\n"
        "test = ka.data.cross_modal_segments('test', size=5)\n"
        "first = ka.models.load_model(sys.argv[1] + '/model').logits(test)\n"
        "second = keras.models.load_model(sys.argv[1] + '/model.keras', compile=False).logits(test)\n"
        "print(__import__('json').dumps([first.tolist(), second.tolist()]))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    for found in json.loads(done.stdout.splitlines()[-1] if done.stdout else done.stderr):
        np.testing.assert_allclose(found, both.logits(test), atol=1e-5)


def test_word_vectors():
    words = WordVectors(("delight", "unheard"), np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
    own = {key: value for key, value in SMALL.items() if key != "embedding_size"}
    segments = cross_modal_segments("train", size=64)
    model = JointEncoder.from_segments(segments, cross_modal(), word_vectors=words, lengths=LENGTHS, **own)
    assert model.embedding_size == 2
    place = model.tokenizer.vocabulary.index("delight")
    assert model.named_weights()["embedding"][place].numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="received none of them"):
        none = WordVectors((), np.zeros([0, 2], "float32"))
        JointEncoder.from_segments(segments, cross_modal(), word_vectors=none, **SMALL)


def test_an_interrupted_training_goes_on(tmp_path):
    segments, dev = cross_modal_segments("train", size=40), cross_modal_segments("dev", size=16)

    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if self.at == 0:
                raise KeyboardInterrupt
            self.at -= 1

    def train(folder, stop_after=None):
        model = small_model(segments)
        model.compile(learning_rate=0.01)
        callbacks = [ReloadAndHalve()]
        if stop_after is not None:
            stop = Stop()
            stop.at = stop_after
            callbacks.append(stop)
        checkpoint = TrainingCheckpoint(folder, every=2)
        history = model.fit(
            segments, validation_data=dev, epochs=3, batch_size=8, callbacks=callbacks, checkpoint=checkpoint, verbose=0
        )
        return model, history

    whole, history = train(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", stop_after=8)
    rest, again = train(tmp_path / "parts")
    for a, b in zip(whole.get_weights(), rest.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    assert again.epoch == history.epoch and set(again.history) == set(history.history)
    for name, values in history.history.items():
        assert again.history[name] == pytest.approx(values, abs=1e-5), name


def test_what_is_cut_is_told_once_with_numbers():
    segments = cross_modal_segments("train", size=6)
    with pytest.warns(UserWarning, match=r"6 of 6 segments were cut at 2 positions of text; \d+ were left out"):
        small_model(segments, lengths={"text": 2, "audio": 12}).logits(segments)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"use": ["text", "video"]}, r"`use` must name some of \['text', 'audio'\]"),
        ({"use": []}, "`use` must name some of"),
        ({"lengths": {"video": 3}}, "`lengths` and `recurrent` some of"),
        ({"lengths": {"text": 0}}, "`lengths` must be at least 1"),
        ({"use": ["audio"], "backbone": "minilm"}, "read text: received one in a model without it"),
        ({"features": {"audio": MelSpectrogram()}}, "reads waveforms: received frames of 8"),
        ({"special_tokens": "drop"}, "`special_tokens` must be one of"),
        ({"hidden_units": 9}, "9"),
    ],
)
def test_models_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        small_model(**arguments)


def test_data_that_do_not_fit_the_model():
    model, segments = small_model(), cross_modal_segments("train", size=4)
    with pytest.raises(ValueError, match=r"every modality of the model, \['text', 'audio'\]: received \['audio'\]"):
        model.logits(Segments(segments.ids, features=segments.features))
    wide = {"audio": [np.ones([2, 9])] * 4}
    with pytest.raises(ValueError, match="must be frames of 8 features, as the model was built: received frames of 9"):
        model.logits(Segments(segments.ids, segments.texts, wide))
    model.compile()
    with pytest.raises(ValueError, match=r"Segment 'train\[0\]': the target 'sentiment'"):
        model.fit(Segments(segments.ids, segments.texts, segments.features, {"sentiment": ["odd"] * 4}))
    with pytest.raises(ValueError, match="Selecting a model on the test split"):
        model.fit(segments, validation_data=cross_modal_segments("test", size=4))
    with pytest.raises(ValueError, match="must be compiled before `fit`"):
        small_model().fit(segments)
    with pytest.raises(ValueError, match="needs segments and a batch size"):
        model.fit(segments.take([]))
    with pytest.raises(ValueError, match="takes Segments, or encoded tensors"):
        model.fit([1, 2])
    for method in ("predict", "evaluate"):
        with pytest.raises(ValueError, match=f"`{method}` takes Segments, or encoded tensors.*received list"):
            getattr(model, method)(["so good"])


def test_compile_refuses_what_does_not_fit():
    model = small_model()
    with pytest.raises(ValueError, match="`weight` must have a number for each of"):
        model.compile(weight=[1.0])
    with pytest.raises(ValueError, match="belong to the losses of labels and classes"):
        model.compile(loss=keras.losses.MeanSquaredError(), weight=[1.0, 2.0])
    model.compile(loss_reduction="sum", optimizer="adamw", learning_rate=1e-3)
    assert model.loss.get_config()["reduction"] == "sum" and type(model.optimizer) is keras.optimizers.AdamW


def test_mixed_precision():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        segments, model = cross_modal_segments("train", size=8), small_model()
        model.compile()
        model.fit(segments, epochs=1, verbose=0)
        assert model.compute_dtype == "float16" and np.isfinite(model.logits(segments)).all()
        assert model.logits(segments).dtype == np.float32
    finally:
        keras.mixed_precision.set_global_policy("float32")
