"""Asks the reference tokenizer what it does with every code point, and writes `unicode_ranges.py` from the answers.

Unicode tables differ between libraries and between their versions (ICU in TensorFlow Text, RE2, the `tokenizers`
crate), so this package carries the reference's own answers. Regenerate them with

    python -m keras_absa.text.unicode_probe
"""

from __future__ import annotations

from pathlib import Path

LAST_CODE_POINT = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
_CHUNK = 1024
_LINE_WIDTH = 108


def probe_reference(lower_case: bool) -> dict[int, str]:
    """Returns what BERT's reference normaliser and pre-splitter make of each code point.

    Each code point is asked between two letters, so the answer shows deletion (`""`), a word break (`" "`), isolation
    (a space on both sides) and replacement. Where a whole chunk is treated alike, it is asked at once.

    Args:
        lower_case: bool, `True` for the uncased reference.

    Returns:
        dict from code point to text, without the code points that stay as they are. Surrogates are left out.

    Example:
        >>> from keras_absa.text.unicode_probe import probe_reference
        >>> probe_reference(lower_case=True)[ord("A")]
        'a'
    """
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    normalizer, splitter = BertNormalizer(lowercase=lower_case), BertPreTokenizer()

    def words(text):
        return [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]

    answers = {}
    for first in range(0, LAST_CODE_POINT + 1, _CHUNK):
        points = [point for point in range(first, first + _CHUNK) if point not in SURROGATES]
        characters = [chr(point) for point in points]
        together = words("a" + "".join(characters) + "a")
        if together == ["aa"]:  # every one is deleted
            answers.update(dict.fromkeys(points, ""))
        elif together == ["a", *characters, "a"]:  # every one is isolated
            answers.update({point: f" {chr(point)} " for point in points})
        elif together != ["a" + "".join(characters) + "a"]:
            separately = " ".join(words(" zqz ".join(f"a{character}a" for character in characters))).split(" zqz ")
            for point, answer in zip(points, separately, strict=True):
                if answer[1:-1] != chr(point):
                    answers[point] = answer[1:-1]
    return answers


def _ranges(points) -> str:
    """Writes sorted code points as `0-8 B E-1F`."""
    runs = []
    for point in sorted(points):
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return " ".join(f"{low:X}" if low == high else f"{low:X}-{high:X}" for low, high in runs)


def _mapping(replacements: dict[int, str]) -> str:
    """Writes replacements as `START:TARGET,TARGET`; `+` joins the code points of a target, an empty one is a gap."""
    runs, previous = [], None
    for point, target in sorted(replacements.items()):
        text = "+".join(f"{ord(character):X}" for character in target)
        if previous is not None and point - previous <= 4 and len(runs[-1]) < 80:
            runs[-1] += "," * (point - previous) + text
        else:
            runs.append(f"{point:X}:{text}")
        previous = point
    return " ".join(runs)


def _constant(name: str, comment: str, value: str) -> str:
    lines, line = [], ""
    for item in value.split():
        if len(line) + len(item) + 1 > _LINE_WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {item}".strip()
    return f'# {comment}\n{name} = """\n' + "\n".join([*lines, line]) + '\n"""\n'


def write_ranges(path: str | Path) -> None:
    """Probes the reference and writes the module `unicode_ranges.py`.

    Args:
        path: str or `Path`, the file to write.

    Example:
        >>> from keras_absa.text.unicode_probe import write_ranges
        >>> write_ranges("/tmp/unicode_ranges.py")
    """
    from transformers import __version__ as version

    cased, uncased = probe_reference(lower_case=False), probe_reference(lower_case=True)
    for point in HANGUL_SYLLABLES:  # normalizer.py decomposes them by arithmetic
        del uncased[point]
    deleted = [point for point, text in cased.items() if text == ""]
    spaces = [point for point, text in cased.items() if text == " "]
    isolated = [point for point, text in cased.items() if text == f" {chr(point)} "]
    changed = {point: text for point, text in uncased.items() if text != cased.get(point)}
    marks = [point for point, text in changed.items() if text == ""]
    lowered = {point: text for point, text in changed.items() if text and " " not in text}
    lowered_isolated = {point: text.strip() for point, text in changed.items() if " " in text}
    header = (
        f'"""What BERT\'s reference does with each code point; written by unicode_probe.py, transformers {version}.\n\n'
        "Ranges read FIRST-LAST, replacements START:TARGET,TARGET (`+` joins, an empty target changes nothing); hex.\n"
        'Hangul syllables are missing on purpose: normalizer.py decomposes them by arithmetic.\n"""\n'
    )
    parts = [
        header,
        _constant("DELETED", "Removed: control, format and private-use characters.", _ranges(deleted)),
        _constant("SPACES", "Become a space.", _ranges(spaces)),
        _constant("ISOLATED", "Become a word of their own: punctuation and CJK ideographs.", _ranges(isolated)),
        _constant("MARKS", "Removed as well when lower-casing: non-spacing marks.", _ranges(marks)),
        _constant("LOWERED", "Replaced when lower-casing: decomposed, without marks, lower.", _mapping(lowered)),
        _constant("LOWERED_ISOLATED", "The same, and a word of their own.", _mapping(lowered_isolated)),
    ]
    Path(path).write_text("\n".join(parts), encoding="ascii")


if __name__ == "__main__":
    write_ranges(Path(__file__).with_name("unicode_ranges.py"))
