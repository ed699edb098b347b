"""Transcripts are cut into words as the public code of TBJE cuts them."""

import pytest

from keras_absa.text import WordTokenizer
from keras_absa.text.transcript import spoken_words


@pytest.mark.parametrize(
    "text, words",
    [
        ("It's WELL-made, isn't it?", ["its", "well", "made", "isnt", "it"]),
        ('and/or (no) #1: "so"; * !', ["and", "or", "no", "1", "so"]),
        ("É costs $5 – naïve", ["é", "costs", "$5", "–", "naïve"]),  # what is not named stays as it is
        ("", []),
    ],
)
def test_words(text, words):
    assert spoken_words([text]).numpy()[0].decode().split() == words
    tokenizer = WordTokenizer.from_texts([spoken_words([text]).numpy()[0].decode()], split="blanks")
    assert sorted(tokenizer.vocabulary[2:]) == sorted(words)
    ids = tokenizer.tokenize(spoken_words([text]))[0].numpy()
    assert [tokenizer.vocabulary[each] for each in ids] == words


def test_blanks_keep_what_words_would_split():
    tokenizer = WordTokenizer(["[PAD]", "[UNK]", "Don't", "don"], split="blanks")
    assert tokenizer.tokenize("Don't  don").numpy().tolist() == [2, 3]
    assert tokenizer.word_spans("Don't  don") == [("Don't", 0, 5, 1), ("don", 7, 10, 1)]
    with pytest.raises(ValueError, match="`split` must be one of"):
        WordTokenizer(["[PAD]", "[UNK]"], split="letters")
