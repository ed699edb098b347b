"""A task for data that comes without one."""

import warnings
from collections.abc import Iterable

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask


def task_from_examples(examples: Iterable[AspectExample], name: str, *, open_aspects: bool = False) -> AspectTask:
    """The task whose aspects and labels are those that occur in the rows, sorted.

    Make it from the training rows and use it for all splits; it is stored with the model. A label that reads
    "none", in any case, becomes the `none_label`. Rows with targets give a task with two of them, `TARGET1` for
    the target in question and `TARGET2` for the other one.

    Args:
        examples: `AspectExample` rows.
        name: The task's name.
        open_aspects: Bool, whether the aspects are terms of the texts rather than a closed set. Defaults to False.

    Returns:
        An `AspectTask`.

    Raises:
        ValueError: If there are no rows, or none with a label.

    Example:
        >>> rows = [AspectExample("Cheap!", "price", "good"), AspectExample("Slow staff.", "service", "bad")]
        >>> task_from_examples(rows, "shop").labels
        ('bad', 'good')
    """
    examples = list(examples)
    aspects = sorted({example.aspect for example in examples})
    labels = sorted({example.label for example in examples if example.label is not None})
    if not labels:
        raise ValueError(
            f"A task needs rows with labels: received {len(examples)} rows without any. Give labelled rows, or "
            "write the `AspectTask` yourself."
        )
    for kind, names in (("labels", labels), *([] if open_aspects else [("aspects", aspects)])):
        alike = {}
        for each in names:
            alike.setdefault(each.casefold(), []).append(each)
        twins = [several for several in alike.values() if len(several) > 1]
        if twins:
            warnings.warn(
                f"{kind} that differ in case only count as different ones: {twins[0]}. If they are one, write them alike.",
                stacklevel=2,
            )
    return AspectTask(
        name=name,
        aspects=() if open_aspects else aspects,
        open_aspects=open_aspects,
        labels=labels,
        none_label=next((label for label in labels if label.casefold() == "none"), None),
        targets=("TARGET1", "TARGET2") if any(example.target is not None for example in examples) else (),
    )
