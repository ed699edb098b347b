"""The encoder with slots: a BERT like any other without plugs, and what plugs add."""

import keras as keras3
import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import sentihood
from keras_absa.keras import keras
from keras_absa.layers import ContextGuidedAttention, QuasiAttention, StructuredSelfAttention
from keras_absa.models import CgBertClassifier, QacgBertClassifier, SlottedBert
from tests.layers.helpers import GATES
from tests.models.tiny import ATTENTIONS, open_plugs, random_batch, tiny_bert, tiny_encoder, tiny_tokenizer


def close_gates(encoder):
    for plug in encoder.plugs.values():
        for gate in GATES:
            for weight in getattr(plug, gate):
                if weight is not None:
                    weight.assign(tf.zeros_like(weight))


def bert_inputs(batch):
    return {name: value for name, value in batch.items() if name != "context_ids"}


def largest_difference(ours, theirs):
    pairs = (ours["last_hidden_state"], theirs.last_hidden_state), (ours["pooled"], theirs.pooler_output)
    return max(float(tf.reduce_max(tf.abs(mine - other))) for mine, other in pairs)


class TestWithoutPlugs:
    @pytest.mark.parametrize("wrap", [lambda function: function, tf.function], ids=["eager", "graph"])
    def test_equals_bert(self, minilm, minilm_batch, wrap):
        ours = wrap(SlottedBert(minilm))(minilm_batch)
        theirs = wrap(lambda inputs: minilm(inputs))(bert_inputs(minilm_batch))
        assert largest_difference(ours, theirs) <= 1e-6

    def test_xla_equals_graph(self, minilm, minilm_batch):
        encoder = SlottedBert(minilm)
        outputs = [tf.function(encoder, jit_compile=jit)(minilm_batch) for jit in (False, True)]
        for name in ("last_hidden_state", "pooled"):
            np.testing.assert_allclose(outputs[1][name], outputs[0][name], atol=1e-4)

    def test_defaults_of_the_inputs(self):
        bert, ids = tiny_bert(), random_batch()["input_ids"]
        assert largest_difference(SlottedBert(bert)({"input_ids": ids}), bert({"input_ids": ids})) <= 1e-6

    def test_hidden_states(self):
        bert, batch = tiny_bert(layers=3), random_batch()
        ours = SlottedBert(bert)(batch, return_hidden_states=True)["hidden_states"]
        theirs = bert(bert_inputs(batch), output_hidden_states=True).hidden_states
        assert len(ours) == 4
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-6)

    def test_has_no_new_weights(self):
        bert = tiny_bert()
        encoder = SlottedBert(bert)
        assert encoder.plug_weights() == {} and encoder.count_params() == bert.count_params()

    def test_a_bert_without_pooler(self):
        from transformers import TFBertModel

        bert = TFBertModel(tiny_bert().config, add_pooling_layer=False)
        assert set(SlottedBert(bert)(random_batch())) == {"last_hidden_state"}


class TestFirstTokenOnly:
    @pytest.mark.parametrize("wrap", [lambda function: function, tf.function], ids=["eager", "graph"])
    @pytest.mark.parametrize("attention", [None, "cg", "quasi"])
    def test_same_numbers_and_gradients(self, attention, wrap):
        encoder, batch = tiny_encoder(attention, layers=2), random_batch()
        if attention is not None:
            open_plugs(encoder)

        def read(first_token_only):
            with tf.GradientTape() as tape:
                outputs = encoder(batch, first_token_only=first_token_only)
                loss = tf.reduce_sum(outputs["pooled"] ** 2)
            return outputs, tape.gradient(loss, encoder.trainable_variables)

        (whole, gradients), (first, other_gradients) = (wrap(read)(only) for only in (False, True))
        assert first["last_hidden_state"].shape == (3, 1, 24)
        np.testing.assert_allclose(first["last_hidden_state"], whole["last_hidden_state"][:, :1], atol=1e-6)
        np.testing.assert_allclose(first["pooled"], whole["pooled"], atol=1e-6)
        for one, other, variable in zip(gradients, other_gradients, encoder.trainable_variables, strict=True):
            one, other = tf.convert_to_tensor(one), tf.convert_to_tensor(other)
            np.testing.assert_allclose(other, one, atol=1e-5, err_msg=variable.name)

    def test_maps_have_the_rows_that_were_computed(self):
        encoder, batch = open_plugs(tiny_encoder("quasi", layers=2)), random_batch()
        whole = encoder(batch, return_attention=True)["attention"]
        first = encoder(batch, return_attention=True, first_token_only=True)["attention"]
        np.testing.assert_array_equal(first[0]["attention"], whole[0]["attention"])
        np.testing.assert_allclose(first[1]["attention"], whole[1]["attention"][:, :, :1], atol=1e-6)


