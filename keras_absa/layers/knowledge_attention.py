"""Knowledge attention and recontextualisation (KAR): a knowledge base between two layers of a BERT.

Shapes: B batch, T tokens, D width, S spans, C candidates, U distinct entities, W width of their vectors, E of an entity.
"""

import numpy as np
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.entity_embedding import EntityEmbedding
from keras_absa.layers.entity_linker import EntityLinker
from keras_absa.layers.joint_parts import built, weights_of
from keras_absa.layers.post_norm_block import PostNormBlock, normal_dense

NEEDED = ("spans", "entities", "priors", "vectors")
CANDIDATE_KEYS = (*NEEDED, "rows", "classes", "embedded")


@keras.utils.register_keras_serializable(package="keras_absa")
class KnowledgeAttention(keras.layers.Layer):
    """Links spans to entities, and lets every token attend to what is known about them.

    Tokens are mapped into the space of entities, spans are linked there (`EntityLinker`), the linked entities are added to the
    spans, tokens attend to the spans, and the result is mapped back and added to the tokens.

    Args:
        vector_units: Int, W.
        entity_units: Int, E. Defaults to None: W, the vectors as they are.
        num_classes, class_units: See `EntityEmbedding`; without `entity_units` there are none. Default to 0 and 25.
        num_heads, inner_units, scorer_units, threshold, scale_product, normalize_entities: See `EntityLinker`. Default to 4,
            1024, 100, None, True, True.
        dropout: Float, rate in all parts. Defaults to 0.1.
        init_std: Float, standard deviation of the kernels' initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D].
        candidates: A dict. `spans` int [B, S, 2], first and last token, -1 for padding; `entities` int [B, S, C], ids, 0 for
            padding; `priors` float [B, S, C]; `vectors` float [U, W]; `rows` int [B, S, C], where each candidate stands in
            `vectors` (default: at its id); `classes` int [U], if there are any. `embedded` float [U, E] in place of `vectors`
            and `classes`: what `embed` gave. A row without spans has one of -1; its tokens attend to a constant.
        training: Bool, switches dropout on.
        return_links: Bool, also return what the linker found. Defaults to False.

    Returns:
        Float [B, T, D]; with `return_links` also the linker's dict, with `attention`, float32 [B, heads, T, S], beside.

    Raises:
        ValueError: If a candidate's input is missing.

    Example:
        >>> kar = KnowledgeAttention(vector_units=8, num_heads=2, inner_units=16, scorer_units=4)
        >>> candidates = {"spans": tf.constant([[[0, 1]]]), "entities": tf.constant([[[1, 2]]]),
        ...               "priors": tf.constant([[[0.9, 0.1]]]), "vectors": tf.ones([3, 8])}
        >>> kar(tf.ones([1, 4, 24]), candidates=candidates).shape
        TensorShape([1, 4, 24])

    Reference:
        Peters et al. 2019, "Knowledge Enhanced Contextual Word Representations", section 3.3, equations 1 to 7; normalisation and
        dropout as in the public code.
    """

    def __init__(
        self,
        vector_units: int,
        entity_units: int | None = None,
        num_classes: int = 0,
        class_units: int = 25,
        num_heads: int = 4,
        inner_units: int = 1024,
        scorer_units: int = 100,
        threshold: float | None = None,
        scale_product: bool = True,
        normalize_entities: bool = True,
        dropout: float = 0.1,
        init_std: float = 0.02,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.vector_units = vector_units
        self.entity_units = entity_units
        self.num_classes = num_classes
        self.class_units = class_units
        self.num_heads = num_heads
        self.inner_units = inner_units
        self.scorer_units = scorer_units
        self.threshold = threshold
        self.scale_product = scale_product
        self.normalize_entities = normalize_entities
        self.dropout = dropout
        self.init_std = init_std

        own = {"dtype": self.dtype_policy}
        self.width = entity_units or vector_units  # E
        self.embedding = EntityEmbedding(
            entity_units, num_classes, class_units, dropout, init_std, name="embedding", **own
        )
        self.linker = EntityLinker(
            num_heads,
            inner_units,
            scorer_units,
            threshold,
            scale_product,
            normalize_entities,
            dropout,
            init_std,
            name="linker",
            **own,
        )
        self.to_entities = normal_dense(self, self.width, "to_entities", init_std)
        self.span_norm = keras.layers.LayerNormalization(epsilon=1e-5, name="entity_span_norm", **own)
        self.span_attention = PostNormBlock(num_heads, inner_units, dropout, init_std, name="span_attention", **own)
        self.output_norm = keras.layers.LayerNormalization(epsilon=1e-5, name="output_norm", **own)
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        width = int(input_shape[-1])
        built(self.to_entities, width)
        built(self.embedding, self.vector_units)
        for part in (self.linker, self.span_norm, self.span_attention):
            built(part, self.width)
        self.to_hidden = normal_dense(self, width, "to_hidden", self.init_std)
        built(self.to_hidden, self.width)
        built(self.output_norm, width)
        super().build(input_shape)

    def call(self, inputs, candidates, training=False, return_links=False):
        missing = [
            key for key in NEEDED if key not in candidates and not (key == "vectors" and "embedded" in candidates)
        ]
        if missing:
            raise ValueError(
                f"{self.name!r}: `candidates` must have {list(NEEDED)}: received {sorted(candidates)}. Add "
                f"{', '.join(missing)}; `KnowledgeEncoder` of keras_absa.knowledge makes them from texts."
            )
        tokens = self.to_entities(inputs)  # [B, T, E]
        vectors = candidates.get("embedded")
        if vectors is None:
            vectors = self.embedding(candidates["vectors"], classes=candidates.get("classes"), training=training)
        spans = candidates["spans"]
        links = self.linker(
            tokens,
            spans=spans,
            entities=candidates["entities"],
            priors=candidates["priors"],
            vectors=vectors,
            rows=candidates.get("rows"),
            training=training,
        )
        known = self.span_norm(links["spans"] + self.drop(links["mixture"], training=training))  # [B, S, E]
        read, attention = self.span_attention(
            tokens, states=known, mask=spans[:, :, 0] >= 0, training=training, return_attention=True
        )  # [B, T, E]
        outputs = self.output_norm(inputs + self.drop(self.to_hidden(read), training=training))  # [B, T, D]
        return (outputs, {**links, "attention": attention}) if return_links else outputs

    def embed(self, vectors, classes=None) -> tf.Tensor:
        """A table [U, W] in the space of entities, float [U, E], for `candidates["embedded"]`."""
        return self.embedding(vectors, classes=classes, training=False)

    def invert_projection(self) -> None:
        """Sets the map back to the pseudo-inverse of the map to entities: `to_hidden` of `to_entities` of a state is its part
        that entities can express. Once, after the linker's training and before that of the whole (spec of Peters et al. 2019,
        section 3.4, "initialize W2 as the inverse of W1")."""
        kernel, bias = (weight.numpy().astype("float64") for weight in self.to_entities.weights)
        inverse = np.linalg.pinv(kernel)  # [E, D]
        self.to_hidden.set_weights([inverse, -bias @ inverse])

    def linker_weights(self) -> list[tf.Variable]:
        """The weights that are trained when only the linker is: Peters et al. 2019, section 3.5."""
        parts = (self.embedding, self.to_entities, self.linker)
        return [weight for part in parts for weight in part.trainable_weights]

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        names = ("embedding", "to_entities", "linker", "span_attention", "to_hidden", "output_norm")
        return weights_of(self, {**{name: getattr(self, name) for name in names}, "entity_span_norm": self.span_norm})

    def get_config(self):
        names = (
            "vector_units",
            "entity_units",
            "num_classes",
            "class_units",
            "num_heads",
            "inner_units",
            "scorer_units",
        )
        names += ("threshold", "scale_product", "normalize_entities", "dropout", "init_std")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
