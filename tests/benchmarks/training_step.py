"""A training step on MiniLM, 24 rows of 40 tokens: what the models cost, and what their short cuts save.

Run it with `python -m tests.benchmarks.training_step [RESULT.json]`.
"""

import sys

import numpy as np
import tensorflow as tf

import keras_absa as ka
from keras_absa.layers import attention_heads, context_guided_attention, context_matrix, quasi_attention
from keras_absa.training.training_setup import set_schedule
from tests.benchmarks.interleaved import interleaved, report

ROWS, TOKENS = 24, 40


def training_step(model, first_token_only=True):
    """One update of all weights, traced now, as a function without arguments."""
    rng = np.random.default_rng(0)
    inputs = {
        "input_ids": tf.constant(rng.integers(1000, 20000, (ROWS, TOKENS)), tf.int32),
        "token_type_ids": tf.zeros([ROWS, TOKENS], tf.int32),
        "attention_mask": tf.ones([ROWS, TOKENS], tf.int32),
        "context_ids": tf.constant(rng.integers(0, model.task.num_contexts, ROWS), tf.int32),
    }
    labels = tf.constant(rng.integers(0, len(model.task.labels), ROWS))
    model.compile(learning_rate=1e-5)
    set_schedule(model.optimizer, rows=10**6, batch_size=ROWS, epochs=1)
    model.optimizer.build(model.trainable_variables)
    if not first_token_only:
        whole = model.encoder.call
        model.encoder.call = lambda inputs, training, first_token_only: whole(inputs, training=training)

    step = tf.function(model.train_step, autograph=False, reduce_retracing=True)
    step((inputs, labels))
    return lambda: step((inputs, labels))["loss"].numpy()


def main():
    """Measures and prints."""
    task = ka.data.sentihood()

    def build(name):
        return getattr(ka.models, name).from_pretrained("minilm", task=task)

    steps = {
        "QACG-BERT": training_step(build("QacgBertClassifier")),
        "QACG-BERT, last layer whole": training_step(build("QacgBertClassifier"), first_token_only=False),
    }
    users = (quasi_attention, context_guided_attention, context_matrix)
    for user in users:  # the function that `project` is instead of
        user.project = tf.matmul
    steps["QACG-BERT, batched products"] = training_step(build("QacgBertClassifier"))
    for user in users:
        user.project = attention_heads.project
    steps["CG-BERT"] = training_step(build("CgBertClassifier"))
    steps["BERT on pairs"] = training_step(build("BertPairClassifier"))
    title = f"Training step, MiniLM, {ROWS} rows of {TOKENS} tokens"
    report(title, interleaved(steps), "BERT on pairs", *sys.argv[1:2])


if __name__ == "__main__":
    main()
