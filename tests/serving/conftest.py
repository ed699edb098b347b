"""Tiny classifiers, and processes that answer from their exports as a server would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_absa.data import AspectTask, neighbourhoods
from keras_absa.environment import minilm_folder
from keras_absa.keras import keras
from keras_absa.layers import QuasiAttention
from keras_absa.models import BertPairClassifier, QacgBertClassifier, SlottedBert
from keras_absa.text import Tokenizer
from tests.models.tiny import tiny_bert

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("answer_like_a_server.py")
KINDS = {
    "qacg": (QacgBertClassifier, QuasiAttention, {}),
    "nli_m": (BertPairClassifier, None, {}),
}


def restaurant_task():
    return AspectTask("tiny", aspects=("food", "service", "price"), labels=("none", "good", "bad"), none_label="none")


@pytest.fixture(scope="session")
def tokenizer():
    return Tokenizer(minilm_folder() / "vocab.txt")


@pytest.fixture(scope="session")
def make_model(tokenizer):
    """A tiny classifier with real words; dropout is high, so that an export that leaves it on is caught."""

    def make(kind="qacg", task=None):
        keras.utils.set_random_seed(3)
        task = task or restaurant_task()
        model_class, attention, arguments = KINDS[kind]
        bert = tiny_bert(vocab_size=tokenizer.vocab_size, dropout=0.5, initializer_range=0.5)
        slots = {"attention": attention(3, dropout=0.5), "num_contexts": task.num_contexts} if attention else {}
        return model_class(SlottedBert(bert, **slots), task, tokenizer, max_length=32, **arguments)

    return make


@pytest.fixture(scope="session")
def targets_task():
    return neighbourhoods()


@pytest.fixture(scope="session")
def old_python():
    """The interpreter with TensorFlow 2.12.1, the runtime of stock servers 2.12 to 2.19."""
    python = Path(os.environ.get("KERAS_ABSA_OLD_PYTHON") or ROOT / ".venv-tf212" / "bin" / "python")
    if not python.is_file():
        pytest.skip("no TensorFlow 2.12 environment: make old-runtime")
    return python


@pytest.fixture(scope="session")
def ask():
    """Sends requests to an export in a fresh process; gives the version of TensorFlow and the answers."""

    def run(export, requests, python=sys.executable):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        process = subprocess.run(
            [str(python), str(SERVER), str(export)],
            input=json.dumps(requests),
            capture_output=True,
            text=True,
            env={**environment, "CUDA_VISIBLE_DEVICES": ""},
            cwd="/",
        )
        assert process.returncode == 0, process.stderr[-3000:]
        answer = json.loads(process.stdout)
        return answer["tensorflow"], answer["answers"]

    return run
