"""Writing a classifier as a SavedModel that TensorFlow Serving can load."""

import json
import os
import shutil
import uuid
from pathlib import Path

import tensorflow as tf

from keras_absa.keras import keras
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.joint_encoder import JointEncoder
from keras_absa.serving.compatible_graph import make_compatible
from keras_absa.serving.served_classifier import ServedClassifier
from keras_absa.serving.served_joint_encoder import ServedJointEncoder

SERVED = {AspectModel: ServedClassifier, JointEncoder: ServedJointEncoder}


def export(model: AspectModel | JointEncoder, path: str | Path) -> Path:
    """Writes `path/<version>/`, a SavedModel that takes raw strings and answers with label names.

    The version is one more than the largest there is. It is written under another name and renamed at the end, so a
    server that watches the folder never sees half of it; a version that exists is never touched.

    Signatures (B texts, A aspects, C labels):
        serving_default: `text` [B] and, for a task with targets, `target` [B] and `other_target` [B] ("" for none), all
            strings; gives `label` [B, A], `probabilities` [B, A, C] float32, `aspect` [B, A] and `error` [B].
        pair: also `aspect` [B]; gives `label` [B], `probabilities` [B, C] and `error` [B].
        Of a joint encoder there is one, `serving_default`, with every modality by its name, see `ServedJointEncoder`.

    Args:
        model: A trained classifier or joint encoder.
        path: The model's folder, for example `"saved_models/qacg_bert"`.

    Returns:
        The folder of the new version.

    Raises:
        ValueError: If `model` is not a classifier of keras_absa, or its graph holds what TensorFlow Serving
        2.12 cannot run.
        OSError: If the folder cannot be written; nothing is left behind.

    Example:
        >>> export(model, "saved_models/qacg_bert").name  # doctest: +SKIP
        '1'
    """
    served_class = next((each for kind, each in SERVED.items() if isinstance(model, kind)), None)
    if served_class is None:
        raise ValueError(
            f"`model` must be a classifier or joint encoder of keras_absa.models: received {type(model).__module__}."
            f"{type(model).__name__}. Export other models with tf.saved_model.save."
        )
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    scratch = path / f".writing-{uuid.uuid4().hex}"
    try:
        served = served_class(_in_float32(model))
        tf.saved_model.save(served, str(scratch), signatures=served.signatures())
        make_compatible(scratch)
        extra = scratch / "assets.extra"
        extra.mkdir()
        description = {"class": type(model).__name__, "task": model.task.to_dict()}
        description |= {
            name: getattr(model, name) for name in ("scheme", "modalities", "lengths") if hasattr(model, name)
        }
        (extra / "keras_absa.json").write_text(json.dumps(description, indent=2, ensure_ascii=False) + "\n", "utf-8")
        return _publish(scratch, path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _publish(scratch: Path, path: Path) -> Path:
    """Renames a finished export to the next free version."""
    while True:
        versions = [int(entry.name) for entry in path.iterdir() if entry.name.isdecimal()]
        target = path / str(max(versions, default=0) + 1)
        try:
            os.rename(scratch, target)  # refuses a folder that somebody else has filled in the meantime
            return target
        except OSError:
            if not target.exists():
                raise


def _in_float32(model: keras.Model) -> keras.Model:
    """The model itself, or a float32 copy of one that was trained in mixed precision."""
    if model.compute_dtype == "float32":
        return model
    policy = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("float32")
    try:
        config = _without_dtype(model.get_config())
        copy = type(model).from_config(config)
    finally:
        keras.mixed_precision.set_global_policy(policy)
    copy.set_weights(model.get_weights())
    return copy


def _without_dtype(config):
    """A configuration whose layers have no dtype of their own."""
    if not isinstance(config, dict):
        return config
    own = {name: _without_dtype(value) for name, value in config.items()}
    if "class_name" in own and isinstance(own.get("config"), dict):
        own["config"].pop("dtype", None)
    return own
