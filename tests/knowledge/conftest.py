"""Knowledge bases for the tests: a small one, and WordNet itself where it is installed."""

import os
from pathlib import Path

import pytest

from keras_absa.knowledge import WordNet
from tests.knowledge.small_wordnet import write_wordnet

PLACES = ("/usr/share/wordnet", "~/nltk_data/corpora/wordnet", "/usr/share/nltk_data/corpora/wordnet")


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory):
    return write_wordnet(tmp_path_factory.mktemp("knowledge") / "wordnet")


@pytest.fixture(scope="session")
def small(small_folder):
    return WordNet(small_folder)


@pytest.fixture(scope="session")
def wordnet():
    """WordNet 3.0."""
    places = [os.environ.get("WORDNET_DIR", ""), *PLACES]
    for place in filter(None, places):
        folder = Path(place).expanduser()
        if (folder / "data.noun").is_file():
            return WordNet(folder)
    pytest.skip("WordNet is not installed (Debian: wordnet-base and wordnet-sense-index; else set WORDNET_DIR)")
