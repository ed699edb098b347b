"""Where the tests find reference arrays and data sets."""

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent


# Files with few and long tests: one process must not be left alone with them at the end.
LONG = ("test_resume.py", "test_all_slots.py", "test_learning.py", "test_export.py", "test_training_checkpoint.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(autouse=True)
def seed():
    """Every test draws the same numbers, alone or among others."""
    random.seed(0)
    np.random.seed(0)
    if "tensorflow" in sys.modules:
        sys.modules["tensorflow"].random.set_seed(0)


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """Reference arrays: `$KERAS_ABSA_GOLDEN`, or `tests/golden`."""
    return Path(os.environ.get("KERAS_ABSA_GOLDEN") or TESTS / "golden")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The published data sets: `$KERAS_ABSA_DATA`, or `shared/data` beside the repository."""
    path = Path(os.environ.get("KERAS_ABSA_DATA") or TESTS.parents[1] / "shared" / "data")
    if not path.is_dir():
        pytest.skip(f"no data sets at {path}: set KERAS_ABSA_DATA")
    return path
