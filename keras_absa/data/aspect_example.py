"""One row of aspect-based sentiment data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AspectExample:
    """One text with one (target, aspect) in question, and its label where it is known.

    Every reader in `keras_absa.data` gives a list of these, and every model takes them. A text with several
    aspects appears once for each of them.

    Args:
        text: The review or sentence, as it is shown to the model.
        aspect: One of the task's aspects, for example `"food"`.
        label: One of the task's labels, for example `"negative"`; `None` where it is not known.
        target: The place, person or product that the aspect belongs to. Either one of the task's
            placeholders (`"LOCATION1"`) or a surface form as it stands in the text (`"Camden"`). `None` for a task
            without targets.
        other_target: A second target that the text names, in its surface form; `None` where there is none.
        id: The text's identifier in its file; rows of one text share it.
        split: `"train"`, `"dev"`, `"test"`, or `""`.
        source: Where the row was read, as `file:line` or `file:record`, for error messages.
        span: Where an aspect term stands in the text, as (first character, end), the end exclusive; `None` where that is
            not known.

    Example:
        >>> AspectExample("The soup was cold.", "food", "negative").label
        'negative'
    """

    text: str
    aspect: str
    label: str | None = None
    target: str | None = None
    other_target: str | None = None
    id: str = ""
    split: str = ""
    source: str = ""
    span: tuple[int, int] | None = None
