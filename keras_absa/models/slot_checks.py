"""What `SlottedBert` refuses.

Shapes: B batch, T tokens.
"""

import tensorflow as tf
from transformers import TFBertModel

from keras_absa.keras import keras
from keras_absa.layers.knowledge_attention import CANDIDATE_KEYS, KnowledgeAttention
from keras_absa.models.pooling_tokens import POOLING_TOKENS


def check_bert(bert) -> None:
    """Refuses what is not a `TFBertModel`."""
    if not isinstance(bert, TFBertModel):
        raise ValueError(
            f"`bert` must be a transformers.TFBertModel: received {type(bert).__module__}.{type(bert).__name__}. Load one with "
            "TFBertModel.from_pretrained, or use SlottedBert.from_pretrained."
        )


def check_layer(name: str, layer) -> None:
    """Refuses a plug that is not a layer of the Keras that `TFBertModel` is made of."""
    if not isinstance(layer, keras.layers.Layer):
        raise ValueError(
            f"`{name}` must be a Keras 2 layer: received {type(layer).__module__}.{type(layer).__name__}. Derive it "
            "from `keras_absa.keras.keras.layers.Layer`; a Keras 3 layer cannot live in a TFBertModel."
        )


def check_attention(attention, num_contexts: int | None, num_heads: int) -> None:
    """Refuses an attention plug that does not fit its encoder."""
    check_layer("attention", attention)
    if not num_contexts or num_contexts < 1:
        raise ValueError(
            f"`num_contexts` must be a positive number with `attention`: received {num_contexts}. Pass `task.num_contexts`."
        )
    if attention.num_heads != num_heads:
        raise ValueError(
            f"`attention` must have the encoder's {num_heads} heads: received num_heads={attention.num_heads}. Make the layer "
            f"with num_heads={num_heads}."
        )


def check_pooling(pooling, tokens: str) -> None:
    """Refuses a pooling plug that gives no vector, and tokens that it does not know."""
    check_layer("pooling", pooling)
    if "return_attention" not in pooling.get_config():
        raise ValueError(
            f"`pooling` must be a layer with the setting `return_attention`: received a {type(pooling).__name__}. Use "
            "StructuredSelfAttention, MeanPooling, or a layer of your own that has it and, built, the attribute `output_dim`."
        )
    if getattr(pooling, "pooling", None) == "none":
        raise ValueError(
            "`pooling` must give one vector a text: received a layer with pooling='none'. Use 'flatten', 'mean' or 'project'."
        )
    if tokens not in POOLING_TOKENS:
        raise ValueError(
            f"`pooling_tokens` must be one of {list(POOLING_TOKENS)}: received {tokens!r}. Pick one of them."
        )


def checked_layers(layers, num_layers: int) -> tuple[int, ...]:
    """The guided layers, sorted; all of them for None."""
    layers = tuple(range(num_layers)) if layers is None else tuple(sorted({int(layer) for layer in layers}))
    if not layers or layers[0] < 0 or layers[-1] >= num_layers:
        raise ValueError(
            f"`guided_layers` must be layers 0 to {num_layers - 1}: received {list(layers)}. Leave it out to guide all."
        )
    return layers


def checked_knowledge(knowledge, num_layers: int) -> dict[str, KnowledgeAttention]:
    """The knowledge attentions by their encoder layer's number, as a string, in the order in which they run."""
    knowledge = dict(knowledge or {})
    for index, layer in knowledge.items():
        if not isinstance(layer, KnowledgeAttention):
            raise ValueError(
                f"`knowledge` must hold KnowledgeAttention layers: received {type(layer).__module__}.{type(layer).__name__} "
                f"after layer {index}. Use one of keras_absa.layers, or derive yours from it."
            )
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < num_layers:
            raise ValueError(
                f"`knowledge` must come after one of the layers 0 to {num_layers - 1}: received {index!r}. Correct it."
            )
    names = [layer.name for layer in knowledge.values()]
    if len(set(names)) < len(names):
        raise ValueError(
            f"Knowledge attentions must have different names: received {names}. Give each its knowledge base's name."
        )
    return {str(index): knowledge[index] for index in sorted(knowledge)}


def candidates_of(inputs, name: str) -> dict[str, tf.Tensor]:
    """The `candidates` of the knowledge attention with this name."""
    named = {key: inputs.get(f"{name}_{key}") for key in CANDIDATE_KEYS}
    return {key: value for key, value in named.items() if value is not None}


def checked_inputs(inputs) -> tuple:
    """`input_ids`, `attention_mask` and `token_type_ids` [B, T], the last two with their defaults."""
    if not hasattr(inputs, "get") or inputs.get("input_ids") is None:
        raise ValueError(
            f"`inputs` must be a dict with `input_ids`: received {type(inputs).__name__}. Make it with "
            "`keras_absa.text.PairEncoder`."
        )
    input_ids = inputs["input_ids"]
    if getattr(input_ids, "dtype", None) == tf.string:
        raise ValueError(
            "`input_ids` must be integers: received strings. Strings go to fit, evaluate, predict or predict_aspects of a "
            "classifier, or through `keras_absa.text.PairEncoder`."
        )
    attention_mask = inputs.get("attention_mask")
    token_type_ids = inputs.get("token_type_ids")
    attention_mask = tf.ones_like(input_ids) if attention_mask is None else attention_mask
    return input_ids, attention_mask, tf.zeros_like(input_ids) if token_type_ids is None else token_type_ids
