"""Exports: what they answer, in which runtimes, and how they come onto the disk."""

import importlib
import json
import threading

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from keras_absa.data import AspectExample, read_folder, semeval2014, sentihood
from keras_absa.keras import keras
from keras_absa.serving import export

TEXTS = ["The soup was cold.", "!", "Fine \u2026 \u00bd price, [SEP] caf\u00e9!", "word " * 100]
PLACES = ["S\u00e3o C++ (old) is dear, camden TOWN is not Camden.", "Camden Camden Camden"]
TARGETS, OTHERS = ["Camden Town", "camden"], ["Camden", ""]


def probabilities_of(model, texts, **kwargs):
    answers = model.predict_aspects(texts, **kwargs)
    return np.array([[list(answer.probabilities.values()) for answer in row] for row in answers])


def default_request(**inputs):
    return {"signature": "serving_default", "inputs": inputs}


@pytest.fixture(scope="module")
def plain(make_model, tmp_path_factory):
    model = make_model()
    return model, export(model, tmp_path_factory.mktemp("plain") / "tiny")


@pytest.fixture(scope="module")
def targeted(make_model, targets_task, tmp_path_factory):
    model = make_model(task=targets_task)
    return model, export(model, tmp_path_factory.mktemp("targeted") / "tiny")


def check_answers(model, answers, expected, tolerance):
    np.testing.assert_allclose(answers["probabilities"], expected, atol=tolerance, rtol=0)
    labels = np.array(model.task.labels)[np.argmax(expected, axis=-1)]
    assert answers["label"] == labels.tolist()
    assert answers["aspect"] == [list(model.task.aspects)] * len(expected)
    assert answers["error"] == [""] * len(expected)


def test_a_fresh_process_answers_like_the_python_model(plain, targeted, ask):
    model, folder = plain
    _, (answers,) = ask(folder, [default_request(text=TEXTS)])
    check_answers(model, answers, probabilities_of(model, TEXTS), 1e-5)

    model, folder = targeted
    _, (answers,) = ask(folder, [default_request(text=PLACES, target=TARGETS, other_target=OTHERS)])
    expected = probabilities_of(model, PLACES, targets=TARGETS, other_targets=OTHERS)
    check_answers(model, answers, expected, 1e-5)


def test_the_oldest_server_runtime_answers_too(plain, targeted, ask, old_python):
    model, folder = plain
    version, (answers,) = ask(folder, [default_request(text=TEXTS)], python=old_python)
    assert version.startswith("2.12.")
    check_answers(model, answers, probabilities_of(model, TEXTS), 1e-4)

    model, folder = targeted
    request = default_request(text=PLACES, target=TARGETS, other_target=OTHERS)
    bad = default_request(text=["x"], target=["C++ (old)"], other_target=["a\\E["])
    _, (answers, refused) = ask(folder, [request, bad], python=old_python)
    expected = probabilities_of(model, PLACES, targets=TARGETS, other_targets=OTHERS)
    check_answers(model, answers, expected, 1e-4)
    assert "C++ (old)" in refused["error"][0]


def test_pair_asks_about_one_aspect_a_row(plain):
    model, folder = plain
    pair = tf.saved_model.load(str(folder)).signatures["pair"]
    answers = pair(text=tf.constant(TEXTS[:3]), aspect=tf.constant(["price", "food", "parking"]))
    expected = probabilities_of(model, TEXTS[:2])
    np.testing.assert_allclose(answers["probabilities"][0], expected[0, 2], atol=1e-5, rtol=0)
    np.testing.assert_allclose(answers["probabilities"][1], expected[1, 0], atol=1e-5, rtol=0)
    assert answers["error"].numpy().tolist()[:2] == [b"", b""]
    assert answers["error"].numpy()[2] == b"unknown aspect 'parking'; known: food, service, price"
    assert answers["label"].numpy()[2] == b"" and not answers["probabilities"].numpy()[2].any()


def test_no_rows_give_no_answers(plain, targeted):
    nothing = tf.constant([], tf.string)
    for (model, folder), names in ((plain, ("text",)), (targeted, ("text", "target", "other_target"))):
        signatures = tf.saved_model.load(str(folder)).signatures
        aspects, labels = len(model.task.aspects), len(model.task.labels)
        inputs = {name: nothing for name in names}
        answers = signatures["serving_default"](**inputs)
        assert answers["probabilities"].shape == (0, aspects, labels) and answers["label"].shape == (0, aspects)
        assert signatures["pair"](aspect=nothing, **inputs)["probabilities"].shape == (0, labels)


def test_an_empty_text_is_marked(plain):
    answers = tf.saved_model.load(str(plain[1])).signatures["serving_default"](text=tf.constant(["", " \n", "cold"]))
    assert answers["error"].numpy().tolist() == [b"empty text; send some words"] * 2 + [b""]
    assert not answers["probabilities"].numpy()[:2].any() and answers["probabilities"].numpy()[2].any()


def test_inputs_of_different_lengths_are_refused(plain, targeted):
    two, one = tf.constant(["Camden", "Camden"]), tf.constant(["food"])
    pair = tf.saved_model.load(str(plain[1])).signatures["pair"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="`aspect` must have one row for each of `text`"):
        pair(text=two, aspect=one)
    default = tf.saved_model.load(str(targeted[1])).signatures["serving_default"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="`target` must have one row for each of `text`"):
        default(text=two, target=tf.constant(["Camden"]), other_target=tf.constant([""]))


