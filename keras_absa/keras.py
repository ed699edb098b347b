"""The one place that picks the Keras flavour.

transformers' TensorFlow models are Keras 2 models (`tf_keras`), and a Keras 3 layer cannot live inside one.
Everything in this package, and user code that plugs into it, takes Keras from here: `from keras_absa.keras
import keras`.
"""

import os

from keras_absa.environment import check_environment

check_environment()
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import tf_keras as keras  # noqa: E402  (the environment is checked first, so that a wrong version gives one message)
from tf_keras.src.saving import saving_lib  # noqa: E402

from keras_absa.keras_archive import read_weights_at_once  # noqa: E402

read_weights_at_once(saving_lib)

__all__ = ["keras"]
