"""The published scorers against the numbers of the public code, on small sets and on the real test labels."""

import json
import math
import re

import numpy as np
import pytest

from keras_absa.data.aspect_task import semeval2014, sentihood
from keras_absa.metrics import constant_baseline, semeval2014_metrics, sentihood_metrics

pytestmark = pytest.mark.golden

SCORERS = {"sentihood": sentihood_metrics, "semeval2014": semeval2014_metrics}
TASKS = {"sentihood": sentihood, "semeval2014": semeval2014}
# The public code returns some of its numbers in lists; `metric_names` in the file gives their order.
NAMES = {
    "strict_acc": ["strict_accuracy"],
    "macro_f1": ["macro_f1"],
    "auc_acc": ["aspect_auc", "sentiment_accuracy", "sentiment_auc"],
    "prf": ["precision", "recall", "f1"],
    "acc4": ["accuracy_4way"],
    "acc3": ["accuracy_3way"],
    "acc2": ["accuracy_2way"],
}
# What the public code dies of, in its own words, and what we say instead.
REASONS = {"division by zero": "no_rows", "Found array with 0 sample(s)": "no_rows", "contains NaN": "zero_mass"}


@pytest.fixture(scope="module")
def golden(golden_dir):
    return json.loads((golden_dir / "absa_metrics.json").read_text())


def check(report, expected):
    """Compare one report with the golden `metrics`; every key and every value is used."""
    for key, entry in expected.items():
        names = NAMES[key]
        if "raises" in entry:
            (reason,) = {code for message, code in REASONS.items() if message in entry["message"]}
            # Which of the three died is not recorded: it is the last one, unless there are no rows at all.
            assert math.isnan(report[names[-1]]), key
            assert report.undefined[names[-1]] == reason, key
            continue
        values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
        assert len(values) == len(names)
        assert any(value is None for value in values) == entry.get("nan", False)
        for name, value in zip(names, values, strict=True):
            if value is None:
                assert entry["warnings"] == ["UndefinedMetricWarning"]
                assert math.isnan(report[name]), name
                assert report.undefined[name] == "single_class", name
            else:
                assert report[name] == pytest.approx(value, rel=0, abs=1e-12), name
                assert name not in report.undefined


@pytest.mark.parametrize("kind", SCORERS)
def test_all_prediction_sets(golden, kind):
    for case in golden[kind]:
        report = SCORERS[kind](case["y_true"], case["scores"], case["y_pred"], remainder="ignore")
        try:
            check(report, case["metrics"])
        except AssertionError as error:
            raise AssertionError(f"{kind} set {case['name']}: {error}") from error


@pytest.mark.parametrize("kind", SCORERS)
def test_default_prediction_is_the_first_maximum(golden, kind):
    def first_maxima(case):
        return [row.index(max(row)) for row in case["scores"]]

    # One set gives predictions of its own on purpose.
    cases = {case["name"]: case for case in golden[kind] if case["y_pred"] == first_maxima(case)}
    assert "ties" in cases and len(cases) >= len(golden[kind]) - 1
    for case in cases.values():
        given = SCORERS[kind](case["y_true"], case["scores"], case["y_pred"], remainder="ignore")
        assert SCORERS[kind](case["y_true"], case["scores"], remainder="ignore").to_dict() == given.to_dict()


@pytest.mark.parametrize("kind", SCORERS)
def test_any_order_with_groups_gives_the_positional_result(golden, kind):
    size = len(TASKS[kind]().aspects)
    for seed, case in enumerate(golden[kind]):
        rows = np.arange(len(case["y_true"]) // size * size)
        scores = np.array(case["scores"]).reshape(-1, len(TASKS[kind]().labels))
        y_true, y_pred = np.array(case["y_true"], int), np.array(case["y_pred"], int)
        positional = SCORERS[kind](y_true[rows], scores[rows], y_pred[rows])
        order = np.random.default_rng(seed).permutation(rows)
        groups = [("text", int(row) // size) for row in order]
        shuffled = SCORERS[kind](y_true[order], scores[order], y_pred[order], groups=groups, aspect_ids=order % size)
        assert shuffled.to_dict() == positional.to_dict(), case["name"]


def real_examples(data_dir, kind):
    """The test split; both readers give the order of the published pair files."""
    if kind == "semeval2014":
        from keras_absa.data.semeval2014_reader import read_semeval2014

        return read_semeval2014(data_dir / "semeval2014" / "Restaurants_Test_Gold.xml", "test")
    from keras_absa.data.sentihood_reader import read_sentihood

    return read_sentihood(data_dir / "sentihood" / "sentihood-test.json", "test", clean="treebank")


def recipe_scores(recipe, y_true, num_labels):
    constant = re.search(r"constant score (\[.*?\])", recipe)
    if constant:
        return np.tile(json.loads(constant[1]), (len(y_true), 1))
    seed, shift = re.search(r"RandomState\((\d+)\).*\+=([\d.]+)", recipe).groups()
    z = np.random.RandomState(int(seed)).randn(len(y_true), num_labels)
    z[np.arange(len(y_true)), y_true] += float(shift)
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return np.round(z / z.sum(axis=1, keepdims=True), 6)


@pytest.mark.parametrize("kind", SCORERS)
def test_recipes_on_the_real_test_labels(golden, data_dir, kind):
    task, examples = TASKS[kind](), real_examples(data_dir, kind)
    y_true = np.array([task.label_id(row.label) for row in examples])
    recipes = [entry for entry in golden["full_split"] if entry["dataset"].startswith(kind)]
    assert recipes
    for entry in recipes:
        assert f"({len(examples)} rows)" in entry["dataset"]
        scores = recipe_scores(entry["recipe"], y_true, len(task.labels))
        positional = SCORERS[kind](y_true, scores)
        check(positional, entry["metrics"])
        groups = [(row.id, row.target) for row in examples]
        aspect_ids = [task.aspects.index(row.aspect) for row in examples]
        assert SCORERS[kind](y_true, scores, groups=groups, aspect_ids=aspect_ids).to_dict() == positional.to_dict()


@pytest.mark.parametrize("kind", SCORERS)
def test_constant_baseline_is_the_published_majority_baseline(golden, data_dir, kind):
    (entry,) = [e for e in golden["full_split"] if e["dataset"].startswith(kind) and "constant" in e["recipe"]]
    check(constant_baseline(TASKS[kind](), real_examples(data_dir, kind)), entry["metrics"])
