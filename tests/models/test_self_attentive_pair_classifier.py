"""The pair model against numpy by hand, and from strings to an export."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, AspectExample, snli
from keras_absa.keras import keras
from keras_absa.layers import StructuredSelfAttention
from keras_absa.models import Predictor, SelfAttentivePairClassifier, load_model
from keras_absa.serving import export
from tests.models.tiny import ROWS, tiny_task

THINGS = ("dog", "cat", "child", "band")
PAIRS = [
    AspectExample(f"a {thing} plays", f"the {other} plays", "entailment" if thing == other else "contradiction")
    for thing in THINGS
    for other in THINGS[: 1 + THINGS.index(thing)]
]


def tiny(rows=PAIRS, task=None, **kwargs):
    keras.utils.set_random_seed(0)
    attention = kwargs.pop("attention", StructuredSelfAttention(2, 4, penalty_coef=0.1))
    sizes = {"embedding_size": 6, "lstm_units": 5, "hidden_units": 8, "gate_units": 7, "dropout": 0.0, "max_length": 16}
    return SelfAttentivePairClassifier.from_examples(rows, task or snli(), attention=attention, **{**sizes, **kwargs})


def inputs_of(model, first, second):
    return model.text_encoder.pair_encoder(first, second)


def test_the_gate_by_hand():
    model = tiny(attention=StructuredSelfAttention(2, 4, penalty_coef=0.5))
    inputs = inputs_of(model, ["a dog plays", "cat"], ["the cat", "the cat plays a child"])
    logits, *annotations = model(inputs, return_attention=True)
    penalties = float(tf.add_n(model.losses))
    weights = {name: weight.numpy() for name, weight in model.named_weights().items()}
    assert len(weights) == len(model.weights)
    expected_penalty, products = 0.0, 1.0
    for which, ids, mask in (("first", "input_ids", "attention_mask"), ("second", "second_ids", "second_mask")):
        states = model.bilstm(model.embedding(inputs[ids]), mask=tf.cast(inputs[mask], tf.bool)).numpy()  # [B, T, D]
        scores = weights["attention/w_s2"] @ np.tanh(weights["attention/w_s1"] @ states.transpose(0, 2, 1))
        scores = np.exp(scores) * inputs[mask].numpy()[:, None]
        annotation = scores / scores.sum(-1, keepdims=True)  # [B, R, T]
        np.testing.assert_allclose(annotations[which == "second"], annotation, atol=1e-6)
        matrix = annotation @ states  # [B, R, D]
        products *= np.stack([matrix[:, hop] @ weights[f"gate/{which}"][hop] for hop in range(2)], axis=1)  # [B, R, G]
        expected_penalty += np.mean(np.sum((annotation @ annotation.transpose(0, 2, 1) - np.eye(2)) ** 2, axis=(1, 2)))
    hidden = np.maximum(products.reshape(2, -1) @ weights["hidden/kernel"] + weights["hidden/bias"], 0)
    np.testing.assert_allclose(logits, hidden @ weights["classifier/kernel"] + weights["classifier/bias"], atol=1e-5)
    assert penalties == pytest.approx(0.5 * expected_penalty / 2, abs=1e-5)


@pytest.fixture(scope="module")
def trained():
    model = tiny()
    model.compile(learning_rate=2e-2)
    model.fit(AspectDataset(PAIRS, snli(), batch_size=10, sampler="shuffle"), epochs=60, verbose=0)
    return model


def test_it_learns_whether_two_texts_name_the_same(trained):
    assert trained.evaluate(PAIRS)["accuracy"] == 1.0


def test_the_order_of_the_texts_matters_and_their_neighbours_do_not(trained):
    first, second = ["a dog plays", "cat"], ["the cat", "the band plays a child"]
    both = trained(inputs_of(trained, first, second)).numpy()
    np.testing.assert_allclose(trained(inputs_of(trained, first[:1], second[:1])), both[:1], atol=1e-5)
    assert np.abs(trained(inputs_of(trained, second, first)) - both).max() > 1e-2


def test_saved_loaded_and_exported(trained, tmp_path):
    expected = trained.predict(PAIRS)
    np.testing.assert_allclose(Predictor(trained).probabilities(PAIRS), expected, atol=1e-6)
    trained.save_pretrained(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is SelfAttentivePairClassifier and not again.load_report.unused
    texts, asked = [row.text for row in PAIRS], [row.aspect for row in PAIRS]
    inputs = inputs_of(trained, texts, asked)
    np.testing.assert_array_equal(again(inputs), trained(inputs))
    keras.models.save_model(trained, tmp_path / "model.keras")
    from_keras = keras.models.load_model(tmp_path / "model.keras", compile=False)
    np.testing.assert_array_equal(from_keras(inputs), trained(inputs))

    served = tf.saved_model.load(str(export(again, tmp_path / "export"))).signatures["serving_default"]
    answers = served(text=tf.constant([*texts, "a dog"]), aspect=tf.constant([*asked, " "]))
    np.testing.assert_allclose(answers["probabilities"][:-1], expected, atol=1e-5)
    assert answers["error"].numpy()[-1] == b"empty aspect; say what the question is about"


def test_long_texts_are_cut_or_read_in_windows(trained):
    long = [AspectExample("a dog plays " + "and the cat " * 10, "the dog plays " + "a band " * 8)]
    with pytest.warns(UserWarning, match="1 of 1 rows were cut at 16 tokens; 20 word pieces"):  # 33 and 19 words
        trained.predict(long)
    assert trained.predict(long, window=16).shape == (1, 3)


def test_a_closed_set_of_aspects_is_asked_in_words():
    model = tiny(ROWS, tiny_task(), scheme="qa_m")
    assert {"what", "think", "service"} <= set(model.tokenizer.vocabulary)
    food, service = (model.predict([AspectExample("the soup", aspect)]) for aspect in ("food", "service"))
    assert food.shape == (1, 3) and np.abs(food - service).max() > 0


def test_what_it_refuses():
    with (
        pytest.raises(ValueError, match="mixes the texts of a batch: received it for pairs"),
        pytest.warns(UserWarning),
    ):
        tiny(attention=StructuredSelfAttention(2, 4, "reference"))
    with pytest.raises(ValueError, match=r"`scheme` must be one of \['nli_m', 'qa_m'\]: received 'single'"):
        tiny(scheme="single")
    with pytest.raises(ValueError, match="`gate_units` must be an integer of at least 1: received 0"):
        tiny(gate_units=0)
