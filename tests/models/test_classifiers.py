"""The three classifiers from strings to scores, on a BERT of one layer. Training is eager unless a graph is the point."""

import math
import os
import subprocess
import sys
from pathlib import Path

import keras as keras3
import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, AspectExample
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport
from keras_absa.models.aspect_classifier import AspectClassifier
from keras_absa.training import BertAdam
from keras_absa.training.epoch_plan import length_buckets
from tests.models.tiny import MODELS, tiny_examples, tiny_model, tiny_task, tiny_tokenizer

ROWS = tiny_examples()
FEW = ROWS[::5]  # five rows, every label


def compiled(kind="pair_single", rate=1e-3, **kwargs):
    """The cheapest model that can be trained."""
    model = tiny_model(kind, **kwargs)
    model.compile(learning_rate=rate, run_eagerly=True)
    return model


def rows_of(examples=FEW, task=None, **kwargs):
    return AspectDataset(examples, task or tiny_task(), **{"batch_size": 8, "sampler": "none", **kwargs})


# name -> learning rate, epochs of two batches. A binary scheme has to compare two sentences, which takes longer; the others
# of each kind learn the same way.
TRAINING = {kind: (4e-3, 30) for kind in MODELS} | {"pair_qa_b": (2e-3, 120), "pair_nli_b": (4e-3, 100)}
SLOW = ("cg_sigmoid", "pair_nli_m", "pair_qa_m", "pair_qa_b")


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in MODELS]
)
def trained(request):
    """Each model, trained on 24 rows, and its history."""
    model = tiny_model(request.param)
    rate, epochs = TRAINING[request.param]
    model.compile(learning_rate=rate)
    batch_size = 12 * model.text_encoder.num_candidates
    history = model.fit(
        AspectDataset(ROWS, model.task, batch_size=batch_size, sampler="shuffle"), epochs=epochs, verbose=0
    )
    return model, history.history


class TestTrained:
    """What needs a model that has learned; each is trained once."""

    def test_overfits(self, trained):
        model, history = trained
        assert history["loss"][0] > 0.3 and history["loss"][-1] < 0.05
        report = model.evaluate(ROWS)
        assert isinstance(report, MetricReport) and report["accuracy"] == 1.0 and report.counts["rows"] == len(ROWS)

    def test_one_trace(self, trained):
        """Batches of all lengths share one [None, None] graph, made once."""
        assert trained[0].train_function.experimental_get_tracing_count() == 1


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
            (["Ely was cold"], ["Ely", "Ely"], r"`targets` must have one entry a text: received 2 for 1"),
        ):
            with pytest.raises(ValueError, match=message):
                model.predict_aspects(texts, targets=targets)

    def test_no_texts(self):
        assert tiny_model().predict_aspects([]) == []

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"texts": "cold soup"}, r"`texts` must be a list of strings: received one string\. Put"),
            ({"texts": ["soup", None]}, r"`texts` must be strings: received None at 1\. Use"),
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
            getattr(compiled(), method)(["cold soup"])


