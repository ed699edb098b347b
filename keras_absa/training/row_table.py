"""The rows that a model sees: examples, once for each candidate that its scheme asks about."""

import hashlib
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.training.epoch_plan import length_buckets

_CHUNK = 4096  # texts that are measured at once


class RowTable:
    """Examples as arrays, and the `tf.data` pipelines over them.

    A row is an example, or in a binary scheme an example with one candidate label; example i has the rows
    i C to i C + C - 1.

    Args:
        examples: A list of `AspectExample`.
        task: Their `AspectTask`.
        encoder: The model's `AspectEncoder`.

    Attributes:
        examples: The examples.
        labels: Int64 [N] label ids of the examples; -1 where there is none.
        row_labels: Int64 [R], what a row is trained on: the label id, or whether the candidate is the label.
        lengths, cut: Int32 [N], tokens of an example's longest row, and how many were cut from it.
    """

    def __init__(self, examples, task, encoder: AspectEncoder):
        self.encoder = encoder
        self.examples = list(examples)
        self.size = len(examples)
        self.candidates = encoder.num_candidates
        self.context_ids = np.array(
            [_located(task.context_id, row, row.target, row.aspect) for row in examples], "int32"
        )
        self.labels = np.array(
            [-1 if row.label is None else _located(task.label_id, row, row.label) for row in examples]
        )
        self.sources = [row.source for row in examples]
        self.row_labels = self.labels
        if self.candidates > 1:
            self.row_labels = (self.labels[:, None] == np.arange(self.candidates)).astype("int64").reshape(-1)
        unique = {}
        self.text_index = np.array([unique.setdefault(row.text, len(unique)) for row in examples], "int32")
        with tf.device("CPU"):
            self.texts = tf.constant(list(unique))
            self.targets = self.others = self.aspects = None
            if task.targets:
                self.targets = tf.constant([row.target for row in examples])
                self.others = tf.constant([row.other_target or "" for row in examples])
            if task.open_aspects:
                self.aspects = tf.constant([row.aspect for row in examples])
        self.lengths, self.cut = self._measure()

    def _measure(self):
        # Called directly: a `tf.data` iterator over the text graph takes half a second to make.
        rows = np.arange(self.size) * self.candidates
        chunks = [rows[start : start + _CHUNK] for start in range(0, max(self.size, 1), _CHUNK)]
        traced = _traced(self.encoder).lengths
        with tf.device("CPU"):
            strings = [self._strings(chunk) for chunk in chunks]
            any_number = [part if part is None else tf.TensorSpec([None], part.dtype) for part in strings[0]]
            traced.get_concrete_function(*any_number)  # one graph, whatever the number of rows
            measured = [traced(*parts) for parts in strings]
        return tuple(np.concatenate(parts) for parts in zip(*measured, strict=True))

    def _strings(self, rows):
        example = rows // self.candidates
        candidate = rows % self.candidates if self.candidates > 1 else None
        return (
            tf.gather(self.texts, tf.gather(self.text_index, example)),
            tf.gather(self.context_ids, example),
            candidate,
            None if self.targets is None else tf.gather(self.targets, example),
            None if self.others is None else tf.gather(self.others, example),
            None if self.aspects is None else tf.gather(self.aspects, example),
        )

    def digest(self) -> str:
        """A hash of the texts, the questions and the labels."""
        rows = [(row.text, row.aspect, row.label, row.target, row.other_target) for row in self.examples]
        return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def check_labelled(self) -> None:
        """Refuses examples without a label."""
        bare = np.flatnonzero(self.labels < 0)
        if len(bare):
            raise ValueError(
                f"Every example must have a label here: {len(bare)} of {self.size} have none, the first is row {bare[0]} "
                f"({self.sources[bare[0]] or 'no source given'}). Use `predict` for unlabelled text."
            )

    def batches(self, plan: list[np.ndarray], *, with_labels: bool, few_shapes: bool) -> tf.data.Dataset:
        """The encoded batches of a plan.

        Args:
            plan: Int arrays of row numbers, one a batch.
            with_labels: Bool, give (inputs, labels) instead of inputs.
            few_shapes: Bool, for XLA, which compiles a program for every shape: pad to one of at most eight lengths
                instead of to the longest row, and fill a short batch up with copies of its own rows, at its end.
        """
        if few_shapes:
            most = max(map(len, plan))
            plan = [np.resize(rows, most) for rows in plan]
        buckets = np.array(length_buckets(self.encoder.pair_encoder.max_length))
        longest = np.array([self.lengths[rows // self.candidates].max() for rows in plan])
        longest = buckets[np.searchsorted(buckets, longest)] if few_shapes else longest
        row_labels, traced = tf.constant(self.row_labels), _traced(self.encoder)

        @tf.autograph.experimental.do_not_convert
        def encode(rows, length):
            inputs = traced.encode(*self._strings(rows), length=length)
            return (inputs, tf.gather(row_labels, rows)) if with_labels else inputs

        # Not `from_generator`: with it TensorFlow 2.21 lowers malloc's trim threshold for the whole process, and
        # training a MiniLM on a CPU was three times slower.
        numbered = (tf.ragged.constant(plan, dtype=tf.int64, ragged_rank=1), longest.astype("int32"))
        return tf.data.Dataset.from_tensor_slices(numbered).map(encode).prefetch(4)

    def expand(self, examples: np.ndarray) -> np.ndarray:
        """The rows of examples, all candidates of one example side by side."""
        return (examples[:, None] * self.candidates + np.arange(self.candidates)).reshape(-1)


def _traced(encoder):
    """The encoder's graphs, made once: tracing them takes longer than encoding some thousand texts."""
    if not hasattr(encoder, "traced"):
        # In a namespace, because a `tf.Module` would take the functions into each export.
        graph = {"autograph": False, "reduce_retracing": True}
        encoder.traced = SimpleNamespace(
            encode=tf.function(encoder.__call__, **graph), lengths=tf.function(encoder.lengths, **graph)
        )
    return encoder.traced


def _located(function, example, *arguments):
    try:
        return function(*arguments)
    except ValueError as error:
        raise ValueError(f"{example.source or repr(example.text[:60])}: {error}") from None
