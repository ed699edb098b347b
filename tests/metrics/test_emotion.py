"""Emotions, sentiment classes and ensembles against the public code's numbers, and by hand."""

import numpy as np
import pytest

from keras_absa.metrics import emotion_metrics, ensemble_logits, sentiment_classes


@pytest.fixture(scope="module")
def arrays(golden_dir):
    return dict(np.load(golden_dir / "tbje_metrics.npz", allow_pickle=False))


@pytest.mark.golden
def test_emotions(arrays):
    names = [f"emotion {place}" for place in range(arrays["emotion_labels"].shape[1])]
    report = emotion_metrics(arrays["emotion_labels"], arrays["emotion_logits"], names)
    for name, golden, scale in (
        ("accuracy", "acc_mean", 100),
        ("exact_match", "exact_match", 100),
        ("f1_micro", "f1_multilabel_micro", 1),
        ("f1_macro", "f1_multilabel_macro", 1),
        ("f1_weighted", "f1_multilabel_weighted", 1),
    ):
        assert scale * report[name] == pytest.approx(float(arrays[golden]), abs=1e-4), name
    for name, golden, scale in (
        ("accuracy", "acc_per_emotion", 100),
        ("weighted_accuracy", "weighted_accuracy_per_emotion", 100),
        ("f1_weighted", "f1_weighted_per_emotion", 1),
        ("f1_positive", "f1_positive_per_emotion", 1),
    ):
        found = [scale * report.tables["labels"][each][name] for each in names]
        np.testing.assert_allclose(found, arrays[golden], atol=1e-4, err_msg=name)


@pytest.mark.golden
def test_sentiment_classes(arrays):
    scores = arrays["sentiment_scores"]
    np.testing.assert_array_equal(sentiment_classes(scores), arrays["sentiment_7"])
    np.testing.assert_array_equal(sentiment_classes(scores, classes=2), arrays["sentiment_2"])
    assert (sentiment_classes(scores) != arrays["sentiment_7_by_rounding"]).any()


@pytest.mark.golden
@pytest.mark.parametrize("average, golden", [("logits", ""), ("probabilities", "_probs")])
def test_ensembles(arrays, average, golden):
    labels = arrays["member_labels"]
    together = ensemble_logits(arrays["member_logits"], average)
    found = 100 * (together.argmax(axis=-1) == labels).mean(axis=1)
    np.testing.assert_allclose(found, arrays[f"ensemble_acc_prefix{golden}"], atol=1e-4)
    single = [100 * (ensemble_logits(each[None])[0].argmax(-1) == labels).mean() for each in arrays["member_logits"]]
    np.testing.assert_allclose(single, arrays["member_acc"], atol=1e-4)


def test_rare_emotions_by_hand():
    """One row of ten is happy, none is afraid, and the model says neither."""
    gold = np.zeros((10, 2), int)
    gold[0, 0] = 1
    report = emotion_metrics(gold, np.full((10, 2), -1.0), ("happy", "fear"))
    assert report["accuracy"] == report["majority_accuracy"] == 0.95 and report["exact_match"] == 0.9
    happy, fear = report.tables["labels"]["happy"], report.tables["labels"]["fear"]
    assert (happy["accuracy"], happy["f1_positive"], happy["weighted_accuracy"]) == (0.9, 0.0, 0.5)
    assert happy["f1_weighted"] == pytest.approx(0.9 * 18 / 19) and fear["f1_weighted"] == 1.0
    assert report.undefined == {"labels/fear/weighted_accuracy": "single_class"}
    zero = emotion_metrics([[0]], [[0.0]], ("happy",))
    assert zero["accuracy"] == 1.0  # exactly 0 is absent


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([[1, 0]], [[1.0]], ("a", "b")), r"with 2 labels: received \(1, 2\) and \(1, 1\)"),
        (([[0.6]], [[1.0]], ("a",)), r"must hold 0 and 1: received \[0.6\]"),
        (([[1]], [[float("nan")]], ("a",)), "must be finite: received nan in row 0"),
    ],
)
def test_emotions_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        emotion_metrics(*arguments)


def test_other_refusals():
    with pytest.raises(ValueError, match="`classes` must be one of"):
        sentiment_classes([0.0], classes=5)
    for score in (3.5, float("nan")):
        with pytest.raises(ValueError, match="must be from -3 to 3: received"):
            sentiment_classes([0.0, score])
    with pytest.raises(ValueError, match=r"received shape \(2, 2\)"):
        ensemble_logits([[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="`average` must be one of"):
        ensemble_logits([[[1.0]]], "votes")
