"""CG-BERT: BERT with context-guided attention, for targeted aspect-based sentiment analysis."""

from keras_absa.keras import keras
from keras_absa.layers.context_guided_attention import ContextGuidedAttention
from keras_absa.models.aspect_classifier import AspectClassifier
from keras_absa.models.context_guided_slots import context_guided_slots


@keras.utils.register_keras_serializable(package="keras_absa")
class CgBertClassifier(AspectClassifier):
    """Classifies the sentiment of a text towards a (target, aspect) with softmax attention guided by it.

    The arguments, and what it is called with, are those of `AspectClassifier`; `from_pretrained` also takes those of
    `ContextGuidedAttention` (`gate_activation`, ...) and of `SlottedBert` (`guided_layers`, `num_contexts`, ...).

    Example:
        >>> from keras_absa.data import restaurants
        >>> model = CgBertClassifier.from_pretrained("minilm", task=restaurants(), gate_activation="sigmoid")
        >>> len(model.predict_aspects(["The soup was cold."])[0])
        4

    Reference:
        Wu and Ong 2021, "Context-Guided BERT for Targeted Aspect-Based Sentiment Analysis", sections 3.4 and 3.6.
    """

    @classmethod
    def slots_for(cls, name, task, kwargs):
        return context_guided_slots(ContextGuidedAttention, name, task, kwargs)
