"""Encoders with slots, and one file a trainable model."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.models.aspect_prediction import AspectPrediction
from keras_absa.models.bert_pair_classifier import BertPairClassifier
from keras_absa.models.cg_bert_classifier import CgBertClassifier
from keras_absa.models.joint_encoder import JointEncoder
from keras_absa.models.know_bert import KnowBert, knowledge_attention
from keras_absa.models.load_model import load_model
from keras_absa.models.predictor import Predictor
from keras_absa.models.qacg_bert_classifier import QacgBertClassifier
from keras_absa.models.self_attentive_classifier import SelfAttentiveClassifier
from keras_absa.models.self_attentive_pair_classifier import SelfAttentivePairClassifier
from keras_absa.models.slotted_bert import SlottedBert

__all__ = [
    "AspectPrediction",
    "BertPairClassifier",
    "CgBertClassifier",
    "JointEncoder",
    "KnowBert",
    "Predictor",
    "QacgBertClassifier",
    "SelfAttentiveClassifier",
    "SelfAttentivePairClassifier",
    "SlottedBert",
    "knowledge_attention",
    "load_model",
]
