"""Annotation matrices: the weights of the layer, aligned with the words as a person would align them."""

import json
from html.parser import HTMLParser

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectExample, AspectTask, snli
from keras_absa.explain import AnnotationMatrix, annotation_html, annotation_picture, annotations
from keras_absa.layers import MeanPooling, StructuredSelfAttention
from keras_absa.models import BertPairClassifier, SelfAttentiveClassifier, SelfAttentivePairClassifier
from tests.models.tiny import ROWS, tiny_encoder, tiny_task, tiny_tokenizer

TEXT = "The Café-soup! ok"  # "café" is four pieces for the tiny vocabulary, "ok" two


def on_bert(scheme="nli_m", pooling=None, task=None, max_length=20, **kwargs):
    encoder = tiny_encoder(None, pooling=pooling or StructuredSelfAttention(3, 4), **kwargs)
    return BertPairClassifier(encoder, task or tiny_task(), tiny_tokenizer(), scheme=scheme, max_length=max_length)


def test_words_over_a_bert():
    model = on_bert()
    (matrix,) = annotations(model, [AspectExample(TEXT, "food")])
    pieces = model.text_encoder(tf.constant([TEXT]), [0])
    layer = model.encoder(pieces, return_attention=True)["annotation"][0].numpy()  # [R, T]
    assert matrix.texts == (TEXT, "food")
    assert matrix.words == ("[CLS]", "the", "cafe", "-", "soup", "!", "ok", "[SEP]", "food", "[SEP]")
    assert matrix.segments == (None, 0, 0, 0, 0, 0, 0, None, 1, None)
    shown = [span and matrix.texts[segment][slice(*span)] for span, segment in zip(matrix.spans, matrix.segments)]
    assert shown == [None, "The", "Café", "-", "soup", "!", "ok", None, "food", None]
    # [CLS] the c ##a ##f ##e - soup ! o ##k [SEP] food [SEP]
    starts = [0, 1, 2, 6, 7, 8, 9, 11, 12, 13]
    assert layer.shape[1] == 14
    np.testing.assert_allclose(matrix.weights, np.add.reduceat(layer, starts, axis=1), atol=1e-6)
    np.testing.assert_allclose(matrix.weights.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(matrix.total, matrix.weights.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(matrix.overlap, matrix.weights @ matrix.weights.T)
    assert matrix.label in tiny_task().labels and matrix.cut_words == 0


def test_texts_that_are_cut_and_other_rows():
    model = on_bert()
    rows = [
        AspectExample("the soup", "food"),
        AspectExample("the cold soup " * 10, "service"),
        AspectExample("", "food"),
    ]
    short, long, empty = annotations(model, rows, batch_size=2)
    np.testing.assert_allclose(short.weights, annotations(model, rows[:1])[0].weights, atol=1e-6)
    assert long.cut_words == 14 and len(long.words) == 20 and long.words[-2] == "service"  # of 30, 16 fit
    assert empty.words == ("[CLS]", "[SEP]", "food", "[SEP]")


def test_other_schemes_and_poolings():
    words_only = on_bert("single", MeanPooling(), pooling_tokens="words")
    (matrix,) = annotations(words_only, [AspectExample("the soup", "food")])
    assert matrix.words == ("[CLS]", "the", "soup", "[SEP]")
    np.testing.assert_allclose(matrix.weights, [[0, 0.5, 0.5, 0]])
    model = on_bert("qa_b", max_length=60)
    (matrix,) = annotations(model, [AspectExample("the soup", "food")])
    answer = model.predict_aspects(["the soup"], aspects=["food"])[0][0]
    assert matrix.label == answer.label and matrix.label in matrix.texts[0] and matrix.texts[1] == "the soup"


def test_targets_stand_as_the_model_reads_them():
    task = AspectTask.from_dict(
        tiny_task().to_dict() | {"targets": ("PLACE1", "PLACE2"), "target_words": ("place - 1", "place - 2")}
    )
    (matrix,) = annotations(on_bert(task=task), [AspectExample("Bar was good", "food", target="Bar")])
    assert matrix.texts[0] == "place - 1 was good" and matrix.spans[1] == (0, 5)


def test_models_on_words():
    sizes = {"embedding_size": 4, "lstm_units": 3, "hidden_units": 4}
    model = SelfAttentiveClassifier.from_examples(ROWS, tiny_task(), attention=StructuredSelfAttention(2, 4), **sizes)
    (matrix,) = annotations(model, [AspectExample("The  place, was good", "food")])
    assert matrix.words == ("the", "place", ",", "was", "good") and matrix.spans[2:4] == ((10, 11), (12, 15))
    inputs = model.text_encoder(tf.constant(["The place, was good"]), [0])
    np.testing.assert_allclose(matrix.weights, model(inputs, return_attention=True)[1][0], atol=1e-6)

    rows = [AspectExample("a dog runs", "it moves", "entailment")]
    pair = SelfAttentivePairClassifier.from_examples(rows, snli(), attention=StructuredSelfAttention(2, 4), **sizes)
    (matrix,) = annotations(pair, rows)
    assert matrix.words == ("a", "dog", "runs", "it", "moves") and matrix.segments == (0, 0, 0, 1, 1)
    np.testing.assert_allclose(matrix.weights[:, 3:].sum(axis=1), 1, atol=1e-6)


def test_a_model_that_does_not_weigh_words():
    plain = BertPairClassifier(tiny_encoder(None), tiny_task(), tiny_tokenizer(), max_length=20)
    with pytest.raises(ValueError, match="received a BertPairClassifier without a pooling plug"):
        annotations(plain, ROWS[:1])


@pytest.fixture
def hostile():
    weights = np.array([[0.5, 0.25, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]], "float32")
    words, segments = ("<script>", "&amp;$x$", '"', "[SEP]"), (0, 0, 0, None)
    return AnnotationMatrix(
        ('<script> &amp;$x$ "', "<b>"), words, segments, ((0, 8), (9, 17), (18, 19), None), weights, "<i>", 3
    )


class Page(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_html_shows_every_word_and_number(hostile):
    page = Page(annotation_html([hostile, hostile], "<h1>"))
    assert not {"script", "b", "i"} & set(page.tags) and page.tags.count("section") == 2
    assert {"<script>", "&amp;$x$", '"', "[SEP]", "<i>", "<h1>", "0.50", "1.00"} <= set(page.texts)
    assert "3 words were not read: the text is too long." in page.texts


def test_picture_and_json(hostile, tmp_path):
    annotation_picture(hostile, tmp_path / "hops.svg")
    drawn = (tmp_path / "hops.svg").read_text("utf-8")
    assert drawn.startswith("<?xml") and "&amp;amp;$x$" in drawn
    values = json.loads(json.dumps(hostile.to_dict()))
    assert values["words"][1] == {"word": "&amp;$x$", "segment": 0, "span": [9, 17], "weights": [0.25, 0.0]}
    assert values["overlap"] == hostile.overlap.tolist() and values["total"] == [0.25, 0.125, 0.625, 0.0]
