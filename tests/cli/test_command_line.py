import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_absa import environment
from keras_absa.cli.json_output import to_json

COMMANDS = ("train", "evaluate", "predict", "export", "doctor")
ROOT = Path(__file__).resolve().parents[2]


def python(code, **environment_variables):
    """Runs code in a fresh process."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), **environment_variables}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(keras_absa, command):
    assert f"\n    keras-absa {command} " in keras_absa(command, "--help").stdout + " "


def test_help_documents_exit_codes_and_imports_no_tensorflow():
    code = (
        "import sys\nfrom keras_absa.cli import app\n"
        "try:\n    app(['--help'], prog_name='keras-absa')\n"
        "finally:\n    print([name for name in ('tensorflow', 'transformers', 'numpy') if name in sys.modules])"
    )
    result = python(code)
    assert "Exit codes:" in result.stdout and result.stdout.rstrip().endswith("[]"), result.stderr


def test_module_and_version():
    result = subprocess.run([sys.executable, "-m", "keras_absa", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout == "keras-absa 0.1.0\n"


def test_subpackages_are_there_when_asked_for():
    names = ("data.load", "layers.QuasiAttention", "metrics.roc_auc", "models.QacgBertClassifier", "serving")
    names += ("text.Tokenizer", "training.BertAdam", "__version__")
    uses = "".join(f"ka.{name}\n" for name in names)
    code = f"import sys\nimport keras_absa as ka\nassert 'keras_absa.keras' not in sys.modules\n{uses}print(dir(ka))"
    result = python(code)
    assert result.returncode == 0, result.stderr
    assert {"data", "layers", "metrics", "models", "serving", "text", "training"} <= set(eval(result.stdout))


def test_a_wrong_environment_is_named_before_tensorflow_is_imported():
    code = """
import sys
import keras_absa as ka
from keras_absa import environment
environment.installed_version = lambda name: None
ka.data.restaurants(), ka.metrics.roc_auc
try:
    ka.text
except ImportError as error:
    print("tensorflow" in sys.modules, error)
"""
    result = python(code)
    assert result.stdout.startswith("False keras_absa cannot run"), result.stderr
    assert "pip install 'tf-keras==2.21.*'" in result.stdout


def test_errors_without_and_with_traceback(keras_absa, tmp_path):
    plain = keras_absa("evaluate", tmp_path / "no", "--data", "restaurants", code=2)
    assert plain.stderr.startswith("keras-absa: error: ") and "Traceback" not in plain.stderr
    assert "no such folder" in plain.stderr
    for arguments, env in ((["--debug"], {}), ([], {"KERAS_ABSA_DEBUG": "1"})):
        failed = keras_absa(*arguments, "evaluate", tmp_path / "no", "--data", "restaurants", code=2, env=env)
        assert "Traceback" in failed.stderr and "keras-absa: error: " in failed.stderr
    assert keras_absa("evaluate", code=2).stderr


class TestDoctor:
    @pytest.fixture(autouse=True)
    def no_probe(self, monkeypatch):
        # Importing TensorFlow in a process of its own takes seconds; one test does it.
        self.devices = sys.modules["keras_absa.cli"].doctor.__globals__["_devices"]
        monkeypatch.setitem(self.devices.__globals__, "_devices", lambda: (["CPU /physical_device:CPU:0"], None))

    def test_reports_what_is_there(self, keras_absa, tmp_path, monkeypatch):
        (tmp_path / "dict").mkdir()
        (tmp_path / "dict" / "data.noun").touch()
        (tmp_path / "sentihood").mkdir()
        for split in ("train", "dev", "test"):
            (tmp_path / "sentihood" / f"sentihood-{split}.json").touch()
        monkeypatch.setenv("KERAS_ABSA_WORDNET", str(tmp_path))
        monkeypatch.setenv("KERAS_ABSA_DATA", str(tmp_path))
        report = json.loads(keras_absa("doctor", "--json").stdout)
        assert report["ok"] and report["problems"] == [] and report["devices"] == ["CPU /physical_device:CPU:0"]
        assert report["wordnet"]["found"] == str(tmp_path / "dict")
        assert report["data"]["sentihood"]["found"] == str(tmp_path / "sentihood")
        assert report["data"]["semeval2014"]["found"] is None
        assert [each["name"] for each in report["packages"]] == ["Python", *environment.REQUIREMENTS, "numpy"]
        printed = keras_absa("doctor").stdout
        assert "Everything needed is fine." in printed and "semeval2014       not found in" in printed

    @pytest.mark.parametrize(
        ("name", "version", "line"),
        [
            ("tensorflow", None, "tensorflow is missing: pip install 'tensorflow==2.21.*'"),
            (
                "transformers",
                "4.56.0",
                "transformers 4.56.0 does not work here: pip install 'transformers>=4.51,<4.55'",
            ),
            ("numpy", "1.25.2", "numpy 1.25.2 does not work here: pip install 'numpy>=1.26'"),
            ("numpy", None, "numpy is missing: pip install 'numpy>=1.26'"),
        ],
    )
    def test_names_the_pip_line(self, keras_absa, monkeypatch, name, version, line):
        found = environment.installed_version
        monkeypatch.setattr(environment, "installed_version", lambda asked: version if asked == name else found(asked))
        assert f"problem: {line}" in keras_absa("doctor", code=1).stdout
        report = json.loads(keras_absa("doctor", "--json", code=1).stdout)
        assert report["problems"] == [line] and not report["ok"] and report["devices"] is None

    def test_missing_or_changed_weights(self, keras_absa, monkeypatch, tmp_path):
        (tmp_path / "model.safetensors").write_bytes(b"something else")
        with monkeypatch.context() as patch:
            patch.setattr(environment, "minilm_folder", lambda: tmp_path)
            assert "is not the published file" in keras_absa("doctor", code=1).stdout
        monkeypatch.setattr(environment, "MINILM_PACKAGE", "no_such_package")
        assert environment.MINILM_PIP in keras_absa("doctor", code=1).stdout

    def test_probe_tells_why_tensorflow_cannot_be_imported(self, monkeypatch):
        monkeypatch.setitem(self.devices.__globals__, "PROBE", "raise ImportError('undefined symbol: x')")
        devices, problem = self.devices()
        assert devices is None and "undefined symbol: x" in problem and "pip install --force-reinstall" in problem

    def test_works_where_tensorflow_is_not_installed(self):
        code = """
import sys
sys.modules["tensorflow"] = sys.modules["tf_keras"] = sys.modules["transformers"] = None  # importing them fails
from keras_absa import environment
environment.installed_version = lambda name: None
from keras_absa.cli import app
app(["doctor"])
"""
        result = python(code)
        assert result.returncode == 1 and "tf-keras is missing: pip install" in result.stdout, result.stderr


def test_json_is_readable_by_any_program():
    text = to_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": Path("x"), "d": "one\u2028line"}, indent=None)
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "c": "x", "d": "one\u2028line"}
    assert len(text.splitlines()) == 1
