"""What the units of the joint encoder are made of: dense maps, normalisation, and weights by name."""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.unbiased_layer_normalization import UnbiasedLayerNormalization

NORMS = ("unbiased", "standard")
MASKED = -1e9  # in place of the score of a padded key, in float32


def dense(owner: keras.layers.Layer, units: int, name: str) -> keras.layers.Dense:
    """A dense map with PyTorch's initial values, uniform up to 1 / sqrt(inputs)."""
    uniform = keras.initializers.VarianceScaling(scale=1 / 3, mode="fan_in", distribution="uniform")
    return _Dense(units, kernel_initializer=uniform, name=name, dtype=owner.dtype_policy)


def lstm(owner: keras.layers.Layer, units: int, name: str) -> keras.layers.LSTM:
    """An LSTM with PyTorch's initial values, uniform up to 1 / sqrt(units)."""
    limit = units**-0.5
    # An initializer draws the same values each time it is called, so every weight gets its own.
    kernel, recurrent, bias = (keras.initializers.RandomUniform(-limit, limit) for _ in range(3))
    return keras.layers.LSTM(
        units,
        return_sequences=True,
        kernel_initializer=kernel,
        recurrent_initializer=recurrent,
        bias_initializer=bias,
        unit_forget_bias=False,
        name=name,
        dtype=owner.dtype_policy,
    )


@keras.utils.register_keras_serializable(package="keras_absa")
class _Dense(keras.layers.Dense):
    """Its bias begins as its kernel does; how wide that is, is known when it is built."""

    def build(self, input_shape):
        limit = int(input_shape[-1]) ** -0.5
        self.bias_initializer = keras.initializers.RandomUniform(-limit, limit)
        super().build(input_shape)


def normalization(owner: keras.layers.Layer, norm: str, name: str) -> keras.layers.Layer:
    """The layer normalisation of the public code (`"unbiased"`) or Keras' (`"standard"`)."""
    if norm not in NORMS:
        raise ValueError(f"`norm` must be one of {list(NORMS)}: received {norm!r}. Pick one of them.")
    if norm == "unbiased":
        return UnbiasedLayerNormalization(name=name, dtype=owner.dtype_policy)
    return keras.layers.LayerNormalization(epsilon=1e-6, name=name, dtype=owner.dtype_policy)


def built(layer: keras.layers.Layer, width: int, rank: int = 3) -> keras.layers.Layer:
    """The layer with its weights made, under its own name, for inputs [..., width] of some rank."""
    if not layer.built:
        with tf.name_scope(layer.name):
            layer.build(tf.TensorShape([None] * (rank - 1) + [width]))
    return layer


def weights_of(layer: keras.layers.Layer, parts: dict[str, keras.layers.Layer]) -> dict[str, tf.Variable]:
    """The weights of a layer's parts, as `part.weight`; those of a layer without parts by their own names."""
    if not parts:
        return {weight.name.split("/")[-1].split(":")[0]: weight for weight in layer.weights}
    named = {}
    for name, part in parts.items():
        own = part.named_weights() if hasattr(part, "named_weights") else weights_of(part, {})
        named |= {f"{name}.{key}": weight for key, weight in own.items()}
    return named
