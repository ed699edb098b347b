"""Every sentence pair of both data sets against the hashes and counts of the published ones."""

import hashlib
import json
from collections import Counter

import pytest

from keras_absa.data.aspect_task import semeval2014, sentihood
from keras_absa.data.formats import find_splits, read_examples
from keras_absa.data.load_report import LoadReport
from keras_absa.data.pairs import canonical_order, pair_rows, write_pairs
from keras_absa.data.splits import check_groups

pytestmark = pytest.mark.golden

DATA_SETS = {"sentihood": ("sentihood", sentihood(), "treebank"), "semeval14": ("semeval2014", semeval2014(), "raw")}


@pytest.fixture(scope="module", params=DATA_SETS)
def data_set(request, golden_dir, data_dir):
    """(task, {split: (examples, report, path)}, the reference values)."""
    folder, task, clean = DATA_SETS[request.param]
    golden = json.loads((golden_dir / f"{request.param}_pairs_summary.json").read_text(encoding="utf-8"))
    splits = {}
    for split, path in find_splits(task, data_dir / folder).items():
        report = LoadReport()
        splits[split] = (read_examples(task, path, split, clean, report=report), report, path)
    assert set(splits) == set(golden["splits"])
    return task, splits, golden


def digest(rows, path):
    write_pairs(rows, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("scheme", ["NLI_M", "QA_M", "NLI_B", "QA_B"])
def test_pairs(data_set, scheme, tmp_path):
    task, splits, golden = data_set
    for split, (examples, _, path) in splits.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == golden["source_sha256"][split]
        expected = golden["splits"][split][scheme]
        rows = pair_rows(examples, task, scheme.lower())
        assert digest(rows, tmp_path / "pairs.tsv") == expected["sha256"]
        assert (tmp_path / "pairs.tsv").stat().st_size == expected["bytes"]
        assert len(rows) == expected["pairs"]
        assert Counter(row[3] for row in rows) == expected["label_counts"]
        if "label_counts_per_aux" in expected:
            counts = {}
            for _, _, aux, label in rows:
                counts.setdefault(aux, Counter())[label] += 1
            assert counts == expected["label_counts_per_aux"]


def test_single_files(data_set, tmp_path):
    task, splits, golden = data_set
    for split, (examples, _, _) in splits.items():
        files = {}
        for example in examples:
            # Reference names: "food", or "loc1_transit" for (LOCATION1, transit-location).
            place = f"loc{example.target[-1]}_" if example.target else ""
            files.setdefault(place + example.aspect.partition("-")[0], []).append(example)
        expected = golden["splits"][split]["single"]["files"]
        assert set(files) == set(expected)
        for name, part in files.items():
            rows = pair_rows(part, task, "single")
            assert digest(rows, tmp_path / "pairs.tsv") == expected[name]["sha256"]
            assert len(rows) == expected[name]["rows"]
            assert Counter(row[3] for row in rows) == expected[name]["label_counts"]


def test_groups_and_order(data_set):
    task, splits, golden = data_set
    for split, (examples, report, _) in splits.items():
        check_groups(examples, task)
        assert canonical_order(examples, task) == examples
        if task.targets:
            assert canonical_order(examples[::-1], task) == examples
            assert len({(example.id, example.target) for example in examples}) == golden["splits"][split]["groups"]
        assert report.texts == golden["splits"][split]["sentences"]
        assert report.rows == len(examples)


def test_raw_text_names_its_target_as_a_word(data_set, data_dir):
    task, splits, _ = data_set
    for split, (_, _, path) in splits.items():
        for example in read_examples(task, path, split):
            if example.target:
                words = "".join(c if c.isalnum() or c == "_" else " " for c in example.text).split()
                assert example.target in words, example.source
