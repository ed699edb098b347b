"""The weights of the original TensorFlow 1 graph, from its checkpoint.

Shapes: V words, E width of a word vector, U units of one LSTM, A attention units, R hops, F hidden units, C labels.
"""

import re
from pathlib import Path

import numpy as np
import tensorflow as tf

# What an optimizer and a training loop add: Adam's slots, its powers, averages, and the step.
_NOT_WEIGHTS = re.compile(
    r"(^|/)(Adam(_\d+)?|beta[12]_power(_\d+)?|Momentum|Adagrad|RMSProp(_\d+)?|ExponentialMovingAverage|global_step)$"
)
_LSTM = {
    f"{way}_{part}": re.compile(rf"(^|/){way}/(.*/)?{part}$") for way in ("fw", "bw") for part in ("kernel", "bias")
}
# Names that the other weights usually have; they decide only between weights of the same shapes.
_HINTS = {
    "embedding": "embed|word",
    "w_s1": "s1",
    "w_s2": "s2",
    "hidden_kernel": "f1|fc1|hidden|dense/",
    "classifier_kernel": "f2|fc2|out|logit|dense_1/",
}
_OTHERS = (*_HINTS, "hidden_bias", "classifier_bias")
NAMES = (*_LSTM, *_OTHERS)


def read_tf1_checkpoint(
    path: str | Path, names: dict[str, str] | None = None
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Reads the weights of the original graph, whatever scopes they were made in.

    The LSTMs are found by their scopes (`fw/.../kernel`), everything else by its shape, which only the right weight has: of
    an LSTM kernel [E + U, 4 U] follow E and U, of them the embedding [V, E], W_s1 [A, 2 U], and so on. Where two weights
    could change places, usual names decide.

    Args:
        path: The checkpoint as TensorFlow 1's `Saver` names it (`model.ckpt-1000`), or a folder, of which the latest one is
            taken.
        names: Names in the checkpoint of weights that cannot be told apart, for example `{"w_s1": "attention/W"}`; the keys
            are those of `NAMES`. Defaults to None.

    Returns:
        (arrays, unused): a dict of `embedding` [V, E], `fw_kernel` and `bw_kernel` [E + U, 4 U] with the gates in TensorFlow
        1's order, `fw_bias` and `bw_bias` [4 U], `w_s1` [A, 2 U], `w_s2` [R, A], `hidden_kernel` [2 U R, F], `hidden_bias`
        [F], `classifier_kernel` [F, C] and `classifier_bias` [C]; and the names of all other weights.

    Raises:
        FileNotFoundError: If there is no such checkpoint.
        ValueError: If its weights are not those of the graph, or cannot be told apart.
    """
    reader = _open(Path(path))
    shapes = {name: tuple(shape) for name, shape in reader.get_variable_to_shape_map().items()}
    shapes = {name: shape for name, shape in shapes.items() if shape and not _NOT_WEIGHTS.search(name)}
    found = dict(names or {})
    unknown = sorted(set(found) - set(NAMES)) + sorted(set(found.values()) - set(shapes))
    if unknown:
        raise ValueError(
            f"`names` must lead from {list(NAMES)} to weights of the checkpoint: received {unknown}. It has:{_listed(shapes)}"
        )
    for part, pattern in _LSTM.items():
        candidates = [name for name in shapes if pattern.search(name)]
        if part not in found and len(candidates) != 1:
            raise ValueError(
                f"`{path}` must have one weight in a scope like fw/lstm_cell/{part[3:]} for {part}: received {candidates}. Name "
                f"it in `names`. It has:{_listed(shapes)}"
            )
        found.setdefault(part, *candidates)
    _check_lstm(path, shapes, found)
    found |= _by_shape(path, shapes, found)
    arrays = {part: reader.get_tensor(found[part]) for part in NAMES}
    for part, array in arrays.items():
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            what = "numbers that are not finite" if array.dtype.kind == "f" else str(array.dtype)
            raise ValueError(
                f"`{path}`: {found[part]!r} must hold finite floats: received {what}. Train it again, or name another."
            )
    return {part: array.astype("float32") for part, array in arrays.items()}, sorted(set(shapes) - set(found.values()))


def model_weights(arrays: dict[str, np.ndarray], forget_bias: float = 1.0) -> dict[str, np.ndarray]:
    """The arrays of `read_tf1_checkpoint` under the names of `WordModel.named_weights`."""
    values = {part.replace("_", "/"): arrays[part] for part in NAMES if part.startswith(("hidden", "classifier"))}
    values |= {"embedding": arrays["embedding"], "attention/w_s1": arrays["w_s1"], "attention/w_s2": arrays["w_s2"]}
    for way, short in (("forward", "fw"), ("backward", "bw")):
        cell = lstm_weights(arrays[f"{short}_kernel"], arrays[f"{short}_bias"], forget_bias)
        values |= {f"{way}/{part}": value for part, value in cell.items()}
    return values


def lstm_weights(kernel: np.ndarray, bias: np.ndarray, forget_bias: float = 1.0) -> dict[str, np.ndarray]:
    """Keras' three weights of an LSTM from TensorFlow 1's two.

    Args:
        kernel: [E + U, 4 U], the rows of the input above those of the state, the gates in the order input, candidate,
            forget, output.
        bias: [4 U].
        forget_bias: Float, what the TensorFlow 1 cell adds to the forget gate as it runs. Defaults to 1.

    Returns:
        `kernel` [E, 4 U], `recurrent_kernel` [U, 4 U] and `bias` [4 U], the gates in the order input, forget, candidate,
        output.

    Example:
        >>> lstm_weights(np.zeros((3, 4)), np.array([0.1, 0.2, 0.3, 0.4]))["bias"].tolist()
        [0.1, 1.3, 0.2, 0.4]
    """
    units = bias.size // 4

    def reordered(values):
        gate, candidate, forget, out = np.split(values, 4, axis=-1)
        return np.concatenate([gate, forget, candidate, out], axis=-1)

    shifted = reordered(bias).copy()
    shifted[units : 2 * units] += forget_bias
    kernel = reordered(kernel)
    return {"kernel": kernel[:-units], "recurrent_kernel": kernel[-units:], "bias": shifted}


def _open(path: Path):
    prefix = tf.train.latest_checkpoint(str(path)) if path.is_dir() else str(path)
    if prefix is None or not Path(f"{prefix}.index").is_file():
        raise FileNotFoundError(
            f"{path}: no TensorFlow checkpoint. Give its name without .index, .meta and .data, or its folder."
        )
    return tf.train.load_checkpoint(prefix)


def _check_lstm(path, shapes, found) -> None:
    """Both directions have a bias [4 U] and a kernel [E + U, 4 U] of the same E and U."""
    bias, kernel = (list(shapes[found[part]]) for part in ("fw_bias", "fw_kernel"))
    fits = (
        len(bias) == 1 and bias[0] % 4 == 0 and len(kernel) == 2 and kernel[1] == bias[0] and kernel[0] > bias[0] // 4
    )
    same = all(list(shapes[found[f"bw_{part}"]]) == each for part, each in (("bias", bias), ("kernel", kernel)))
    if not fits or not same:
        received = {part: list(shapes[found[part]]) for part in _LSTM}
        raise ValueError(
            f"`{path}` must have LSTM kernels [E + U, 4 U] and biases [4 U], alike in both directions: received {received}. Name "
            f"others in `names`. It has:{_listed(shapes)}"
        )


def _by_shape(path, shapes, found) -> dict[str, str]:
    """Part to name for all that is no LSTM: the one way in which the shapes fit each other."""
    width = shapes[found["fw_bias"]][0] // 4  # U
    size = shapes[found["fw_kernel"]][0] - width  # E
    lstm = [found[part] for part in _LSTM]
    free = {name: shape for name, shape in shapes.items() if name not in lstm}
    tables = {name: shape for name, shape in free.items() if len(shape) == 2}
    biases = {name: shape for name, shape in free.items() if len(shape) == 1}
    wanted = {part: name for part, name in found.items() if part not in _LSTM}
    fits = [
        way
        for embedding in _with(tables, columns=size)
        for w_s1 in _with(tables, columns=2 * width)
        for w_s2 in _with(tables, columns=free[w_s1][0])
        for hidden in _with(tables, rows=2 * width * free[w_s2][0])
        for classifier in _with(tables, rows=free[hidden][1])
        for hidden_bias in _with(biases, rows=free[hidden][1])
        for classifier_bias in _with(biases, rows=free[classifier][1])
        if len(set(way := (embedding, w_s1, w_s2, hidden, classifier, hidden_bias, classifier_bias))) == len(_OTHERS)
    ]
    fits = [dict(zip(_OTHERS, way, strict=True)) for way in fits]
    fits = [way for way in fits if all(way[part] == name for part, name in wanted.items())]
    hints = [sum(bool(re.search(hint, way[part], re.IGNORECASE)) for part, hint in _HINTS.items()) for way in fits]
    best = [way for way, score in zip(fits, hints, strict=True) if score == max(hints)]
    if len(best) != 1:
        what = "no weights that fit each other" if not fits else f"{len(best)} ways to take them"
        raise ValueError(
            f"`{path}` must hold an embedding [V, {size}], W_s1 [A, {2 * width}], W_s2 [R, A] and two dense layers, "
            f"[{2 * width} R, F] and [F, C]: received {what}. Name them in `names`. It has:{_listed(shapes)}"
        )
    return best[0]


def _with(weights, rows=None, columns=None):
    """The names of the weights with so many rows or columns."""
    place, size = (0, rows) if columns is None else (1, columns)
    return [name for name, shape in weights.items() if shape[place] == size]


def _listed(shapes) -> str:
    return "".join(f"\n  {name} {list(shape)}" for name, shape in sorted(shapes.items()))
