"""The pair encoder must build and cut rows like the public BERT code."""

import itertools

import pytest
import tensorflow as tf
from text_cases import HARD_STRINGS

from keras_absa.text import PairEncoder, Tokenizer

PAD, UNK, CLS, SEP, MASK, A, B, C = range(8)
KEYS = ["input_ids", "token_type_ids", "attention_mask"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n")
    return Tokenizer(path)


@pytest.fixture(scope="module")
def slow(vocab_files):
    """The reference in Python; the Rust one cuts an odd rest differently (see PairEncoder)."""
    from transformers import BertTokenizer

    return BertTokenizer(str(vocab_files[True]), model_max_length=10**6)


@pytest.fixture(scope="module")
def texts(slow, tokenizers):
    """Hard strings which both references split alike: their Unicode tables differ, and so does [SEP] in a text."""
    found = zip(HARD_STRINGS.values(), tokenizers[True].tokenize(list(HARD_STRINGS.values())).to_list(), strict=True)
    texts = [text for text, ids in found if slow.convert_tokens_to_ids(slow.tokenize(text)) == ids]
    assert len(texts) > 25
    return texts


def longest_first(first, second, max_length):
    """The rule, token by token."""
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    return first, second


def rows(inputs):
    return {key: inputs[key].numpy().tolist() for key in KEYS}


class TestRows:
    def test_pair_by_hand(self, tokenizer):
        assert rows(PairEncoder(tokenizer)(["a b", "a", ""], ["c", "", ""])) == {
            "input_ids": [[CLS, A, B, SEP, C, SEP], [CLS, A, SEP, SEP, PAD, PAD], [CLS, SEP, SEP, PAD, PAD, PAD]],
            "token_type_ids": [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 0]],
            "attention_mask": [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]],
        }

    def test_single_by_hand(self, tokenizer):
        assert rows(PairEncoder(tokenizer)(["a b", ""])) == {
            "input_ids": [[CLS, A, B, SEP], [CLS, SEP, PAD, PAD]],
            "token_type_ids": [[0, 0, 0, 0], [0, 0, 0, 0]],
            "attention_mask": [[1, 1, 1, 1], [1, 1, 0, 0]],
        }

    def test_padding_uses_the_pad_id(self, tmp_path):
        (tmp_path / "vocab.txt").write_text("a\n[UNK]\n[SEP]\n[CLS]\n[MASK]\n[PAD]\n")
        encoder = PairEncoder(Tokenizer(tmp_path / "vocab.txt"))
        assert rows(encoder(["a", ""]))["input_ids"] == [[3, 0, 2], [3, 2, 5]]
        assert rows(encoder(["a"], length=5))["input_ids"] == [[3, 0, 2, 5, 5]]

    @pytest.mark.parametrize("length", [9, tf.constant(9)], ids=["int", "tensor"])
    def test_length_pads_all_three(self, tokenizer, length):
        inputs = PairEncoder(tokenizer)(["a b", "a"], ["c", "c"], length=length)
        assert all(inputs[key].shape == (2, 9) and inputs[key].dtype == tf.int32 for key in KEYS)
        assert rows(inputs)["attention_mask"] == [[1] * 6 + [0] * 3, [1] * 5 + [0] * 4]

    def test_length_is_static_in_a_graph(self, tokenizer):
        function = tf.function(lambda text: PairEncoder(tokenizer)(text, length=9))
        shapes = function.get_concrete_function(tf.TensorSpec([None], tf.string)).structured_outputs
        assert [shapes[key].shape.as_list() for key in KEYS] == [[None, 9]] * 3

    def test_length_below_a_row_is_an_error(self, tokenizer):
        with pytest.raises(tf.errors.InvalidArgumentError, match="`length` must not be shorter than a row"):
            PairEncoder(tokenizer)(["a b"], length=3)

    def test_two_separators_whatever_is_typed(self, tokenizers):
        encoder = PairEncoder(tokenizers[True])
        ids = encoder(["fine [SEP] awful", "[CLS] [PAD]"], ["food", "[SEP]"])["input_ids"].numpy()
        assert [(row == encoder.tokenizer.sep_id).sum() for row in ids] == [2, 2]

    def test_no_rows(self, tokenizer):
        empty = tf.constant([], tf.string)
        for second in (None, empty):  # no rows, but a width that a model can work with
            assert PairEncoder(tokenizer)(empty, second)["input_ids"].shape == (0, 2)
        assert PairEncoder(tokenizer)(empty, length=4)["attention_mask"].shape == (0, 4)

    @pytest.mark.parametrize("max_length", [128, 16, 7])
    def test_equals_the_reference(self, tokenizers, slow, texts, max_length):
        encoder = PairEncoder(tokenizers[True], max_length)
        for second in (texts[1:] + texts[:1], None):
            expected = slow(
                texts, second, truncation="longest_first", max_length=max_length, padding="longest", verbose=False
            )
            assert rows(encoder(texts, second)) == {key: expected[key] for key in KEYS}


