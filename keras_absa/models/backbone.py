"""Finding and reading a BERT checkpoint: by the name "minilm", a folder, or a hub name."""

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from transformers import BertConfig, TFBertModel
from transformers.modeling_tf_pytorch_utils import convert_tf_weight_name_to_pt_weight_name
from transformers.utils import cached_file
from transformers.utils import logging as transformers_logging

from keras_absa.environment import minilm_folder

PLUGS_FILE = "plugs.safetensors"
CONFIG_FILE = "keras_absa.json"

# A pooler is absent from checkpoints of masked language models, and position ids are a constant that old ones carry.
OPTIONAL_PARTS = ("pooler",)


@dataclass
class LoadReport:
    """Which weights a checkpoint gave, which are new, and which of the checkpoint's were not used."""

    source: str
    loaded: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def __str__(self):
        lines = [f"{self.source}: {len(self.loaded)} weights loaded, {len(self.new)} new, {len(self.unused)} unused"]
        lines += [f"  new     {name}" for name in self.new]
        lines += [f"  unused  {name}" for name in self.unused]
        return "\n".join(lines)


def resolve_backbone(name: str | Path) -> str:
    """A folder or hub name for `name`; `"minilm"` is the checkpoint that comes as a package.

    Raises:
        FileNotFoundError: If `name` is a path, and there is no such folder.
    """
    source = str(minilm_folder()) if str(name) == "minilm" else str(name)
    looks_like_path = "\\" in source or source.startswith((".", "/", "~")) or source.count("/") > 1
    if looks_like_path and not Path(source).is_dir():
        raise FileNotFoundError(
            f"`{source}` is not a folder. Give a folder with config.json and model.safetensors or tf_model.h5, a hub name, "
            "or 'minilm'."
        )
    return source


def find_file(name: str | Path, filename: str) -> Path | None:
    """The path of one file of a checkpoint, in its folder or in the hub's local cache; `None` where it has none."""
    source = Path(resolve_backbone(name))
    if source.is_dir():
        return source / filename if (source / filename).is_file() else None
    try:
        return Path(cached_file(str(name), filename))
    except OSError as error:
        if "does not appear to have a file" in str(error):  # transformers' words for a model without this file
            return None
        raise _not_found(str(name), error) from error


def _not_found(source: str, error: OSError) -> FileNotFoundError:
    return FileNotFoundError(
        f"No BERT checkpoint was found under `{source}`: there is no such folder here, and the hub says: "
        f"{str(error).splitlines()[0]} Give a folder with config.json and model.safetensors or tf_model.h5, or the name "
        "'minilm', which needs no download."
    )


def lower_case_of(name: str | Path) -> bool:
    """Whether a checkpoint's tokenizer lower-cases; BERT's default is yes."""
    path = find_file(name, "tokenizer_config.json")
    return bool(json.loads(path.read_text("utf-8")).get("do_lower_case", True)) if path else True


def load_bert(name: str | Path) -> tuple[TFBertModel, LoadReport]:
    """Reads a `TFBertModel` from safetensors (PyTorch's or TensorFlow's) or from `tf_model.h5`, without PyTorch.

    Args:
        name: `"minilm"`, a folder, or a hub name.

    Returns:
        The model and a `LoadReport`.

    Raises:
        FileNotFoundError: If the checkpoint is not there.
        ValueError: If it is not a BERT, or a weight that a BERT must have was not loaded.
    """
    source = resolve_backbone(name)
    try:
        config = BertConfig.from_pretrained(source)
        if config.model_type != "bert":
            raise ValueError(
                f"The checkpoint must be a BERT (model_type 'bert'): received {config.model_type!r} from `{source}`. Choose a "
                "BERT checkpoint."
            )
        with _quiet_transformers():
            bert, info = TFBertModel.from_pretrained(source, config=config, output_loading_info=True)
    except OSError as error:
        raise _not_found(source, error) from error
    except TypeError as error:  # transformers means to raise InvalidArgumentError here, and cannot
        raise ValueError(
            f"The checkpoint's tensors must have the shapes that its config.json asks for: received `{source}`, where "
            f"{error.__context__} Give the config.json and the weights of one and the same model."
        ) from error
    missing = {_plain_name(key) for key in info["missing_keys"]}
    report = LoadReport(
        str(name), new=[f"bert/{key}" for key in sorted(missing)], unused=sorted(info["unexpected_keys"])
    )
    report.loaded = [weight.name for weight in bert.weights if _plain_name(weight.name) not in missing]
    lost = [key for key in report.new if not any(part in key for part in OPTIONAL_PARTS)]
    lost += [str(entry[0]) for entry in info.get("mismatched_keys", [])]
    if lost:
        raise ValueError(
            f"Every weight of the BERT must come from the checkpoint: {len(lost)} were not loaded from `{source}`, the first "
            f"are {lost[:5]}; the checkpoint's unused names begin with {report.unused[:5]}. Rename its tensors as "
            "TFBertModel or BertModel writes them."
        )
    return bert, report


def _plain_name(name: str) -> str:
    """`encoder.layer.0.output.dense.weight` for a variable's name or a checkpoint's key, whichever library wrote it."""
    if "/" in name:
        name, _ = convert_tf_weight_name_to_pt_weight_name(f"/{name}" if name.startswith("bert/") else name, "", ())
    return name.removeprefix("bert.")


@contextlib.contextmanager
def _quiet_transformers():
    # transformers prints the same facts in a form that frightens; the load report says them in one line.
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
