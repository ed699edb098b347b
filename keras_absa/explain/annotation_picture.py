"""An annotation matrix as a picture."""

from pathlib import Path

from keras_absa.explain.annotation_matrix import AnnotationMatrix
from keras_absa.figure import new_figure


def annotation_picture(matrix: AnnotationMatrix, path: str | Path) -> None:
    """Draws a row a hop with a column a word, all hops together below them, and beside them how much the hops overlap.

    Args:
        matrix: An `AnnotationMatrix`.
        path: The file to write; its ending says in which format (`.png`, `.svg`, `.pdf`).

    Raises:
        ImportError: Without matplotlib (extra `plot`), with the line that installs it.

    Example:
        >>> import numpy as np
        >>> weights = np.array([[0.75, 0.25], [0.25, 0.75]], "float32")
        >>> matrix = AnnotationMatrix(("Good soup",), ("good", "soup"), (0, 0), ((0, 4), (5, 9)), weights, "good")
        >>> annotation_picture(matrix, "hops.png")

    Reference:
        Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", Fig. 3 to 5.
    """
    hops, words = matrix.weights.shape
    figure = new_figure(min(40.0, 4 + 0.45 * words), 2.2 + 0.3 * hops)
    panels = figure.subplots(
        2, 2, sharex="col", width_ratios=[max(words, 2), max(hops, 2)], height_ratios=[max(hops, 1), 1]
    )
    (by_hop, overlap), (total, unused) = panels
    unused.set_visible(False)
    by_hop.imshow(matrix.weights, aspect="auto", cmap="Blues", vmin=0.0)
    by_hop.set(title=f"Weights of each hop{f', answer: {matrix.label}' if matrix.label else ''}", ylabel="hop")
    total.imshow(matrix.total[None], aspect="auto", cmap="Blues", vmin=0.0)
    total.set(ylabel="all", yticks=[])
    # A word is text, not TeX.
    total.set_xticks(range(words), [word.replace("$", r"\$") for word in matrix.words], rotation=60, ha="right")
    for tick, segment in zip(total.get_xticklabels(), matrix.segments, strict=True):
        tick.set_color("0.6" if segment is None else "black")
    image = overlap.imshow(matrix.overlap, aspect="auto", cmap="Blues", vmin=0.0)
    overlap.set(title="Overlap of hops, $AA^T$")
    for axes in (by_hop, overlap):
        axes.set_yticks(range(hops), range(1, hops + 1))
    overlap.tick_params(labelbottom=True)
    overlap.set_xticks(range(hops), range(1, hops + 1))
    figure.colorbar(image, ax=overlap)
    figure.savefig(path)
