"""What the two context attentions share: heads, masks and gates.

Shapes: B batch, T tokens, D width, H heads, F = D / H width of a head.
"""

import tensorflow as tf

from keras_absa.keras import keras


def split_heads(tensor: tf.Tensor, num_heads: int) -> tf.Tensor:
    """Cuts the width into heads: [B, T, D] to [B, H, T, F]."""
    shape = tf.shape(tensor)
    head_size = tensor.shape[-1] // num_heads
    tensor = tf.reshape(tensor, [shape[0], shape[1], num_heads, head_size])  # [B, T, H, F]
    return tf.transpose(tensor, [0, 2, 1, 3])  # [B, H, T, F]


def merge_heads(tensor: tf.Tensor) -> tf.Tensor:
    """The inverse of `split_heads`: [B, H, T, F] to [B, T, D]."""
    tensor = tf.transpose(tensor, [0, 2, 1, 3])  # [B, T, H, F]
    shape = tf.shape(tensor)
    return tf.reshape(tensor, [shape[0], shape[1], tensor.shape[2] * tensor.shape[3]])  # [B, T, D]


def project(tensor: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """A dense map of the last axis: [..., D] and [D, E] to [..., E].

    `tf.matmul` would repeat the kernel for every row of the batch, and add up as many gradients of it.
    """
    return tf.tensordot(tensor, kernel, axes=1)


def query_rows(tensor: tf.Tensor, rows: int | None) -> tf.Tensor:
    """Cuts the tokens of [..., T, D] down to the first `rows`, those that have a query; None for all."""
    return tensor if rows in (None, tensor.shape[-2]) else tensor[..., :rows, :]


def dot_scores(query: tf.Tensor, key: tf.Tensor) -> tf.Tensor:
    """Scaled dot products in float32: [B, H, Q, F] and [B, H, T, F] to [B, H, Q, T]."""
    scores = tf.matmul(tf.cast(query, tf.float32), tf.cast(key, tf.float32), transpose_b=True)
    return scores / query.shape[-1] ** 0.5  # divided as TFBertModel does, so that closed gates give its very numbers


def masked_softmax(scores: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """Softmax over the keys in float32; rows without any real key give zeros.

    Args:
        scores: Float [B, H, T, T].
        mask: Additive mask [B, 1, 1, T], 0 for real tokens and -10000 for padding.
    """
    mask = tf.cast(mask, tf.float32)
    has_key = tf.cast(tf.reduce_max(mask, axis=-1, keepdims=True) > -5000.0, tf.float32)  # [B, 1, 1, 1]
    return tf.nn.softmax(scores + mask, axis=-1) * has_key  # [B, H, T, T]


def check_plug_inputs(layer: keras.layers.Layer, width: int) -> None:
    """Refuses a width that does not divide into the layer's heads."""
    if width % layer.num_heads:
        raise ValueError(
            f"The width must be a multiple of `num_heads`: received width {width} and num_heads={layer.num_heads} in "
            f"{layer.name!r}. Use the encoder's own number of heads."
        )


def add_dense(layer: keras.layers.Layer, name: str, shape: tuple[int, int]) -> tuple[tf.Variable, tf.Variable]:
    """Adds a kernel and a bias for one of the context's maps to `layer`."""
    # An initializer draws the same values each time it is called, so every weight gets its own.
    normal = keras.initializers.RandomNormal(stddev=layer.context_init_std)
    kernel = layer.add_weight(name=f"{name}_kernel", shape=shape, initializer=normal)
    return kernel, layer.add_weight(name=f"{name}_bias", shape=shape[1:], initializer="zeros")


def add_gate(layer: keras.layers.Layer, name: str, head_size: int) -> tuple[tf.Variable, tf.Variable | None]:
    """Adds one gate vector to `layer`: shared by all heads, or one a head (`layer.per_head_gates`)."""
    heads = layer.num_heads if layer.per_head_gates else 1
    initializer = keras.initializers.RandomNormal(stddev=layer.gate_init_std)
    kernel = layer.add_weight(name=f"{name}_kernel", shape=(heads, head_size), initializer=initializer)
    bias = layer.add_weight(name=f"{name}_bias", shape=(heads,), initializer="zeros") if layer.gate_bias else None
    return kernel, bias


def gate_scores(heads: tf.Tensor, gate: tuple[tf.Variable, tf.Variable | None]) -> tf.Tensor:
    """A gate's value before its activation, in float32: [B, H, T, F] to [B, H, T, 1]."""
    kernel, bias = gate
    heads, kernel = tf.cast(heads, tf.float32), tf.cast(kernel, tf.float32)
    # A matrix product each: far quicker on a CPU, in the backward pass too, than a broadcast multiplication and a sum.
    if kernel.shape[0] == 1:
        scores = tf.tensordot(heads, kernel[0][:, None], axes=1)  # [B, H, T, 1]
    else:
        scores = tf.matmul(heads, kernel[:, :, None])  # [B, H, T, 1]; one context head serves all gates
    return scores if bias is None else scores + tf.cast(bias, tf.float32)[:, None, None]
