"""Checkpoints of TBJE's public code as joint encoders.

Shapes: V words, E size of a word vector, D width, F features of a frame.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from keras_absa.models.torch_checkpoint import read_torch_checkpoint
from keras_absa.text.word_tokenizer import PADDING, UNKNOWN, WordTokenizer

# How the public code calls the parts of its models of two and of three modalities.
PARTS = {
    2: {
        "audio_adapter": "adapter",
        "sga_audio": "sa3",
        "norm_audio": "norm_i",
        "flat_audio": "attflat_img",
    },
    3: {
        "audio_adapter": "adapter_y",
        "video_adapter": "adapter_z",
        "sga_audio": "sa2",
        "sga_video": "sa3",
        "norm_audio": "norm_a",
        "norm_video": "norm_v",
        "flat_audio": "attflat_ac",
        "flat_video": "attflat_vid",
    },
}
COMMON = {
    "sa_lang": "sa1",
    "norm_lang": "norm_l",
    "flat_lang": "attflat_lang",
    "glimpse_lang": "att_lang",
    "glimpse_audio": "att_audio",
    "glimpse_video": "att_vid",
    "lstm": "lstm_x",
    "audio_lstm": "lstm_y",
    "q": "linear_q",
    "k": "linear_k",
    "v": "linear_v",
    "merge": "linear_merge",
    "gamma": "a_2",
    "beta": "b_2",
    "embedding": "embedding.weight",
}
PYTORCH = {"kernel": "weight"}
LSTM = {"kernel": ("weight_ih_l0",), "recurrent_kernel": ("weight_hh_l0",), "bias": ("bias_ih_l0", "bias_hh_l0")}


def read_tbje_checkpoint(cls, path: str | Path, task, vocabulary, kwargs: dict):
    """A model of class `cls`, see `JointEncoder.from_torch_checkpoint`; sizes are read off the weights' shapes."""
    state = read_torch_checkpoint(path, part="state_dict")
    if not isinstance(state, dict) or not all(isinstance(each, np.ndarray) for each in state.values()):
        raise ValueError(
            f"{path}: expected a state dict of tensors: received a {type(state).__name__} of other things."
        )
    state = {str(name).removeprefix("module."): each for name, each in state.items()}
    count = 3 if "adapter_z.weight" in state else 2
    names = {**COMMON, **PARTS[count]}
    model = cls(task, _tokenizer(vocabulary, state, path), None, **_sizes(path, state, names, count, kwargs))
    used = set()
    for name, weight in model.named_weights().items():
        sources, value = _value(name, state, names, path)
        used |= sources
        if value.shape != tuple(weight.shape):
            raise ValueError(
                f"{path}: {sorted(sources)} must have the shape {tuple(weight.shape)} of {name!r}: received {value.shape}. "
                "Check the task's labels and the arguments."
            )
        weight.assign(value)
    if set(state) - used:
        raise ValueError(
            f"{path}: expected the weights of Model_LA or Model_LAV only: received {sorted(set(state) - used)[:5]}, too. It is "
            "another model."
        )
    return model


def _sizes(path, state, names, count, kwargs):
    """The constructor's arguments."""
    audio = "adapter.weight" if count == 2 else "adapter_y.weight"
    recurrent = "lstm_y.weight_ih_l0" in state
    found = {
        "audio": _of(path, state, "lstm_y.weight_ih_l0" if recurrent else audio).shape[1],
        **({"video": state["adapter_z.weight"].shape[1]} if count == 3 else {}),
    }
    places = [int(each.group(1)) for each in (re.match(r"enc_list\.(\d+)\.", name) for name in state) if each]
    lengths = dict(kwargs.get("lengths") or {})
    for name, part in (("text", "att_lang"), ("audio", "att_audio"), ("video", "att_vid")):
        glimpses = state.get(f"enc_list.0.{part}.mlp.linear.weight")
        if glimpses is not None:
            lengths[name] = glimpses.shape[0]  # as many glimpses as positions
    return {
        **kwargs,
        "features": found,
        "lengths": lengths,
        "recurrent": ("audio",) if recurrent else (),
        "hidden_units": _of(path, state, "proj_norm.a_2").size // 2,
        "embedding_size": _of(path, state, "embedding.weight").shape[1],
        "inner_units": _of(path, state, "enc_list.0.sa1.ffn.mlp.fc.linear.weight").shape[0],
        "num_blocks": 1 + max(places),
    }


def _tokenizer(vocabulary, state, path):
    """The words at their ids; what has id 0 or 1 there is padding or an unknown word, which share the rows."""
    rows = len(_of(path, state, "embedding.weight"))
    if not isinstance(vocabulary, Mapping):
        vocabulary = {word: place for place, word in enumerate(vocabulary)}
    if vocabulary and max(vocabulary.values()) >= rows:
        raise ValueError(
            f"{path}: `vocabulary` must have ids below {rows}: received {max(vocabulary.values())}. Use the training's."
        )
    words = [PADDING, UNKNOWN, *(f"[unused{place}]" for place in range(2, rows))]
    for word, place in vocabulary.items():
        if place > 1:
            words[place] = word
    return WordTokenizer(words[: max(rows, 2)], split="blanks")


def _value(name, state, names, path):
    """The names of a weight in the public code, and its value in Keras' layout."""
    *parts, last = name.split(".")
    parts = [names.get(part, part) for part in parts]
    if parts and parts[0].startswith("block"):
        parts[0] = f"enc_list.{parts[0][len('block') :]}"
    prefix = ".".join(parts)
    if prefix in ("lstm_x", "lstm_y"):
        sources = [f"{prefix}.{each}" for each in LSTM[last]]
    elif last == "embedding":
        sources = [names[last]]
    else:
        # A network of two dense maps: `mlp.fc.linear` and `mlp.linear`, inside `ffn` or a glimpse.
        prefix = re.sub(r"ffn\.(fc\d)", r"ffn.mlp.\1", prefix).replace("fc1", "fc.linear").replace("fc2", "linear")
        sources = [f"{prefix}.{PYTORCH.get(last, names.get(last, last))}"]
    value = sum(_of(path, state, each).astype("float32") for each in sources)
    return set(sources), value.T if last.endswith("kernel") else value


def _of(path, state, name):
    if name not in state:
        raise ValueError(
            f"{path}: expected the weight {name!r} of Model_LA or Model_LAV: it is not there. It is another model."
        )
    return state[name]
