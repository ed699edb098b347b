"""From a trained model to something that TensorFlow Serving can load."""

from keras_absa.serving.export import export

__all__ = ["export"]
