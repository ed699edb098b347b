"""What is in a data set, and what is wrong with it, before anything is trained on it."""

import html
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.load_report import LoadReport
from keras_absa.data.pairs import pair_rows
from keras_absa.data.splits import normal_form
from keras_absa.figure import new_figure

MAX_SAMPLES = 5
HISTOGRAM_STEP = 16  # word pieces


@dataclass
class DataReport:
    """The findings of `report`, as plain values.

    Attributes:
        sizes: Split to `texts` and `rows`.
        labels: Split to aspect to label to count; the aspects of an open task are counted together, as `"(any term)"`.
        duplicates: Split to `exact` and `normalised`: surplus copies of a text. Outer blanks do not count in either; case,
            inner blanks and Unicode forms do not in the second.
        leaks: Pair of splits, as `"train/test"`, to the number of texts that are in both, normalised.
        leaked_texts: How many texts are in several splits.
        conflicts: How many questions (normalised text, target, aspect) have several labels, over all splits.
        absent_aspects: Aspect to `rows` that are not none, and `absent`: how many of these do not name it in their text.
        lengths: Split to `max`, `mean`, `cut_rows` (longer than `max_length`) and `histogram`, first number of
            word pieces of a bin of 16 to texts; empty without a tokenizer.
        samples: What to look at: finding to a few places.
        reading: Split to what its reader merged, ignored or left out: reason to how often, and a place.

    Example:
        >>> report({"train": [AspectExample("Cold soup", "food", "bad")]}).sizes
        {'train': {'texts': 1, 'rows': 1}}
    """

    sizes: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    duplicates: dict = field(default_factory=dict)
    leaks: dict = field(default_factory=dict)
    leaked_texts: int = 0
    conflicts: int = 0
    absent_aspects: dict = field(default_factory=dict)
    lengths: dict = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)
    reading: dict = field(default_factory=dict)

    def to_dict(self) -> dict:
        """Plain values, for a JSON file."""
        return asdict(self)

    def tables(self) -> dict[str, tuple[list[str], list[list]]]:
        """Title to (names of the columns, rows): what is printed."""
        splits = list(self.sizes)
        labels = sorted({label for aspects in self.labels.values() for counts in aspects.values() for label in counts})
        tables = {
            "Sizes": (
                ["split", "texts", "rows", "exact copies", "normalised copies"],
                [
                    [
                        each,
                        *self.sizes[each].values(),
                        self.duplicates[each]["exact"],
                        self.duplicates[each]["normalised"],
                    ]
                    for each in splits
                ],
            ),
            "Labels": (
                ["split", "aspect", *labels],
                [
                    [each, aspect, *(counts.get(label, 0) for label in labels)]
                    for each in splits
                    for aspect, counts in self.labels[each].items()
                ],
            ),
            "Texts in several splits": (
                ["splits", "texts"],
                [*map(list, self.leaks.items()), ["any two", self.leaked_texts]] if self.leaks else [],
            ),
            "Questions with several labels": (["questions"], [[self.conflicts]]),
            "Aspects that are not named in their text": (
                ["aspect", "rows with an opinion", "not named", "share"],
                [
                    [aspect, cells["rows"], cells["absent"], f"{cells['absent'] / cells['rows']:.0%}"]
                    for aspect, cells in self.absent_aspects.items()
                ],
            ),
            "Word pieces a row": (
                ["split", "mean", "longest", "rows that are cut"],
                [
                    [each, f"{cells['mean']:.1f}", cells["max"], cells["cut_rows"]]
                    for each, cells in self.lengths.items()
                ],
            ),
            "Read": (
                ["split", "what", "times", "for example"],
                [
                    [split, what, count, place]
                    for split, counts in self.reading.items()
                    for what, (count, place) in counts.items()
                ],
            ),
            "Look at": (
                ["finding", "place"],
                [[name, place] for name, places in self.samples.items() for place in places],
            ),
        }
        return {title: table for title, table in tables.items() if table[1]}

    def __str__(self):
        blocks = []
        for title, (columns, rows) in self.tables().items():
            cells = [columns, *([str(cell) for cell in row] for row in rows)]
            widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
            lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
            blocks.append("\n".join([title, *(f"  {line}" for line in lines)]))
        return "\n\n".join(blocks)

    def to_html(self) -> str:
        """One page that needs nothing else."""
        parts = []
        for title, (columns, rows) in self.tables().items():
            head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
            )
            parts.append(f"<h2>{html.escape(title)}</h2><table><tr>{head}</tr>{body}</table>")
        style = (
            "body{font-family:sans-serif}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px}"
        )
        head = (
            f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>Data report</title><style>{style}</style></head>'
        )
        return f"{head}<body><h1>Data report</h1>{''.join(parts)}</body></html>\n"

    def plot(self, path) -> None:
        """Writes a picture: labels an aspect, and lengths. Needs matplotlib (extra `plot`); the name says in which format.

        Raises:
            ImportError: Without matplotlib, with the line that installs it.
        """
        figure = new_figure(12, 4)
        left, right = figure.subplots(1, 2)
        whole = {}
        for aspects in self.labels.values():
            for aspect, counts in aspects.items():
                whole.setdefault(aspect, Counter()).update(counts)
        bottom = Counter()
        for label in sorted({label for counts in whole.values() for label in counts}):
            heights = [whole[aspect][label] for aspect in whole]
            left.bar(list(whole), heights, bottom=[bottom[aspect] for aspect in whole], label=label)
            bottom.update(dict(zip(whole, heights)))
        left.set(title="Labels of each aspect", ylabel="rows")
        left.tick_params("x", rotation=30)
        left.legend()
        for split, cells in self.lengths.items():
            bins = {int(first): count for first, count in cells["histogram"].items()}
            right.step(list(bins), list(bins.values()), where="post", label=split)
        right.set(title="Length", xlabel="word pieces", ylabel="rows", yscale="log")
        if self.lengths:
            right.legend()
        figure.savefig(path)


