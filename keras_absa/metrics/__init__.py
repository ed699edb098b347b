"""The published scorers, one a file, and what they share."""

from keras_absa.metrics.aspect_sentiment import aspect_sentiment_metrics
from keras_absa.metrics.bootstrap import Interval, bootstrap_intervals
from keras_absa.metrics.emotion import emotion_metrics
from keras_absa.metrics.ensemble import EnsembleChoice, choose_ensemble, ensemble_logits
from keras_absa.metrics.evaluate import constant_baseline, task_intervals, task_metrics
from keras_absa.metrics.joint import class_metrics, joint_metrics, score_metrics
from keras_absa.metrics.metric_report import MetricReport
from keras_absa.metrics.roc_auc import roc_auc
from keras_absa.metrics.semeval2014 import semeval2014_metrics
from keras_absa.metrics.sentihood import sentihood_metrics
from keras_absa.metrics.sentiment_classes import sentiment_classes

__all__ = [
    "EnsembleChoice",
    "Interval",
    "MetricReport",
    "aspect_sentiment_metrics",
    "bootstrap_intervals",
    "choose_ensemble",
    "class_metrics",
    "constant_baseline",
    "emotion_metrics",
    "ensemble_logits",
    "joint_metrics",
    "roc_auc",
    "score_metrics",
    "semeval2014_metrics",
    "sentihood_metrics",
    "sentiment_classes",
    "task_intervals",
    "task_metrics",
]
