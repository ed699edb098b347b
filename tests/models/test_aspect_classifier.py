"""The three classifiers from strings to scores, on a BERT of one layer."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample
from keras_absa.metrics import MetricReport
from keras_absa.models.aspect_classifier import AspectClassifier
from tests.models.tiny import FEW, ROWS, compiled_model, tiny_model, tiny_task, tiny_tokenizer


@pytest.mark.parametrize("kind", ["qacg", "pair_qa_b"])
def test_predict_keeps_the_order(kind):
    """Rows are sorted by length inside, longest first; neither that nor a neighbour shows in the answers."""
    model = tiny_model(kind)
    rows = [ROWS[0], AspectExample("great", "service"), AspectExample("cold and very slow service", "food")]
    probabilities = model.predict(rows, batch_size=2)
    assert probabilities.shape == (3, 3) and probabilities.dtype == np.float32
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)
    assert np.ptp(probabilities, axis=0).max() > 1e-3
    np.testing.assert_allclose(model.predict(rows[1:2])[0], probabilities[1], atol=1e-5)


class TestProbabilities:
    def test_binary_shares_by_hand(self):
        model = tiny_model("pair_qa_b")
        # Two examples of three candidates; "yes" has probability 1/2, 1/4 and 1/4, then 0.9, 0.9 and 0.
        yes = np.log([[1.0], [1 / 3], [1 / 3], [9.0], [9.0], [1e-30]]).astype("float32")
        shares = model.probabilities(tf.constant(np.concatenate([np.zeros_like(yes), yes], axis=1)))
        np.testing.assert_allclose(shares, [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]], atol=1e-6)

    def test_binary_predictions_are_the_shares_of_their_candidates(self):
        model = tiny_model("pair_nli_b")
        inputs = model.text_encoder(["cold soup"] * 3, [1, 1, 1], [0, 1, 2])
        yes = tf.nn.softmax(model(inputs))[:, 1].numpy()
        np.testing.assert_allclose(
            model.predict([AspectExample("cold soup", "service")])[0], yes / yes.sum(), atol=1e-6
        )

    def test_softmax_of_the_logits(self):
        model = tiny_model("qacg")
        logits = model(model.text_encoder(["cold soup"], [1]))
        assert logits.dtype == tf.float32 and logits.shape == (1, 3)
        np.testing.assert_allclose(
            model.predict([AspectExample("cold soup", "service")]), tf.nn.softmax(logits), atol=1e-6
        )

    def test_single_has_a_classifier_for_each_context(self):
        model = tiny_model("pair_single")
        assert model.classifier_kernel.shape == (2, 24, 3)
        model.classifier_bias.assign([[9, 0, 0], [0, 9, 0]])
        predicted = model.predict([AspectExample("soup", "service"), AspectExample("soup", "food")])
        assert predicted.argmax(axis=1).tolist() == [1, 0]

    def test_without_pooler_the_classifier_reads_the_last_hidden_state(self):
        model = tiny_model("pair_nli_m", use_pooler=False)
        inputs = model.text_encoder(["cold soup"], [1])
        vector = model.encoder(inputs)["last_hidden_state"][:, 0]
        expected = vector @ model.classifier_kernel[0] + model.classifier_bias[0]
        np.testing.assert_allclose(model(inputs), expected, atol=1e-5)


class TestPredictAspects:
    def test_all_aspects_of_each_text(self):
        model = tiny_model("qacg")
        answers = model.predict_aspects(["cold soup", "great staff"])
        assert [[(one.text, one.target, one.aspect) for one in row] for row in answers] == [
            [("cold soup", None, "food"), ("cold soup", None, "service")],
            [("great staff", None, "food"), ("great staff", None, "service")],
        ]
        for answer in answers[1]:
            expected = model.predict([AspectExample(answer.text, answer.aspect)])[0]
            np.testing.assert_allclose(list(answer.probabilities.values()), expected, atol=1e-5)
            assert list(answer.probabilities) == ["none", "good", "bad"]
            assert answer.label == max(answer.probabilities, key=answer.probabilities.get)

    def test_targets(self):
        model = tiny_model(
            "pair_nli_m", task=tiny_task(targets=("PLACE1", "PLACE2"), target_words=("a place", "b place"))
        )
        given = model.predict_aspects(["Ely was cold"], targets=["ely"], aspects=["food"])[0]
        assert [(one.target, one.aspect) for one in given] == [("ely", "food")]
        found = model.predict_aspects(["PLACE1 was cold but PLACE2 was great", "PLACE2 was slow", "PLACE1 was cold"])
        assert [[(one.target, one.aspect) for one in row] for row in found[:2]] == [
            [("PLACE1", "food"), ("PLACE1", "service"), ("PLACE2", "food"), ("PLACE2", "service")],
            [("PLACE2", "food"), ("PLACE2", "service")],
        ]
        other = found[2][0]
        # A name and its placeholder are written the same way for the model.
        np.testing.assert_allclose(list(given[0].probabilities.values()), list(other.probabilities.values()), atol=1e-5)
        for texts, targets, message in (
            (["Ely was cold"], ["Bath"], r"must stand in its text as a whole word: 'Bath' is not in text 0"),
            (["Elysium was cold"], ["Ely"], r"whole word: 'Ely'"),
            (["Ely was cold"], None, r"Text 0 must name a target: it holds none of \['PLACE1', 'PLACE2'\]\. Pass"),
            (["Ely was cold"], ["Ely", "Ely"], r"`targets` must be a list with one entry a text: received 2 for 1"),
        ):
            with pytest.raises(ValueError, match=message):
                model.predict_aspects(texts, targets=targets)

    def test_no_texts(self):
        assert tiny_model().predict_aspects([]) == []

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"texts": "cold soup"}, r"`texts` must be a list of strings: received one string\. Put"),
            ({"texts": ["soup", None]}, r"`texts` must be strings: received None at 1\. Leave"),
            (
                {"texts": ["soup"], "aspects": ["price"]},
                r"`aspect` must be one of \['food', 'service'\].*received 'price'",
            ),
            ({"texts": ["soup"], "targets": ["soup"]}, r"Task 'tiny' has no targets: received `targets`\. Leave"),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            tiny_model().predict_aspects(**arguments)

    @pytest.mark.parametrize("method", ["predict", "fit", "evaluate"])
    def test_bare_strings(self, method):
        with pytest.raises(ValueError, match=r"must say which aspect .*received strings\. Use `predict_aspects"):
            getattr(compiled_model(), method)(["cold soup"])


class TestEvaluate:
    def test_report(self):
        model = compiled_model()
        model.classifier_bias.assign(tf.ones_like(model.classifier_bias) * [0.0, 50.0, 0.0])
        report, probabilities = model.score(FEW)
        labels = [row.label for row in FEW]
        assert isinstance(report, MetricReport) and report["accuracy"] == labels.count("good") / len(FEW)
        np.testing.assert_array_equal(probabilities, model.predict(FEW))

    def test_unlabelled_rows(self):
        with pytest.raises(
            ValueError, match=r"must have a label here: 1 of 1 have none, the first is row 0 \(reviews.csv:8\)\. Use"
        ):
            compiled_model().evaluate([AspectExample("cold", "food", source="reviews.csv:8")])

    def test_a_row_of_another_task(self):
        with pytest.raises(ValueError, match=r"reviews.csv:8: `aspect` must be one of"):
            compiled_model().evaluate([AspectExample("cold", "price", "bad", source="reviews.csv:8")])


class TestConstructor:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"scheme": "nli"}, r"`scheme` must be one of \[.*\]: received 'nli'\. Pick"),
            ({"max_length": 65}, r"`max_length` must not exceed the encoder's 64 positions: received 65\. Lower"),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            tiny_model("pair_nli_m", **arguments)

    def test_a_vocabulary_that_is_too_large(self):
        model = tiny_model("pair_nli_m")
        model.encoder.bert.config.vocab_size = 20
        with pytest.raises(
            ValueError, match=rf"must fit the encoder's 20 word pieces: received {tiny_tokenizer().vocab_size}\."
        ):
            type(model)(model.encoder, model.task, tiny_tokenizer(), max_length=32)

    def test_the_base_class_is_not_a_model(self):
        with pytest.raises(NotImplementedError, match="AspectClassifier is a base class. Use QacgBertClassifier"):
            AspectClassifier.from_pretrained("minilm", task=tiny_task())
