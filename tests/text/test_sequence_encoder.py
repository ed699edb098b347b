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


def test_second_texts_stay_apart():
    encoder = SequenceEncoder(TOKENIZER, max_length=2)
    inputs, cut = encoder.encode_with_counts(["good", "food good food"], ["", "food good food"])
    assert {name: values.numpy().tolist() for name, values in inputs.items()} == {
        "input_ids": [[2, 0], [3, 2]],
        "attention_mask": [[1, 0], [1, 1]],
        "second_ids": [[0, 0], [3, 2]],
        "second_mask": [[0, 0], [1, 1]],
    }
    assert cut.numpy().tolist() == [0, 2]
    assert encoder(["good"], [""])["second_ids"].shape == (1, 1)
    assert encoder(["good"], [""], length=2)["second_ids"].shape == (1, 2)


def test_errors():
    for length in (0, True, 2.5):
        with pytest.raises(ValueError, match="must be an integer of at least 1"):
            SequenceEncoder(TOKENIZER, max_length=length)
