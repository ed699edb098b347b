"""Adam with a rate of its own for pretrained weights."""

from collections.abc import Sequence

import numpy as np

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class TwoRateAdam(keras.optimizers.Adam):
    """Adam that changes some weights more slowly.

    Args:
        learning_rate: Float. Defaults to 1e-4.
        slow_rate: Float, the rate of the `slow` weights; where the other is lowered, this one is, too. Defaults to 2e-5.
        slow: Strings, names of these weights. Defaults to (), none.
        **kwargs: Passed to `keras.optimizers.Adam` (`epsilon`, ...).

    Raises:
        ValueError: If a rate is no number above 0.

    Example:
        >>> import tensorflow as tf
        >>> new, old = tf.Variable([1.0], name="new"), tf.Variable([1.0], name="old")
        >>> optimizer = TwoRateAdam(0.1, 0.01, slow=[old.name])
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0]), new), (tf.constant([1.0]), old)])
        >>> round(float(new[0]), 3), round(float(old[0]), 3)
        (0.9, 0.99)
    """

    def __init__(self, learning_rate: float = 1e-4, slow_rate: float = 2e-5, slow: Sequence[str] = (), **kwargs):
        kwargs.setdefault("name", "TwoRateAdam")
        numbers = all(isinstance(rate, (int, float, np.floating)) for rate in (learning_rate, slow_rate))
        if not numbers or not min(learning_rate, slow_rate) > 0:
            raise ValueError(
                f"Rates must be numbers above 0: received {learning_rate} and {slow_rate}. Freeze weights to keep them."
            )
        super().__init__(learning_rate=float(learning_rate), **kwargs)
        self.slow_rate = slow_rate
        self.slow = tuple(slow)
        self._share = slow_rate / learning_rate
        self._slow = frozenset(self.slow)

    def update_step(self, gradient, variable):
        if variable.name not in self._slow:
            super().update_step(gradient, variable)
            return
        before = variable.read_value()
        super().update_step(gradient, variable)
        variable.assign(before + self._share * (variable - before))  # Adam's step is proportional to its rate

    def get_config(self):
        # A rate that was lowered goes on from there; the share stays.
        rate = float(self.learning_rate.numpy())
        own = {"learning_rate": rate, "slow_rate": float(self._share * rate), "slow": list(self.slow)}
        return {**super().get_config(), **own}
