"""Every sensible combination of slots, schemes and tasks: built, trained a step, saved, loaded and exported."""

from itertools import product

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample, AspectTask, aspect_terms
from keras_absa.keras import keras
from keras_absa.layers import MeanPooling, StructuredSelfAttention
from keras_absa.models import BertPairClassifier, CgBertClassifier, QacgBertClassifier, SlottedBert
from keras_absa.models.load_model import load_model
from keras_absa.serving import export
from tests.models.tiny import tiny_encoder, tiny_task, tiny_tokenizer

# A part that is added to the package is added to one of these.
ATTENTIONS = {
    "none": (BertPairClassifier, None, {}),
    "cg_tanh": (CgBertClassifier, "cg", {}),
    "cg_sigmoid_per_head": (CgBertClassifier, "cg", {"gate_activation": "sigmoid", "per_head_gates": True}),
    "quasi": (QacgBertClassifier, "quasi", {}),
    "quasi_shared_l1": (QacgBertClassifier, "quasi", {"quasi_map": "shared", "similarity": "negative_l1"}),
}
TASKS = {
    "closed": tiny_task(),
    "targets": AspectTask.from_dict(
        tiny_task().to_dict() | {"targets": ("PLACE1", "PLACE2"), "target_words": ("the place - 1", "the place - 2")}
    ),
    "open": aspect_terms(labels=("good", "bad")),
}
SLOTS = {"all_layers": {}, "upper_layer_shared_matrix": {"guided_layers": (1,), "share_context_dense": True}}
SELF_ATTENTION = {"hops": 3, "attention_units": 4, "penalty_coef": 0.1}
# The encoder's slot, and the model's arguments.
HEADS = {
    "pooler": ({}, {}),
    "cls": ({}, {"use_pooler": False, "temperature": 2.0}),
    "mean": ({"pooling": MeanPooling()}, {}),
    "self_attentive": ({"pooling": StructuredSelfAttention(**SELF_ATTENTION)}, {}),
    "self_attentive_words": (
        {
            "pooling": StructuredSelfAttention(**SELF_ATTENTION, pooling="project", projection_units=5, use_bias=True),
            "pooling_tokens": "first_segment_words",
        },
        {"use_pooler": False},
    ),
}
SLOW = [  # nothing that is not in another one
    ("none", "closed", "qa_b", "all_layers", "pooler"),
    ("none", "closed", "single", "all_layers", "pooler"),
    ("none", "closed", "nli_m", "all_layers", "self_attentive"),
]
COMBINATIONS = [
    *product(["none"], ["closed"], ["nli_m", "qa_b", "single"], ["all_layers"], ["pooler"]),
    ("none", "targets", "qa_m", "all_layers", "mean"),
    ("none", "open", "nli_b", "all_layers", "cls"),
    ("none", "closed", "nli_m", "all_layers", "self_attentive"),
    ("cg_sigmoid_per_head", "closed", "nli_m", "all_layers", "self_attentive_words"),
    ("quasi_shared_l1", "closed", "nli_m", "all_layers", "pooler"),
    ("cg_tanh", "targets", "single", "upper_layer_shared_matrix", "cls"),
    ("quasi", "targets", "nli_b", "upper_layer_shared_matrix", "self_attentive"),
]


def examples(task):
    texts = ["PLACE1 was good and PLACE2 not", "very cold soup at PLACE1"]
    targets = [["PLACE1", "PLACE2"], ["PLACE1"]] if task.targets else [[None], [None]]
    aspects = task.aspects or ("cold soup", "staff")
    rows = [
        AspectExample(text, aspect, target=target)
        for text, own in zip(texts, targets, strict=True)
        for target in own
        for aspect in aspects
    ]
    return [
        AspectExample(row.text, row.aspect, task.labels[place % len(task.labels)], target=row.target)
        for place, row in enumerate(rows)
    ]


def served(folder, task, rows):
    pair = tf.saved_model.load(str(folder)).signatures["pair"]
    inputs = {"text": [row.text for row in rows], "aspect": [row.aspect for row in rows]}
    if task.targets:
        inputs |= {"target": [row.target for row in rows], "other_target": [""] * len(rows)}
    return pair(**{name: tf.constant(values) for name, values in inputs.items()})


@pytest.mark.parametrize(
    "attention, task, scheme, slots, head",
    [pytest.param(*each, marks=[pytest.mark.slow] * (each in SLOW)) for each in COMBINATIONS],
    ids=str,
)
def test_combination(tmp_path, attention, task, scheme, slots, head):
    task = TASKS[task]
    model_class, kind, arguments = ATTENTIONS[attention]
    slots = {} if kind is None else {**SLOTS[slots], **arguments}
    pooling, own = HEADS[head]
    encoder = tiny_encoder(kind, layers=2, num_contexts=task.num_contexts, **slots, **pooling)
    assert isinstance(encoder, SlottedBert)
    model = model_class(encoder, task, tiny_tokenizer(), scheme=scheme, max_length=48, **own)
    rows = examples(task)

    before = [weight.numpy() for weight in model.trainable_weights]
    model.compile(keras.optimizers.SGD(0.5), run_eagerly=True)
    logs = model.fit(rows, verbose=0).history
    assert np.isfinite(logs["loss"][0]) and ("penalty" in logs) == head.startswith("self_attentive")
    for weight, old in zip(model.trainable_weights, before, strict=True):
        # The smallest softmax gradients are lost in float32: a hop's constant moves nothing.
        unused = ("token_type", "pooler", "b_s2")
        used = not (scheme == "single" or any(name in weight.name for name in unused))
        assert np.all(np.isfinite(weight)) and (not used or np.any(weight.numpy() != old)), weight.name

    expected = model.predict(rows)
    model.save_pretrained(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is model_class
    for one, other in zip(model.weights, again.weights, strict=True):
        np.testing.assert_array_equal(one, other)
    answers = served(export(again, tmp_path / "export"), task, rows)
    np.testing.assert_allclose(answers["probabilities"], expected, atol=1e-5)
    assert set(answers["error"].numpy()) == {b""}
