"""A joint encoder from data, and its folder: settings, weights and vocabulary, with HuggingFace's files of a BERT beside them."""

from pathlib import Path

from keras_absa.data.word_vectors import WordVectors, read_word_vectors
from keras_absa.layers.mel_spectrogram import MelSpectrogram
from keras_absa.models.backbone import LoadReport, find_file, lower_case_of
from keras_absa.models.pretrained_folder import read_plugs, read_settings, write_pretrained, write_settings
from keras_absa.models.slotted_bert import SlottedBert
from keras_absa.text.tokenizer import Tokenizer
from keras_absa.text.transcript import spoken_words
from keras_absa.text.word_tokenizer import WordTokenizer

VOCABULARY_FILE = "vocab.txt"


def built_for(cls, segments, task, backbone, word_vectors, features, use, max_words, kwargs):
    """A model of class `cls` for the modalities of segments, see `JointEncoder.from_segments`."""
    widths = segments.widths
    known = [*(["text"] if segments.texts is not None else []), *widths]
    wanted = known if use is None else list(use)
    if not wanted or len(set(wanted)) < len(wanted) or not set(wanted) <= set(known):
        raise ValueError(f"`use` must name some of {known}: received {wanted}. Correct it.")
    inputs = {}
    for name in wanted:
        if name != "text":
            given = (features or {}).get(name)
            if given is not None and widths[name] is not None:
                raise ValueError(
                    f"A `MelSpectrogram` reads waveforms: received frames of {widths[name]} as {name!r}. Leave it out."
                )
            inputs[name] = (
                widths[name] if widths[name] is not None else given or MelSpectrogram(name=f"{name}_spectrogram")
            )
    kwargs = {"modalities": wanted, **kwargs}
    if "text" not in wanted:
        if backbone is not None or word_vectors is not None:
            raise ValueError(
                "`backbone` and `word_vectors` read text: received one in a model without it. Leave it out."
            )
        return cls(task, None, None, inputs, **kwargs)
    if backbone is not None:
        if word_vectors is not None:
            raise ValueError("`word_vectors` are for models without a BERT: received both. Leave one out.")
        return _on_bert(cls, task, backbone, inputs, kwargs)
    texts = (spoken_words([text]).numpy()[0].decode("utf-8") for text in dict.fromkeys(segments.texts))
    tokenizer = WordTokenizer.from_texts(texts, max_words=max_words, split="blanks")
    if word_vectors is None:
        return cls(task, tokenizer, None, inputs, **kwargs)
    if not isinstance(word_vectors, WordVectors):
        word_vectors = read_word_vectors(word_vectors, words=tokenizer.vocabulary)
    if not word_vectors.words:
        raise ValueError("`word_vectors` must hold words of the segments: received none of them. Check the file.")
    model = cls(task, tokenizer, None, inputs, **{"embedding_size": word_vectors.vectors.shape[1], **kwargs})
    model.named_weights()["embedding"].assign(word_vectors.matrix(tokenizer.vocabulary))
    return model


def _on_bert(cls, task, backbone, inputs, kwargs):
    encoder = backbone
    if not isinstance(backbone, SlottedBert):
        encoder = SlottedBert.from_pretrained(backbone)
    name = encoder.load_report and encoder.load_report.source
    vocabulary = name and find_file(name, VOCABULARY_FILE)
    if vocabulary is None:
        raise FileNotFoundError(
            f"`{name or backbone}` has no {VOCABULARY_FILE}. Add the vocabulary that the BERT was trained with."
        )
    model = cls(task, Tokenizer(vocabulary, lower_case=lower_case_of(name)), encoder, inputs, **kwargs)
    model.load_report = encoder.load_report
    model.load_report.new += list(model.named_weights())
    return model


def write_joint_encoder(folder: str | Path, model) -> None:
    """Writes a model."""
    settings = {"class": type(model).__name__, **model.settings()}
    if model.tokenizer is not None:
        settings["lower_case"] = model.tokenizer.lower_case
    if model.encoder is None:
        write_settings(folder, model.plug_weights(), settings)
    else:
        write_pretrained(folder, model.encoder, model.plug_weights(), {**settings, "slots": model.encoder.get_config()})
    if model.tokenizer is not None:
        (Path(folder) / VOCABULARY_FILE).write_text("\n".join(model.tokenizer.vocabulary) + "\n", "utf-8")


def read_joint_encoder(cls, folder: str | Path):
    """The model of class `cls` that `write_joint_encoder` wrote."""
    settings = read_settings(folder)
    if settings is None or settings["class"] != cls.__name__:
        received = "no keras_absa.json" if settings is None else f"a {settings['class']}"
        raise ValueError(f"`{folder}` must hold a saved {cls.__name__}: received {received}. Give the folder of one.")
    config = {name: value for name, value in settings.items() if name not in ("class", "format", "keras_absa", "slots")}
    if "lower_case" in config:
        config["vocabulary"] = (Path(folder) / VOCABULARY_FILE).read_text("utf-8").split("\n")[:-1]
    config["encoder"] = settings.get("slots")
    model = cls.from_config(config)
    if model.encoder is None:
        model.load_report = LoadReport(str(folder))
        read_plugs(folder, model.plug_weights(), model.load_report)
    else:
        model.encoder.load_pretrained(folder, plugs=model.plug_weights())
        model.load_report = model.encoder.load_report
    return model
