"""A saved model's folder to the model, whichever class it has."""

from pathlib import Path

from keras_absa.data.source_file import JsonError, parse_json
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.backbone import CONFIG_FILE, PLUGS_FILE
from keras_absa.models.bert_pair_classifier import BertPairClassifier
from keras_absa.models.cg_bert_classifier import CgBertClassifier
from keras_absa.models.classifier_folder import VOCABULARY_FILE
from keras_absa.models.joint_encoder import JointEncoder
from keras_absa.models.qacg_bert_classifier import QacgBertClassifier
from keras_absa.models.self_attentive_classifier import SelfAttentiveClassifier
from keras_absa.models.self_attentive_pair_classifier import SelfAttentivePairClassifier

ON_WORDS = (SelfAttentiveClassifier, SelfAttentivePairClassifier)
CLASSES = {
    each.__name__: each for each in (BertPairClassifier, CgBertClassifier, QacgBertClassifier, *ON_WORDS, JointEncoder)
}
WEIGHT_FILES = ("model.safetensors", "tf_model.h5")


def load_model(folder: str | Path) -> AspectModel | JointEncoder:
    """Reads the model that `save_pretrained` wrote into a folder.

    Args:
        folder: The folder, with `keras_absa.json` in it.

    Returns:
        A classifier or joint encoder of `keras_absa.models`, of the class that was saved.

    Raises:
        FileNotFoundError: If there is no such folder, or a file is missing in it.
        ValueError: If `keras_absa.json` cannot be read, or names another class.

    Example:
        >>> from keras_absa.data import restaurants
        >>> from keras_absa.models import BertPairClassifier
        >>> BertPairClassifier.from_pretrained("minilm", task=restaurants()).save_pretrained("model")
        >>> load_model("model").task.name
        'restaurants'
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder}: no such folder. Give the folder that `save_pretrained` or `keras-absa train` wrote."
        )
    config = folder / CONFIG_FILE
    if not config.is_file():
        raise FileNotFoundError(f"{folder}: no {CONFIG_FILE} in this folder. {_advice(folder)}")
    try:
        settings = parse_json(config.read_text("utf-8"))
    except (JsonError, UnicodeDecodeError) as error:
        line = getattr(error, "line", None)
        raise ValueError(f"{config}{f':{line}' if line else ''}: {error} Save the model again.") from error
    name = settings.get("class") if isinstance(settings, dict) else None
    if name not in CLASSES:
        raise ValueError(
            f"{config}: `class` must be one of {sorted(CLASSES)}: received {name!r}. Give the folder of a whole "
            "model, not of an encoder alone."
        )
    _check_files(folder, CLASSES[name], settings)
    return CLASSES[name].from_pretrained(folder)


def _check_files(folder: Path, model_class, settings: dict) -> None:
    joint = model_class is JointEncoder
    on_bert = settings.get("slots") is not None if joint else model_class not in ON_WORDS
    reads_text = "text" in settings.get("modalities", ()) if joint else True
    needed = [*([VOCABULARY_FILE] if reads_text else []), PLUGS_FILE, *(["config.json"] if on_bert else [])]
    missing = [name for name in needed if not (folder / name).is_file()]
    if on_bert and not any((folder / name).is_file() for name in WEIGHT_FILES):
        missing.append(" or ".join(WEIGHT_FILES))
    if missing:
        raise FileNotFoundError(
            f"{folder}: the saved model is incomplete, it has no {', no '.join(missing)}. Save it again."
        )


def _advice(folder: Path) -> str:
    if (folder / "model" / CONFIG_FILE).is_file():
        return f"Give {folder / 'model'}, where the model of this run is."
    if (folder / "config.json").is_file():
        return "It looks like a plain BERT: train it first, with `keras-absa train --backbone`."
    return "Give the folder that `save_pretrained` or `keras-absa train` wrote."
