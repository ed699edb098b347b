"""Annotation matrices as one HTML page."""

import html
from collections.abc import Sequence

from keras_absa.explain.annotation_matrix import AnnotationMatrix

_STYLE = """
body{font:15px/1.5 sans-serif;margin:2em;color:#111;background:#fff}
table{border-collapse:collapse;margin:.5em 0 1.5em}
.scroll{overflow-x:auto}
th,td{padding:2px 6px;text-align:center;border:1px solid #ddd;font-weight:normal}
th[scope=row]{text-align:right}
.special{color:#767676;font-style:italic}
small{display:block;font-size:11px}
.total td,.total th{border-top:2px solid #111}
"""


def annotation_html(matrices: Sequence[AnnotationMatrix], title: str = "Annotation matrices") -> str:
    """A page with a table a text: a row a hop, a column a word, the weights as colour and as numbers.

    Args:
        matrices: `AnnotationMatrix` objects.
        title: Heading of the page.

    Returns:
        The page, which needs no other file; texts are escaped.

    Example:
        >>> import numpy as np
        >>> weights = np.array([[0.75, 0.25]], "float32")
        >>> matrix = AnnotationMatrix(("A<b",), ("a", "<b"), (0, 0), ((0, 1), (1, 3)), weights, "good")
        >>> page = annotation_html([matrix])
        >>> "&lt;b" in page, "<b" in page.partition("<h1>")[2].replace("<body", "")
        (True, False)
    """
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    parts = [_section(number, matrix) for number, matrix in enumerate(matrices, 1)]
    body = f"<h1>{html.escape(title)}</h1>{''.join(parts)}"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _section(number, matrix):
    texts = "".join(f"<p>{html.escape(text)}</p>" for text in matrix.texts)
    answer = f"<p>Answer: <strong>{html.escape(matrix.label)}</strong></p>" if matrix.label else ""
    cut = f"<p>{matrix.cut_words} words were not read: the text is too long.</p>" if matrix.cut_words else ""
    words = "".join(
        f'<th scope="col"{_special(segment)}>{html.escape(word)}</th>'
        for word, segment in zip(matrix.words, matrix.segments, strict=True)
    )
    rows = [_row(str(hop), weights) for hop, weights in enumerate(matrix.weights, 1)]
    rows.append(_row("all", matrix.total, ' class="total"'))
    overlap = "".join(_row(str(hop), weights) for hop, weights in enumerate(matrix.overlap, 1))
    hops = "".join(f'<th scope="col">{hop}</th>' for hop in range(1, len(matrix.weights) + 1))
    return (
        f'<section><h2>Text {number}</h2>{texts}{answer}{cut}<div class="scroll" tabindex="0"><table><tr><th>hop</th>{words}</tr>'
        f"{''.join(rows)}</table></div><h3>Overlap of hops</h3><table><tr><th>hop</th>{hops}</tr>{overlap}</table></section>\n"
    )


def _special(segment):
    return ' class="special"' if segment is None else ""


def _row(name, weights, attributes=""):
    most = max(float(weights.max(initial=0.0)), 1e-9)
    cells = "".join(_cell(float(weight), float(weight) / most) for weight in weights)
    return f'<tr{attributes}><th scope="row">{name}</th>{cells}</tr>'


def _cell(weight, strength):
    """White to dark blue, with a number that stays readable on it."""
    red, green, blue = (round(255 + strength * (end - 255)) for end in (8, 69, 148))
    colour = "#fff" if strength > 0.5 else "#111"
    return f'<td style="background:rgb({red},{green},{blue});color:{colour}"><small>{weight:.2f}</small></td>'