class TestCutting:
    @pytest.mark.parametrize("max_length", [3, 4, 5, 8, 9, 30])
    def test_all_pairs_of_lengths(self, tokenizer, max_length):
        pairs = list(itertools.product(range(12), repeat=2))
        first, second = ["a " * n for n, _ in pairs], ["b " * n for _, n in pairs]
        inputs, cut = PairEncoder(tokenizer, max_length).encode_with_counts(first, second)
        lengths = PairEncoder(tokenizer, max_length).lengths(first, second).numpy()
        for row, (n, m) in enumerate(pairs):
            left, right = longest_first([A] * n, [B] * m, max_length)
            expected = [CLS, *left, SEP, *right, SEP]
            mask = inputs["attention_mask"][row].numpy().astype(bool)
            assert inputs["input_ids"][row].numpy()[mask].tolist() == expected, (n, m)
            assert inputs["token_type_ids"][row].numpy()[mask].tolist() == [0] * (len(left) + 2) + [1] * (
                len(right) + 1
            )
            assert cut[row] == n + m - len(left) - len(right)
            assert lengths[row] == len(expected) <= max_length

    def test_keeps_the_beginning(self, tokenizer):
        ids = PairEncoder(tokenizer, 7)(["a b c a", "a"], ["c b a", "c b a a"])["input_ids"]
        assert ids.numpy().tolist() == [[CLS, A, B, SEP, C, B, SEP], [CLS, A, SEP, C, B, A, SEP]]

    def test_single(self, tokenizer):
        encoder = PairEncoder(tokenizer, 4)
        inputs, cut = encoder.encode_with_counts(["a b c a", "a b", ""])
        assert inputs["input_ids"].numpy().tolist() == [[CLS, A, B, SEP], [CLS, A, B, SEP], [CLS, SEP, PAD, PAD]]
        assert cut.numpy().tolist() == [2, 0, 0] and cut.dtype == tf.int32
        assert encoder.lengths(["a b c a", "a b", ""]).numpy().tolist() == [4, 4, 2]

    def test_count_cut_equals_encode_with_counts(self, tokenizer):
        encoder = PairEncoder(tokenizer, 6)
        first, second = ["a b c", "a", "a b c a b c"], ["a", "a b c", "c b a"]
        assert encoder.count_cut(first, second).numpy().tolist() == [1, 1, 6]
        assert encoder.encode_with_counts(first, second)[1].numpy().tolist() == [1, 1, 6]
        assert encoder.count_cut(first).numpy().tolist() == [0, 0, 2]


class TestEverywhere:
    FIRST, SECOND = ["a b c a b", "", "a"], ["c", "b", ""]

    def test_graph_and_dataset(self, tokenizer):
        encoder = PairEncoder(tokenizer, 6)
        expected = rows(encoder(self.FIRST, self.SECOND))
        spec = tf.TensorSpec([None], tf.string)
        function = tf.function(encoder.__call__, input_signature=[spec, spec])
        assert rows(function(tf.constant(self.FIRST), tf.constant(self.SECOND))) == expected
        batches = tf.data.Dataset.from_tensor_slices((self.FIRST, self.SECOND)).batch(3).map(encoder)
        assert [rows(batch) for batch in batches] == [expected]

    def test_export(self, tokenizer, tmp_path):
        module = tf.Module()
        module.encoder = PairEncoder(tokenizer, 6)
        spec = tf.TensorSpec([None], tf.string)
        module.serve = tf.function(module.encoder.__call__, input_signature=[spec, spec])
        tf.saved_model.save(module, str(tmp_path / "export"))
        reloaded = tf.saved_model.load(str(tmp_path / "export"))
        found = reloaded.serve(tf.constant(self.FIRST), tf.constant(self.SECOND))
        assert rows(found) == rows(module.encoder(self.FIRST, self.SECOND))

    def test_length_from_a_tensor_in_a_graph(self, tokenizer):
        encoder = PairEncoder(tokenizer)
        function = tf.function(lambda text, length: encoder(text, length=length)["input_ids"])
        assert function(tf.constant(["a"]), tf.constant(5)).numpy().tolist() == [[CLS, A, SEP, PAD, PAD]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="`length` must not be shorter"):
            function(tf.constant(["a"]), tf.constant(2))


class TestErrors:
    def test_none_in_a_row(self, tokenizer):
        with pytest.raises(ValueError, match="`first` must be .* received None in row 1"):
            PairEncoder(tokenizer)(["a", None], ["a", "b"])
        with pytest.raises(ValueError, match="`second` must be .* received None in row 0"):
            PairEncoder(tokenizer)(["a", "b"], [None, "b"])

    def test_different_numbers_of_rows(self, tokenizer):
        with pytest.raises(ValueError, match="received 2 first and 1 second texts. Pass one"):
            PairEncoder(tokenizer)(["a", "b"], ["a"])
        spec = tf.TensorSpec([None], tf.string)
        function = tf.function(PairEncoder(tokenizer).lengths, input_signature=[spec, spec])
        with pytest.raises(tf.errors.InvalidArgumentError, match="as many rows"):
            function(tf.constant(["a", "b"]), tf.constant(["a"]))

    def test_single_text(self, tokenizer):
        with pytest.raises(ValueError, match="`first` must be a batch .* Pass a list"):
            PairEncoder(tokenizer)("a")

    @pytest.mark.parametrize("max_length", [2, 0, 4.0, True, None])
    def test_max_length(self, tokenizer, max_length):
        with pytest.raises(ValueError, match="`max_length` must be an integer of at least 3"):
            PairEncoder(tokenizer, max_length)
