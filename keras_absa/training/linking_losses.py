"""Losses of an entity linker.

Shapes: B batch, S spans, C candidates.
"""

import tensorflow as tf

from keras_absa.keras import keras

MISSING = ("skip", "first")
_ONE = keras.losses.Reduction.SUM_OVER_BATCH_SIZE  # of the one number that `call` gives


def linking_targets(entities, gold) -> tf.Tensor:
    """What the losses take as `y_true`: 1 for the right candidate, 0 for others, -1 for padding, float32 [B, S, C].

    Args:
        entities: Int [B, S, C], ids of candidates; 0 for padding.
        gold: Int [B, S], the right one's id. One that is not among the candidates, the null entity's too, leaves the span
            without a right one.

    Example:
        >>> linking_targets([[[7, 9, 0]]], [[9]]).numpy()
        array([[[ 0.,  1., -1.]]], dtype=float32)
    """
    entities, gold = tf.convert_to_tensor(entities), tf.convert_to_tensor(gold)
    right = tf.cast(entities == gold[:, :, None], tf.float32)
    return tf.where(entities > 0, right, -1.0)


@keras.utils.register_keras_serializable(package="keras_absa")
class MarginLinkingLoss(keras.losses.Loss):
    """Hinge loss: right candidates above the margin, all others below minus the margin; the mean over the batch's candidates.

    Args:
        margin: Float. Defaults to 0.2.
        name: String.

    Call arguments:
        y_true: Float [B, S, C], see `linking_targets`.
        y_pred: Float [B, S, C], scores.

    Example:
        >>> loss = MarginLinkingLoss()
        >>> round(float(loss([[[1.0, 0.0, -1.0]]], [[[0.5, 0.0, -10000.0]]])), 4)
        0.1

    Reference:
        Peters et al. 2019, equation 9; the mean as in the public code.
    """

    def __init__(self, margin: float = 0.2, name: str | None = None):
        super().__init__(reduction=_ONE, name=name)
        self.margin = margin

    def call(self, y_true, y_pred):
        y_true, scores = tf.convert_to_tensor(y_true), tf.cast(y_pred, tf.float32)
        hinge = tf.nn.relu(self.margin - (2.0 * y_true - 1.0) * scores)
        return tf.math.divide_no_nan(
            tf.reduce_sum(tf.where(y_true < 0, 0.0, hinge)), tf.reduce_sum(tf.cast(y_true >= 0, tf.float32))
        )

    def get_config(self):
        return {"margin": self.margin, "name": self.name}


@keras.utils.register_keras_serializable(package="keras_absa")
class SoftmaxLinkingLoss(keras.losses.Loss):
    """Cross-entropy of the right candidate of each span; the mean over the batch's spans.

    Args:
        missing: A span whose right entity is not among its candidates: `"skip"` leaves it out, `"first"` takes the first
            candidate, as the public code does. Defaults to `"skip"`.
        name: String.

    Call arguments:
        y_true: Float [B, S, C], see `linking_targets`.
        y_pred: Float [B, S, C], scores.

    Example:
        >>> round(float(SoftmaxLinkingLoss()([[[1.0, 0.0, -1.0]]], [[[0.0, 0.0, -10000.0]]])), 4)
        0.6931

    Reference:
        Peters et al. 2019, equation 8.
    """

    def __init__(self, missing: str = "skip", name: str | None = None):
        if missing not in MISSING:
            raise ValueError(f"`missing` must be one of {list(MISSING)}: received {missing!r}. Pick one of them.")
        super().__init__(reduction=_ONE, name=name)
        self.missing = missing

    def call(self, y_true, y_pred):
        y_true = tf.convert_to_tensor(y_true)
        counted = tf.reduce_any(y_true >= 0, axis=-1)  # [B, S]
        if self.missing == "skip":
            counted &= tf.reduce_any(y_true > 0, axis=-1)
        place = tf.argmax(y_true, axis=-1)  # the first, where there is no right one
        rows = tf.nn.sparse_softmax_cross_entropy_with_logits(place, tf.cast(y_pred, tf.float32))  # [B, S]
        counted = tf.cast(counted, tf.float32)
        return tf.math.divide_no_nan(tf.reduce_sum(rows * counted), tf.reduce_sum(counted))

    def get_config(self):
        return {"missing": self.missing, "name": self.name}
