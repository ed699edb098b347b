"""From nothing to a served model: train, score, export, and ask the export. Run it with `make quickstart`."""

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import keras_absa as ka
from keras_absa.cli.progress_lines import ProgressLines
from keras_absa.keras import keras

EXPORT = Path("saved_models/quickstart")
REVIEWS = [
    "The food was wonderful but the service was terrible.",
    "The service was wonderful but the food was terrible.",
    "Lovely place, yet far too expensive.",
]

# What a fresh process does that knows nothing of keras_absa, as TensorFlow Serving would.
ASK = """
import json, sys
import tensorflow as tf, tensorflow_text
export, reviews = sys.argv[1], json.loads(sys.argv[2])
answer = tf.saved_model.load(export).signatures["serving_default"](text=tf.constant(reviews))
aspects, labels = ([[cell.decode() for cell in row] for row in answer[name].numpy()] for name in ("aspect", "label"))
print(json.dumps([dict(zip(*row)) for row in zip(aspects, labels)]))
"""


def lessons(task, easy_rows: int = 1600, hard_rows: int = 5400) -> list:
    """Training rows in an order that teaches quickly: reviews with one opinion, then reviews that praise and blame."""
    random = Random(1)
    easy, hard = [], []
    reviews = ka.data.synthetic_reviews("restaurants", "train", size=15000)
    for first in range(0, len(reviews), len(task.aspects)):
        rows = reviews[first : first + len(task.aspects)]  # one review, asked about each aspect
        if len(rows[0].text.split()) > 12:
            continue  # short ones are quicker to train on, and enough for a first look
        labels = [row.label for row in rows]
        if "positive" in labels and "negative" in labels:
            hard += [row for row in rows if row.label != task.none_label or random.random() < 0.4]
        elif labels.count(task.none_label) == len(labels) - 1:
            easy += [row for row in rows if row.label != task.none_label or random.random() < 0.3]
    random.shuffle(easy)
    random.shuffle(hard)
    return easy[:easy_rows] + hard[:hard_rows]


def train(batch_size: int = 16, learning_rate: float = 1.5e-4):
    """Trains QACG-BERT on built-in reviews for some minutes; gives the model and the test reviews."""
    keras.utils.set_random_seed(1)
    task = ka.data.restaurants()
    train_rows = lessons(task)
    train_data = ka.data.AspectDataset(train_rows, task, batch_size=batch_size, sampler="none")
    test_rows = ka.data.synthetic_reviews("restaurants", "test", size=100)

    model = ka.models.QacgBertClassifier.from_pretrained("minilm", task=task)
    model.encoder.bert.bert.embeddings.trainable = False  # half of all weights, and they matter least
    # A few hundred steps must do: a higher rate than the papers' 2e-5, and Adam, whose first steps are smaller than BertAdam's.
    steps = len(train_rows) // batch_size
    rate = keras.optimizers.schedules.PiecewiseConstantDecay(
        [steps // 12, steps * 3 // 4], [learning_rate / 3, learning_rate, learning_rate / 3]
    )
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0))
    print(
        f"Training QACG-BERT on {len(train_rows)} rows, {steps} steps; on two cores this takes some four minutes.",
        flush=True,
    )
    interactive = sys.stderr.isatty()
    model.fit(train_data, verbose=1 if interactive else 0, callbacks=[] if interactive else [ProgressLines()])
    return model, ka.data.AspectDataset(test_rows, task, split="test")


def ask(export: Path, reviews: list[str]) -> list[dict[str, str]]:
    """The labels that an export gives, by aspect, from a fresh process."""
    command = [sys.executable, "-c", ASK, str(export), json.dumps(reviews)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    """Trains, scores, exports and asks."""
    start = time.time()
    model, test = train()
    print("\n--- Reviews from sentence patterns that training never saw ---")
    print(model.evaluate(test))
    print("\n--- The same scores for a model that always says 'none' ---")
    print(ka.metrics.constant_baseline(test.task, test.examples))

    export = ka.serving.export(model, EXPORT)
    print(f"\n--- {export}, asked from a fresh process that has tensorflow and tensorflow_text only ---")
    for review, labels in zip(REVIEWS, ask(export, REVIEWS), strict=True):
        print(review)
        print("   " + "   ".join(f"{aspect}: {label}" for aspect, label in labels.items()))
    print(f"\nDone in {time.time() - start:.0f} seconds. The same from the shell: keras-absa --help")


if __name__ == "__main__":
    main()
