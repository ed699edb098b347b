"""What the trainable models share: an encoder with slots, a classifier, and strings at every border.

Shapes: B rows, D width, C labels, K contexts.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

from keras_absa.data.aspect_dataset import AspectDataset
from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import SCHEMES, AspectTask
from keras_absa.keras import keras
from keras_absa.metrics import MetricReport, task_metrics
from keras_absa.models.aspect_prediction import AspectPrediction, prediction_rows
from keras_absa.models.classifier_folder import classifier_on_bert, read_classifier, write_classifier
from keras_absa.models.slotted_bert import SlottedBert, read_settings
from keras_absa.text.aspect_encoder import AspectEncoder
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.training.epoch_plan import plan_epoch, plan_evaluation
from keras_absa.training.row_table import RowTable
from keras_absa.training.training_checkpoint import TrainingCheckpoint
from keras_absa.training.training_setup import dev_callbacks, optimizer_and_loss, set_schedule
from keras_absa.training.warn_once import warn_cut


class AspectClassifier(keras.Model):
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
            [CLS] (as the paper writes). Defaults to True.
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
        self.encoder = encoder
        self.text_encoder = AspectEncoder(tokenizer, task, scheme=scheme, max_length=max_length)
        self.binary = scheme.endswith("_b")

        width = encoder.bert.config.hidden_size
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
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the encoder's vocabulary."""
        return self.text_encoder.pair_encoder.tokenizer

    @tf.autograph.experimental.do_not_convert
    def call(self, inputs, training=False):
        outputs = self.encoder(inputs, training=training, first_token_only=True)
        vector = outputs["pooled"] if self.use_pooler else outputs["last_hidden_state"][:, 0]  # [B, D]
        vector = tf.cast(self.classifier_dropout(vector, training=training), tf.float32)
        kernel, bias = tf.cast(self.classifier_kernel, tf.float32), tf.cast(self.classifier_bias, tf.float32)
        if self.scheme == "single":
            heads = inputs["context_ids"]
            return tf.einsum("bd,bdc->bc", vector, tf.gather(kernel, heads)) + tf.gather(bias, heads)  # [B, C]
        return tf.matmul(vector, kernel[0]) + bias[0]  # [B, C]

    def probabilities(self, logits):
        """Float32 [B, C] from logits; in a binary scheme the C candidates of an example are B C consecutive rows."""
        rows = tf.nn.softmax(logits)
        if not self.binary:
            return rows
        claimed = tf.reshape(rows[:, 1], [-1, len(self.task.labels)])  # [B, C]
        return claimed / tf.reduce_sum(claimed, axis=1, keepdims=True)

    def predict_step(self, data):
        inputs, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        return self.probabilities(self(inputs, training=False))

    # --- training -------------------------------------------------------------------------------------------------

    def compile(self, optimizer="bert_adam", loss=None, metrics=None, *, learning_rate: float | None = None, **kwargs):
        """Sets up training; without arguments as the paper: BertAdam, rate 2e-5, warm-up 0.1, cross-entropy.

        Args:
            optimizer: `"bert_adam"`, `"adam"`, `"adamw"`, or a Keras 2 optimizer. Defaults to `"bert_adam"`.
            loss: A Keras loss on logits. Defaults to None, mean cross-entropy.
            metrics: Keras metrics of the training batches. Defaults to None, accuracy.
            learning_rate: Float, for an optimizer given by name. Defaults to None: 2e-5.
            **kwargs: Passed to `keras.Model.compile` (`jit_compile`, `run_eagerly`, ...).
        """
        optimizer, loss = optimizer_and_loss(optimizer, loss, learning_rate)
        if metrics is None:
            metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]
        super().compile(optimizer=optimizer, loss=loss, metrics=metrics, **kwargs)

    def fit(
        self,
        x=None,
        y=None,
        *,
        epochs: int = 1,
        validation_data=None,
        selection: str = "dev",
        callbacks=None,
        initial_epoch: int = 0,
        checkpoint: TrainingCheckpoint | None = None,
        **kwargs,
    ):
        """Trains on strings, or as any Keras model on encoded tensors.

        Args:
            x: An `AspectDataset` (see `keras_absa.data.load`) or a list of labelled `AspectExample`; else whatever
                `keras.Model.fit` takes.
            y: Only for encoded tensors.
            epochs: Int. Defaults to 1.
            validation_data: An `AspectDataset` or a list of examples. Their official metrics are computed after
                each epoch and put into the logs as `val_...`, where early stopping and checkpoints find them.
            selection: `"dev"`, the weights of the epoch that was best on `validation_data` are kept; `"last"`,
                those of the last epoch; `"leaking_test"`, as dev but on a test split: for reproducing published
                figures only.
            callbacks: Keras callbacks.
            initial_epoch: Int. Defaults to 0.
            checkpoint: A `TrainingCheckpoint`: a training of strings that was killed goes on where it was. Defaults
                to None.
            **kwargs: Passed to `keras.Model.fit` (`verbose`, `class_weight`, ...).

        Returns:
            The Keras `History`.
        """
        train, dev = self._as_dataset(x), self._as_dataset(validation_data)
        if train is None:
            if dev is not None:
                raise ValueError(
                    "`validation_data` must be encoded tensors, as `x`: received strings. Pass both alike."
                )
            return super().fit(
                x,
                y,
                epochs=epochs,
                validation_data=validation_data,
                callbacks=callbacks,
                initial_epoch=initial_epoch,
                **kwargs,
            )
        for name in ("batch_size", "shuffle", "steps_per_epoch"):
            if kwargs.pop(name, None) is not None:
                raise ValueError(
                    f"`{name}` belongs to the data: received it in fit. Pass it to AspectDataset or data.load."
                )
        if not self._is_compiled:
            raise ValueError(
                "A model must be compiled before `fit`: it is not. Call `model.compile()` for the paper's settings."
            )
        table = RowTable(train.examples, self.task, self.text_encoder)
        table.check_labelled()
        warn_cut(table.cut, self.max_length)
        row_lengths = np.repeat(table.lengths, table.candidates)
        steps = -(-len(table.row_labels) // train.batch_size)
        set_schedule(self.optimizer, len(table.row_labels), train.batch_size, epochs)
        callbacks = dev_callbacks(validation_data, dev, selection, self.task) + list(callbacks or [])
        if hasattr(self.optimizer, "build"):
            self.optimizer.build(self.trainable_variables)  # a step that makes variables is traced twice
        first_step = 0
        if checkpoint is not None:
            initial_epoch, first_step = checkpoint.begin(self, callbacks, steps, self._training(train, epochs, table))
            callbacks.append(checkpoint)
        plan = []
        for epoch in range(min(initial_epoch, epochs - 1), epochs):
            plan += plan_epoch(table.row_labels, row_lengths, train.batch_size, train.sampler, train.seed, epoch)
        data = table.batches(plan[first_step:], with_labels=True, few_shapes=bool(self._jit_compile))
        self._training_state = checkpoint  # Keras asks it at which step to begin
        try:
            history = super().fit(
                data,
                epochs=epochs,
                initial_epoch=initial_epoch,
                steps_per_epoch=steps,
                callbacks=callbacks,
                **kwargs,
            )
        finally:
            self._training_state = None
        return history if checkpoint is None else checkpoint.complete(history)

    def _training(self, train, epochs, table):
        """What two processes must have in common to go on with one training."""
        slots = self.encoder.slots_config()
        attention = slots["attention"] and {**slots["attention"]["config"], "name": ""}
        return {
            "the model": {"class": type(self).__name__, **self._settings(), **slots, "attention": attention},
            "the number of epochs": epochs,
            "the batch size": train.batch_size,
            "the sampler": train.sampler,
            "the seed of the data": train.seed,
            "the data's hash": table.digest(),
            "the optimizer": keras.optimizers.serialize(self.optimizer),
        }

    # --- strings in, scores and answers out -------------------------------------------------------------------------

    def evaluate(self, x=None, y=None, *, batch_size: int = 64, **kwargs):
        """The task's official metrics on strings; on encoded tensors what `keras.Model.evaluate` gives.

        Returns:
            A `MetricReport` for an `AspectDataset` or a list of `AspectExample`.
        """
        data = self._as_dataset(x)
        if data is None:
            return super().evaluate(x, y, **kwargs)
        return self.score(data, batch_size=batch_size, verbose=kwargs.get("verbose", 0))[0]

    def score(self, x, *, batch_size: int = 64, verbose=0) -> tuple[MetricReport, np.ndarray]:
        """The official metrics and the probabilities [N, C] that they were computed from."""
        data = self._as_dataset(x)
        table = RowTable(data.examples, self.task, self.text_encoder)
        table.check_labelled()
        return self.score_table(table, batch_size=batch_size, verbose=verbose)

    def score_table(self, table: RowTable, *, batch_size: int = 64, verbose=0) -> tuple[MetricReport, np.ndarray]:
        """`score` of examples that were put into a `RowTable` before."""
        probabilities = self._predict_table(table, batch_size, verbose)
        return task_metrics(self.task, table.examples, probabilities), probabilities

    def predict(self, x, *, batch_size: int = 64, verbose=0, **kwargs):
        """Probabilities, float32 [N, C] in the order of `task.labels`, row for row in the order of the input.

        Args:
            x: An `AspectDataset` or a list of `AspectExample` (labels are not read); else encoded tensors.
            batch_size: Int, examples at a time. Defaults to 64.
        """
        data = self._as_dataset(x)
        if data is None:
            return super().predict(x, batch_size=batch_size, verbose=verbose, **kwargs)
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
        self, texts: list[str], targets=None, other_targets=None, aspects=None, *, batch_size: int = 64
    ) -> list[list[AspectPrediction]]:
        """Asks about every aspect (and target) of each text.

        Args:
            texts: Strings.
            targets: For a task with targets: one name a text. Defaults to None: the placeholders that stand in
                the text.
            other_targets: One more name a text, or None. Defaults to None.
            aspects: The aspects to ask about. Defaults to None, all.
            batch_size: Int, rows at a time. Defaults to 64.

        Returns:
            For each text a list of `AspectPrediction`, one a target and aspect.

        Raises:
            ValueError: If an aspect is unknown or a target does not stand in its text.
        """
        rows = prediction_rows(self.task, texts, targets, other_targets, aspects)
        flat = [row for text_rows in rows for row in text_rows]
        probabilities = iter(self.predict(flat, batch_size=batch_size)) if flat else iter(())
        return [[AspectPrediction.of(row, self.task, next(probabilities)) for row in text_rows] for text_rows in rows]

    def _as_dataset(self, x):
        if isinstance(x, AspectDataset):
            return x
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], AspectExample):
            return AspectDataset(x, self.task)
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], str):
            raise ValueError(
                "Texts must say which aspect they are asked about: received strings. Use `predict_aspects(texts)`, or pass "
                "AspectExample(text, aspect, label)."
            )
        return None

    # --- saving -------------------------------------------------------------------------------------------------------

    def plug_weights(self) -> dict[str, tf.Variable]:
        """The weights that are not the `TFBertModel`'s, by stable names."""
        own = {"classifier/kernel": self.classifier_kernel, "classifier/bias": self.classifier_bias}
        return {**self.encoder.plug_weights(), **own}

    def _settings(self):
        return {
            "task": self.task.to_dict(),
            "scheme": self.scheme,
            "max_length": self.max_length,
            "dropout": self.dropout,
            "use_pooler": self.use_pooler,
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
