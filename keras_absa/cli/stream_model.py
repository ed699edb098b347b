"""Answers for a stream: one graph that is traced once, where `model.predict` makes a new pipeline for each call.

Shapes: B rows, C labels.
"""

import numpy as np
import tensorflow as tf

from keras_absa.data import AspectExample
from keras_absa.models.aspect_classifier import AspectClassifier


class StreamModel:
    """Gives the probabilities that `model.predict` gives, call after call in the same memory.

    Args:
        model: An `AspectClassifier`.
        batch_size: Int, rows at a time.

    Attributes:
        cut_rows, cut_pieces: How many rows were cut at `model.max_length` so far, and how many word pieces they lost.
    """

    def __init__(self, model: AspectClassifier, batch_size: int = 64):
        self.model = model
        self.batch_size = batch_size
        self.cut_rows = self.cut_pieces = 0
        strings, numbers = tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int32)
        self._answer = tf.function(self._batch, input_signature=[strings, numbers, strings, strings], autograph=False)

    def __call__(self, rows: list[AspectExample]) -> np.ndarray:
        """Probabilities, float32 [B, C], row for row."""
        answers = np.empty((len(rows), len(self.model.task.labels)), "float32")
        order = sorted(range(len(rows)), key=lambda place: len(rows[place].text))  # little padding
        for start in range(0, len(rows), self.batch_size):
            places = order[start : start + self.batch_size]
            batch = [rows[place] for place in places]
            probabilities, cut = self._answer(
                [row.text for row in batch],
                [self.model.task.context_id(row.target, row.aspect) for row in batch],
                [row.target or "" for row in batch],
                [row.other_target or "" for row in batch],
            )
            answers[places] = probabilities
            self.cut_rows += int(np.count_nonzero(cut))
            self.cut_pieces += int(np.sum(cut))
        return answers

    def _batch(self, texts, context_ids, targets, others):
        encoder = self.model.text_encoder
        count = encoder.num_candidates
        texts, context_ids, targets, others = (
            tf.repeat(each, count, axis=0) for each in (texts, context_ids, targets, others)
        )
        candidates = tf.range(tf.shape(texts)[0]) % count if count > 1 else None
        names = (targets, others) if self.model.task.targets else (None, None)
        first, second = encoder.segments(texts, context_ids, candidates, *names)
        inputs, cut = encoder.pair_encoder.encode_with_counts(first, second)
        inputs = {**inputs, "context_ids": context_ids}
        return self.model.probabilities(self.model(inputs, training=False)), cut
