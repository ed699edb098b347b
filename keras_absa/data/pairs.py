"""Sentence pairs: each row's text beside the auxiliary sentence that asks for its aspect."""

import re
from collections.abc import Iterable
from pathlib import Path

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask


def canonical_order(examples: Iterable[AspectExample], task: AspectTask) -> list[AspectExample]:
    """The rows in the order of the published sentence pairs.

    In a task with targets: all rows of the first target, then those of the second; ids in string order, where an
    id comes after its own extensions (`1000`, `1001`, `100`); aspects in context order. In a task without targets:
    texts as they come, aspects in context order.

    Args:
        examples: `AspectExample` rows of one split.
        task: The task they belong to.

    Returns:
        A sorted list.

    Example:
        >>> task = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))
        >>> rows = [AspectExample("Kind people.", "staff"), AspectExample("Kind people.", "price")]
        >>> [row.aspect for row in canonical_order(rows, task)]
        ['price', 'staff']
    """
    examples = list(examples)
    arrival = {}
    for example in examples:
        arrival.setdefault(example.id or example.text, len(arrival))

    def key(example):
        place, aspect = divmod(task.context_id(example.target, example.aspect), max(1, len(task.aspects)))
        # "~" sorts after every letter and digit.
        return (place, f"{example.id}~" if task.targets else arrival[example.id or example.text], aspect)

    return sorted(examples, key=key)


def pair_rows(examples: Iterable[AspectExample], task: AspectTask, scheme: str) -> list[tuple[str, str, str, str]]:
    """The rows as pairs of sentences, in one of the schemes of Sun et al.

    The schemes `nli_m`, `qa_m` and `single` give one row an example, with its label; `single` has an empty auxiliary
    sentence. The binary schemes `nli_b` and `qa_b` give one row for each label of the task, in the order of its
    labels, with `"1"` at the right one and `"0"` at the others.

    Args:
        examples: `AspectExample` rows; the pairs keep their order.
        task: The task they belong to. Placeholders, and targets given by their surface form, are
            written as its `target_words`.
        scheme: `"nli_m"`, `"qa_m"`, `"nli_b"`, `"qa_b"` or `"single"`.

    Returns:
        A list of (id, sentence, auxiliary sentence, label), all strings; the label is `""` where it is not known.

    Raises:
        ValueError: If the scheme, or a row's aspect or target, is not known.

    Example:
        >>> task = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))
        >>> pair_rows([AspectExample("Kind people.", "staff", "good", id="7")], task, "nli_b")
        [('7', 'Kind people.', 'bad - staff', '0'), ('7', 'Kind people.', 'good - staff', '1')]

    Reference:
        Sun, Huang and Qiu 2019, "Utilizing BERT for Aspect-Based Sentiment Analysis via Constructing Auxiliary
        Sentence", section 3.2.
    """
    rows = []
    for example in examples:
        context = task.context_id(example.target, example.aspect)
        sentence = _name_targets(example, task)
        if not scheme.endswith("_b"):
            auxiliary = task.auxiliary_sentence(scheme, context, aspect=example.aspect)
            rows.append((example.id, sentence, auxiliary, example.label or ""))
            continue
        # The published binary pairs have no trailing blanks where there are no targets.
        sentence = sentence if task.targets else sentence.rstrip()
        for label in task.labels:
            truth = "" if example.label is None else str(int(label == example.label))
            auxiliary = task.auxiliary_sentence(scheme, context, label, example.aspect)
            rows.append((example.id, sentence, auxiliary, truth))
    return rows


def write_pairs(rows: Iterable[tuple[str, str, str, str]], path) -> None:
    """Writes sentence pairs, one a line: id, sentence, auxiliary sentence and label with tabs between, UTF-8.

    Args:
        rows: What `pair_rows` gives.
        path: The file to write; every line ends with a line feed on every system.

    Raises:
        ValueError: If a field holds a tab or a line break, which would shift the columns.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "pairs.tsv")
        >>> write_pairs([("7", "Kind people.", "staff", "good")], path)
        >>> open(path, encoding="utf-8").read()
        '7\\tKind people.\\tstaff\\tgood\\n'
    """
    lines = []
    for number, row in enumerate(rows, 1):
        broken = [field for field in row if re.search(r"[\t\r\n]", field)]
        if broken:
            raise ValueError(
                f"Fields of a pair must not hold tabs or line breaks: received {broken[0]!r:.60} in row {number}. "
                "Replace them by blanks before writing."
            )
        lines.append("\t".join(row) + "\n")
    Path(path).write_bytes("".join(lines).encode("utf-8"))


def _name_targets(example: AspectExample, task: AspectTask) -> str:
    """The text with its targets written as the auxiliary sentences write them."""
    if example.target is None:
        return example.text
    words = dict(zip(task.targets, task.target_words))
    if example.target in words:
        names = words
        pattern = "|".join(map(re.escape, names))
        return re.sub(pattern, lambda match: names[match.group()], example.text)
    names = {
        surface.casefold(): word
        for surface, word in zip((example.target, example.other_target), task.target_words)
        if surface
    }
    # Longest first, so that a name that begins with the other one is not cut.
    pattern = rf"(?<!\w)({'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})(?!\w)"
    return re.sub(pattern, lambda match: names[match.group().casefold()], example.text, flags=re.IGNORECASE)
