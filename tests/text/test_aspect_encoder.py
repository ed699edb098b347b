"""The one path from text and context to inputs: segments by hand, and the reference tokenizer."""

import pytest
import tensorflow as tf

from keras_absa.data import restaurants, sentihood
from keras_absa.text import AspectEncoder


def segments(encoder, *arguments):
    return [None if part is None else [text.decode() for text in part.numpy()] for part in encoder.segments(*arguments)]


def test_schemes_write_the_context(tokenizers):
    def of(scheme, *candidates):
        encoder = AspectEncoder(tokenizers[True], sentihood(), scheme=scheme)
        return segments(encoder, ["LOCATION2 is dear"], tf.constant([5]), *candidates)

    text = ["location - 2 is dear"]
    assert of("nli_m") == [text, ["location - 2 - price"]]
    assert of("qa_m") == [text, ["what do you think of the price of location - 2 ?"]]
    assert of("single") == [text, None]
    assert of("nli_b", tf.constant([1])) == [["Positive - location - 2 - price"], text]
    assert of("qa_b", tf.constant([2])) == [
        ["the polarity of the aspect price of location - 2 - is Negative ."],
        text,
    ]


def test_ids_equal_the_reference_tokenizer(tokenizers, references):
    encoder = AspectEncoder(tokenizers[True], restaurants())
    texts = ["The soup was cold, but caf\u00e9-style.", ""]
    inputs = encoder(texts, tf.constant([0, 3]))
    expected = references[True](texts, ["food", "ambience"], padding=True)
    for name in ("input_ids", "token_type_ids", "attention_mask"):
        assert inputs[name].numpy().tolist() == expected[name], name
    assert inputs["context_ids"].numpy().tolist() == [0, 3]


def test_a_surface_form_is_read_like_a_placeholder(tokenizers):
    encoder = AspectEncoder(tokenizers[True], sentihood())
    named = encoder(["Camden beats Soho"], tf.constant([1]), None, tf.constant(["Camden"]), tf.constant(["soho"]))
    placed = encoder(["LOCATION1 beats LOCATION2"], tf.constant([1]), None, tf.constant(["LOCATION1"]))
    assert named["input_ids"].numpy().tolist() == placed["input_ids"].numpy().tolist()


@pytest.mark.parametrize("max_length", [12, 64])
def test_lengths_are_those_of_the_encoded_rows(tokenizers, max_length):
    encoder = AspectEncoder(tokenizers[True], restaurants(), max_length=max_length)
    texts, contexts = ["soup", "word " * 20], tf.constant([0, 1])
    lengths, cut = encoder.lengths(texts, contexts)
    mask = encoder(texts, contexts)["attention_mask"].numpy()
    assert lengths.numpy().tolist() == mask.sum(axis=1).tolist()
    assert cut.numpy().tolist() == [0, max(0, 20 + 1 + 3 - max_length)]
