"""KnowBert's optimizer: the golden trajectories and rates, groups, and the schedule by hand."""

import re

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.training import BertAdam, SlantedTriangularAdam


@pytest.fixture
def arrays(golden_dir):
    return np.load(golden_dir / "knowbert_optim.npz", allow_pickle=False)


@pytest.mark.golden
@pytest.mark.parametrize(
    "case, beta_2, decay", [("default", 0.999, 0.01), ("downstream", 0.98, 0.01), ("no_decay", 0.999, 0)]
)
def test_golden_trajectories(arrays, case, beta_2, decay):
    weight = tf.Variable(arrays["bert_adam/initial"], name="kernel")
    optimizer = BertAdam(learning_rate=1e-2, beta_2=beta_2, weight_decay=decay)
    for gradient, wanted in zip(arrays["bert_adam/gradients"], arrays[f"bert_adam_{case}/parameters"], strict=True):
        optimizer.apply_gradients([(tf.constant(gradient), weight)])
        np.testing.assert_allclose(weight, wanted, atol=1e-6, rtol=0)


@pytest.mark.golden
def test_golden_rates(arrays):
    names = ("lower", "upper", "new")
    weights = [tf.Variable(0.0, name=f"{name}/kernel") for name in names]
    tested = 0
    for name in arrays.files:
        found = re.fullmatch(r"slanted_triangular_cut_(.+)/learning_rates", name)
        if not found:
            continue
        rates = arrays[name]
        lower, upper, new = rates.max(axis=0)
        peak = rates[:, 0].argmax()
        total = int(peak + np.isclose(rates[peak:, 0], rates[-1, 0]).argmax())  # from there on it stays
        groups = {"^lower/": lower, "^upper/": upper}
        optimizer = SlantedTriangularAdam(new, cut_fraction=float(found[1]), total_steps=total, group_rates=groups)
        for update, wanted in enumerate(rates[1:]):  # the first row is before any update
            optimizer.iterations.assign(update)
            optimizer._compute_current_learning_rate()
            np.testing.assert_allclose([optimizer.rate_of(each) for each in weights], wanted, rtol=1e-4, atol=1e-10)
            tested += 1
    assert tested


def test_the_schedule_by_hand():
    optimizer = SlantedTriangularAdam(1.0, cut_fraction=0.25, ratio=4.0, total_steps=8)
    rates = []
    for update in range(10):
        optimizer.iterations.assign(update)
        rates.append(float(optimizer.scheduled_rate()))
    # p of the updates 1 to 10, with the cut at 2
    parts = [1 / 2, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0, 0, 0]
    np.testing.assert_allclose(rates, [(1 + 3 * part) / 4 for part in parts], rtol=1e-6)
    optimizer.begin_schedule(8)
    assert float(optimizer.scheduled_rate()) < 1.0
    optimizer.total_steps = None
    assert float(optimizer.scheduled_rate()) == 1.0


def test_a_model_trains_and_the_settings_survive():
    model = keras.Sequential([keras.layers.Dense(1, name="old"), keras.layers.Dense(1, name="new")])
    optimizer = SlantedTriangularAdam(
        0.1, total_steps=5, group_rates={"old/": 1e-9}, weight_decay=0.0, cut_fraction=0.4
    )
    model.build([None, 2])
    before = [weight.numpy() for weight in model.weights]
    model.compile(optimizer, "mse")
    model.fit(np.ones([4, 2]), np.ones([4]), verbose=0)
    moved = [np.abs(weight - old).max() for weight, old in zip(model.weights, before, strict=True)]
    assert max(moved[:2]) < 1e-6 and min(moved[2:]) > 1e-3
    copy = SlantedTriangularAdam.from_config(optimizer.get_config())
    assert copy.group_rates == {"old/": 1e-9} and (copy.cut_fraction, copy.ratio, copy.total_steps) == (0.4, 32.0, 5)


@pytest.mark.parametrize("kwargs", [{"cut_fraction": 1.0}, {"ratio": 0.0}, {"group_rates": {"x": 0.0}}])
def test_errors(kwargs):
    with pytest.raises(ValueError, match="`cut_fraction` must be in"):
        SlantedTriangularAdam(**kwargs)
