"""Segments, their tasks and their file: what is missing or broken is counted or named."""

import numpy as np
import pytest

from keras_absa.data import (
    DataError,
    JointTask,
    Segments,
    cross_modal,
    cross_modal_segments,
    meld_sentiment,
    mosei_emotion,
    mosei_score,
    mosei_sentiment,
    read_segments,
    write_segments,
)


def segments(**kwargs):
    frames = [np.ones([3, 2]), np.array([[np.nan, 1.0], [np.inf, -np.inf]]), None]
    own = {"texts": ["so good", "", "no"], "features": {"audio": frames}, "targets": {"sentiment": [1.0, 0.0, -2.5]}}
    return Segments(["v[0]", "v[1]", "w[0]"], **{**own, **kwargs})


def test_what_is_missing_or_broken_is_counted():
    found = segments()
    assert found.counts == {"text_empty": 1, "audio_missing": 1, "audio_not_finite": 3}
    assert found.features["audio"][1].tolist() == [[0.0, 1.0], [0.0, 0.0]] and found.features["audio"][2].shape == (
        0,
        2,
    )
    assert "audio 0 to 3 frames of 2, 1 text empty, 1 audio missing, 3 audio not finite" in found.summary()
    part = found.take([2, 0])
    assert (
        part.ids == ["w[0]", "v[0]"]
        and part.texts == ["no", "so good"]
        and part.targets["sentiment"].tolist() == [-2.5, 1.0]
    )
    wave = Segments(["a"], features={"audio": [np.zeros(5)]})
    assert wave.widths == {"audio": None} and len(wave) == 1


def test_one_modality_is_dealt_out_anew():
    found = cross_modal_segments("dev", size=40)
    mixed = found.shuffled("audio", seed=1)
    assert mixed.texts == found.texts and mixed.ids == found.ids
    assert sorted(map(np.sum, mixed.features["audio"])) == sorted(map(np.sum, found.features["audio"]))
    assert any(a.shape != b.shape or (a != b).any() for a, b in zip(mixed.features["audio"], found.features["audio"]))
    assert found.shuffled("text").texts != found.texts
    with pytest.raises(ValueError, match="`modality` must be one of"):
        found.shuffled("video")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"texts": ["a", "b"]}, "an entry for each of 3 segments: received 2"),
        ({"texts": ["a", None, "b"]}, r"Segment 'v\[1\]': its text must be a string: received None"),
        (
            {"features": {"audio": [np.ones([2, 2]), np.ones([2, 3]), None]}},
            r"Segment 'v\[1\]': its audio must have frames",
        ),
        ({"features": {"audio": [np.ones([2, 2]), np.ones([4]), None]}}, "received a waveform"),
        ({"features": {"audio": [["a"], None, None]}}, "must be numbers"),
        (
            {"features": {"audio": [np.ones([2, 0]), None, None]}},
            r"must be numbers.*received float64 of shape \(2, 0\)",
        ),
        ({"features": {"audio": [None, None, None]}}, "received none at all"),
        ({"features": {"text": [None] * 3}}, "A modality must have a name"),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        segments(**arguments)


def test_ids_are_different():
    with pytest.raises(ValueError, match=r"received 'v\[0\]' twice"):
        Segments(["v[0]", "v[0]"])


def test_tasks_encode_their_targets():
    found = segments(
        targets={"sentiment": [1.0, 0.0, -2.5], "emotion": [[0.3, 0], [0, 0], [0, 2]]},
        names={"emotion": ["sad", "happy"]},
    )
    assert mosei_sentiment(7).encode(found).tolist() == [4, 3, 0] and mosei_sentiment(2).encode(found).tolist() == [
        1,
        1,
        0,
    ]
    assert mosei_score().encode(found).tolist() == [1.0, 0.0, -2.5]
    # Columns are found by name, whatever their order.
    assert JointTask("two", "emotion", "labels", ("happy", "sad")).encode(found).tolist() == [[0, 1], [0, 0], [1, 0]]
    names = segments(targets={"sentiment": ["positive", "neutral", "negative"]})
    assert meld_sentiment().encode(names).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    "task, values, message",
    [
        (
            mosei_score(),
            [1.0, 4.0, 0.0],
            r"Segment 'v\[1\]': the target 'sentiment' must be a score from -3 to 3: received 4.0",
        ),
        (mosei_score(), [1.0, np.nan, np.nan], "received nan, and 2 such segments in all"),
        (mosei_sentiment(), ["a", "b", "c"], "must hold a number for each segment"),
        (meld_sentiment(), [1, 2, 0], "must hold a name for each segment"),
        (
            meld_sentiment(),
            ["neutral", "", "happy"],
            r"must be one of \['neutral', 'positive', 'negative'\]: received none",
        ),
        (mosei_emotion(), [1.0, 2.0, 0.0], "must have the target 'emotion' of task 'mosei_emotion': received"),
    ],
)
def test_labels_that_cannot_be_used_are_named(task, values, message):
    with pytest.raises(ValueError, match=message):
        task.encode(segments(targets={"sentiment": np.array(values)}))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"kind": "other"}, "`kind` must be one of"),
        ({"labels": ("a",)}, "at least 2 labels: received 1"),
        ({"labels": ("a", "a")}, "different strings"),
        ({"kind": "score"}, "must have no labels"),
        ({"from_scores": True, "labels": ("a", "b", "c")}, "`from_scores` goes with"),
    ],
)
def test_tasks_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        JointTask(**{"name": "own", "target": "own", "kind": "classes", "labels": ("a", "b"), **arguments})


