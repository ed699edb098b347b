"""Scores of classes and of numbers by hand, and the choice of an ensemble."""

import numpy as np
import pytest

from keras_absa.data import cross_modal, mosei_score, mosei_sentiment
from keras_absa.metrics import choose_ensemble, class_metrics, joint_metrics, score_metrics


def test_classes_by_hand():
    """Three of four rows are calm, and the model says calm twice, once wrongly."""
    logits = [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 3.0]]
    report = class_metrics([0, 1, 0, 0], logits, ("calm", "tense"))
    assert (report["accuracy"], report["majority_accuracy"]) == (0.25, 0.75)
    # F1 of calm: 2 hits * 1 / (3 + 2); of tense 0.
    assert report["f1_weighted"] == pytest.approx(0.75 * 0.4) and report["macro_f1"] == pytest.approx(0.2)
    assert report.tables["confusion"]["calm"] == {"calm": 1, "tense": 2}
    assert joint_metrics(cross_modal(), [0, 1, 0, 0], logits)["accuracy"] == 0.25


def test_scores_by_hand():
    gold, scores = [1.0, -2.0, 0.0, 3.0], [0.5, -1.5, 0.0, 9.0]  # 9 counts as 3
    report = score_metrics(gold, scores)
    assert report["mae"] == 0.25 and report["constant_mae"] == pytest.approx(np.abs(np.array(gold) - 0.5).mean())
    assert report["correlation"] == pytest.approx(np.corrcoef(gold, [0.5, -1.5, 0.0, 3.0])[0, 1])
    # Classes 4, 1, 3, 6 against 4, 1, 3, 6; not negative: 1, 0, 1, 1.
    assert (report["accuracy_7"], report["accuracy_2"], report["majority_accuracy_2"]) == (1.0, 1.0, 0.75)
    assert joint_metrics(mosei_score(), gold, np.array(scores)[:, None])["mae"] == 0.25
    assert "0.250" in str(report) and "25.00" in str(report)  # an error in points, a share in percent


def test_what_cannot_be_computed_has_a_reason():
    assert score_metrics([1.0, 1.0], [0.0, 1.0]).undefined == {"correlation": "single_class"}
    assert set(score_metrics([], []).undefined.values()) == {"no_rows"}
    assert class_metrics([], np.zeros([0, 2]), ("a", "b")).undefined["accuracy"] == "no_rows"
    for logits in ([[np.nan, 0.0]], [[1.0]]):
        with pytest.raises(ValueError, match="A model's outputs must be finite"):
            class_metrics([0], logits, ("a", "b"))


def test_seven_classes_are_scored_as_classes():
    logits = np.eye(7)[[4, 3, 0]]
    assert joint_metrics(mosei_sentiment(7), [4, 3, 1], logits)["accuracy"] == pytest.approx(2 / 3)


def test_the_ensemble_is_chosen_on_the_development_set():
    """Each run is wrong in one row; those that are wrong in different ones help each other, if they are not too sure."""
    gold = [0, 1, 1, 0]
    first = [[0, 3], [0, 1], [0, 4], [1, 0]]  # wrong in the first row, by far
    second = [[1, 0], [0, 2], [5, 0], [1, 0]]  # wrong in the third, by far
    third = [[4, 0], [0, 2], [0.5, 0], [1, 0]]  # wrong in the third, hardly
    choice = choose_ensemble(cross_modal(), gold, [first, second, third])
    assert [report["accuracy"] for report in choice.reports] == [0.75, 0.5, 0.75] and choice.members == (0,)
    choice = choose_ensemble(cross_modal(), gold, [third, first, [[1, 0], [1, 0], [0, 1], [1, 0]]])
    assert [report["accuracy"] for report in choice.reports] == [0.75, 1.0, 1.0] and choice.members == (0, 1)
    np.testing.assert_allclose(choice.outputs([[[0.0, 3.0]], [[3.0, 0.0]], [[9.0, 9.0]]]), [[1.5, 1.5]])
    choice = choose_ensemble(cross_modal(), gold, [first, [[1, 0], [0, 1], [0, 1], [1, 0]]])
    assert choice.members == (1,)  # as good alone as with the other: the smaller one
    with pytest.raises(ValueError, match="`correlation` must be defined"):
        choose_ensemble(mosei_score(), [1.0, 1.0], [[[0.0], [1.0]]])
