"""QACG-BERT: BERT with quasi attention, for targeted aspect-based sentiment analysis."""

from keras_absa.keras import keras
from keras_absa.layers.quasi_attention import QuasiAttention
from keras_absa.models.aspect_classifier import AspectClassifier
from keras_absa.models.context_guided_slots import context_guided_slots


@keras.utils.register_keras_serializable(package="keras_absa")
class QacgBertClassifier(AspectClassifier):
    """Classifies the sentiment of a text towards a (target, aspect) with quasi-attention guided by it.

    The arguments, and what it is called with, are those of `AspectClassifier`; `from_pretrained` also takes those of
    `QuasiAttention` (`alpha`, `quasi_map`, ...) and of `SlottedBert` (`guided_layers`, `num_contexts`, ...).

    Example:
        >>> from keras_absa.data import restaurants
        >>> model = QacgBertClassifier.from_pretrained("minilm", task=restaurants())
        >>> len(model.predict_aspects(["The soup was cold."])[0])
        4

    Reference:
        Wu and Ong 2021, "Context-Guided BERT for Targeted Aspect-Based Sentiment Analysis", sections 3.5 and 3.6.
    """

    @classmethod
    def slots_for(cls, name, task, kwargs):
        return context_guided_slots(QuasiAttention, name, task, kwargs)
