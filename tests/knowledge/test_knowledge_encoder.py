"""Texts with mentions as a BERT's inputs: by hand, equal to the published pipeline, and to the plain encoder's tokens."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.knowledge import KnowledgeBase, KnowledgeEncoder
from keras_absa.text import PairEncoder
from tests.models.tiny import tiny_tokenizer

ENTITIES = ["soup", "food", "cold_soup", "price"]
MENTIONS = [("soup", "soup", 3), ("soup", "food", 1), ("cold soup", "cold_soup", 1), ("price", "price", 1)]


def base(name="menu", mentions=MENTIONS, **kwargs):
    vectors = np.arange(len(ENTITIES) * 3).reshape(-1, 3)
    return KnowledgeBase.from_tables(name, ENTITIES, vectors, mentions, **kwargs)


def encoder(bases=None, **kwargs):
    return KnowledgeEncoder(tiny_tokenizer(), [base()] if bases is None else bases, **kwargs)


def shown(inputs, row=0, name="menu"):
    """(first token, last token, names, priors) of a row's mentions."""
    own = {key: inputs[f"{name}_{key}"].numpy() for key in ("spans", "entities", "priors")}
    found = []
    for span, ids, priors in zip(*(own[key][row] for key in own), strict=True):
        if span[0] >= 0:
            found.append((*span.tolist(), ids[ids > 0].tolist(), priors[ids > 0].tolist()))
    return found


def test_mentions_of_both_texts():
    inputs = encoder()(["The cold soup", "bill"], ["xyz price", "soup"])
    # [CLS] the cold soup [SEP] x ##y ##z price [SEP]
    assert shown(inputs) == [(2, 3, [4], [1.0]), (3, 3, [2, 3], [0.75, 0.25]), (8, 8, [5], [1.0])]
    assert shown(inputs, 1) == [(3, 3, [2, 3], [0.75, 0.25])]
    assert inputs["menu_spans"].shape == (2, 3, 2) and inputs["menu_priors"].shape == (2, 3, 2)


def test_vectors_come_once_an_entity():
    own = base()
    inputs = encoder([own])(["soup and soup, cold soup", "no"])
    entities, rows = inputs["menu_entities"].numpy(), inputs["menu_rows"].numpy()
    distinct = np.unique(entities)
    assert inputs["menu_vectors"].shape == (len(distinct), own.width)
    np.testing.assert_array_equal(inputs["menu_vectors"].numpy()[rows], own.vectors[entities])


def test_a_row_without_mentions():
    for texts in (["no", ""], ["no", "soup"]):
        inputs = encoder()(texts)
        assert inputs["menu_spans"].numpy()[0, 0].tolist() == [-1, -1]
        assert inputs["menu_entities"].numpy()[0].max() == 0
        np.testing.assert_allclose(inputs["menu_priors"].numpy()[0].sum(), 1.0)  # as published
        assert inputs["menu_priors"].numpy()[0, 0, 0] == 1.0
    assert encoder()(tf.zeros([0], tf.string))["menu_spans"].shape[0] == 0


def test_classes():
    own = base(classes=[1, 1, 2, 3])
    inputs = encoder([own])(["cold soup"])
    rows, entities = inputs["menu_rows"].numpy(), inputs["menu_entities"].numpy()
    np.testing.assert_array_equal(inputs["menu_classes"].numpy()[rows], own.classes[entities])
    assert own.classes.tolist() == [0, 6, 1, 1, 2, 3, 4, 5] and own.num_classes == 7


def test_embedded_vectors_are_used_in_their_place():
    table = np.random.default_rng(0).normal(size=(8, 5)).astype("float32")
    inputs = encoder(embedded={"menu": table})(["cold soup"])
    assert "menu_vectors" not in inputs
    rows, entities = inputs["menu_rows"].numpy(), inputs["menu_entities"].numpy()
    np.testing.assert_array_equal(inputs["menu_embedded"].numpy()[rows], table[entities])


TEXTS = [
    "The soup was cold, cold soup!",
    "",
    "bill",
    "naïve Café-au-lait... CAN'T; don't",
    "a\tb\nc 東京 xyz",
    "-- - --",
    "\u0301 soup",
]


@pytest.mark.parametrize("strip_accents", [True, False])
def test_tokens_are_those_of_the_plain_encoder(strip_accents):
    own, plain = encoder(max_length=200, strip_accents=strip_accents), PairEncoder(tiny_tokenizer(), max_length=200)
    texts = TEXTS if strip_accents else [text for text in TEXTS if text.isascii()]
    for second in (None, texts[::-1]):
        found, wanted = own(texts, second), plain(texts, second)
        for key, value in wanted.items():
            np.testing.assert_array_equal(found[key], value, err_msg=key)
        assert found["menu_spans"].shape[0] == len(texts)


def test_accents_are_kept_on_request():
    folded, kept = (encoder(strip_accents=flag)(["café"])["input_ids"].numpy()[0].tolist() for flag in (True, False))
    assert folded != kept and tiny_tokenizer().unk_id in kept


