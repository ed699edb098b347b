"""Progress of a training where there is no terminal."""

import time

from keras_absa.cli.command_group import tell
from keras_absa.keras import keras

LINES_AN_EPOCH = 10


class ProgressLines(keras.callbacks.Callback):
    """A progress bar for a log file: a new line for each tenth of an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch, self.told, self.start = epoch, 0, time.monotonic()

    def on_train_batch_end(self, batch, logs=None):
        steps, done = self.params["steps"], batch + 1
        tenths = done * LINES_AN_EPOCH // steps
        if tenths > self.told:
            self.told = tenths
            numbers = ", ".join(f"{name} {value:.4f}" for name, value in (logs or {}).items())
            bar = "=" * tenths + "." * (LINES_AN_EPOCH - tenths)
            tell(
                f"epoch {self.epoch + 1}/{self.params['epochs']} [{bar}] {done}/{steps}, "
                f"{time.monotonic() - self.start:.0f} s, {numbers}"
            )
