"""The encoder of texts that a tokenizer and knowledge bases call for."""

from keras_absa.text.pair_encoder import PairEncoder
from keras_absa.text.sequence_encoder import SequenceEncoder
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.text.word_tokenizer import WordTokenizer


def row_encoder(tokenizer: Tokenizer | WordTokenizer, max_length: int, bases=(), embedded=None):
    """A `SequenceEncoder` of words, a `PairEncoder` of word pieces, or a `KnowledgeEncoder` where there are `bases`.

    Args:
        tokenizer: `Tokenizer` or `WordTokenizer`.
        max_length: Int, most tokens of a row.
        bases, embedded: See `keras_absa.knowledge.KnowledgeEncoder`. Default to () and None.
    """
    if bases:
        from keras_absa.knowledge.knowledge_encoder import KnowledgeEncoder  # which is built on this package

        return KnowledgeEncoder(tokenizer, bases, max_length, embedded=embedded)
    kind = SequenceEncoder if isinstance(tokenizer, WordTokenizer) else PairEncoder
    return kind(tokenizer, max_length=max_length)
