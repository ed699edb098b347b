"""A task that can be asked about any string: only the pair classifier, which reads the aspect."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, AspectExample, AspectTask, aspect_terms, restaurants
from keras_absa.models import BertPairClassifier, CgBertClassifier, QacgBertClassifier
from keras_absa.serving import export
from tests.models.tiny import compiled_model, tiny_model, tiny_tokenizer

TASK = aspect_terms("terms", labels=("good", "bad"))
# The sentiment depends on the term alone: a model that does not read it cannot learn these.
ROWS = [
    AspectExample(f"the soup was {word} and the staff was not", term, label)
    for word in ("cold", "great", "slow")
    for term, label in (("soup", "good"), ("staff", "bad"))
]


def test_auxiliary_sentences():
    sentences = {
        scheme: TASK.auxiliary_sentence(scheme, 0, "good", "miso soup") for scheme in ("nli_m", "qa_m", "nli_b", "qa_b")
    }
    assert sentences == {
        "nli_m": "miso soup",
        "qa_m": "what do you think of the miso soup of it ?",
        "nli_b": "good - miso soup",
        "qa_b": "the polarity of the aspect miso soup is good .",
    }


@pytest.mark.parametrize("scheme", ["nli_m", "qa_m", "nli_b", "qa_b"])
def test_the_encoder_writes_the_same_sentences(scheme):
    model = tiny_model("pair_nli_m", task=TASK, scheme=scheme, max_length=48)
    candidates = range(2) if model.binary else [None]
    for candidate in candidates:
        label = None if candidate is None else TASK.labels[candidate]
        own = None if candidate is None else [candidate]
        first, second = model.text_encoder.segments(["the place"], [0], own, aspect=["cold soup"])
        auxiliary = TASK.auxiliary_sentence(scheme, 0, label, "cold soup")
        found = [part.numpy()[0].decode() for part in (first, second)]
        assert found == ([auxiliary, "the place"] if model.binary else ["the place", auxiliary])


def test_trains_saves_and_answers_about_unseen_aspects(tmp_path):
    model = tiny_model("pair_nli_m", task=TASK)
    model.compile("adam", learning_rate=3e-3)
    model.fit(AspectDataset(ROWS, TASK, batch_size=6, sampler="shuffle"), epochs=100, verbose=0)
    assert model.evaluate(ROWS)["accuracy"] == 1.0
    model.save_pretrained(tmp_path / "model")
    again = BertPairClassifier.from_pretrained(tmp_path / "model")
    assert again.task == TASK
    answers = again.predict_aspects(
        ["the soup was cold and the staff was not", "the soup"], aspects=[["staff"], ["soup", "menu"]]
    )
    assert [[answer.aspect for answer in row] for row in answers] == [["staff"], ["soup", "menu"]]
    assert answers[0][0].label == "bad"
    np.testing.assert_allclose(again.predict(ROWS), model.predict(ROWS), atol=1e-6)

    served = tf.saved_model.load(str(export(again, tmp_path / "export"))).signatures
    texts, terms = [row.text for row in ROWS], [row.aspect for row in ROWS]
    for name in ("serving_default", "pair"):
        found = served[name](text=tf.constant([*texts, "x"]), aspect=tf.constant([*terms, " "]))
        np.testing.assert_allclose(found["probabilities"][:-1], model.predict(ROWS), atol=1e-5)
        assert found["error"].numpy().tolist() == [b""] * len(ROWS) + [b"empty aspect; say what the question is about"]


@pytest.mark.parametrize("model_class", [CgBertClassifier, QacgBertClassifier])
def test_context_guided_models_say_what_to_use(model_class):
    with pytest.raises(ValueError, match=r"closed set of aspects: received task 'terms'.* Use BertPairClassifier"):
        model_class.from_pretrained("minilm", task=TASK)


def test_errors():
    with pytest.raises(ValueError, match=r"names no aspects and no targets: received \['food'\]"):
        AspectTask("open", aspects=("food",), labels=("good",), open_aspects=True)
    with pytest.raises(ValueError, match="whose aspects are open. Use"):
        tiny_model("pair_single", task=TASK)
    model = compiled_model("pair_nli_m", task=TASK)
    with pytest.raises(ValueError, match="has no list of aspects: received no `aspects`"):
        model.predict_aspects(["the soup"])
    with pytest.raises(ValueError, match=r"`aspect` must be a string of some words in task 'terms': received ' '"):
        model.predict([AspectExample("the soup", " ")])
    assert TASK.num_contexts == 1 and TASK.contexts == () and AspectTask.from_dict(TASK.to_dict()) == TASK
    assert not restaurants().open_aspects and tiny_tokenizer().vocab_size > 0
