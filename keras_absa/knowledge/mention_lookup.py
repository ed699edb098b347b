"""A `MentionIndex` as TensorFlow ops, for `tf.data` and for exported models.

Shapes: B texts, W tokens of a text, S mentions of a text, C candidates of a mention, N tokens of all texts, K names, L spans of a
token (1 to `max_tokens` tokens).
"""

import numpy as np
import tensorflow as tf

from keras_absa.knowledge.mention_index import HYPHEN, MentionIndex


class MentionLookup(tf.Module):
    """Finds what `MentionIndex` finds, with ops that every TensorFlow Serving has.

    Args:
        index: The `MentionIndex`.

    Example:
        >>> lookup = MentionLookup(MentionIndex([("ice_cream", 7, 1.0), ("ice", 4, 1.0)]))
        >>> spans, entities, priors = lookup(tf.ragged.constant([["ice", "cream"], ["no"]]))
        >>> spans.to_list(), entities.to_list()
        ([[[0, 0], [0, 1]], []], [[[4], [7]], []])
    """

    def __init__(self, index: MentionIndex, name: str | None = None):
        super().__init__(name=name)
        self.max_tokens = index.max_tokens
        self.max_candidates = index.max_candidates
        self.surface_form = index.surface_form
        # NumPy arrays, not tensors: every graph gets its own constants.
        self._splits, self._entities, self._weights = index.splits, index.entities, index.weights
        if np.diff(index.splits).max() > index.max_candidates:
            found = [index.named(key) for key in index.keys]
            self._splits = np.cumsum([0, *map(len, found)], dtype="int32")
            self._entities = np.array([entity for own in found for entity, _ in own], "int32")
            self._weights = np.array([weight for own in found for _, weight in own], "float32")
        self._forms = np.array([*index.lemmas.values(), ""], dtype=object)
        with tf.init_scope():
            self._lemmas = _table(list(index.lemmas) or [""])
            self._names = _table(index.keys)

    @tf.autograph.experimental.do_not_convert  # no branch depends on a tensor; graphs are made faster
    def __call__(self, tokens: tf.RaggedTensor) -> tuple[tf.RaggedTensor, tf.RaggedTensor, tf.RaggedTensor]:
        """Mentions of texts.

        Args:
            tokens: Ragged strings [B, (W)].

        Returns:
            Spans, int32 [B, (S), 2], first and last token; their candidates, int32 [B, (S), (C)]; the candidates' priors,
            float32 [B, (S), (C)].
        """
        forms = [self._base_forms(tokens.values)]
        if self.surface_form:
            forms.append(_plain(tokens.values))
        found = [self._named(tokens, form) for form in forms]  # [N, L] places of names; -1 where there is none
        if self.surface_form:
            same = _spans(forms[0], self.max_tokens) == _spans(forms[1], self.max_tokens)
            found[1] = tf.where(same, -1, found[1])
        where = tf.where(tf.reduce_max(tf.stack(found), axis=0) >= 0)  # [M, 2] token, length - 1
        places = tf.stack([tf.gather_nd(each, where) for each in found], axis=1)  # [M, 1 or 2]
        entities, weights = self._candidates(places)  # [M, (C)]
        priors = weights / tf.reduce_sum(weights, axis=1, keepdims=True)

        rows = tf.cast(tokens.value_rowids(), tf.int32)
        start = tf.cast(where[:, 0], tf.int32)  # [M], among all tokens
        row = tf.gather(rows, start)
        first = start - tf.gather(tf.cast(tokens.row_starts(), tf.int32), row)
        spans = tf.stack([first, first + tf.cast(where[:, 1], tf.int32)], axis=1)
        count = tokens.nrows()
        of_rows = [
            tf.RaggedTensor.from_value_rowids(values, tf.cast(row, tf.int64), count, validate=False)
            for values in (spans, entities, priors)
        ]
        return tuple(of_rows)

    def _base_forms(self, tokens):
        place = self._lemmas.lookup(tokens)
        base = tf.gather(tf.constant(self._forms, tf.string), tf.maximum(place, 0))
        return _plain(tf.where(place >= 0, base, tokens))

    def _named(self, tokens, form):
        """For each token, the places of the names that begin there: int32 [N, L]."""
        keys = _spans(form, self.max_tokens)  # [N, L]
        token = tf.range(tf.size(form))
        last = token[:, None] + tf.range(self.max_tokens)  # [N, L]
        limit = tf.cast(tf.gather(tokens.row_limits(), tokens.value_rowids()), tf.int32)[:, None]
        hyphen = form == HYPHEN
        closes = tf.gather(tf.pad(hyphen, [[0, self.max_tokens]]), last)
        fits = (last < limit) & ~hyphen[:, None] & ~closes
        return tf.where(fits, self._names.lookup(keys), -1)

    def _candidates(self, places):
        """Ids and weights [M, (C)] of the names at places [M, 1 or 2]."""
        start = tf.gather(self._splits, tf.maximum(places, 0))
        limit = tf.where(places < 0, start, tf.gather(self._splits, tf.maximum(places, 0) + 1))
        where = tf.ragged.range(tf.reshape(start, [-1]), tf.reshape(limit, [-1]), row_splits_dtype=tf.int64)
        if self.surface_form:
            where = tf.RaggedTensor.from_uniform_row_length(where, 2).merge_dims(1, 2)
        entities = tf.ragged.map_flat_values(tf.gather, self._entities, where)
        weights = tf.ragged.map_flat_values(tf.gather, self._weights, where)
        if not self.surface_form:
            return entities, weights
        order = tf.argsort(weights.to_tensor(-1.0), direction="DESCENDING")[
            :, : self.max_candidates
        ]  # keeps the order of equals
        many = entities.row_lengths() > self.max_candidates
        order = tf.where(many[:, None], order, tf.range(tf.shape(order)[1])[None, :])
        order = tf.RaggedTensor.from_tensor(order, tf.minimum(entities.row_lengths(), self.max_candidates))
        return tf.gather(entities, order, batch_dims=1), tf.gather(weights, order, batch_dims=1)


def _plain(tokens):
    return tf.strings.regex_replace(tf.strings.lower(tokens, encoding="utf-8"), r"\.", "")


def _spans(form, most):
    """The words of each span as one string, without hyphens: [N, L]; what is past the last token is empty."""
    padded = tf.pad(tf.where(form == HYPHEN, "", tf.strings.join([" ", form])), [[0, most]], constant_values="")
    spans = [form]
    for length in range(1, most):
        spans.append(tf.strings.join([spans[-1], padded[length : length + tf.size(form)]]))
    return tf.stack(spans, axis=1)


def _table(keys):
    """A hash table from strings to their places; -1 for all others."""
    initializer = tf.lookup.KeyValueTensorInitializer(
        tf.constant(keys), tf.range(len(keys)), key_dtype=tf.string, value_dtype=tf.int32
    )
    return tf.lookup.StaticHashTable(initializer, default_value=-1)
