"""`keras-absa train --model joint-encoder`."""

from collections.abc import Mapping

from keras_absa.cli.segment_source import find_joint_task, read_segment_splits

# The options of `train` that mean something here; with any other a command is refused.
OPTIONS = (
    "data output model task epochs learning_rate batch_size seed holdout backbone word_vectors optimizer selection "
    "checkpoint_every resume overwrite as_json modalities lengths hidden_units inner_units num_heads num_blocks schedule "
    "class_weights"
).split()
ONLY_HERE = (
    "modalities",
    "lengths",
    "hidden_units",
    "inner_units",
    "num_heads",
    "num_blocks",
    "schedule",
    "class_weights",
)
SIZES = ("hidden_units", "inner_units", "num_heads", "num_blocks")


def check_options(given, joint: bool) -> None:
    """Refuses options of other models; `given` are the names that stand in the command."""
    for name in given:
        if (joint and name not in OPTIONS) or (not joint and name in ONLY_HERE):
            whose = "does not belong to" if joint else "belongs to"
            raise ValueError(f"`--{name.replace('_', '-')}` {whose} `--model joint-encoder`. Leave it out.")


def parse_lengths(text: str | None) -> dict[str, int] | None:
    """`text=40,audio=60` as a dict."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip().isdecimal() for name, _, value in pairs):
        raise ValueError(f"`--lengths` must be like text=40,audio=60: received {text!r}. Correct it.")
    return {name.strip(): int(value) for name, _, value in pairs}


def joint_job(arguments: Mapping):
    """Reads the data, and says what `training_run.run` has to do."""
    from keras_absa.cli.training_run import Job
    from keras_absa.models import JointEncoder
    from keras_absa.training import ReloadAndHalve, class_weight, presence_weight

    task = find_joint_task(arguments["task"], arguments["data"])
    data = read_segment_splits(arguments["data"], arguments["holdout"], arguments["seed"])
    if arguments["selection"] == "leaking_test" and "test" not in data:
        raise ValueError("`--selection leaking_test` needs a test split: there is no test.npz. Use dev or last.")
    labels = {
        split: task.encode(segments) for split, segments in data.items()
    }  # says what is wrong before the long work
    own = {name: arguments[name] for name in SIZES if arguments[name] is not None}
    if arguments["lengths"] is not None:
        own["lengths"] = parse_lengths(arguments["lengths"])
    use = arguments["modalities"] and [name.strip() for name in arguments["modalities"].split(",")]
    compiling = {"optimizer": arguments["optimizer"] or "adam"}
    if arguments["learning_rate"] is not None:
        compiling["learning_rate"] = arguments["learning_rate"]
    if arguments["class_weights"]:
        if task.kind == "score":
            raise ValueError(f"`--class-weights` needs labels or classes: {task.name!r} has scores. Leave it out.")
        given = labels["train"]
        compiling["weight"] = presence_weight(given) if task.kind == "labels" else class_weight(given, task.outputs)

    def build():
        return JointEncoder.from_segments(
            data["train"], task, backbone=arguments["backbone"], word_vectors=arguments["word_vectors"], use=use, **own
        )

    return Job(
        arguments,
        task,
        data,
        {split: len(segments) for split, segments in data.items()},
        build,
        compiling,
        {"batch_size": arguments["batch_size"], "seed": arguments["seed"]},
        [lambda: ReloadAndHalve(task.monitor)] if arguments["schedule"] == "halve" else [],
        task.monitor,
        lambda segments: None,  # the commonest answer's accuracy stands in each report
    )