class TestPlugs:
    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_closed_gates_leave_bert(self, minilm, minilm_batch, attention):
        encoder = SlottedBert(minilm, attention=ATTENTIONS[attention](12), num_contexts=2)
        close_gates(encoder)
        ours, theirs = encoder(minilm_batch), minilm(bert_inputs(minilm_batch))
        mask = minilm_batch["attention_mask"].numpy()[..., None]  # other tokens are read by nothing
        np.testing.assert_allclose(
            ours["last_hidden_state"] * mask, theirs.last_hidden_state * mask, atol=5e-6
        )  # sums are added up in another order, in which processors differ
        np.testing.assert_allclose(ours["pooled"], theirs.pooler_output, atol=1e-6)

    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_warm_start(self, minilm, minilm_batch, attention):
        keras.utils.set_random_seed(0)
        encoder = SlottedBert(minilm, attention=ATTENTIONS[attention](12), num_contexts=2)
        before = minilm(bert_inputs(minilm_batch)).last_hidden_state[:, 0]
        change = tf.norm(encoder(minilm_batch)["last_hidden_state"][:, 0] - before) / tf.norm(before)
        assert 0.001 < change < 0.2

    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_guided_layers(self, attention):
        encoder = open_plugs(tiny_encoder(attention, layers=3, guided_layers=(2,)))
        assert set(encoder.plugs) == set(encoder.context_matrices) == {"2"}
        assert {name.split("/")[0] for name in encoder.plug_weights()} == {"context_embedding", "layer_2"}
        batch = random_batch()
        other = {**batch, "context_ids": 1 - batch["context_ids"]}
        states, changed = (encoder(inputs, return_hidden_states=True)["hidden_states"] for inputs in (batch, other))
        for at in range(3):  # embeddings and layers 0 and 1
            np.testing.assert_array_equal(states[at], changed[at])
        assert np.abs(states[3] - changed[3]).max(axis=(1, 2)).min() > 1e-3

        everywhere = open_plugs(SlottedBert(encoder.bert, attention=ATTENTIONS[attention](3), num_contexts=2))
        assert set(everywhere.plugs) == {"0", "1", "2"}
        difference = everywhere(batch)["last_hidden_state"] - encoder(batch)["last_hidden_state"]
        assert np.abs(difference).max() > 1e-3
        assert set(everywhere(batch, return_attention=True)["attention"]) == {0, 1, 2}
        assert set(encoder(batch, return_attention=True)["attention"]) == {2}

    def test_order_and_copies_in_guided_layers_do_not_matter(self):
        assert tiny_encoder("quasi", layers=3, guided_layers=[2, 0, 2]).guided_layers == (0, 2)

    def test_each_layer_has_its_own_plug(self):
        encoder = tiny_encoder("quasi", alpha=0.5, dropout=0.3)
        one, two = encoder.plugs["0"], encoder.plugs["1"]
        assert one.alpha == two.alpha == 0.5 and one.dropout == two.dropout == 0.3
        assert np.any(one.query_gate[0] != two.query_gate[0])
        batch = random_batch()
        before = encoder(batch, return_hidden_states=True)["hidden_states"]
        two.query_gate[1].assign([3.0])
        after = encoder(batch, return_hidden_states=True)["hidden_states"]
        np.testing.assert_array_equal(before[1], after[1])
        assert np.any(before[2] != after[2])

    def test_share_context_dense(self):
        own, shared = (tiny_encoder("cg", share_context_dense=share) for share in (False, True))
        assert own.count_params() - shared.count_params() == 2 * 24 * 24 + 24
        assert shared.context_matrices["0"] is shared.context_matrices["1"]
        weights = shared.plug_weights()
        assert weights["layer_0/context_matrix/kernel"] is weights["layer_1/context_matrix/kernel"]
        open_plugs(shared)
        for layer in "01":
            own.context_matrices[layer].set_weights(shared.context_matrices[layer].get_weights())
            own.plugs[layer].set_weights(shared.plugs[layer].get_weights())
        own.context_embedding.set_weights(shared.context_embedding.get_weights())
        own.bert.set_weights(shared.bert.get_weights())
        batch = random_batch()
        np.testing.assert_allclose(own(batch)["pooled"], shared(batch)["pooled"], atol=1e-6)

    def test_return_attention_changes_nothing(self):
        encoder, batch = open_plugs(tiny_encoder("quasi")), random_batch()
        np.testing.assert_array_equal(encoder(batch)["pooled"], encoder(batch, return_attention=True)["pooled"])

    def test_config_round_trip(self):
        encoder = tiny_encoder("quasi", guided_layers=(1,), share_context_dense=True, beta=0.5, context_init_std=0.1)
        again = SlottedBert.from_config(encoder.get_config())
        assert again.get_config() == encoder.get_config()
        assert again.plugs["1"].get_config() == encoder.plugs["1"].get_config()
        again.set_weights(encoder.get_weights())
        np.testing.assert_array_equal(again(random_batch())["pooled"], encoder(random_batch())["pooled"])


