"""Text in, BERT inputs out, inside the graph: normaliser, WordPiece tokenizer, and the encoder of text pairs."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.normalizer import Normalizer
from keras_absa.text.pair_encoder import PairEncoder
from keras_absa.text.sequence_encoder import SequenceEncoder
from keras_absa.text.target_marker import TargetMarker
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.text.word_tokenizer import WordTokenizer

__all__ = [
    "AspectEncoder",
    "Normalizer",
    "PairEncoder",
    "SequenceEncoder",
    "TargetMarker",
    "Tokenizer",
    "WordTokenizer",
]
