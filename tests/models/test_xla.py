"""Training and predicting with programs that XLA compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from keras_absa.training.epoch_plan import length_buckets
from tests.models.tiny import ROWS, tiny_model

XLA_SCRIPT = """
from keras_absa.data import AspectExample
from keras_absa.keras import keras
from tests.models.tiny import dataset, tiny_model

lengths = [2, 3, 14, 17, 24, 30]
rows = [AspectExample(" ".join(["good"] * words), "food", "good") for words in lengths for _ in range(4)]
model = tiny_model("pair_single", positions=32, max_length=32)
model.compile(keras.optimizers.SGD(), jit_compile=True)  # a small program
model.fit(dataset(rows[1:], batch_size=4, sampler="shuffle"), epochs=2, verbose=0)
print(model.train_function.experimental_get_tracing_count())
"""


def test_xla_compiles_once_a_bucket(tmp_path):
    """Six lengths fall into three buckets; the last batch is short. XLA writes one file for each program it compiles."""
    environment = {
        **os.environ,
        "XLA_FLAGS": f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_text",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    root = Path(__file__).resolve().parents[2]
    result = subprocess.run(
        [sys.executable, "-c", XLA_SCRIPT], capture_output=True, text=True, env=environment, cwd=root
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.split()[-1] == "1"
    assert len(list(tmp_path.glob("*run_step*before_optimizations.txt"))) == len(length_buckets(32)) == 3


def test_xla_predicts_the_same():
    """The last batch is filled up for XLA; what was filled in must not come out."""
    model = tiny_model("pair_nli_b")
    plain = model.predict(ROWS[:7], batch_size=3)
    model.compile(jit_compile=True)
    np.testing.assert_allclose(model.predict(ROWS[:7], batch_size=3), plain, atol=1e-5)
