"""Own tables, MELD's CSV, the public pickles of TBJE and the CMU SDK's files."""

import pickle

import h5py
import numpy as np
import pytest

from keras_absa.data import (
    DataError,
    JointTask,
    LoadReport,
    meld_emotion,
    mosei_emotion,
    mosei_score,
    read_csd,
    read_meld,
    read_segment_table,
    read_tbje_pickles,
)
from keras_absa.models.restricted_pickle import RefusedPickle

MOOD = JointTask("mood", "mood", "classes", ("calm", "tense"))


@pytest.fixture
def table(tmp_path):
    def write(text, name="clips.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_table_and_its_arrays(table, tmp_path):
    path = table('id,text,mood\n1,"so nice, so quiet",calm\n2,go away,tense\n3,hm,calm\n')
    folder = tmp_path / "mels"
    folder.mkdir()
    np.save(folder / "1.npy", np.ones([4, 2]))
    np.save(folder / "3.npy", np.ones([1, 2]))
    np.savez(tmp_path / "faces.npz", **{"2": np.ones([2, 5])})
    found = read_segment_table(path, MOOD, {"audio": folder, "video": tmp_path / "faces.npz"}, split="dev")
    assert found.ids == ["1", "2", "3"] and found.texts[0] == "so nice, so quiet" and found.split == "dev"
    assert MOOD.encode(found).tolist() == [0, 1, 0] and found.counts == {"audio_missing": 1, "video_missing": 2}


def test_scores_labels_and_other_formats(table):
    lines = '{"id": "a", "text": "x", "sentiment": -1.5}\n{"id": "b", "text": "y", "sentiment": 3}\n'
    found = read_segment_table(table(lines, "scores.jsonl"), mosei_score())
    assert mosei_score().encode(found).tolist() == [-1.5, 3.0]
    two = JointTask("two", "emotion", "labels", ("happy", "sad"))
    found = read_segment_table(table("id\tsad\thappy\na\t0\t1.3\n", "labels.tsv"), two, text_column=None)
    assert two.encode(found).tolist() == [[1.0, 0.0]] and found.texts is None
    found = read_segment_table(table("id,text\na,x\n"), MOOD, labelled=False)
    assert found.targets == {}


@pytest.mark.parametrize(
    "text, line, message",
    [
        ("id,text,mood\n1,x,calm\n1,y,tense\n", 3, "id '1', as in line 2: expected an id of its own"),
        ("id,text,mood\n1,x,happy\n", 2, r"mood 'happy': expected one of \['calm', 'tense'\]"),
        ("id,text,mood\n1,x\n", 2, "2 values, expected 3"),
        ("id,text\n1,x\n", 1, "a header with different names, id, text, mood among them"),
        ('id,text,mood\n1,"x"y,calm\n', 2, "no readable table"),
        ("id,text,mood\n ,x,calm\n", 2, "id '': expected an id of its own"),
    ],
)
def test_bad_rows_are_named(table, text, line, message):
    path = table(text)
    with pytest.raises(DataError, match=message) as error:
        read_segment_table(path, MOOD)
    assert str(error.value).startswith(f"{path}:{line}:")


def test_bad_rows_can_be_skipped_and_are_counted(table):
    report = LoadReport()
    path = table("id,text,mood\n1,x,happy\n2,y,calm\n3,z\n")
    found = read_segment_table(path, MOOD, on_error="skip", report=report)
    assert found.ids == ["2"] and report.counts == {"unknown_label": 1, "bad_record": 1} and report.rows == 1
    with pytest.raises(DataError, match="(?s)happy.*expected 3"):  # all at once
        read_segment_table(path, MOOD)
    for value in ("4", "nan", "x", ""):
        with pytest.raises(DataError, match="expected a number from -3 to 3"):
            read_segment_table(table(f"id,text,sentiment\n1,x,{value}\n"), mosei_score())


def test_arrays_that_are_refused(table, tmp_path):
    path = table("id,text,mood\n../../etc,x,calm\n")
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        read_segment_table(path, MOOD, {"audio": tmp_path / "none"})
    with pytest.raises(DataError, match="none of the 1 segment ids is there, such as '../../etc'"):
        read_segment_table(path, MOOD, {"audio": tmp_path})
    np.save(tmp_path / "1.npy", np.array([{}], object))
    with pytest.raises(DataError, match="no readable array of numbers"):
        read_segment_table(table("id,text,mood\n1,x,calm\n"), MOOD, {"audio": tmp_path})


def test_meld(table):
    head = "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season\n"
    path = table(head + '1,"Oh, no!",Ann,surprise,negative,0,3,1\n2,Fine.,Bo,Neutral,neutral,10,0,1\n')
    found = read_meld(path, {"audio": {"dia0_utt3": np.ones([2, 3])}})
    assert found.ids == ["dia0_utt3", "dia10_utt0"] and found.texts == ["Oh, no!", "Fine."]
    assert meld_emotion().encode(found).tolist() == [1, 0] and found.counts == {"audio_missing": 1}
    with pytest.raises(DataError, match=":3: dialogue '0' and utterance '3': expected two numbers, once a file"):
        read_meld(table(head + "1,a,A,joy,positive,0,3,1\n2,b,B,joy,positive,0,3,1\n"))
    with pytest.raises(DataError, match=":2: no Emotion or Sentiment"):
        read_meld(table(head + "1,a,A,,positive,0,3,1\n"))


@pytest.fixture
def pickles(tmp_path):
    def write(split="valid", **files):
        for name, values in files.items():
            (tmp_path / f"{split}_{name}.p").write_bytes(pickle.dumps(values, protocol=4))
        return tmp_path

    return write


def test_public_pickles(pickles):
    sentences = {"v[0]": ["so", "good"], "v[1]": []}
    mels = {"v[0]": np.ones([5, 80], "float32")}
    emotion = {"v[0]": np.array([0.3, 0, 0, 0, 0, 0], "float32"), "v[1]": np.zeros(6, "float32")}
    folder = pickles(sentences=sentences, mels=mels, sentiment={"v[0]": np.float64(-1.5), "v[1]": 0.0}, emotion=emotion)
    found = read_tbje_pickles(folder, "dev")
    assert (
        found.texts == ["so good", ""]
        and found.split == "dev"
        and found.counts == {"text_empty": 1, "audio_missing": 1}
    )
    assert mosei_score().encode(found).tolist() == [-1.5, 0.0]
    assert mosei_emotion().encode(found).tolist() == [[1, 0, 0, 0, 0, 0], [0] * 6]


def test_public_pickles_of_meld(pickles):
    folder = pickles(
        "test", sentences={"dia0_utt0": ["hi"]}, emotion={"dia0_utt0": 4}, sentiment={"dia0_utt0": np.int64(1)}
    )
    found = read_tbje_pickles(folder, "test")
    assert found.targets["emotion"].tolist() == ["joy"] and found.targets["sentiment"].tolist() == ["positive"]


def test_public_pickles_that_are_refused(pickles, tmp_path):
    with pytest.raises(ValueError, match="`split` must be one of"):
        read_tbje_pickles(tmp_path, "validation")
    folder = pickles(sentences={"v[0]": "so good"})
    with pytest.raises(DataError, match=r"segment 'v\[0\]': expected a list of words"):
        read_tbje_pickles(folder, "valid")
    folder = pickles(sentences={"v[0]": ["a"]}, sentiment={})
    with pytest.raises(DataError, match=r"no label for 1 segments, such as 'v\[0\]'"):
        read_tbje_pickles(folder, "valid")
    folder = pickles(sentiment={"v[0]": 9})
    with pytest.raises(DataError, match="class 9, expected numbers below 3"):
        read_tbje_pickles(folder, "valid")
    (tmp_path / "valid_sentences.p").write_bytes(b"cos\nsystem\n(S'touch hacked'\ntR.")
    with pytest.raises(RefusedPickle, match="it names os.system"):
        read_tbje_pickles(tmp_path, "valid")


@pytest.fixture
def csd(tmp_path):
    def write(name, videos, root="sequence"):
        with h5py.File(tmp_path / f"{name}.csd", "w") as file:
            for video, (features, intervals) in videos.items():
                file[f"{root}/data/{video}/features"] = features
                file[f"{root}/data/{video}/intervals"] = np.array(intervals, "float64")
            file[f"{root}/metadata/root name"] = root
        return tmp_path / f"{name}.csd"

    return write


def test_computational_sequences(csd):
    labels = csd(
        "labels",
        {"v": ([[1.5, 1, 0, 0, 0, 0, 0], [-2, 0, 0, 0, 0, 0, 3]], [[0, 2], [2, 4]]), "w": (np.zeros([1, 7]), [[0, 1]])},
    )
    # A frame belongs where its middle is; the third one's, 2.0, is the second segment's, and time decides the order.
    audio = csd("audio", {"v": ([[3.0], [1.0], [2.0]], [[1.9, 2.1], [0.0, 0.5], [0.5, 1.5]])})
    words = csd("words", {"v": (np.array([[b"good"], [b"so"], [b"sp"]]), [[1, 1.5], [0, 0.5], [0.5, 1]])})
    found = read_csd(labels, {"audio": audio}, words)
    assert found.ids == ["v[0]", "v[1]", "w[0]"] and found.texts == ["so good", "", ""]
    assert [each.reshape(-1).tolist() for each in found.features["audio"]] == [[1.0, 2.0], [3.0], []]
    assert found.counts == {"text_empty": 2, "audio_missing": 1}
    assert mosei_emotion().encode(found)[:2].tolist() == [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    assert read_csd(labels, videos=["w"], split="test").ids == ["w[0]"]


def test_frames_become_means_of_the_finite_ones(csd):
    labels = csd("labels", {"v": (np.zeros([1, 7]), [[1, 3]])})
    values, starts = [[1.0, np.nan], [3.0, np.inf], [5.0, 6.0], [7.0, 8.0]], [1.0, 1.2, 1.5, 2.6]
    audio = csd("audio", {"v": (values, [[start, start + 0.1] for start in starts])})
    found = read_csd(labels, {"audio": audio}, frame_seconds={"audio": 0.5})
    assert found.features["audio"][0].tolist() == [
        [2.0, 0.0],
        [5.0, 6.0],
        [7.0, 8.0],
    ]  # from 1.0, 1.5 and 2.5; none from 2.0
    assert found.counts == {"audio_not_finite": 1}


def test_sequences_that_are_refused(csd, tmp_path):
    labels = csd("labels", {"v": (np.zeros([1, 3]), [[0, 1]])})
    with pytest.raises(DataError, match="video 'v': expected 7 labels a segment"):
        read_csd(labels)
    labels = csd("labels2", {"v": (np.zeros([2, 7]), [[0, 1]])})
    with pytest.raises(DataError, match="video 'v': expected a start and an end for each of 2 frames"):
        read_csd(labels)
    labels = csd("labels3", {"v": (np.zeros([1, 7]), [[0, 1]])})
    with pytest.raises(DataError, match="no segment of the videos"):
        read_csd(labels, videos=["x"])
    (tmp_path / "text.csd").write_text("hello")
    with pytest.raises(DataError, match="no readable HDF5 file"):
        read_csd(labels, {"audio": tmp_path / "text.csd"})
    with h5py.File(tmp_path / "other.csd", "w") as file:
        file["numbers"] = [1, 2]
    with pytest.raises(DataError, match=r"one computational sequence with its `data`: received \['numbers'\]"):
        read_csd(tmp_path / "other.csd")
    with pytest.raises(FileNotFoundError):
        read_csd(labels, words=tmp_path / "none.csd")
