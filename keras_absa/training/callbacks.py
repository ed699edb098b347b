"""Callbacks around the official metrics: computed once an epoch, and used to keep the best weights."""

import math

import numpy as np

from keras_absa.keras import keras
from keras_absa.metrics import MetricReport
from keras_absa.training.warn_once import warn_once


class DevMetrics(keras.callbacks.Callback):
    """Puts the official metrics of a development set into the logs, as `val_<name>`; later callbacks find them there.

    Args:
        dataset: An `AspectDataset` with labels; `Segments` for a `JointEncoder`.
        batch_size: Int, examples at a time. Defaults to 64.

    Raises:
        ValueError: If an example has no label.

    Example:
        >>> from keras_absa.data import AspectDataset, restaurants, synthetic_reviews
        >>> metrics = DevMetrics(AspectDataset(synthetic_reviews("restaurants", "dev", size=8), restaurants()))
        >>> metrics.reports  # epoch to report; filled by `model.fit(..., callbacks=[metrics])`
        {}
    """

    def __init__(self, dataset, batch_size: int = 64):
        super().__init__()
        self.dataset = dataset
        self.batch_size = batch_size
        self.reports = {}
        self.table = None

    def get_state(self) -> dict:
        """What a `TrainingCheckpoint` keeps."""
        return {"reports": {str(epoch): report.to_dict() for epoch, report in self.reports.items()}}

    def set_state(self, state: dict) -> None:
        """Puts back what `get_state` gave, after a detour through JSON."""
        self.reports = {int(epoch): MetricReport.from_dict(report) for epoch, report in state["reports"].items()}

    def on_train_begin(self, logs=None):
        # Before the first step, so that rows that cannot be scored do not cost an epoch.
        if self.table is None:
            self.table = self.model.labelled_table(self.dataset)

    def on_epoch_end(self, epoch, logs=None):
        report, outputs = self.model.score_table(self.table, batch_size=self.batch_size)
        self.reports[epoch] = report
        labels = self.table.labels
        logs["val_loss"] = self.model.development_loss(labels, outputs)
        logs.update({f"val_{name}": value for name, value in report.items() if not math.isnan(value)})
        classes = labels.ndim == 1 and outputs.ndim == 2 and outputs.shape[1] > 1
        if classes and len(np.unique(np.argmax(outputs, axis=1))) == 1 and len(np.unique(labels)) > 1:
            warn_once(
                "one class",
                f"After epoch {epoch + 1} every prediction on the development set is the same label: the model has not learned "
                "yet. If that stays, lower the learning rate or train longer.",
            )


class BestWeights(keras.callbacks.Callback):
    """Keeps the weights of the epoch with the highest `val_<monitor>`, and puts them back when training ends.

    The first of equal epochs wins. The choice is left in `model.selection`.

    Args:
        monitor: The metric's name, without `val_`.

    Raises:
        ValueError: If the metric was undefined after every epoch.

    Example:
        >>> BestWeights("macro_f1").monitor  # goes after `DevMetrics` in the list of callbacks
        'val_macro_f1'
    """

    def __init__(self, monitor: str):
        super().__init__()
        self.monitor = f"val_{monitor}"

    def on_train_begin(self, logs=None):
        self.best, self.epoch, self.weights = -math.inf, None, None

    def get_state(self) -> dict:
        """What a `TrainingCheckpoint` keeps."""
        best = None if self.epoch is None else self.best
        return {"best": best, "epoch": self.epoch, "arrays": self.weights}

    def set_state(self, state: dict) -> None:
        """Puts back what `get_state` gave, after a detour through JSON."""
        if state["epoch"] is not None:
            self.best, self.epoch, self.weights = state["best"], state["epoch"], state["arrays"]

    def on_epoch_end(self, epoch, logs=None):
        value = logs.get(self.monitor)
        if value is not None and value > self.best:
            self.best, self.epoch, self.weights = value, epoch, self.model.get_weights()

    def on_train_end(self, logs=None):
        if self.weights is None:
            raise ValueError(
                f"`{self.monitor}` must be defined on the development set to select a model: it was not after any epoch. Use "
                "selection='last', or a development set with every class."
            )
        self.model.set_weights(self.weights)
        self.model.selection = {"monitor": self.monitor, "epoch": self.epoch + 1, "value": self.best}
        self.weights = None
