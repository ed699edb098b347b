"""One mechanism a file, each a Keras layer that knows nothing of tasks, data or files."""

from keras_absa import keras as _keras  # noqa: F401  (first: one message if a version is wrong)
from keras_absa.layers.context_guided_attention import ContextGuidedAttention
from keras_absa.layers.context_matrix import ContextMatrix
from keras_absa.layers.entity_embedding import EntityEmbedding
from keras_absa.layers.entity_linker import EntityLinker
from keras_absa.layers.feature_branch import FeatureBranch
from keras_absa.layers.feed_forward import FeedForward
from keras_absa.layers.glimpse import Glimpse
from keras_absa.layers.guided_attention_unit import GuidedAttentionUnit
from keras_absa.layers.joint_encoder_block import JointEncoderBlock
from keras_absa.layers.joint_encoder_stack import JointEncoderStack
from keras_absa.layers.key_masked_attention import KeyMaskedAttention
from keras_absa.layers.knowledge_attention import KnowledgeAttention
from keras_absa.layers.masked_lm_head import MaskedLMHead
from keras_absa.layers.mean_pooling import MeanPooling
from keras_absa.layers.mel_spectrogram import MelSpectrogram
from keras_absa.layers.post_norm_block import PostNormBlock
from keras_absa.layers.quasi_attention import QuasiAttention
from keras_absa.layers.self_attention_unit import SelfAttentionUnit
from keras_absa.layers.self_attentive_span_pooling import SelfAttentiveSpanPooling
from keras_absa.layers.self_guided_attention_unit import SelfGuidedAttentionUnit
from keras_absa.layers.structured_self_attention import StructuredSelfAttention
from keras_absa.layers.unbiased_layer_normalization import UnbiasedLayerNormalization
from keras_absa.layers.word_branch import WordBranch

__all__ = [
    "ContextGuidedAttention",
    "ContextMatrix",
    "EntityEmbedding",
    "EntityLinker",
    "FeatureBranch",
    "FeedForward",
    "Glimpse",
    "GuidedAttentionUnit",
    "JointEncoderBlock",
    "JointEncoderStack",
    "KeyMaskedAttention",
    "KnowledgeAttention",
    "MaskedLMHead",
    "MeanPooling",
    "MelSpectrogram",
    "PostNormBlock",
    "QuasiAttention",
    "SelfAttentionUnit",
    "SelfAttentiveSpanPooling",
    "SelfGuidedAttentionUnit",
    "StructuredSelfAttention",
    "UnbiasedLayerNormalization",
    "WordBranch",
]
