"""Dropout whose state can be read and put back.

Keras' dropout layers draw from TensorFlow's seeded operations by default, whose place in their sequence is hidden in the
process. A `tf.random.Generator` keeps it in a variable.
"""

import tensorflow as tf

from keras_absa.keras import keras


def dropout_generators(model: keras.Model) -> list[tf.random.Generator]:
    """Gives each dropout layer of a model a generator of its own, if it has none yet; returns them all.

    The seeds come from `keras.utils.set_random_seed`.
    """
    generators = []
    for layer in model.submodules:
        if not isinstance(layer, keras.layers.Dropout):
            continue
        # Keras offers no public way to change the kind of generator of a layer that another library makes.
        if getattr(layer._random_generator, "_generator", None) is None:
            layer._random_generator = type(layer._random_generator)(rng_type="stateful")
            layer._random_generator._maybe_init()
        generators.append(layer._random_generator._generator)
    return generators
