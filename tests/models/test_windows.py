import numpy as np
import pytest

import keras_absa as ka
from keras_absa.data import AspectDataset, AspectExample, AspectTask, neighbourhoods
from keras_absa.models.windows import combine_windows, split_rows
from keras_absa.text.aspect_encoder import AspectEncoder
from tests.models.tiny import tiny_model, tiny_task, tiny_tokenizer

TASK = tiny_task()
OPEN = AspectTask("open", aspects=(), labels=("good", "bad"), open_aspects=True)


def texts_of(text, window, task=TASK, max_length=32, **row):
    encoder = AspectEncoder(tiny_tokenizer(), task, max_length=max_length)
    windows, owners = split_rows([AspectExample(text, **{"aspect": "food", **row})], encoder, window)
    assert owners.tolist() == [0] * len(windows)
    return [row.text for row in windows]


def test_windows_by_hand():
    assert texts_of("the soup was cold", 4) == ["the soup was cold"]
    assert texts_of("the soup was cold  and  very slow not good", 4) == [
        "the soup was cold",
        "cold  and  very slow",
        "slow not good",
    ]


def test_every_word_is_in_a_window_and_none_is_too_long():
    tokenizer = tiny_tokenizer()
    text = " ".join(f"word{number} soup, cold!" for number in range(30))
    for window in (7, 12, 25):
        parts = texts_of(text, window)
        assert max(tokenizer.tokenize(parts).row_lengths().numpy()) <= window
        assert {word for part in parts for word in part.split()} == set(text.split())
        assert all(part in text for part in parts)


def test_a_word_longer_than_a_window_is_split():
    parts = texts_of("soup " + "x" * 20 + " cold", 6)
    assert "".join("".join(parts).split()).count("x") >= 20 and len(parts) >= 4
    assert max(tiny_tokenizer().tokenize(parts).row_lengths().numpy()) <= 6


def test_texts_without_blanks_overlap_too():
    parts = texts_of("\u5317\u4eac" * 20, 8)
    assert all(one[-2:] == other[:2] for one, other in zip(parts, parts[1:], strict=False)) and len(parts) > 5
    assert max(tiny_tokenizer().tokenize(parts).row_lengths().numpy()) <= 8


def test_windows_of_a_row_with_a_target_name_it():
    text = "very " * 10 + "camden was cold " + "slow " * 10
    parts = texts_of(text, 9, neighbourhoods(), 64, aspect="price", target="Camden")
    assert parts and all("camden" in part for part in parts) and all(len(part.split()) < 9 for part in parts)


def test_combination_by_hand():
    with_none = np.array([[0.9, 0.1, 0.0], [0.2, 0.1, 0.7], [0.3, 0.7, 0.0], [0.5, 0.5, 0.0]])
    combined = combine_windows(with_none, np.array([0, 0, 0, 1]), 2, TASK)
    assert combined.tolist() == [[0.2, 0.1, 0.7], [0.5, 0.5, 0.0]]
    without = np.array([[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_allclose(combine_windows(without, np.array([0, 0]), 1, OPEN), [[0.55, 0.45]])


def test_an_opinion_at_the_end_of_a_long_text_is_found():
    """The model answers "good" where it reads "great": a cut text has lost the word, a window has not."""
    model = tiny_model("pair_nli_m", max_length=16, layers=1)
    model.compile("adam", learning_rate=3e-3)
    rows = [
        AspectExample(f"{filler} {word}", aspect, label)
        for filler in ("the place was", "was the place was the place was the", "slow the place was", "place was the")
        for word, label in (("great", "good"), ("slow", "none"), ("place", "none"), ("place was", "none"))
        for aspect in ("food", "service")
    ]
    model.fit(AspectDataset(rows, TASK, batch_size=16, sampler="shuffle"), epochs=40, verbose=0)
    assert model.evaluate(rows)["accuracy"] == 1.0
    long = ["slow " + "the place was " * 10 + "great", "slow " + "the place was " * 10 + "slow"]
    examples = [AspectExample(text, "food", label) for text, label in zip(long, ("good", "none"), strict=True)]
    assert model.evaluate(examples, window=8)["accuracy"] == 1.0
    answers = ka.Predictor(model, window=8)(long, aspects=["food"])
    assert [row[0].label for row in answers] == ["good", "none"]
    assert [row[0].text for row in answers] == long
    windowed = model.predict_aspects(long, aspects=["food"], window=8)
    assert [row[0].label for row in windowed] == ["good", "none"]
    with pytest.warns(UserWarning, match="rows were cut at 16 tokens"):
        assert model.predict_aspects(long, aspects=["food"])[0][0].label == "none"


def test_a_window_must_leave_room():
    with pytest.raises(ValueError, match="`window` must be between 2 and 28, so .*received 29"):
        texts_of("soup", 29)
    with pytest.raises(ValueError, match="`window` must be between 2 and 26, so .*received 27"):
        texts_of("soup", 27, OPEN, aspect="cold cold soup")