def report(
    splits: dict[str, list[AspectExample]],
    task: AspectTask | None = None,
    *,
    tokenizer=None,
    max_length: int = 128,
    load_reports: Mapping[str, LoadReport] | None = None,
) -> DataReport:
    """Looks through rows for what spoils a training or its scores.

    Args:
        splits: Split, or file, to its `AspectExample` rows; or one list of rows.
        task: Their task: it says which label means "not mentioned", and how an aspect is written. Defaults to None.
        tokenizer: A `keras_absa.text.Tokenizer`, to measure lengths in word pieces. Defaults to None, no lengths.
        max_length: Int, most tokens of a row, the aspect and three special tokens included. Defaults to 128.
        load_reports: Split to the `LoadReport` that its reader filled in. Defaults to None.

    Returns:
        A `DataReport`; print it, or take `to_dict()`, `to_html()` or `plot(path)`.

    Example:
        >>> rows = [AspectExample("Cold soup", "food", "bad"), AspectExample("cold  soup", "food", "good")]
        >>> found = report({"train": rows[:1], "test": rows[1:]})
        >>> found.leaks, found.conflicts
        ({'train/test': 1}, 1)
    """
    if not isinstance(splits, Mapping):
        splits = {"rows": list(splits)}
    result = DataReport()
    for split, told in (load_reports or {}).items():
        result.reading[split] = {
            reason: (told.counts[reason], told.samples[reason][0]) for reason in sorted(told.counts)
        }
    normal = {split: [normal_form(row.text) for row in rows] for split, rows in splits.items()}
    for split, rows in splits.items():
        by_id = {row.id or row.text: row.text for row in rows}
        copies = [text.strip() for text in by_id.values()]
        result.sizes[split] = {"texts": len(by_id), "rows": len(rows)}
        result.duplicates[split] = {
            "exact": len(copies) - len(set(copies)),
            "normalised": len(copies) - len({normal_form(text) for text in copies}),
        }
        counts = {}
        for row in rows:
            aspect = "(any term)" if task is not None and task.open_aspects else row.aspect
            counts.setdefault(aspect, Counter())["(no label)" if row.label is None else row.label] += 1
        result.labels[split] = {aspect: dict(counts[aspect]) for aspect in sorted(counts)}
    _leaks(result, splits, normal)
    _conflicts(result, splits, normal)
    _absent(result, splits, task)
    if tokenizer is not None:
        for split, rows in splits.items():
            if rows:
                result.lengths[split] = _lengths(rows, task, tokenizer, max_length)
    return result


