"""Joint encoders give the logits of the public code's models, with weights from its checkpoints, too."""

import argparse
import pickle
from collections import OrderedDict

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import JointTask
from keras_absa.models import JointEncoder, SlottedBert
from keras_absa.models.restricted_pickle import RefusedPickle
from keras_absa.text import WordTokenizer
from tests.models.tiny import tiny_bert, tiny_tokenizer

pytestmark = pytest.mark.golden
TOLERANCE = {"atol": 1e-5, "rtol": 0}


@pytest.fixture
def golden(golden_dir):
    return lambda name: dict(np.load(golden_dir / f"tbje_{name}.npz", allow_pickle=False))


def task_of(arrays):
    return JointTask("six", "emotion", "labels", tuple(f"label {place}" for place in range(arrays["proj.bias"].size)))


def words(count):
    return ["[PAD]", "[UNK]", *(f"w{place}" for place in range(2, count))]


def sizes(arrays):
    return {
        "hidden_units": arrays["proj_norm.gamma"].size // 2,
        "num_heads": int(arrays["heads"]),
        "inner_units": arrays["flat_lang.mlp.fc1.bias"].size,
        "num_blocks": int(arrays["layers"]),
        "dropout": 0.0,
    }


def features_of(arrays):
    return {name: arrays[name].shape[2] for name in ("audio", "video") if name in arrays}


def model_of(arrays, **kwargs):
    vocabulary, width = arrays["embedding"].shape
    features = features_of(arrays)
    model = JointEncoder(
        task_of(arrays),
        WordTokenizer(words(vocabulary), split="blanks"),
        features=features,
        lengths={"text": arrays["ids"].shape[1], **{name: arrays[name].shape[1] for name in features}},
        embedding_size=width,
        **sizes(arrays),
        **kwargs,
    )
    for name, weight in model.named_weights().items():
        weight.assign(arrays[name])
    return model


def inputs_of(arrays):
    return {
        "input_ids": tf.constant(arrays["ids"]),
        **{name: tf.constant(arrays[name]) for name in features_of(arrays)},
    }


CASES = [
    ("model_la", "logits", {}),
    ("model_lav", "logits_own_mask", {}),
    ("model_lav", "logits_released", {"glimpse_masks": (0, 1, 1)}),
]


@pytest.mark.parametrize("name, logits, arguments", CASES)
def test_logits(golden, name, logits, arguments):
    arrays = golden(name)
    model = model_of(arrays, **arguments)
    np.testing.assert_allclose(model(inputs_of(arrays)), arrays[logits], **TOLERANCE)
    # The defaults of compile: Adam's settings of the public code, and its loss.
    model.compile(loss_reduction="sum")
    assert model.optimizer.epsilon == 1e-8 and float(model.optimizer.learning_rate) == pytest.approx(1e-4)
    if name == "model_la":
        found = model.loss(arrays["labels_emotion"], model(inputs_of(arrays)))
        np.testing.assert_allclose(found, arrays["loss_bce_sum"], rtol=1e-5)


def test_an_encoder_as_language(golden):
    """The states come from a stand-in for BERT; what happens behind them is compared."""
    arrays = golden("encoder_language")

    hidden = arrays["hidden_states"]
    bert = SlottedBert(tiny_bert(width=hidden.shape[2], heads=2))
    for reach in ("first", "all"):
        model = JointEncoder(
            task_of(arrays),
            tiny_tokenizer(),
            bert,
            features_of(arrays),
            lengths={"text": hidden.shape[1], "audio": arrays["audio"].shape[1]},
            mask_blocks=reach,
            **sizes(arrays),
        )
        for name, weight in model.named_weights().items():
            weight.assign(arrays[name])
        model.encoder = lambda inputs, training: {"last_hidden_state": tf.constant(hidden)}
        inputs = {"input_ids": tf.ones(hidden.shape[:2], tf.int32), "audio": tf.constant(arrays["audio"])}
        inputs["attention_mask"] = tf.constant(arrays["attention_mask"])
        np.testing.assert_allclose(model(inputs), arrays[f"logits_masks_{reach}"], **TOLERANCE)


