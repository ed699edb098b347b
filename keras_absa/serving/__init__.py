"""From a trained model to something that TensorFlow Serving can load."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.serving.export import export

__all__ = ["export"]
