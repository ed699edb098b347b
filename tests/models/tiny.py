"""Tiny models for the tests: random weights, or a golden file's."""

import numpy as np
import tensorflow as tf
from transformers import BertConfig, TFBertModel

from keras_absa.data import AspectDataset, AspectExample, AspectTask
from keras_absa.data.aspect_task import SCHEMES
from keras_absa.keras import keras
from keras_absa.layers import ContextGuidedAttention, QuasiAttention
from keras_absa.models import BertPairClassifier, CgBertClassifier, QacgBertClassifier, SlottedBert
from keras_absa.text import Tokenizer
from tests.layers.helpers import randomize

WORDS = "the a soup food service staff price bill was were good bad cold slow great and but not very place".split()
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"-.,?!'0123456789"]
VOCABULARY += [letter for letter in LETTERS if letter not in VOCABULARY] + [f"##{letter}" for letter in LETTERS]

ATTENTIONS = {"cg": ContextGuidedAttention, "quasi": QuasiAttention}
# model -> its class, the attention in its slots, and what else it needs
MODELS = {
    "cg_tanh": (CgBertClassifier, "cg", {"gate_activation": "tanh"}, {}),
    "cg_sigmoid": (CgBertClassifier, "cg", {"gate_activation": "sigmoid"}, {}),
    "qacg": (QacgBertClassifier, "quasi", {}, {}),
    **{f"pair_{scheme}": (BertPairClassifier, None, {}, {"scheme": scheme}) for scheme in SCHEMES},
}


def tiny_bert(layers=2, width=24, heads=3, vocab_size=None, dropout=0.1, positions=64, intermediate=None, **kwargs):
    """A `TFBertModel` of a few thousand weights."""
    config = BertConfig(
        vocab_size=vocab_size or len(VOCABULARY),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=intermediate or 2 * width,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        **kwargs,
    )
    return TFBertModel(config)


def tiny_tokenizer():
    """A tokenizer that knows a few words and every letter."""
    return Tokenizer(VOCABULARY)


def tiny_task(**kwargs):
    """Two aspects, three labels."""
    return AspectTask("tiny", aspects=("food", "service"), labels=("none", "good", "bad"), none_label="none", **kwargs)


def tiny_encoder(kind="quasi", *, layers=2, num_contexts=2, seed=0, bert_dropout=0.1, positions=64, **kwargs):
    """A `SlottedBert` with an attention of `ATTENTIONS` (`None`: BERT's own); `kwargs` go to where they belong."""
    keras.utils.set_random_seed(seed)
    bert = tiny_bert(layers=layers, dropout=bert_dropout, positions=positions, initializer_range=0.2)  # for 24 units
    names = ("guided_layers", "share_context_dense", "context_init_std", "pooling", "pooling_tokens")
    slots = {name: kwargs.pop(name) for name in names if name in kwargs}
    if kind is None:
        return SlottedBert(bert, **slots)
    return SlottedBert(bert, attention=ATTENTIONS[kind](3, **kwargs), num_contexts=num_contexts, **slots)


def open_plugs(encoder):
    """Weights large enough that the context shows."""
    randomize(encoder.context_embedding, std=1.0)
    for layer, plug in encoder.plugs.items():
        randomize(encoder.context_matrices[layer], std=0.3)
        randomize(plug, std=0.3)
    return encoder


def tiny_model(kind="qacg", *, task=None, seed=0, dropout=0.0, layers=1, positions=64, **kwargs):
    """A classifier of `MODELS` on a tiny BERT, by default without dropout."""
    model_class, attention, arguments, defaults = MODELS[kind]
    task = task or tiny_task()
    rates = {None: {}, "cg": {"dropout": dropout}, "quasi": {"dropout": dropout, "context_dropout": dropout}}[attention]
    own = {"layers": layers, "positions": positions, "num_contexts": task.num_contexts}
    encoder = tiny_encoder(attention, seed=seed, bert_dropout=dropout, **own, **rates, **arguments)
    return model_class(encoder, task, tiny_tokenizer(), dropout=dropout, **{"max_length": 32, **defaults, **kwargs})