def test_tasks_as_json():
    for task in (mosei_emotion(), mosei_sentiment(2), mosei_score(), cross_modal()):
        assert JointTask.from_dict(task.to_dict()) == task
    for wrong in ({"name": "a"}, {"name": "a", "target": "b", "kind": "classes", "more": 1}, []):
        with pytest.raises(ValueError, match="must have the keys"):
            JointTask.from_dict(wrong)
    with pytest.raises(ValueError, match="`labels` must be a list"):
        JointTask.from_dict({"name": "a", "target": "b", "kind": "classes", "labels": "ab"})


def test_the_file_gives_back_what_was_written(tmp_path):
    targets = {"sentiment": np.array([1.0, 0.0, -2.5]), "emotion": np.array([[0.3, 0], [0, 0], [0, 2]])}
    found = segments(targets=targets, names={"emotion": ["sad", "happy"]}, contexts=[0, 1, 0])
    found.features["speech"] = [np.arange(4, dtype="float32"), np.zeros(0, "float32"), np.ones(2, "float32")]
    write_segments(found, tmp_path / "dev.npz")
    again = read_segments(tmp_path / "dev.npz", split="dev")
    assert again.split == "dev" and (again.ids, again.texts, again.names) == (found.ids, found.texts, found.names)
    for name, arrays in found.features.items():
        assert all((a == b).all() and a.shape == b.shape for a, b in zip(arrays, again.features[name], strict=True))
    assert all((again.targets[name] == each).all() for name, each in targets.items())
    assert again.contexts.tolist() == [0, 1, 0]


def test_padded_arrays_and_tokens(tmp_path):
    audio = np.zeros([3, 4, 2])
    audio[0, :2], audio[1, 1] = 1.0, np.nan
    tokens = [[2, 1, 0], [0, 0, 0], [1, 0, 0]]
    np.savez(tmp_path / "a.npz", segment_id=["a", "b", "c"], tokens=tokens, vocabulary=["", "x", "y"], audio=audio)
    found = read_segments(tmp_path / "a.npz")
    assert found.texts == ["y x", "", "x"] and [len(each) for each in found.features["audio"]] == [2, 2, 0]
    assert found.counts == {"text_empty": 1, "audio_missing": 1, "audio_not_finite": 2}


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({"audio": np.ones([1, 2, 2])}, "no `segment_id`"),
        ({"segment_id": ["a"], "audio": np.ones([2, 2, 2])}, "`audio` must have 1 segments: received 2"),
        ({"segment_id": ["a"], "audio": np.ones([3, 2]), "audio_length": [2]}, "a sum of 2"),
        ({"segment_id": ["a"], "audio": np.ones([3, 2]), "audio_length": [-3]}, "must be 1 numbers of frames"),
        ({"segment_id": ["a"], "tokens": [[5]], "vocabulary": ["", "x"]}, "places in the vocabulary of 2 words"),
        ({"segment_id": ["a"], "tokens": [[1]]}, "need the words in `vocabulary`"),
        ({"segment_id": ["a"], "text": [1]}, "`text` must be strings"),
        ({"segment_id": ["a"], "modalities": ["video"]}, "`video` stands in `modalities`"),
        ({"segment_id": ["a", "a"], "text": ["x", "y"]}, "received 'a' twice"),
        ({"segment_id": ["a"], "audio": np.array([[{}]], object)}, "`audio` holds Python objects"),
    ],
)
def test_files_that_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(DataError, match=message) as error:
        read_segments(tmp_path / "bad.npz")
    assert str(tmp_path / "bad.npz") in str(error.value)


def test_files_that_are_no_npz(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.save(tmp_path / "one.npy", np.ones(3))
    for name, message in (("text.npz", "no readable .npz"), ("one.npy", "a single array")):
        with pytest.raises(DataError, match=message):
            read_segments(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_segments(tmp_path / "none.npz")


def test_built_in_segments_hide_the_label_from_each_modality():
    found = cross_modal_segments("train", size=400, seed=3)
    positive = found.targets["sentiment"] == "positive"
    praise = np.array(
        [
            any(word in text for word in ("delight", "worth", "needed", "well prepared", "success"))
            for text in found.texts
        ]
    )
    ironic = np.array([each[:, 5:7].sum() > each[:, 1:3].sum() for each in found.features["audio"]])
    assert (positive == (praise != ironic)).mean() > 0.99  # the rule, read off both
    for alone in (praise, ironic):
        assert abs((positive == alone).mean() - 0.5) < 0.01
    again = cross_modal_segments("train", size=400, seed=3)
    assert again.texts == found.texts and cross_modal_segments("dev", size=4).ids == [
        "dev[0]",
        "dev[1]",
        "dev[2]",
        "dev[3]",
    ]
    with pytest.raises(ValueError, match="`size` must be a positive"):
        cross_modal_segments(size=0)