def public_names(arrays, modalities):
    """The golden weights as the public code's state dict, named by hand: `{ours: theirs}` of each part."""
    la = modalities == 2
    front = {"embedding": "embedding", "audio_adapter": "adapter" if la else "adapter_y", "video_adapter": "adapter_z"}
    parts = {
        "sa_lang": "sa1",
        "sga_audio": "sa3" if la else "sa2",
        "sga_video": "sa3",
        "glimpse_lang": "att_lang",
        "glimpse_audio": "att_audio",
        "glimpse_video": "att_vid",
        "norm_lang": "norm_l",
        "norm_audio": "norm_i" if la else "norm_a",
        "norm_video": "norm_v",
    }
    flats = {"lang": "attflat_lang", "audio": "attflat_img" if la else "attflat_ac", "video": "attflat_vid"}
    state = OrderedDict()
    for name, value in arrays.items():
        first, *rest = name.split(".")
        if name == "embedding":
            state["embedding.weight"] = value
        elif first == "lstm":
            if rest[0] == "bias":
                state["lstm_x.bias_ih_l0"], state["lstm_x.bias_hh_l0"] = value - 0.25, np.full_like(value, 0.25)
            else:
                state[f"lstm_x.weight_{'ih' if rest[0] == 'kernel' else 'hh'}_l0"] = value.T
        elif first in front or first.startswith(("block", "flat_", "proj")):
            if first.startswith("block"):
                theirs = [f"enc_list.{first[5:]}", parts[rest[0]], *rest[1:]]
            elif first.startswith("flat_"):
                theirs = [flats[first[5:]], *rest]
            else:
                theirs = [front.get(first, first), *rest]
            leaf = theirs.pop()
            inner = {"q": "linear_q", "k": "linear_k", "v": "linear_v", "merge": "linear_merge", "fc1": "fc.linear"}
            theirs = [inner.get(each, each) for each in theirs]
            theirs = ["linear" if each == "fc2" else each for each in theirs]
            if "ffn" in theirs:
                theirs.insert(theirs.index("ffn") + 1, "mlp")
            leaf, value = {
                "kernel": ("weight", value.T),
                "bias": ("bias", value),
                "gamma": ("a_2", value),
                "beta": ("b_2", value),
            }[leaf]
            state[".".join([*theirs, leaf])] = value
    return OrderedDict((name, np.ascontiguousarray(value)) for name, value in state.items())


@pytest.mark.parametrize("name, logits", [("model_la", "logits"), ("model_lav", "logits_own_mask")])
def test_a_checkpoint_of_the_public_code(golden, tmp_path, name, logits):
    arrays = golden(name)
    state = public_names(arrays, 2 if name == "model_la" else 3)
    path = tmp_path / "best.pkl"
    # As its training saves them: with the optimizer, and the settings as an object.
    whole = {"state_dict": state, "optimizer": {"state": {}}, "args": argparse.Namespace(layer=4, seen=set())}
    path.write_bytes(pickle.dumps(whole, protocol=2))
    vocabulary = {"UNK": 1, "first": 1, **{f"w{place}": place for place in range(2, len(arrays["embedding"]))}}
    model = JointEncoder.from_torch_checkpoint(path, task_of(arrays), vocabulary, num_heads=int(arrays["heads"]))
    np.testing.assert_allclose(model(inputs_of(arrays)), arrays[logits], **TOLERANCE)
    ids = model.encode_texts(["w2 first nobody's"])[0]["input_ids"].numpy()
    assert ids[0, :3].tolist() == [2, 1, 1] and model.tokenizer.vocab_size == len(arrays["embedding"])

    path.write_bytes(pickle.dumps({"state_dict": {**state, "lstm_y.other": state["proj.bias"]}}, protocol=2))
    with pytest.raises(ValueError, match=r"received \['lstm_y.other'\], too"):
        JointEncoder.from_torch_checkpoint(path, task_of(arrays), vocabulary, num_heads=int(arrays["heads"]))
    del state["proj.bias"]
    path.write_bytes(pickle.dumps(state, protocol=2))
    with pytest.raises(ValueError, match="expected the weight 'proj.bias'"):
        JointEncoder.from_torch_checkpoint(path, task_of(arrays), vocabulary, num_heads=int(arrays["heads"]))


def test_what_stands_beside_the_weights_is_never_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "written"), "w"))

    path = tmp_path / "evil.pkl"
    path.write_bytes(pickle.dumps({"state_dict": {}, "args": Evil()}, protocol=2))
    with pytest.raises(RefusedPickle, match="it names"):
        JointEncoder.from_torch_checkpoint(path, JointTask("a", "a", "labels", ("b",)), [])
    assert not (tmp_path / "written").exists()
    path.write_bytes(pickle.dumps({"state_dict": argparse.Namespace(a=1)}, protocol=2))
    with pytest.raises(RefusedPickle, match="holds a settings object"):
        JointEncoder.from_torch_checkpoint(path, JointTask("a", "a", "labels", ("b",)), [])