class TestPadding:
    def more_padding(self, batch, columns=5):
        padded = {name: np.pad(value, [(0, 0), (0, columns)]) for name, value in bert_inputs(batch).items()}
        return {**padded, "context_ids": batch["context_ids"]}

    def assert_same(self, encoder, batch, tolerance):
        short, long = encoder(batch), encoder(self.more_padding(batch))
        mask = np.array(batch["attention_mask"])[..., None]
        difference = (long["last_hidden_state"][:, : mask.shape[1]] - short["last_hidden_state"]) * mask
        assert np.abs(difference).max() <= tolerance
        np.testing.assert_allclose(long["pooled"], short["pooled"], atol=tolerance)

    @pytest.mark.parametrize("attention", [None, *ATTENTIONS])
    def test_on_minilm(self, minilm, minilm_batch, attention):
        slots = {"attention": ATTENTIONS[attention](12), "num_contexts": 2} if attention else {}
        encoder = SlottedBert(minilm, **slots)
        self.assert_same(encoder, {name: value.numpy() for name, value in minilm_batch.items()}, 1e-5)

    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_on_a_tiny_bert(self, attention):
        self.assert_same(open_plugs(tiny_encoder(attention)), random_batch(), 2e-6)

    def test_ids_and_types_under_the_mask_do_not_matter(self):
        encoder, batch = open_plugs(tiny_encoder("quasi")), random_batch()
        hidden = 1 - batch["attention_mask"]
        other = {
            **batch,
            "input_ids": batch["input_ids"] + 3 * hidden,
            "token_type_ids": batch["token_type_ids"] + hidden,
        }
        np.testing.assert_allclose(encoder(other)["pooled"], encoder(batch)["pooled"], atol=1e-6)


