"""Ctrl-C ends a training between two steps."""

import signal
import threading

from keras_absa.cli.command_group import tell
from keras_absa.keras import keras


class StopBetweenSteps(keras.callbacks.Callback):
    """A callback, and the context to use it in: after Ctrl-C the step ends, then `KeyboardInterrupt` is raised.

    Python would raise it wherever it is, and where TensorFlow calls back from C++ it would be lost. A second Ctrl-C does not
    wait.
    """

    def __init__(self):
        super().__init__()
        self.asked = False

    def __enter__(self):
        self._main = threading.current_thread() is threading.main_thread()  # others cannot handle signals
        self._before = signal.signal(signal.SIGINT, self._note) if self._main else None
        return self

    def __exit__(self, kind, *_):
        if self._main:
            signal.signal(signal.SIGINT, self._before)
        if self.asked and kind is None:  # while the last epoch was scored: no step came after it
            raise KeyboardInterrupt

    def _note(self, *_):
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        tell("stopping after this step; Ctrl-C again stops at once")

    def on_train_batch_end(self, batch, logs=None):
        if self.asked:
            raise KeyboardInterrupt
