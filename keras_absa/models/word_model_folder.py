"""The folder of a model on word vectors: settings, weights and vocabulary."""

from pathlib import Path

from keras_absa.models.backbone import LoadReport
from keras_absa.models.pretrained_folder import read_plugs, read_settings, write_settings

VOCABULARY_FILE = "vocab.txt"


def write_word_model(folder: str | Path, model, settings: dict) -> None:
    """Writes a model."""
    write_settings(folder, model.named_weights(), {"class": type(model).__name__, **settings})
    (Path(folder) / VOCABULARY_FILE).write_text("\n".join(model.tokenizer.vocabulary) + "\n", "utf-8")


def read_word_model(cls, folder: str | Path):
    """The model of class `cls` that `write_word_model` wrote."""
    settings = read_settings(folder)
    if settings is None or settings["class"] != cls.__name__:
        received = "no keras_absa.json" if settings is None else f"a {settings['class']}"
        raise ValueError(f"`{folder}` must hold a saved {cls.__name__}: received {received}. Give the folder of one.")
    config = {name: value for name, value in settings.items() if name not in ("class", "format", "keras_absa")}
    config["vocabulary"] = (Path(folder) / VOCABULARY_FILE).read_text("utf-8").split("\n")[:-1]
    model = cls.from_config(config)
    model.load_report = LoadReport(str(folder))
    read_plugs(folder, model.named_weights(), model.load_report)
    return model
