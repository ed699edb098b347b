"""From texts to the inputs of a BERT with knowledge attentions.

Shapes: B rows, W words of a text, P word pieces of a word, T tokens of a row, S mentions, C candidates of one, U distinct
entities of a batch, D width of an entity's vector.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from keras_absa.knowledge.knowledge_base import KnowledgeBase
from keras_absa.knowledge.mention_lookup import MentionLookup
from keras_absa.text.normalizer import Normalizer
from keras_absa.text.pair_encoder import PairEncoder
from keras_absa.text.tokenizer import Tokenizer

SPLITS = ("words", "blanks")
BORDER = "\n"  # a word that no text has


class KnowledgeEncoder(PairEncoder):
    """A `PairEncoder` that also finds what texts mention.

    A text is split into words as BERT does, without lower-casing; mentions are looked up among the words. Rows that are too long
    lose whole words, the last ones of the longer text first, before mentions are looked up.

    Args:
        tokenizer: `Tokenizer`.
        bases: The knowledge bases, one a `KnowledgeAttention` of the encoder.
        max_length: Int, most tokens in a row. Defaults to 128.
        split: `"words"`; or `"blanks"`, for texts whose words stand between blanks. Defaults to `"words"`.
        strip_accents: Bool, word pieces as BERT's own tokenizer makes them; False only lower-cases, as KnowBert's public code.
            Defaults to True.
        embedded: Name of a base to float [N + 1, E], its vectors as `KnowledgeAttention.embed` gives them, for exported models.
            Defaults to None: vectors are read from the base's table on the host.

    Call returns:
        What `PairEncoder` returns, and for each base `<name>_spans` int32 [B, S, 2], first and last token, -1 for padding;
        `<name>_entities` int32 [B, S, C]; `<name>_priors` float32 [B, S, C]; `<name>_rows` int32 [B, S, C], where a candidate's
        vector stands; `<name>_vectors` float32 [U, D] and, if there are classes, `<name>_classes` int32 [U]; or
        `<name>_embedded`. A row without mentions has one span of -1 with entity 0.

    Raises:
        ValueError: If bases have the same name, or `split` is neither.

    Example:
        >>> from keras_absa.environment import minilm_folder
        >>> kitchen = KnowledgeBase.from_tables("kitchen", ["ramen"], np.ones((1, 3)), [("ramen bowl", "ramen", 1)])
        >>> encoder = KnowledgeEncoder(Tokenizer(minilm_folder() / "vocab.txt"), [kitchen])
        >>> encoder(["Two ramen-bowls? No, a ramen bowl!"])["kitchen_spans"].numpy().tolist()
        [[[10, 12]]]

    Reference:
        Peters et al. 2019, section 3; truncation and the map from words to word pieces as in the public code.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        bases: Sequence[KnowledgeBase],
        max_length: int = 128,
        split: str = "words",
        strip_accents: bool = True,
        embedded: Mapping[str, np.ndarray] | None = None,
        name: str | None = None,
    ):
        super().__init__(tokenizer, max_length, name=name)
        names = [base.name for base in bases]
        if split not in SPLITS or len(set(names)) < len(names):
            raise ValueError(
                f"`split` must be one of {list(SPLITS)}, and `bases` must have different names: received {split!r} and {names}."
            )
        self.split = split
        self.strip_accents = strip_accents
        self.bases = tuple(bases)
        self.lookups = {base.name: MentionLookup(base.mentions) for base in bases}
        self.embedded = {}
        for name, table in (embedded or {}).items():
            # A variable: a constant of this size would not fit into a graph.
            self.embedded[name] = tf.Variable(table, trainable=False, name=f"{name}_embedded")
        self._normalizer = Normalizer(lower_case=False)

    @tf.autograph.experimental.do_not_convert
    def encode_with_counts(self, first, second=None, length=None) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """See `PairEncoder.encode_with_counts`; the dict has the candidates, too."""
        words, pieces = self._words_and_pieces(first, second)
        kept = self._kept_words(pieces)
        flat = [_first(*each).merge_dims(1, 2) for each in zip(pieces, kept, strict=True)]  # each [B, (N)]
        counts = [_lengths(each) for each in flat]
        inputs = self._assembled(flat, counts, length)
        cut = tf.add_n([_lengths(each.merge_dims(1, 2)) for each in pieces]) - tf.add_n(counts)

        # The row as words: [CLS] and [SEP] are ones that no name has, so that no mention goes from one text into the other.
        border = tf.RaggedTensor.from_tensor(tf.fill([words[0].nrows(), 1], BORDER))
        one = border.with_values(tf.ones_like(border.values, tf.int32))
        row, sizes = [border], [one]
        for own, parts, count in zip(words, pieces, kept, strict=True):
            # What BERT drops has no pieces, and is no mention.
            size = tf.cast(parts.row_lengths(axis=2).values, tf.int32)
            own = own.with_values(tf.where(size > 0, own.values, BORDER))
            row += [_first(own, count), border]
            sizes += [_first(own.with_values(size), count), one]
        row, sizes = tf.concat(row, axis=1), tf.concat(sizes, axis=1)  # [B, (W)], words and their numbers of pieces
        for base in self.bases:
            inputs |= self._candidates(base, row, sizes)
        return inputs, cut

    def _encoded(self, first, second):
        _, pieces = self._words_and_pieces(first, second)
        kept = [_first(*each).merge_dims(1, 2) for each in zip(pieces, self._kept_words(pieces), strict=True)]
        return [each.merge_dims(1, 2) for each in pieces], [_lengths(each) for each in kept]

    def _words_and_pieces(self, first, second):
        """Of each text its words [B, (W)] and their pieces [B, (W), (P)]."""
        texts = self._texts(first, second)
        words = [
            tf.strings.split(text, " ") if self.split == "blanks" else self._normalizer.split(text) for text in texts
        ]
        return words, [self._pieces_of(each) for each in words]

    def _pieces_of(self, words):
        if self.strip_accents or not self.tokenizer.lower_case:
            return words.with_values(self.tokenizer.tokenize(words.values))
        return self.tokenizer.word_pieces(words.with_values(tf.strings.lower(words.values, encoding="utf-8")))

    def _kept_words(self, pieces):
        """Numbers of words [B] that stay of each text."""
        lengths = [each.row_lengths(axis=2).to_tensor() for each in pieces]  # [B, W], pieces of each word
        totals = [
            tf.pad(tf.cumsum(each, axis=1), [[0, 0], [1, 0]]) for each in lengths
        ]  # [B, 1 + W], of the first words
        kept = [each.row_lengths() for each in pieces]  # [B]
        if len(pieces) == 1:
            fits = tf.reduce_sum(tf.cast(totals[0] <= self.max_length - 2, tf.int64), axis=1) - 1
            return [tf.minimum(kept[0], fits)]

        def sizes(first, second):
            return (tf.gather(total, count, batch_dims=1) for total, count in zip(totals, (first, second)))

        def too_long(first, second):
            return tf.reduce_any(tf.add(*sizes(first, second)) > self.max_length - 3)

        def shortened(first, second):
            one, other = sizes(first, second)
            over = one + other > self.max_length - 3
            of_second = over & (one < other)
            return first - tf.cast(over & ~of_second, tf.int64), second - tf.cast(of_second, tf.int64)

        return tf.while_loop(too_long, shortened, kept)

    def _candidates(self, base, words, sizes):
        """The inputs of one knowledge attention."""
        spans, entities, priors = self.lookups[base.name](words)
        ends = tf.cumsum(sizes.values)  # [all W], after each word, among the pieces of all rows
        starts = ends - sizes.values
        row = spans.value_rowids()  # [all S]
        first_word = tf.cast(tf.gather(sizes.row_starts(), row), tf.int32)
        before = tf.gather(starts, first_word)
        first = tf.gather(starts, first_word + spans.values[:, 0]) - before
        last = tf.gather(ends, first_word + spans.values[:, 1]) - 1 - before
        spans = spans.with_values(tf.stack([first, last], axis=1))
        empty = spans.row_lengths() == 0  # [B]
        spans = _at_least_one(spans.to_tensor(-1), 1, -1)  # [B, S, 2]
        entities = _at_least_one(_at_least_one(entities.to_tensor(0), 2, 0), 1, 0)  # [B, S, C]
        priors = _at_least_one(_at_least_one(priors.to_tensor(0.0), 2, 0.0), 1, 0.0)  # [B, S, C]
        places = tf.shape(priors)
        first = tf.one_hot(0, places[1] * places[2])[None, :] * tf.cast(empty, tf.float32)[:, None]
        priors += tf.reshape(first, places)
        distinct, rows = tf.unique(tf.reshape(entities, [-1]))  # [U]
        inputs = {"spans": spans, "entities": entities, "priors": priors, "rows": tf.reshape(rows, places)}
        if base.name in self.embedded:
            inputs["embedded"] = tf.gather(self.embedded[base.name], distinct)
        else:
            vectors = tf.numpy_function(base.rows, [distinct], tf.float32)
            inputs["vectors"] = tf.ensure_shape(vectors, [None, base.width])
            if base.classes is not None:
                inputs["classes"] = tf.gather(base.classes, distinct)
        return {f"{base.name}_{key}": value for key, value in inputs.items()}


def _first(ragged, count):
    """The first `count` [B] words of each row of [B, (W), ...]."""
    starts = ragged.row_starts()
    where = tf.ragged.range(starts, starts + count, row_splits_dtype=tf.int64)
    return where.with_values(tf.gather(ragged.values, where.values))


def _lengths(ragged):
    return tf.cast(ragged.row_lengths(), tf.int32)  # [B]


def _at_least_one(dense, axis, value):
    missing = tf.maximum(1 - tf.shape(dense)[axis], 0)
    paddings = [[0, missing if each == axis else 0] for each in range(dense.shape.rank)]
    return tf.pad(dense, paddings, constant_values=value)
