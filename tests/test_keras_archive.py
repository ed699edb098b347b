"""`.keras` files: the weights are taken out of the zip file in one piece."""

import zipfile

import numpy as np

from keras_absa.keras import keras
from tests.models.tiny import ROWS, tiny_model


def test_loading_does_not_jump_about_in_the_file(tmp_path, monkeypatch):
    model = tiny_model("qacg", layers=2)
    model.save(tmp_path / "model.keras")
    jumps = []
    seek = zipfile.ZipExtFile.seek
    monkeypatch.setattr(zipfile.ZipExtFile, "seek", lambda *arguments: jumps.append(arguments) or seek(*arguments))
    again = keras.models.load_model(tmp_path / "model.keras")
    assert jumps == []
    np.testing.assert_array_equal(again.predict(ROWS), model.predict(ROWS))
