import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample
from keras_absa.metrics import MetricReport
from keras_absa.models import BertPairClassifier, Predictor
from keras_absa.models.calibration import fit_none_threshold, fit_temperature
from keras_absa.serving import export
from tests.models.tiny import ROWS, tiny_model, tiny_task


def softmax(logits):
    exp = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("true_temperature", [0.5, 1.0, 3.0])
def test_a_known_temperature_is_found(true_temperature):
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (20000, 3))
    labels = np.array([rng.choice(3, p=row) for row in softmax(logits / true_temperature)])
    found = fit_temperature(lambda temperature: softmax(logits / temperature), labels)
    assert found == pytest.approx(true_temperature, rel=0.05)


def test_the_best_threshold_nearest_to_a_half_is_taken():
    def report_at(threshold):
        good = threshold is not None and 0.6 < threshold < 0.9
        values = {"accuracy": float(good), "lost": float("nan"), "expected_calibration_error": 1.0}
        return MetricReport(values, {"lost": "no_rows"}, {}, {})

    assert fit_none_threshold(report_at, "accuracy") == 0.65
    with pytest.raises(ValueError, match="'lost' must be defined on the rows to fit a threshold: it is not, no_rows"):
        fit_none_threshold(report_at, "lost")
    for metric in ("f1", "expected_calibration_error"):
        with pytest.raises(ValueError, match=rf"must be one of \['accuracy', 'lost'\]: received '{metric}'"):
            fit_none_threshold(report_at, metric)


def test_too_few_rows_are_told():
    with pytest.warns(UserWarning, match="The best temperature lies outside"):
        fit_temperature(lambda temperature: softmax(np.array([[0.0, 1.0]]) / temperature), np.array([0]))


@pytest.mark.parametrize("kind", ["pair_nli_m", "pair_nli_b"])
def test_calibration_is_used_saved_and_exported(tmp_path, kind):
    model = tiny_model(kind)
    model.classifier_kernel.assign(30 * model.classifier_kernel)  # far too sure of itself
    before, probabilities = model.evaluate(ROWS), model.predict(ROWS)
    report = model.calibrate(ROWS, threshold_metric="aspect_f1")
    assert model.temperature > 1.5
    assert report["expected_calibration_error"] < before["expected_calibration_error"]
    after = model.predict(ROWS)
    np.testing.assert_array_equal(after.argmax(axis=1), probabilities.argmax(axis=1))
    assert after.max(axis=1).mean() < probabilities.max(axis=1).mean()
    assert report["aspect_f1"] >= before["aspect_f1"]
    assert model.evaluate(ROWS)["aspect_f1"] == pytest.approx(report["aspect_f1"])

    model.none_threshold = 0.999  # every aspect is mentioned
    labels = {answer.label for row in model.predict_aspects([ROWS[0].text]) for answer in row}
    assert labels <= {"good", "bad"}
    model.save_pretrained(tmp_path / "model")
    again = BertPairClassifier.from_pretrained(tmp_path / "model")
    assert (again.temperature, again.none_threshold) == (model.temperature, 0.999)
    served = tf.saved_model.load(str(export(again, tmp_path / "export"))).signatures["pair"]
    found = served(text=tf.constant([row.text for row in ROWS]), aspect=tf.constant([row.aspect for row in ROWS]))
    np.testing.assert_allclose(found["probabilities"], after, atol=1e-5)
    assert set(found["label"].numpy()) <= {b"good", b"bad"}


def test_a_failure_leaves_the_model_as_it_was():
    model = tiny_model("pair_nli_m", temperature=2.0, none_threshold=0.3)
    before = model.predict(ROWS)
    for rows, arguments, message in (
        (ROWS, {"threshold_metric": "f1"}, "received 'f1'"),
        ([], {}, "received no rows"),
        (ROWS[0], {}, "received AspectExample"),
        ([AspectExample("soup", "food")], {}, "have none, the first is row 0"),
    ):
        with pytest.raises(ValueError, match=message):
            model.calibrate(rows, **arguments)
    assert (model.temperature, model.none_threshold) == (2.0, 0.3)
    np.testing.assert_array_equal(model.predict(ROWS), before)
    model.calibrate(ROWS)
    assert model.none_threshold is None, "it belonged to other probabilities"


def test_a_temperature_that_is_set_is_used():
    model = tiny_model("pair_nli_m")
    before = model.predict(ROWS)
    model.temperature = 0.2
    after = model.predict(ROWS)
    assert after.max(axis=1).mean() > before.max(axis=1).mean()
    np.testing.assert_allclose(Predictor(model).probabilities(ROWS), after, atol=1e-5)
    for value in (0, -1, float("nan"), "x"):
        with pytest.raises(ValueError, match="`temperature` must be a number above 0"):
            model.temperature = value
        if value != 0:
            with pytest.raises(ValueError, match="`none_threshold` must be between 0 and 1"):
                model.none_threshold = value


def test_errors():
    with pytest.raises(ValueError, match="`temperature` must be a number above 0: received 0.0"):
        tiny_model("qacg", temperature=0.0)
    with pytest.raises(ValueError, match="`none_threshold` must be between 0 and 1.*received 1.5"):
        tiny_model("qacg", none_threshold=1.5)
    task = type(tiny_task())("two", aspects=("food", "service"), labels=("good", "bad"))
    with pytest.raises(ValueError, match="with none_label=None"):
        tiny_model("pair_nli_m", task=task, none_threshold=0.5)
