"""A training that is killed and started again, with tiny models; the killing is real."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport
from keras_absa.training import BestWeights, DevMetrics, TrainingCheckpoint
from keras_absa.training.dropout_state import dropout_generators
from tests.models.tiny import tiny_examples, tiny_model

ROWS = tiny_examples()  # 24 rows: 4 batches of 6
STEPS = 4


def train(folder, epochs=3, every=3, kill_at=None, seed=5, eager=True, callbacks=(), **data):
    """Trains a model with dropout for three epochs of four steps; gives it and its history."""
    keras.utils.set_random_seed(seed)
    model = tiny_model("qacg", dropout=0.1)
    model.compile(learning_rate=2e-3, run_eagerly=eager)

    class Kill(keras.callbacks.Callback):
        steps = 0

        def on_train_batch_end(self, batch, logs=None):
            self.steps += 1
            if self.steps == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    rows = AspectDataset(ROWS, model.task, **{"batch_size": 6, "sampler": "balanced", "seed": 1, **data})
    history = model.fit(
        rows,
        epochs=epochs,
        validation_data=ROWS[:8],
        verbose=0,
        checkpoint=folder and TrainingCheckpoint(folder, every),
        callbacks=[Kill(), *callbacks],
    )
    return model, history


class Stop(Exception):
    pass


class StopAt(keras.callbacks.Callback):
    """Ends a training within its process, by an exception after some steps."""

    def __init__(self, steps):
        super().__init__()
        self.left = steps

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if self.left == 0:
            raise Stop


KILLED = """
import sys
import numpy as np, tensorflow as tf
tf.config.experimental.enable_op_determinism()
from tests.training.test_training_checkpoint import train
folder, kill_at = sys.argv[1], int(sys.argv[2]) or None
model, history = train(folder, kill_at=kill_at, eager=False)
whole, expected = train(folder + "/whole", eager=False)  # with a checkpoint too: it decides where dropout draws from
same = [np.array_equal(*pair) for pair in zip(model.get_weights(), whole.get_weights(), strict=True)]
print(all(same), history.history == expected.history, history.epoch == expected.epoch, model.selection == whole.selection)
"""


@pytest.mark.slow
def test_sigkill_between_checkpoints_changes_no_bit(tmp_path):
    """Killed in the first epoch and in the second one; the third process ends it, and trains once without interruption."""
    root = Path(__file__).resolve().parents[2]
    codes, results = [], []
    for kill_at in (5, 3, 0):  # after steps 5; 3 + 3 (written at 3 and 4); and to the end
        result = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path), str(kill_at)],
            capture_output=True,
            text=True,
            cwd=root,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        codes.append(result.returncode)
        results.append(result.stdout + result.stderr[-2000:] * (result.returncode > 0))
    assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0], results
    assert results[-1].split() == ["True"] * 4, results


def test_it_goes_on_where_it_was(tmp_path):
    with pytest.raises(Stop):
        train(tmp_path, callbacks=[StopAt(STEPS + 3)])  # written after steps 3, 4 and 6
    counted = StopAt(0)
    model, history = train(tmp_path, callbacks=[counted])
    assert counted.left == -(3 * STEPS - 6)
    assert history.epoch == [0, 1, 2] and {len(values) for values in history.history.values()} == {3}
    counted = StopAt(0)
    again, history = train(tmp_path, callbacks=[counted])  # finished: nothing is left to do
    assert counted.left == 0 and history.epoch == [0, 1, 2] and again.selection == model.selection
    for one, two in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_dropout_goes_on():
    """The state of every dropout is in reach, and decides what is dropped."""
    model = tiny_model("qacg", dropout=0.5, layers=2)
    generators = dropout_generators(model)
    # Embeddings 1, classifier 1; each layer: BERT's own attention 1, output 2, and the plug's 3.
    assert len(generators) == 2 + 2 * 6 and dropout_generators(model) == generators
    layer, ones = model.classifier_dropout, tf.ones([200])
    states = [generator.state.numpy() for generator in generators]
    first, second = layer(ones, training=True), layer(ones, training=True)
    assert not np.array_equal(first, second)
    for generator, state in zip(generators, states, strict=True):
        generator.state.assign(state)
    np.testing.assert_array_equal(layer(ones, training=True), first)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 4}, "the number of epochs is 4 now, 3 in"),
        ({"batch_size": 5}, "the batch size is 5 now, 6 in"),
        ({"seed": 2}, None),
        ({"sampler": "shuffle"}, "the sampler is 'shuffle' now, 'balanced' in"),
    ],
)
def test_another_training_is_refused(tmp_path, change, message):
    with pytest.raises(Stop):
        train(tmp_path, callbacks=[StopAt(4)])
    if message is None:  # the weights come from the file, whatever the process drew
        assert train(tmp_path, **change)[1].epoch == [0, 1, 2]
        return
    with pytest.raises(ValueError, match=rf"goes on with the settings it began with: {message}.*delete the file"):
        train(tmp_path, **change)


def test_a_broken_file(tmp_path):
    (tmp_path / "training.npz").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(
        ValueError, match=r"training.npz must be a checkpoint of a training: it cannot be read.*Delete it"
    ):
        train(tmp_path)


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path):
    """The limit on the size of files does what a full disk would do."""
    with pytest.raises(Stop):
        train(tmp_path, callbacks=[StopAt(4)])
    before = (tmp_path / "training.npz").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        with pytest.raises(
            OSError, match=r"epoch 2, step 0 must be written to .*The checkpoint before it is kept\. Make room"
        ):
            train(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "training.npz").read_bytes() == before and len(list(tmp_path.iterdir())) == 1
    assert train(tmp_path)[1].epoch == [0, 1, 2]


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match=r"epoch 1, step 3 must be written to .*There is none before it"):
        train(tmp_path / "file" / "checkpoint")


def test_what_callbacks_keep():
    kept, other = BestWeights("accuracy"), BestWeights("accuracy")
    for callback in (kept, other):
        callback.on_train_begin()
    kept.set_state({**json.loads(json.dumps({**other.get_state(), "arrays": None})), "arrays": []})
    assert kept.epoch is None and kept.best == -np.inf
    other.best, other.epoch, other.weights = 0.5, 1, [np.ones(2)]
    kept.set_state(other.get_state())
    assert (kept.best, kept.epoch) == (0.5, 1) and kept.weights[0].tolist() == [1, 1]

    metrics, again = DevMetrics(None), DevMetrics(None)
    metrics.reports = {
        0: MetricReport({"auc": float("nan"), "f1": 0.5}, {"auc": "no_rows"}, {"rows": 2}, {"t": {"a": {"b": 1}}})
    }
    again.set_state(json.loads(json.dumps(metrics.get_state())))
    assert str(again.reports[0]) == str(metrics.reports[0])


def test_every_must_be_positive():
    with pytest.raises(ValueError, match=r"`every` must be a positive number of steps: received 0\. Pass"):
        TrainingCheckpoint("x", every=0)
