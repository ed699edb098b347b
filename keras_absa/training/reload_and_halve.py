"""TBJE's schedule: a step back and half the rate where a development score does not rise, and an end after that."""

import math

from keras_absa.keras import keras


class ReloadAndHalve(keras.callbacks.Callback):
    """After an epoch without a new best score: the best weights again and a lower rate, or, after some of these, a strike.

    The optimizer's moments stay as they are. With `DevMetrics` before it in the list of callbacks, as `fit` of a keras_absa model
    sets it up, its scores are found in the logs.

    Args:
        monitor: The score, without `val_`, higher is better. Defaults to `"accuracy"`.
        factor: Float, what the learning rate is multiplied by. Defaults to 0.5.
        decays: Int, how often. Defaults to 2.
        patience: Int, so many epochs without a new best end the training once the rate was lowered that often. A new best starts
            the count anew; the decays are for good. Defaults to 3.

    Raises:
        ValueError: If a number is out of range, or the optimizer's rate is a schedule of its own.

    Example:
        >>> ReloadAndHalve(patience=2).monitor  # model.fit(..., validation_data=dev, callbacks=[ReloadAndHalve()])
        'val_accuracy'

    Reference:
        Delbrouck et al. 2020, public code; its paper's factor is 0.2.
    """

    def __init__(self, monitor: str = "accuracy", factor: float = 0.5, decays: int = 2, patience: int = 3):
        super().__init__()
        if not (0.0 < factor < 1.0 and decays >= 0 and patience >= 1):
            raise ValueError(
                f"`factor` must be between 0 and 1, `decays` at least 0, `patience` at least 1: received {factor}, {decays} and "
                f"{patience}. Correct them."
            )
        self.monitor = f"val_{monitor}"
        self.factor = factor
        self.decays = decays
        self.patience = patience

    def on_train_begin(self, logs=None):
        self.best, self.weights, self.decayed, self.strikes = -math.inf, None, 0, 0
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)  # mixed precision wraps it
        if isinstance(optimizer._learning_rate, keras.optimizers.schedules.LearningRateSchedule):
            raise ValueError(
                "The rate must be a number to be lowered: received a schedule. Give the optimizer a number."
            )

    def get_state(self) -> dict:
        """What a `TrainingCheckpoint` keeps; the rate itself is the optimizer's."""
        best = None if self.weights is None else self.best
        return {"best": best, "decayed": self.decayed, "strikes": self.strikes, "arrays": self.weights}

    def set_state(self, state: dict) -> None:
        """Puts back what `get_state` gave, after a detour through JSON."""
        self.decayed, self.strikes = state["decayed"], state["strikes"]
        if state["best"] is not None:
            self.best, self.weights = state["best"], state["arrays"]

    def on_epoch_end(self, epoch, logs=None):
        value = (logs or {}).get(self.monitor, -math.inf)
        if value > self.best:
            self.best, self.weights, self.strikes = value, self.model.get_weights(), 0
        elif self.decayed < self.decays:
            self.decayed += 1
            if self.weights is not None:
                self.model.set_weights(self.weights)
            rate = self.model.optimizer.learning_rate
            rate.assign(rate * self.factor)
        else:
            self.strikes += 1
            self.model.stop_training = self.strikes >= self.patience
