"""One run of `keras-absa train`, after its data were read."""

import contextlib
import platform
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from keras_absa import __version__
from keras_absa.cli.command_group import tell
from keras_absa.cli.json_output import to_json
from keras_absa.cli.metric_table import metric_table
from keras_absa.cli.progress_lines import ProgressLines
from keras_absa.cli.stop_between_steps import StopBetweenSteps
from keras_absa.data import AspectDataset, AspectTask
from keras_absa.environment import REQUIREMENTS, installed_version
from keras_absa.keras import keras
from keras_absa.layers import MeanPooling, StructuredSelfAttention
from keras_absa.metrics import constant_baseline
from keras_absa.models import (
    BertPairClassifier,
    CgBertClassifier,
    QacgBertClassifier,
    SelfAttentiveClassifier,
    SelfAttentivePairClassifier,
)
from keras_absa.training import BestWeights, DevMetrics, TrainingCheckpoint
from keras_absa.training.training_setup import monitor_of

CALIBRATION_ERROR = "expected_calibration_error"
MODELS = {"qacg": QacgBertClassifier, "cg": CgBertClassifier, "pair": BertPairClassifier}
ON_WORDS = {"self-attentive": SelfAttentiveClassifier, "self-attentive-pair": SelfAttentivePairClassifier}


class KeptWeights(BestWeights):
    """Remembers the weights of the best epoch, and leaves the model with those of the last one."""

    def on_train_end(self, logs=None):
        pass


@dataclass
class Job:
    """What `run` does for one kind of model.

    Args:
        arguments: The command's options by name.
        task: The task.
        data: Data sets by split; `"test"` may be missing.
        sizes: How many rows or segments each split has.
        build: Makes the model.
        compiling, fitting: What `compile` and `fit` get beside the usual.
        callbacks: Functions without arguments that make further callbacks.
        monitor: The metric by which an epoch is chosen.
        baseline: A constant answer's scores, of a data set.
    """

    arguments: dict
    task: object
    data: dict
    sizes: dict[str, int]
    build: Callable
    compiling: dict
    fitting: dict
    callbacks: list
    monitor: str
    baseline: Callable


def aspect_job(arguments: dict, task: AspectTask, rows: dict[str, list]) -> Job:
    """The job of a model of texts; `rows` are examples by split."""
    data = {split: _dataset(examples, task, split, arguments) for split, examples in rows.items() if examples}
    return Job(
        arguments,
        task,
        data,
        {split: len(examples) for split, examples in rows.items()},
        lambda: _build(arguments, task, data["train"]),
        {name: arguments[name] for name in ("optimizer", "learning_rate") if arguments[name] is not None},
        {},
        [],
        monitor_of(task),
        lambda dataset: constant_baseline(task, dataset.examples),
    )


