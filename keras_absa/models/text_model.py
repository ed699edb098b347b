"""A Keras model that is trained on strings."""

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_dataset import AspectDataset
from keras_absa.data.aspect_example import AspectExample
from keras_absa.keras import keras
from keras_absa.training.epoch_plan import plan_epoch
from keras_absa.training.run_epochs import run_epochs
from keras_absa.training.training_checkpoint import TrainingCheckpoint
from keras_absa.training.training_setup import dev_callbacks, optimizer_and_loss, refuse_keras3, set_schedule
from keras_absa.training.warn_once import warn_cut


class TextModel(keras.Model):
    """Base of `AspectModel`: `compile` with the paper's defaults, and a `fit` that takes examples.

    A subclass has a `task`, a `text_encoder` (`AspectEncoder`), a `max_length`, `labelled_table(dataset)` and
    `training_identity()`.
    """

    def compile(self, optimizer="bert_adam", loss=None, metrics=None, *, learning_rate: float | None = None, **kwargs):
        """Sets up training; without arguments as the paper: BertAdam, rate 2e-5, warm-up 0.1, cross-entropy.

        Args:
            optimizer: `"bert_adam"`, `"adam"`, `"adamw"`, or a Keras 2 optimizer. Defaults to `"bert_adam"`.
            loss: A Keras loss on logits. Defaults to None, mean cross-entropy.
            metrics: Keras metrics of the training batches. Defaults to None, accuracy.
            learning_rate: Float, for an optimizer given by name. Defaults to None: 2e-5.
            **kwargs: Passed to `keras.Model.compile` (`jit_compile`, `run_eagerly`, ...).
        """
        optimizer, loss = optimizer_and_loss(optimizer, loss, learning_rate)
        if metrics is None:
            metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]
        super().compile(optimizer=optimizer, loss=loss, metrics=metrics, **kwargs)

    def fit(
        self,
        x=None,
        y=None,
        *,
        epochs: int = 1,
        validation_data=None,
        selection: str = "dev",
        callbacks=None,
        initial_epoch: int = 0,
        checkpoint: TrainingCheckpoint | None = None,
        **kwargs,
    ):
        """Trains on strings, or as any Keras model on encoded tensors.

        Args:
            x: An `AspectDataset` (see `keras_absa.data.load`) or a list of labelled `AspectExample`; else whatever
                `keras.Model.fit` takes.
            y: Only for encoded tensors.
            epochs: Int. Defaults to 1.
            validation_data: An `AspectDataset` or a list of examples. Their official metrics are computed after
                each epoch and put into the logs as `val_...`, where early stopping and checkpoints find them.
            selection: `"dev"`, the weights of the epoch that was best on `validation_data` are kept; `"last"`,
                those of the last epoch; `"leaking_test"`, as dev but on a test split: for reproducing published
                figures only.
            callbacks: Keras callbacks.
            initial_epoch: Int. Defaults to 0.
            checkpoint: A `TrainingCheckpoint`: a training of strings that was killed goes on where it was. Defaults
                to None.
            **kwargs: Passed to `keras.Model.fit` (`verbose`, `class_weight`, ...).

        Returns:
            The Keras `History`.
        """
        for callback in callbacks or []:
            refuse_keras3("callbacks", callback)
        train, dev = self._as_dataset(x), self._as_dataset(validation_data)
        if train is None:
            if dev is not None:
                raise ValueError(
                    "`validation_data` must be encoded tensors, as `x`: received strings. Pass both alike."
                )
            if not isinstance(x, (dict, tf.data.Dataset)):
                raise ValueError(
                    f"`fit` takes an AspectDataset, a list of AspectExample, or encoded tensors as a dict or tf.data.Dataset: "
                    f"received {type(x).__name__}. Read data with keras_absa.data.load."
                )
            return super().fit(
                x,
                y,
                epochs=epochs,
                validation_data=validation_data,
                callbacks=callbacks,
                initial_epoch=initial_epoch,
                **kwargs,
            )
        for name in ("batch_size", "shuffle", "steps_per_epoch"):
            if kwargs.pop(name, None) is not None:
                raise ValueError(
                    f"`{name}` belongs to the data: received it in fit. Pass it to AspectDataset or data.load."
                )
        if not self._is_compiled:
            raise ValueError(
                "A model must be compiled before `fit`: it is not. Call `model.compile()` for the paper's settings."
            )
        table = self.labelled_table(train)
        warn_cut(table.cut, self.max_length)
        row_lengths = np.repeat(table.lengths, table.candidates)
        steps = -(-len(table.row_labels) // train.batch_size)
        set_schedule(self.optimizer, len(table.row_labels), train.batch_size, epochs)
        callbacks = dev_callbacks(validation_data, dev, selection, self.task) + list(callbacks or [])
        few_shapes = bool(self._jit_compile)
        return run_epochs(
            self,
            super().fit,
            steps=steps,
            plan_of=lambda epoch: plan_epoch(
                table.row_labels, row_lengths, train.batch_size, train.sampler, train.seed, epoch
            ),
            batches=lambda plan: table.batches(plan, with_labels=True, few_shapes=few_shapes),
            epochs=epochs,
            initial_epoch=initial_epoch,
            callbacks=callbacks,
            checkpoint=checkpoint,
            training=lambda: self._training(train, epochs, table),
            **kwargs,
        )

    def _training(self, train, epochs, table):
        """What two processes must have in common to go on with one training."""
        return {
            "the model": {"class": type(self).__name__, **self.training_identity()},
            "the number of epochs": epochs,
            "the batch size": train.batch_size,
            "the sampler": train.sampler,
            "the seed of the data": train.seed,
            "the data's hash": table.digest(),
            "the optimizer": keras.optimizers.serialize(self.optimizer),
            "the optimizer's first step": getattr(self.optimizer, "first_step", 0),
        }

    def _as_dataset(self, x):
        if isinstance(x, AspectDataset):
            return x
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], AspectExample):
            return AspectDataset(x, self.task)
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], str):
            raise ValueError(
                "Texts must say which aspect they are asked about: received strings. Use `predict_aspects(texts)`, or pass "
                "AspectExample(text, aspect, label)."
            )
        return None
