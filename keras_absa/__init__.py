"""keras_absa: Keras models for aspect-based sentiment analysis, from raw reviews to a served model."""

__version__ = "0.1.0"

from keras_absa import keras as _keras  # noqa: F401  (checks the environment before anything else is imported)
from keras_absa import data, layers, metrics, models, text, training

__all__ = ["__version__", "data", "layers", "metrics", "models", "text", "training"]
