"""Segments as a joint encoder's inputs, batch by batch.

Shapes: N segments, B segments of a batch, T tokens of a modality, F features of a frame, S samples.
"""

import hashlib
import json

import numpy as np
import tensorflow as tf

_CHUNK = 1024  # texts that are encoded at once


class SegmentTable:
    """Encoded texts, and frames that are padded when their batch is made.

    Texts in which mentions are found stay strings until their batch is made: its candidates belong to no row alone.

    Args:
        segments: `Segments`.
        model: The `JointEncoder`.
        labelled: Bool, encode its task's target, too. Defaults to False.

    Attributes:
        labels: What `task.encode` gives, or None.
        cut: Modality to an int [N], how many words, word pieces, frames or samples did not fit.

    Raises:
        ValueError: If a modality of the model is missing, or has frames of another width.
    """

    def __init__(self, segments, model, labelled: bool = False):
        _check_modalities(segments, model)
        self.segments = segments
        self.labels = model.task.encode(segments) if labelled else None
        self.sizes = {name: model.input_length(name) for name in model.modalities if name != "text"}
        self.tails = {name: [] if segments.widths[name] is None else [segments.widths[name]] for name in self.sizes}
        self.texts, self.cut, self._encode = {}, {}, None
        if "text" in model.modalities:
            count = model.text_encoder.tokens_with_counts if model.bases else model.encode_texts
            encoded = [
                count(segments.texts[start : start + _CHUNK]) for start in range(0, max(1, len(segments)), _CHUNK)
            ]
            self.cut["text"] = np.concatenate([cut.numpy() for _, cut in encoded])
            if model.bases:
                self.texts["text"] = np.array([text.encode("utf-8") for text in segments.texts], object)
                self._encode = model.encode_texts
            else:
                self.texts = {key: np.concatenate([each[key].numpy() for each, _ in encoded]) for key in encoded[0][0]}
        if model.num_contexts:
            contexts = np.zeros(len(segments), "int32") if segments.contexts is None else segments.contexts
            if len(contexts) and not 0 <= contexts.min() <= contexts.max() < model.num_contexts:
                raise ValueError(
                    f"`contexts` must be from 0 to {model.num_contexts - 1}: received {contexts.min()} to {contexts.max()}. "
                    "Number them as the model was built."
                )
            self.texts["context_ids"] = contexts
        for name, size in self.sizes.items():
            self.cut[name] = np.array([max(0, len(each) - size) for each in segments.features[name]], "int32")
        self.signature = {
            key: tf.TensorSpec([None, *value.shape[1:]], tf.string if value.dtype == object else value.dtype)
            for key, value in self.texts.items()
        } | {name: tf.TensorSpec([None, size, *self.tails[name]], tf.float32) for name, size in self.sizes.items()}

    def __len__(self) -> int:
        return len(self.segments)

    def inputs(self, rows) -> dict[str, tf.Tensor]:
        """The inputs of some segments, every sequence cut or padded to its length."""
        return self._encoded({key: tf.constant(each) for key, each in self._arrays(rows).items()})

    def _arrays(self, rows):
        inputs = {key: value[rows] for key, value in self.texts.items()}
        for name, size in self.sizes.items():
            frames = [self.segments.features[name][row][:size] for row in rows]
            inputs[name] = np.zeros([len(rows), size, *self.tails[name]], "float32")
            for place, each in enumerate(frames):
                inputs[name][place, : len(each)] = each
        return inputs

    def _encoded(self, inputs):
        if self._encode is None:
            return inputs
        return {**{key: each for key, each in inputs.items() if key != "text"}, **self._encode(inputs["text"])[0]}

    def batches(self, plan: list[np.ndarray], with_labels: bool) -> tf.data.Dataset:
        """The batches of a plan, in its order."""

        def generate():
            for rows in plan:
                inputs = self._arrays(rows)
                yield (inputs, self.labels[rows]) if with_labels else (inputs,)

        signature = (self.signature,)
        if with_labels:
            signature += (tf.TensorSpec([None, *self.labels.shape[1:]], self.labels.dtype),)
        found = tf.data.Dataset.from_generator(generate, output_signature=signature)
        if self._encode is not None:
            found = found.map(lambda inputs, *labels: (self._encoded(inputs), *labels), tf.data.AUTOTUNE)
        return found.prefetch(2)

    def digest(self) -> str:
        """A hash of everything that a training sees."""
        found = hashlib.sha256()
        for values in (
            *self.texts.values(),
            self.labels,
            *(each for name in self.sizes for each in self.segments.features[name]),
        ):
            values = np.array(json.dumps([each.decode() for each in values])) if values.dtype == object else values
            found.update(np.ascontiguousarray(values).tobytes())
        return found.hexdigest()


def epoch_plan(count: int, batch_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Every row once, shuffled; the last batch may be smaller."""
    rows = np.random.default_rng([seed, epoch]).permutation(count)
    return [rows[start : start + batch_size] for start in range(0, count, batch_size)]


def _check_modalities(segments, model):
    given = {**({} if segments.texts is None else {"text": "strings"}), **segments.widths}
    for name in model.modalities:
        if name not in given:
            raise ValueError(
                f"Segments must have every modality of the model, {list(model.modalities)}: received {list(given)}. Read them "
                "with it, or build a model without it."
            )
        if name != "text" and given[name] != model.features[name]:
            wanted, received = (
                "a waveform" if width is None else f"frames of {width} features"
                for width in (model.features[name], given[name])
            )
            raise ValueError(
                f"`{name}` must be {wanted}, as the model was built: received {received}. Extract the same features."
            )
