"""Knowledge bases: what they know, where a text mentions it, and their files."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.knowledge.knowledge_base import KnowledgeBase
from keras_absa.knowledge.knowledge_encoder import KnowledgeEncoder
from keras_absa.knowledge.lemma_table import read_lemma_table
from keras_absa.knowledge.mention_index import Mention, MentionIndex
from keras_absa.knowledge.mention_lookup import MentionLookup
from keras_absa.knowledge.relation_graph import RelationGraph
from keras_absa.knowledge.tucker import TuckER, ranking_metrics
from keras_absa.knowledge.wordnet import Synset, WordNet

__all__ = [
    "KnowledgeBase",
    "KnowledgeEncoder",
    "Mention",
    "MentionIndex",
    "MentionLookup",
    "RelationGraph",
    "Synset",
    "TuckER",
    "WordNet",
    "ranking_metrics",
    "read_lemma_table",
]
