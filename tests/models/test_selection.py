"""Which epoch of a training is kept."""

import math

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample
from keras_absa.keras import keras
from tests.models.tiny import FEW, compiled_model, dataset


class Forget(keras.callbacks.Callback):
    """Spoils the classifier at the start of the epochs from `epoch` on; it runs before an epoch's metrics are taken."""

    def __init__(self, epoch):
        super().__init__()
        self.first = epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch >= self.first:
            self.model.classifier_bias.assign(tf.ones_like(self.model.classifier_bias) * [-50.0, -50.0, 50.0])


class TestSelection:
    """Epoch 1 answers by the labels' bias and is right on the development rows; later ones say "bad" to everything."""

    DEV = [AspectExample("the place", "food", "good"), AspectExample("a place", "service", "good")]

    def fit(self, selection="dev", split="dev", callbacks=(), epochs=2, examples=None):
        model = compiled_model(rate=1e-9)
        model.classifier_bias.assign(tf.ones_like(model.classifier_bias) * [0.0, 50.0, 0.0])
        dev = dataset(examples or self.DEV, split=split)
        history = model.fit(
            dataset(),
            epochs=epochs,
            validation_data=dev,
            selection=selection,
            callbacks=[Forget(1), *callbacks],
            verbose=0,
        )
        return model, history.history

    @pytest.mark.parametrize("selection, split", [("dev", "dev"), ("leaking_test", "test")])
    def test_best_weights_are_kept(self, selection, split):
        model, history = self.fit(selection, split)
        assert history["val_accuracy"] == [1.0, 0.0]
        assert model.classifier_bias[0].numpy().argmax() == 1
        assert model.selection == {"monitor": "val_strict_accuracy", "epoch": 1, "value": 1.0}

    def test_last(self):
        model, history = self.fit("last", "test")
        assert history["val_accuracy"] == [1.0, 0.0]
        assert model.classifier_bias[0].numpy().argmax() == 2 and model.selection is None

    def test_the_first_of_equal_epochs_wins(self):
        model, history = self.fit(examples=[AspectExample("a place", "food", "none")])
        assert history["val_strict_accuracy"] == [0.0, 0.0] and model.selection["epoch"] == 1
        assert model.classifier_bias[0].numpy().argmax() == 1

    def test_metrics_reach_the_history_and_other_callbacks(self, tmp_path):
        stop = keras.callbacks.EarlyStopping("val_macro_f1", mode="max", patience=1)
        path = str(tmp_path / "{epoch}-{val_strict_accuracy:.1f}.weights.h5")
        save = keras.callbacks.ModelCheckpoint(
            path, "val_strict_accuracy", mode="max", save_best_only=True, save_weights_only=True
        )
        _, history = self.fit("last", callbacks=[stop, save], epochs=5)
        assert len(history["loss"]) == 2, "stopped after one epoch without progress"
        assert [file.name for file in tmp_path.iterdir()] == ["1-1.0.weights.h5"]
        assert {"val_loss", "val_accuracy", "val_macro_f1", "val_aspect_f1", "val_sentiment_accuracy"} <= set(history)
        assert history["val_loss"][0] == pytest.approx(0.0, abs=1e-3)
        assert history["val_loss"][1] == pytest.approx(-math.log(1e-12), abs=1e-3)

    def test_a_test_split_is_refused(self):
        with pytest.raises(
            ValueError, match=r"(?s)on the test split .*: received a test split .*selection='leaking_test'"
        ):
            self.fit("dev", "test")

    @pytest.mark.parametrize(
        "arguments, message",
        [
            (
                {"selection": "best"},
                r"`selection` must be one of \['dev', 'last', 'leaking_test'\]: received 'best'\. Pick",
            ),
            (
                {"validation_data": {"input_ids": [[1]]}},
                r"must be an AspectDataset or a list of AspectExample: received dict",
            ),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            compiled_model().fit(FEW, **arguments)

    def test_strings_for_encoded_tensors_are_refused(self):
        with pytest.raises(
            ValueError, match=r"`validation_data` must be encoded tensors, as `x`: received strings\. Pass"
        ):
            compiled_model().fit({"input_ids": np.ones([1, 3])}, np.zeros(1), validation_data=FEW)

    def test_one_class_is_said(self):
        rows = [*self.DEV, AspectExample("a place", "food", "bad")]
        with pytest.warns(UserWarning, match="After epoch 1 every prediction on the development set is the same label"):
            self.fit(examples=rows, epochs=1)
