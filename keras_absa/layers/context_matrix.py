"""The context matrix that CG-BERT and QACG-BERT feed to each encoder layer.

Shapes: B batch, T tokens, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.attention_heads import project


@keras.utils.register_keras_serializable(package="keras_absa")
class ContextMatrix(keras.layers.Layer):
    """Mixes the embedding of the (target, aspect) in question with a layer's hidden states.

    `C = [E_c, H] W + b + E_c`, where `E_c` is the context embedding repeated over all tokens. The part of the product
    that belongs to `E_c` is the same for every token, so it is computed once a row.

    Args:
        context_init_std: Float, standard deviation of the kernel's initial values. Defaults to 0.02.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        context_embedding: Float [B, D], the embedding of each row's context.
        hidden_states: Float [B, T, D], the input of the encoder layer.

    Returns:
        Float [B, T, D].

    Raises:
        ValueError: If the two inputs differ in width.

    Example:
        >>> layer = ContextMatrix()
        >>> layer(tf.zeros([2, 24]), tf.ones([2, 5, 24])).shape
        TensorShape([2, 5, 24])

    Reference:
        Wu and Ong 2021, "Context-Guided BERT for Targeted Aspect-Based Sentiment Analysis", section 3.6. The
        paper's formula has neither the bias nor the residual term; its text and the public code do.
    """

    def __init__(self, *, context_init_std: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.context_init_std = context_init_std

    def build(self, input_shape):
        width = int(input_shape[-1])
        self.kernel = self.add_weight(
            name="kernel",
            shape=(2 * width, width),
            initializer=keras.initializers.RandomNormal(stddev=self.context_init_std),
        )
        self.bias = self.add_weight(name="bias", shape=(width,), initializer="zeros")
        self.width = width
        super().build(input_shape)

    def call(self, context_embedding, hidden_states):
        if hidden_states.shape[-1] != self.width:
            raise ValueError(
                f"`hidden_states` must be as wide as `context_embedding`: received {hidden_states.shape[-1]} and "
                f"{self.width}. Give the context table the encoder's hidden size."
            )
        # Keras casts a layer's first input only.
        context_embedding = tf.cast(context_embedding, self.compute_dtype)
        hidden_states = tf.cast(hidden_states, self.compute_dtype)
        kernel = tf.convert_to_tensor(self.kernel)
        per_row = tf.matmul(context_embedding, kernel[: self.width]) + self.bias + context_embedding  # [B, D]
        return project(hidden_states, kernel[self.width :]) + per_row[:, None, :]  # [B, T, D]

    def get_config(self):
        return {**super().get_config(), "context_init_std": self.context_init_std}
