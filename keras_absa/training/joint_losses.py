"""Losses of the joint encoder.

Shapes: B batch, C outputs.
"""

from collections.abc import Sequence

import tensorflow as tf

from keras_absa.keras import keras

REDUCTIONS = ("mean", "sum")


class JointLoss(keras.losses.Loss):
    """Base of `PresenceLoss` and `ClassLoss`: a mean or a sum over the batch.

    Args:
        weight: Floats [C]. Defaults to None, no weights.
        reduction: `"mean"`, or `"sum"` as the public code, which matters for clipping and for the values that are printed.
            Defaults to `"mean"`.
        name: String.
    """

    def __init__(self, weight: Sequence[float] | None = None, reduction: str = "mean", name: str | None = None):
        if reduction not in (*REDUCTIONS, "none"):
            raise ValueError(
                f"`reduction` must be one of {list(REDUCTIONS)}: received {reduction!r}. Pick one of them."
            )
        wanted = {"mean": keras.losses.Reduction.SUM_OVER_BATCH_SIZE, "sum": keras.losses.Reduction.SUM}
        super().__init__(reduction=wanted.get(reduction, keras.losses.Reduction.NONE), name=name)
        self.total = reduction
        self.weight = None if weight is None else [float(each) for each in weight]
        if self.weight is not None and not all(0.0 < each < float("inf") for each in self.weight):
            raise ValueError(
                f"`weight` must hold numbers above 0: received {self.weight}. Leave out labels without examples."
            )

    def get_config(self):
        return {"weight": self.weight, "reduction": self.total, "name": self.name}


@keras.utils.register_keras_serializable(package="keras_absa")
class PresenceLoss(JointLoss):
    """Cross-entropy of labels that may stand together; the mean over rows and labels, or the sum.

    Args:
        weight: Floats [C], what a present label counts, see `presence_weight`. Defaults to None, as an absent one.
        reduction, name: See `JointLoss`.

    Example:
        >>> loss = PresenceLoss(reduction="sum")
        >>> round(float(loss([[1.0, 0.0]], [[0.0, 0.0]])), 4)
        1.3863

    Reference:
        Delbrouck et al. 2020, public code.
    """

    def call(self, y_true, y_pred):
        y_pred = tf.convert_to_tensor(y_pred)
        y_true = tf.cast(y_true, y_pred.dtype)
        weight = tf.constant(1.0 if self.weight is None else self.weight, y_pred.dtype)
        rows = tf.nn.weighted_cross_entropy_with_logits(y_true, y_pred, weight)  # [B, C]
        return tf.reduce_sum(rows, axis=-1) if self.total == "sum" else tf.reduce_mean(rows, axis=-1)


@keras.utils.register_keras_serializable(package="keras_absa")
class ClassLoss(JointLoss):
    """Cross-entropy of one class a row, each times its class' weight; the mean over rows, or the sum.

    Args:
        weight: Floats [C], see `class_weight`. Defaults to None, all alike. The mean is over rows, not over weights.
        reduction, name: See `JointLoss`.

    Example:
        >>> round(float(ClassLoss(weight=[1.0, 2.0])([1], [[0.0, 0.0]])), 4)
        1.3863

    Reference:
        Delbrouck et al. 2020; its maintainers weighted classes for their challenge (issue 22 of the public code).
    """

    def call(self, y_true, y_pred):
        y_true = tf.cast(tf.reshape(y_true, [-1]), tf.int32)
        rows = tf.nn.sparse_softmax_cross_entropy_with_logits(y_true, y_pred)  # [B]
        return rows if self.weight is None else rows * tf.gather(tf.constant(self.weight, rows.dtype), y_true)


def presence_weight(y_true) -> list[float]:
    """For each label the rows without it by the rows with it.

    Args:
        y_true: 0 or 1, [N, C], of the training set.

    Raises:
        ValueError: If a label has no such rows.

    Example:
        >>> presence_weight([[1], [0], [0]])
        [2.0]
    """
    y_true = tf.convert_to_tensor(y_true).numpy()
    present = y_true.sum(axis=0)
    if not (present > 0).all() or not (present < len(y_true)).all():
        raise ValueError(
            f"Each label must be there and not there in some row: received {present.tolist()} of {len(y_true)}."
        )
    return [float(each) for each in (len(y_true) - present) / present]


def class_weight(y_true, classes: int) -> list[float]:
    """For each class the rows of the commonest class by its own.

    Args:
        y_true: Ints [N], of the training set.
        classes: Int C.

    Raises:
        ValueError: If a class has no rows.

    Example:
        >>> class_weight([0, 0, 0, 1], classes=2)
        [1.0, 3.0]

    Reference:
        The weights for MELD in the public code of Delbrouck et al. 2020's follow-up.
    """
    counts = tf.math.bincount(tf.cast(y_true, tf.int32), minlength=classes).numpy()
    if not counts.all():
        raise ValueError(f"Each class must have rows: received {counts.tolist()}. Leave the weights out, or the class.")
    return [float(each) for each in counts.max() / counts]
