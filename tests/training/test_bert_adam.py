"""BertAdam: the golden trajectory, and rules that can be checked by hand."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.training import BertAdam


def step(optimizer, variable, gradient):
    optimizer.apply_gradients([(tf.constant(gradient, tf.float32), variable)])
    return variable.numpy()


@pytest.mark.golden
def test_golden_trajectory(golden_dir):
    arrays = np.load(golden_dir / "bert_adam.npz", allow_pickle=False)
    weight, bias = tf.Variable(arrays["in/w0"], name="kernel"), tf.Variable(arrays["in/b0"], name="bias")
    # The file holds float32; what was meant is the shortest decimal, 0.999 and not 0.99900001287.
    cfg = {name.removeprefix("cfg/"): float(str(arrays[name])) for name in arrays.files if name.startswith("cfg/")}
    optimizer = BertAdam(
        learning_rate=cfg["lr"],
        warmup=cfg["warmup"],
        total_steps=int(cfg["t_total"]),
        weight_decay=cfg["weight_decay"],
        beta_1=cfg["beta1"],
        beta_2=cfg["beta2"],
        epsilon=cfg["eps"],
        max_grad_norm=cfg["max_grad_norm"],
    )
    for at in range(len(arrays["in/grad_w"])):
        np.testing.assert_allclose(optimizer.scheduled_rate(), arrays["exp/lr"][at], atol=1e-6, rtol=0)
        optimizer.apply_gradients(
            [(tf.constant(arrays["in/grad_w"][at]), weight), (tf.constant(arrays["in/grad_b"][at]), bias)]
        )
        np.testing.assert_allclose(weight, arrays["exp/w"][at], atol=1e-6, rtol=0, err_msg=f"step {at}")
        np.testing.assert_allclose(bias, arrays["exp/b"][at], atol=1e-6, rtol=0, err_msg=f"step {at}")


def test_first_update_has_rate_zero_and_no_bias_correction():
    variable = tf.Variable([1.0], name="kernel")
    optimizer = BertAdam(learning_rate=0.1, warmup=0.5, total_steps=4, weight_decay=0.0)
    assert step(optimizer, variable, [1.0]) == 1.0
    # Second step: m = 0.19, v = 0.001999, rate = 0.1 * (1/4) / 0.5 = 0.05.
    np.testing.assert_allclose(step(optimizer, variable, [1.0]), 1.0 - 0.05 * 0.19 / np.sqrt(0.001999), rtol=1e-4)


def test_each_weight_is_clipped_by_its_own_norm():
    small, large = tf.Variable([0.0], name="small"), tf.Variable([0.0, 0.0], name="large")
    optimizer = BertAdam(learning_rate=1.0, weight_decay=0.0, beta_1=0.0, beta_2=0.0, epsilon=1.0)
    optimizer.apply_gradients([(tf.constant([0.5]), small), (tf.constant([3.0, 4.0]), large)])
    np.testing.assert_allclose(small, [-0.5 / 1.5], rtol=1e-5)
    np.testing.assert_allclose(large, [-0.6 / 1.6, -0.8 / 1.8], rtol=1e-5)


def test_decay_spares_biases_and_layer_norms():
    optimizer = BertAdam(learning_rate=0.1, weight_decay=0.5)
    weights = {name: tf.Variable([1.0], name=name) for name in ("kernel", "bias", "gamma", "beta", "query_gate_bias")}
    optimizer.apply_gradients([(tf.zeros([1]), weight) for weight in weights.values()])
    np.testing.assert_allclose(weights.pop("kernel"), [0.95], rtol=1e-6)
    assert all(weight.numpy() == 1.0 for weight in weights.values())


def test_a_rate_below_zero_is_opt_in():
    rates = {}
    for allow in (False, True):
        optimizer = BertAdam(learning_rate=1.0, total_steps=2, allow_negative_lr=allow)
        optimizer.iterations.assign(3)
        rates[allow] = float(optimizer.scheduled_rate())
    assert rates == {False: 0.0, True: -0.5}


def test_rows_of_an_embedding_that_were_not_seen_decay_too():
    table = tf.Variable([[1.0], [1.0]], name="embeddings")
    optimizer = BertAdam(learning_rate=0.1, weight_decay=0.5)
    optimizer.apply_gradients([(tf.IndexedSlices(tf.zeros([1, 1]), tf.constant([0]), tf.constant([2, 1])), table)])
    np.testing.assert_allclose(table, [[0.95], [0.95]], rtol=1e-6)


def test_config_round_trip():
    optimizer = BertAdam(learning_rate=3e-5, warmup=0.2, total_steps=70, no_decay=("bias",), allow_negative_lr=True)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert again.get_config() == optimizer.get_config()
    assert again.total_steps == 70


def test_wrong_warmup_is_refused():
    with pytest.raises(ValueError, match="warmup"):
        BertAdam(warmup=1.0)
