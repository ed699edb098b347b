"""What the tests of the models share: MiniLM, read once, and warnings that start afresh in each test."""

import pytest
import tensorflow as tf

from keras_absa.environment import minilm_folder
from keras_absa.keras import keras
from keras_absa.models.backbone import load_bert
from keras_absa.text import PairEncoder, Tokenizer
from keras_absa.training import warn_once


@pytest.fixture(scope="session")
def minilm():
    """A real `TFBertModel` of 6 layers. It is shared: tests that change its weights put them back."""
    return load_bert("minilm")[0]


@pytest.fixture(scope="session")
def minilm_batch():
    """Four sentences of different lengths about a second text, as integers, with contexts 0 and 1."""
    texts = [
        "The food was wonderful but the service was terrible.",
        "Cold soup!",
        "A quiet place near the river.",
        "Fine",
    ]
    inputs = PairEncoder(Tokenizer(minilm_folder() / "vocab.txt"))(texts, ["food", "service", "price", "food"])
    return {**inputs, "context_ids": tf.constant([0, 1, 1, 0])}


@pytest.fixture(autouse=True)
def fresh_warnings(monkeypatch):
    """Warnings are given once a process; here once a test."""
    monkeypatch.setattr(warn_once, "_seen", set())


@pytest.fixture
def mixed_float16():
    """Half precision for everything that is made in the test."""
    policy = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("mixed_float16")
    yield
    keras.mixed_precision.set_global_policy(policy)
