"""keras_absa: Keras models for aspect-based sentiment analysis, from raw reviews to a served model.

A subpackage is imported when it is first used, so that the command line can say what is wrong with an environment that
lacks TensorFlow. Those that need TensorFlow have its version checked before it is imported.
"""

import importlib
import sys
from typing import TYPE_CHECKING

from keras_absa.keras_alias import AliasFinder

if TYPE_CHECKING:
    from keras_absa import data, explain, knowledge, layers, metrics, models, serving, text, training
    from keras_absa.models import Predictor

__version__ = "0.1.0"

__all__ = [
    "Predictor",
    "__version__",
    "data",
    "explain",
    "knowledge",
    "layers",
    "metrics",
    "models",
    "serving",
    "text",
    "training",
]

sys.meta_path.append(AliasFinder())

_WITHOUT_TENSORFLOW = ("data", "metrics")


def __getattr__(name: str):
    if name.startswith("_") or name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _WITHOUT_TENSORFLOW:
        importlib.import_module(f"{__name__}.keras")  # checks the environment, and picks Keras 2
    if name == "Predictor":
        return importlib.import_module(f"{__name__}.models").Predictor
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