def test_a_word_without_pieces_is_no_mention():
    own = base(mentions=[("\u0301", "soup", 1), ("price", "price", 1)])
    assert shown(encoder([own])(["\u0301 price"])) == [(1, 1, [5], [1.0])]


def test_whole_words_are_cut_first():
    own = encoder(max_length=7)
    inputs, cut = own.encode_with_counts(["the xyz soup xyz"])  # room for 5 pieces: the xyz soup
    assert cut.numpy().tolist() == [3] and shown(inputs) == [(5, 5, [2, 3], [0.75, 0.25])]
    assert own.count_cut(["the xyz soup xyz"]).numpy().tolist() == [3]
    assert own.lengths(["the xyz soup xyz"]).numpy().tolist() == [7]
    inputs, cut = own.encode_with_counts(["xyz soup"], ["price"])  # room for 4: the first text loses "soup"
    assert cut.numpy().tolist() == [1] and shown(inputs) == [(5, 5, [5], [1.0])]
    inputs, cut = own.encode_with_counts(["the soup"], ["price soup xyz"])  # and here the second one loses "xyz"
    assert cut.numpy().tolist() == [3]
    assert shown(inputs) == [(2, 2, [2, 3], [0.75, 0.25]), (4, 4, [5], [1.0]), (5, 5, [2, 3], [0.75, 0.25])]


def test_in_a_graph_and_in_tf_data():
    own = encoder()
    eager = own(["cold soup", "no"], ["price", ""])
    traced = tf.function(own.__call__)(tf.constant(["cold soup", "no"]), tf.constant(["price", ""]))
    rows = tf.data.Dataset.from_tensor_slices((["cold soup", "no"], ["price", ""])).batch(2)
    (mapped,) = list(rows.map(own.__call__))
    for key, value in eager.items():
        np.testing.assert_array_equal(traced[key], value)
        np.testing.assert_array_equal(mapped[key], value)


def test_two_bases():
    inputs = encoder([base(), base("drinks", [("xyz", "price", 1)])])(["xyz soup"])
    assert shown(inputs) == [(4, 4, [2, 3], [0.75, 0.25])] and shown(inputs, name="drinks") == [(1, 3, [5], [1.0])]


def test_errors():
    with pytest.raises(ValueError, match=r"different names: received 'words' and \['menu', 'menu'\]"):
        encoder([base(), base()])
    with pytest.raises(ValueError, match="`split` must be one of"):
        encoder(split="lines")


class ToyTokenizer:
    """That of the published pipeline's cases: [words] stay whole; others are cut into chunks of four characters."""

    lower_case, pad_id, cls_id, sep_id = True, 0, 1, 2

    def __init__(self):
        self.names = ["[PAD]", "[CLS]", "[SEP]"]

    def tokenize(self, strings):
        rows = []
        for word in strings.numpy().tolist():
            word = word.decode("utf-8")
            parts = [word]
            if not (word.startswith("[") and word.endswith("]")):
                lowered = word.lower()
                parts = [("##" if at else "") + lowered[at : at + 4] for at in range(0, len(lowered), 4)]
            for part in parts:
                if part not in self.names:
                    self.names.append(part)
            rows.append([self.names.index(part) for part in parts])
        return tf.ragged.constant(rows, tf.int32, ragged_rank=1)


@pytest.mark.golden
def test_the_published_pipeline(golden_dir):
    golden = json.loads((golden_dir / "knowbert_pipeline.json").read_text(encoding="utf-8"))
    mentions = [(words, entity, 1) for words, found in golden["toy_dictionary"].items() for entity in found]
    entities = sorted({entity for _, entity, _ in mentions})
    toy = KnowledgeBase.from_tables("toy", entities, np.ones((len(entities), 2)), mentions, max_tokens=3)
    for case in golden["wordpiece_mapping"]:
        tokenizer = ToyTokenizer()
        own = KnowledgeEncoder(tokenizer, [toy], max_length=case["max_length"], split="blanks")
        second = None if case["text_b"] is None else [case["text_b"]]
        inputs = own([case["text_a"]], second)
        assert [tokenizer.names[each] for each in inputs["input_ids"].numpy()[0]] == case["tokens"]
        assert inputs["token_type_ids"].numpy()[0].tolist() == case["segment_ids"]
        wanted = case["candidates"]
        assert inputs["toy_spans"].numpy()[0].tolist() == wanted["candidate_spans"]
        for row, names in enumerate(wanted["candidate_entities"]):
            ids = [0 if name == "@@PADDING@@" else toy.entity_id(name) for name in names]
            order = np.argsort(ids) if len(ids) > 1 else [0]
            found = inputs["toy_entities"].numpy()[0, row, : len(ids)]
            assert sorted(found.tolist()) == sorted(ids)
            priors = inputs["toy_priors"].numpy()[0, row]
            np.testing.assert_allclose(
                priors[: len(ids)], np.array(wanted["candidate_entity_priors"][row])[order], atol=1e-6
            )
            assert not priors[len(ids) :].any()
