import random

import numpy as np
import pytest

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask, restaurants, semeval2014, sentihood
from keras_absa.metrics import constant_baseline, task_intervals, task_metrics


def examples_of(task, num_texts, with_ids=True, seed=0):
    """Every context of every text, each with a random label."""
    choose = random.Random(seed)
    return [
        AspectExample(f"text {n}", aspect, choose.choice(task.labels), target, id=str(n) if with_ids else "")
        for n in range(num_texts)
        for target, aspect in task.contexts
    ]


def certain(task, examples):
    return np.eye(len(task.labels))[[task.label_id(row.label) for row in examples]]


TASKS = [sentihood(), semeval2014(), restaurants(), AspectTask("shop", ("price", "staff"), ("bad", "good"))]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("with_ids", [True, False])
def test_perfect_in_any_order(task, with_ids):
    examples = examples_of(task, 20, with_ids)
    random.Random(1).shuffle(examples)
    report = task_metrics(task, examples, certain(task, examples))
    assert report["strict_accuracy"] == 1.0
    assert report.counts["groups"] == 20 * max(1, len(task.targets) if task.metrics == "sentihood" else 1)


def test_the_task_picks_the_scorer():
    names = [set(task_metrics(task, rows := examples_of(task, 9), certain(task, rows))) for task in TASKS]
    assert "aspect_auc" in names[0]
    assert "accuracy_4way" in names[1]
    assert "aspect_f1" in names[2] and "aspect_f1" not in names[3]


def test_equal_ids_of_two_splits_are_two_texts():
    task = sentihood()
    rows = [AspectExample("t", aspect, "None", "LOCATION1", id="0", split=s) for s in "ab" for aspect in task.aspects]
    assert task_metrics(task, rows, certain(task, rows)).counts["groups"] == 2


def test_unlabelled_and_unknown_labels_name_their_row():
    task = TASKS[3]
    for row, words in (
        (AspectExample("t", "price", source="shop.csv:7"), "^shop.csv:7: an example must have a label"),
        (AspectExample("t", "price", "godo", source="shop.csv:8"), "^shop.csv:8: `label` must be one of"),
        (AspectExample("t", "parking", "good"), "^row 0: `aspect` must be one of"),
    ):
        with pytest.raises(ValueError, match=words):
            task_metrics(task, [row], [[0.5, 0.5]])


def test_a_missing_row_is_an_error_that_names_the_group():
    task = sentihood()
    rows = examples_of(task, 2)[1:]
    with pytest.raises(ValueError, match="group .*'0', 'LOCATION1'"):
        task_metrics(task, rows, certain(task, rows))


def test_scorers_that_do_not_fit():
    rows = [AspectExample("t", "price", "good")]
    for metrics, words in (("bleu", "`task.metrics` must be one of"), ("sentihood", "needs the labels")):
        task = AspectTask("shop", ("price",), ("bad", "good"), metrics=metrics)
        with pytest.raises(ValueError, match=words):
            task_metrics(task, rows, [[0.5, 0.5]])


def test_constant_baseline_of_the_none_label():
    task = restaurants()
    labels = ("negative", "negative", "none", "positive")
    rows = [AspectExample("t", aspect, label) for aspect, label in zip(task.aspects, labels, strict=True)]
    report = constant_baseline(task, rows)
    assert report["accuracy"] == 0.25
    assert report["aspect_f1"] == 0.0
    assert report["sentiment_accuracy"] == pytest.approx(1 / 3)  # the earlier label is positive
    assert report["expected_calibration_error"] == pytest.approx(0.25)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_constant_baseline_of_the_majority(size):
    labels = "abcdef"[:size]
    task = AspectTask("any", ("x",), labels)
    rows = [AspectExample(str(n), "x", labels[-1]) for n in range(3)] + [AspectExample("4", "x", labels[0])]
    assert constant_baseline(task, rows)["accuracy"] == (1.0 if size == 1 else 0.75)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_intervals_have_the_value_of_the_report(task):
    examples = examples_of(task, 15)
    scores = np.random.default_rng(0).dirichlet(np.ones(len(task.labels)), size=len(examples))
    intervals = task_intervals(task, examples, scores, n=20)
    report = task_metrics(task, examples, scores)
    assert set(intervals) == set(report)
    for name, interval in intervals.items():
        assert interval.value == pytest.approx(report[name], nan_ok=True)
        assert np.isnan(interval.low) or interval.low <= interval.high
