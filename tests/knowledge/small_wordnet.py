"""A WordNet of a few synsets, in the real database's format: offsets, licence, pointers, counts and exceptions."""

from pathlib import Path

LICENCE = "  1 This small database was written for the tests of keras_absa.  \n  2 It has the format of wndb(5WN).  \n"
# name (words, `/` between them; the first gives the name), pointers (symbol, name of the target, own word, its word), gloss
SYNSETS = {
    "adj": [
        ("a", "good", [("!", "bad.a.01", 1, 1)], 'pleasing; "a good soup"; "good service"'),
        ("a", "bad/poor", [("!", "good.a.01", 1, 1)], 'not pleasing; "a bad waiter"'),
        ("s", "tasty/flavourful(a)", [("&", "good.a.01", 0, 0)], 'pleasing to the tongue; "a tasty dish"'),
        ("s", "half-baked", [("&", "bad.a.01", 0, 0)], "not baked to the end"),
        ("s", "half-baked", [("&", "bad.a.01", 0, 0)], "not thought to the end"),
        ("a", "cold", [], "far from warm"),
    ],
    "adv": [("r", "well", [("\\", "good.a.01", 1, 1)], 'in a good way; "she cooks well"')],
    "noun": [
        ("n", "thing", [], "what there is"),
        ("n", "food", [("@", "thing.n.01", 0, 0)], 'what is eaten; "they serve food"'),
        ("n", "dish", [("@", "food.n.01", 0, 0)], "food made in one way"),
        ("n", "dish/plate", [("@", "thing.n.01", 0, 0)], 'what food is served on; "a broken dish"; "wash the plates"'),
        ("n", "ice_cream/icecream", [("@", "dish.n.01", 0, 0), ("#s", "ice.n.01", 0, 0)], "a cold sweet dish"),
        ("n", "ice", [("@", "thing.n.01", 0, 0)], "water that is hard"),
        ("n", "soup", [("@", "dish.n.01", 0, 0)], "a dish eaten with a spoon"),
        ("n", "place", [("@", "thing.n.01", 0, 0)], "where things are"),
        ("n", "bank", [("@", "place.n.01", 0, 0)], 'the side of a river; "a steep bank"'),
        ("n", "bank/depository", [("@", "place.n.01", 0, 0)], 'where money is kept; "he works at the bank"'),
        ("n", "city", [("@", "place.n.01", 0, 0)], "a large place where people live"),
        ("n", "New_York/Big_Apple", [("@i", "city.n.01", 0, 0)], "a city by the sea"),
        ("n", "waiter", [("@", "thing.n.01", 0, 0), ("+", "serve.v.01", 1, 1)], "one who serves food"),
        ("n", "service", [("@", "thing.n.01", 0, 0), ("+", "serve.v.01", 1, 1)], "what a waiter does"),
    ],
    "verb": [
        ("v", "act", [], "do a thing"),
        (
            "v",
            "serve/wait_on",
            [("@", "act.v.01", 0, 0), ("+", "waiter.n.01", 1, 1), ("+", "service.n.01", 1, 1)],
            "give food",
        ),
        ("v", "bank", [("@", "act.v.01", 0, 0)], 'bring money to where it is kept; "she banks in the city"'),
        ("v", "cook", [("@", "act.v.01", 0, 0)], "make food"),
    ],
}
COUNTS = {"bank%1:00:01::": 20, "bank%1:00:00::": 25, "dish%1:00:01::": 3, "good%3:00:00::": 100, "serve%2:00:00::": 9}
EXCEPTIONS = {"noun": "mice mouse\ndishes dish\n", "verb": "served serve\n"}
TYPES = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}


def write_wordnet(folder: Path) -> Path:
    """Writes the database; `folder` must not exist."""
    folder.mkdir(parents=True)
    lines, names, lex_ids = {}, {}, {}
    for part, synsets in SYNSETS.items():
        index = {}
        for number, (pos, words, *_) in enumerate(synsets):
            words = words.replace("(a)", "").split("/")
            ranks = index.setdefault(words[0].lower(), [])
            for word in words:
                index.setdefault(word.lower(), []).append(number)
            names[f"{words[0].lower()}.{pos}.{len(ranks):02d}"] = (part, number)
            lex_ids[part, number] = [index[word.lower()].index(number) for word in words]
        lines[part] = index
    offsets = {}
    for _ in range(2):  # the second time with the right offsets; their width is always the same
        for part, synsets in SYNSETS.items():
            text = LICENCE
            for number, (pos, words, pointers, gloss) in enumerate(synsets):
                offset = offsets[part, number] = len(text)
                own = [
                    f"{word} {lex_id:x}" for word, lex_id in zip(words.split("/"), lex_ids[part, number], strict=True)
                ]
                links = [
                    f"{symbol} {offsets.get(names[target], 0):08d} {target.split('.')[1]} {source:02x}{word:02x}"
                    for symbol, target, source, word in pointers
                ]
                frames = "01 + 08 00 " if pos == "v" else ""
                text += f"{offset:08d} 00 {pos} {len(own):02x} {' '.join(own)} {len(links):03d} "
                text += f"{''.join(link + ' ' for link in links)}{frames}| {gloss}  \n"
            (folder / f"data.{part}").write_text(text, encoding="utf-8")
    for part, index in lines.items():
        text = LICENCE
        for word in sorted(index):
            found = [f"{offsets[part, number]:08d}" for number in index[word]]
            text += f"{word} {part[0]} {len(found)} 1 @ {len(found)} 0 {' '.join(found)}  \n"
        (folder / f"index.{part}").write_text(text, encoding="utf-8")
    (folder / "cntlist.rev").write_text(
        "".join(f"{key} 1 {count}\n" for key, count in COUNTS.items()), encoding="utf-8"
    )
    for part, text in EXCEPTIONS.items():
        (folder / f"{part}.exc").write_text(text, encoding="utf-8")
    return folder
