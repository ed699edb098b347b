"""What the trainable models share: an encoder with slots, a classifier, and strings at every border.

Shapes: B rows, D width, C labels, K contexts.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_task import SCHEMES, AspectTask
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport, task_metrics
from keras_absa.models.aspect_prediction import AspectPrediction, prediction_rows
from keras_absa.models.calibration import fit_none_threshold, fit_temperature
from keras_absa.models.classifier_folder import classifier_on_bert, read_classifier, write_classifier
from keras_absa.models.predictor import Predictor
from keras_absa.models.pretrained_folder import read_settings
from keras_absa.models.slotted_bert import SlottedBert
from keras_absa.models.text_model import TextModel
from keras_absa.models.windows import combine_windows, split_rows
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.training.epoch_plan import plan_evaluation
from keras_absa.training.row_table import RowTable
from keras_absa.training.warn_once import warn_cut


class AspectClassifier(TextModel):
    """Base of `QacgBertClassifier`, `CgBertClassifier` and `BertPairClassifier`; it is not used by itself.

    Args:
        encoder: A `SlottedBert`.
        task: The `AspectTask`: aspects, targets and labels.
        tokenizer: The `Tokenizer` of the encoder's vocabulary.
        scheme: How the context is written into the input: `"nli_m"`, `"qa_m"`, `"nli_b"`, `"qa_b"` or
            `"single"` (not at all). Defaults to `"nli_m"`.
        max_length: Int, most tokens of a row. Defaults to 128.
        dropout: Float, rate on the vector that is classified. Defaults to 0.1.
        use_pooler: Bool, classify BERT's pooled vector (the public code) rather than the last hidden state of
            [CLS] (as the paper writes); a `pooling` plug's vector is classified in any case. Defaults to True.
        temperature: Float, what logits are divided by before the softmax; `calibrate` finds one. Defaults to 1.
        none_threshold: Float between 0 and 1, the probability from which on a row is "none", see `decide`. Defaults to
            None: the most probable label.
        **kwargs: Passed to `keras.Model`.

    Call arguments:
        inputs: A dict of int32 tensors as `AspectEncoder` makes it: `input_ids`, `token_type_ids`, `attention_mask`
            [B, T] and `context_ids` [B].

    Returns:
        Logits, float32 [B, C]; [B, 2] in a binary scheme. `predict` gives probabilities.
    """

    def __init__(
        self,
        encoder: SlottedBert,
        task: AspectTask,
        tokenizer: Tokenizer,
        *,
        scheme: str = "nli_m",
        max_length: int = 128,
        dropout: float = 0.1,
        use_pooler: bool = True,
        temperature: float = 1.0,
        none_threshold: float | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if scheme not in SCHEMES:
            raise ValueError(f"`scheme` must be one of {list(SCHEMES)}: received {scheme!r}. Pick one of them.")
        positions = encoder.bert.config.max_position_embeddings
        if max_length > positions:
            raise ValueError(
                f"`max_length` must not exceed the encoder's {positions} positions: received {max_length}. Lower it."
            )
        if tokenizer.vocab_size > encoder.bert.config.vocab_size:
            raise ValueError(
                f"The vocabulary must fit the encoder's {encoder.bert.config.vocab_size} word pieces: received "
                f"{tokenizer.vocab_size}. Use the checkpoint's own vocab.txt."
            )
        self.task = task
        self.scheme = scheme
        self.max_length = max_length
        self.dropout = dropout
        self.use_pooler = use_pooler
        self.temperature = temperature
        self.none_threshold = none_threshold
        self.encoder = encoder
        self.text_encoder = AspectEncoder(tokenizer, task, scheme=scheme, max_length=max_length)
        self.binary = scheme.endswith("_b")

        width = encoder.pooled_width if self._reads_pooled else encoder.bert.config.hidden_size
        outputs = 2 if self.binary else len(task.labels)
        heads = task.num_contexts if scheme == "single" else 1  # one classifier a context where the text alone is read
        stddev = encoder.bert.config.initializer_range
        self.classifier_dropout = keras.layers.Dropout(dropout)
        self.classifier_kernel = self.add_weight(
            name="classifier/kernel",
            shape=(heads, width, outputs),
            initializer=keras.initializers.RandomNormal(stddev=stddev),
        )
        self.classifier_bias = self.add_weight(name="classifier/bias", shape=(heads, outputs), initializer="zeros")
        self.load_report = None
        self.selection = None  # what the last `fit` selected: monitor, epoch and value
        self.build()

    def build(self, input_shape=None):
        # All weights exist once the constructor has run.
        self.built = True

    @property
    def _reads_pooled(self):
        return self.use_pooler or self.encoder.pooling is not None

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

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the encoder's vocabulary."""
        return self.text_encoder.pair_encoder.tokenizer

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False):
        outputs = self.encoder(inputs, training=training, first_token_only=True)
        vector = outputs["pooled"] if self._reads_pooled else outputs["last_hidden_state"][:, 0]  # [B, D]
        vector = tf.cast(self.classifier_dropout(vector, training=training), tf.float32)
        kernel, bias = tf.cast(self.classifier_kernel, tf.float32), tf.cast(self.classifier_bias, tf.float32)
        if self.scheme == "single":
            heads = inputs["context_ids"]
            return tf.einsum("bd,bdc->bc", vector, tf.gather(kernel, heads)) + tf.gather(bias, heads)  # [B, C]
        return tf.matmul(vector, kernel[0]) + bias[0]  # [B, C]

    def probabilities(self, logits, temperature: float | None = None):
        """Float32 [B, C] from logits, at the model's temperature or another one.

        In a binary scheme the C candidates of an example are B C consecutive rows.
        """
        rows = tf.nn.softmax(logits / (self.temperature if temperature is None else temperature))
        if not self.binary:
            return rows
        claimed = tf.reshape(rows[:, 1], [-1, len(self.task.labels)])  # [B, C]
        return claimed / tf.reduce_sum(claimed, axis=1, keepdims=True)

    def predict_step(self, data):
        inputs, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        return self.probabilities(self(inputs, training=False))

    # --- strings in, scores and answers out -------------------------------------------------------------------------

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
        table = RowTable(data.examples, self.task, self.text_encoder)
        table.check_labelled()
        return self.score_table(table, batch_size=batch_size, verbose=verbose)

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
        examples = data.examples
        table = RowTable(examples, self.task, self.text_encoder)
        table.check_labelled()
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

    # --- saving -------------------------------------------------------------------------------------------------------

    def plug_weights(self) -> dict[str, tf.Variable]:
        """The weights that are not the `TFBertModel`'s, by stable names."""
        own = {"classifier/kernel": self.classifier_kernel, "classifier/bias": self.classifier_bias}
        return {**self.encoder.plug_weights(), **own}

    def training_identity(self) -> dict:
        """What makes two models the same before their training."""
        slots = self.encoder.slots_config()
        plugs = {name: slots[name] and {**slots[name]["config"], "name": ""} for name in ("attention", "pooling")}
        return {**self._settings(), **slots, **plugs}

    def _settings(self):
        return {
            "task": self.task.to_dict(),
            "scheme": self.scheme,
            "max_length": self.max_length,
            "dropout": self.dropout,
            "use_pooler": self.use_pooler,
            "temperature": self.temperature,
            "none_threshold": self.none_threshold,
        }

    def get_config(self):
        return {
            "name": self.name,
            "encoder": self.encoder.get_config(),
            "vocabulary": self.tokenizer.vocabulary,
            "lower_case": self.tokenizer.lower_case,
            **self._settings(),
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        tokenizer = Tokenizer(config.pop("vocabulary"), lower_case=config.pop("lower_case"))
        encoder = SlottedBert.from_config(config.pop("encoder"))
        return cls(encoder, AspectTask.from_dict(config.pop("task")), tokenizer, **config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Writes an untouched HuggingFace folder, with the plugs, the settings and the vocabulary beside it."""
        write_classifier(folder, self, self._settings())

    @classmethod
    def from_pretrained(cls, name: str | Path, *, task: AspectTask | None = None, **kwargs):
        """Puts the model on a pretrained BERT, or reads what `save_pretrained` wrote.

        Args:
            name: `"minilm"`, a folder, or a hub name.
            task: The `AspectTask`; needed for a plain BERT, and read from a saved model.
            **kwargs: Arguments of the constructor, and of the attention layer.

        Returns:
            The model; its `load_report` says which weights were loaded, which are new, and which were not used.
        """
        settings = read_settings(name)
        if settings is None or settings["class"] == "SlottedBert":
            return classifier_on_bert(cls, name, task, kwargs)
        return read_classifier(cls, name, settings, task, kwargs)

    @classmethod
    def slots_for(cls, name, task, kwargs) -> dict:
        """The slots that a subclass puts into a plain BERT."""
        raise NotImplementedError(
            f"{cls.__name__} is a base class. Use QacgBertClassifier, CgBertClassifier or BertPairClassifier."
        )
