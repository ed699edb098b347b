"""KnowBert: a BERT that links what it reads to knowledge bases, and reads on with what they know.

Shapes: see `SlottedBert` and `KnowledgeAttention`.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf
from transformers import TFBertModel

from keras_absa.keras import keras
from keras_absa.knowledge.knowledge_base import MANIFEST, KnowledgeBase
from keras_absa.layers.knowledge_attention import KnowledgeAttention
from keras_absa.models.slotted_bert import SlottedBert

ENTITY_UNITS = 200  # what vectors with classes, or of many numbers, are mapped to
_CHUNK = 8192
WIDEST = 300  # vectors that are used as they are


@keras.utils.register_keras_serializable(package="keras_absa")
class KnowBert(SlottedBert):
    """A `SlottedBert` with knowledge bases: what a classifier needs to find mentions in raw texts.

    Args:
        bert: A `TFBertModel`; its layers become part of this model.
        bases: A `KnowledgeBase`, several of them, or encoder layer (counted from 0) to base. Those without a layer come after the
            last but two, and each one after the layer above.
        knowledge: Encoder layer to `KnowledgeAttention`, each with a base's name. Defaults to None: one a base, see
            `knowledge_attention`.
        **slots: The other arguments of `SlottedBert` (`attention`, `pooling`, ...).

    Raises:
        ValueError: If bases and attentions do not fit each other.

    Example:
        >>> import numpy as np
        >>> from keras_absa.models import BertPairClassifier
        >>> from keras_absa.data import restaurants
        >>> mentions = [("ramen", "ramen", 1), ("noodles", "ramen", 1), ("noodles", "soba", 3)]
        >>> kitchen = KnowledgeBase.from_tables("kitchen", ["ramen", "soba"], np.eye(2, 8), mentions)
        >>> model = BertPairClassifier.from_pretrained("minilm", task=restaurants(), bases=kitchen)
        >>> model.encoder.knowledge["3"].name
        'kitchen'
        >>> len(model.predict_aspects(["The ramen was great."])[0])
        4

    Reference:
        Peters et al. 2019, "Knowledge Enhanced Contextual Word Representations".
    """

    def __init__(
        self,
        bert: TFBertModel,
        bases: KnowledgeBase | Sequence[KnowledgeBase] | Mapping[int, KnowledgeBase],
        knowledge: Mapping[int, KnowledgeAttention] | None = None,
        **slots,
    ):
        placed = _placed(bases, bert.config.num_hidden_layers)
        if knowledge is None:
            knowledge = {index: knowledge_attention(base) for index, base in placed.items()}
        super().__init__(bert, knowledge=knowledge, **slots)
        own = {base.name: base for base in placed.values()}
        names = [layer.name for layer in self.knowledge.values()]
        if sorted(own) != sorted(names):
            raise ValueError(
                f"`bases` must have the names of the knowledge attentions, {names}: received {list(own)}. Name the layers after "
                "them."
            )
        self.bases = tuple(own[name] for name in names)
        for layer, base in zip(self.knowledge.values(), self.bases, strict=True):
            if (layer.vector_units, layer.num_classes) != (base.width, base.num_classes):
                raise ValueError(
                    f"{base.name!r}: its attention must have vector_units={base.width} and num_classes={base.num_classes}: "
                    f"received {layer.vector_units} and {layer.num_classes}."
                )

    def get_config(self):
        return {**super().get_config(), "bases": {base.name: _reference(base) for base in self.bases}}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        bases = [_opened(name, reference) for name, reference in config.pop("bases").items()]
        return super().from_config({**config, "bases": bases})


def knowledge_attention(base: KnowledgeBase, **kwargs) -> KnowledgeAttention:
    """A `KnowledgeAttention` for a base: its vectors as they are, or mapped to 200 where they have classes or do not fit.

    Args:
        base: The `KnowledgeBase`.
        **kwargs: Other arguments of the layer (`threshold`, `inner_units`, ...).

    Example:
        >>> kitchen = KnowledgeBase.from_tables("kitchen", ["ramen"], np.ones((1, 8)), [("ramen", "ramen", 1)], classes=[1])
        >>> layer = knowledge_attention(kitchen)
        >>> layer.vector_units, layer.entity_units, layer.num_classes
        (8, 200, 5)
    """
    fits = base.width <= WIDEST and base.width % kwargs.get("num_heads", 4) == 0 and not base.num_classes
    own = {"entity_units": None if fits else ENTITY_UNITS, "num_classes": base.num_classes}
    return KnowledgeAttention(base.width, **{**own, "name": base.name, **kwargs})


def embedded_table(layer: KnowledgeAttention, base: KnowledgeBase) -> np.ndarray:
    """All vectors of a base as `layer` uses them, float32 [N + 1, E]."""
    parts = []
    for start in range(0, len(base) + 1, _CHUNK):
        own = slice(start, start + _CHUNK)
        classes = None if base.classes is None else tf.constant(base.classes[own])
        parts.append(layer.embed(tf.constant(base.vectors[own], tf.float32), classes).numpy().astype("float32"))
    return np.concatenate(parts)


def embedded_tables(encoder: KnowBert) -> dict[str, np.ndarray]:
    """Name of a base to `embedded_table`: what an export looks vectors up in, instead of projecting them for each batch."""
    layers = encoder.knowledge.values()
    return {base.name: embedded_table(layer, base) for layer, base in zip(layers, encoder.bases, strict=True)}


def encoder_of(config: dict) -> SlottedBert:
    """The encoder that a configuration describes."""
    return (KnowBert if config.get("bases") else SlottedBert).from_config(config)


def _placed(bases, num_layers):
    if isinstance(bases, Mapping):
        return dict(bases)
    bases = [bases] if isinstance(bases, KnowledgeBase) else list(bases)
    start = max(0, min(num_layers - 3, num_layers - len(bases)))
    return {start + place: base for place, base in enumerate(bases)}


def _reference(base):
    if base.folder is None:
        raise ValueError(
            f"A knowledge base must be in a folder before a model with it is saved: {base.name!r} is in memory alone. Call its "
            "`save` first."
        )
    files = json.loads((base.folder / MANIFEST).read_text("utf-8"))["files"]
    return {"folder": str(base.folder.resolve()), "sha256": {name: each["sha256"] for name, each in files.items()}}


def _opened(name, reference):
    folder = Path(reference["folder"])
    base = KnowledgeBase.load(folder)
    if _reference(base)["sha256"] != reference["sha256"]:
        raise ValueError(
            f"{folder}: the model was saved with another version of the knowledge base {name!r}, whose ids may mean other "
            "entities. Put that one back."
        )
    return base
