"""What older servers cannot run is refused by name; what only looks new is dropped."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from keras_absa.keras import keras
from keras_absa.serving.compatible_graph import make_compatible


def function_names(folder):
    saved = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    return {function.signature.name for function in saved.meta_graphs[0].graph_def.library.function}


def attributes_of(folder):
    graph = SavedModel.FromString((folder / "saved_model.pb").read_bytes()).meta_graphs[0].graph_def
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    return {(node.op, name) for node in nodes for name in node.attr}


def test_the_name_of_a_variable_is_dropped(tmp_path):
    folder = _save_with_variable(tmp_path / "m")
    assert ("VarHandleOp", "debug_name") in attributes_of(folder)
    assert make_compatible(folder) == ["VarHandleOp.debug_name"]
    assert ("VarHandleOp", "debug_name") not in attributes_of(folder)
    loaded = tf.saved_model.load(str(folder)).signatures["serving_default"]
    assert loaded(x=tf.constant(3.0))["y"].numpy() == 6.0


def test_functions_that_nothing_calls_are_dropped(tmp_path):
    """An LSTM layer registers its backward pass, which a server never runs and may not know."""
    module, layer = tf.Module(), keras.layers.LSTM(2, return_sequences=True)
    layer.build(tf.TensorShape([None, None, 3]))
    module.weights = layer.weights

    @tf.function(input_signature=[tf.TensorSpec([None, 3, 3], tf.float32, name="x")], autograph=False)
    def run(x):
        return {"y": layer(x, mask=tf.ones(tf.shape(x)[:2], tf.bool))}

    folder = tmp_path / "m"
    tf.saved_model.save(module, str(folder), signatures=run)
    names = function_names(folder)
    make_compatible(folder)
    left = function_names(folder)
    assert left < names and any("grad" in name for name in names - left)
    x = tf.random.normal([2, 3, 3])
    loaded = tf.saved_model.load(str(folder))
    np.testing.assert_allclose(loaded.signatures["serving_default"](x=x)["y"], run(x)["y"], atol=1e-6)


def test_a_younger_operation_is_refused_by_name(tmp_path):
    folder = _save_trimmer(tmp_path / "m", tf_text.RoundRobinTrimmer(max_seq_length=3))
    before = (folder / "saved_model.pb").read_bytes()
    with pytest.raises(ValueError, match="operation TFText>RoundRobin"):
        make_compatible(folder)
    assert (folder / "saved_model.pb").read_bytes() == before


def test_a_meaningful_attribute_is_refused(tmp_path):
    folder = _save_with_variable(tmp_path / "m")
    path = folder / "saved_model.pb"
    saved = SavedModel.FromString(path.read_bytes())
    saved.meta_graphs[0].graph_def.node[0].attr["from_the_future"].i = 7
    path.write_bytes(saved.SerializeToString())
    with pytest.raises(ValueError, match="attribute from_the_future"):
        make_compatible(folder)


def _save_with_variable(folder):
    module = tf.Module()
    module.weight = tf.Variable(2.0, name="weight")

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name="x")])
    def double(x):
        return {"y": x * module.weight}

    tf.saved_model.save(module, str(folder), signatures=double)
    return folder


def _save_trimmer(folder, trimmer):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def trim(text):
        words = tf.strings.split(text)
        return {"words": trimmer.trim([words, words])[0].to_tensor()}

    tf.saved_model.save(tf.Module(), str(folder), signatures=trim)
    return folder
