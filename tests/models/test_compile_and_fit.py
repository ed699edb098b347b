"""Training the classifiers, eagerly: no graph is the point here."""

import math

import keras as keras3
import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, AspectExample
from keras_absa.keras import keras
from keras_absa.training import BertAdam
from tests.models.tiny import FEW, ROWS, compiled_model, dataset, tiny_model, tiny_task


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

    def test_a_rate_that_is_no_rate(self):
        with pytest.raises(ValueError, match="`learning_rate` must be above 0: received -1"):
            tiny_model("pair_single").compile(learning_rate=-1)

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
        model = compiled_model()
        model.fit(dataset(batch_size=2), epochs=2, verbose=0)
        assert model.optimizer.total_steps == int(5 / 2 * 2)  # as the public code counts
        assert int(model.optimizer.iterations) == 2 * 3

    def test_a_second_fit_has_a_schedule_of_its_own(self):
        model = compiled_model()
        for first_step in (0, 6):
            before = model.classifier_kernel.numpy()
            model.fit(dataset(batch_size=2), epochs=2, verbose=0)
            assert (model.optimizer.first_step, model.optimizer.total_steps) == (first_step, 5)
            assert np.abs(model.classifier_kernel - before).max() > 1e-4

    def test_a_list_trains_as_a_dataset(self):
        weights = []
        for data in (FEW, AspectDataset(FEW, tiny_task())):
            model = compiled_model()
            model.fit(data, verbose=0)
            weights.append(model.get_weights())
        for one, other in zip(*weights, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_same_seed_same_run(self):
        """Sampler, dropout and initial values follow their seeds. On a CPU nothing else is needed; on a GPU call
        `tf.config.experimental.enable_op_determinism()` as well."""
        runs = {}
        for name, seed, data_seed in (("first", 3, 3), ("again", 3, 3), ("weights", 4, 3), ("rows", 3, 4)):
            model = compiled_model(seed=seed, dropout=0.1)
            data = dataset(ROWS, sampler="balanced", seed=data_seed, batch_size=12)
            history = model.fit(data, verbose=0).history["loss"]
            runs[name] = history, model.get_weights()
        assert runs["first"][0] == runs["again"][0]
        for one, other in zip(runs["first"][1], runs["again"][1], strict=True):
            np.testing.assert_array_equal(one, other)
        assert runs["first"][0] != runs["weights"][0] and runs["first"][0] != runs["rows"][0]

    def test_before_compile(self):
        with pytest.raises(ValueError, match=r"must be compiled before `fit`: it is not\. Call"):
            tiny_model("pair_single").fit(FEW)

    def test_development_rows_that_cannot_be_scored_cost_no_epoch(self):
        model = compiled_model()
        with pytest.raises(ValueError, match="reviews.csv:8: `aspect` must be one of"):
            model.fit(FEW, validation_data=[AspectExample("cold", "price", "bad", source="reviews.csv:8")])
        assert int(model.optimizer.iterations) == 0

    def test_what_is_no_data(self):
        with pytest.raises(ValueError, match="`fit` takes an AspectDataset, .*received ndarray. Read data with"):
            compiled_model().fit(np.zeros([2, 3]), np.zeros(2))

    def test_a_callback_of_keras_3(self):
        with pytest.raises(ValueError, match="`callbacks` must be a Keras 2 object: received keras"):
            compiled_model().fit(FEW, callbacks=[keras3.callbacks.EarlyStopping()])

    def test_unlabelled_rows(self):
        rows = [*FEW, AspectExample("cold", "food", source="reviews.csv:8")]
        with pytest.raises(ValueError, match=r"1 of 6 have none, the first is row 5 \(reviews.csv:8\)\. Use"):
            compiled_model().fit(rows)

    @pytest.mark.parametrize("name", ["batch_size", "shuffle", "steps_per_epoch"])
    def test_what_belongs_to_the_data(self, name):
        with pytest.raises(ValueError, match=rf"`{name}` belongs to the data: received it in fit\. Pass"):
            compiled_model().fit(FEW, **{name: 2})

    def test_cut_texts_are_counted_once(self):
        model = compiled_model(max_length=6)
        rows = [AspectExample("the place was very very cold", "food", "bad"), AspectExample("bad", "food", "bad")]
        with pytest.warns(
            UserWarning, match=r"1 of 2 rows were cut at 6 tokens; 2 word pieces were left out\. Raise"
        ) as caught:
            model.predict([AspectExample("the place was very cold and", "food"), AspectExample("bad", "food")])
            model.fit(rows, verbose=0)
        assert len([warning for warning in caught if "were cut at" in str(warning.message)]) == 1

    def test_encoded_tensors(self):
        """A model is a Keras model: it also takes what its text encoder gives."""
        model = compiled_model()
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
