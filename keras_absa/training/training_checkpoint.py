"""A training that was killed goes on as if nothing had happened."""

import contextlib
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from keras_absa.keras import keras
from keras_absa.training.dropout_state import dropout_generators

FILE = "training.npz"


class TrainingCheckpoint(keras.callbacks.Callback):
    """Writes down a training every so many steps, and goes on from there when the same training is started again.

    It holds the weights, the optimizer, the state of every dropout, the place in the data, the running metrics, the logs
    so far, and what callbacks with `get_state()` and `set_state(state)` want to keep. Pass it to `fit(checkpoint=...)`
    of a keras_absa classifier. On a CPU the training then ends with the very weights of one that was never interrupted,
    if the seed is set (`keras.utils.set_random_seed`), operations are deterministic
    (`tf.config.experimental.enable_op_determinism`), and nothing is compiled with XLA; `keras-absa train` sees to that.

    Dropout draws other numbers with a checkpoint than without one, because its usual generator hides its state.

    The file is replaced as a whole or not at all: a process that is killed while it writes leaves the one before.

    Args:
        folder: Where `training.npz` is kept: about three times the size of the trained weights, and a copy more once an
            epoch has been selected.
        every: Int, steps between two writings; each end of an epoch is written too. Defaults to 200.

    Raises:
        ValueError: If the folder holds the checkpoint of another training, or one that cannot be read.
        OSError: If the file cannot be written; the checkpoint before is left as it was.

    Example:
        >>> checkpoint = TrainingCheckpoint("runs/first/checkpoint", every=100)
        >>> # model.fit(train, validation_data=dev, epochs=4, checkpoint=checkpoint)
    """

    def __init__(self, folder: str | Path, every: int = 200):
        super().__init__()
        if not isinstance(every, int) or every < 1:
            raise ValueError(f"`every` must be a positive number of steps: received {every!r}. Pass for example 200.")
        self.path = Path(folder) / FILE
        self.every = every
        self._restored = None

    # --- what `fit` calls ---------------------------------------------------------------------------------------------

    def begin(self, model, callbacks: list, steps: int, training: dict) -> tuple[int, int]:
        """Puts back what an earlier process wrote, if it did.

        Args:
            model: The model, with a built optimizer.
            callbacks: The other callbacks; those with `get_state` and `set_state` are kept too.
            steps: Int, steps of an epoch.
            training: What must be the same in both processes, as plain values.

        Returns:
            The epoch, counted from 0, and the step in it that come next; (0, 0) for a new training.
        """
        self.steps = steps
        self.training = json.loads(json.dumps(training, default=str))
        self.generators = dropout_generators(model)
        self.stateful = [callback for callback in callbacks if hasattr(callback, "get_state")]
        self.position, self.logs, self._restored = (0, 0), [], None
        if self.path.is_file():
            self._restored, meta = self._read()
            self._check_same(meta["training"])
            self.position, self.logs = tuple(meta["position"]), meta["logs"]
            _assign("model", model.weights, self._restored)
            _assign("optimizer", model.optimizer.variables, self._restored)
            _assign("dropout", [generator.state for generator in self.generators], self._restored)
            self._states = meta["states"]
        return self.position

    def maybe_load_initial_counters_from_ckpt(self, steps_per_epoch, initial_epoch, mode=None):
        """Keras asks this of `model._training_state`: where to begin."""
        return self.position

    # --- what Keras calls ---------------------------------------------------------------------------------------------

    def on_train_begin(self, logs=None):
        if self._restored is not None:  # the other callbacks have just been reset
            for index, (callback, state) in enumerate(zip(self.stateful, self._states, strict=True)):
                arrays = _arrays(f"callback_{index}", self._restored)
                callback.set_state({**state, "arrays": arrays})

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self._restored is not None:
            # Keras makes its running sums within the first step, so what the earlier process had is added after it.
            sums = _arrays("metrics", self._restored)
            for variable, earlier in zip(_metric_variables(self.model), sums, strict=True) if self.position[1] else ():
                variable.assign_add(earlier)
            self._restored = None
        done = batch + 1
        if done < self.steps and (self.epoch * self.steps + done) % self.every == 0:
            self._write((self.epoch, done))

    def on_epoch_end(self, epoch, logs=None):
        self.logs.append({"epoch": epoch, **{name: float(value) for name, value in (logs or {}).items()}})
        self._write((epoch + 1, 0))

    def complete(self, history: keras.callbacks.History) -> keras.callbacks.History:
        """The history of all epochs, those of earlier processes included."""
        history.epoch = [entry["epoch"] for entry in self.logs]
        names = dict.fromkeys(name for entry in self.logs for name in entry if name != "epoch")
        history.history = {name: [entry[name] for entry in self.logs if name in entry] for name in names}
        return history

    def _write(self, position):
        model, states = self.model, []
        arrays = _numbered("model", model.weights) | _numbered("optimizer", model.optimizer.variables)
        arrays |= _numbered("dropout", [generator.state for generator in self.generators])
        arrays |= _numbered("metrics", _metric_variables(model))
        for index, callback in enumerate(self.stateful):
            state = callback.get_state()
            arrays |= _numbered(f"callback_{index}", state.pop("arrays", None) or [])
            states.append(state)
        meta = {"format": 1, "training": self.training, "position": position, "logs": self.logs, "states": states}
        new = self.path.with_name(f"{FILE}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                np.savez(file, meta=np.array(json.dumps(meta)), **arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                new.unlink()
            kept = "The checkpoint before it is kept" if self.path.is_file() else "There is none before it"
            raise OSError(
                error.errno,
                f"The checkpoint of epoch {position[0] + 1}, step {position[1]} must be written to {self.path}: "
                f"{error.strerror or error}. {kept}. Make room or give another folder, and start again.",
            ) from error

    def _read(self):
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            return arrays, json.loads(str(arrays.pop("meta")))
        except (zipfile.BadZipFile, ValueError, KeyError, EOFError) as error:
            raise ValueError(
                f"{self.path} must be a checkpoint of a training: it cannot be read, {error}. Delete it to start anew."
            ) from error

    def _check_same(self, before):
        earlier, now = _flat(before), _flat(self.training)
        for name in [*earlier, *now]:
            if earlier.get(name) != now.get(name):
                raise ValueError(
                    f"A training goes on with the settings it began with: {name} is {now.get(name)!r:.200} now, "
                    f"{earlier.get(name)!r:.200} in {self.path}. Set it back, or delete the file to start anew."
                )


def _flat(settings: dict, prefix: str = "") -> dict:
    """Nested settings by their whole names: `{"a": {"b": 1}}` to `{"a's b": 1}`."""
    flat = {}
    for name, value in settings.items():
        whole = f"{prefix}'s {name}" if prefix else name
        flat |= _flat(value, whole) if isinstance(value, dict) and value else {whole: value}
    return flat


def _metric_variables(model):
    return [variable for metric in model.metrics for variable in metric.variables]


def _numbered(prefix, values):
    return {f"{prefix}/{index}": np.asarray(value) for index, value in enumerate(values)}


def _arrays(prefix, arrays):
    return [arrays[f"{prefix}/{index}"] for index in range(sum(name.startswith(f"{prefix}/") for name in arrays))]


def _assign(prefix, variables, arrays):
    for variable, value in zip(variables, _arrays(prefix, arrays), strict=True):
        variable.assign(value)
