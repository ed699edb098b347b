"""A BERT with two knowledge attentions against the reference arrays: every state, both heads, all losses."""

import numpy as np
import pytest
import tensorflow as tf
from transformers import BertConfig, TFBertModel

from keras_absa.keras import keras
from keras_absa.layers import MaskedLMHead
from keras_absa.models import SlottedBert
from keras_absa.training import MarginLinkingLoss, SoftmaxLinkingLoss, linking_targets
from tests.layers.test_golden_knowledge_attention import candidates_of, filled
from tests.models.tiny import bert_variables

pytestmark = pytest.mark.golden
# Golden file's names of BERT's parts -> those of `bert_variables`.
ROLES = {
    "embeddings/word_embeddings": "embeddings/word",
    "embeddings/position_embeddings": "embeddings/position",
    "embeddings/token_type_embeddings": "embeddings/token_type",
    "attention/output/dense": "attention_output",
    "attention/output/LayerNorm": "attention_output/layer_norm",
    "intermediate/dense": "intermediate",
    "output/dense": "output",
    "output/LayerNorm": "output/layer_norm",
    "pooler/dense": "pooler",
    "embeddings/LayerNorm": "embeddings/layer_norm",
}


@pytest.fixture(scope="module")
def arrays(golden_dir):
    return dict(np.load(golden_dir / "knowbert_model.npz", allow_pickle=False))


@pytest.fixture(scope="module")
def encoder(arrays):
    own = {
        name.removeprefix("weight/bert/"): value for name, value in arrays.items() if name.startswith("weight/bert/")
    }
    layers = len({name.split("/")[1] for name in own if name.startswith("encoder/")})
    vocab_size, width = own["embeddings/word_embeddings"].shape
    bert = TFBertModel(
        BertConfig(
            vocab_size=vocab_size,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=4,
            intermediate_size=own["encoder/layer_0/output/dense/kernel"].shape[0],
            max_position_embeddings=own["embeddings/position_embeddings"].shape[0],
            layer_norm_eps=1e-12,
        )
    )
    bert.build_in_name_scope()
    variables = bert_variables(bert)
    for name, value in own.items():
        if not name.startswith("cls/"):
            variables.pop(role_of(name)).assign(value)
    assert not variables
    knowledge = {
        index: filled(arrays, f"weight/kar/{name}/", name=name) for index, name in ((1, "wiki"), (2, "wordnet"))
    }
    return SlottedBert(bert, knowledge=knowledge)


def role_of(name):
    part, _, kind = name.rpartition("/")
    if name in ROLES:
        return ROLES[name]
    prefix = ""
    if part.startswith("encoder/"):
        _, layer, part = part.split("/", 2)
        prefix = f"{layer}/"
    return f"{prefix}{ROLES.get(part, part)}/{kind}"


@pytest.fixture(scope="module")
def outputs(arrays, encoder):
    ids = arrays["input/token_ids"]
    inputs = {
        "input_ids": ids,
        "token_type_ids": arrays["input/segment_ids"],
        "attention_mask": (ids > 0).astype("int32"),
    }
    for name in ("wiki", "wordnet"):
        own = candidates_of(arrays, f"input/{name}/", f"weight/kar/{name}/")
        inputs |= {f"{name}_{key}": value for key, value in own.items()}
    return encoder(inputs, return_hidden_states=True, return_links=True)


def test_states(arrays, outputs):
    order = ("embeddings", "after_layer_0", "after_layer_1", "after_kar_wiki", "after_layer_2", "after_kar_wordnet")
    order += ("after_layer_3",)
    assert len(outputs["hidden_states"]) == len(order)
    for name, states in zip(order, outputs["hidden_states"], strict=True):
        np.testing.assert_allclose(states, arrays[f"expected/{name}"], atol=2e-5, rtol=0, err_msg=name)
    last = arrays["expected/contextual_embeddings"]
    np.testing.assert_allclose(outputs["last_hidden_state"], last, atol=2e-5, rtol=0)
    np.testing.assert_allclose(outputs["pooled"], arrays["expected/pooled_output"], atol=2e-5, rtol=0)


@pytest.fixture(scope="module")
def next_sentence(arrays, outputs):
    kernel, bias = (arrays[f"weight/bert/cls/seq_relationship/{kind}"] for kind in ("kernel", "bias"))
    logits = outputs["pooled"] @ kernel + bias
    np.testing.assert_allclose(logits, arrays["expected/seq_relationship"], atol=5e-5, rtol=0)
    loss = keras.losses.sparse_categorical_crossentropy(arrays["input/next_sentence_label"], logits, from_logits=True)
    return tf.reduce_mean(loss)


def test_masked_language_model(arrays, encoder, outputs, next_sentence):
    table = encoder.bert.bert.embeddings.weight
    head = MaskedLMHead(vocab_size=table.shape[0])
    head.build(outputs["last_hidden_state"].shape)
    roles = {"transform": "transform/dense", "norm": "transform/LayerNorm", "bias": "bias"}
    for name, weight in head.named_weights().items():
        part, _, kind = name.partition(".")
        weight.assign(arrays["weight/bert/cls/" + "/".join(filter(None, (roles[part], kind)))])
    logits = head(outputs["last_hidden_state"], table=table)
    np.testing.assert_allclose(logits, arrays["expected/prediction_scores"], atol=5e-5, rtol=0)
    predicted = arrays["input/lm_labels"] > 0
    np.testing.assert_allclose(  # at the masked places alone
        head(outputs["last_hidden_state"][predicted], table=table), logits[predicted], atol=1e-5, rtol=0
    )
    losses = keras.losses.sparse_categorical_crossentropy(
        arrays["input/lm_labels"][predicted], logits[predicted], from_logits=True
    )
    loss = tf.reduce_mean(losses)
    np.testing.assert_allclose(loss, arrays["expected/loss_lm"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(next_sentence, arrays["expected/loss_nsp"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(loss + next_sentence, arrays["expected/loss_lm_plus_nsp"], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name, loss", [("wiki", MarginLinkingLoss()), ("wordnet", SoftmaxLinkingLoss())])
def test_linking_losses(arrays, outputs, next_sentence, name, loss):
    targets = linking_targets(arrays[f"input/{name}/candidate_entities"], arrays[f"input/{name}/gold_entities"])
    total = loss(targets, outputs["links"][name]["scores"]) + next_sentence
    np.testing.assert_allclose(total, arrays[f"expected/loss_{name}_el_batch"], atol=1e-5, rtol=0)
