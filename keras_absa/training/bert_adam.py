"""The optimizer of the original BERT, as the papers' public code uses it."""

import numpy as np
import tensorflow as tf

from keras_absa.keras import keras


@keras.utils.register_keras_serializable(package="keras_absa")
class BertAdam(keras.optimizers.Optimizer):
    """Adam without bias correction, clipping each tensor, decoupled weight decay, linear warm-up and decay.

    At step t of T the rate is `learning_rate * x / warmup` while x = t / T is below `warmup`, then
    `learning_rate * (1 - x)`: the first update has rate 0, and the factor drops from 1 to `1 - warmup` where
    warm-up ends. Sparse gradients of embeddings are made dense, so that moments and decay reach every row, as
    in the public code.

    Args:
        learning_rate: Float, the peak rate. Defaults to 2e-5 (the paper's).
        warmup: Float, share of the steps with a rising rate. Defaults to 0.1.
        total_steps: Int T. Defaults to None: `fit` of a keras_absa classifier fills it in; elsewhere the rate is
            constant.
        weight_decay: Float, for all weights but those named in `no_decay`. Defaults to 0.01.
        beta_1, beta_2: Floats, decay of the two moments. Default to 0.9 and 0.999.
        epsilon: Float, added outside the root. Defaults to 1e-6.
        max_grad_norm: Float, largest norm of the gradient of each single weight; 0 switches clipping off.
            Defaults to 1.
        no_decay: Strings; weights whose own name holds one of them do not decay. Defaults to ("bias", "gamma", "beta").
        allow_negative_lr: Bool, let the factor fall below 0 in steps past T, as the public code does. Defaults
            to False.
        **kwargs: Passed to `keras.optimizers.Optimizer` (`name`, `jit_compile`).

    Raises:
        ValueError: If `warmup` is not in [0, 1).

    Example:
        >>> weight = tf.Variable([1.0])
        >>> optimizer = BertAdam(learning_rate=0.1, warmup=0.0)
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0]), weight)])
        >>> float(weight[0]) < 1.0
        True

    Reference:
        Devlin et al. 2019, appendix A.2; Wu and Ong 2021, public code. Weight decay: Loshchilov and Hutter 2019.
    """

    def __init__(
        self,
        learning_rate: float = 2e-5,
        *,
        warmup: float = 0.1,
        total_steps: int | None = None,
        weight_decay: float = 0.01,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-6,
        max_grad_norm: float = 1.0,
        no_decay: tuple[str, ...] = ("bias", "gamma", "beta"),
        allow_negative_lr: bool = False,
        name: str = "BertAdam",
        **kwargs,
    ):
        super().__init__(name=name, weight_decay=weight_decay, **kwargs)
        if not 0.0 <= warmup < 1.0:
            raise ValueError(
                f"`warmup` must be in [0, 1): received {warmup}. It is the share of steps with a rising rate."
            )
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.warmup = warmup
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.max_grad_norm = max_grad_norm
        self.no_decay = tuple(no_decay)
        self.allow_negative_lr = allow_negative_lr
        # A variable, so that `fit` can set it without a new trace.
        self._total_steps = tf.Variable(-1.0 if total_steps is None else float(total_steps), trainable=False)
        self._first_step = tf.Variable(0.0, trainable=False)
        # Computed once an update, and read for every weight: a third of the operations of a training step.
        self._rate = tf.Variable(0.0, trainable=False, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

    @property
    def total_steps(self) -> int | None:
        """The length of the schedule in steps, or `None` for a constant rate."""
        steps = int(self._total_steps.numpy())
        return steps if steps > 0 else None

    @total_steps.setter
    def total_steps(self, steps: int | None):
        self._total_steps.assign(-1.0 if steps is None else float(steps))

    def begin_schedule(self, total_steps: int) -> None:
        """Starts the schedule at the next update, whatever was trained before."""
        self.total_steps = total_steps
        self._first_step.assign(float(self.iterations.numpy()))

    @property
    def first_step(self) -> int:
        """How many updates there were before the schedule began."""
        return int(self._first_step.numpy())

    def build(self, var_list):
        super().build(var_list)
        if getattr(self, "_moments", None):
            return
        self._moments = [self.add_variable_from_reference(variable, "m") for variable in var_list]
        self._velocities = [self.add_variable_from_reference(variable, "v") for variable in var_list]

    def scheduled_rate(self) -> tf.Tensor:
        """The rate of the next update, float32 scalar."""
        rate = tf.cast(self.learning_rate, tf.float32)
        x = (tf.cast(self.iterations, tf.float32) - self._first_step) / self._total_steps
        rising = x / self.warmup if self.warmup else tf.ones_like(x)
        falling = 1.0 - x if self.allow_negative_lr else tf.maximum(1.0 - x, 0.0)
        factor = tf.where(x < self.warmup, rising, falling)
        return rate * tf.where(self._total_steps > 0.0, factor, 1.0)

    def rate_of(self, variable) -> tf.Tensor:
        """A weight's rate in the update that is going on, float32 scalar."""
        return self._rate.read_value()

    def _compute_current_learning_rate(self):
        # Keras calls this at the start of each `apply_gradients`.
        self._rate.assign(self.scheduled_rate())

    def update_step(self, gradient, variable):
        gradient = tf.convert_to_tensor(gradient)  # IndexedSlices become dense
        if self.max_grad_norm:
            norm = tf.sqrt(2.0 * tf.nn.l2_loss(gradient))
            gradient *= tf.minimum(1.0, self.max_grad_norm / (norm + 1e-6))
        index = self._index_dict[self._var_key(variable)]
        rate = tf.cast(self.rate_of(variable), variable.dtype)
        own_name = variable.name.split("/")[-1]
        if self.weight_decay and not any(part in own_name for part in self.no_decay):
            variable.assign_sub(variable * (rate * self.weight_decay))
        # Adam's fused kernel; powers of zero switch its bias correction off. One pass over memory instead of a
        # dozen. It computes 1 - beta_2 in float32, for 0.999 wrong in the fifth digit; the rate makes up for that.
        rounded = 1.0 - float(np.float32(self.beta_2))
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._moments[index].handle,
            v=self._velocities[index].handle,
            beta1_power=0.0,
            beta2_power=0.0,
            lr=rate * (rounded / (1.0 - self.beta_2)) ** 0.5,
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=gradient,
        )

    def _apply_weight_decay(self, variables):
        # Keras would decay at the unscheduled rate; here it is part of `update_step`.
        pass

    def get_config(self):
        config = super().get_config()
        config.update(
            learning_rate=self._serialize_hyperparameter(self._learning_rate),
            warmup=self.warmup,
            total_steps=self.total_steps,
            beta_1=self.beta_1,
            beta_2=self.beta_2,
            epsilon=self.epsilon,
            max_grad_norm=self.max_grad_norm,
            no_decay=list(self.no_decay),
            allow_negative_lr=self.allow_negative_lr,
        )
        return config
