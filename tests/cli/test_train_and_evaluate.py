import json

import pytest

from keras_absa.data import restaurants
from keras_absa.data.aspect_task import SCHEMES
from keras_absa.layers import MeanPooling
from keras_absa.models import QacgBertClassifier
from keras_absa.models.load_model import load_model
from keras_absa.models.pooling_tokens import POOLING_TOKENS


@pytest.fixture(scope="module")
def result(run_folder):
    return json.loads((run_folder / "result.json").read_text("utf-8"))


def test_train_writes_the_run(result, shop):
    assert result["class"] == "QacgBertClassifier"
    assert result["task"]["name"] == "shop" and result["task"]["labels"] == ["bad", "good", "none"]
    assert result["arguments"]["learning_rate"] == 1e-2 and result["arguments"]["data"] == str(shop)
    assert result["versions"]["transformers"] and result["seed"] == 0
    assert [entry["epoch"] for entry in result["history"]] == [1, 2]
    assert all(isinstance(entry["loss"], float) for entry in result["history"])
    assert [entry["epoch"] for entry in result["dev"]] == [1, 2]
    assert result["rows"] == {"train": 72, "dev": 20, "test": 20}
    assert set(result["test_scores"]) == {"last", "best", "constant_baseline"}
    assert result["seconds"]["total"] >= result["seconds"]["training"] > 0


def test_train_scores_both_epochs_and_saves_the_best(result, keras_absa, model_folder, shop):
    choice = result["selection"]
    assert (choice["best_epoch"], choice["last_epoch"], choice["saved_epoch"]) == (1, 2, 1)
    best, last = result["test_scores"]["best"], result["test_scores"]["last"]
    assert best["epoch"] == 1 and last["epoch"] == 2
    assert best["metrics"] != last["metrics"], "the two epochs must differ for this test to mean anything"

    scores = json.loads(keras_absa("evaluate", model_folder, "--data", shop, "--json").stdout)
    assert scores["metrics"] == pytest.approx(best["metrics"], abs=1e-6)
    assert scores["constant_baseline"] == result["test_scores"]["constant_baseline"]
    assert scores["rows"] == 20 and scores["split"] == "test"


def test_evaluate_prints_the_model_beside_the_constant_answer(result, keras_absa, model_folder, shop):
    printed = keras_absa("evaluate", model_folder, "--data", shop / "dev.csv").stdout
    line = next(line for line in printed.splitlines() if line.startswith("accuracy"))
    assert line.split()[1] == f"{100 * result['dev'][0]['metrics']['accuracy']:.2f}"
    assert line.split()[2] == "50.00" and "constant" in printed.splitlines()[0]


def test_progress_goes_to_stderr(run_folder):
    progress = (run_folder / "stderr.txt").read_text("utf-8")
    assert "epoch 2/2 [==========] 3/3" in progress and "val_strict_accuracy" in progress


