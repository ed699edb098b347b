"""Which entity of a knowledge base does a span mean?

Shapes: B batch, T tokens, S spans, C candidates, U distinct entities, E width of an entity.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, weights_of
from keras_absa.layers.post_norm_block import PostNormBlock
from keras_absa.layers.self_attentive_span_pooling import SelfAttentiveSpanPooling

IMPOSSIBLE = -10000.0  # the score of a padded candidate; finite, so that a span without candidates stays finite
ANY = -990.0  # scores of real candidates are above it


@keras.utils.register_keras_serializable(package="keras_absa")
class EntityLinker(keras.layers.Layer):
    """Scores the candidates of each span, and mixes their vectors by the scores.

    Spans are pooled from tokens and attend to each other; a small network makes a score of the product of span and candidate,
    and of the candidate's prior.

    Args:
        num_heads: Int, attention heads among spans. Defaults to 4.
        inner_units: Int, inner width of their feed-forward network. Defaults to 1024.
        scorer_units: Int, inner width of the scoring network. Defaults to 100.
        threshold: Float; candidates that score below it have no part in the mixture, and a span without any other gets the null
            entity's vector. Defaults to None, no threshold.
        scale_product: Bool, divide the product by sqrt(E), as the public code; the paper does not. Defaults to True.
        normalize_entities: Bool, layer normalisation over the entities, as the public code. Defaults to True.
        dropout: Float, rate within the attention among spans. Defaults to 0.1.
        init_std: Float, standard deviation of the kernels' initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, E], tokens in the space of entities.
        spans: Int [B, S, 2], first and last token; -1 for padding.
        entities: Int [B, S, C], ids of candidates; 0 for padding.
        priors: Float [B, S, C].
        vectors: Float [U, E], the entities' vectors.
        rows: Int [B, S, C], where each candidate stands in `vectors`. Defaults to None: at its id.
        training: Bool, switches dropout on.

    Returns:
        A dict: `spans` [B, S, E]; `scores`, float32 [B, S, C], -10,000 for padding; `probabilities`, float32 [B, S, C];
        `mixture` [B, S, E].

    Example:
        >>> linker = EntityLinker(num_heads=2, inner_units=16, scorer_units=4)
        >>> spans, entities = tf.constant([[[0, 1]]]), tf.constant([[[1, 2]]])
        >>> found = linker(tf.ones([1, 4, 8]), spans=spans, entities=entities, priors=tf.constant([[[0.9, 0.1]]]),
        ...                vectors=tf.ones([3, 8]))
        >>> found["mixture"].shape
        TensorShape([1, 1, 8])

    Reference:
        Peters et al. 2019, equations 2 to 4.
    """

    def __init__(
        self,
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
        self.num_heads = num_heads
        self.inner_units = inner_units
        self.scorer_units = scorer_units
        self.threshold = threshold
        self.scale_product = scale_product
        self.normalize_entities = normalize_entities
        self.dropout = dropout
        self.init_std = init_std
        own = {"dtype": self.dtype_policy}
        self.span_pool = SelfAttentiveSpanPooling(init_std, name="span_pool", **own)
        self.span_norm = keras.layers.LayerNormalization(epsilon=1e-5, name="span_norm", **own)
        self.span_encoder = PostNormBlock(num_heads, inner_units, dropout, init_std, name="span_encoder", **own)
        self.entity_norm = None
        if normalize_entities:
            self.entity_norm = keras.layers.LayerNormalization(epsilon=1e-5, name="entity_norm", **own)
        # The threshold is at 0: a score must not be rounded across it.
        self.scorer = [
            keras.layers.Dense(
                units, kernel_initializer=keras.initializers.RandomNormal(stddev=init_std), name=name, dtype="float32"
            )
            for name, units in (("scorer_inner", scorer_units), ("scorer_output", 1))
        ]

    def build(self, input_shape):
        width = int(input_shape[-1])
        for part in (self.span_pool, self.span_norm, self.span_encoder):
            built(part, width)
        if self.entity_norm is not None:
            built(self.entity_norm, width, rank=2)
        built(self.scorer[0], 2)
        built(self.scorer[1], self.scorer_units)
        if self.threshold is not None:
            self.null_vector = self.add_weight("null_vector", [width], initializer="zeros", trainable=False)
        super().build(input_shape)

    def call(self, inputs, spans, entities, priors, vectors, rows=None, training=False):
        real = spans[:, :, 0] >= 0  # [B, S]
        states = self.span_encoder(self.span_norm(self.span_pool(inputs, spans=spans)), mask=real, training=training)
        vectors = tf.cast(vectors, self.compute_dtype)
        if self.entity_norm is not None:
            vectors = self.entity_norm(vectors)
        candidates = tf.gather(vectors, entities if rows is None else rows)  # [B, S, C, E]

        product = tf.einsum("bse,bsce->bsc", tf.cast(states, tf.float32), tf.cast(candidates, tf.float32))
        if self.scale_product:
            product /= tf.sqrt(float(vectors.shape[-1]))
        scores = tf.stack([product, tf.cast(priors, tf.float32)], axis=-1)  # [B, S, C, 2]
        scores = self.scorer[1](tf.nn.relu(self.scorer[0](scores)))[..., 0]
        scores = tf.where(entities > 0, scores, IMPOSSIBLE)  # [B, S, C]

        kept = scores
        if self.threshold is not None:
            kept = tf.where(scores < self.threshold, IMPOSSIBLE, scores)
        probabilities = tf.nn.softmax(kept)
        mixture = tf.einsum("bsc,bsce->bse", tf.cast(probabilities, candidates.dtype), candidates)
        if self.threshold is not None:
            none = tf.reduce_all(scores < self.threshold, axis=-1, keepdims=True)  # [B, S, 1]
            mixture = tf.where(none, tf.cast(self.null_vector, mixture.dtype), mixture)
        return {"spans": states, "scores": scores, "probabilities": probabilities, "mixture": mixture}

    def best(self, scores, entities, null_id: int | None = None) -> tuple[tf.Tensor, tf.Tensor]:
        """The entity of each span, or 0: the best candidate, if it scores above the threshold and is not the null entity.

        Args:
            scores: Float [B, S, C], see above.
            entities: Int [B, S, C].
            null_id: Int. Defaults to None, there is no null entity.

        Returns:
            Ids, int [B, S], and their scores, float32 [B, S].
        """
        place = tf.argmax(scores, axis=-1)
        found = tf.gather(entities, place, batch_dims=2)
        score = tf.reduce_max(scores, axis=-1)
        linked = score > (ANY if self.threshold is None else self.threshold)
        if null_id is not None:
            linked &= found != null_id
        return tf.where(linked, found, 0), score

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        parts = {"span_pool": self.span_pool, "span_norm": self.span_norm, "span_encoder": self.span_encoder}
        parts |= {} if self.entity_norm is None else {"entity_norm": self.entity_norm}
        parts |= {layer.name: layer for layer in self.scorer}
        named = weights_of(self, parts)
        return named if self.threshold is None else {**named, "null_vector": self.null_vector}

    def get_config(self):
        names = ("num_heads", "inner_units", "scorer_units", "threshold", "scale_product", "normalize_entities")
        return {**super().get_config(), **{name: getattr(self, name) for name in (*names, "dropout", "init_std")}}
