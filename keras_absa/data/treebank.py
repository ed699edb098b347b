"""The text cleaning behind the published SentiHood results."""

import re

# Where a sentence ends. It matters for one thing only: a period is split from its word at the end of a sentence.
_SENTENCE_END = re.compile(r"[.?!]+[\"')\]}>]*(?=\s|[(\[{<])")

# Applied in this order to one sentence; a token is whatever stands between blanks afterwards.
_TOKEN_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # Opening quotation marks: first in the sentence, or after a blank or bracket.
        (r'^"', "`` "),
        (r"(?<=[\s(\[{<])(\"|'')", " `` "),
        (r"`+", r" \g<0> "),
        # An apostrophe before a single letter, unless the two may be a clitic: didn'r -> didn ' r.
        (r"'(?![tmsdn])(?=\w\b)", "' "),
        # Punctuation.
        (r"[:,](?!\d)", r" \g<0> "),
        (r"\.\.\.|--|[;@#$%&?!()\[\]{}<>]", r" \g<0> "),
        (r"(?<!\.)\.(?=[\])}>\"'\s]*$)", " . "),
        # Every other quotation mark closes.
        (r"\"|''", " '' "),
        # Clitics, and words that are two.
        (r"(?<=[^' ])('s|'m|'d|')(?!\S)", r" \1"),
        (r"(?<=[^' ])('ll|'re|'ve|n't)(?!\S)", r" \1"),
        (r"\b(can(?=not\b)|gon(?=na\b)|got(?=ta\b)|gim(?=me\b)|lem(?=me\b)|wan(?=na\b))", r"\1 "),
        (r"(?<!\S)'t(?=(is|was)\b)", "'t "),
    )
)

_PLACEHOLDERS = {"location1": "location - 1", "location2": "location - 2"}


def treebank_clean(text: str) -> str:
    """The text as the published SentiHood sentence pairs have it: Penn-Treebank tokens, lower-cased, blank between.

    Models compared with the published ones have to read these texts; a new model is as well off with the text
    as it was written. A location inside a longer token (`LOCATION1/LOCATION2`) stays as it is, as it did there.

    Args:
        text: A SentiHood text, with `LOCATION1` and `LOCATION2`.

    Returns:
        The cleaned text, with `location - 1` and `location - 2`. An apostrophe that begins a token has a
        blank after it, also when it is the whole token, so the text may hold two blanks or end in one.

    Example:
        >>> treebank_clean("I can't afford LOCATION1, it's posh.")
        "i ca n't afford location - 1 , it ' s posh ."

    Reference:
        Sun, Huang and Qiu 2019, "Utilizing BERT for Aspect-Based Sentiment Analysis via Constructing Auxiliary
        Sentence", the data preparation of its public code.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    words = []
    for start, end in zip([0, *ends], [*ends, len(text)]):
        sentence = text[start:end].strip()
        for pattern, replacement in _TOKEN_RULES:
            sentence = pattern.sub(replacement, sentence)
        words += [_word(token) for token in sentence.lower().split()]
    return " ".join(words)


def _word(token: str) -> str:
    if token.startswith("'"):
        return f"' {token[1:]}"
    return _PLACEHOLDERS.get(token, token)
