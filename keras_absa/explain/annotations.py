"""Annotation matrices of texts, aligned with their words.

Shapes: R hops, T tokens, W words.
"""

import numpy as np

from keras_absa.data.aspect_example import AspectExample
from keras_absa.explain.annotation_matrix import AnnotationMatrix
from keras_absa.models.aspect_model import AspectModel
from keras_absa.models.predictor import question_segments, question_tensors
from keras_absa.models.word_model import WordModel


def annotations(model: AspectModel, rows: list[AspectExample], *, batch_size: int = 32) -> list[AnnotationMatrix]:
    """How a model's pooling weighed the words of each row.

    Args:
        model: A `SelfAttentiveClassifier`, a `SelfAttentivePairClassifier`, or a classifier on a BERT with a pooling plug.
        rows: `AspectExample` rows; labels are not read.
        batch_size: Int, rows at a time. Defaults to 32. The reference variant's answer depends on it.

    Returns:
        An `AnnotationMatrix` a row. In a binary scheme it is that of the label with the highest probability; a pair model's
        has the words of both texts, each text's weights with sum 1.

    Raises:
        ValueError: If the model has no layer that weighs words.

    Example:
        >>> from keras_absa.models import SelfAttentiveClassifier
        >>> from keras_absa.data import task_from_examples
        >>> rows = [AspectExample("good soup", "food", "good"), AspectExample("bad soup", "food", "bad")]
        >>> model = SelfAttentiveClassifier.from_examples(rows, task_from_examples(rows, "soups"))
        >>> matrix = annotations(model, rows)[0]
        >>> matrix.words, matrix.spans, matrix.weights.shape
        (('good', 'soup'), ((0, 4), (5, 9)), (8, 2))

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", section 2.
    """
    if not isinstance(model, WordModel) and getattr(getattr(model, "encoder", None), "pooling", None) is None:
        raise ValueError(
            f"`model` must weigh words to pool them: received a {type(model).__name__} without a pooling plug. Train one with "
            "pooling=StructuredSelfAttention(...), or a SelfAttentiveClassifier."
        )
    rows = list(rows)
    return [
        matrix
        for start in range(0, len(rows), batch_size)
        for matrix in _batch(model, rows[start : start + batch_size])
    ]


def _batch(model, rows):
    encoder = model.text_encoder.pair_encoder
    first, second, context_ids = question_segments(model, *question_tensors(model.task, rows))
    inputs = {**encoder(first, second), "context_ids": context_ids}
    logits, sides = _logits_and_weights(model, inputs)
    probabilities = model.probabilities(logits).numpy()
    candidates = model.text_encoder.num_candidates
    for number in range(len(rows)):
        label = int(probabilities[number].argmax())
        row = number * candidates + (label if candidates > 1 else 0)
        texts = [each.numpy()[row].decode("utf-8") for each in (first, second) if each is not None]
        yield _matrix(encoder.tokenizer, texts, [side(row) for side in sides], model.task.labels[label])


def _logits_and_weights(model, inputs):
    """Logits, and functions from a row's number to weights [R, tokens] of a run of tokens, with each token's segment."""
    if isinstance(model, WordModel):
        logits, *found = model(inputs, return_attention=True)
        masks = [inputs[name] for name in ("attention_mask", "second_mask") if name in inputs]
        sides = [_words_only(*each, segment) for segment, each in enumerate(zip(found, masks, strict=True))]
        return logits, sides
    annotation = model.encoder(inputs, return_attention=True)["annotation"].numpy()
    mask, types = inputs["attention_mask"].numpy(), inputs["token_type_ids"].numpy()

    def side(row):
        count = mask[row].sum()
        return annotation[row][:, :count], _bert_segments(types[row][:count])

    return model(inputs, training=False), [side]


def _words_only(annotation, mask, segment):
    annotation, mask = annotation.numpy(), mask.numpy()

    def side(row):
        count = mask[row].sum()
        return annotation[row][:, :count], [segment] * count

    return side


def _bert_segments(types):
    """For each token of a row the place of its text, or the name of a special token."""
    segments = types.tolist()
    ends = {place for place, segment in enumerate(segments) if segments[place + 1 : place + 2] != [segment]}
    return ["[CLS]" if at == 0 else "[SEP]" if at in ends else segment for at, segment in enumerate(segments)]


def _matrix(tokenizer, texts, sides, label):
    """One row: adds up the weights of each word's pieces.

    Args:
        tokenizer: Of the model.
        texts: What it read.
        sides: (weights [R, T], T segments or special tokens), one or two of them.
        label: The answer.
    """
    weights = np.concatenate([each for each, _ in sides], axis=1)  # [R, T]
    spans = [tokenizer.word_spans(text) for text in texts]
    # For each text the numbers of the words that its pieces belong to.
    owners = [iter(np.repeat(np.arange(len(words)), [word[3] for word in words]).tolist()) for words in spans]
    columns = {}  # (segment, number of the word) or a special token's own place -> first token
    for place, segment in enumerate(segment for _, segments in sides for segment in segments):
        key = (segment, place) if isinstance(segment, str) else (segment, next(owners[segment]))
        columns.setdefault(key, place)
    named = []
    for segment, number in columns:
        if isinstance(segment, str):
            named.append((segment, None, None))
        else:
            word, start, end, _ = spans[segment][number]
            named.append((word, segment, (start, end)))
    words, segments, places = zip(*named, strict=True) if named else ((), (), ())
    summed = np.add.reduceat(weights, list(columns.values()), axis=1) if columns else weights  # [R, W]
    cut = sum(map(len, spans)) - sum(segment is not None for segment in segments)
    return AnnotationMatrix(tuple(texts), words, segments, places, summed.astype("float32"), label, cut)
