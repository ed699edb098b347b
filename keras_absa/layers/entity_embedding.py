"""Vectors of a knowledge base in the space where spans are linked to them.

Shapes: U entities, W width of the knowledge base's vectors, P width of a class, E width of an entity.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, weights_of
from keras_absa.layers.post_norm_block import normal_dense


@keras.utils.register_keras_serializable(package="keras_absa")
class EntityEmbedding(keras.layers.Layer):
    """Frozen vectors as they are, or beside the embedding of a class (a part of speech) through a dense map.

    The table of frozen vectors is not a weight: it is too large for a checkpoint, and a batch needs few of its rows. They come
    as an input, each distinct entity of the batch once, so that all its mentions have the same dropout, too.

    Args:
        entity_units: Int, E. Defaults to None: the vectors as they are, E = W.
        num_classes: Int, classes of entities; those of WordNet are padding, n, v, a, r, s, mask, null, unknown. Defaults to 0,
            no classes.
        class_units: Int, P. Defaults to 25.
        dropout: Float, rate after the dense map. Defaults to 0.1.
        init_std: Float, standard deviation of the initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [U, W].
        classes: Int [U], needed with `num_classes`. Defaults to None.
        training: Bool, switches dropout on.

    Returns:
        Float [U, E].

    Raises:
        ValueError: If there are classes without a dense map, or none are given where the layer has some.

    Example:
        >>> embedding = EntityEmbedding(entity_units=4, num_classes=9)
        >>> embedding(tf.ones([2, 6]), classes=tf.constant([1, 2])).shape
        TensorShape([2, 4])

    Reference:
        Peters et al. 2019, section 4.1 (the projection to 200); the class is in the public code only.
    """

    def __init__(
        self,
        entity_units: int | None = None,
        num_classes: int = 0,
        class_units: int = 25,
        dropout: float = 0.1,
        init_std: float = 0.02,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if num_classes and entity_units is None:
            raise ValueError(
                "`num_classes` needs `entity_units`, the width after the dense map: received None. Give a number, such as 200."
            )
        self.entity_units = entity_units
        self.num_classes = num_classes
        self.class_units = class_units
        self.dropout = dropout
        self.init_std = init_std
        self.class_embedding = None
        if num_classes:
            normal = keras.initializers.RandomNormal(stddev=init_std)
            self.class_embedding = keras.layers.Embedding(
                num_classes, class_units, embeddings_initializer=normal, name="classes", dtype=self.dtype_policy
            )
        self.projection = None if entity_units is None else normal_dense(self, entity_units, "projection", init_std)
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, input_shape):
        width = int(input_shape[-1])
        if self.class_embedding is not None:
            with tf.name_scope(self.class_embedding.name):
                self.class_embedding.build(None)
            width += self.class_units
        if self.projection is not None:
            built(self.projection, width)
        super().build(input_shape)

    def call(self, inputs, classes=None, training=False):
        inputs = tf.cast(inputs, self.compute_dtype)
        if self.projection is None:
            return inputs
        if self.class_embedding is not None:
            if classes is None:
                raise ValueError("This EntityEmbedding has classes: received none. Give an int [U], one an entity.")
            inputs = tf.concat([inputs, self.class_embedding(classes)], axis=-1)  # [U, W + P]
        return self.drop(self.projection(inputs), training=training)

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        parts = {"classes": self.class_embedding, "projection": self.projection}
        return {
            f"{name}.{key}": weight
            for name, part in parts.items()
            if part is not None
            for key, weight in weights_of(part, {}).items()
        }

    def get_config(self):
        names = ("entity_units", "num_classes", "class_units", "dropout", "init_std")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
