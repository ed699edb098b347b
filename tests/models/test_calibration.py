import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample
from keras_absa.models import BertPairClassifier
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
    assert fit_none_threshold(lambda threshold: 1.0 if 0.6 < threshold < 0.9 else 0.0) == 0.65
    assert fit_none_threshold(lambda threshold: float("nan")) == 0.5


@pytest.mark.parametrize("kind", ["qacg", "pair_nli_b"])
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
    again = BertPairClassifier if kind.startswith("pair") else type(model)
    again = again.from_pretrained(tmp_path / "model")
    assert (again.temperature, again.none_threshold) == (model.temperature, 0.999)
    served = tf.saved_model.load(str(export(again, tmp_path / "export"))).signatures["pair"]
    found = served(text=tf.constant([row.text for row in ROWS]), aspect=tf.constant([row.aspect for row in ROWS]))
    np.testing.assert_allclose(found["probabilities"], after, atol=1e-5)
    assert set(found["label"].numpy()) <= {b"good", b"bad"}


def test_errors():
    with pytest.raises(ValueError, match="`temperature` must be above 0: received 0.0"):
        tiny_model("qacg", temperature=0.0)
    with pytest.raises(ValueError, match="`none_threshold` must be between 0 and 1.*received 1.5"):
        tiny_model("qacg", none_threshold=1.5)
    task = type(tiny_task())("two", aspects=("food", "service"), labels=("good", "bad"))
    with pytest.raises(ValueError, match="with none_label=None"):
        tiny_model("pair_nli_m", task=task, none_threshold=0.5)
    with pytest.raises(ValueError, match="have none, the first is row 0"):
        tiny_model("qacg").calibrate([AspectExample("soup", "food")])
