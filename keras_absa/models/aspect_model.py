"""What models that answer (text, aspect) questions share: strings in, scores, answers and calibration out.

Shapes: B rows, N examples, C labels.
"""

import numpy as np
import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.metrics import MetricReport, task_metrics
from keras_absa.models.aspect_prediction import AspectPrediction, prediction_rows
from keras_absa.models.calibration import fit_none_threshold, fit_temperature
from keras_absa.models.predictor import Predictor
from keras_absa.models.text_model import TextModel
from keras_absa.models.windows import combine_windows, split_rows
from keras_absa.training.epoch_plan import plan_evaluation
from keras_absa.training.row_table import RowTable
from keras_absa.training.warn_once import warn_cut


class AspectModel(TextModel):
    """Base of `AspectClassifier`: a model whose call gives logits [B, C] for rows that its `text_encoder` makes.

    A subclass sets `task`, `text_encoder`, `max_length`, `binary` (two logits for each candidate label), `temperature` and
    `none_threshold` in its constructor.
    """

    @property
    def temperature(self) -> float:
        """What logits are divided by before the softmax."""
        return self._temperature

    @temperature.setter
    def temperature(self, value: float):
        if not (isinstance(value, (int, float)) and 0.0 < value < float("inf")):
            raise ValueError(f"`temperature` must be a number above 0: received {value!r}. `calibrate` finds one.")
        self._temperature = float(value)
        self.predict_function = None  # it was traced with the temperature before

    @property
    def none_threshold(self) -> float | None:
        """The probability from which on a row is "none"; None for no rule of its own."""
        return self._none_threshold

    @none_threshold.setter
    def none_threshold(self, value: float | None):
        usable = isinstance(value, (int, float)) and self.task.none_label is not None and 0.0 <= value <= 1.0
        if value is not None and not usable:
            raise ValueError(
                f"`none_threshold` must be between 0 and 1, in a task with a `none_label`: received {value!r} with "
                f"none_label={self.task.none_label!r}. Leave it out, or let `calibrate` find one."
            )
        self._none_threshold = value

    def probabilities(self, logits, temperature: float | None = None):
        """Float32 [B, C] from logits, at the model's temperature or another one.

        In a binary scheme the C candidates of an example are B C consecutive rows.
        """
        rows = tf.nn.softmax(logits / (self.temperature if temperature is None else temperature))
        if not self.binary:
            return rows
        claimed = tf.reshape(rows[:, 1], [-1, len(self.task.labels)])  # [B, C]
        return claimed / tf.reduce_sum(claimed, axis=1, keepdims=True)

    def served_text_encoder(self):
        """What an export encodes texts with."""
        return self.text_encoder

    def predict_step(self, data):
        inputs, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        return self.probabilities(self(inputs, training=False))

    def evaluate(self, x=None, y=None, *, batch_size: int = 64, window: int | None = None, **kwargs):
        """The task's official metrics on strings; on encoded tensors what `keras.Model.evaluate` gives.

        Args:
            x: An `AspectDataset` or a list of labelled `AspectExample`; else encoded tensors.
            y: Only for encoded tensors.
            batch_size: Int, examples at a time. Defaults to 64.
            window: Int, see `predict`. Defaults to None.

        Returns:
            A `MetricReport` for an `AspectDataset` or a list of `AspectExample`.
        """
        data = self._as_dataset(x)
        if data is None:
            return super().evaluate(x, y, **kwargs)
        return self.score(data, batch_size=batch_size, verbose=kwargs.get("verbose", 0), window=window)[0]

    def score(self, x, *, batch_size: int = 64, verbose=0, window=None) -> tuple[MetricReport, np.ndarray]:
        """The official metrics and the probabilities [N, C] that they were computed from."""
        data = self._as_dataset(x)
        if window is not None:
            probabilities = self.predict(data, batch_size=batch_size, verbose=verbose, window=window)
            return task_metrics(self.task, data.examples, probabilities, self.none_threshold), probabilities
        return self.score_table(self.labelled_table(data), batch_size=batch_size, verbose=verbose)

    def labelled_table(self, data) -> RowTable:
        """The rows of an `AspectDataset`, all of which have a label."""
        table = RowTable(data.examples, self.task, self.text_encoder)
        table.check_labelled()
        return table

    def development_loss(self, labels, probabilities) -> float:
        """Mean cross-entropy of probabilities [N, C] for label ids [N]."""
        chosen = probabilities[np.arange(len(labels)), labels]
        return float(-np.mean(np.log(np.maximum(chosen, 1e-12))))

    def score_table(self, table: RowTable, *, batch_size: int = 64, verbose=0) -> tuple[MetricReport, np.ndarray]:
        """`score` of examples that were put into a `RowTable` before."""
        probabilities = self._predict_table(table, batch_size, verbose)
        return task_metrics(self.task, table.examples, probabilities, self.none_threshold), probabilities

    def predict(self, x, *, batch_size: int = 64, verbose=0, window: int | None = None, **kwargs):
        """Probabilities, float32 [N, C] in the order of `task.labels`, row for row in the order of the input.

        Args:
            x: An `AspectDataset` or a list of `AspectExample` (labels are not read); else encoded tensors.
            batch_size: Int, examples at a time. Defaults to 64.
            window: Int, split texts into windows of so many word pieces, and answer from them together, see
                `split_rows` and `combine_windows`. Defaults to None: what does not fit into `max_length` is cut.
        """
        if isinstance(x, (list, tuple)) and not x:
            return np.zeros([0, len(self.task.labels)], "float32")
        data = self._as_dataset(x)
        if data is None:
            return super().predict(x, batch_size=batch_size, verbose=verbose, **kwargs)
        if window is not None:
            windows, owners = split_rows(data.examples, self.text_encoder, window)
            probabilities = self.predict(windows, batch_size=batch_size, verbose=verbose, **kwargs)
            return combine_windows(probabilities, owners, len(data.examples), self.task)
        table = RowTable(data.examples, self.task, self.text_encoder)
        return self._predict_table(table, batch_size, verbose, **kwargs)

    def _predict_table(self, table, batch_size, verbose, **kwargs):
        warn_cut(table.cut, self.max_length)
        plan = plan_evaluation(table.lengths, batch_size)
        expanded = [table.expand(rows) for rows in plan]
        batches = table.batches(expanded, with_labels=False, few_shapes=bool(self._jit_compile))
        sorted_rows = super().predict(batches, verbose=verbose, steps=len(plan), **kwargs)
        order = np.concatenate(plan)
        sorted_rows = sorted_rows[: len(order)]  # without what filled up the last batch
        probabilities = np.empty_like(sorted_rows)
        probabilities[order] = sorted_rows
        return probabilities

    def predict_aspects(
        self,
        texts: list[str],
        targets=None,
        other_targets=None,
        aspects=None,
        *,
        batch_size: int = 64,
        window: int | None = None,
    ) -> list[list[AspectPrediction]]:
        """Asks about every aspect (and target) of each text. For call after call, `keras_absa.Predictor` is quicker.

        Args:
            texts: Strings.
            targets: For a task with targets, one entry a text: a name, a list of names, or None for the placeholders
                that stand in it. Defaults to None.
            other_targets: One more name a text, or None. Defaults to None.
            aspects: Names to ask every text about, or one list of names a text; a name may be repeated. Defaults to
                None, all aspects of the task.
            batch_size: Int, rows at a time. Defaults to 64.
            window: Int, see `predict`. Defaults to None.

        Returns:
            For each text a list of `AspectPrediction`: for each of its targets, one an aspect.

        Raises:
            ValueError: If an aspect is unknown or a target does not stand in its text.
        """
        rows = prediction_rows(self.task, texts, targets, other_targets, aspects)
        flat = [row for text_rows in rows for row in text_rows]
        probabilities = self.predict(flat, batch_size=batch_size, window=window) if flat else ()
        return AspectPrediction.of_texts(rows, self.task, probabilities, self.none_threshold)

    def calibrate(self, x, *, threshold_metric: str | None = None) -> MetricReport:
        """Fits `temperature`, and on request `none_threshold`, to development rows; both are saved and exported.

        The temperature changes no label: it makes the probabilities as sure as the model is right. Weights stay as they
        are. Do not use the test set for it.

        Args:
            x: An `AspectDataset` or a list of labelled `AspectExample`.
            threshold_metric: The metric that `none_threshold` is to maximise, for example `"aspect_f1"`. Defaults to
                None: no threshold; one that was set is taken away, since it belonged to other probabilities.

        Returns:
            The `MetricReport` of these rows afterwards; its `expected_calibration_error` is what a temperature is for.

        Raises:
            ValueError: If there are no rows, a row has no label, or the metric is unknown, undefined, or no score. The model
                is then as it was.

        Reference:
            Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2.
        """
        data = self._as_dataset(x)
        if data is None or not data.examples:
            raise ValueError(
                "`calibrate` needs an AspectDataset or a list of labelled AspectExample: received "
                f"{'no rows' if data is not None or x == [] else type(x).__name__}. Pass the development set."
            )
        examples, table = data.examples, self.labelled_table(data)
        logits = Predictor(self).logits(examples)

        def probabilities_at(temperature):
            return self.probabilities(logits, temperature).numpy()

        temperature = fit_temperature(probabilities_at, table.labels)
        probabilities, threshold = probabilities_at(temperature), None

        def report_at(threshold):
            return task_metrics(self.task, examples, probabilities, threshold)

        if threshold_metric is not None:
            threshold = fit_none_threshold(report_at, threshold_metric)
        self.temperature, self.none_threshold = temperature, threshold
        return report_at(threshold)
