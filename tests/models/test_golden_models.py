"""Whole tiny models against arrays made with the authors' public code: hidden states, logits, loss, every gradient."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectTask
from keras_absa.keras import keras
from keras_absa.layers import ContextGuidedAttention, QuasiAttention
from keras_absa.models import CgBertClassifier, QacgBertClassifier, SlottedBert
from tests.layers.helpers import plug_variables
from tests.models.tiny import bert_variables, golden_bert, tiny_tokenizer

pytestmark = pytest.mark.golden

# file, expected outputs' prefix, attention's class, its arguments, model, does the file hold the gradients for it
CASES = {
    "qacg": ("qacg_model_tiny.npz", "exp/", QuasiAttention, {}, QacgBertClassifier, True),
    "cg_sigmoid": (
        "cg_model_tiny.npz",
        "exp/",
        ContextGuidedAttention,
        {"gate_activation": "sigmoid"},
        CgBertClassifier,
        True,
    ),
    "cg_tanh": ("cg_model_tiny.npz", "exp_tanh/", ContextGuidedAttention, {}, CgBertClassifier, False),
}


@pytest.fixture(params=CASES)
def case(request, golden_dir):
    file, prefix, layer, arguments, model_class, has_gradients = CASES[request.param]
    arrays = np.load(golden_dir / file, allow_pickle=False)
    return arrays, prefix, golden_model(arrays, layer, arguments, model_class), has_gradients


def golden_model(arrays, layer_class, arguments, model_class):
    contexts, labels = int(arrays["cfg/num_contexts"]), int(arrays["cfg/num_labels"])
    heads = int(arrays["cfg/num_heads"])
    encoder = SlottedBert(golden_bert(arrays), attention=layer_class(heads, **arguments), num_contexts=contexts)
    task = AspectTask("golden", [f"a{n}" for n in range(contexts)], [f"l{n}" for n in range(labels)])
    tokenizer = tiny_tokenizer()
    # The golden vocabulary is smaller than any that can spell; only ids are used here.
    encoder.bert.config.vocab_size = tokenizer.vocab_size
    model = model_class(encoder, task, tokenizer, max_length=int(arrays["cfg/max_position"]))
    for role, variable in model_variables(model).items():
        variable.assign(arrays[f"w/{role}"].reshape(variable.shape))
    return model


def model_variables(model):
    """Golden role -> variable of a context-guided classifier."""
    variables = bert_variables(model.encoder.bert)
    variables["context_embedding"] = model.encoder.context_embedding.embeddings
    for index, plug in model.encoder.plugs.items():
        matrix = model.encoder.context_matrices[index]
        variables[f"layer_{index}/context_dense/kernel"] = matrix.kernel
        variables[f"layer_{index}/context_dense/bias"] = matrix.bias
        variables |= {f"layer_{index}/attention/{role}": weight for role, weight in plug_variables(plug).items()}
    variables["classifier/kernel"] = model.classifier_kernel
    variables["classifier/bias"] = model.classifier_bias
    return variables


def inputs_of(arrays):
    names = ("input_ids", "token_type_ids", "attention_mask", "context_ids")
    return {name: tf.constant(arrays[f"in/{name}"]) for name in names}


def test_forward(case):
    arrays, prefix, model, _ = case
    outputs = model.encoder(inputs_of(arrays), return_attention=True, return_hidden_states=True)
    expected = {name.removeprefix(prefix): arrays[name] for name in arrays.files if name.startswith(prefix)}
    got = {"embedding_output": outputs["hidden_states"][0], "pooled": outputs["pooled"]}
    names = {
        "attention": ("attention_probs", "attention_weights"),
        "self_attention": ("self_attention",),
        "gated_quasi": ("gated_quasi",),
        "lambda_attention": ("lambda_a",),
    }
    for index, state in enumerate(outputs["hidden_states"][1:]):
        got[f"hidden_{index}"] = state
        maps = outputs["attention"][index]
        got |= {f"{golden}_{index}": maps[ours] for ours, theirs in names.items() if ours in maps for golden in theirs}
        matrix = model.encoder.context_matrices[str(index)]
        context = model.encoder.context_embedding(inputs_of(arrays)["context_ids"])
        got[f"context_matrix_{index}"] = matrix(context, outputs["hidden_states"][index])
    got["logits"] = model(inputs_of(arrays))
    got["probabilities"] = model.probabilities(got["logits"])
    compared = [name for name in expected if name in got]
    assert {"logits", "hidden_0", "context_matrix_0", "pooled"} <= set(compared)
    for name in compared:
        np.testing.assert_allclose(got[name], expected[name], atol=1e-5, rtol=0, err_msg=name)


def test_loss_and_every_gradient(case):
    arrays, prefix, model, has_gradients = case
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    variables = model_variables(model)
    with tf.GradientTape() as tape:
        loss = loss_of(arrays["in/labels"], model(inputs_of(arrays), training=False))
    np.testing.assert_allclose(loss, arrays[f"{prefix}loss"], atol=1e-5, rtol=0)
    if not has_gradients:
        return
    gradients = tape.gradient(loss, variables)
    golden_names = {name.removeprefix("g/") for name in arrays.files if name.startswith("g/")}
    assert golden_names == set(variables)
    for name in golden_names:
        gradient = tf.reshape(tf.convert_to_tensor(gradients[name]), arrays[f"g/{name}"].shape)
        np.testing.assert_allclose(gradient, arrays[f"g/{name}"], atol=1e-5, rtol=0, err_msg=name)
