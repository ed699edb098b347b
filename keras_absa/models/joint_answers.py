"""What a joint encoder says about segments.

Shapes: N segments, T positions of a modality, C outputs.
"""

import numpy as np
import tensorflow as tf

from keras_absa.data.segments import Segments
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport
from keras_absa.models.joint_training import JointTraining, check_encoded


class JointAnswers(JointTraining):
    """Base of `JointEncoder`: probabilities and scores, answers in words, metrics, and what the glimpses looked at."""

    def predict_step(self, data):
        inputs, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        return self(inputs, training=False)

    def predict(self, x, *, batch_size: int = 64, verbose=0, **kwargs):
        """What the model says: probabilities, float32 [N, C], of labels (each by itself) or classes; scores [N] from -3 to 3.

        Args:
            x: `Segments`; else encoded tensors, for which it gives logits.
            batch_size: Int. Defaults to 64.
        """
        if not isinstance(x, Segments):
            check_encoded("predict", x)
            return super().predict(x, batch_size=batch_size, verbose=verbose, **kwargs)
        return self.answers_of(self.logits(x, batch_size=batch_size, verbose=verbose)).numpy()

    def answers_of(self, logits) -> tf.Tensor:
        """Probabilities or scores from logits [N, C]."""
        if self.task.kind == "score":
            return tf.clip_by_value(logits[:, 0], -3.0, 3.0)
        return tf.sigmoid(logits) if self.task.kind == "labels" else tf.nn.softmax(logits)

    def logits(self, segments: Segments, *, batch_size: int = 64, verbose=0) -> np.ndarray:
        """Float32 [N, C], which `keras_absa.metrics.choose_ensemble` puts together with other runs'."""
        return self.table_logits(self.table(segments), batch_size, verbose)

    def answer(self, segments: Segments, *, batch_size: int = 64) -> list[dict]:
        """An answer a segment in words: `id`, then `label` and `probabilities`, or `labels` and `probabilities`, or `score`."""
        found = self.predict(segments, batch_size=batch_size)
        if self.task.kind == "score":
            return [{"id": name, "score": float(score)} for name, score in zip(segments.ids, found, strict=True)]
        answers = []
        for name, row in zip(segments.ids, found, strict=True):
            probabilities = {label: float(each) for label, each in zip(self.task.labels, row, strict=True)}
            said = {"label": self.task.labels[int(row.argmax())]}
            if self.task.kind == "labels":
                said = {"labels": [label for label, each in probabilities.items() if each > 0.5]}
            answers.append({"id": name, **said, "probabilities": probabilities})
        return answers

    def evaluate(self, x=None, y=None, *, batch_size: int = 64, verbose=0, **kwargs):
        """The task's metrics, see `keras_absa.metrics.joint_metrics`, as a `MetricReport`; on encoded tensors as Keras."""
        if not isinstance(x, Segments):
            check_encoded("evaluate", x)
            return super().evaluate(x, y, batch_size=batch_size, verbose=verbose, **kwargs)
        return self.score(x, batch_size=batch_size, verbose=verbose)[0]

    def score(self, segments: Segments, *, batch_size: int = 64, verbose=0) -> tuple[MetricReport, np.ndarray]:
        """The metrics, and the logits [N, C] that they were computed from."""
        return self.score_table(self.labelled_table(segments), batch_size=batch_size, verbose=verbose)

    def glimpses(self, segments: Segments, *, batch_size: int = 64) -> dict[str, np.ndarray]:
        """What the final glimpses looked at: modality to weights, float32 [N, T], each row with the sum 1.

        Positions of padding have weights, too, unless `mask_blocks` is `"all"`.
        """
        table = self.table(segments)
        found = {name: [] for name in self.modalities}
        for start in range(0, len(table), batch_size):
            inputs = table.inputs(np.arange(start, min(start + batch_size, len(table))))
            _, weights = self(inputs, return_attention=True)
            for name, each in zip(self.modalities, weights[-1], strict=True):
                found[name].append(each[:, 0].numpy())
        return {name: np.concatenate(parts) for name, parts in found.items()}
