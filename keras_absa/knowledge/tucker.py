"""TuckER: vectors of a graph's nodes, learned by predicting which nodes a relation leads to.

Shapes: B queries, N nodes (0 is padding), E width of a node's vector, R width of a relation's, P positives of a query.
"""

import numpy as np
import tensorflow as tf

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class TuckER(keras.Model):
    """Scores all nodes as the tail of (head, relation): a product of the head, the relation, the tail and a core tensor.

    Args:
        num_entities: Int, N, with padding.
        num_relations: Int, with the reversed ones and padding.
        entity_units, relation_units: Ints, E and R. Default to 200 and 30.
        dropouts: Floats, rates for the head, for the matrix that the relation makes, and for their product. Default to
            (0.2, 0.2, 0.3).
        label_smoothing: Float. Defaults to 0.1.
        **kwargs: Passed to `keras.Model` (`name`).

    Call arguments:
        inputs: A dict of `entity` and `relation`, int [B].
        training: Bool, dropout and the batch's own statistics.

    Returns:
        Logits, float32 [B, N]. The targets of `fit` are the tails, int [B, P] with 0 for padding.

    Example:
        >>> model = TuckER(num_entities=5, num_relations=3, entity_units=4, relation_units=2)
        >>> model.compile("adam")
        >>> history = model.fit({"entity": np.array([1, 2]), "relation": np.array([1, 1])}, np.array([[2, 3], [4, 0]]), verbose=0)
        >>> model({"entity": tf.constant([1]), "relation": tf.constant([2])}).shape
        TensorShape([1, 5])

    Reference:
        Balazevic, Allen and Hospedales 2019, "TuckER: Tensor Factorization for Knowledge Graph Completion", section 3; the
        smoothing as in KnowBert's public code, towards the mean of a query's own labels.
    """

    def __init__(
        self,
        num_entities: int,
        num_relations: int,
        entity_units: int = 200,
        relation_units: int = 30,
        dropouts: tuple[float, float, float] = (0.2, 0.2, 0.3),
        label_smoothing: float = 0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.num_entities = num_entities
        self.num_relations = num_relations
        self.entity_units = entity_units
        self.relation_units = relation_units
        self.dropouts = tuple(dropouts)
        self.label_smoothing = label_smoothing
        normal = keras.initializers.GlorotNormal
        self.entities = self.add_weight("entities", [num_entities, entity_units], initializer=normal())
        self.relations = self.add_weight("relations", [num_relations, relation_units], initializer=normal())
        shape = [relation_units, entity_units, entity_units]
        self.core = self.add_weight("core", shape, initializer=keras.initializers.RandomUniform(-1.0, 1.0))
        self.head_norm = _BatchNorm(entity_units, name="head_norm")
        self.product_norm = _BatchNorm(entity_units, name="product_norm")
        self.drops = [keras.layers.Dropout(rate) for rate in dropouts]
        self.built = True

    def call(self, inputs, training=False):
        head = tf.gather(self.entities, inputs["entity"])  # [B, E]
        relation = tf.gather(self.relations, inputs["relation"])  # [B, R]
        head = self.drops[0](self.head_norm(head, training=training), training=training)
        matrix = tf.tensordot(relation, self.core, axes=1)  # [B, E, E]
        matrix = self.drops[1](matrix, training=training)
        product = tf.einsum("be,bef->bf", head, matrix)
        product = self.drops[2](self.product_norm(product, training=training), training=training)
        return tf.matmul(product, self.entities, transpose_b=True)  # [B, N]

    def compile(self, optimizer="rmsprop", loss=None, **kwargs):
        """As Keras; the loss is `tail_loss` unless another is given."""
        super().compile(optimizer, loss=self.tail_loss if loss is None else loss, **kwargs)

    def tail_loss(self, tails, logits) -> tf.Tensor:
        """Binary cross-entropy of all nodes, with smoothed labels: float32 [B].

        Args:
            tails: Int [B, P], 0 for padding.
            logits: Float32 [B, N].
        """
        tails = tf.cast(tails, tf.int32)
        is_tail = tf.cast(tails > 0, tf.float32)  # [B, P]
        count = tf.cast(tf.shape(logits)[1], tf.float32)
        of_tails = tf.reduce_sum(tf.gather(logits, tails, batch_dims=1) * is_tail, axis=1)  # [B]
        mean_label = tf.reduce_sum(is_tail, axis=1) / count
        # Cross-entropy is softplus(z) - label z: labels [B, N] are never made.
        wanted = (1.0 - self.label_smoothing) * of_tails
        wanted += self.label_smoothing * mean_label * tf.reduce_sum(logits, axis=1)
        return (tf.reduce_sum(tf.nn.softplus(logits), axis=1) - wanted) / count

    def ranks(self, entity, relation, target, known) -> np.ndarray:
        """The rank of a tail among all nodes but the other ones that are right, too.

        Args:
            entity, relation, target: Ints [B].
            known: Ints [B, P], all tails of the query, which are no competitors; 0 among them takes padding out, too.

        Returns:
            Ints [B], from 1; equal scores count as lower.
        """
        scores = self({"entity": tf.constant(entity), "relation": tf.constant(relation)}).numpy()
        own = scores[np.arange(len(scores)), target].copy()
        np.put_along_axis(scores, np.asarray(known), -np.inf, axis=1)
        return 1 + (scores > own[:, None]).sum(axis=1)

    def get_config(self):
        names = ("num_entities", "num_relations", "entity_units", "relation_units", "dropouts", "label_smoothing")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def ranking_metrics(ranks, hits=(1, 3, 10)) -> dict[str, float]:
    """Mean rank, mean reciprocal rank, and the share of ranks up to each of `hits`.

    Args:
        ranks: Ints from 1.
        hits: Ints. Defaults to (1, 3, 10).

    Example:
        >>> ranking_metrics([1, 1, 4, 4], hits=(1, 5))
        {'mean_rank': 2.5, 'mean_reciprocal_rank': 0.625, 'hits_1': 0.5, 'hits_5': 1.0}
    """
    ranks = np.asarray(ranks, "float64")
    if not ranks.size or ranks.min() < 1:
        raise ValueError(f"`ranks` must be numbers from 1: received {ranks.size}, down to {ranks.min(initial=1)}.")
    found = {"mean_rank": float(ranks.mean()), "mean_reciprocal_rank": float((1 / ranks).mean())}
    return {**found, **{f"hits_{most}": float((ranks <= most).mean()) for most in hits}}


class _BatchNorm(keras.layers.Layer):
    """Batch normalisation whose running variance is unbiased, as PyTorch's and not Keras'."""

    def __init__(self, units, momentum=0.1, epsilon=1e-5, **kwargs):
        super().__init__(**kwargs)
        self.momentum = momentum
        self.epsilon = epsilon
        self.gamma = self.add_weight("gamma", [units], initializer="ones")
        self.beta = self.add_weight("beta", [units], initializer="zeros")
        self.moving_mean = self.add_weight("moving_mean", [units], initializer="zeros", trainable=False)
        self.moving_variance = self.add_weight("moving_variance", [units], initializer="ones", trainable=False)

    def call(self, inputs, training=False):
        mean, variance = self.moving_mean.read_value(), self.moving_variance.read_value()
        if training:
            mean, variance = tf.nn.moments(inputs, axes=[0])
            rows = tf.cast(tf.shape(inputs)[0], inputs.dtype)
            unbiased = variance * rows / tf.maximum(rows - 1.0, 1.0)
            self.moving_mean.assign_add(self.momentum * (mean - self.moving_mean))
            self.moving_variance.assign_add(self.momentum * (unbiased - self.moving_variance))
        return tf.nn.batch_normalization(inputs, mean, variance, self.beta, self.gamma, self.epsilon)
