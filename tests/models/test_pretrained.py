"""Checkpoints in and out: what loads, what is reported, what is refused, and what a fresh process reads back."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from safetensors.numpy import load_file, save_file
from transformers import TFBertModel

from keras_absa.data import restaurants
from keras_absa.environment import MINILM_PIP, minilm_folder
from keras_absa.layers import QuasiAttention
from keras_absa.models import BertPairClassifier, CgBertClassifier, QacgBertClassifier, SlottedBert
from keras_absa.models.backbone import load_bert
from tests.models.tiny import VOCABULARY, bert_variables, random_batch, tiny_bert, tiny_encoder, tiny_model, tiny_task

# Golden role -> the name that BertModel of PyTorch writes.
TORCH_NAMES = [
    (r"^layer_(\d+)/attention/(\w+)", r"encoder.layer.\1.attention.self.\2"),
    (r"^layer_(\d+)/attention_output/layer_norm", r"encoder.layer.\1.attention.output.LayerNorm"),
    (r"^layer_(\d+)/attention_output", r"encoder.layer.\1.attention.output.dense"),
    (r"^layer_(\d+)/output/layer_norm", r"encoder.layer.\1.output.LayerNorm"),
    (r"^layer_(\d+)/(intermediate|output)", r"encoder.layer.\1.\2.dense"),
    (r"^embeddings/(word|position)$", r"embeddings.\1_embeddings.weight"),
    (r"^embeddings/token_type$", "embeddings.token_type_embeddings.weight"),
    (r"^embeddings/layer_norm", "embeddings.LayerNorm"),
    (r"^pooler", "pooler.dense"),
    (r"/(kernel|gamma)$", ".weight"),
    (r"/(bias|beta)$", ".bias"),
]


def write_torch_style(bert, folder, rename=lambda name: name, change=lambda arrays: None):
    """Writes a folder as PyTorch would; `rename` gives None for a tensor that is left out."""
    arrays = {}
    for role, variable in bert_variables(bert).items():
        name = role
        for pattern, replacement in TORCH_NAMES:
            name = re.sub(pattern, replacement, name)
        if rename(name) is not None:
            array = variable.numpy()
            arrays[rename(name)] = np.ascontiguousarray(array.T if role.endswith("kernel") else array)
    change(arrays)
    bert.config.save_pretrained(folder)
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    return folder


def assert_same_bert(one, other):
    inputs = {name: value for name, value in random_batch().items() if name != "context_ids"}
    assert np.std(other(inputs).pooler_output) > 1e-3
    np.testing.assert_allclose(one(inputs).pooler_output, other(inputs).pooler_output, atol=1e-6)


@pytest.fixture
def bert():
    bert = tiny_bert()
    bert.build_in_name_scope()
    return bert


class TestCheckpoints:
    def test_minilm(self):
        model = QacgBertClassifier.from_pretrained("minilm", task=restaurants())
        report, weights = model.load_report, load_file(minilm_folder() / "model.safetensors")
        main = model.encoder.bert.bert
        np.testing.assert_array_equal(main.embeddings.weight, weights["embeddings.word_embeddings.weight"])
        query = main.encoder.layer[5].attention.self_attention.query.kernel
        np.testing.assert_array_equal(query, weights["encoder.layer.5.attention.self.query.weight"].T)
        assert report.new == list(model.plug_weights()) and report.new[-1] == "classifier/bias"
        assert len(report.new) == 1 + 6 * (2 + 4 + 8) + 2
        assert len(report.loaded) == len(weights) - 1 == len(model.encoder.bert.weights)  # all but the position ids
        assert all("position_ids" in name for name in report.unused)
        assert f"{len(report.loaded)} weights loaded, {len(report.new)} new" in str(report)

    def test_pytorch_style_safetensors(self, bert, tmp_path):
        loaded, report = load_bert(write_torch_style(bert, tmp_path))
        assert_same_bert(loaded, bert)
        assert (len(report.loaded), report.new, report.unused) == (len(bert.weights), [], [])

    @pytest.mark.parametrize("safe", [True, False], ids=["safetensors", "h5"])
    def test_tensorflow_weights(self, bert, tmp_path, safe):
        bert.save_pretrained(tmp_path, safe_serialization=safe)
        assert (tmp_path / "tf_model.h5").is_file() is not safe
        loaded, report = load_bert(tmp_path)
        assert_same_bert(loaded, bert)
        assert (len(report.loaded), report.new, report.unused) == (len(bert.weights), [], [])

    @pytest.mark.parametrize(
        "rename",
        [
            lambda name: f"bert.{name}",
            lambda name: name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"),
        ],
        ids=["prefix_bert", "gamma_and_beta"],
    )
    def test_names_of_other_bert_classes(self, bert, tmp_path, rename):
        loaded, report = load_bert(write_torch_style(bert, tmp_path, rename))
        assert_same_bert(loaded, bert)
        assert report.new == []

    def test_no_pooler(self, bert, tmp_path):
        folder = write_torch_style(bert, tmp_path, lambda name: None if "pooler" in name else f"bert.{name}")
        report = load_bert(folder)[1]
        assert len(report.new) == 2 and all("pooler" in name for name in report.new)
        assert len(report.loaded) == len(bert.weights) - 2 and not any("pooler" in name for name in report.loaded)
        assert "  new     " + report.new[0] in str(report)

    def test_weights_of_a_head_are_reported_as_unused(self, bert, tmp_path):
        folder = write_torch_style(
            bert, tmp_path, change=lambda arrays: arrays.update({"cls.bias": np.zeros(3, "float32")})
        )
        assert load_bert(folder)[1].unused == ["cls.bias"]

    @pytest.mark.parametrize(
        "rename, named",
        [
            (lambda name: f"foo.{name}", "embeddings"),
            (lambda name: name.replace("LayerNorm.weight", "norm.weight"), "LayerNorm"),
            (
                lambda name: None if name == "encoder.layer.1.attention.self.key.weight" else name,
                r"layer\.1\..*key\.weight",
            ),
        ],
        ids=["foreign_prefix", "renamed_norm", "one_missing"],
    )
    def test_a_weight_that_was_not_loaded_is_an_error(self, bert, tmp_path, rename, named):
        write_torch_style(bert, tmp_path, rename)
        with pytest.raises(
            ValueError, match=rf"(?s)must come from the checkpoint: \d+ were not loaded.*{named}.*\. Rename"
        ):
            load_bert(tmp_path)

    def test_a_wrong_shape_is_an_error(self, bert, tmp_path):
        key = "encoder.layer.0.intermediate.dense.bias"
        write_torch_style(bert, tmp_path, change=lambda arrays: arrays.update({key: np.zeros(5, "float32")}))
        with pytest.raises(
            ValueError,
            match=r"must have the shapes that its config.json asks for: .*, where (?s:.)*5 values.* Give",
        ):
            load_bert(tmp_path)

    def test_another_kind_of_model(self, bert, tmp_path):
        bert.save_pretrained(tmp_path)
        config = json.loads((tmp_path / "config.json").read_text())
        (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "roberta"}))
        with pytest.raises(ValueError, match=r"must be a BERT \(model_type 'bert'\): received 'roberta' .*\. Choose"):
            load_bert(tmp_path)

    @pytest.mark.parametrize("name", ["/nowhere/bert", "./nowhere", "../a/b/c"])
    def test_a_folder_that_is_not_there(self, name):
        with pytest.raises(FileNotFoundError, match="is not a folder. Give a folder with config.json"):
            QacgBertClassifier.from_pretrained(name, task=tiny_task()) if name[0] == "/" else load_bert(name)

    def test_a_folder_without_config(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="No BERT checkpoint was found under .* Give a folder"):
            load_bert(tmp_path)

    def test_a_folder_without_vocabulary(self, bert, tmp_path):
        bert.save_pretrained(tmp_path)
        with pytest.raises(FileNotFoundError, match="has no vocab.txt"):
            BertPairClassifier.from_pretrained(tmp_path, task=tiny_task())

    def test_no_task(self):
        with pytest.raises(ValueError, match=r"`task` is needed to train on `minilm`: received None\. Pass"):
            QacgBertClassifier.from_pretrained("minilm")

    def test_minilm_is_not_installed(self, monkeypatch):
        find = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if "minilm" in name else find(name))
        with pytest.raises(FileNotFoundError, match=re.escape(MINILM_PIP)):
            load_bert("minilm")

    def test_arguments_reach_the_slots(self, bert, tmp_path):
        folder = write_torch_style(bert, tmp_path)
        model = QacgBertClassifier.from_pretrained(
            folder,
            task=tiny_task(),
            alpha=0.5,
            guided_layers=(1,),
            num_contexts=8,
            scheme="qa_m",
            max_length=20,
            use_pooler=False,
        )
        assert model.encoder.plugs["1"].alpha == 0.5 and model.encoder.guided_layers == (1,)
        assert model.encoder.context_embedding.embeddings.shape == (8, 24)
        assert (model.scheme, model.max_length, model.use_pooler) == ("qa_m", 20, False)
        with pytest.raises(ValueError, match=r"`num_contexts` must be at least the 2 contexts .* received 1\."):
            QacgBertClassifier.from_pretrained(folder, task=tiny_task(), num_contexts=1)
        with pytest.raises(ValueError, match=r"has no arguments \['alpha'\]"):
            BertPairClassifier.from_pretrained(folder, task=tiny_task(), alpha=0.5)


def run_python(script, **environment):
    """Runs a script in a process of its own, which has imported nothing yet; returns what it prints."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


