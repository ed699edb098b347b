"""A folder with HuggingFace's files of a BERT and the weights of its plugs beside them."""

import json
from pathlib import Path

import tensorflow as tf
from safetensors import SafetensorError
from safetensors.tensorflow import load_file
from safetensors.tensorflow import save as safetensors_bytes

from keras_absa.models.backbone import CONFIG_FILE, PLUGS_FILE


def write_pretrained(folder, encoder, plugs: dict, settings: dict) -> None:
    """Writes the BERT, the plugs and the settings of an encoder or of a model around one."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    encoder.bert.save_pretrained(folder, safe_serialization=True)
    write_settings(folder, plugs, settings)


def write_settings(folder, plugs: dict, settings: dict) -> None:
    """Writes weights by name, and settings."""
    from keras_absa import __version__

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: tf.convert_to_tensor(weight) for name, weight in plugs.items()}
    (folder / PLUGS_FILE).write_bytes(safetensors_bytes(arrays))
    settings = {"format": 1, "keras_absa": __version__, **settings}
    (folder / CONFIG_FILE).write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_settings(name: str | Path) -> dict | None:
    """What `write_pretrained` put into `keras_absa.json`; `None` for a plain checkpoint."""
    path = Path(name) / CONFIG_FILE
    if not path.is_file():
        return None
    settings = json.loads(path.read_text("utf-8"))
    if settings.get("format") != 1:
        raise ValueError(
            f"`{path}` must have format 1: received {settings.get('format')!r}. It was written by a newer keras_absa: "
            "install that version."
        )
    return settings


def read_plugs(folder: str | Path, plugs: dict, report) -> None:
    """Assigns the arrays of `plugs.safetensors` to the plugs' weights, and completes the load report."""
    path = Path(folder) / PLUGS_FILE
    try:
        arrays = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path}: no readable safetensors, {error!s:.100}. Save the model again.") from error
    missing = sorted(set(plugs) - set(arrays))
    if missing:
        raise ValueError(
            f"`{path}` must hold every weight of the plugs: {missing[:5]} are missing. Load the folder "
            "with the class that saved it."
        )
    for name, weight in plugs.items():
        if tuple(weight.shape) != tuple(arrays[name].shape):
            raise ValueError(
                f"`{name}` must have shape {tuple(weight.shape)}: received {tuple(arrays[name].shape)} from {folder}. Load "
                "it with the arguments that it was saved with."
            )
        weight.assign(arrays[name])
    report.loaded += list(plugs)
    report.unused += sorted(set(arrays) - set(plugs))


def weights_by_name(prefix: str, layer) -> dict[str, tf.Variable]:
    """A layer's weights as `prefix/name`; a name is the last part of Keras' own, which does not depend on the layer's place."""
    return {f"{prefix}/{weight.name.split('/')[-1].split(':')[0]}": weight for weight in layer.weights}
