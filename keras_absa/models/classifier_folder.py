"""A classifier's folder: HuggingFace's files of the BERT, with the plugs, the settings and the vocabulary beside them."""

from pathlib import Path

from keras_absa.data.aspect_task import AspectTask
from keras_absa.models.backbone import find_file, lower_case_of
from keras_absa.models.know_bert import KnowBert, encoder_of
from keras_absa.models.pretrained_folder import write_pretrained
from keras_absa.models.slotted_bert import SlottedBert
from keras_absa.text.tokenizer import Tokenizer

VOCABULARY_FILE = "vocab.txt"
MODEL_ARGUMENTS = ("scheme", "max_length", "dropout", "use_pooler", "temperature", "none_threshold")
POOLING_ARGUMENTS = ("pooling", "pooling_tokens")
KNOWLEDGE_ARGUMENTS = ("bases", "knowledge")


def write_classifier(folder: str | Path, model, settings: dict) -> None:
    """Writes a classifier."""
    settings = {"class": type(model).__name__, "slots": model.encoder.get_config(), **settings}
    settings["lower_case"] = model.tokenizer.lower_case
    write_pretrained(folder, model.encoder, model.plug_weights(), settings)
    (Path(folder) / VOCABULARY_FILE).write_text("\n".join(model.tokenizer.vocabulary) + "\n", "utf-8")


def classifier_on_bert(cls, name, task: AspectTask | None, kwargs: dict):
    """A new classifier of class `cls` on a plain BERT; `kwargs` are the model's arguments, and those of its slots."""
    if task is None:
        raise ValueError(
            f"`task` is needed to train on `{name}`: received None. Pass for example keras_absa.data.sentihood()."
        )
    vocabulary = find_file(name, VOCABULARY_FILE)
    if vocabulary is None:
        raise FileNotFoundError(
            f"`{name}` has no {VOCABULARY_FILE}. Add the vocabulary that the BERT was trained with."
        )
    arguments = {key: kwargs.pop(key) for key in MODEL_ARGUMENTS if key in kwargs}
    pooling = {key: kwargs.pop(key) for key in POOLING_ARGUMENTS if key in kwargs}
    known = {key: kwargs.pop(key) for key in KNOWLEDGE_ARGUMENTS if key in kwargs}
    encoder_class = KnowBert if known else SlottedBert
    encoder = encoder_class.from_pretrained(name, **cls.slots_for(name, task, kwargs), **pooling, **known)
    model = cls(encoder, task, Tokenizer(vocabulary, lower_case=lower_case_of(name)), **arguments)
    model.load_report = encoder.load_report
    model.load_report.new += ["classifier/kernel", "classifier/bias"]
    return model


def read_classifier(cls, folder, settings: dict, task: AspectTask | None, kwargs: dict):
    """The classifier of class `cls` that `write_classifier` wrote, with the `settings` of its keras_absa.json."""
    if settings["class"] != cls.__name__:
        raise ValueError(
            f"`{folder}` must hold a {cls.__name__}: received a {settings['class']}. Load it with "
            f"keras_absa.models.{settings['class']}.from_pretrained."
        )
    saved_task = AspectTask.from_dict(settings["task"])
    if kwargs or task not in (None, saved_task):
        raise ValueError(
            f"A saved model keeps its settings: received {sorted(kwargs) or f'task {task.name!r}'} for `{folder}`. Load it "
            "without them, or start from its BERT."
        )
    encoder = encoder_of(settings["slots"])
    tokenizer = Tokenizer(Path(folder) / VOCABULARY_FILE, lower_case=settings["lower_case"])
    model = cls(encoder, saved_task, tokenizer, **{key: settings[key] for key in MODEL_ARGUMENTS if key in settings})
    encoder.load_pretrained(folder, plugs=model.plug_weights())
    model.load_report = encoder.load_report
    return model
