"""The command line with segments instead of texts."""

import json

import numpy as np
import pytest

from keras_absa.data import Segments, cross_modal_segments, write_segments
from keras_absa.models import JointEncoder, load_model

SMALL = (
    "--hidden-units 8 --inner-units 8 --num-heads 2 --num-blocks 1 --lengths text=12,audio=12 --batch-size 8".split()
)
TRAIN = ("train", "--model", "joint-encoder")


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """A folder of segments without a dev.npz, of eight videos."""
    folder = tmp_path_factory.mktemp("clips")
    for split, size in (("train", 32), ("test", 8)):
        found = cross_modal_segments(split, size=size)
        found.ids = [f"video{place % 8}[{place}]" for place in range(size)]
        write_segments(found, folder / f"{split}.npz")
    return folder


@pytest.fixture(scope="module")
def task_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "mine.json"
    own = {"name": "mine", "target": "sentiment", "kind": "classes", "labels": ["positive", "negative"]}
    path.write_text(json.dumps(own), "utf-8")
    return path


@pytest.fixture(scope="module")
def finished(keras_absa, clips, task_file, tmp_path_factory):
    output = tmp_path_factory.mktemp("runs") / "clips"
    more = ["--epochs", 2, "--holdout", 0.25, "--class-weights", "--schedule", "constant", "--json"]
    result = keras_absa(*TRAIN, "--data", clips, "--task", task_file, "--output", output, *SMALL, *more)
    return output, json.loads(result.stdout), result.stderr


def test_train_writes_the_run(finished, clips):
    output, result, said = finished
    assert result == json.loads((output / "result.json").read_text("utf-8"))
    assert result["class"] == "JointEncoder" and result["task"]["labels"] == ["positive", "negative"]
    assert result["rows"] == {"train": 24, "test": 8, "dev": 8}  # two of the eight videos
    assert "no dev.npz: 8 segments" in said and "32 segments, text, audio 6 to 12 frames of 8" in said
    assert [entry["epoch"] for entry in result["dev"]] == [1, 2] and "majority_accuracy" in result["dev"][0]["metrics"]
    model = load_model(output / "model")
    assert isinstance(model, JointEncoder) and model.hidden_units == 8 and model.lengths == {"text": 12, "audio": 12}
    assert not (output / "checkpoint").exists()


def test_evaluate_predict_and_export(keras_absa, finished, clips, tmp_path):
    output, result, _ = finished
    scores = json.loads(keras_absa("evaluate", output / "model", "--data", clips, "--json").stdout)
    assert scores["metrics"] == pytest.approx(result["test_scores"]["best"]["metrics"], abs=1e-6)
    table = keras_absa("evaluate", output / "model", "--data", clips / "test.npz").stdout
    assert "majority_accuracy" in table and "constant" not in table
    answers = [
        json.loads(line) for line in keras_absa("predict", output / "model", clips / "test.npz").stdout.splitlines()
    ]
    assert [each["id"] for each in answers] == [f"video{place % 8}[{place}]" for place in range(8)]
    assert all(each["label"] in ("positive", "negative") for each in answers)
    keras_absa("predict", output / "model", clips / "test.npz", "--output", tmp_path / "answers.jsonl")
    assert [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()] == answers
    assert keras_absa("export", output / "model", tmp_path / "saved").stdout.strip().endswith("saved/1")


def test_one_modality_and_the_schedule(keras_absa, tmp_path):
    more = ["--modalities", "audio", "--lengths", "audio=12", "--epochs", 9, "--learning-rate", "1e-9"]
    keras_absa(*TRAIN, "--data", "cross-modal", "--output", tmp_path / "run", *SMALL[:-4], "--batch-size", 256, *more)
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    # The first epoch is the best; two that halve the rate and three more end it.
    assert len(result["history"]) == 6 and result["selection"]["best_epoch"] == 1
    assert load_model(tmp_path / "run" / "model").modalities == ("audio",)


def test_a_bert_as_language(keras_absa, backbone, clips, task_file, tmp_path):
    keras_absa(
        *TRAIN,
        "--data",
        clips,
        "--task",
        task_file,
        "--output",
        tmp_path / "run",
        *SMALL,
        "--backbone",
        backbone,
        "--epochs",
        1,
    )
    assert load_model(tmp_path / "run" / "model").encoder is not None


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--data", "{clips}"], "`--task` must be one of mosei-emotion"),
        (["--data", "{clips}", "--task", "mosei-emotion"], "must have the target 'emotion' of task 'mosei_emotion'"),
        (["--data", "{clips}", "--task", "none.json"], "none.json: no such file"),
        (["--data", "nowhere", "--task", "meld-emotion"], "received nowhere, nothing there"),
        (["--data", "cross-modal", "--scheme", "qa_m"], "`--scheme` does not belong to `--model joint-encoder`"),
        (["--data", "cross-modal", "--lengths", "text"], "`--lengths` must be like text=40,audio=60: received 'text'"),
        (["--data", "cross-modal", "--modalities", "text,video"], "`use` must name some of ['text', 'audio']"),
    ],
)
def test_commands_that_are_refused(keras_absa, clips, tmp_path, arguments, message):
    arguments = [each.format(clips=clips) for each in arguments]
    result = keras_absa(*TRAIN, *arguments, "--output", tmp_path / "new", code=2)
    assert message in result.stderr
    assert not (tmp_path / "new" / "model").exists()


def test_what_belongs_elsewhere(keras_absa, finished, shop, model_folder, clips, tmp_path):
    output, _, _ = finished
    for arguments, message in (
        (
            ["train", "--data", shop, "--output", tmp_path / "new", "--hidden-units", 3],
            "belongs to `--model joint-encoder`",
        ),
        (["predict", output / "model", shop / "test.csv"], "answers about a .npz of segments"),
        (["predict", model_folder, clips / "test.npz"], "reads texts: received an array file"),
        (["evaluate", output / "model", "--data", clips, "--window", 20], "received it with a joint encoder"),
    ):
        assert message in keras_absa(*arguments, code=2).stderr


def test_bad_files_are_named(keras_absa, tmp_path):
    (tmp_path / "train.npz").write_text("hello")
    more = ["--task", "mosei-emotion", "--output", tmp_path / "new"]
    assert "train.npz: no readable .npz" in keras_absa(*TRAIN, "--data", tmp_path, *more, code=2).stderr
    features = {"audio": [np.ones([2, 2])] * 2}
    write_segments(
        Segments(["a[0]", "a[1]"], ["x", "y"], features, {"emotion": np.ones([2, 6])}), tmp_path / "train.npz"
    )
    assert "needs videos of its own: received 1 in all" in keras_absa(*TRAIN, "--data", tmp_path, *more, code=2).stderr
    bad = tmp_path / "task.json"
    bad.write_text('{"name": "a",\n "kind": classes}', "utf-8")
    more = ["--data", tmp_path, "--task", bad, "--output", tmp_path / "new"]
    assert f"{bad}:2: invalid JSON" in keras_absa(*TRAIN, *more, code=2).stderr
