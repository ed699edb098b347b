"""The annotation matrix of one text.

Shapes: R hops, W words.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class AnnotationMatrix:
    """How a pooling layer weighed the words of a text: `keras_absa.explain.annotations` makes it.

    A row of `weights` is one hop, one way of weighing that training found; none of them is the true one. Over a BERT the
    weights say where the pooling looked, not which words caused the answer: each state has seen the whole text.

    Args:
        texts: What the model read: the text (with its targets as the task writes them) and, where it read two, the other.
        words: The words as the model saw them, then special tokens in brackets.
        segments: For each word the place of its text in `texts`; None for a special token.
        spans: For each word its (first character, end) in that text, the end exclusive; None for a special token.
        weights: Float32 [R, W]; the weights of a word's pieces are added up. A hop sums to 1 over all words, less what the
            reference variant and words that were cut leave out.
        label: What the model answered.
        cut_words: How many words the model did not read because the text was too long.

    Example:
        >>> weights = np.array([[0.75, 0.25], [0.25, 0.75]], "float32")
        >>> matrix = AnnotationMatrix(("Good soup",), ("good", "soup"), (0, 0), ((0, 4), (5, 9)), weights, "good")
        >>> matrix.overlap.tolist(), matrix.total.tolist()
        ([[0.625, 0.375], [0.375, 0.625]], [0.5, 0.5])

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", section 2 and Fig. 3.
    """

    texts: tuple[str, ...]
    words: tuple[str, ...]
    segments: tuple[int | None, ...]
    spans: tuple[tuple[int, int] | None, ...]
    weights: np.ndarray
    label: str = ""
    cut_words: int = 0

    @property
    def overlap(self) -> np.ndarray:
        """A A^T, float32 [R, R], over words: how much two hops look at the same ones, 0 for not at all."""
        return self.weights @ self.weights.T

    @property
    def total(self) -> np.ndarray:
        """The weights of all hops together, float32 [W], with sum 1 (zeros where nothing has a weight)."""
        total = self.weights.sum(axis=0)
        return total / total.sum() if total.sum() else total

    def to_dict(self) -> dict:
        """Plain values, for a JSON file."""
        return {
            "texts": list(self.texts),
            "label": self.label,
            "cut_words": self.cut_words,
            "words": [
                {"word": word, "segment": segment, "span": span and list(span), "weights": weights.tolist()}
                for word, segment, span, weights in zip(
                    self.words, self.segments, self.spans, self.weights.T, strict=True
                )
            ],
            "total": self.total.tolist(),
            "overlap": self.overlap.tolist(),
        }
