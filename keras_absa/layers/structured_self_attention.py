"""The structured self-attentive sentence embedding: several weighted sums of a sentence's tokens.

Shapes: B sentences, T tokens, D width of a token, U attention units, R hops.
"""

import warnings

import tensorflow as tf

from keras_absa.keras import keras

VARIANTS = ("paper", "reference")
PENALTIES = ("squared_frobenius", "frobenius", "reference")
PENALTY_SCALES = ("none", "r2", "n2")
POOLINGS = ("flatten", "none", "mean", "project")


@keras.utils.register_keras_serializable(package="keras_absa")
class StructuredSelfAttention(keras.layers.Layer):
    """Pools the states of a sentence's tokens into R weighted sums, and penalises hops that look at the same tokens.

    This is pooling, not a transformer's self-attention: tokens do not see each other; a small network gives each of them R
    weights.

        A = softmax(W_s2 tanh(W_s1 H^T)) over the tokens,  M = A H,  P = || A A^T - I ||_F^2

    The layer adds `penalty_coef` times the batch's mean penalty to the model's loss, and shows the mean as the metric
    `penalty` in the logs of training. The coefficient's meaning depends on the penalty's scale; never carry one over from
    another implementation without it.

    `variant="reference"` is the original TensorFlow 1 graph, kept so that its numbers can be reproduced. It differs from
    the paper in five steps: H [B, T, D] is reshaped, not transposed, to [D, B T], so that a column mixes features of several
    tokens and sentences; the softmax runs over all B T columns; the result is cut anew into [B, R, T], so that a
    sentence gets weights of other sentences and hops; the penalty is the root of the sum of fourth powers; padding takes
    part. What it costs: the output of a sentence depends on the others in its batch and on their number (its scale falls
    with 1 / B, so that a model served one sentence at a time sees other numbers than in training), and the penalty does
    nothing from a few sentences on. Use it for parity only.

    Args:
        hops: Int, R, the number of weighted sums.
        attention_units: Int, U, width of the network that weighs.
        variant: `"paper"`, or `"reference"`, see above. Defaults to `"paper"`.
        use_bias: Bool, biases in both maps, as in the authors' release; not in the paper. Defaults to False.
        penalty: `"squared_frobenius"` (the paper), `"frobenius"` (its root) or `"reference"` (the root of the sum
            of fourth powers). Defaults to None: the variant's own.
        penalty_coef: Float, weight of the mean penalty in the loss. Defaults to 0.
        penalty_scale: `"none"`; `"r2"`, the penalty divided by R x R, which makes a coefficient comparable across R; or
            `"n2"`, the authors' mean over T x T, (P + T - R) / T^2, where T counts padding too. Defaults to `"none"`.
        attention_dropout: Float, rate on H before the weighing network and on its hidden layer; M sums whole H. Defaults to 0.
        dropout: Float, rate on M. Defaults to 0.
        pooling: `"flatten"`, the R sums side by side; `"none"`, as they are; `"mean"` over the hops; `"project"`, a dense map
            of the flattened sums. Defaults to `"flatten"`.
        projection_units: Int, width of `pooling="project"`. Defaults to 64.
        return_attention: Bool, also return A. Defaults to False.
        kernel_regularizer: A Keras regularizer of W_s1 and W_s2. Defaults to None.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Float [B, T, D], H.
        mask: Bool or 0/1 [B, T], true for real tokens; a Keras mask arrives by itself. Defaults to None, all real. A
            sentence without a real token gives zeros. Ignored in the reference variant, with a warning.
        training: Bool, switches dropout on.

    Returns:
        Float [B, R D], [B, R, D], [B, D] or [B, projection_units], as `pooling` says; with `return_attention` a pair of it
        and A, float32 [B, R, T].

    Raises:
        ValueError: If a named choice is unknown, a number is out of range, or the reference variant is asked for what it lacks.

    Example:
        >>> layer = StructuredSelfAttention(hops=2, attention_units=4, return_attention=True)
        >>> pooled, attention = layer(tf.random.normal([1, 3, 6]), mask=tf.constant([[True, True, False]]))
        >>> pooled.shape, tf.reduce_sum(attention, axis=-1).numpy().round(3).tolist(), float(attention[0, 0, 2])
        (TensorShape([1, 12]), [[1.0, 1.0]], 0.0)

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", Eqs. 5-8.
    """

    def __init__(
        self,
        hops: int,
        attention_units: int,
        variant: str = "paper",
        *,
        use_bias: bool = False,
        penalty: str | None = None,
        penalty_coef: float = 0.0,
        penalty_scale: str = "none",
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
        pooling: str = "flatten",
        projection_units: int = 64,
        return_attention: bool = False,
        kernel_regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        own_penalty = "reference" if variant == "reference" else "squared_frobenius"
        self.hops = hops
        self.attention_units = attention_units
        self.variant = variant
        self.use_bias = use_bias
        self.penalty = penalty or own_penalty
        self.penalty_coef = penalty_coef
        self.penalty_scale = penalty_scale
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.pooling = pooling
        self.projection_units = projection_units
        self.return_attention = return_attention
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.supports_masking = True
        self._check()
        own = {"dtype": self.dtype_policy}
        self.input_dropout = keras.layers.Dropout(attention_dropout, **own)
        self.hidden_dropout = keras.layers.Dropout(attention_dropout, **own)
        self.output_dropout = keras.layers.Dropout(dropout, **own)
        self.penalty_metric = _MeanOfTraining(name="penalty")
        self.projection = (
            keras.layers.Dense(projection_units, name="projection", **own) if pooling == "project" else None
        )
        if variant == "reference":
            warnings.warn(
                "The reference variant mixes the sentences of a batch: its output for one depends on the others and on their "
                'number. Use variant="paper" for anything but parity with the original graph.',
                stacklevel=2,
            )

    def _check(self):
        for name, choices in (
            ("variant", VARIANTS),
            ("penalty", PENALTIES),
            ("penalty_scale", PENALTY_SCALES),
            ("pooling", POOLINGS),
        ):
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"`{name}` must be one of {list(choices)}: received {getattr(self, name)!r}. Pick one of them."
                )
        for name in ("hops", "attention_units", "projection_units"):
            if getattr(self, name) < 1:
                raise ValueError(f"`{name}` must be at least 1: received {getattr(self, name)!r}. Raise it.")
        if not 0 <= self.penalty_coef < float("inf"):
            raise ValueError(
                f"`penalty_coef` must be a number from 0 on: received {self.penalty_coef!r}. Use 0 for none."
            )
        if self.penalty_scale == "n2" and self.penalty != "squared_frobenius":
            raise ValueError(
                "`penalty_scale='n2'` is a mean of squares: received it with "
                f"penalty={self.penalty!r}. Use 'squared_frobenius', or another scale."
            )
        extras = (self.use_bias, self.attention_dropout, self.dropout, self.penalty_scale != "none")
        if self.variant == "reference" and (any(extras) or self.penalty != "reference"):
            raise ValueError(
                "The reference variant has no bias, no dropout, and its own penalty without a scale: received "
                f"use_bias={self.use_bias}, attention_dropout={self.attention_dropout}, dropout={self.dropout}, "
                f"penalty={self.penalty!r}, penalty_scale={self.penalty_scale!r}. Leave them out."
            )

    def build(self, input_shape):
        width = int(input_shape[-1])
        shapes = {"w_s1": (self.attention_units, width), "w_s2": (self.hops, self.attention_units)}  # as in the paper
        for name, shape in shapes.items():
            weight = self.add_weight(
                name=name,
                shape=shape,
                initializer=keras.initializers.GlorotUniform(),
                regularizer=self.kernel_regularizer,
            )
            setattr(self, name, weight)
        self.b_s1 = (
            self.add_weight(name="b_s1", shape=(self.attention_units,), initializer="zeros") if self.use_bias else None
        )
        self.b_s2 = self.add_weight(name="b_s2", shape=(self.hops,), initializer="zeros") if self.use_bias else None
        if self.projection is not None and not self.projection.built:
            with tf.name_scope(self.projection.name):
                self.projection.build(tf.TensorShape([None, self.hops * width]))
        self.output_dim = {
            "flatten": self.hops * width,
            "none": width,
            "mean": width,
            "project": self.projection_units,
        }[self.pooling]
        super().build(input_shape)

    def call(self, inputs, mask=None, training=False):
        if self.variant == "reference":
            if mask is not None:
                warnings.warn("The reference variant has no mask: padding takes part in its attention.", stacklevel=2)
            attention = self._reference_attention(inputs)  # [B, R, T]
        else:
            attention = self._attention(inputs, mask, training)  # [B, R, T]
        penalties = self.penalties(attention)  # [B]
        if self.penalty_coef:
            self.add_loss(self.penalty_coef * tf.reduce_mean(penalties))
        if isinstance(training, (bool, int)) and training:
            self.penalty_metric.update_state(penalties)
        matrix = tf.matmul(tf.cast(attention, inputs.dtype), inputs)  # M, [B, R, D]
        pooled = self._pool(self.output_dropout(matrix, training=training))
        return (pooled, attention) if self.return_attention else pooled

    def _attention(self, inputs, mask, training):
        states = self.input_dropout(inputs, training=training)  # [B, T, D]
        hidden = tf.tensordot(states, tf.cast(self.w_s1, states.dtype), axes=[[-1], [1]])  # [B, T, U]
        hidden = tf.tanh(hidden if self.b_s1 is None else hidden + self.b_s1)
        hidden = tf.cast(self.hidden_dropout(hidden, training=training), tf.float32)
        scores = tf.tensordot(hidden, tf.cast(self.w_s2, tf.float32), axes=[[-1], [1]])  # [B, T, R]
        scores = scores if self.b_s2 is None else scores + tf.cast(self.b_s2, tf.float32)
        scores = tf.transpose(scores, [0, 2, 1])  # [B, R, T]
        if mask is None:
            return tf.nn.softmax(scores)
        real = tf.cast(mask, tf.bool)[:, None, :]  # [B, 1, T]
        # The factor makes the weights of a sentence without a real token zeros, not equal.
        return tf.nn.softmax(tf.where(real, scores, -1e30)) * tf.cast(real, tf.float32)

    def _reference_attention(self, inputs):
        """Steps 7-10 of the original graph; its reshapes mix sentences, tokens and hops."""
        columns = tf.reshape(inputs, [inputs.shape[-1], -1])  # [D, B T]
        hidden = tf.cast(tf.tanh(tf.matmul(tf.cast(self.w_s1, columns.dtype), columns)), tf.float32)  # [U, B T]
        weights = tf.nn.softmax(tf.matmul(tf.cast(self.w_s2, tf.float32), hidden))  # [R, B T]
        return tf.reshape(weights, [-1, self.hops, tf.shape(inputs)[1]])  # [B, R, T]

    def overlap(self, attention) -> tf.Tensor:
        """A A^T, float32 [B, R, R] of A [B, R, T]: how much two hops look at the same tokens, 0 for not at all."""
        attention = tf.cast(attention, tf.float32)
        return tf.matmul(attention, attention, transpose_b=True)

    def penalties(self, attention) -> tf.Tensor:
        """The penalty of each sentence as it enters the loss, float32 [B] of A [B, R, T], before its coefficient."""
        excess = tf.square(self.overlap(attention) - tf.eye(self.hops))  # [B, R, R]
        if self.penalty == "reference":
            penalty = _root(tf.reduce_sum(tf.square(excess), axis=[1, 2]))  # [B]
        else:
            penalty = tf.reduce_sum(excess, axis=[1, 2])
            penalty = _root(penalty) if self.penalty == "frobenius" else penalty
        if self.penalty_scale == "r2":
            return penalty / self.hops**2
        if self.penalty_scale == "n2":
            # The sum of squares of A^T A - I, T x T, is that of A A^T - I, R x R, plus T - R.
            tokens = tf.cast(tf.shape(attention)[-1], tf.float32)
            return (penalty + tokens - self.hops) / tokens**2
        return penalty

    def _pool(self, matrix):
        if self.pooling == "none":
            return matrix  # [B, R, D]
        if self.pooling == "mean":
            return tf.reduce_mean(matrix, axis=1)  # [B, D]
        flat = tf.reshape(matrix, [-1, self.hops * matrix.shape[-1]])  # [B, R D]
        return flat if self.projection is None else self.projection(flat)

    def compute_mask(self, inputs, mask=None):
        return None  # no axis of tokens is left

    def get_config(self):
        return {
            **super().get_config(),
            "hops": self.hops,
            "attention_units": self.attention_units,
            "variant": self.variant,
            "use_bias": self.use_bias,
            "penalty": self.penalty,
            "penalty_coef": self.penalty_coef,
            "penalty_scale": self.penalty_scale,
            "attention_dropout": self.attention_dropout,
            "dropout": self.dropout,
            "pooling": self.pooling,
            "projection_units": self.projection_units,
            "return_attention": self.return_attention,
            "kernel_regularizer": keras.regularizers.serialize(self.kernel_regularizer),
        }


class _MeanOfTraining(keras.metrics.Mean):
    """A mean that is undefined, not 0, where nothing was added: evaluation does not update it."""

    def result(self):
        return tf.where(self.count > 0, super().result(), float("nan"))


def _root(value):
    """The square root, with gradient 0 instead of infinity at 0: one hop on one token has no excess at all."""
    positive = value > 0
    return tf.where(positive, tf.sqrt(tf.where(positive, value, 1.0)), 0.0)
