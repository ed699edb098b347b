"""The tokenizer must give the reference's ids, wherever it runs."""

import time

import numpy as np
import pytest
import tensorflow as tf
from text_cases import HARD_STRINGS, random_strings, reference_ids

from keras_absa.text import Tokenizer

CASES = pytest.mark.parametrize("lower_case", [True, False], ids=["uncased", "cased"])
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TINY = [*SPECIAL, "good", "food", "##s", "un", "##want", "##ed", "[", "]", "sep", "caf\u00e9", "cafe"]


def write_vocabulary(folder, tokens):
    path = folder / "vocab.txt"
    path.write_text("\n".join(tokens) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hard_ids(tokenizers):
    """Our ids of each hard string, by `lower_case` and kind."""
    texts = list(HARD_STRINGS.values())
    return {
        lower: dict(zip(HARD_STRINGS, tokenizer.tokenize(texts).to_list(), strict=True))
        for lower, tokenizer in tokenizers.items()
    }


class Exported(tf.Module):
    """Holds a tokenizer the way a serving module does."""

    def __init__(self, tokenizer):
        super().__init__()
        self.tokenizer = tokenizer

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def serve(self, text):
        return {"ids": self.tokenizer.tokenize(text).to_tensor(-1)}


class TestIds:
    def test_by_hand(self, tmp_path):
        tokenizer = Tokenizer(write_vocabulary(tmp_path, TINY))
        assert tokenizer.tokenize(["Good foods", "unwanted", "bad good", ""]).to_list() == [
            [5, 6, 7],
            [8, 9, 10],
            [1, 5],
            [],
        ]
        assert tokenizer.tokenize(["[SEP]", "[PAD]"]).to_list() == [[11, 13, 12], [11, 1, 12]]
        assert tokenizer.tokenize(["Caf\u00e9"]).to_list() == [[15]]
        assert Tokenizer(write_vocabulary(tmp_path, TINY), lower_case=False).tokenize(["caf\u00e9 Good"]).to_list() == [
            [14, 1]
        ]

    @CASES
    @pytest.mark.parametrize("kind", HARD_STRINGS)
    def test_hard_strings(self, kind, lower_case, hard_ids, references):
        assert [hard_ids[lower_case][kind]] == reference_ids(references[lower_case], [HARD_STRINGS[kind]])

    def test_real_texts(self, tokenizers, references, real_texts):
        """Uncased; the cased vocabulary is tiny, so that test_normalizer.py compares words, which says more."""
        assert tokenizers[True].tokenize(real_texts).to_list() == reference_ids(references[True], real_texts)

    @CASES
    def test_random_strings(self, lower_case, tokenizers, references):
        texts = random_strings(3000, seed=21)
        expected = reference_ids(references[lower_case], texts)
        wrong = sum(a != b for a, b in zip(tokenizers[lower_case].tokenize(texts).to_list(), expected, strict=True))
        assert wrong <= 6  # 2 in 1,000; the kinds are listed at Normalizer, measured 0 in 20,000

    @pytest.mark.parametrize(("count", "known"), [(100, True), (101, False)])
    @pytest.mark.parametrize("letter", ["a", "\u0430", "\U0001f600"], ids=["one byte", "two bytes", "four bytes"])
    def test_limit_counts_characters(self, tmp_path, letter, count, known):
        tokenizer = Tokenizer(write_vocabulary(tmp_path, [*SPECIAL, letter, f"##{letter}"]))
        assert tokenizer.tokenize(letter * count).numpy().tolist() == ([5] + [6] * 99 if known else [1])

    def test_separators_cannot_be_typed(self, tokenizers):
        for lower_case, tokenizer in tokenizers.items():
            ids = tokenizer.tokenize(" ".join(SPECIAL)).numpy()
            special = {tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, tokenizer.mask_id}
            assert not special & set(ids.tolist()), lower_case

    def test_speed(self, tokenizers, real_texts):
        start = time.perf_counter()
        tokenizers[True].tokenize(real_texts)
        assert time.perf_counter() - start < 5.0  # about 0.4 s for 9,000 texts; generous for a busy machine


@pytest.fixture(scope="module", name="texts")
def mixed_texts():
    """Hard and random strings."""
    return [*HARD_STRINGS.values(), *random_strings(200, seed=22)]


class TestEverywhere:
    """Eager, graph, tf.data and a reloaded export agree."""

    def test_types(self, tokenizers):
        ids = tokenizers[True].tokenize(["good", "food"])
        assert isinstance(ids, tf.RaggedTensor) and ids.dtype == tf.int32 and ids.shape.as_list() == [2, None]

    @pytest.mark.parametrize("kind", [str, bytes, np.str_, tf.constant, np.array])
    def test_single_text(self, tokenizers, kind):
        text = kind(b"good food" if kind is bytes else "good food")
        ids = tokenizers[True].tokenize(text)
        assert ids.shape == (2,) and ids.dtype == tf.int32 and ids.numpy().tolist() == [2204, 2833]

    def test_no_rows(self, tokenizers):
        assert tokenizers[True].tokenize([]).to_list() == []

    def test_graph(self, tokenizers, texts):
        function = tf.function(tokenizers[True].tokenize, input_signature=[tf.TensorSpec([None], tf.string)])
        assert function(tf.constant(texts)).to_list() == tokenizers[True].tokenize(texts).to_list()
        single = tf.function(tokenizers[True].tokenize, input_signature=[tf.TensorSpec([], tf.string)])
        assert single(tf.constant("good food")).numpy().tolist() == [2204, 2833]

    def test_dataset(self, tokenizers, texts):
        expected = tokenizers[True].tokenize(texts).to_list()
        batches = tf.data.Dataset.from_tensor_slices(texts).batch(50).map(tokenizers[True].tokenize)
        assert [row for batch in batches for row in batch.to_list()] == expected
        rows = tf.data.Dataset.from_tensor_slices(texts).map(tokenizers[True].tokenize)
        assert [row.numpy().tolist() for row in rows] == expected

    @CASES
    def test_export(self, tokenizers, texts, tmp_path, lower_case):
        module = Exported(tokenizers[lower_case])
        tf.saved_model.save(module, str(tmp_path / "export"), signatures={"serving_default": module.serve})
        assert not list((tmp_path / "export" / "assets").glob("*"))
        signature = tf.saved_model.load(str(tmp_path / "export")).signatures["serving_default"]
        found = signature(text=tf.constant(texts))["ids"].numpy()
        assert found.tolist() == tokenizers[lower_case].tokenize(texts).to_tensor(-1).numpy().tolist()

    def test_made_inside_a_graph(self, tmp_path):
        made = []

        @tf.function
        def tokenize(text):
            made.append(Tokenizer(write_vocabulary(tmp_path, TINY)))
            return made[0].tokenize(text)

        assert tokenize(tf.constant(["good"])).to_list() == made[0].tokenize(["good"]).to_list() == [[5]]


class TestVocabulary:
    def test_properties(self, tmp_path):
        tokens = ["good", "[MASK]", "[SEP]", "[CLS]", "[UNK]", "[PAD]", " x", "\u2028", "y "]
        tokenizer = Tokenizer(str(write_vocabulary(tmp_path, tokens)))
        assert tokenizer.vocabulary == tokens and tokenizer.vocab_size == 9
        ids = [tokenizer.mask_id, tokenizer.sep_id, tokenizer.cls_id, tokenizer.unk_id, tokenizer.pad_id]
        assert ids == [1, 2, 3, 4, 5] and all(type(value) is int for value in ids)

    def test_equals_the_reference(self, tokenizers, references):
        for lower_case, tokenizer in tokenizers.items():
            reference = references[lower_case]
            assert {token: row for row, token in enumerate(tokenizer.vocabulary)} == reference.get_vocab()
            assert tokenizer.unk_id == reference.unk_token_id and tokenizer.mask_id == reference.mask_token_id

    def test_windows_line_ends(self, tmp_path):
        (tmp_path / "vocab.txt").write_bytes("\r\n".join(TINY).encode())
        assert Tokenizer(tmp_path / "vocab.txt").vocabulary == TINY

    @pytest.mark.parametrize(
        ("tokens", "message"),
        [
            (["[PAD]", "[UNK]", "[CLS]", "good"], r"with 4 tokens and without \[SEP\], \[MASK\]"),
            ([*SPECIAL, "good", "food", "good"], "received 'good' in lines 6 and 8 of"),
            ([*SPECIAL, "good", "", "food"], "received an empty line 7 in"),
        ],
    )
    def test_rejects_a_broken_vocabulary(self, tmp_path, tokens, message):
        with pytest.raises(ValueError, match=message):
            Tokenizer(write_vocabulary(tmp_path, tokens))

    def test_rejects_a_missing_file_and_a_folder(self, tmp_path):
        for path in (tmp_path / "nowhere.txt", tmp_path):
            with pytest.raises(ValueError, match="must be an existing file .* received .* Pass the path"):
                Tokenizer(path)

    def test_rejects_another_encoding(self, tmp_path):
        (tmp_path / "vocab.txt").write_bytes(b"[PAD]\ncaf\xe9\n")
        with pytest.raises(ValueError, match="wrong at byte 9"):
            Tokenizer(tmp_path / "vocab.txt")

    def test_rejects_none_with_its_row(self, tokenizers):
        with pytest.raises(ValueError, match="`strings` must be .* received None in row 1"):
            tokenizers[True].tokenize(["good", None])