def test_load_model_names_what_is_wrong(model_folder, run_folder, backbone, tmp_path):
    assert type(load_model(model_folder)) is QacgBertClassifier
    for folder, message in (
        (tmp_path / "no", "no such folder"),
        (run_folder, "runs?.*model"),
        (backbone, "plain BERT"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            load_model(folder)
    copy = tmp_path / "model"
    copy.mkdir()
    for path in model_folder.iterdir():
        (copy / path.name).symlink_to(path)
    (copy / "vocab.txt").unlink()
    with pytest.raises(FileNotFoundError, match="no vocab.txt"):
        load_model(copy)
    (copy / "vocab.txt").symlink_to(model_folder / "vocab.txt")
    (copy / "keras_absa.json").unlink()
    for text, message in (('{"class": "SlottedBert"}', "'SlottedBert'"), ("{\n,}", "keras_absa.json:2: invalid JSON")):
        (copy / "keras_absa.json").write_text(text)
        with pytest.raises(ValueError, match=message):
            load_model(copy)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "{shop}", "--output", "{run}"], "--overwrite"),
        (["--data", "{shop}", "--output", "{shop}/train.csv"], "must be a folder"),
        (["--data", "{new}", "--output", "{new}"], "no such folder"),
        (["--data", "{shop}", "--output", "{new}", "--gate-activation", "tanh"], "belongs to `--model cg`"),
        (
            ["--data", "{shop}", "--output", "{new}", "--pooling", "mean", "--hops", "4"],
            "`--hops` belongs to `--pooling self-attentive`",
        ),
        (["--data", "{shop}", "--output", "{new}", "--word-vectors", "x"], "belongs to the models without a BERT"),
        (
            ["--data", "{shop}", "--output", "{new}", "--model", "self-attentive", "--scheme", "qa_m"],
            "models on a BERT",
        ),
        (["--data", "{shop}", "--output", "{new}", "--pooling-tokens", "all"], "belongs to another `--pooling`"),
        (["--data", "{shop}", "--output", "{new}", "--task", "hotels"], "`--task` must be one of"),
        (["--data", "{shop}", "--output", "{new}", "--task", "{bad}"], "task.json: this does not describe a task"),
        (["--data", "{shop}", "--output", "{new}", "--task", "restaurants"], "train.csv:2: unknown label 'good'"),
        (["--data", "{shop}", "--output", "{new}", "--backbone", "./nothing"], "./nothing"),
        (["--data", "{shop}", "--output", "{new}", "--scheme", "nli"], "nli_m"),
        (["--data", "{shop}", "--output", "{new}", "--epochs", "0"], "epochs"),
        (["--data", "{shop}", "--output", "{run}", "--resume", "--overwrite"], "Give one of them"),
        (["--data", "{shop}", "--output", "{run}", "--resume"], "holds one that is finished. Read"),
        (["--data", "{shop}", "--output", "{shop}", "--overwrite"], "which holds dev.csv, test.csv, train.csv"),
        (["--data", "{shop}", "--output", "{new}", "--holdout", "2"], "--holdout"),
        (["--data", "{shop}", "--output", "/proc/new"], "/proc/new: no such file or directory. Check the path"),
    ],
)
def test_train_refuses(keras_absa, shop, run_folder, tmp_path, arguments, message):
    bad = tmp_path / "task.json"
    bad.write_text(json.dumps({**restaurants().to_dict(), "labels": []}))
    names = {"shop": shop, "run": run_folder, "new": tmp_path / "new", "bad": bad}
    failed = keras_absa("train", *(each.format(**names) for each in arguments), code=2)
    assert message in failed.stderr and "Traceback" not in failed.stderr and not failed.stdout
    assert not (tmp_path / "new" / "model").exists()


