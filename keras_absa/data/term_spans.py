"""Where a term stands in its text: what the readers of aspect terms share."""

from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.problem_log import ProblemLog

MAX_DIGITS = 18  # of a place in a text; Python refuses to read numbers of thousands of digits


def check_term_task(task: AspectTask) -> None:
    """Refuses a task whose aspects are a closed set."""
    if not task.open_aspects:
        raise ValueError(
            f"Aspect terms need a `task` with open_aspects: received task {task.name!r} with aspects {list(task.aspects)}. Use "
            "`keras_absa.data.aspect_terms(labels=...)`."
        )


def find_span(text: str, term: str, first, end, where, log: ProblemLog) -> tuple[int, int] | None:
    """The characters of a term, from offsets as a file gives them, the end exclusive.

    Offsets that do not fit are a mistake; where mistakes are skipped, a term that stands in the text just once keeps its row.
    """
    if all(number is not None and number.isdecimal() and len(number) <= MAX_DIGITS for number in (first, end)):
        span = int(first), int(end)
        if text[span[0] : span[1]] == term and span[1] <= len(text):
            return span
        held = text[span[0] : span[1]]
        what = f"characters {first} to {end} of the text are {held!r:.40}, expected the term {term!r:.40}"
    else:
        what = f"received from={first!r:.40} to={end!r:.40}, expected the place of the term {term!r:.40} in the text"
    log.bad("offset_mismatch", where, what)
    place = text.find(term)
    if place < 0 or text.find(term, place + 1) >= 0:
        return None
    return place, place + len(term)
