import numpy as np
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.layers import MeanPooling


def test_by_hand():
    tokens = tf.constant([[[1.0, 2.0], [3.0, 6.0], [9.0, 9.0]], [[5.0, 5.0]] * 3])
    pooled, weights = MeanPooling(return_attention=True)(tokens, mask=tf.constant([[1, 1, 0], [0, 0, 0]]))
    np.testing.assert_allclose(pooled, [[2, 4], [0, 0]])
    np.testing.assert_allclose(weights, [[[0.5, 0.5, 0]], [[0, 0, 0]]])
    np.testing.assert_allclose(MeanPooling()(tokens)[1], [5, 5])


def test_a_mask_arrives_by_itself_and_the_config_round_trips():
    embedding = keras.layers.Embedding(9, 4, mask_zero=True)
    layer = MeanPooling()
    ids = np.array([[3, 4, 0]])
    np.testing.assert_allclose(layer(embedding(ids)), tf.reduce_mean(embedding(ids)[:, :2], axis=1), atol=1e-6)
    assert layer.output_dim == 4 and MeanPooling.from_config(layer.get_config()).get_config() == layer.get_config()


def test_half_precision():
    assert MeanPooling(dtype="mixed_float16")(tf.ones([2, 3, 4])).dtype == tf.float16
