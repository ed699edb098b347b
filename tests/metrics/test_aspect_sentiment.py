import math
import warnings

import numpy as np
import pytest
from sklearn.metrics import f1_score

from keras_absa.metrics import aspect_sentiment_metrics

LABELS = ("none", "good", "bad")


def one_hot(labels, size=3):
    return np.eye(size)[np.asarray(labels, dtype=int)]


def test_by_hand():
    gold = [0, 1, 2, 0, 1, 0]
    said = [0, 1, 1, 1, 0, 0]
    report = aspect_sentiment_metrics(
        gold, one_hot(said), LABELS, "none", groups=["a", "a", "b", "b", "c", "d"], aspect_ids=[0, 1, 0, 1, 1, 1]
    )
    assert report["accuracy"] == 0.5
    assert report["strict_accuracy"] == 0.5  # groups a and d
    assert report["aspect_precision"] == report["aspect_recall"] == pytest.approx(2 / 3)
    assert report["sentiment_accuracy"] == pytest.approx(2 / 3)  # row 4: nothing on both, so the first label
    assert report.tables["aspects"]["1"]["rows"] == 4
    assert report.tables["confusion"]["bad"] == {"none": 0, "good": 1, "bad": 0}
    assert report.counts["groups"] == 4


def test_macro_f1_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    for size in (1, 2, 3, 10, 200):
        scores = random.dirichlet(np.ones(5), size=size)
        gold = random.integers(0, 3, size=size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = f1_score(gold, scores.argmax(axis=1), average="macro")
        report = aspect_sentiment_metrics(gold, scores, "abcde")
        assert report["macro_f1"] == pytest.approx(expected, abs=1e-12)


def test_absent_labels_are_left_out_and_counted():
    report = aspect_sentiment_metrics([0, 1], one_hot([0, 1]), LABELS)
    assert report["macro_f1"] == 1.0
    assert report.counts["labels_left_out"] == 1


def test_sentiment_is_the_best_label_other_than_none():
    scores = [[0.9, 0.02, 0.08], [0.9, 0.08, 0.02]]
    report = aspect_sentiment_metrics([2, 2], scores, LABELS, "none")
    assert report["aspect_f1"] == 0.0
    assert report["sentiment_accuracy"] == 0.5
    # Where none is not the first label.
    assert aspect_sentiment_metrics([0, 1], [[0.3, 0.1, 0.6]] * 2, ("good", "bad", "none"), "none")[
        "sentiment_accuracy"
    ] == pytest.approx(0.5)


def test_calibration():
    sure = [[0.8, 0.2]] * 10
    assert aspect_sentiment_metrics([0] * 8 + [1] * 2, sure, "ab")["expected_calibration_error"] == pytest.approx(0.0)
    assert aspect_sentiment_metrics([0] * 10, sure, "ab")["expected_calibration_error"] == pytest.approx(0.2)
    assert aspect_sentiment_metrics([1] * 10, sure, "ab")["expected_calibration_error"] == pytest.approx(0.8)
    # Two bins, half the rows each: gaps of 0.2 and 0.4.
    mixed = aspect_sentiment_metrics([0] * 20, sure + [[0.6, 0.4]] * 10, "ab")
    assert mixed["expected_calibration_error"] == pytest.approx(0.3)


def test_no_rows_and_no_sentiment():
    empty = aspect_sentiment_metrics([], [], LABELS, "none", groups=[])
    assert {empty.undefined[name] for name in ("accuracy", "macro_f1", "strict_accuracy")} == {"no_rows"}
    silent = aspect_sentiment_metrics([0, 0], one_hot([0, 1]), LABELS, "none", aspect_ids=[0, 1], aspects=("x", "y"))
    assert math.isnan(silent["sentiment_accuracy"])
    assert silent.undefined["sentiment_accuracy"] == silent.undefined["aspects/x/sentiment_accuracy"] == "no_rows"


def test_metrics_that_were_not_asked_for_are_absent():
    report = aspect_sentiment_metrics([0], [[1.0, 0.0, 0.0]], LABELS)
    assert set(report) == {"accuracy", "macro_f1", "expected_calibration_error"}


def test_order_of_rows_does_not_matter():
    random = np.random.default_rng(1)
    gold, scores = random.integers(0, 3, size=40), random.dirichlet(np.ones(3), size=40)
    groups, ids = np.arange(40) // 4, np.arange(40) % 4
    order = random.permutation(40)
    one = aspect_sentiment_metrics(gold, scores, LABELS, "none", groups, ids)
    two = aspect_sentiment_metrics(gold[order], scores[order], LABELS, "none", groups[order], ids[order])
    assert dict(two) == pytest.approx(dict(one), abs=1e-15)
    assert two.tables == one.tables


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"none_label": "nothing"}, "`none_label` must be one of"),
        ({"aspects": ("x",)}, "ids without|names without ids"),
        ({"aspect_ids": [1], "aspects": ("x",)}, "places in"),
        ({"aspect_ids": [0, 1]}, "one entry for each"),
        ({"groups": []}, "one entry for each row"),
        ({"scores": [[4.0, -3.0, 0.0]]}, "logits"),
    ],
)
def test_refusals(changes, words):
    with pytest.raises(ValueError, match=words):
        aspect_sentiment_metrics(**{"y_true": [0], "scores": [[1.0, 0.0, 0.0]], "labels": LABELS, **changes})
