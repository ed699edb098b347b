"""What a GPU is used for: `make test-gpu` runs it there on MiniLM; the same bodies run here on a CPU, tiny."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, restaurants, synthetic_reviews
from keras_absa.devices import grow_gpu_memory
from keras_absa.keras import keras
from keras_absa.models import QacgBertClassifier
from keras_absa.serving import export
from tests.models.tiny import ROWS, tiny_model, tiny_task


@pytest.fixture(scope="module", params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request):
    """The device's name; without a GPU, the GPU's tests say so."""
    if request.param == "gpu" and not grow_gpu_memory():
        pytest.skip("TensorFlow sees no GPU here")
    with tf.device(f"/{request.param.upper()}:0"):
        yield request.param


@pytest.fixture
def make(device):
    """A model and rows that it can learn."""

    def make():
        if device == "cpu":
            return tiny_model("qacg"), AspectDataset(ROWS, tiny_task(), batch_size=12, sampler="shuffle")
        rows = synthetic_reviews("restaurants", "train", size=960)
        model = QacgBertClassifier.from_pretrained("minilm", task=restaurants())
        return model, AspectDataset(rows, model.task, batch_size=32, sampler="shuffle")

    return make


@pytest.fixture
def precision():
    """Sets a policy for one test."""
    policy = keras.mixed_precision.global_policy()
    yield keras.mixed_precision.set_global_policy
    keras.mixed_precision.set_global_policy(policy)


@pytest.mark.parametrize("policy, jit", [("mixed_float16", False), ("float32", True)])
def test_fit(make, precision, policy, jit):
    precision(policy)
    model, data = make()
    model.compile(learning_rate=2e-3 if len(data.examples) < 100 else 1e-4, jit_compile=jit)
    losses = model.fit(data, epochs=3, verbose=0).history["loss"]
    assert np.all(np.isfinite(losses)) and losses[-1] < losses[0]
    assert all(np.all(np.isfinite(weight)) for weight in model.trainable_weights)
    probabilities = model.predict(data)
    assert probabilities.dtype == np.float32
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-3)


def test_the_device_answers_as_the_cpu_does_and_so_does_its_export(make, tmp_path):
    model, data = make()
    rows = data.examples[:24]
    here = model.predict(rows)
    with tf.device("/CPU:0"):
        inputs = model.text_encoder(
            [row.text for row in rows], [model.task.context_id(row.target, row.aspect) for row in rows]
        )
        there = model.probabilities(model(inputs))
        served = tf.saved_model.load(str(export(model, tmp_path / "model"))).signatures["pair"]
        answers = served(text=tf.constant([row.text for row in rows]), aspect=tf.constant([row.aspect for row in rows]))
    np.testing.assert_allclose(here, there, atol=1e-4)
    np.testing.assert_allclose(answers["probabilities"], there, atol=1e-5)


def test_memory_grows():
    assert grow_gpu_memory() == len(tf.config.list_physical_devices("GPU"))
    for gpu in tf.config.list_physical_devices("GPU"):
        assert tf.config.experimental.get_memory_growth(gpu)
