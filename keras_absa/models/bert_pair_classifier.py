"""BERT-pair: the aspect as a second sentence, the baseline that context-guided models are compared with."""

from keras_absa.keras import keras
from keras_absa.models.aspect_classifier import AspectClassifier


@keras.utils.register_keras_serializable(package="keras_absa")
class BertPairClassifier(AspectClassifier):
    """Classifies the sentiment of a text towards a (target, aspect) that is written out as an auxiliary sentence.

    The arguments, and what it is called with, are those of `AspectClassifier`. `scheme` is `"nli_m"`, `"qa_m"`,
    `"nli_b"`, `"qa_b"` or `"single"`. The binary schemes ask once for each label; an example's probabilities
    are the shares of its candidates' "yes". `"single"` reads the text alone and has one classifier a context
    over a shared encoder; for the paper's form, an encoder each, train one model for each context on a task
    with that context only.

    Example:
        >>> from keras_absa.data import restaurants
        >>> model = BertPairClassifier.from_pretrained("minilm", task=restaurants(), scheme="qa_m")
        >>> len(model.predict_aspects(["The soup was cold."])[0])
        4

    Reference:
        Sun, Huang and Qiu 2019, "Utilizing BERT for Aspect-Based Sentiment Analysis via Constructing Auxiliary
        Sentence".
    """

    @classmethod
    def slots_for(cls, name, task, kwargs):
        if kwargs:
            raise ValueError(
                f"BertPairClassifier has no arguments {sorted(kwargs)}: received them. It takes scheme, max_length, dropout, "
                "use_pooler, pooling and pooling_tokens."
            )
        return {}
