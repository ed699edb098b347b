"""A BERT with knowledge bases, raw texts in: trained, saved, loaded, exported, and beside every other slot."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa import Predictor
from keras_absa.data import cross_modal, cross_modal_segments
from keras_absa.keras import keras
from keras_absa.knowledge import KnowledgeBase
from keras_absa.layers import KnowledgeAttention, QuasiAttention, StructuredSelfAttention
from keras_absa.models import BertPairClassifier, JointEncoder, KnowBert, QacgBertClassifier, SlottedBert
from keras_absa.models.load_model import load_model
from keras_absa.serving import export
from tests.models.tiny import VOCABULARY, dataset, open_plugs, tiny_bert, tiny_examples, tiny_task, tiny_tokenizer

ENTITIES = ["soup", "food", "price", "place", "staff"]
MENTIONS = [
    ("soup", "soup", 3),
    ("soup", "food", 1),
    ("the place", "place", 1),
    ("price", "price", 2),
    ("price", "food", 1),
    ("bill", "price", 1),
]


def menu(name="menu", width=8, folder=None, **kwargs):
    vectors = np.random.default_rng(5).normal(size=(len(ENTITIES), width))
    base = KnowledgeBase.from_tables(name, ENTITIES, vectors, MENTIONS, **kwargs)
    if folder is not None:
        base.save(folder)
    return base


def small_attention(base, **kwargs):
    own = {
        "num_heads": 2,
        "inner_units": 12,
        "scorer_units": 6,
        "init_std": 0.5,
        "num_classes": base.num_classes,
        "name": base.name,
    }
    if base.num_classes:
        own["entity_units"] = 8
    return KnowledgeAttention(base.width, **{**own, **kwargs})


def model_with(bases, index=0, model_class=BertPairClassifier, dropout=0.0, knowledge=None, **slots):
    keras.utils.set_random_seed(3)
    bert = tiny_bert(layers=2, dropout=dropout, initializer_range=0.2)
    knowledge = knowledge or {index + place: small_attention(base) for place, base in enumerate(bases)}
    encoder = KnowBert(bert, bases, knowledge=knowledge, **slots)
    return model_class(encoder, tiny_task(), tiny_tokenizer(), max_length=32, dropout=dropout)


def ops_of(signature):
    graph = signature.graph.as_graph_def()
    return {node.op for nodes in (graph.node, *(each.node_def for each in graph.library.function)) for node in nodes}


def test_knowledge_reaches_the_answer():
    """Another vector of an entity that is mentioned changes the answer; one of another entity does not."""
    rows = [row for row in tiny_examples() if "price" in row.text][:2]
    answers = []
    for changed in (None, "soup", "price"):
        base = menu()
        if changed:
            base.vectors[base.entity_id(changed)] *= -1.0
        model = model_with([base])
        answers.append(model(model.text_encoder([row.text for row in rows], [0, 1])).numpy())
    np.testing.assert_array_equal(answers[0], answers[1])
    assert np.abs(answers[2] - answers[0]).max() > 1e-5


def test_all_slots_together(tmp_path):
    """KnowBert, quasi attention and self-attentive pooling: trains, saves, loads, predicts and is served."""
    base, tagged = menu(folder=tmp_path / "menu"), menu("tagged", classes=[1, 1, 2, 2, 3], folder=tmp_path / "tagged")
    model = model_with(
        [base, tagged],
        model_class=QacgBertClassifier,
        attention=QuasiAttention(3),
        num_contexts=2,
        pooling=StructuredSelfAttention(hops=3, attention_units=4),
    )
    rows = tiny_examples()
    before = {weight.name: weight.numpy() for layer in model.encoder.knowledge.values() for weight in layer.weights}
    # A vocabulary's table is in no weight: bases may be larger than memory.
    assert not any(base.vectors.shape == weight.shape for weight in model.weights)
    model.compile(keras.optimizers.SGD(0.5))
    history = model.fit(dataset(rows), epochs=2, verbose=0).history["loss"]
    assert np.isfinite(history).all()
    unmoved = [
        weight.name
        for layer in model.encoder.knowledge.values()
        for weight in layer.weights
        if np.array_equal(weight, before[weight.name]) and "null" not in weight.name
    ]
    assert not [name for name in unmoved if "key/bias" not in name]  # a softmax does not feel them

    expected = model.predict(rows)
    np.testing.assert_allclose(model.predict(rows, batch_size=1), expected, atol=1e-5)  # whatever else is in the batch
    np.testing.assert_allclose(Predictor(model).probabilities(rows[:3]), expected[:3], atol=1e-5)
    model.save_pretrained(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert isinstance(loaded.encoder, KnowBert) and [each.name for each in loaded.encoder.bases] == ["menu", "tagged"]
    assert isinstance(loaded.encoder.bases[0].vectors, np.memmap)
    for one, other in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(one, other)
    served = tf.saved_model.load(str(export(loaded, tmp_path / "export"))).signatures["pair"]
    texts, aspects = [row.text for row in rows], [row.aspect for row in rows]
    answers = served(text=tf.constant(texts), aspect=tf.constant(aspects))
    np.testing.assert_allclose(answers["probabilities"], expected, atol=1e-5)
    assert not ops_of(served) & {"PyFunc", "EagerPyFunc"}


def test_beside_sound(tmp_path):
    """A KnowBert that a context guides is a joint encoder's language: trains, saves, loads, looks and is served."""
    segments = cross_modal_segments("train", size=8)
    segments.contexts = np.arange(8) % 2
    names = ["triumph", "mishap"]
    mentions = [("a great success", "triumph", 1), ("disaster", "mishap", 2), ("a disaster", "mishap", 1)]
    base = KnowledgeBase.from_tables("ends", names, np.random.default_rng(0).normal(size=(2, 8)), mentions)
    base.save(tmp_path / "ends")
    keras.utils.set_random_seed(3)
    bert = tiny_bert(layers=2, dropout=0.0, initializer_range=0.2)
    own = {"attention": QuasiAttention(3, dropout=0.0), "num_contexts": 2}
    encoder = open_plugs(KnowBert(bert, base, knowledge={0: small_attention(base)}, **own))
    lengths = {"text": 60, "audio": 12}
    small = {"hidden_units": 8, "inner_units": 8, "num_heads": 2, "num_blocks": 1, "lengths": lengths}
    model = JointEncoder(cross_modal(), tiny_tokenizer(), encoder, {"audio": 8}, **small)
    told = model.logits(segments)
    base.vectors[base.entity_id("mishap")] *= -1.0
    moved = np.abs(model.logits(segments) - told).max(axis=1) > 1e-6
    assert moved.tolist() == ["disaster" in text for text in segments.texts] and 0 < moved.sum() < 8
    base.vectors[base.entity_id("mishap")] *= -1.0

    before = {name: weight.numpy() for name, weight in model.plug_weights().items()}
    model.compile()
    history = model.fit(segments, epochs=2, batch_size=4, verbose=0).history["loss"]
    assert np.isfinite(history).all()
    changed = {name for name, weight in model.plug_weights().items() if not np.array_equal(weight, before[name])}
    assert {"context_embedding", "lang_adapter.kernel"} <= changed and any(name.startswith("ends/") for name in changed)

    expected = model.predict(segments)
    np.testing.assert_allclose(model.predict(segments, batch_size=1), expected, atol=1e-5)
    assert model.glimpses(segments)["text"].shape == (8, 60)
    model.save_pretrained(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert [each.name for each in loaded.bases] == ["ends"]
    np.testing.assert_allclose(loaded.predict(segments), expected, atol=1e-6)
    sound = np.zeros([8, 12, 8], "float32")
    for place, frames in enumerate(segments.features["audio"]):
        sound[place, : len(frames)] = frames[:12]
    served = tf.saved_model.load(str(export(loaded, tmp_path / "export"))).signatures["serving_default"]
    contexts = tf.constant(segments.contexts, tf.int32)
    answers = served(text=tf.constant(segments.texts), audio=tf.constant(sound), context_ids=contexts)
    np.testing.assert_allclose(answers["probabilities"], expected, atol=1e-5)
    assert not ops_of(served) & {"PyFunc", "EagerPyFunc"}


def test_where_bases_go():
    bert = tiny_bert(layers=5)
    assert list(KnowBert(bert, menu()).knowledge) == ["2"]  # the last but two
    assert list(KnowBert(bert, [menu(), menu("other")]).knowledge) == ["2", "3"]
    assert list(KnowBert(bert, {4: menu(), 0: menu("other")}).knowledge) == ["0", "4"]
    both = KnowBert(bert, {4: menu(), 0: menu("other")})
    assert [base.name for base in both.bases] == ["other", "menu"]  # in the order in which they run
    assert both.knowledge["4"].entity_units is None and KnowBert(bert, menu(width=7)).knowledge["2"].entity_units == 200
    assert list(KnowBert(tiny_bert(layers=1), menu()).knowledge) == ["0"]


def test_a_plain_bert_becomes_one(tmp_path):
    bert = tiny_bert()
    bert.build_in_name_scope()
    bert.save_pretrained(tmp_path, safe_serialization=True)
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY), "utf-8")
    model = BertPairClassifier.from_pretrained(tmp_path, task=tiny_task(), bases={1: menu()}, max_length=32)
    assert list(model.encoder.knowledge) == ["1"]
    assert any(name.startswith("menu/") for name in model.load_report.new)
    assert type(BertPairClassifier.from_pretrained(tmp_path, task=tiny_task(), max_length=32).encoder) is SlottedBert


def test_what_does_not_fit(tmp_path):
    with pytest.raises(ValueError, match="must be in a folder before a model with it is saved: 'menu'"):
        model_with([menu()]).save_pretrained(tmp_path / "model")
    with pytest.raises(ValueError, match=r"names of the knowledge attentions, \['other'\]: received \['menu'\]"):
        model_with([menu()], knowledge={0: small_attention(menu(), name="other")})
    with pytest.raises(ValueError, match="vector_units=8 and num_classes=0: received 6 and 0"):
        model_with([menu()], knowledge={0: small_attention(menu(width=6))})
    model_with([menu(folder=tmp_path / "menu")]).save_pretrained(tmp_path / "model")
    menu(width=8, folder=tmp_path / "menu", seed=1)
    with pytest.raises(ValueError, match="another version of the knowledge base 'menu'"):
        load_model(tmp_path / "model")
    (tmp_path / "menu" / "manifest.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"menu: no manifest\.json"):
        load_model(tmp_path / "model")
