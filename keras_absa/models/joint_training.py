"""Training of a joint encoder on segments."""

import numpy as np
import tensorflow as tf

from keras_absa.data.segments import Segments
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport, joint_metrics
from keras_absa.models.segment_table import SegmentTable, epoch_plan
from keras_absa.training.callbacks import BestWeights, DevMetrics
from keras_absa.training.joint_losses import ClassLoss, PresenceLoss
from keras_absa.training.run_epochs import run_epochs
from keras_absa.training.training_checkpoint import TrainingCheckpoint
from keras_absa.training.training_setup import optimizer_of, refuse_keras3, refuse_test_split
from keras_absa.training.two_rate_adam import TwoRateAdam
from keras_absa.training.warn_once import warn_cut


def check_encoded(method: str, x) -> None:
    """Raises `ValueError` if `x` is not what Keras' own methods take here."""
    if not isinstance(x, (dict, tf.data.Dataset)):
        raise ValueError(
            f"`{method}` takes Segments, or encoded tensors as a dict or tf.data.Dataset: received {type(x).__name__}. Read "
            "segments with keras_absa.data."
        )


class JointTraining(keras.Model):
    """Base of `JointEncoder`: `compile` with the paper's defaults, a `fit` that takes `Segments`, and scores."""

    def compile(
        self,
        optimizer="adam",
        loss=None,
        metrics=None,
        *,
        learning_rate: float | None = None,
        encoder_learning_rate: float = 2e-5,
        weight=None,
        loss_reduction: str = "mean",
        **kwargs,
    ):
        """Sets up training; without arguments as the public code: Adam at 1e-4, epsilon 1e-8.

        Args:
            optimizer: `"adam"`, another name that `TextModel.compile` knows, or a Keras 2 optimizer. Defaults to `"adam"`.
            loss: A Keras loss on logits. Defaults to None: `PresenceLoss` of labels, `ClassLoss` of classes, mean absolute error
                of scores.
            metrics: Keras metrics of the training batches. Defaults to None, accuracy where there are labels.
            learning_rate: Float, for an optimizer given by name. Defaults to None: 1e-4.
            encoder_learning_rate: Float, Adam's rate for the weights of a trained BERT. Defaults to 2e-5.
            weight: Floats [C], see `class_weight` and `presence_weight`. Defaults to None.
            loss_reduction: `"mean"`, or `"sum"` over the batch (and labels) as the public code. Defaults to `"mean"`.
            **kwargs: Passed to `keras.Model.compile` (`jit_compile`, `run_eagerly`, ...).
        """
        kind = self.task.kind
        if optimizer == "adam":
            rate = 1e-4 if learning_rate is None else learning_rate
            slow = self.encoder is not None and self.train_encoder
            optimizer = keras.optimizers.Adam(rate, epsilon=1e-8)
            if slow:
                names = [variable.name for variable in self.encoder.bert.trainable_variables]
                optimizer = TwoRateAdam(rate, encoder_learning_rate, names, epsilon=1e-8)
        else:
            optimizer = optimizer_of(optimizer, learning_rate)
        refuse_keras3("loss", loss)
        if (loss is not None or kind == "score") and (weight is not None or loss_reduction != "mean"):
            raise ValueError(
                "`weight` and `loss_reduction` belong to the losses of labels and classes: received them beside another."
            )
        if weight is not None and len(weight) != self.task.outputs:
            raise ValueError(
                f"`weight` must have a number for each of {list(self.task.labels)}: received {len(weight)}."
            )
        if loss is None:
            own = {"labels": PresenceLoss, "classes": ClassLoss}.get(kind)
            loss = own(weight, loss_reduction) if own else keras.losses.MeanAbsoluteError()
        if metrics is None:
            own = {"labels": keras.metrics.BinaryAccuracy, "classes": keras.metrics.SparseCategoricalAccuracy}.get(kind)
            metrics = [own(name="accuracy", **({"threshold": 0.0} if kind == "labels" else {}))] if own else []
        super().compile(optimizer=optimizer, loss=loss, metrics=metrics, **kwargs)

    def fit(
        self,
        x=None,
        y=None,
        *,
        batch_size: int = 32,
        epochs: int = 1,
        validation_data=None,
        selection: str = "dev",
        callbacks=None,
        initial_epoch: int = 0,
        seed: int = 0,
        checkpoint: TrainingCheckpoint | None = None,
        **kwargs,
    ):
        """Trains on segments, or as any Keras model on encoded tensors.

        Args:
            x: `Segments`; else whatever `keras.Model.fit` takes.
            y: Only for encoded tensors.
            batch_size: Int. Defaults to 32.
            epochs: Int, at most. Defaults to 1; the public code goes up to 99 with `ReloadAndHalve` among the `callbacks`.
            validation_data: `Segments`, scored after each epoch; the scores are put into the logs as `val_...`.
            selection: `"dev"`, the weights of the epoch that was best on `validation_data` are kept; `"last"`, those of the last
                epoch. Defaults to `"dev"`.
            callbacks: Keras callbacks.
            initial_epoch: Int. Defaults to 0.
            seed: Int, of the order of the segments. Defaults to 0.
            checkpoint: A `TrainingCheckpoint`. Defaults to None.
            **kwargs: Passed to `keras.Model.fit` (`verbose`, ...).

        Returns:
            The Keras `History`.
        """
        for callback in callbacks or []:
            refuse_keras3("callbacks", callback)
        if not isinstance(x, Segments):
            check_encoded("fit", x)
            if not isinstance(x, tf.data.Dataset):
                kwargs["batch_size"] = batch_size
            return super().fit(
                x,
                y,
                epochs=epochs,
                validation_data=validation_data,
                callbacks=callbacks,
                initial_epoch=initial_epoch,
                **kwargs,
            )
        if not self._is_compiled:
            raise ValueError(
                "A model must be compiled before `fit`: it is not. Call `model.compile()` for the usual settings."
            )
        if not len(x) or batch_size < 1:
            raise ValueError(
                f"`fit` needs segments and a batch size of at least 1: received {len(x)} and {batch_size}."
            )
        table = self.labelled_table(x)
        return run_epochs(
            self,
            super().fit,
            steps=-(-len(table) // batch_size),
            plan_of=lambda epoch: epoch_plan(len(table), batch_size, seed, epoch),
            batches=lambda plan: table.batches(plan, with_labels=True),
            epochs=epochs,
            initial_epoch=initial_epoch,
            callbacks=self._development(validation_data, selection) + list(callbacks or []),
            checkpoint=checkpoint,
            training=lambda: self._training(table, epochs, batch_size, seed),
            **kwargs,
        )

    def _development(self, validation_data, selection):
        """The callbacks that score a development set after each epoch, and keep the best weights."""
        if selection not in ("dev", "last"):
            raise ValueError(f"`selection` must be one of ['dev', 'last']: received {selection!r}. Pick one of them.")
        if validation_data is None:
            return []
        if not isinstance(validation_data, Segments):
            raise ValueError(
                f"`validation_data` must be Segments, as `x`: received {type(validation_data).__name__}. Read it with "
                "keras_absa.data."
            )
        refuse_test_split(validation_data.split, selection)
        scores = DevMetrics(validation_data)
        return [scores] if selection == "last" else [scores, BestWeights(self.task.monitor)]

    def _training(self, table, epochs, batch_size, seed):
        """What two processes must have in common to go on with one training."""
        return {
            "the model": {"class": type(self).__name__, **self.settings()},
            "the number of epochs": epochs,
            "the batch size": batch_size,
            "the seed of the data": seed,
            "the data's hash": table.digest(),
            "the optimizer": keras.optimizers.serialize(self.optimizer),
        }

    def table(self, segments: Segments, labelled: bool = False) -> SegmentTable:
        """The inputs of segments; says once what did not fit."""
        table = SegmentTable(segments, self, labelled)
        for name, cut in table.cut.items():
            warn_cut(cut, self.lengths[name] if name == "text" else self.input_length(name), name)
        return table

    def labelled_table(self, segments: Segments) -> SegmentTable:
        """The inputs of segments, all of which have a label."""
        return self.table(segments, labelled=True)

    def table_logits(self, table: SegmentTable, batch_size: int = 64, verbose=0) -> np.ndarray:
        """Float32 [N, C]."""
        if not len(table):
            return np.zeros([0, self.task.outputs], "float32")
        rows = np.arange(len(table))
        plan = [rows[start : start + batch_size] for start in range(0, len(table), batch_size)]
        return keras.Model.predict(self, table.batches(plan, with_labels=False), verbose=verbose, steps=len(plan))

    def score_table(self, table: SegmentTable, *, batch_size: int = 64, verbose=0) -> tuple[MetricReport, np.ndarray]:
        """The metrics of a labelled table, and the logits [N, C] that they were computed from."""
        logits = self.table_logits(table, batch_size, verbose)
        return joint_metrics(self.task, table.labels, logits), logits

    def development_loss(self, labels, logits) -> float:
        """The mean loss of logits [N, C], without weights."""
        loss = {"labels": PresenceLoss, "classes": ClassLoss, "score": keras.losses.MeanAbsoluteError}[self.task.kind]()
        return float(loss(labels[:, None] if self.task.kind == "score" else labels, tf.constant(logits)))