def tiny_examples(labelled=True):
    """24 rows, two texts a word, each asked about both aspects: one word of a text tells its label."""
    words = {"good": "good", "great": "good", "bad": "bad", "cold": "bad", "price": "none", "bill": "none"}
    texts = [
        (template.format(word), word) for word in words for template in ("the place was {}", "very {} and not slow")
    ]
    return [
        AspectExample(text, aspect, words[word] if labelled else None)
        for text, word in texts
        for aspect in ("food", "service")
    ]


ROWS = tiny_examples()
FEW = ROWS[::5]  # five rows, every label


def compiled_model(kind="pair_single", rate=1e-3, **kwargs):
    """The cheapest model that can be trained."""
    model = tiny_model(kind, **kwargs)
    model.compile(learning_rate=rate, run_eagerly=True)
    return model


def dataset(examples=FEW, task=None, **kwargs):
    """Small batches in the order of the rows."""
    return AspectDataset(examples, task or tiny_task(), **{"batch_size": 8, "sampler": "none", **kwargs})


def golden_bert(arrays):
    """The `TFBertModel` that a golden file describes, with its weights."""
    cfg = {name: int(arrays[f"cfg/{name}"]) for name in ("vocab_size", "hidden_size", "num_layers", "num_heads")}
    bert = TFBertModel(
        BertConfig(
            vocab_size=cfg["vocab_size"],
            hidden_size=cfg["hidden_size"],
            num_hidden_layers=cfg["num_layers"],
            num_attention_heads=cfg["num_heads"],
            intermediate_size=int(arrays["cfg/intermediate_size"]),
            max_position_embeddings=int(arrays["cfg/max_position"]),
            layer_norm_eps=float(arrays["cfg/layer_norm_eps"]),
        )
    )
    bert.build_in_name_scope()
    for role, variable in bert_variables(bert).items():
        variable.assign(arrays[f"w/{role}"])
    return bert


def bert_variables(bert):
    """Golden role -> variable of a `TFBertModel`."""
    main = bert.bert
    roles = {
        "embeddings/word": main.embeddings.weight,
        "embeddings/position": main.embeddings.position_embeddings,
        "embeddings/token_type": main.embeddings.token_type_embeddings,
        "embeddings/layer_norm": main.embeddings.LayerNorm,
        "pooler": main.pooler.dense,
    }
    for index, layer in enumerate(main.encoder.layer):
        own = layer.attention.self_attention
        roles |= {f"layer_{index}/attention/{name}": getattr(own, name) for name in ("query", "key", "value")}
        blocks = {
            "attention_output": layer.attention.dense_output,
            "intermediate": layer.intermediate,
            "output": layer.bert_output,
        }
        for name, block in blocks.items():
            roles[f"layer_{index}/{name}"] = block.dense
            if name != "intermediate":
                roles[f"layer_{index}/{name}/layer_norm"] = block.LayerNorm
    variables = {}
    for role, owner in roles.items():
        if isinstance(owner, tf.Variable):
            variables[role] = owner
        elif hasattr(owner, "gamma"):
            variables |= {f"{role}/gamma": owner.gamma, f"{role}/beta": owner.beta}
        else:
            variables |= {f"{role}/kernel": owner.kernel, f"{role}/bias": owner.bias}
    return variables


def random_batch(batch=3, tokens=7, vocab_size=40, contexts=2, seed=0):
    """Integer inputs with padding, as the text encoder makes them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(3, tokens + 1, size=batch)
    lengths[0] = tokens
    mask = (np.arange(tokens) < lengths[:, None]).astype("int32")
    return {
        "input_ids": rng.integers(5, vocab_size, size=(batch, tokens)).astype("int32") * mask,
        "token_type_ids": (np.arange(tokens) >= lengths[:, None] // 2).astype("int32") * mask,
        "attention_mask": mask,
        "context_ids": rng.integers(0, contexts, size=batch).astype("int32"),
    }
