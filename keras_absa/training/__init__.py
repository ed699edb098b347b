"""The papers' optimizer, the sampling of epochs, and callbacks around the official metrics."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.training.bert_adam import BertAdam
from keras_absa.training.callbacks import BestWeights, DevMetrics
from keras_absa.training.joint_losses import ClassLoss, PresenceLoss, class_weight, presence_weight
from keras_absa.training.linking_losses import MarginLinkingLoss, SoftmaxLinkingLoss, linking_targets
from keras_absa.training.reload_and_halve import ReloadAndHalve
from keras_absa.training.slanted_triangular_adam import SlantedTriangularAdam
from keras_absa.training.training_checkpoint import TrainingCheckpoint

__all__ = [
    "BertAdam",
    "BestWeights",
    "ClassLoss",
    "DevMetrics",
    "MarginLinkingLoss",
    "PresenceLoss",
    "ReloadAndHalve",
    "SlantedTriangularAdam",
    "SoftmaxLinkingLoss",
    "TrainingCheckpoint",
    "class_weight",
    "linking_targets",
    "presence_weight",
]
