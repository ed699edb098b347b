import pytest
import tensorflow as tf

from keras_absa.text import WordTokenizer

VOCABULARY = ["[PAD]", "[UNK]", "good", "cafe", "!"]


def test_ids_of_words():
    tokenizer = WordTokenizer(VOCABULARY)
    assert tokenizer.tokenize(["Good caf\u00e9!", "", "bad good"]).to_list() == [[2, 3, 4], [], [1, 2]]
    assert tokenizer.tokenize("good").numpy().tolist() == [2] and tokenizer.tokenize(["x"]).dtype == tf.int32
    cased = WordTokenizer([*VOCABULARY, "Caf\u00e9"], lower_case=False)
    assert cased.tokenize(["Good Caf\u00e9 good"]).to_list() == [[1, 5, 2]]


def test_nobody_can_type_a_special_word():
    assert WordTokenizer(VOCABULARY).tokenize(["[PAD] [UNK]"]).to_list() == [[1] * 6]


def test_a_vocabulary_of_texts():
    texts = ["b b a", "A c", "b c d!"]
    assert WordTokenizer.from_texts(texts).vocabulary == ["[PAD]", "[UNK]", "b", "a", "c", "!", "d"]
    assert WordTokenizer.from_texts(texts, min_count=2).vocabulary[2:] == ["b", "a", "c"]
    assert WordTokenizer.from_texts(texts, max_words=1).vocabulary[2:] == ["b"]
    assert WordTokenizer.from_texts((f"w{n % 7}" for n in range(3000)), max_words=9).vocab_size == 9
    assert WordTokenizer.from_texts([]).tokenize(["a"]).to_list() == [[1]]


def test_it_is_saved_with_its_words(tmp_path):
    class Served(tf.Module):
        def __init__(self):
            self.tokenizer = WordTokenizer(VOCABULARY)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def ids(self, texts):
            return self.tokenizer.tokenize(texts).to_tensor()

    tf.saved_model.save(Served(), str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).ids(["good!"]).numpy().tolist() == [[2, 4]]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (["good"], r"must begin with '\[PAD\]' and '\[UNK\]': received \['good'\]"),
        ([*VOCABULARY, "good"], "must hold each word once: received 'good' twice"),
        ([*VOCABULARY, "a\nb"], r"must hold words without line breaks.*received 'a\\nb'"),
        ([*VOCABULARY, ""], "must hold words without line breaks.*received ''"),
    ],
)
def test_errors(vocabulary, message):
    with pytest.raises(ValueError, match=message):
        WordTokenizer(vocabulary)


@pytest.mark.parametrize("max_words", [0, -1, 2.5, True])
def test_the_limit_is_a_whole_number(max_words):
    with pytest.raises(ValueError, match=f"`max_words` must be an integer of at least 1: received {max_words}"):
        WordTokenizer.from_texts(["good"], max_words=max_words)
