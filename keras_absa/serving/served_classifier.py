"""What an exported classifier is: strings in, label names and probabilities out.

Shapes: B texts, A aspects, C labels, R rows (B A, or B).
"""

import tensorflow as tf


class ServedClassifier(tf.Module):
    """The signatures of an exported classifier.

    `serving_default` asks about all aspects of a text, `pair` about one aspect a row. Where any string is an aspect
    (`task.open_aspects`), both are `pair`. A row that cannot be
    answered gets empty labels, probabilities of zero and a text in `error`, so that it does not fail the other
    rows of a merged batch.

    Args:
        model: A classifier of `keras_absa.models`, in float32.
    """

    def __init__(self, model):
        super().__init__()
        # Only the weights are tracked: a tracked Keras model would bring its own functions and the optimizer along.
        self.weights = model.inference_weights()
        self._call = tf.autograph.experimental.do_not_convert(
            lambda inputs: model.probabilities(model(inputs, training=False))
        )
        self._encoder = model.served_text_encoder()
        self._task = model.task
        self._none_threshold = model.none_threshold
        self._has_targets = bool(model.task.targets)

    def signatures(self) -> dict[str, tf.types.experimental.GenericFunction]:
        """Name to function, for `tf.saved_model.save`."""
        no_other = tf.constant([""])  # servers that know of defaults fill it in; elsewhere it must be sent

        if self._has_targets:

            def serving_default(text, target, other_target=no_other):
                return self.all_aspects(text, target, other_target)

            def pair(text, aspect, target, other_target=no_other):
                return self.one_aspect(text, aspect, target, other_target)

            extra = ("target", "other_target")
        elif self._task.open_aspects:

            def serving_default(text, aspect):
                return self.one_aspect(text, aspect)

            def pair(text, aspect):
                return self.one_aspect(text, aspect)

            extra = ()
        else:

            def serving_default(text):
                return self.all_aspects(text)

            def pair(text, aspect):
                return self.one_aspect(text, aspect)

            extra = ()
        asked = ("aspect",) if self._task.open_aspects else ()
        names = {serving_default: ("text", *asked, *extra), pair: ("text", "aspect", *extra)}
        return {
            function.__name__: tf.function(
                function,
                input_signature=[tf.TensorSpec([None], tf.string, name=name) for name in arguments],
                autograph=False,
            )
            for function, arguments in names.items()
        }

    def all_aspects(self, text, target=None, other_target=None):
        """Every aspect of each text: `label` and `aspect` string [B, A], `probabilities` [B, A, C], `error` string [B]."""
        count = len(self._task.aspects)
        text, place, error = self._marked(text, target, other_target)
        rows = tf.shape(text)[0]
        context_ids = place[:, None] * count + tf.range(count)  # [B, A]
        probabilities = self._answer(tf.repeat(text, count), tf.reshape(context_ids, [-1]))  # [R, C]
        probabilities = tf.reshape(probabilities, [rows, count, len(self._task.labels)])  # [B, A, C]
        label, probabilities = self._blanked(probabilities, error == "", axes=2)
        aspect = tf.broadcast_to(tf.constant(self._task.aspects), [rows, count])
        return {"label": label, "probabilities": probabilities, "aspect": aspect, "error": error}

    def one_aspect(self, text, aspect, target=None, other_target=None):
        """One aspect a row: `label` string [B], `probabilities` [B, C], `error` string [B]."""
        text = _aligned(text, aspect, "aspect")
        text, context_ids, error = self._marked(text, target, other_target)
        if self._task.open_aspects:
            error = tf.where(tf.strings.strip(aspect) == "", "empty aspect; say what the question is about", error)
        else:
            matches = aspect[:, None] == tf.constant(self._task.aspects)  # [B, A]
            named = ", ".join(self._task.aspects)
            unknown = tf.strings.join(["unknown aspect '", _readable(aspect), f"'; known: {named}"])
            error = tf.where(tf.reduce_any(matches, axis=1), error, unknown)
            place = tf.argmax(matches, axis=1, output_type=tf.int32)  # [B]
            context_ids = context_ids * len(self._task.aspects) + place  # [B]
        label, probabilities = self._blanked(self._answer(text, context_ids, aspect), error == "", axes=1)
        return {"label": label, "probabilities": probabilities, "error": error}

    def _marked(self, text, target, other_target):
        """The text with its targets marked, the place of the target in question, and what is wrong: three [B]."""
        blank = "empty text; send some words"
        wrong = tf.where(tf.strings.strip(text) == "", blank, tf.zeros_like(text))
        if not self._has_targets:
            return text, tf.zeros(tf.shape(text), tf.int32), wrong
        text = _aligned(text, target, "target")
        other_target = tf.broadcast_to(other_target, tf.shape(text))  # the default is one row
        text, found, place = self._encoder.marker(text, target, other_target)
        absent = tf.strings.join(
            [
                "target '",
                _readable(target),
                "' does not stand in the text as a whole word, or is longer than 200 characters; give it as the text writes it",
            ]
        )
        return text, place, tf.where(found | (wrong != ""), wrong, absent)

    def _answer(self, text, context_ids, aspect=None):
        """Probabilities [R, C] of rows."""
        candidates = self._encoder.num_candidates
        if candidates == 1:
            return self._call(self._encoder(text, context_ids, aspect=aspect))
        claims = tf.tile(tf.range(candidates), tf.shape(text))  # [R C]
        text, context_ids = tf.repeat(text, candidates), tf.repeat(context_ids, candidates)
        aspect = None if aspect is None else tf.repeat(aspect, candidates)
        return self._call(self._encoder(text, context_ids, claims, aspect=aspect))

    def _blanked(self, probabilities, answered, axes):
        """Labels and probabilities; empty and zero in rows that were not answered."""
        answered = tf.reshape(answered, [-1] + [1] * axes)  # [B, 1] or [B, 1, 1]
        label = tf.gather(tf.constant(self._task.labels), self._decide(probabilities))
        label = tf.where(answered[..., 0], label, "")
        return label, tf.where(answered, probabilities, 0.0)

    def _decide(self, probabilities):
        """What `keras_absa.metrics.decision.decide` does, as operations."""
        if self._none_threshold is None:
            return tf.argmax(probabilities, axis=-1)
        none = self._task.label_id(self._task.none_label)
        others = tf.argmax(probabilities - 2.0 * tf.one_hot(none, len(self._task.labels)), axis=-1)
        return tf.where(probabilities[..., none] >= self._none_threshold, tf.cast(none, others.dtype), others)


def _aligned(text, other, name):
    """The text; a request whose inputs have different numbers of rows is refused instead of being stretched."""
    same = tf.debugging.assert_equal(tf.shape(text), tf.shape(other), f"`{name}` must have one row for each of `text`.")
    with tf.control_dependencies([same] if same is not None else []):
        return tf.identity(text)


def _readable(strings):
    """Valid UTF-8, cut to what fits into a message; a server's JSON must not carry anything else."""
    strings = tf.strings.unicode_transcode(strings, "UTF-8", "UTF-8", errors="replace")
    return tf.strings.substr(strings, 0, 80, unit="UTF8_CHAR")
