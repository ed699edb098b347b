import math

import pytest

from keras_absa.metrics import semeval2014_metrics

POSITIVE, NEUTRAL, NEGATIVE, CONFLICT, NONE = range(5)


def sure(label, second=POSITIVE):
    row = [0.05] * 5
    row[second] += 0.2
    row[label] += 0.55
    return row


def test_categories_found_ignore_polarity():
    gold = [POSITIVE, NONE, NEGATIVE, NONE, NONE]
    said = [NEGATIVE, NEUTRAL, NONE, NONE, NONE]
    report = semeval2014_metrics(gold, [sure(label) for label in said])
    assert [report[name] for name in ("precision", "recall", "f1")] == [0.5, 0.5, 0.5]
    assert report["strict_accuracy"] == 0.0


def test_prediction_outside_the_set_is_replaced_by_the_best_inside():
    gold = [NEGATIVE, POSITIVE, NEUTRAL, CONFLICT, NONE]
    scores = [sure(NONE, NEGATIVE), sure(CONFLICT, POSITIVE), sure(NONE, NEUTRAL), sure(CONFLICT), sure(NONE)]
    report = semeval2014_metrics(gold, scores)
    assert report["accuracy_4way"] == 0.75  # conflict is a label there, so row 1 is wrong
    assert report["accuracy_3way"] == 1.0
    assert report["accuracy_2way"] == 1.0
    assert [report.counts[f"rows_{ways}way"] for ways in (4, 3, 2)] == [4, 3, 2]


def test_a_tie_is_positive():
    scores = [[0.1, 0.3, 0.1, 0.3, 0.2]] * 5
    assert semeval2014_metrics([POSITIVE] * 5, scores)["accuracy_2way"] == 1.0
    assert semeval2014_metrics([NEGATIVE] * 5, scores)["accuracy_2way"] == 0.0


def test_sentences_without_gold_are_skipped():
    gold = [POSITIVE] + [NONE] * 9
    said = [POSITIVE] + [NONE] * 4 + [POSITIVE] * 5
    report = semeval2014_metrics(gold, [sure(label) for label in said])
    assert report["precision"] == 1.0
    assert report.counts["groups_without_gold"] == 1


def test_no_eligible_row():
    report = semeval2014_metrics([CONFLICT] + [NONE] * 4, [sure(CONFLICT)] + [sure(NONE)] * 4)
    assert report["accuracy_4way"] == 1.0
    assert math.isnan(report["accuracy_3way"]) and math.isnan(report["accuracy_2way"])
    assert report.undefined["accuracy_3way"] == report.undefined["accuracy_2way"] == "no_rows"
    assert report.undefined["aspects/food/accuracy_4way"] == "no_rows"


def test_refusals():
    with pytest.raises(ValueError, match="logits"):
        semeval2014_metrics([NONE] * 5, [[3.0, -1.0, 0.0, 0.0, -1.0]] * 5)
    with pytest.raises(ValueError, match="groups of 5"):
        semeval2014_metrics([NONE] * 4, [sure(NONE)] * 4)
