"""Which pooling finds a sentence's categories best, and what the penalty does to the hops: SemEval-2014 restaurants.

Run it with `python -m tests.benchmarks.pooling_semeval2014 FOLDER RESULT.json`; runs that the result already holds are not
repeated. Each network reads a sentence once and says for each of the five categories whether it is there; the epoch is
chosen by F1 on a tenth of the training sentences. The two poolings that are best on them get two more seeds.

Shapes: B sentences, T tokens, R hops, C = 5 categories.
"""

import argparse
import json
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import tensorflow as tf

import keras_absa as ka
from keras_absa.environment import REQUIREMENTS, installed_version, minilm_folder
from keras_absa.keras import keras
from keras_absa.metrics.semeval2014 import ASPECTS, NONE, POSITIVE, semeval2014_metrics
from keras_absa.text import PairEncoder
from keras_absa.training.bert_adam import BertAdam
from keras_absa.training.epoch_plan import plan_epoch
from keras_absa.training.training_setup import set_schedule

HOPS, UNITS = 4, 64
BERT = {"epochs": 4, "batch_size": 24, "learning_rate": 5e-5}
BILSTM = {"epochs": 8, "batch_size": 64, "learning_rate": 1e-3}
# name -> (encoder, pooling, coefficient of the mean over R x R)
RUNS = {
    "MiniLM, [CLS]": ("bert", "cls", 0.0),
    "MiniLM, mean": ("bert", "mean", 0.0),
    "MiniLM, self-attentive": ("bert", "self-attentive", 0.0),
    "MiniLM, self-attentive, penalty": ("bert", "self-attentive", 1.0),
    "BiLSTM, self-attentive": ("bilstm", "self-attentive", 0.0),
    "BiLSTM, self-attentive, penalty": ("bilstm", "self-attentive", 1.0),
}


class CategoryDetector(keras.Model):
    """One logit for each category over the pooled vector of a `SlottedBert`."""

    def __init__(self, pooling):
        super().__init__()
        self.encoder = ka.models.SlottedBert.from_pretrained("minilm", pooling=pooling)
        self.dropout = keras.layers.Dropout(0.1)
        self.classifier = keras.layers.Dense(
            len(ASPECTS), kernel_initializer=keras.initializers.TruncatedNormal(stddev=0.02)
        )

    def call(self, inputs, training=False):
        pooled = self.encoder(inputs, training=training)["pooled"]
        return self.classifier(self.dropout(pooled, training=training))  # [B, C]


class BertRun:
    """A `CategoryDetector` with its data: train an epoch, give probabilities, give annotation matrices."""

    def __init__(self, pooling, penalty, splits, seed):
        plugs = {
            "cls": lambda: None,
            "mean": ka.layers.MeanPooling,
            "self-attentive": lambda: attention(penalty),
        }
        self.model, self.seed = CategoryDetector(plugs[pooling]()), seed
        self.annotates = pooling == "self-attentive"
        tokenizer = ka.text.Tokenizer(Path(minilm_folder()) / "vocab.txt")
        self.encode = PairEncoder(tokenizer)
        texts, found = by_sentence(splits["train"])
        self.lengths = np.sum(self.encode(texts)["attention_mask"], axis=1)
        self.texts, self.found = tf.constant(texts), tf.constant(found, tf.float32)
        self.model.compile(
            BertAdam(learning_rate=BERT["learning_rate"]), keras.losses.BinaryCrossentropy(from_logits=True)
        )
        set_schedule(self.model.optimizer, len(texts), BERT["batch_size"], BERT["epochs"])

    def epoch(self, number):
        plan = plan_epoch(
            np.zeros(len(self.lengths), int), self.lengths, BERT["batch_size"], "shuffle", self.seed, number
        )
        batches = tf.data.Dataset.from_tensor_slices(tf.ragged.constant(plan, dtype=tf.int64, ragged_rank=1))
        batches = batches.map(lambda rows: (self.encode(tf.gather(self.texts, rows)), tf.gather(self.found, rows)))
        self.model.fit(batches.prefetch(2), epochs=1, verbose=0)

    def batches(self, examples):
        texts, _ = by_sentence(examples)
        for start in range(0, len(texts), 32):
            yield self.encode(texts[start : start + 32])

    def probabilities(self, examples):
        """That each category is there, [sentences, C]."""
        return np.concatenate([tf.sigmoid(self.model(batch)).numpy() for batch in self.batches(examples)])

    def annotations(self, examples):
        for batch in self.batches(examples):
            yield self.model.encoder(batch, return_attention=True)["annotation"]  # [B, R, T]


class BilstmRun:
    """The whole original model, which asks each sentence about one category at a time."""

    annotates = True

    def __init__(self, pooling, penalty, splits, seed):
        self.task = ka.data.AspectTask(
            "category detection", aspects=ASPECTS, labels=("there", "none"), none_label="none"
        )
        rows = self.rows(splits["train"])
        self.train = ka.data.AspectDataset(
            rows, self.task, batch_size=BILSTM["batch_size"], sampler="shuffle", seed=seed
        )
        self.model = ka.models.SelfAttentiveClassifier.from_examples(rows, self.task, attention=attention(penalty))
        self.model.compile(learning_rate=BILSTM["learning_rate"])

    def rows(self, examples):
        return [replace(row, label="none" if row.label == "none" else "there") for row in examples]

    def epoch(self, number):
        self.model.fit(self.train, epochs=number + 1, initial_epoch=number, verbose=0)

    def probabilities(self, examples):
        """That each category is there, [sentences, C]."""
        return self.model.predict(self.rows(examples))[:, 0].reshape(-1, len(ASPECTS))

    def annotations(self, examples):
        texts, _ = by_sentence(examples)
        for start in range(0, len(texts), 32):
            inputs = self.model.text_encoder.pair_encoder(texts[start : start + 32])
            inputs["context_ids"] = tf.zeros(len(inputs["input_ids"]), tf.int32)
            yield self.model(inputs, return_attention=True)[1]  # [B, R, T]


