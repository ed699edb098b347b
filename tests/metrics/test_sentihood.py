import math

import numpy as np
import pytest

from keras_absa.metrics import sentihood_metrics

SURE = {0: [0.8, 0.15, 0.05], 1: [0.1, 0.7, 0.2], 2: [0.1, 0.3, 0.6]}
GOLD = [1, 0, 0, 2] + [0, 0, 0, 0] + [0, 2, 1, 0]


def scores_of(labels):
    return [SURE[label] for label in labels]


class TestByHand:
    def test_right_everywhere(self):
        report = sentihood_metrics(GOLD, scores_of(GOLD))
        assert [report[name] for name in ("strict_accuracy", "macro_f1", "sentiment_accuracy")] == [1.0, 1.0, 1.0]
        assert report.counts["groups"] == 3
        assert report.counts["groups_without_gold"] == 1

    def test_polarity_counts_in_one_strict_accuracy_only(self):
        said = [2, 0, 0, 2] + [0, 0, 0, 0] + [0, 2, 1, 0]
        report = sentihood_metrics(GOLD, scores_of(said))
        assert report["strict_accuracy"] == pytest.approx(2 / 3)
        assert report["aspect_only_strict_accuracy"] == 1.0
        assert report["macro_f1"] == 1.0
        assert report["sentiment_accuracy"] == 0.75

    def test_false_alarms_are_free_in_groups_without_gold(self):
        said = [1, 0, 0, 2] + [1, 1, 1, 1] + [0, 2, 1, 0]
        report = sentihood_metrics(GOLD, scores_of(said))
        assert report["macro_f1"] == 1.0
        assert report["strict_accuracy"] == pytest.approx(2 / 3)

    def test_macro_f1_averages_precision_and_recall_first(self):
        said = [1, 0, 0, 0] + [0, 0, 0, 0] + [1, 2, 1, 1]  # P 1, R 1/2 and P 1/2, R 1
        assert sentihood_metrics(GOLD, scores_of(said))["macro_f1"] == pytest.approx(0.75)

    def test_a_tied_sentiment_is_positive(self):
        tie = [[0.2, 0.4, 0.4]] * 4
        assert sentihood_metrics([1, 1, 1, 1], tie)["sentiment_accuracy"] == 1.0
        assert sentihood_metrics([2, 2, 2, 2], tie)["sentiment_accuracy"] == 0.0

    def test_aspect_auc_counts_none_as_positive(self):
        gold = [0, 0, 0, 0, 1, 1, 1, 1]
        report = sentihood_metrics(gold, scores_of(gold))
        assert report["aspect_auc"] == 1.0
        assert sentihood_metrics(gold, scores_of(gold[::-1]))["aspect_auc"] == 0.0

    def test_tables_name_aspects_and_labels(self):
        report = sentihood_metrics(GOLD, scores_of(GOLD))
        assert report.tables["aspects"]["price"]["gold"] == 1
        assert report.tables["confusion"]["Negative"] == {"None": 0, "Positive": 0, "Negative": 2}


class TestUndefined:
    def test_one_class_everywhere(self):
        report = sentihood_metrics([0] * 8, scores_of([0] * 8))
        assert math.isnan(report["aspect_auc"])
        assert report.undefined["aspect_auc"] == "single_class"
        assert report.undefined["sentiment_auc"] == report.undefined["sentiment_accuracy"] == "no_rows"
        assert report.undefined["macro_f1"] == "no_rows"
        assert report.counts["undefined_aspect_aucs"] == 4

    def test_defined_mean_leaves_out_and_counts(self):
        gold = [0, 0, 0, 1, 1, 1, 1, 1]  # the last aspect is always there
        report = sentihood_metrics(gold, scores_of(gold))
        assert math.isnan(report["aspect_auc"])
        assert report["aspect_auc_defined_mean"] == 1.0
        assert report.counts["undefined_aspect_aucs"] == 1
        assert report.undefined["aspects/transit-location/aspect_auc"] == "single_class"

    def test_zero_mass_on_both_sentiments(self):
        report = sentihood_metrics([1, 0, 0, 0], [[1.0, 0.0, 0.0]] * 4)
        assert report.undefined["sentiment_accuracy"] == "zero_mass"
        assert report.counts["zero_mass_rows"] == 1
        assert report["strict_accuracy"] == 0.0

    def test_no_rows(self):
        report = sentihood_metrics([], [])
        assert all(math.isnan(value) for value in report.values())
        assert {report.undefined[name] for name in report} == {"no_rows"}


