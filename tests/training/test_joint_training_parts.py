"""The joint encoder's losses, its optimizer and its schedule, by hand and against the public code's numbers."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.training import ClassLoss, PresenceLoss, ReloadAndHalve, class_weight, presence_weight
from keras_absa.training.two_rate_adam import TwoRateAdam


@pytest.mark.golden
def test_losses_of_the_public_code(golden_dir):
    arrays = dict(np.load(golden_dir / "tbje_metrics.npz", allow_pickle=False))
    labels, logits = arrays["emotion_labels"], tf.constant(arrays["emotion_logits"], tf.float32)
    np.testing.assert_allclose(PresenceLoss(reduction="sum")(labels, logits), arrays["bce_sum"], rtol=1e-5)
    weighted = PresenceLoss(arrays["pos_weight"], reduction="sum")(labels, logits)
    np.testing.assert_allclose(weighted, arrays["bce_sum_pos_weight"], rtol=1e-5)
    np.testing.assert_allclose(PresenceLoss()(labels, logits) * labels.size, arrays["bce_sum"], rtol=1e-5)


def test_class_weights_by_hand():
    logits = tf.constant([[0.0, 0.0], [0.0, np.log(3.0)]])
    rows = [np.log(2.0), -np.log(0.75)]
    assert float(ClassLoss()([0, 1], logits)) == pytest.approx(np.mean(rows), abs=1e-6)
    assert float(ClassLoss([1.0, 4.0], "sum")([0, 1], logits)) == pytest.approx(rows[0] + 4 * rows[1], abs=1e-6)
    assert class_weight([0, 0, 1, 0, 1, 0], 2) == [1.0, 2.0] and presence_weight([[1, 0], [0, 1], [0, 1]]) == [2.0, 0.5]
    again = keras.losses.deserialize(keras.losses.serialize(ClassLoss([1.0, 2.0], "sum")))
    assert again.get_config() == ClassLoss([1.0, 2.0], "sum").get_config()


def test_weights_that_are_refused():
    with pytest.raises(ValueError, match="Each class must have rows"):
        class_weight([0, 0], 2)
    with pytest.raises(ValueError, match="Each label must be there and not there"):
        presence_weight([[1], [1]])
    with pytest.raises(ValueError, match="must hold numbers above 0"):
        ClassLoss([0.0, 1.0])
    with pytest.raises(ValueError, match="`reduction` must be one of"):
        PresenceLoss(reduction="max")


def test_slow_weights_have_a_rate_of_their_own():
    """Both rates change a weight as two optimizers with one rate each would."""
    rates, gradients = {"fast": 0.1, "slow": 0.01}, [1.0, -3.0, 0.5]
    variables = {name: tf.Variable([1.0], name=name) for name in rates}
    both = TwoRateAdam(0.1, 0.01, slow=[variables["slow"].name], epsilon=1e-8)
    alone = {name: tf.Variable([1.0]) for name in rates}
    optimizers = {name: keras.optimizers.Adam(rate, epsilon=1e-8) for name, rate in rates.items()}
    for gradient in map(tf.constant, ([each] for each in gradients)):
        both.apply_gradients([(gradient, each) for each in variables.values()])
        for name, optimizer in optimizers.items():
            optimizer.apply_gradients([(gradient, alone[name])])
    for name, variable in variables.items():
        np.testing.assert_allclose(variable, alone[name], rtol=1e-6)
    both.learning_rate.assign(0.05)  # where the rate is halved, both are
    config = both.get_config()
    assert config["slow_rate"] == pytest.approx(0.005) and config["learning_rate"] == pytest.approx(0.05)
    again = TwoRateAdam.from_config(config).get_config()
    assert again["slow_rate"] == pytest.approx(0.005) and again["slow"] == [variables["slow"].name]
    with pytest.raises(ValueError, match="Rates must be numbers above 0"):
        TwoRateAdam(0.1, 0.0)


def run(values, **kwargs):
    """Epochs with these scores; gives the rate after each, the weight at its start, and the last epoch."""
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.build([None, 1])
    model.compile(optimizer=keras.optimizers.Adam(1.0), loss="mse")
    callback = ReloadAndHalve(**kwargs)
    callback.set_model(model)
    callback.on_train_begin()
    rates, weights = [], []
    for epoch, value in enumerate(values):
        model.set_weights([np.full([1, 1], epoch + 1.0)])  # what the epoch's training leaves
        callback.on_epoch_end(epoch, {} if value is None else {"val_accuracy": value})
        rates.append(float(model.optimizer.learning_rate))
        weights.append(float(model.get_weights()[0][0, 0]))
        if model.stop_training:
            return rates, weights, epoch
    return rates, weights, None


def test_the_schedule_of_the_public_code():
    rates, weights, last = run([0.5, 0.6, 0.6, 0.7, 0.1, 0.2, 0.7, 0.8, 0.1, 0.1, 0.1])
    #                  best best down best down strike strike best  strikes ... end
    assert rates == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]
    assert weights == [1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]  # reloaded where the rate went down
    assert last == 10


def test_other_settings_of_the_schedule():
    rates, weights, last = run([0.5, 0.5, 0.5], factor=0.2, decays=1, patience=1)
    assert (rates, weights, last) == (pytest.approx([1.0, 0.2, 0.2]), [1.0, 1.0, 3.0], 2)
    rates, weights, last = run([None, 0.1])  # a score that is not there is no best one, and nothing is reloaded
    assert (rates, weights, last) == ([0.5, 0.5], [1.0, 2.0], None)
    with pytest.raises(ValueError, match="`factor` must be between 0 and 1"):
        ReloadAndHalve(factor=1.0)


def test_the_state_of_the_schedule_goes_through_a_checkpoint():
    import json

    model = keras.Sequential([keras.layers.Dense(1)])
    model.build([None, 1])
    model.compile(optimizer=keras.optimizers.Adam(1.0), loss="mse")
    callbacks = [ReloadAndHalve(decays=1) for _ in range(2)]
    for callback in callbacks:
        callback.set_model(model)
        callback.on_train_begin()
    for value in (0.5, 0.4, 0.3):
        callbacks[0].on_epoch_end(0, {"val_accuracy": value})
    state = callbacks[0].get_state()
    arrays = state.pop("arrays")
    callbacks[1].set_state({**json.loads(json.dumps(state)), "arrays": arrays})
    assert vars(callbacks[1]).keys() == vars(callbacks[0]).keys()
    assert (callbacks[1].best, callbacks[1].decayed, callbacks[1].strikes) == (0.5, 1, 1)


def test_a_rate_with_a_schedule_of_its_own_is_refused():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.build([None, 1])
    decay = keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.9)
    model.compile(optimizer=keras.optimizers.Adam(decay), loss="mse")
    with pytest.raises(ValueError, match="received a schedule"):
        model.fit(np.ones([2, 1]), np.ones([2, 1]), callbacks=[ReloadAndHalve()], verbose=0)