def attention(penalty):
    """The layer of all runs."""
    return ka.layers.StructuredSelfAttention(HOPS, UNITS, penalty_coef=penalty, penalty_scale="r2", name="attention")


def by_sentence(examples):
    """Texts, and which categories are in them: bool [sentences, C]."""
    aspects = [row.aspect for row in examples[: len(ASPECTS)]]
    assert [row.aspect for row in examples] == aspects * (len(examples) // len(ASPECTS)), (
        "a sentence's rows are not together"
    )
    found = np.array([row.label != "none" for row in examples]).reshape(-1, len(ASPECTS))
    return [row.text for row in examples[:: len(ASPECTS)]], found


def scores(probabilities, examples):
    """Precision, recall and F1 of the published scorer, which takes five labels: two of them are used."""
    claimed = probabilities.reshape(-1)
    five = np.zeros((len(claimed), 5))
    five[:, POSITIVE], five[:, NONE] = claimed, 1.0 - claimed
    gold = np.where(by_sentence(examples)[1].reshape(-1), POSITIVE, NONE)
    report = semeval2014_metrics(gold, five)
    return {name: report[name] for name in ("precision", "recall", "f1")}


def overlap_between_hops(annotations):
    """The mean of A A^T beside its diagonal, over all sentences."""
    beside = ~np.eye(HOPS, dtype=bool)
    return float(np.mean([np.mean((a @ a.T)[beside]) for batch in annotations for a in batch.numpy()]))


def run(name, seed, splits):
    """Trains once; the scores of the epoch that is best on dev."""
    keras.backend.clear_session()
    keras.utils.set_random_seed(seed)
    encoder, pooling, penalty = RUNS[name]
    begin, started = (BertRun if encoder == "bert" else BilstmRun), time.time()
    learner = begin(pooling, penalty, splits, seed)
    best, dev_f1 = None, []
    for epoch in range((BERT if encoder == "bert" else BILSTM)["epochs"]):
        learner.epoch(epoch)
        dev = scores(learner.probabilities(splits["dev"]), splits["dev"])
        dev_f1.append(dev["f1"])
        print(f"{name}, seed {seed}, epoch {epoch + 1}: dev {dev['f1']:.3f}, {time.time() - started:.0f} s", flush=True)
        if best is None or dev["f1"] > best["dev"]["f1"]:
            best = {"run": name, "seed": seed, "epoch": epoch + 1, "dev": dev}
            best["test"] = scores(learner.probabilities(splits["test"]), splits["test"])
            if learner.annotates:
                best["overlap_between_hops"] = overlap_between_hops(learner.annotations(splits["test"]))
    return {**best, "dev_f1": dev_f1, "seconds": round(time.time() - started)}


def main():
    """Trains what the result lacks, and writes it after each run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="SemEval-2014's files")
    parser.add_argument("result", type=Path, help="a JSON file")
    arguments = parser.parse_args()
    loaded = ka.data.load(ka.data.semeval2014(), arguments.folder, holdout=0.1)
    splits = {part.split: list(part) for part in loaded}
    result = {
        "title": "Category detection on SemEval-2014 restaurants, by pooling",
        "settings": {"hops": HOPS, "attention_units": UNITS, "penalty_scale": "r2", "bert": BERT, "bilstm": BILSTM},
        "sentences": {name: len(rows) // len(ASPECTS) for name, rows in splits.items()},
        "machine": {"cores": os.cpu_count()},
        "versions": {"keras_absa": ka.__version__, **{name: installed_version(name) for name in REQUIREMENTS}},
        "runs": json.loads(arguments.result.read_text("utf-8"))["runs"] if arguments.result.exists() else [],
    }

    def ensure(name, seed):
        if not any((done["run"], done["seed"]) == (name, seed) for done in result["runs"]):
            result["runs"].append(run(name, seed, splits))
            arguments.result.write_text(json.dumps(result, indent=1) + "\n", "utf-8")

    for name in RUNS:
        ensure(name, 1)
    ranked = sorted((done for done in result["runs"] if done["seed"] == 1), key=lambda done: -done["dev"]["f1"])
    for name in [done["run"] for done in ranked[:2]]:
        ensure(name, 2)
        ensure(name, 3)
    for name in RUNS:
        test = [done["test"]["f1"] for done in result["runs"] if done["run"] == name]
        overlap = [
            done["overlap_between_hops"]
            for done in result["runs"]
            if done["run"] == name and "overlap_between_hops" in done
        ]
        hops = f"   overlap of hops {statistics.mean(overlap):.3f}" if overlap else ""
        print(f"{name:34} F1 {100 * statistics.mean(test):.1f} over {len(test)} seeds{hops}")


if __name__ == "__main__":
    main()