class TestRefusals:
    def test_logits(self):
        with pytest.raises(ValueError, match=r"logits.*row 1.*softmax"):
            sentihood_metrics([0] * 4, [SURE[0], [-2.0, 3.0, 0.0], SURE[0], SURE[0]])

    @pytest.mark.parametrize(
        ("row", "words"), [([0.5, 0.3, 0.3], "sum to 1"), ([math.nan, 0.5, 0.5], "finite"), ([1.0, 0.0], "shape")]
    )
    def test_other_scores(self, row, words):
        with pytest.raises(ValueError, match=words):
            sentihood_metrics([0] * 4, [row] * 4)

    def test_rounded_scores_are_welcome(self):
        sentihood_metrics([0] * 4, np.full((4, 3), 0.333333))
        sentihood_metrics([0] * 4, np.full((4, 3), 1 / 3, np.float16))

    def test_label_ids(self):
        with pytest.raises(ValueError, match=r"`y_true` must be label ids from 0 to 2: received 3 in row 2"):
            sentihood_metrics([0, 0, 3, 0], scores_of([0] * 4))
        with pytest.raises(ValueError, match="vector of ints"):
            sentihood_metrics(["None"] * 4, scores_of([0] * 4))
        with pytest.raises(ValueError, match="`y_pred` must have one label for each row"):
            sentihood_metrics([0] * 4, scores_of([0] * 4), y_pred=[0])

    def test_incomplete_last_group(self):
        with pytest.raises(ValueError, match="2 too many"):
            sentihood_metrics([0] * 6, scores_of([0] * 6))
        report = sentihood_metrics([0] * 4 + [1] * 2, scores_of([0] * 6), remainder="ignore")
        assert report["strict_accuracy"] == 1.0
        assert report["sentiment_accuracy"] == 1.0
        assert report.counts["rows_outside_groups"] == 2
        with pytest.raises(ValueError, match="`remainder`"):
            sentihood_metrics([0] * 6, scores_of([0] * 6), remainder="drop")

    @pytest.mark.parametrize("aspect_ids", [[0, 1, 2, 2], [0, 1, 2, 4], [0, 1, 3, -1]])
    def test_a_group_without_every_aspect_is_named(self, aspect_ids):
        with pytest.raises(ValueError, match=r"exactly once.*group \('7', 'LOCATION2'\)"):
            sentihood_metrics([0] * 4, scores_of([0] * 4), groups=[("7", "LOCATION2")] * 4, aspect_ids=aspect_ids)

    def test_a_group_of_five(self):
        with pytest.raises(ValueError, match="group 'a'"):
            sentihood_metrics([0] * 8, scores_of([0] * 8), groups=["a"] * 5 + ["b"] * 3)

    def test_arguments_that_need_each_other(self):
        with pytest.raises(ValueError, match="`aspect_ids` must come with `groups`"):
            sentihood_metrics([0] * 4, scores_of([0] * 4), aspect_ids=[0, 1, 2, 3])
        with pytest.raises(ValueError, match="`groups` must have one entry for each row"):
            sentihood_metrics([0] * 4, scores_of([0] * 4), groups=["a"])
        with pytest.raises(ValueError, match="`aspect_ids` must have one entry for each row"):
            sentihood_metrics([0] * 4, scores_of([0] * 4), groups=["a"] * 4, aspect_ids=[0])


def test_groups_alone_count_rows_as_they_come():
    order = [0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11]  # two groups interleaved
    gold = [GOLD[row] for row in order]
    report = sentihood_metrics(gold, scores_of(gold), groups=[row // 4 for row in order])
    assert report.to_dict() == sentihood_metrics(GOLD, scores_of(GOLD)).to_dict()
