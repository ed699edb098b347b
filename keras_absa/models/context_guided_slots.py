"""What CG-BERT and QACG-BERT put into a plain BERT's slots."""

from transformers import BertConfig

from keras_absa.models.backbone import resolve_backbone

SLOT_ARGUMENTS = ("guided_layers", "share_context_dense", "num_contexts", "context_init_std")


def context_guided_slots(layer_class, name, task, kwargs: dict) -> dict:
    """The arguments of `SlottedBert` for one of the two attentions, whose own arguments are the rest of `kwargs`.

    Rates of dropout that are not given are the checkpoint's.
    """
    if task.open_aspects:
        raise ValueError(
            f"A context-guided model has a vector for each of a closed set of aspects: received task {task.name!r}, whose "
            "aspects are open. Use BertPairClassifier, which reads the aspect as a text, or a task with `aspects`."
        )
    slots = {key: kwargs.pop(key) for key in SLOT_ARGUMENTS if key in kwargs}
    slots.setdefault("num_contexts", task.num_contexts)
    if slots["num_contexts"] < task.num_contexts:
        raise ValueError(
            f"`num_contexts` must be at least the {task.num_contexts} contexts of task {task.name!r}: received "
            f"{slots['num_contexts']}. Leave it out."
        )
    if "context_init_std" in slots:
        kwargs.setdefault("context_init_std", slots["context_init_std"])
    config = BertConfig.from_pretrained(resolve_backbone(name))
    kwargs.setdefault("dropout", config.attention_probs_dropout_prob)
    if layer_class.__name__ == "QuasiAttention":
        kwargs.setdefault("context_dropout", config.attention_probs_dropout_prob)
    slots["attention"] = layer_class(config.num_attention_heads, name="attention", **kwargs)
    return slots
