"""BERT's optimizer with the schedule and the rates of KnowBert."""

import re
from collections.abc import Mapping

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.training.bert_adam import BertAdam


@keras.utils.register_keras_serializable(package="keras_absa")
class SlantedTriangularAdam(BertAdam):
    """`BertAdam` whose rate rises in a straight line, then falls in one, and groups of weights with rates of their own.

    In update t of T, t from 1, with cut = int(T * cut_fraction), the rate is `learning_rate * (1 + p * (ratio - 1)) / ratio`,
    where p is t / cut before the cut and 1 - (t - cut) / (T - cut) from there on; after T it stays as it is.

    Args:
        learning_rate: Float, the highest rate. Defaults to 1e-4.
        cut_fraction: Float, share of the updates with a rising rate. Defaults to 0.1.
        ratio: Float, the highest rate over the lowest. Defaults to 32.
        group_rates: Regular expression to the highest rate of the weights whose name it is found in; the first that is found
            counts. Defaults to None, one rate.
        **kwargs: Passed to `BertAdam` (`total_steps`, `weight_decay`, `beta_2`, ...).

    Raises:
        ValueError: If `cut_fraction` is not in [0, 1), or a rate or `ratio` is not above 0.

    Example:
        >>> old, new = tf.Variable([1.0], name="bert/kernel"), tf.Variable([1.0], name="wordnet/kernel")
        >>> optimizer = SlantedTriangularAdam(0.1, total_steps=10, group_rates={"^bert/": 0.02}, weight_decay=0.0)
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0]), old), (tf.constant([1.0]), new)])
        >>> round(float((1 - new[0]) / (1 - old[0])), 2)
        5.0

    Reference:
        Howard and Ruder 2018, "Universal Language Model Fine-tuning for Text Classification", equation 3; Peters et al. 2019,
        section 4.1 and public code, for the rates.
    """

    def __init__(
        self,
        learning_rate: float = 1e-4,
        *,
        cut_fraction: float = 0.1,
        ratio: float = 32.0,
        group_rates: Mapping[str, float] | None = None,
        name: str = "SlantedTriangularAdam",
        **kwargs,
    ):
        kwargs.pop("warmup", None)
        super().__init__(learning_rate, name=name, **kwargs)
        rates = dict(group_rates or {})
        if not 0.0 <= cut_fraction < 1.0 or not min([ratio, *rates.values()]) > 0.0:
            raise ValueError(
                "`cut_fraction` must be in [0, 1), `ratio` and all rates above 0: received "
                f"{cut_fraction}, {ratio} and {list(rates.values())}. Freeze weights to keep them."
            )
        self.cut_fraction = cut_fraction
        self.ratio = ratio
        self.group_rates = rates
        self._shares = [(re.compile(part), rate / float(self.learning_rate)) for part, rate in rates.items()]

    def scheduled_rate(self) -> tf.Tensor:
        """The rate of the next update without groups, float32 scalar."""
        total = self._total_steps
        update = tf.cast(self.iterations, tf.float32) - self._first_step + 1.0
        update = tf.minimum(update, total)
        # int(T * fraction) in double precision, as Python computes it.
        cut = tf.cast(tf.floor(tf.cast(total, tf.float64) * self.cut_fraction), tf.float32)
        part = tf.where(update < cut, tf.math.divide_no_nan(update, cut), 1.0 - (update - cut) / (total - cut))
        factor = (1.0 + part * (self.ratio - 1.0)) / self.ratio
        return tf.cast(self.learning_rate, tf.float32) * tf.where(total > 0.0, factor, 1.0)

    def rate_of(self, variable) -> tf.Tensor:
        """A weight's rate in the update that is going on, float32 scalar."""
        share = next((share for part, share in self._shares if part.search(variable.name)), 1.0)
        return self._rate * share

    def get_config(self):
        config = super().get_config()
        del config["warmup"], config["allow_negative_lr"]
        own = {"cut_fraction": self.cut_fraction, "ratio": self.ratio, "group_rates": self.group_rates}
        return {**config, **own}