def _sample(result, finding, row, what):
    kept = result.samples.setdefault(finding, [])
    if len(kept) < MAX_SAMPLES:
        kept.append(f"{row.source or row.id or 'row'}: {what}")


def _leaks(result, splits, normal):
    names = list(splits)
    seen = Counter(text for texts in normal.values() for text in set(texts))
    result.leaked_texts = sum(count > 1 for count in seen.values())
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            both = set(normal[first]) & set(normal[second])
            result.leaks[f"{first}/{second}"] = len(both)
            told = set()
            for row, text in zip(splits[second], normal[second], strict=True):
                if text in both and text not in told:
                    told.add(text)
                    _sample(result, f"in {first} too", row, f"{row.text!r:.80}")


def _conflicts(result, splits, normal):
    labels = {}
    for split, rows in splits.items():
        for row, text in zip(rows, normal[split], strict=True):
            if row.label is None:
                continue
            place = row.span if row.span is None else row.span[0]
            question = (text, row.target, row.other_target, row.aspect, place)
            before = labels.setdefault(question, {})
            if row.label not in before and len(before) == 1:
                result.conflicts += 1
                ((label, first),) = before.items()
                what = f"{row.aspect} is {row.label!r} here, {label!r} at {first.source or first.id}"
                _sample(result, "several labels", row, what)
            before.setdefault(row.label, row)


def _absent(result, splits, task):
    words = {}
    if task is not None and not task.open_aspects:
        words = dict(zip(task.aspects, task.aspect_words, strict=True))
    for rows in splits.values():
        for row in rows:
            if row.label is None or (task is not None and row.label == task.none_label):
                continue
            aspect = "(any term)" if task is not None and task.open_aspects else row.aspect
            cells = result.absent_aspects.setdefault(aspect, {"rows": 0, "absent": 0})
            cells["rows"] += 1
            named = words.get(row.aspect, row.aspect)
            if not re.search(rf"(?<!\w){re.escape(named)}(?!\w)", row.text, re.IGNORECASE):
                cells["absent"] += 1
                if aspect == "(any term)":
                    _sample(result, "term not in its text", row, f"{row.aspect!r} is not in {row.text!r:.60}")
    result.absent_aspects = {aspect: result.absent_aspects[aspect] for aspect in sorted(result.absent_aspects)}


def _lengths(rows, task, tokenizer, max_length):
    if task is None:
        pairs = [(row.text, row.aspect) for row in rows]
    else:
        pairs = [(text, aspect) for _, text, aspect, _ in pair_rows(rows, task, "nli_m")]  # what a model reads
    unique = sorted({part for pair in pairs for part in pair})
    pieces = dict(zip(unique, tokenizer.tokenize(unique).row_lengths().numpy().tolist(), strict=True))
    lengths = [pieces[text] + pieces[aspect] + 3 for text, aspect in pairs]
    bins = Counter(length // HISTOGRAM_STEP * HISTOGRAM_STEP for length in lengths)
    return {
        "max": max(lengths),
        "mean": sum(lengths) / len(lengths),
        "cut_rows": sum(length > max_length for length in lengths),
        "histogram": {str(first): bins[first] for first in range(0, max(bins) + 1, HISTOGRAM_STEP)},
    }
