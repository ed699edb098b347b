"""A tiny BERT, a small data set and models on them, made once for the tests of the command line."""

import json

import pytest
from typer.testing import CliRunner

from keras_absa.cli import app
from keras_absa.keras import keras
from tests.models.tiny import VOCABULARY, tiny_bert


@pytest.fixture(scope="session")
def keras_absa():
    """Runs the command in this process: `keras_absa("predict", folder, input="...")`."""

    def run(*arguments, code=0, **kwargs):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], **kwargs)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, f"exit code {result.exit_code}\n{result.output}"
        return result

    return run


@pytest.fixture(scope="session")
def backbone(tmp_path_factory):
    """A HuggingFace folder of a few thousand random weights, the same ones in each run."""
    keras.utils.set_random_seed(0)
    folder = tmp_path_factory.mktemp("bert")
    bert = tiny_bert(layers=1, width=12)
    bert.build_in_name_scope()
    bert.save_pretrained(folder, safe_serialization=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A folder with train.csv, dev.csv and test.csv."""
    folder = tmp_path_factory.mktemp("data") / "shop"
    folder.mkdir()
    for split, count in (("train", 36), ("dev", 10), ("test", 10)):
        lines = ["text,aspect,sentiment"]
        for number in range(count):
            word = ("good", "bad")[number * 7 % 3 % 2]
            lines += [f"{split} {number} the food was {word},{aspect}" for aspect in (f"food,{word}", "service,none")]
        (folder / f"{split}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="session")
def run_folder(keras_absa, backbone, shop, tmp_path_factory):
    """What `train` writes; of the two epochs, the first is the best on dev."""
    output = tmp_path_factory.mktemp("runs") / "shop"
    arguments = ["--backbone", backbone, "--epochs", 2, "--learning-rate", "1e-2", "--max-length", 24, "--json"]
    result = keras_absa("train", "--data", shop, "--output", output, *arguments)
    assert json.loads(result.stdout) == json.loads((output / "result.json").read_text("utf-8"))
    (output / "stderr.txt").write_text(result.stderr, "utf-8")
    return output


@pytest.fixture(scope="session")
def model_folder(run_folder):
    return run_folder / "model"