def run(job: Job, checkpoint_folder: Path) -> tuple[dict, str]:
    """Trains, scores and saves.

    Args:
        job: What to do.
        checkpoint_folder: Where checkpoints are kept until the run is finished.

    Returns:
        What `result.json` holds, and the tables to print.
    """
    start = time.monotonic()
    arguments, data = job.arguments, job.data
    output = Path(arguments["output"])
    watched = "test" if arguments["selection"] == "leaking_test" else "dev"
    test = data.get("test", data["dev"])
    test_split = test.split
    baseline = job.baseline(test)

    keras.utils.set_random_seed(arguments["seed"])
    every = arguments["checkpoint_every"]
    checkpoint = TrainingCheckpoint(checkpoint_folder, every) if every else None
    model = job.build()
    if model.load_report or model.tokenizer:
        tell(str(model.load_report).splitlines()[0] if model.load_report else f"{model.tokenizer.vocab_size} words")
    model.compile(**job.compiling)
    dev_metrics, kept = DevMetrics(data[watched]), KeptWeights(job.monitor)
    # Keras writes its progress to stdout, which belongs to the results.
    with contextlib.redirect_stdout(sys.stderr), StopBetweenSteps() as stop:
        interactive = sys.stderr.isatty()
        history = model.fit(
            data["train"],
            epochs=arguments["epochs"],
            checkpoint=checkpoint,
            callbacks=[dev_metrics, kept, *(make() for make in job.callbacks), stop]
            + ([] if interactive else [ProgressLines()]),
            verbose=1 if interactive else 2,
            **job.fitting,
        )
    trained = time.monotonic()

    last = 1 + max(history.epoch)  # fewer than asked for, if a callback ended it
    best = last if kept.epoch is None else kept.epoch + 1
    if kept.epoch is None:
        tell(f"warning: {kept.monitor} was undefined after every epoch, so the last epoch counts as the best")
    saved = last if arguments["selection"] == "last" else best
    reports = {last: model.evaluate(test)}
    if best != last:
        last_weights = model.get_weights()
        model.set_weights(kept.weights)
        reports[best] = model.evaluate(test)
        if saved == last:
            model.set_weights(last_weights)
    calibration = _calibrate(model, data["dev"], test) if arguments.get("calibrate") else None
    _save(model, output)

    result = {
        "arguments": arguments,
        "versions": _versions(),
        "seed": arguments["seed"],
        "class": type(model).__name__,
        "task": job.task.to_dict(),
        "parameters": model.count_params(),
        "optimizer": keras.optimizers.serialize(model.optimizer),
        "rows": job.sizes,
        "history": [
            {
                "epoch": epoch + 1,
                **{name: values[place] for name, values in history.history.items() if _is_loss_or_training(name)},
            }
            for place, epoch in enumerate(history.epoch)
        ],
        watched: [{"epoch": epoch + 1, **report.to_dict()} for epoch, report in sorted(dev_metrics.reports.items())],
        "selection": {
            "on": watched,
            "monitor": kept.monitor,
            "best_epoch": best,
            "last_epoch": last,
            "saved_epoch": saved,
        },
        f"{test_split}_scores": {
            "last": {"epoch": last, **reports[last].to_dict()},
            "best": {"epoch": best, **reports[best].to_dict()},
            **({"constant_baseline": baseline.to_dict()} if baseline else {}),
        },
        **({"calibration": calibration} if calibration else {}),
        "seconds": {"training": round(trained - start, 1), "total": round(time.monotonic() - start, 1)},
    }
    (output / "result.json").write_text(to_json(result) + "\n", "utf-8")
    shutil.rmtree(checkpoint_folder, ignore_errors=True)
    columns = {f"epoch {best}, best on {watched}": reports[best], f"epoch {last}, the last": reports[last]}
    if best == last:
        columns = {f"epoch {last}, the last and the best on {watched}": reports[last]}
    title = f"{type(model).__name__} on the {test_split} split, in percent; saved: epoch {saved}"
    tables = f"{title}\n\n{metric_table({**columns, **({'constant': baseline} if baseline else {})})}"
    if calibration:
        before, after = (100 * value for value in calibration[CALIBRATION_ERROR][test_split])
        tables += (
            f"\n\ntemperature {calibration['temperature']:.3f}, fitted on dev and saved with the model: "
            f"{CALIBRATION_ERROR} {before:.2f} before, {after:.2f} after"
        )
    return result, tables


def _calibrate(model, dev, test) -> dict:
    """Fits the temperature; gives it, and the errors of the splits before and after."""
    splits = {data.split: data for data in (dev, test)}
    before = {name: model.evaluate(data)[CALIBRATION_ERROR] for name, data in splits.items()}
    model.calibrate(dev)
    after = {name: model.evaluate(data)[CALIBRATION_ERROR] for name, data in splits.items()}
    return {"temperature": model.temperature, CALIBRATION_ERROR: {name: [before[name], after[name]] for name in splits}}


def _dataset(examples, task, split, arguments):
    own = {key: arguments[key] for key in ("batch_size", "sampler", "seed")}
    return AspectDataset(examples, task, split=split, **own)


def _build(arguments, task, train):
    names = ("scheme", "max_length", "gate_activation", "pooling_tokens")
    own = {key: arguments[key] for key in names if arguments[key] is not None}
    if arguments["pooling"] == "mean":
        own["pooling"] = MeanPooling()
    attention = StructuredSelfAttention(
        arguments["hops"], arguments["attention_units"], penalty_coef=arguments["penalty"], penalty_scale="r2"
    )
    if arguments["model"] in ON_WORDS:
        own = {"attention": attention, "max_length": arguments["max_length"], "word_vectors": arguments["word_vectors"]}
        return ON_WORDS[arguments["model"]].from_examples(train, task, **own)
    if arguments["pooling"] == "self-attentive":
        own["pooling"] = attention
    return MODELS[arguments["model"]].from_pretrained(arguments["backbone"], task=task, **own)


def _save(model, output):
    folder, scratch = output / "model", output / "model.new"
    shutil.rmtree(scratch, ignore_errors=True)
    model.save_pretrained(scratch)
    if folder.exists():  # --overwrite, or the command would have refused; it stays until the new one is whole
        shutil.rmtree(folder)
    scratch.rename(folder)


def _is_loss_or_training(name):
    return name == "val_loss" or not name.startswith("val_")


def _versions():
    names = [*REQUIREMENTS, "numpy"]
    return {
        "python": platform.python_version(),
        "keras_absa": __version__,
        **{name: installed_version(name) for name in names},
    }