def test_a_bad_row_leaves_the_others_alone(targeted):
    model, folder = targeted
    signature = tf.saved_model.load(str(folder)).signatures["serving_default"]
    texts = [PLACES[0], "nothing here", PLACES[0]]
    answers = signature(
        text=tf.constant(texts),
        target=tf.constant(["C++ (old)", "Camden", b"\xff("]),
        other_target=tf.constant(["", "", "x" * 5000]),
    )
    expected = probabilities_of(model, texts[:1], targets=["C++ (old)"])
    np.testing.assert_allclose(answers["probabilities"][0], expected[0], atol=1e-5, rtol=0)
    errors = [error.decode("utf-8") for error in answers["error"].numpy()]  # always valid UTF-8
    assert errors[0] == "" and "Camden" in errors[1] and "does not stand in the text" in errors[2]
    assert not answers["probabilities"].numpy()[1:].any() and set(answers["label"].numpy()[1:].ravel()) == {b""}


def test_other_target_may_be_left_out_where_the_server_knows_defaults(targeted):
    model, folder = targeted
    saved = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    assert list(saved.meta_graphs[0].signature_def["serving_default"].defaults) == ["other_target"]
    signature = tf.saved_model.load(str(folder)).signatures["serving_default"]
    answers = signature(
        text=tf.constant(PLACES[1:] * 2), target=tf.constant(["camden"] * 2), other_target=tf.constant([""])
    )
    expected = probabilities_of(model, PLACES[1:], targets=["camden"])
    np.testing.assert_allclose(answers["probabilities"], np.tile(expected, (2, 1, 1)), atol=1e-5, rtol=0)


def test_rows_are_independent_and_dropout_is_off(plain):
    _, folder = plain
    signature = tf.saved_model.load(str(folder)).signatures["serving_default"]
    together = signature(text=tf.constant(TEXTS))["probabilities"]
    again = signature(text=tf.constant(TEXTS))["probabilities"]
    np.testing.assert_array_equal(together, again)
    for row, text in enumerate(TEXTS):
        alone = signature(text=tf.constant([text]))["probabilities"][0]
        np.testing.assert_allclose(together[row], alone, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["sentihood", "semeval2014"])
def test_no_skew_between_training_and_serving_on_real_data(make_model, tmp_path, data_dir, name):
    task = {"sentihood": sentihood, "semeval2014": semeval2014}[name]()
    rows = read_folder(task, data_dir / name)["test"]
    model = make_model(task=task)
    pair = tf.saved_model.load(str(export(model, tmp_path / name))).signatures["pair"]
    expected = model.predict(rows)
    served = []
    for start in range(0, len(rows), 512):
        part = rows[start : start + 512]
        columns = {"text": [row.text for row in part], "aspect": [row.aspect for row in part]}
        if task.targets:
            columns |= {"target": [row.target for row in part], "other_target": [""] * len(part)}
        answers = pair(**{column: tf.constant(values) for column, values in columns.items()})
        assert set(answers["error"].numpy()) == {b""}
        served.append(answers["probabilities"].numpy())
    np.testing.assert_allclose(np.concatenate(served), expected, atol=1e-5, rtol=0)


def test_only_inference_weights_are_stored(make_model, tmp_path):
    model = make_model()
    model.compile()
    rows = [AspectExample("soup", "food", "good"), AspectExample("soup", "food", "bad")]
    model.fit(rows, verbose=0)
    folder = export(model, tmp_path / "trained")
    stored = sum(path.stat().st_size for path in (folder / "variables").iterdir())
    assert stored <= 1.05 * sum(weight.numpy().nbytes for weight in model.weights)


def test_a_model_trained_in_mixed_precision_is_exported_in_float32(make_model, tmp_path):
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = make_model()
    finally:
        keras.mixed_precision.set_global_policy("float32")
    loaded = tf.saved_model.load(str(export(model, tmp_path / "half")))
    answers = loaded.signatures["serving_default"](text=tf.constant(TEXTS))["probabilities"]
    assert answers.dtype == tf.float32
    assert {weight.dtype for weight in loaded.weights} == {tf.float32}
    np.testing.assert_allclose(answers, probabilities_of(model, TEXTS), atol=2e-2, rtol=0)


def test_versions_count_up_and_old_ones_stay(plain):
    model, first = plain
    before = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
    second = export(model, first.parent)
    assert (first.name, second.name) == ("1", "2")
    assert before == {path: path.stat().st_mtime_ns for path in first.rglob("*")}
    description = json.loads((second / "assets.extra" / "keras_absa.json").read_text("utf-8"))
    assert description["task"]["labels"] == list(model.task.labels)


def test_a_reader_never_sees_half_a_version(make_model, tmp_path):
    base, seen, done = tmp_path / "watched", [], threading.Event()

    def watch():
        while not done.is_set():
            for entry in base.glob("[0-9]*"):
                seen.append((entry / "saved_model.pb").is_file() and (entry / "variables/variables.index").is_file())

    watcher = threading.Thread(target=watch)
    watcher.start()
    export(make_model("nli_m"), base)
    done.set()
    watcher.join()
    assert all(seen)
    assert [entry.name for entry in base.iterdir()] == ["1"]


def test_a_failed_export_leaves_nothing(make_model, tmp_path, monkeypatch):
    def refuse(folder):
        raise ValueError("planted")

    # `keras_absa.serving.export` is the function; the module of that name is reached through the import system.
    monkeypatch.setattr(importlib.import_module("keras_absa.serving.export"), "make_compatible", refuse)
    with pytest.raises(ValueError, match="planted"):
        export(make_model("nli_m"), tmp_path / "failed")
    assert not list((tmp_path / "failed").iterdir())


def test_only_classifiers_are_exported(tmp_path):
    with pytest.raises(
        ValueError, match="must be a classifier or joint encoder of keras_absa.models: received tf_keras"
    ):
        export(keras.Sequential(), tmp_path)
