"""Answers to questions about texts, call after call and from several threads.

Shapes: B rows, C labels.
"""

import threading
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_example import AspectExample
from keras_absa.models.aspect_prediction import AspectPrediction, prediction_rows
from keras_absa.models.windows import combine_windows, split_rows

if TYPE_CHECKING:
    from keras_absa.models.aspect_classifier import AspectClassifier


class Predictor:
    """Asks a classifier about texts. One graph, traced once, serves all calls, where `model.predict` makes a new
    pipeline for each; memory stays flat, and any number of threads may call it.

    Args:
        model: A classifier of `keras_absa.models`. Later changes of its weights, and of its calibration, are seen.
        batch_size: Int, rows at a time. Defaults to 64.
        window: Int, split texts into windows of so many word pieces, see `split_rows`. Defaults to None: what does not
            fit into `model.max_length` is cut.

    Attributes:
        cut_rows, cut_pieces: How many rows were cut at `model.max_length` so far, and how many word pieces they lost.

    Raises:
        ValueError: If `batch_size` or `window` is no such number; in a call, if an aspect is unknown, a target does not stand
            in its text, or `window` leaves no room for a question.

    Example:
        >>> import keras_absa as ka
        >>> model = ka.models.BertPairClassifier.from_pretrained("minilm", task=ka.data.restaurants())
        >>> predictor = Predictor(model)
        >>> answers = predictor(["Good soup, slow staff.", "Nice rooms."], aspects=[["service", "food"], ["ambience"]])
        >>> [[answer.aspect for answer in row] for row in answers]
        [['service', 'food'], ['ambience']]
    """

    def __init__(self, model: "AspectClassifier", batch_size: int = 64, window: int | None = None):
        for name, value, least in (("batch_size", batch_size, 1), ("window", window, 2)):
            if not (isinstance(value, int) and value >= least) and not (name == "window" and value is None):
                raise ValueError(
                    f"`{name}` must be a whole number of at least {least}: received {value!r}. Correct it."
                )
        self.model = model
        self.batch_size = batch_size
        self.window = window
        self.cut_rows = self.cut_pieces = 0
        self._lock = threading.Lock()
        strings, numbers = tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int32)
        signature = [strings, numbers, strings, strings, strings]
        self._run = tf.function(self._logits, input_signature=signature, autograph=False)

    def __call__(
        self, texts: list[str], targets=None, other_targets=None, aspects=None
    ) -> list[list[AspectPrediction]]:
        """Answers for each text, in the order of the questions.

        Args:
            texts: Strings.
            targets: For a task with targets, one entry a text: a name, a list of names, or None for the placeholders
                that stand in it. Defaults to None.
            other_targets: One more name a text, or None. Defaults to None.
            aspects: Names to ask every text about, or one list of names a text; a name may be repeated. Defaults to
                None, all aspects of the task.

        Returns:
            For each text a list of `AspectPrediction`: for each of its targets, one an aspect.
        """
        rows = prediction_rows(self.model.task, texts, targets, other_targets, aspects)
        flat = [row for text_rows in rows for row in text_rows]
        return AspectPrediction.of_texts(rows, self.model.task, self.probabilities(flat), self.model.none_threshold)

    def probabilities(self, rows: list[AspectExample]) -> np.ndarray:
        """Probabilities, float32 [B, C], row for row; labels are not read."""
        if not rows:
            return np.empty((0, len(self.model.task.labels)), "float32")
        if self.window is None:
            return self.model.probabilities(self.logits(rows)).numpy()
        windows, owners = split_rows(rows, self.model.text_encoder, self.window)
        probabilities = self.model.probabilities(self.logits(windows)).numpy()
        return combine_windows(probabilities, owners, len(rows), self.model.task)

    def logits(self, rows: list[AspectExample]) -> np.ndarray:
        """What the model says before the softmax: float32 [B, C], or [B C, 2] in a binary scheme."""
        count = self.model.text_encoder.num_candidates
        answers = np.empty((len(rows), count, 2 if self.model.binary else len(self.model.task.labels)), "float32")
        order = sorted(range(len(rows)), key=lambda place: len(rows[place].text))  # little padding
        for start in range(0, len(rows), self.batch_size):
            places = order[start : start + self.batch_size]
            # Tensors are made here: a `tf.function` that cannot convert its inputs keeps its lock for good.
            logits, cut = self._run(*question_tensors(self.model.task, [rows[place] for place in places]))
            answers[places] = np.reshape(logits, answers[places].shape)
            with self._lock:
                self.cut_rows += int(np.count_nonzero(cut))
                self.cut_pieces += int(np.sum(cut))
        return answers.reshape(-1, answers.shape[-1])

    def _logits(self, *tensors):
        first, second, context_ids = question_segments(self.model, *tensors)
        inputs, cut = self.model.text_encoder.pair_encoder.encode_with_counts(first, second)
        return self.model({**inputs, "context_ids": context_ids}, training=False), cut


def question_tensors(task, rows: list[AspectExample]) -> tuple[tf.Tensor, ...]:
    """Rows as tensors [B]: texts, context ids, targets, other targets and aspects."""
    return (
        tf.constant([row.text for row in rows]),
        tf.constant([task.context_id(row.target, row.aspect) for row in rows], tf.int32),
        tf.constant([row.target or "" for row in rows]),
        tf.constant([row.other_target or "" for row in rows]),
        tf.constant([row.aspect for row in rows]),
    )


def question_segments(model, *tensors):
    """What a model reads of rows, one for each candidate: first texts, second texts (or None) and context ids, [B C]."""
    encoder = model.text_encoder
    count = encoder.num_candidates
    texts, context_ids, targets, others, aspects = (tf.repeat(each, count, axis=0) for each in tensors)
    candidates = tf.range(tf.shape(texts)[0]) % count if count > 1 else None
    names = (targets, others) if model.task.targets else (None, None)
    return *encoder.segments(texts, context_ids, candidates, *names, aspects), context_ids
