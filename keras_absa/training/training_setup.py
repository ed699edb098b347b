"""What `compile` and `fit` of a classifier set up: optimizer, loss, schedule and the choice of an epoch."""

from keras_absa.keras import keras
from keras_absa.training.bert_adam import BertAdam
from keras_absa.training.callbacks import BestWeights, DevMetrics

OPTIMIZERS = {
    "bert_adam": BertAdam,
    "adam": keras.optimizers.Adam,
    "adamw": keras.optimizers.AdamW,
}
SELECTIONS = ("dev", "last", "leaking_test")
_MONITORS = {"sentihood": "strict_accuracy", "semeval2014": "f1", "aspect_sentiment": "strict_accuracy"}


def optimizer_of(optimizer, learning_rate: float | None):
    """A Keras 2 optimizer from its name or itself."""
    if learning_rate is not None and not learning_rate > 0.0:
        raise ValueError(f"`learning_rate` must be above 0: received {learning_rate}. The papers use 2e-5.")
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZERS:
            raise ValueError(
                f"`optimizer` must be one of {list(OPTIMIZERS)} or a Keras 2 optimizer: received {optimizer!r}. Make any "
                "other with keras_absa.keras.keras.optimizers."
            )
        optimizer = OPTIMIZERS[optimizer](learning_rate=2e-5 if learning_rate is None else learning_rate)
    elif learning_rate is not None:
        raise ValueError("`learning_rate` goes with an optimizer's name: received both. Give it to the optimizer.")
    refuse_keras3("optimizer", optimizer)
    return optimizer


def optimizer_and_loss(optimizer, loss, learning_rate: float | None):
    """A Keras 2 optimizer from its name or itself, and the loss; `None` is cross-entropy on logits."""
    optimizer = optimizer_of(optimizer, learning_rate)
    refuse_keras3("loss", loss)
    return optimizer, loss or keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def set_schedule(optimizer, rows: int, batch_size: int, epochs: int) -> None:
    """Starts BertAdam's schedule and tells it how long the training is; the public code rounds the whole down, not each epoch."""
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)  # mixed precision wraps it
    if isinstance(optimizer, BertAdam):
        optimizer.begin_schedule(max(1, int(rows / batch_size * epochs)))


def dev_callbacks(validation_data, dev, selection: str, task) -> list:
    """The callbacks that score a development set after each epoch, and keep the best weights.

    Args:
        validation_data: What the user passed, or None.
        dev: The same as an `AspectDataset`; None if it is no data set of strings.
        selection: One of `SELECTIONS`.
        task: The model's task.
    """
    if selection not in SELECTIONS:
        raise ValueError(f"`selection` must be one of {list(SELECTIONS)}: received {selection!r}. Pick one of them.")
    if validation_data is None:
        return []
    if dev is None:
        raise ValueError(
            f"`validation_data` must be an AspectDataset or a list of AspectExample: received "
            f"{type(validation_data).__name__}. Read it with keras_absa.data.load."
        )
    refuse_test_split(dev.split, selection)
    callbacks = [DevMetrics(dev)]
    return callbacks if selection == "last" else [*callbacks, BestWeights(monitor_of(task))]


def refuse_test_split(split: str, selection: str) -> None:
    """Raises where a model would be selected on a test split."""
    if split == "test" and selection == "dev":
        raise ValueError(
            "Selecting a model on the test split makes its test scores optimistic: received a test split as "
            "`validation_data`. Pass the dev split, or selection='last', or selection='leaking_test' to reproduce papers "
            "that did so."
        )


def monitor_of(task) -> str:
    """The metric by which a model is selected on its development set; single questions have no strict accuracy."""
    return "accuracy" if task.open_aspects else _MONITORS[task.metrics]


def refuse_keras3(name, value):
    """Raises for an object of Keras 3, which Keras 2 cannot use."""
    module = type(value).__module__
    if module.split(".")[0] == "keras":
        raise ValueError(
            f"`{name}` must be a Keras 2 object: received {module}.{type(value).__name__}, which is Keras 3. Make it with "
            "`from keras_absa.keras import keras`; if tf_keras is missing: pip install 'tf-keras==2.21.*'"
        )
