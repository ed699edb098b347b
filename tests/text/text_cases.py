"""Hard strings, random strings, and what the reference makes of a text."""

import random
import unicodedata

HARD_STRINGS = {
    "plain": "The food was great, but the service wasn't!",
    "control characters vanish": "great\x00food gr\x0beat\x0c foo\x7fd gre\x85at \x1ffood",
    "line breaks are spaces": "good food\nbad service\r\nok\tprice",
    "compatibility": (
        "wait\u2026 Great\u2122 \u00bd price 5 m\u00b2 \u2116 1 \u2460 \u3392 \u33a1 10\u2103 \u2153\u2044"
    ),
    "ligatures": "\ufb01ne o\ufb03ce \ufb06 \u01c4\u01f1 \u0132\u0133 \u0152uvre \u00c6on",
    "full width": "\uff27\uff32\uff25\uff21\uff34\uff01 \uff11\uff12\u3000\uff5e\uff08ok\uff09",
    "half width": "\uff71\uff72\uff73\uff9e \uffa1\uffa2 \uffe9",
    "sharp s": "Stra\u00dfe STRA\u1e9eE",
    "dotted capital I": "\u0130stanbul I\u0307zmir \u0131\u015f\u0131k",
    "final sigma": "\u039f\u0394\u039f\u03a3 \u03a3\u03c3\u03c2 \u1f88\u1fb3 \u1ffc",
    "greek signs": "why\u037e a\u0387b \u1fef \u1ffd \u2126 \u212a \u212b",
    "special tokens": "the [MASK] was [UNK] [SEP] cold [CLS] [PAD] [sep] [unused1] [ SEP ]",
    "word pieces typed": "##s ##ing a##b # ## [PAD]##s",
    "composed and decomposed": "caf\u00e9 cafe\u0301 \u1ec7 e\u0323\u0302 e\u0302\u0323 \u00c5 A\u030a \u0344 \u0958",
    "lone marks": "\u0301 \u0301\u0302 a\u20dd \u0903 \u093e \u0e33 \ufe0f \ufe20",
    "two-part vowels": "\u09cb \u0b4c \u0bca \u0cca\u0ccb \u0d4a \u0ddd \u1b06 \u0f73 \u0fb9 \U0001109a \U0001134b",
    "emoji": (
        "good \U0001f600\U0001f44d\U0001f3fd \U0001f468\u200d\U0001f469\u200d\U0001f467"
        " \u2764\ufe0f \U0001f1e9\U0001f1ea"
    ),
    "CJK": "\u597d\u5403 food\u5f88good \u3007 \u4edd\u3005 \u9fff \ua000 \U00020000x\U0002a6dfy \U0002b81d \U00030000",
    "CJK compatibility": "\uf900\ufa0e\ufa2a \U0002f800a\U0002fa1d",
    "kana": "\u3059\u3057 \u30b9\u30b7 \u304c\u304b\u3099 \u30d1\u30cf\u309a \u30fb \u30fc \u3001\u3002",
    "Hangul": "\ub9db\uc788\ub2e4 \uac00\uac01\ud7a3 \u1100\u1161\u11a8 \u3131\u314f \ud55c food",
    "Cyrillic": "\u0425\u043e\u0440\u043e\u0448\u0438\u0439 \u0419\u0439 \u0401\u0451 \u0407 \u040c \ua640\ua641",
    "Arabic and Hebrew": (
        "\u0637\u0639\u0627\u0645\u060c \u0622\u0623 \u0640 \u05d0\u05c1\ufb2a\u05be \u061c\u06dd\ufdfa"
    ),
    "zero width": "fo\u200bod fo\u200cod fo\u200dod fo\u2060od \ufefffood fo\ufeffod \u180efood a\u200eb\u202eb\u2066c",
    "soft hyphen": "restau\u00adrant",
    "spaces": "a\u00a0b\u2002c\u2003d\u2009e\u200af\u202fg\u205fh\u1680i\u2028j\u2029k",
    "private use": "a\ue000b\uf8ffc\U000f0000d\U0010fffde",
    "unassigned and non-characters": "a\u0378b\u0bffc\ufffed\uffffe\U0001fffef \U000e0080 \U0003fffe \U0010ffff",
    "replacement character": "a\ufffdb \ufffc",
    "astral letters": "\U00010400\U00010428 \U0001d400\U0001d7d8 \U0001e900\U0001e922 \U00016e40 \U000118a0 \U00010330",
    "newer letters": "\u1c90\u1c91 \u13a0\uab70 \ua7c7\u2c2f \U0001df00 \U00010570 \U00011f00 \u10d0",
    "tags": "a\U000e0001b\U000e0061c\U000e0100d",
    "punctuation": "".join(chr(c) for c in range(33, 127) if not chr(c).isalnum()),
    "signs that are no punctuation": (
        "\u20ac5 \u00a35 \u00b1 \u00d7 \u00f7 \u2264 \u2260 \u226e \u00a9 \u00ac \u02dc \u00b4 \u00a8"
    ),
    "other punctuation": (
        "\u00ab\u00bb\u2018\u2019\u201c\u201d\u2013\u2014 \u00bf\u00a1 \u30a0 \U00010100 \u2e52 \U00011fff \u2e5d"
    ),
    "long word": "a" * 100 + " " + "a" * 101 + " " + "b" * 400 + " " + "c" * 401 + " ok",
    "long Cyrillic word": "\u0430" * 60 + " " + "\u0430" * 100 + " " + "\u0430" * 101 + " ok",
    "long astral word": "\U00010428" * 100 + " " + "\U00010428" * 101,
    "long only before cleaning": "e\u0301" * 100 + " " + "x\u200b" * 60 + " " + "\uac01" * 40,
    "unknown": "\u16a0\u16a1 \U00013000 good",
    "empty": "",
    "blank": "  \t \u3000 ",
    "only deleted": "\u200b\x00\ufeff",
    "leading and trailing": "  good  ",
}


def reference_words(reference, text):
    """The words of the reference's normaliser and pre-splitter."""
    backend = reference.backend_tokenizer
    words = backend.pre_tokenizer.pre_tokenize_str(backend.normalizer.normalize_str(text))
    return [word for word, _ in words]


def reference_ids(reference, texts):
    """The reference's ids without special tokens."""
    return reference(list(texts), add_special_tokens=False)["input_ids"]


def random_strings(count, seed):
    """Strings over all assigned code points below U+20000, every second one mixed with ASCII."""
    points = [c for c in range(0x20000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    source = random.Random(seed)
    strings = []
    for row in range(count):
        rare = 1.0 if row % 2 else 0.4
        length = source.randint(1, 30)
        strings.append(
            "".join(
                chr(source.choice(points)) if source.random() < rare else source.choice("abcDE .,-'")
                for _ in range(length)
            )
        )
    return strings
