import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from keras_absa.data import AspectExample, neighbourhoods
from keras_absa.keras import keras
from keras_absa.models import BertPairClassifier
from keras_absa.models.load_model import load_model
from keras_absa.models.predictor import Predictor


def test_stdin_gives_a_row_for_each_text_and_aspect_in_order(keras_absa, model_folder):
    texts = [f"the soup {number} was {'very ' * (number % 5)}good" for number in range(300)]  # more than one chunk
    texts[7:7] = ["one\u2028line\x85only", 'caf\u00e9 "bad"']
    data = "\r\n".join(texts).encode("utf-8-sig")
    result = keras_absa("predict", model_folder, input=data)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["text"], row["aspect"]) for row in rows] == [(text, a) for text in texts for a in ("food", "service")]
    for row in rows:
        assert list(row) == ["line", "text", "target", "aspect", "label", "probabilities"] and row["target"] is None
        assert list(row["probabilities"]) == ["bad", "good", "none"]
        assert sum(row["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert row["label"] == max(row["probabilities"], key=row["probabilities"].get)
    answers = load_model(model_folder).predict_aspects(texts[:12])
    for row, answer in zip(rows, [each for of_text in answers for each in of_text], strict=False):
        assert row["probabilities"] == pytest.approx(answer.probabilities, abs=1e-5)


def test_csv_in_and_csv_out_with_bad_lines(keras_absa, model_folder, tmp_path):
    path, output = tmp_path / "reviews.csv", tmp_path / "answers.csv"
    path.write_text('aspect,Text\nfood,"two\nlines, ""quoted"""\nfood,one,too many\nbill,x\n,the bill\n', "utf-8")
    result = keras_absa("predict", model_folder, path, "--format", "csv", "--output", output, code=1)
    header, *rows = csv.reader(io.StringIO(output.read_text("utf-8"), newline=""))
    assert header == ["line", "text", "target", "aspect", "label", "p_bad", "p_good", "p_none"]
    assert [row[:4] for row in rows] == [
        ["2", 'two\nlines, "quoted"', "", "food"],
        ["6", "the bill", "", "food"],
        ["6", "the bill", "", "service"],
    ]
    assert all(sum(map(float, row[5:])) == pytest.approx(1, abs=1e-5) for row in rows)
    assert f"{path}:4: received 3 columns, expected 2" in result.stderr
    assert f"{path}:5: unknown aspect: received 'bill', expected one of food, service" in result.stderr
    assert "2 of 4 records could not be used" in result.stderr and result.stdout == ""


def test_targets_and_binary_schemes_are_answered_as_the_model_does(backbone):
    keras.utils.set_random_seed(0)
    model = BertPairClassifier.from_pretrained(backbone, task=neighbourhoods(), scheme="nli_b", max_length=64)
    for weight in model.weights:  # an untrained model answers every row alike
        if weight.shape.rank > 1:
            weight.assign(20 * weight)
    rows = [
        AspectExample(f"Soho is {'very ' * n}cheap, Camden not", aspect, target=target, other_target="Camden" * (n % 2))
        for n in (12, 0, 30, 3, 1)
        for aspect, target in (("price", "soho"), ("safety", "Soho"))
    ]
    stream = Predictor(model, batch_size=5)
    np.testing.assert_allclose(stream.probabilities(rows), model.predict(rows), atol=1e-4)
    assert np.ptp(stream.probabilities(rows), axis=0).min() > 1e-2, (
        "the rows must differ for this test to mean anything"
    )
    assert 0 < stream.cut_rows < 2 * 3 * len(rows) and stream.cut_pieces > stream.cut_rows


def test_usage_errors(keras_absa, model_folder, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("good\n")
    assert "no such file" in keras_absa("predict", model_folder, tmp_path / "no.txt", code=2).stderr
    assert "must not be the file" in keras_absa("predict", model_folder, path, "--output", path, code=2).stderr
    assert "has none" in keras_absa("predict", model_folder, "--targets", "Soho", input="x", code=2).stderr
    assert path.read_text() == "good\n"
    wrong = keras_absa("predict", model_folder, "--input-format", "csv", input="aspect,review\n", code=2).stderr
    assert "stdin:" in wrong and "one of them `text`" in wrong


def test_a_pipe_that_closes_early_is_no_error(model_folder):
    command = [sys.executable, "-m", "keras_absa", "predict", str(model_folder)]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipe, env={**os.environ, "PYTHONIOENCODING": "ascii"}) as process:
        process.stdout.close()
        process.stdin.write("caf\u00e9 good\n".encode() * 600)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_an_output_is_kept_until_there_are_answers_for_it(keras_absa, model_folder, tmp_path):
    output, bad = tmp_path / "out.jsonl", tmp_path / "bad.csv"
    output.write_text("old answers")
    bad.write_text("review\nthe soup\n")
    assert "Add --overwrite" in keras_absa("predict", model_folder, bad, "--output", output, code=2).stderr
    arguments = ("predict", model_folder, "--output", output, "--overwrite")
    keras_absa(*arguments, bad, code=2)
    keras_absa(*arguments, "--window", 5000, input=b"the soup\n", code=2)
    assert output.read_text() == "old answers"
    keras_absa(*arguments, input=b"\n")
    assert output.read_text() == ""


def test_odd_lines_and_files(keras_absa, model_folder, tmp_path):
    answers = keras_absa("predict", model_folder, "--format", "csv", input=b"one\rtwo\nthe \x00 soup\n", code=1)
    _, *rows = csv.reader(io.StringIO(answers.stdout, newline=""))
    assert [(len(row), row[1]) for row in rows] == [(8, "one\rtwo")] * 2
    assert "stdin:2: text holds the control character U+0000" in answers.stderr
    (tmp_path / "hotel.xml").write_text("<sentences/>\n")
    refused = keras_absa("predict", model_folder, tmp_path / "hotel.xml", code=2)
    assert "keras-absa data convert" in refused.stderr
    refused = keras_absa("predict", model_folder, "--targets", "Ely", "--targets", "ely", code=2, input=b"x")
    assert "`--targets` must be different names" in refused.stderr


def test_questions_of_the_wrong_type(model_folder):
    predictor = Predictor(load_model(model_folder))
    with pytest.raises(ValueError, match="`texts` must be a list of strings: received None"):
        predictor(None)
