"""Files that PyTorch 2.13 and pickle wrote (`torch_files/make.py`), and files that want to do harm."""

import pickle
import shutil
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from keras_absa.models.restricted_pickle import RefusedPickle
from keras_absa.models.torch_checkpoint import read_torch_checkpoint

FILES = Path(__file__).parent / "torch_files"


@pytest.fixture(scope="module")
def expected():
    return dict(np.load(FILES / "expected.npz", allow_pickle=False))


def same_arrays(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape and found[name].dtype == array.dtype, name
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@pytest.mark.parametrize("name", ["zip.pt", "legacy.pt"])
def test_what_torch_saves(name, expected):
    values = read_torch_checkpoint(FILES / name)
    same_arrays(values.pop("model"), expected)
    assert values == {"epoch": 3, "names": ["a", "b"], "rate": 0.5, "done": None, "pair": (1, True)}


def test_safetensors(expected):
    found = read_torch_checkpoint(FILES / "plain.safetensors")
    same_arrays({name: found[name] for name in expected}, expected)


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickles_of_arrays(protocol):
    values = read_torch_checkpoint(FILES / f"data{protocol}.p")
    np.testing.assert_array_equal(values["seg[0]"], np.arange(6, dtype="float32").reshape(2, 3))
    np.testing.assert_array_equal(values["seg[1]"], np.arange(6.0).reshape(2, 3))
    assert values["big"].tolist() == [1, 2] and values["score"] == -0.5 and values["flag"] == np.True_
    assert values["words"] == ["good", "food"] and values["text"].tolist() == ["ab", "c"]


def test_a_module_is_refused():
    with pytest.raises(
        RefusedPickle, match="module.pt: refused, it names torch.nn.modules.linear.Linear, expected arrays"
    ):
        read_torch_checkpoint(FILES / "module.pt")


class Run:
    """Pickled, it calls a function when it is read."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def hostile(path):
    touch = (Path(path) / "ran").touch
    cyclic = []
    cyclic.append(cyclic)
    return {
        "a call": Run(open, str(Path(path) / "ran"), "w"),
        "a method": Run(touch),
        "eval": Run(eval, f"open({str(Path(path) / 'ran')!r}, 'w')"),
        "in a list": [1, {"a": Run(exec, "raise SystemExit")}],
        "an object array": np.array([Run(eval, "1")], dtype=object),
        "an object": Path("x"),
        "a class": dict,
        "a set": {1, 2},
        "in itself": cyclic,
    }


@pytest.mark.parametrize("kind", list(hostile(".")))
@pytest.mark.parametrize("inside", ["pickle", "zip", "legacy"])
def test_nothing_in_a_file_is_run(kind, inside, tmp_path):
    data = pickle.dumps(hostile(tmp_path)[kind], protocol=2)
    path = tmp_path / "file.pt"
    if inside == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("file/data.pkl", data)
    else:
        before = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}] if inside == "legacy" else []
        after = [[]] if inside == "legacy" else []
        dumps = (
            [pickle.dumps(value, protocol=2) for value in before],
            [pickle.dumps(value, protocol=2) for value in after],
        )
        path.write_bytes(b"".join([*dumps[0], data, *dumps[1]]))
    with pytest.raises(RefusedPickle, match="refused|no readable pickle"):
        read_torch_checkpoint(path)
    assert not (tmp_path / "ran").exists()


def test_many_references_are_read_once(tmp_path):
    value = ["x"]
    for _ in range(60):  # 2 ** 60 strings, if each were made anew
        value = [value, value]
    (tmp_path / "laughs.p").write_bytes(pickle.dumps(value))
    assert len(read_torch_checkpoint(tmp_path / "laughs.p")) == 2


def rewritten(path, old: bytes, new: bytes, source=FILES / "zip.pt"):
    """The zip file with other bytes in its pickle."""
    with zipfile.ZipFile(source) as source, zipfile.ZipFile(path, "w") as target:
        for member in source.infolist():
            data = source.read(member)
            if member.filename.endswith("data.pkl"):
                assert data.count(old) >= 1
                data = data.replace(old, new, 1)
            target.writestr(member.filename, data)
    return path


def test_tensors_that_do_not_fit_their_storage(tmp_path):
    size, stride = b"K\x03K\x04\x86q", b"K\x04K\x01\x86q"  # (3, 4) and (4, 1)
    for name, old, new in (
        ("too many rows", size, b"K\xffK\x04\x86q"),
        ("too wide a step", stride, b"K\xffK\x01\x86q"),
        ("one number many times", stride, b"K\x00K\x00\x86q"),
    ):
        path = rewritten(tmp_path / f"{name}.pt", old, new)
        if name == "one number many times":
            path = rewritten(path, size, b"K\xffK\xff\x86q", source=path.rename(tmp_path / "first.pt"))
        with pytest.raises(RefusedPickle, match="refused, an array that does not fit, size"):
            read_torch_checkpoint(path)


def test_damaged_files(tmp_path):
    for name in ("zip.pt", "legacy.pt", "data4.p", "plain.safetensors"):
        whole = (FILES / name).read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            (tmp_path / name).write_bytes(whole[:length])
            with pytest.raises(RefusedPickle, match=f"{name}: "):
                read_torch_checkpoint(tmp_path / name)
    legacy = (FILES / "legacy.pt").read_bytes()
    place = legacy.index(struct.pack("<q", 12))
    (tmp_path / "legacy.pt").write_bytes(legacy[:place] + struct.pack("<q", 2**60) + legacy[place + 8 :])
    with pytest.raises(RefusedPickle, match="is longer than the file"):
        read_torch_checkpoint(tmp_path / "legacy.pt")
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_torch_checkpoint(tmp_path / "absent.pt")


def test_an_archive_that_unpacks_to_more_than_it_is(tmp_path):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb/data.pkl", pickle.dumps({}))
        archive.writestr("bomb/data/0", b"\0" * 10_000_000)
    with pytest.raises(RefusedPickle, match="no archive of torch.save"):
        read_torch_checkpoint(path)


def test_random_changes_never_run_or_crash(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("zip.pt", "legacy.pt", "data5.p"):
        whole = np.frombuffer((FILES / name).read_bytes(), "uint8")
        for _ in range(150):
            changed = whole.copy()
            places = rng.integers(0, len(changed), 4)
            changed[places] = rng.integers(0, 256, 4)
            (tmp_path / name).write_bytes(changed.tobytes())
            try:
                read_torch_checkpoint(tmp_path / name)
            except RefusedPickle:
                pass
    shutil.rmtree(tmp_path)