class TestCompile:
    def test_defaults_are_the_papers(self):
        model = tiny_model("pair_single")
        model.compile()
        assert type(model.optimizer) is BertAdam
        assert float(model.optimizer.learning_rate) == pytest.approx(2e-5)
        config = model.optimizer.get_config()
        assert (config["warmup"], config["weight_decay"], config["total_steps"]) == (0.1, 0.01, None)
        loss = model.compiled_loss(tf.constant([1]), tf.constant([[0.0, math.log(2), 0.0]]))
        assert float(loss) == pytest.approx(math.log(2))  # a probability of 1/2, from logits

    @pytest.mark.parametrize("name, kind", [("adam", keras.optimizers.Adam), ("adamw", keras.optimizers.AdamW)])
    def test_by_name(self, name, kind):
        model = tiny_model("pair_single")
        model.compile(name, learning_rate=0.5)
        assert type(model.optimizer) is kind and float(model.optimizer.learning_rate) == 0.5

    def test_an_optimizer_of_ones_own(self):
        model, optimizer = tiny_model("pair_single"), keras.optimizers.SGD(0.1)
        model.compile(optimizer)
        assert model.optimizer is optimizer
        with pytest.raises(ValueError, match=r"`learning_rate` goes with an optimizer's name: received both"):
            model.compile(optimizer, learning_rate=0.1)

    @pytest.mark.parametrize(
        "arguments, message",
        [
            (
                {"optimizer": "lamb"},
                r"`optimizer` must be one of \['bert_adam', 'adam', 'adamw'\] .*received 'lamb'\. Make",
            ),
            (
                {"optimizer": keras3.optimizers.Adam()},
                r"`optimizer` must be a Keras 2 object: received keras.*pip install",
            ),
            (
                {"loss": keras3.losses.SparseCategoricalCrossentropy()},
                r"`loss` must be a Keras 2 object: received keras",
            ),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            tiny_model("pair_single").compile(**arguments)


class TestFit:
    def test_the_schedule_is_as_long_as_the_training(self):
        model = compiled()
        model.fit(rows_of(batch_size=2), epochs=2, verbose=0)
        assert model.optimizer.total_steps == int(5 / 2 * 2)  # as the public code counts
        assert int(model.optimizer.iterations) == 2 * 3

    def test_a_list_trains_as_a_dataset(self):
        weights = []
        for data in (FEW, AspectDataset(FEW, tiny_task())):
            model = compiled()
            model.fit(data, verbose=0)
            weights.append(model.get_weights())
        for one, other in zip(*weights, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_same_seed_same_run(self):
        """Sampler, dropout and initial values follow their seeds. On a CPU nothing else is needed; on a GPU call
        `tf.config.experimental.enable_op_determinism()` as well."""
        runs = {}
        for name, seed, data_seed in (("first", 3, 3), ("again", 3, 3), ("weights", 4, 3), ("rows", 3, 4)):
            model = compiled(seed=seed, dropout=0.1)
            data = rows_of(ROWS, sampler="balanced", seed=data_seed, batch_size=12)
            history = model.fit(data, verbose=0).history["loss"]
            runs[name] = history, model.get_weights()
        assert runs["first"][0] == runs["again"][0]
        for one, other in zip(runs["first"][1], runs["again"][1], strict=True):
            np.testing.assert_array_equal(one, other)
        assert runs["first"][0] != runs["weights"][0] and runs["first"][0] != runs["rows"][0]

    def test_before_compile(self):
        with pytest.raises(ValueError, match=r"must be compiled before `fit`: it is not\. Call"):
            tiny_model("pair_single").fit(FEW)

    def test_unlabelled_rows(self):
        rows = [*FEW, AspectExample("cold", "food", source="reviews.csv:8")]
        with pytest.raises(ValueError, match=r"1 of 6 have none, the first is row 5 \(reviews.csv:8\)\. Use"):
            compiled().fit(rows)

    @pytest.mark.parametrize("name", ["batch_size", "shuffle", "steps_per_epoch"])
    def test_what_belongs_to_the_data(self, name):
        with pytest.raises(ValueError, match=rf"`{name}` belongs to the data: received it in fit\. Pass"):
            compiled().fit(FEW, **{name: 2})

    def test_cut_texts_are_counted_once(self):
        model = compiled(max_length=6)
        rows = [AspectExample("the place was very very cold", "food", "bad"), AspectExample("bad", "food", "bad")]
        with pytest.warns(
            UserWarning, match=r"1 of 2 rows were cut at 6 tokens; 2 word pieces were left out\. Raise"
        ) as caught:
            model.predict([AspectExample("the place was very cold and", "food"), AspectExample("bad", "food")])
            model.fit(rows, verbose=0)
        assert len([warning for warning in caught if "were cut at" in str(warning.message)]) == 1

    def test_encoded_tensors(self):
        """A model is a Keras model: it also takes what its text encoder gives."""
        model = compiled()
        inputs = model.text_encoder(
            [row.text for row in FEW], [tiny_task().context_id(None, row.aspect) for row in FEW]
        )
        labels = np.array([tiny_task().label_id(row.label) for row in FEW])
        history = model.fit(inputs, labels, epochs=1, batch_size=5, verbose=0, validation_data=(inputs, labels))
        assert set(history.history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
        loss, accuracy = model.evaluate(inputs, labels, verbose=0)
        assert loss == pytest.approx(history.history["val_loss"][0], abs=1e-5)
        np.testing.assert_allclose(model.predict(inputs), model.predict(FEW), atol=1e-5)
        assert accuracy == pytest.approx(model.evaluate(FEW)["accuracy"])


class Forget(keras.callbacks.Callback):
    """Spoils the classifier at the start of the epochs from `epoch` on; it runs before an epoch's metrics are taken."""

    def __init__(self, epoch):
        super().__init__()
        self.first = epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch >= self.first:
            self.model.classifier_bias.assign(tf.ones_like(self.model.classifier_bias) * [-50.0, -50.0, 50.0])


XLA_SCRIPT = """
from tests.models.test_classifiers import *
lengths = [2, 3, 14, 17, 24, 33, 50, 60, 80, 110, 126]
rows = [AspectExample(" ".join(["good"] * words), "food", "good") for words in lengths for _ in range(4)]
model = tiny_model("pair_single", positions=128, max_length=128)
model.compile(keras.optimizers.SGD(), jit_compile=True)  # a small program
model.fit(rows_of(rows[1:], batch_size=4, sampler="shuffle"), epochs=2, verbose=0)
print(model.train_function.experimental_get_tracing_count())
"""


def test_xla_compiles_once_a_bucket(tmp_path):
    """Eleven lengths fall into eight buckets; the last batch is short. XLA writes one file for each program it compiles."""
    environment = {
        **os.environ,
        "XLA_FLAGS": f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_text",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    root = Path(__file__).resolve().parents[2]
    result = subprocess.run(
        [sys.executable, "-c", XLA_SCRIPT], capture_output=True, text=True, env=environment, cwd=root
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.split()[-1] == "1"
    assert len(list(tmp_path.glob("*run_step*before_optimizations.txt"))) == len(length_buckets(128)) == 8


def test_xla_predicts_the_same():
    """The last batch is filled up for XLA; what was filled in must not come out."""
    model = tiny_model("pair_nli_b")
    plain = model.predict(ROWS[:7], batch_size=3)
    model.compile(jit_compile=True)
    np.testing.assert_allclose(model.predict(ROWS[:7], batch_size=3), plain, atol=1e-5)


class TestSelection:
    """Epoch 1 answers by the labels' bias and is right on the development rows; later ones say "bad" to everything."""

    DEV = [AspectExample("the place", "food", "good"), AspectExample("a place", "service", "good")]

    def fit(self, selection="dev", split="dev", callbacks=(), epochs=2, examples=None):
        model = compiled(rate=1e-9)
        model.classifier_bias.assign(tf.ones_like(model.classifier_bias) * [0.0, 50.0, 0.0])
        dev = rows_of(examples or self.DEV, split=split)
        history = model.fit(
            rows_of(),
            epochs=epochs,
            validation_data=dev,
            selection=selection,
            callbacks=[Forget(1), *callbacks],
            verbose=0,
        )
        return model, history.history

    @pytest.mark.parametrize("selection, split", [("dev", "dev"), ("leaking_test", "test")])
    def test_best_weights_are_kept(self, selection, split):
        model, history = self.fit(selection, split)
        assert history["val_accuracy"] == [1.0, 0.0]
        assert model.classifier_bias[0].numpy().argmax() == 1
        assert model.selection == {"monitor": "val_strict_accuracy", "epoch": 1, "value": 1.0}

    def test_last(self):
        model, history = self.fit("last", "test")
        assert history["val_accuracy"] == [1.0, 0.0]
        assert model.classifier_bias[0].numpy().argmax() == 2 and model.selection is None

    def test_the_first_of_equal_epochs_wins(self):
        model, history = self.fit(examples=[AspectExample("a place", "food", "none")])
        assert history["val_strict_accuracy"] == [0.0, 0.0] and model.selection["epoch"] == 1
        assert model.classifier_bias[0].numpy().argmax() == 1

    def test_metrics_reach_the_history_and_other_callbacks(self, tmp_path):
        stop = keras.callbacks.EarlyStopping("val_macro_f1", mode="max", patience=1)
        path = str(tmp_path / "{epoch}-{val_strict_accuracy:.1f}.weights.h5")
        save = keras.callbacks.ModelCheckpoint(
            path, "val_strict_accuracy", mode="max", save_best_only=True, save_weights_only=True
        )
        _, history = self.fit("last", callbacks=[stop, save], epochs=5)
        assert len(history["loss"]) == 2, "stopped after one epoch without progress"
        assert [file.name for file in tmp_path.iterdir()] == ["1-1.0.weights.h5"]
        assert {"val_loss", "val_accuracy", "val_macro_f1", "val_aspect_f1", "val_sentiment_accuracy"} <= set(history)
        assert history["val_loss"][0] == pytest.approx(0.0, abs=1e-3)
        assert history["val_loss"][1] == pytest.approx(-math.log(1e-12), abs=1e-3)

    def test_a_test_split_is_refused(self):
        with pytest.raises(
            ValueError, match=r"(?s)on the test split .*: received a test split .*selection='leaking_test'"
        ):
            self.fit("dev", "test")

    @pytest.mark.parametrize(
        "arguments, message",
        [
            (
                {"selection": "best"},
                r"`selection` must be one of \['dev', 'last', 'leaking_test'\]: received 'best'\. Pick",
            ),
            (
                {"validation_data": {"input_ids": [[1]]}},
                r"must be an AspectDataset or a list of AspectExample: received dict",
            ),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            compiled().fit(FEW, **arguments)

    def test_strings_for_encoded_tensors_are_refused(self):
        with pytest.raises(
            ValueError, match=r"`validation_data` must be encoded tensors, as `x`: received strings\. Pass"
        ):
            compiled().fit({"input_ids": np.ones([1, 3])}, np.zeros(1), validation_data=FEW)

    def test_one_class_is_said(self):
        rows = [*self.DEV, AspectExample("a place", "food", "bad")]
        with pytest.warns(UserWarning, match="After epoch 1 every prediction on the development set is the same label"):
            self.fit(examples=rows, epochs=1)


class TestEvaluate:
    def test_report(self):
        model = compiled()
        model.classifier_bias.assign(tf.ones_like(model.classifier_bias) * [0.0, 50.0, 0.0])
        report, probabilities = model.score(FEW)
        labels = [row.label for row in FEW]
        assert isinstance(report, MetricReport) and report["accuracy"] == labels.count("good") / len(FEW)
        np.testing.assert_array_equal(probabilities, model.predict(FEW))

    def test_unlabelled_rows(self):
        with pytest.raises(
            ValueError, match=r"must have a label here: 1 of 1 have none, the first is row 0 \(reviews.csv:8\)\. Use"
        ):
            compiled().evaluate([AspectExample("cold", "food", source="reviews.csv:8")])

    def test_a_row_of_another_task(self):
        with pytest.raises(ValueError, match=r"reviews.csv:8: `aspect` must be one of"):
            compiled().evaluate([AspectExample("cold", "price", "bad", source="reviews.csv:8")])


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
