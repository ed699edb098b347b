"""The BiLSTM with structured self-attention: against both reference files, and from strings to an export."""

import numpy as np
import pytest
import tensorflow as tf

from keras_absa.data import AspectDataset, AspectExample, AspectTask, WordVectors, aspect_terms
from keras_absa.keras import keras
from keras_absa.layers import StructuredSelfAttention
from keras_absa.models import Predictor, SelfAttentiveClassifier, load_model
from keras_absa.serving import export
from keras_absa.text import WordTokenizer
from tests.models.tiny import ROWS, tiny_task


def tiny(examples=ROWS, **kwargs):
    keras.utils.set_random_seed(0)
    attention = kwargs.pop("attention", StructuredSelfAttention(2, 4, penalty_coef=0.1))
    sizes = {"embedding_size": 6, "lstm_units": 5, "hidden_units": 8, "max_length": 16}
    return SelfAttentiveClassifier.from_examples(examples, tiny_task(), attention=attention, **{**sizes, **kwargs})


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore:The reference variant")
@pytest.mark.parametrize(("name", "prefix"), [("paper", "masked."), ("reference", "out.")])
def test_golden(golden_dir, name, prefix):
    arrays = np.load(golden_dir / f"self_attentive_{name}.npz", allow_pickle=False)
    words, labels = len(arrays["embedding"]), arrays["fc2.bias"].size
    task = AspectTask("golden", aspects=("all",), labels=tuple(f"label {n}" for n in range(labels)))
    model = SelfAttentiveClassifier(
        task,
        WordTokenizer(["[PAD]", "[UNK]", *(f"w{n}" for n in range(2, words))]),
        attention=StructuredSelfAttention(*arrays["W_s2"].shape, name, penalty_coef=float(arrays["penalty_coef"])),
        embedding_size=arrays["embedding"].shape[1],
        lstm_units=int(arrays["u"]),
        hidden_units=arrays["fc1.bias"].size,
        dropout=0.0,
    )
    ways = {"forward": "lstm_fw", "backward": "lstm_bw"}
    parts = ("kernel", "recurrent_kernel", "bias")
    sources = {f"{way}/{part}": f"{source}.{part}" for way, source in ways.items() for part in parts} | {
        "embedding": "embedding",
        "attention/w_s1": "W_s1",
        "attention/w_s2": "W_s2",
        "hidden/kernel": "fc1.kernel",
        "hidden/bias": "fc1.bias",
        "classifier/kernel": "fc2.kernel",
        "classifier/bias": "fc2.bias",
    }
    named = model.named_weights()
    assert set(named) == set(sources) and len(named) == len(model.weights)
    for weight, source in sources.items():
        named[weight].assign(arrays[source].reshape(named[weight].shape))
    mask = arrays["mask"] if "mask" in arrays else np.ones_like(arrays["X"])
    ids = {"input_ids": arrays["X"], "attention_mask": mask.astype("int32"), "context_ids": 0 * arrays["y"]}
    logits, annotation = model({key: tf.constant(value) for key, value in ids.items()}, return_attention=True)
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(arrays["y"], logits)
    np.testing.assert_allclose(annotation, arrays[f"{prefix}A"], atol=1e-5)
    np.testing.assert_allclose(logits, arrays[f"{prefix}logits"], atol=1e-5)
    np.testing.assert_allclose(tf.reduce_mean(surprise) + tf.add_n(model.losses), arrays[f"{prefix}loss"][0], atol=1e-5)


@pytest.fixture(scope="module")
def trained():
    model = tiny(dropout=0.0)
    model.compile(learning_rate=2e-2)
    history = model.fit(
        AspectDataset(ROWS, tiny_task(), batch_size=12, sampler="shuffle"), epochs=60, verbose=0
    ).history
    return model, history


def test_it_learns_its_rows(trained):
    model, history = trained
    assert history["loss"][-1] < 0.2 * history["loss"][0] and history["penalty"][-1] < history["penalty"][0]
    assert model.evaluate(ROWS)["accuracy"] == 1.0


