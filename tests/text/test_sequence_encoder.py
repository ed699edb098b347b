import pytest

from keras_absa.text import SequenceEncoder, WordTokenizer

TOKENIZER = WordTokenizer(["[PAD]", "[UNK]", "good", "food"])


def test_pads_cuts_and_counts():
    encoder = SequenceEncoder(TOKENIZER, max_length=3)
    inputs, cut = encoder.encode_with_counts(["good food", "food good food good bad", ""])
    assert inputs["input_ids"].numpy().tolist() == [[2, 3, 0], [3, 2, 3], [0, 0, 0]]
    assert inputs["attention_mask"].numpy().tolist() == [[1, 1, 0], [1, 1, 1], [0, 0, 0]]
    assert cut.numpy().tolist() == [0, 2, 0]
    assert encoder(["good"], length=3)["input_ids"].numpy().tolist() == [[2, 0, 0]]
    assert encoder([""])["input_ids"].numpy().tolist() == [[0]] and encoder([])["input_ids"].shape == (0, 1)


def test_errors():
    for length in (0, True, 2.5):
        with pytest.raises(ValueError, match="must be an integer of at least 1"):
            SequenceEncoder(TOKENIZER, max_length=length)
    with pytest.raises(ValueError, match="`second` has no place"):
        SequenceEncoder(TOKENIZER)(["a"], ["b"])