class TestMixedPrecision:
    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_tiny(self, request, attention):
        full = open_plugs(tiny_encoder(attention, seed=1))
        request.getfixturevalue("mixed_float16")
        self.assert_close(full, tiny_encoder(attention, seed=1), random_batch())

    def test_minilm(self, request, minilm, minilm_batch):
        full = SlottedBert(minilm, attention=QuasiAttention(12), num_contexts=2)
        request.getfixturevalue("mixed_float16")
        self.assert_close(full, SlottedBert.from_config(full.get_config()), minilm_batch)

    def assert_close(self, full, mixed, batch):
        mixed.set_weights(full.get_weights())
        assert mixed.compute_dtype == "float16" and full.compute_dtype == "float32"
        ours, expected = mixed(batch), full(batch)
        assert ours["last_hidden_state"].dtype == tf.float16
        # Tokens under the mask are read by nothing.
        mask = np.array(batch["attention_mask"], "float32")[..., None]
        for name, real in (("last_hidden_state", mask), ("pooled", 1.0)):
            half, single = tf.cast(ours[name], tf.float32), expected[name]
            assert np.all(np.isfinite(half))
            np.testing.assert_allclose(half * real, single * real, atol=2e-2)

    @pytest.mark.parametrize("attention", ATTENTIONS)
    def test_gradients_are_finite(self, mixed_float16, attention):
        encoder = tiny_encoder(attention)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cast(encoder(random_batch(), training=True)["pooled"], tf.float32))
        gradients = tape.gradient(loss, encoder.trainable_weights)
        assert all(np.all(np.isfinite(tf.convert_to_tensor(gradient))) for gradient in gradients)


def test_parameter_counts_of_bert_base():
    """Section 4 of the specification; one BERT-base (550 MB) serves both models."""
    bert = tiny_bert(layers=12, width=768, heads=12, vocab_size=30522, positions=512, intermediate=3072)
    counts = {}
    for model_class, layer_class in ((CgBertClassifier, ContextGuidedAttention), (QacgBertClassifier, QuasiAttention)):
        encoder = SlottedBert(bert, attention=layer_class(12), num_contexts=8)
        counts[model_class.__name__] = model_class(encoder, sentihood(), tiny_tokenizer()).count_params()
    assert bert.count_params() == 109_482_240
    assert counts == {"CgBertClassifier": 123_758_595, "QacgBertClassifier": 137_833_011}


class TestErrors:
    @pytest.mark.parametrize(
        "wrong, wrap", [(2, tf.function), (2, lambda function: function), (-1, lambda function: function)]
    )
    def test_context_ids_outside_the_table(self, wrong, wrap):
        batch = {name: tf.constant(value) for name, value in random_batch().items()}
        batch["context_ids"] = tf.constant([0, wrong, 1])
        with pytest.raises(tf.errors.InvalidArgumentError, match="context_ids"):
            wrap(tiny_encoder("quasi"))(batch)

    def test_missing_context_ids(self):
        with pytest.raises(ValueError, match=r"needs `context_ids`: received only \['attention_mask', .*\. Add"):
            tiny_encoder("cg")(bert_inputs(random_batch()))

    def test_strings(self):
        with pytest.raises(ValueError, match=r"`input_ids` must be integers: received strings\. .*PairEncoder"):
            SlottedBert(tiny_bert())({"input_ids": tf.constant([["good", "food"]])})

    @pytest.mark.parametrize("inputs", [np.ones([2, 3], "int32"), {"context_ids": np.zeros(2, "int32")}])
    def test_no_input_ids(self, inputs):
        with pytest.raises(ValueError, match=r"must be a dict with `input_ids`: received \w+\. Make"):
            SlottedBert(tiny_bert())(inputs)

    @pytest.mark.parametrize("bert", [keras.layers.Dense(2), keras3.layers.Dense(2), "minilm"])
    def test_not_a_bert(self, bert):
        with pytest.raises(ValueError, match=r"`bert` must be a transformers.TFBertModel: received .*\. Load one"):
            SlottedBert(bert)

    def test_a_keras_3_layer(self):
        with pytest.raises(ValueError, match=r"`attention` must be a Keras 2 layer: received keras\.\S+\. Derive it"):
            SlottedBert(tiny_bert(), attention=keras3.layers.Dense(2), num_contexts=2)

    @pytest.mark.parametrize("num_contexts", [None, 0])
    def test_no_contexts(self, num_contexts):
        with pytest.raises(ValueError, match=rf"`num_contexts` must be a positive .* received {num_contexts}\. Pass"):
            SlottedBert(tiny_bert(), attention=QuasiAttention(3), num_contexts=num_contexts)

    def test_other_heads(self):
        with pytest.raises(ValueError, match=r"the encoder's 3 heads: received num_heads=4\. Make"):
            SlottedBert(tiny_bert(), attention=QuasiAttention(4), num_contexts=2)

    @pytest.mark.parametrize("layers", [(2,), (-1,), ()])
    def test_layers_that_are_not_there(self, layers):
        with pytest.raises(ValueError, match=r"`guided_layers` must be layers 0 to 1: received .*\. Leave it out"):
            tiny_encoder("quasi", guided_layers=layers)