def test_strings_in_and_answers_out(trained):
    model, _ = trained
    expected = model.predict(ROWS)
    np.testing.assert_allclose(Predictor(model).probabilities(ROWS), expected, atol=1e-6)
    assert model.predict([]).shape == (0, len(model.task.labels))
    (answers,) = model.predict_aspects([ROWS[0].text])
    assert [answer.aspect for answer in answers] == ["food", "service"]
    long = [AspectExample("the place was good and " + "the " * 40 + "staff", "food")]
    with pytest.warns(UserWarning, match="1 of 1 rows were cut at 16 tokens; 30 word pieces"):
        model.predict(long)
    assert model.predict(long, window=8).shape == (1, 3)
    np.testing.assert_array_equal(model.predict([AspectExample("", "food")]).shape, (1, 3))
    model.calibrate(ROWS)
    assert model.temperature != 1.0
    model.temperature = 1.0


def test_saved_loaded_and_exported(trained, tmp_path):
    model, _ = trained
    expected = model.predict(ROWS)
    model.save_pretrained(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is SelfAttentiveClassifier and not again.load_report.unused
    np.testing.assert_array_equal(again.predict(ROWS), expected)

    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras").predict(ROWS), expected)

    pair = tf.saved_model.load(str(export(again, tmp_path / "export"))).signatures["pair"]
    texts, aspects = [row.text for row in ROWS], [row.aspect for row in ROWS]
    answers = pair(text=tf.constant([*texts, ""]), aspect=tf.constant([*aspects, "food"]))
    np.testing.assert_allclose(answers["probabilities"][:-1], expected, atol=1e-5)
    assert answers["error"].numpy().tolist() == [b""] * len(ROWS) + [b"empty text; send some words"]
    weights = sum(int(np.prod(weight.shape)) for weight in again.weights)
    data = sum(path.stat().st_size for path in (tmp_path / "export" / "1" / "variables").glob("*.data*"))
    assert data < 1.05 * 4 * weights + 2000


def test_word_vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("soup 1 2 3\ngood 4 5 6\nelsewhere 7 8 9\n")
    rows = [AspectExample("good soup here", "food", "good")]
    model = SelfAttentiveClassifier.from_examples(rows, tiny_task(), word_vectors=path, lstm_units=2)
    assert model.embedding_size == 3 and model.embedding.trainable
    table = dict(zip(model.tokenizer.vocabulary, model.embedding.get_weights()[0].tolist(), strict=True))
    assert table["good"] == [4, 5, 6] and table["soup"] == [1, 2, 3] and "elsewhere" not in table
    with pytest.raises(ValueError, match="`embedding_size` must be that of the word vectors, 3: received 4"):
        SelfAttentiveClassifier.from_examples(rows, tiny_task(), word_vectors=path, embedding_size=4)
    with pytest.raises(ValueError, match="must hold words of the examples: received none"):
        SelfAttentiveClassifier.from_examples(
            rows, tiny_task(), word_vectors=WordVectors((), np.zeros((0, 2), "float32"))
        )


def test_padding_and_neighbours_do_not_matter():
    model = tiny(attention=StructuredSelfAttention(2, 4))
    rows = [*ROWS[:3], AspectExample("the " * 15, "food")]
    np.testing.assert_allclose(model.predict(rows)[:3], model.predict(ROWS[:3]), atol=1e-6)


def test_a_refused_model(tmp_path):
    with pytest.raises(ValueError, match="must give one vector a text: received pooling='none'"):
        tiny(attention=StructuredSelfAttention(2, 4, pooling="none"))
    with pytest.raises(ValueError, match="`tokenizer` must cut at words: received one with split='blanks'"):
        SelfAttentiveClassifier(tiny_task(), WordTokenizer.from_texts(["soup"], split="blanks"))
    with pytest.raises(ValueError, match="`attention` must be a StructuredSelfAttention: received Dense"):
        tiny(attention=keras.layers.Dense(4))
    for name in ("embedding_size", "lstm_units", "hidden_units"):
        with pytest.raises(ValueError, match=f"`{name}` must be an integer of at least 1: received 2.5"):
            tiny(**{name: 2.5})
    with pytest.raises(ValueError, match="must be a list of AspectExample or an AspectDataset: received a str in it"):
        tiny(["good food"])
    with pytest.raises(ValueError, match="whose aspects are open"):
        SelfAttentiveClassifier(aspect_terms(), WordTokenizer(["[PAD]", "[UNK]"]))
    with pytest.raises(ValueError, match="must hold a saved SelfAttentiveClassifier: received no keras_absa.json"):
        SelfAttentiveClassifier.from_pretrained(tmp_path)
    tiny().save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(FileNotFoundError, match="the saved model is incomplete, it has no vocab.txt"):
        load_model(tmp_path)