HUB_SCRIPT = """
import sys
import numpy as np
import keras_absa as ka
task = ka.data.restaurants()
model = ka.models.CgBertClassifier.from_pretrained("some-org/tiny-bert", task=task, max_length=64)
print(len(model.load_report.loaded), model.tokenizer.lower_case, "torch" in sys.modules)
np.save(OUT, model.encoder.bert.get_weights()[0])
try:
    ka.models.SlottedBert.from_pretrained("some-org/another-bert")
except FileNotFoundError as error:
    print(error)
"""


def test_hub_name(bert, tmp_path):
    """A name is looked up in the hub's cache, here a made-up one, without the network and without PyTorch."""
    repository = tmp_path / "hub" / "models--some-org--tiny-bert"
    snapshot = repository / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    write_torch_style(bert, snapshot)
    (snapshot / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    out = tmp_path / "embeddings.npy"
    script = HUB_SCRIPT.replace("OUT", repr(str(out)))
    lines = run_python(script, HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1").splitlines()
    assert lines[0] == f"{len(bert.weights)} False False"
    assert "No BERT checkpoint was found under `some-org/another-bert`" in lines[1] and "'minilm'" in lines[1]
    np.testing.assert_array_equal(np.load(out), bert.bert.embeddings.weight)


RELOAD_SCRIPT = """
import json, sys
import numpy as np
import keras_absa
import tf_keras as keras
root = FOLDER
batch = {name: keras.backend.constant(value, "int32") for name, value in np.load(root + "/batch.npz").items()}
for name in json.load(open(root + "/names.json")):
    logits = np.load(f"{root}/{name}.npy")
    model = keras.models.load_model(f"{root}/{name}.keras")
    weights = type(model).from_config(model.get_config())
    differs = np.abs(weights(batch) - logits).max()
    weights.load_weights(f"{root}/{name}.weights.h5")
    folder = type(model).from_pretrained(f"{root}/{name}")
    for kind, loaded in (("keras", model), ("weights", weights), ("folder", folder)):
        print(name, kind, type(loaded).__name__, bool(np.array_equal(loaded(batch), logits)), bool(differs > 1e-3))
"""


def test_round_trips_in_a_fresh_process(tmp_path):
    kinds = ["qacg", "cg_sigmoid", "pair_qa_b"]
    batch = random_batch()
    np.savez(tmp_path / "batch.npz", **batch)
    (tmp_path / "names.json").write_text(json.dumps(kinds))
    expected = []
    for kind in kinds:
        model = tiny_model(kind, seed=7)
        model.set_weights([np.random.default_rng(5).normal(scale=0.3, size=weight.shape) for weight in model.weights])
        np.save(tmp_path / f"{kind}.npy", model({name: tf.constant(value) for name, value in batch.items()}))
        model.save(tmp_path / f"{kind}.keras")
        model.save_weights(tmp_path / f"{kind}.weights.h5")
        model.save_pretrained(tmp_path / kind)
        expected += [f"{kind} {way} {type(model).__name__} True True" for way in ("keras", "weights", "folder")]
    lines = run_python(RELOAD_SCRIPT.replace("FOLDER", repr(str(tmp_path)))).splitlines()
    assert lines == expected


class TestSavePretrained:
    @pytest.fixture
    def folder(self, tmp_path):
        tiny_model("qacg").save_pretrained(tmp_path / "saved")
        return tmp_path / "saved"

    def test_what_is_written(self, folder):
        model = tiny_model("qacg")
        names = {"config.json", "tf_model.h5", "model.safetensors", "plugs.safetensors", "keras_absa.json", "vocab.txt"}
        assert {path.name for path in folder.iterdir()} == names - {"tf_model.h5"}
        assert (folder / "vocab.txt").read_text("utf-8").split("\n")[:-1] == VOCABULARY
        settings = json.loads((folder / "keras_absa.json").read_text())
        assert settings["class"] == "QacgBertClassifier" and settings["task"] == json.loads(
            json.dumps(model.task.to_dict())
        )
        plugs = load_file(folder / "plugs.safetensors")
        assert set(plugs) == set(model.plug_weights())
        np.testing.assert_array_equal(
            plugs["layer_0/attention/query_gate_kernel"], model.encoder.plugs["0"].query_gate[0]
        )

    def test_a_plain_bert_loads_it(self, folder):
        model = tiny_model("qacg")
        plain, info = TFBertModel.from_pretrained(folder, output_loading_info=True)
        assert not info["missing_keys"] and not info["unexpected_keys"]
        assert_same_bert(plain, model.encoder.bert)

    def test_settings_come_back(self, tmp_path):
        model = tiny_model("cg_tanh", scheme="qa_m", max_length=17, use_pooler=False, dropout=0.25)
        model.save_pretrained(tmp_path)
        again = CgBertClassifier.from_pretrained(tmp_path)
        config, expected = again.get_config(), model.get_config()
        for slots in (config.pop("encoder"), expected.pop("encoder")):
            slots.pop("bert")  # transformers adds where a configuration was read
        assert config | {"name": ""} == expected | {"name": ""}
        assert again.encoder.attention_config == model.encoder.attention_config
        assert again.load_report.new == [] and len(again.load_report.loaded) == len(model.weights)
        assert CgBertClassifier.from_pretrained(tmp_path, task=model.task).task == model.task

    def test_an_encoder_by_itself(self, tmp_path):
        encoder = tiny_encoder("quasi", guided_layers=(1,), share_context_dense=True)
        encoder.save_pretrained(tmp_path)
        again = SlottedBert.from_pretrained(tmp_path)
        np.testing.assert_array_equal(again(random_batch())["pooled"], encoder(random_batch())["pooled"])
        assert again.guided_layers == (1,)

    def test_a_saved_models_bert_starts_another_encoder(self, folder):
        encoder = SlottedBert.from_pretrained(folder, attention=QuasiAttention(3), num_contexts=5)
        assert encoder.num_contexts == 5 and "context_embedding" in encoder.load_report.new

    def test_wrong_class(self, folder):
        with pytest.raises(
            ValueError, match=r"must hold a CgBertClassifier: received a QacgBertClassifier\. Load it with"
        ):
            CgBertClassifier.from_pretrained(folder)

    @pytest.mark.parametrize("arguments", [{"alpha": 0.5}, {"task": restaurants()}])
    def test_settings_cannot_be_changed(self, folder, arguments):
        with pytest.raises(
            ValueError, match=r"A saved model keeps its settings: received .*(alpha|restaurants).*\. Load it"
        ):
            QacgBertClassifier.from_pretrained(folder, **arguments)

    def test_newer_format(self, folder):
        settings = json.loads((folder / "keras_absa.json").read_text())
        (folder / "keras_absa.json").write_text(json.dumps({**settings, "format": 2}))
        with pytest.raises(ValueError, match=r"must have format 1: received 2\. .*install that version"):
            QacgBertClassifier.from_pretrained(folder)

    def test_a_plug_weight_is_missing(self, folder):
        plugs = load_file(folder / "plugs.safetensors")
        plugs.pop("classifier/kernel")
        save_file(plugs, folder / "plugs.safetensors")
        with pytest.raises(
            ValueError, match=r"must hold every weight of the plugs: \['classifier/kernel'\] are missing\. Load"
        ):
            QacgBertClassifier.from_pretrained(folder)

    def test_a_plug_weight_has_another_shape(self, folder):
        plugs = load_file(folder / "plugs.safetensors")
        plugs["context_embedding"] = plugs["context_embedding"][:1]
        save_file(plugs, folder / "plugs.safetensors")
        with pytest.raises(
            ValueError, match=r"`context_embedding` must have shape \(2, 24\): received \(1, 24\) .*\. Load it"
        ):
            QacgBertClassifier.from_pretrained(folder)

    def test_the_plugs_file_is_missing(self, folder, tmp_path):
        copy = shutil.copytree(folder, tmp_path / "copy")
        (copy / "plugs.safetensors").write_bytes(b"{")
        with pytest.raises(ValueError, match="plugs.safetensors: no readable safetensors"):
            QacgBertClassifier.from_pretrained(copy)
        (copy / "plugs.safetensors").unlink()
        with pytest.raises((FileNotFoundError, ValueError), match="plugs.safetensors"):
            QacgBertClassifier.from_pretrained(copy)