class TestPooling:
    def test_pools_the_last_hidden_states(self):
        encoder = tiny_encoder("quasi", pooling=StructuredSelfAttention(2, 3, penalty_coef=0.5))
        batch = random_batch()
        outputs = encoder(batch, return_attention=True, first_token_only=True)
        pooled, annotation = encoder.pooling(outputs["last_hidden_state"], mask=batch["attention_mask"])
        np.testing.assert_allclose(outputs["pooled"], pooled, atol=1e-6)
        np.testing.assert_allclose(outputs["annotation"], annotation, atol=1e-6)
        assert pooled.shape[-1] == encoder.pooled_width == 48
        mean = tf.reduce_mean(encoder.pooling.penalties(annotation))
        encoder(batch)
        np.testing.assert_allclose(encoder.losses, [0.5 * mean], rtol=1e-5)

    def test_padding_changes_nothing(self):
        encoder = tiny_encoder(None, pooling=StructuredSelfAttention(2, 3), pooling_tokens="words")
        batch = bert_inputs(random_batch())
        longer = {name: np.pad(value, ((0, 0), (0, 3))) for name, value in batch.items()}
        np.testing.assert_allclose(encoder(longer)["pooled"], encoder(batch)["pooled"], atol=1e-5)

    @pytest.mark.parametrize(
        ("tokens", "expected"),
        [
            ("all", [[1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0, 0]]),
            ("words", [[0, 1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0, 0]]),
            ("first_segment_words", [[0, 1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0]]),
        ],
    )
    def test_which_tokens_it_sees(self, tokens, expected):
        """[CLS] a [SEP] b b [SEP] [PAD] and, without a second segment, [CLS] a a [SEP]."""
        batch = {
            "input_ids": tf.constant([[2, 5, 3, 6, 7, 3, 0], [2, 5, 6, 3, 0, 0, 0]]),
            "attention_mask": tf.constant([[1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0, 0]]),
            "token_type_ids": tf.constant([[0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0]]),
        }
        encoder = tiny_encoder(None, pooling=StructuredSelfAttention(2, 3), pooling_tokens=tokens)
        seen = encoder(batch, return_attention=True)["annotation"].numpy() > 0
        np.testing.assert_array_equal(seen.all(axis=1), np.array(expected, bool))
        np.testing.assert_array_equal(seen.any(axis=1), np.array(expected, bool))

    def test_saved_and_loaded(self, tmp_path):
        encoder = tiny_encoder("cg", pooling=StructuredSelfAttention(2, 3, pooling="project"), pooling_tokens="words")
        assert {"pooling/w_s1", "pooling/w_s2", "pooling/kernel", "pooling/bias"} <= set(encoder.plug_weights())
        encoder.save_pretrained(tmp_path)
        again = SlottedBert.from_pretrained(tmp_path)
        np.testing.assert_array_equal(again(random_batch())["pooled"], encoder(random_batch())["pooled"])
        slots, saved = again.slots_config(), encoder.slots_config()
        assert slots.pop("bert") and saved.pop("bert") and slots == saved and not again.load_report.unused

    @pytest.mark.parametrize(
        ("slots", "message"),
        [
            ({"pooling": StructuredSelfAttention(2, 3, pooling="none")}, "must give one vector a text"),
            ({"pooling": keras3.layers.Dense(3)}, "`pooling` must be a Keras 2 layer: received keras"),
            (
                {"pooling": keras.layers.Dense(3)},
                "`pooling` must be a layer with the setting `return_attention`.*a Dense",
            ),
            ({"pooling": StructuredSelfAttention(2, 3), "pooling_tokens": "cls"}, "`pooling_tokens` must be one of"),
        ],
    )
    def test_errors(self, slots, message):
        with pytest.raises(ValueError, match=message):
            tiny_encoder(None, **slots)