def test_evaluate_refuses_labels_of_another_task(keras_absa, model_folder, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("text,aspect,sentiment\nthe soup,food,good\nthe soup,bill,good\n")
    failed = keras_absa("evaluate", model_folder, "--data", path, code=2)
    assert f"{path}:3: unknown aspect 'bill'" in failed.stderr


def test_schemes_offered_are_those_of_the_library():
    from typing import get_args

    from keras_absa.cli import train

    assert get_args(train.__globals__["Scheme"]) == SCHEMES
    assert get_args(train.__globals__["PoolingTokens"]) == POOLING_TOKENS


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder of tables with targets."""
    folder = tmp_path_factory.mktemp("data") / "places"
    folder.mkdir()
    for split, count in (("train", 8), ("dev", 3), ("test", 4)):
        lines = ["text,aspect,sentiment,target"]
        for number in range(count):
            word = ("good", "bad")[number % 2]
            lines += [f"{split} {number} Ely was {word},{aspect},Ely" for aspect in (f"food,{word}", "service,none")]
        (folder / f"{split}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_other_models_targets_and_selections(keras_absa, places, backbone, tmp_path):
    output = tmp_path / "run"
    common = ["--data", places, "--output", output, "--backbone", backbone, "--max-length", 24, "--json"]
    own = ["--model", "cg", "--gate-activation", "sigmoid", "--epochs", 1, "--selection", "leaking_test"]
    own += ["--pooling", "self-attentive", "--hops", 3, "--penalty", 0.5, "--pooling-tokens", "words"]
    result = json.loads(keras_absa("train", *common, *own).stdout)
    assert result["class"] == "CgBertClassifier" and result["task"]["targets"] == ["TARGET1", "TARGET2"]
    assert result["selection"]["on"] == "test" and len(result["test"]) == 1 and "dev" not in result
    model = load_model(output / "model")
    assert model.encoder.plugs["0"].gate_activation == "sigmoid" and model.max_length == 24
    pooling = model.encoder.pooling
    assert (pooling.hops, pooling.attention_units, pooling.penalty_coef, pooling.penalty_scale) == (3, 64, 0.5, "r2")
    assert model.encoder.pooling_tokens == "words" and result["history"][0]["penalty"] > 0

    assert "--overwrite" in keras_absa("train", *common, code=2).stderr
    own = ["--model", "pair", "--scheme", "qa_b", "--epochs", 2, "--selection", "last", "--optimizer", "adamw"]
    own += ["--calibrate", "--pooling", "mean"]
    result = json.loads(keras_absa("train", *common, *own, "--overwrite").stdout)
    assert result["class"] == "BertPairClassifier" and result["selection"]["saved_epoch"] == 2
    model = load_model(output / "model")
    assert model.scheme == "qa_b" and not model.encoder.plugs and type(model.encoder.pooling) is MeanPooling
    scores = json.loads(keras_absa("evaluate", output / "model", "--data", places, "--json").stdout)
    assert model.temperature == result["calibration"]["temperature"] != 1.0
    errors = result["calibration"]["expected_calibration_error"]
    expected = {**result["test_scores"]["last"]["metrics"], "expected_calibration_error": errors["test"][1]}
    assert scores["metrics"] == pytest.approx(expected, abs=1e-6, nan_ok=True)
    assert errors["test"][0] == result["test_scores"]["last"]["metrics"]["expected_calibration_error"]


def test_a_model_without_bert(keras_absa, shop, tmp_path):
    (tmp_path / "vectors.txt").write_text("soup 1 2 3\ngood 4 5 6\nbad 7 8 9\nthe 1 1 1\nwas 2 2 2\n")
    own = ["--model", "self-attentive", "--word-vectors", tmp_path / "vectors.txt", "--hops", 2, "--penalty", 0.5]
    done = keras_absa("train", *own, "--data", shop, "--output", tmp_path / "run", "--epochs", 1, "--json")
    result = json.loads(done.stdout)
    assert result["class"] == "SelfAttentiveClassifier" and result["history"][0]["penalty"] > 0
    assert result["optimizer"]["class_name"] == "Adam"
    assert result["optimizer"]["config"]["learning_rate"] == pytest.approx(1e-3)
    model = load_model(tmp_path / "run" / "model")
    assert model.embedding_size == 3 and model.attention.hops == 2 and model.attention.penalty_scale == "r2"
    scores = json.loads(keras_absa("evaluate", tmp_path / "run" / "model", "--data", shop, "--json").stdout)
    assert scores["metrics"] == pytest.approx(result["test_scores"]["best"]["metrics"], abs=1e-6)


def test_pairs_of_texts(keras_absa, tmp_path):
    pairs = [("a dog runs", "a dog moves", "entailment"), ("a cat sleeps", "a cat runs", "contradiction")]
    for split in ("train", "dev", "test"):
        rows = [{"sentence1": one, "sentence2": other, "gold_label": label} for one, other, label in pairs]
        lines = [json.dumps(row) + "\n" for row in [*rows, {**rows[0], "gold_label": "-"}]]
        (tmp_path / f"snli_1.0_{split}.jsonl").write_text("".join(lines))
    own = ["--data", tmp_path, "--output", tmp_path / "run", "--epochs", 1, "--json"]
    done = keras_absa("train", "--model", "self-attentive-pair", "--hops", 2, *own)
    result = json.loads(done.stdout)
    assert result["class"] == "SelfAttentivePairClassifier" and result["task"]["name"] == "snli"
    assert result["rows"] == {"train": 2, "dev": 2, "test": 2} and "no_gold_label: 1" in done.stderr
    assert result["selection"]["monitor"] == "val_accuracy"
    refused = keras_absa("train", *own, "--overwrite", code=2)
    assert "Use --model pair or self-attentive-pair" in refused.stderr


def test_bad_rows_are_left_out_and_listed(keras_absa, shop, backbone, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for path in shop.iterdir():
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    with (folder / "train.csv").open("a", encoding="utf-8") as file:
        file.write(",food,good\nthe soup,bad\n")
    arguments = [
        "--data",
        folder,
        "--output",
        tmp_path / "run",
        "--backbone",
        backbone,
        "--epochs",
        1,
        "--max-length",
        24,
    ]
    failed = keras_absa("train", *arguments, code=2)
    assert "empty text" in failed.stderr and "received 2 columns, expected 3" in failed.stderr
    assert (
        "`--conflict drop` leaves out: received it alone"
        in keras_absa("train", *arguments, "--rejects", tmp_path / "r", code=2).stderr
    )
    done = keras_absa("train", *arguments, "--on-error", "skip", "--rejects", tmp_path / "r.jsonl", "--json")
    assert json.loads(done.stdout)["rows"]["train"] == 72
    listed = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [each["reason"] for each in listed] == ["empty_text", "bad_columns"]
    assert "2 mistakes were skipped and listed in" in done.stderr
