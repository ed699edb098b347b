"""Words as a modality of the joint encoder.

Shapes: B batch, T words, E width of a word vector, D width.
"""

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers.joint_parts import built, lstm, weights_of


@keras.utils.register_keras_serializable(package="keras_absa")
class WordBranch(keras.layers.Layer):
    """Trainable word vectors and an LSTM, and which words are real.

    The LSTM reads padding, too, as in the public code: with a mask Keras would repeat the last real state there, and later
    blocks, which have no mask, would see other numbers.

    Args:
        vocab_size: Int.
        embedding_size: Int, E.
        units: Int, D.
        **kwargs: Passed to `keras.layers.Layer` (`name`, `dtype`).

    Call arguments:
        inputs: Int [B, T], ids of words; 0 is padding.

    Returns:
        A pair of the states, float [B, T, D], and the mask, bool [B, T], true for real words.

    Example:
        >>> states, mask = WordBranch(vocab_size=9, embedding_size=6, units=4)(tf.constant([[5, 0]]))
        >>> states.shape, mask.numpy().tolist()
        (TensorShape([1, 2, 4]), [[True, False]])

    Reference:
        Delbrouck et al. 2020, section 2.1; initial values are PyTorch's.
    """

    def __init__(self, vocab_size: int, embedding_size: int, units: int, **kwargs):
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.units = units
        self.embedding = keras.layers.Embedding(vocab_size, embedding_size, name="embedding", dtype=self.dtype_policy)
        self.lstm = lstm(self, units, "lstm")

    def build(self, input_shape):
        with tf.name_scope("embedding"):
            self.embedding.build(None)
        built(self.lstm, self.embedding_size)
        super().build(input_shape)

    def call(self, inputs):
        return self.lstm(self.embedding(inputs)), inputs != 0

    def named_weights(self) -> dict[str, tf.Variable]:
        """All weights, by stable names."""
        named = {f"lstm.{name}": weight for name, weight in weights_of(self.lstm, {}).items()}
        return {"embedding": self.embedding.embeddings, **named}

    def get_config(self):
        names = ("vocab_size", "embedding_size", "units")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
