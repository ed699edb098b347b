"""What an exported joint encoder is: strings and numbers in, names and probabilities out.

Shapes: B segments, T frames, F features, S samples, C labels.
"""

import tensorflow as tf


class ServedJointEncoder(tf.Module):
    """The signature of an exported joint encoder.

    `serving_default` takes every modality of the model: `text` string [B], frames float [B, T, F] or a waveform float [B, S] of
    any length (also 0, for one that is missing), and `context_ids` int32 [B] if the encoder is guided by contexts. A row with a
    number that is not finite, or without anything in it, gets empty labels, zeros and a text in `error`.

    Args:
        model: A `JointEncoder` in float32.
    """

    def __init__(self, model):
        super().__init__()
        self.weights = model.inference_weights()  # a tracked Keras model would bring its own functions along
        self._call = tf.autograph.experimental.do_not_convert(lambda inputs: model(inputs, training=False))
        self._has_text = "text" in model.modalities
        # The tables of the tokenizer are resources, which an export has to hold.
        self._encoder = model.served_text_encoder() if self._has_text else None
        self._encode = tf.autograph.experimental.do_not_convert(
            lambda texts: model.encode_texts(texts, self._encoder)[0]
        )
        self._answers = model.answers_of
        self._task = model.task
        self._contexts = model.num_contexts
        self._shapes = {
            name: (model.input_length(name), model.features[name]) for name in model.modalities if name != "text"
        }

    def signatures(self) -> dict[str, tf.types.experimental.GenericFunction]:
        """Name to function, for `tf.saved_model.save`."""
        specs = [tf.TensorSpec([None], tf.string, name="text")] if self._has_text else []
        for name, (_, width) in self._shapes.items():
            shape = [None, None] if width is None else [None, None, width]
            specs.append(tf.TensorSpec(shape, tf.float32, name=name))
        if self._contexts:
            specs.append(tf.TensorSpec([None], tf.int32, name="context_ids"))
        names = [spec.name for spec in specs]

        def serving_default(*values):
            return self.answer(dict(zip(names, values, strict=True)))

        return {"serving_default": tf.function(serving_default, input_signature=specs, autograph=False)}

    def answer(self, values):
        """`label` [B] and `probabilities` [B, C], of labels all [B, C] and `present`, of a score `score` [B]; and `error` [B]."""
        values = _aligned(values)
        inputs, wrong, empty = {}, [], []
        if self._has_text:
            inputs |= self._encode(values["text"])
            empty.append(tf.strings.strip(values["text"]) == "")
        for name, (length, width) in self._shapes.items():
            frames = values[name]
            axes = list(range(1, 2 if width is None else 3))
            wrong.append(tf.reduce_any(~tf.math.is_finite(frames), axis=axes))
            frames = tf.where(tf.math.is_finite(frames), frames, 0.0)[:, :length]
            missing = length - tf.shape(frames)[1]
            frames = tf.pad(frames, [[0, 0], [0, missing]] + ([] if width is None else [[0, 0]]))
            inputs[name] = tf.ensure_shape(frames, [None, length] + ([] if width is None else [width]))
            empty.append(tf.reduce_all(frames == 0.0, axis=axes))
        if self._contexts:
            given = values["context_ids"]
            inputs["context_ids"] = tf.clip_by_value(given, 0, self._contexts - 1)
            wrong.append(given != inputs["context_ids"])
        blank = tf.reduce_all(tf.stack(empty), axis=0)  # [B]
        error = tf.where(blank, "nothing in this segment; send text or frames", tf.fill(tf.shape(blank), ""))
        if wrong:
            broken = tf.reduce_any(tf.stack(wrong), axis=0)
            what = "a number that is not finite, or a context that does not exist; send numbers that are"
            error = tf.where(broken, what, error)
        return {**self._named(self._answers(self._call(inputs)), error == ""), "error": error}

    def _named(self, answers, answered):
        if self._task.kind == "score":
            return {"score": tf.where(answered, answers, 0.0)}
        labels = tf.constant(self._task.labels)
        column = answered[:, None]  # [B, 1]
        probabilities = tf.where(column, answers, 0.0)
        if self._task.kind == "labels":
            names = tf.where(column, tf.broadcast_to(labels, tf.shape(answers)), "")
            return {"label": names, "present": probabilities > 0.5, "probabilities": probabilities}
        label = tf.where(answered, tf.gather(labels, tf.argmax(answers, axis=-1)), "")
        return {"label": label, "probabilities": probabilities}


def _aligned(values):
    """The values; a request whose inputs have different numbers of rows is refused."""
    first, *others = values
    checks = [
        tf.debugging.assert_equal(
            tf.shape(values[name])[0], tf.shape(values[first])[0], f"`{name}` must have one row for each of `{first}`."
        )
        for name in others
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return {name: tf.identity(value) for name, value in values.items()}
