"""One mechanism a file, each a Keras layer that knows nothing of tasks, data or files."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.layers.context_guided_attention import ContextGuidedAttention
from keras_absa.layers.context_matrix import ContextMatrix
from keras_absa.layers.mean_pooling import MeanPooling
from keras_absa.layers.quasi_attention import QuasiAttention
from keras_absa.layers.structured_self_attention import StructuredSelfAttention

__all__ = ["ContextGuidedAttention", "ContextMatrix", "MeanPooling", "QuasiAttention", "StructuredSelfAttention"]
