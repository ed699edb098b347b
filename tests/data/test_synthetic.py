"""The generated reviews: the same on every machine, honest splits, right labels."""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations, groupby
from pathlib import Path
from random import Random

import pytest

from keras_absa.data.aspect_task import neighbourhoods, restaurants
from keras_absa.data.synthetic import neighbourhood_words, restaurant_words, synthetic_reviews
from keras_absa.data.synthetic.grammar import Grammar, Opinion

KINDS = {"restaurants": (restaurants, restaurant_words), "neighbourhoods": (neighbourhoods, neighbourhood_words)}
SPLITS = ("train", "dev", "test")
SIZES = {"train": 2000, "dev": 300, "test": 300}
ALL = [(kind, split) for kind in KINDS for split in SPLITS]
_CACHE = {}


def reviews(kind, split, seed=0):
    """The default data, generated once."""
    if (kind, split, seed) not in _CACHE:
        _CACHE[kind, split, seed] = synthetic_reviews(kind, split, seed=seed)
    return _CACHE[kind, split, seed]


def plain(text):
    """Letters only: what is left when case and punctuation are ignored."""
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def labels_of(rows):
    """(target, aspect) to label, for the rows of one text."""
    return {(row.target, row.aspect): row.label for row in rows}


class TestTheData:
    @pytest.mark.parametrize(("kind", "split"), ALL)
    def test_every_text_has_all_its_contexts_in_order(self, kind, split):
        task = KINDS[kind][0]()
        texts = [list(rows) for _, rows in groupby(reviews(kind, split), key=lambda row: row.id)]
        assert len(texts) == SIZES[split]
        for rows in texts:
            named = [target for target in task.targets if target in rows[0].text]
            assert bool(named) == bool(task.targets)
            expected = [(target, aspect) for target in named or [None] for aspect in task.aspects]
            assert [(row.target, row.aspect) for row in rows] == expected
            assert {(row.text, row.split) for row in rows} == {(rows[0].text, split)}
            assert all(row.label in task.labels and row.source for row in rows)
            assert any(row.label != task.none_label for row in rows)
            if task.targets:
                assert "LOCATION1" in rows[0].text

    @pytest.mark.parametrize(("kind", "split"), ALL)
    def test_labels_are_balanced(self, kind, split):
        counts = Counter(row.label.lower() for row in reviews(kind, split))
        assert 0.45 <= counts["none"] / counts.total() <= 0.55
        assert counts["positive"] == counts["negative"]

    @pytest.mark.parametrize("kind", KINDS)
    def test_aspects_are_symmetrical(self, kind):
        """In train, every aspect has both polarities alike, and so has every pair of aspects of one text."""
        task = KINDS[kind][0]()
        for aspect in task.aspects:
            counts = Counter(row.label.lower() for row in reviews(kind, "train") if row.aspect == aspect)
            assert counts["positive"] == counts["negative"] > 200
        mixed = Counter()
        for _, rows in groupby(reviews(kind, "train"), key=lambda row: (row.id, row.target)):
            said = {row.aspect: row.label.lower() for row in rows}
            mixed.update((a, b) for a in said for b in said if (said[a], said[b]) == ("positive", "negative"))
        for pair in combinations(task.aspects, 2):
            assert mixed[pair] == mixed[pair[::-1]] > 20

    def test_negation_gives_adjectives_both_polarities_with_every_aspect(self):
        for aspect in restaurants().aspects:
            for adjective in ("good", "wonderful", "terrible", "awful"):
                seen = {
                    row.label
                    for row in reviews("restaurants", "train")
                    if row.aspect == aspect and re.search(rf"\b{adjective}\b", row.text.lower())
                }
                assert seen == {"none", "positive", "negative"}

    def test_neighbourhoods_have_every_kind_of_text(self):
        kinds = Counter()
        for _, rows in groupby(reviews("neighbourhoods", "train"), key=lambda row: row.id):
            labels = labels_of(rows)
            places = {target for target, _ in labels}
            speaking = {target for (target, _), label in labels.items() if label != "None"}
            kinds[f"{len(places)} places"] += 1
            kinds["one only named"] += len(speaking) < len(places)
            if len(places) == 2:
                pairs = [(labels["LOCATION1", a], labels["LOCATION2", a]) for a in neighbourhoods().aspects]
                kinds["opposed"] += any(sorted(pair) == ["Negative", "Positive"] for pair in pairs)
                kinds["alike"] += any(one == two != "None" for one, two in pairs)
        assert kinds["1 places"] > 600 and kinds["2 places"] > 600
        assert all(kinds[kind] > 100 for kind in ("one only named", "opposed", "alike"))

    @pytest.mark.parametrize("kind", KINDS)
    def test_surfaces_vary(self, kind):
        texts = {row.text for row in reviews(kind, "train")}
        small = re.compile(r"[a-z ,.;:'!?-]|LOCATION[12]")
        assert 0.02 < sum(small.sub("", text) == "" for text in texts) / len(texts) < 0.2
        assert 0.02 < sum(text[-1].isalpha() or text[-1].isdigit() for text in texts) / len(texts) < 0.2
        assert any("!" in text for text in texts)

    @pytest.mark.parametrize(("kind", "split"), ALL)
    def test_texts_are_clean(self, kind, split):
        for row in reviews(kind, split):
            assert not re.search(r"[{}+]|  | [.,;:!?]|[.,;:!?]{2}|^\W|\s$", row.text), row.text
            assert not re.search(r"LOCATION(?![12]\b)|location", row.text), row.text


class TestSplits:
    @pytest.mark.parametrize("kind", KINDS)
    def test_no_template_is_shared(self, kind):
        templates = KINDS[kind][1].TEMPLATES
        for one, two in combinations(SPLITS, 2):
            assert not templates[one].all() & templates[two].all()
            bare = [{plain(template) for template in templates[split].all()} for split in (one, two)]
            assert not bare[0] & bare[1]

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_text_is_shared_whatever_the_seed(self, kind):
        texts = [{plain(row.text) for seed in (0, 1) for row in reviews(kind, split, seed)} for split in SPLITS]
        for one, two in combinations(texts, 2):
            assert not one & two

    @pytest.mark.parametrize(("kind", "split"), ALL)
    def test_texts_are_distinct(self, kind, split):
        assert len({plain(row.text) for row in reviews(kind, split)}) == SIZES[split]

    def test_the_demonstration_sentence_and_its_swaps_are_in_no_split(self):
        for split in SPLITS:
            for row in reviews("restaurants", split):
                for one, two in (("food", "service"), ("service", "food")):
                    for first, second in (("wonderful", "terrible"), ("terrible", "wonderful")):
                        assert f"{one} was {first} but the {two} was {second}" not in plain(row.text)

    def test_its_style_is_in_train(self):
        style = re.compile(r"\bthe \w+ (was|were) \w+,? but the \w+ (was|were) \w+")
        assert sum(bool(style.search(row.text.lower())) for row in reviews("restaurants", "train")) > 20


class TestDeterminism:
    def test_arguments_decide(self):
        one = synthetic_reviews("restaurants", "dev", size=20)
        assert one == synthetic_reviews("restaurants", "dev", size=20)
        assert one == synthetic_reviews("restaurants", "dev", size=30)[: len(one)]
        assert one != synthetic_reviews("restaurants", "dev", size=20, seed=1)

    def test_hash_seed_does_not_matter(self):
        # The packages stand in as empty ones: importing TensorFlow twice would take most of the test's time.
        code = (
            "import hashlib, sys, types\n"
            "for name in ('keras_absa', 'keras_absa.data'):\n"
            "    sys.modules[name] = types.ModuleType(name)\n"
            "    sys.modules[name].__path__ = [sys.argv[1] + '/' + name.replace('.', '/')]\n"
            "from keras_absa.data import aspect_task\n"
            "sys.modules['keras_absa.data'].aspect_task = aspect_task\n"
            "from keras_absa.data.synthetic import synthetic_reviews as write\n"
            "rows = write('restaurants', 'train', 60), write('neighbourhoods', 'train', 60)\n"
            "print(hashlib.sha256(repr(rows).encode()).hexdigest())"
        )
        command = [sys.executable, "-c", code, str(Path(__file__).resolve().parents[2])]
        hashes = [
            subprocess.run(
                command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
            ).stdout.strip()
            for seed in ("1", "2")
        ]
        rows = synthetic_reviews("restaurants", "train", 60), synthetic_reviews("neighbourhoods", "train", 60)
        assert hashes == [hashlib.sha256(repr(rows).encode()).hexdigest()] * 2

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("hotels",), "`kind` must be one of"),
            (("restaurants", "valid"), "`split` must be one of"),
            (("restaurants", "train", 0), "`size` must be a positive number"),
        ],
    )
    def test_refusals(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            synthetic_reviews(*arguments)


# Written by hand, and on purpose apart from the vocabulary: what a reader would call praise and blame.
PRAISE = re.findall(
    r"\S+",
    "good great wonderful excellent fantastic amazing brilliant perfect delicious tasty flavourful mouth-watering "
    "appetising lovely superb friendly attentive polite helpful welcoming reasonable fair affordable sensible modest "
    "cosy charming relaxing inviting pleasant lively vibrant beautiful interesting cheap safe secure",
)
BLAME = re.findall(
    r"\S+",
    "bad terrible awful disappointing dreadful horrible appalling shocking bland tasteless inedible flavourless "
    "unappetising mediocre poor rude careless impatient unfriendly inattentive unhelpful steep outrageous excessive "
    "unreasonable extortionate gloomy drab dreary uninviting unpleasant dull ugly grim depressing boring run-down "
    "expensive overpriced pricey unaffordable dangerous unsafe",
)
DENIAL = re.compile(r"\bnot\b|n't\b|anything but|far from|never|nobody|nothing|neither")


def polarity(clause):
    """A reader's verdict on one clause with one adjective: `True`, `False`, or `None` if there is none or several."""
    found = [word for word in re.findall(r"[a-z][a-z-]+", clause) if word in PRAISE or word in BLAME]
    if len(found) != 1:
        return None
    return (found[0] in PRAISE) != bool(DENIAL.search(clause))


def grammar(kind="restaurants", split="train"):
    module = KINDS[kind][1]
    return Grammar(module.VOCABULARY, module.TEMPLATES[split])


GOOD_FOOD, BAD_SERVICE = Opinion("food", True), Opinion("service", False)
FOOD_NOUNS = "food|pasta|soup|dessert|pizza|steak|fish|salad|curry|bread|starter|noodle|dumpling|burger|menu|wine"
FOOD_NOUNS += "|coffee|cooking"
SERVICE_NOUNS = "service|waiter|waitress|host|bartender|staff|server|team"


class TestGrammar:
    @pytest.mark.parametrize("template", ["{c1}, but {c2}", "{c1}, yet {c2}", "{c1}, whereas {c2}", "{c1} and {c2}"])
    def test_each_clause_says_its_own_opinion(self, template):
        joint = re.compile(r", (?:but|yet|whereas) | and ")
        judged = 0
        for seed in range(300):
            text = grammar().sentence(template, [GOOD_FOOD, BAD_SERVICE], Random(seed))
            first, second = joint.split(text)
            assert re.search(FOOD_NOUNS, first) and re.search(SERVICE_NOUNS, second), text
            for clause, expected in ((first, True), (second, False)):
                verdict = polarity(clause)
                judged += verdict is not None
                assert verdict in (None, expected), text
        assert judged > 250

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("split", SPLITS)
    @pytest.mark.parametrize("positive", [True, False])
    def test_every_clause_of_every_split(self, kind, split, positive):
        task, judged = KINDS[kind][0](), 0
        place = task.targets[0] if task.targets else None
        for seed in range(400):
            aspect = task.aspects[seed % 4]
            text = grammar(kind, split).clause(Opinion(aspect, positive, place), Random(seed))
            if "could not" in text or "at all" in text and "nobody" in text:
                continue
            verdict = polarity(text)
            judged += verdict is not None
            assert verdict in (None, positive), text
        assert judged > 150

    @pytest.mark.parametrize(
        ("template", "opinions", "pattern"),
        [
            (
                "{np1} {be1} {adj1}, unlike {np2}",
                (True, False),
                r"^\w+ (?P<n1>.+) (?:was|were) (?P<good>\S+), unlike .+$",
            ),
            (
                "{np1} {be1} {adj1}, unlike {np2}",
                (False, True),
                r"^\w+ (?P<n1>.+) (?:was|were) (?P<bad>\S+), unlike .+$",
            ),
            (
                "neither {np1} nor {np2} {be2} {flip1}",
                (False, False),
                r"^neither .+ nor .+ (?:was|were) (?P<good>\S+)$",
            ),
            ("neither {np1} nor {np2} {be2} {flip1}", (True, True), r"^neither .+ nor .+ (?:was|were) (?P<bad>\S+)$"),
            ("{np1} and {np2} were both {adj1}", (True, True), r"^.+ and .+ were both (?P<good>\S+)$"),
            ("there was nothing {flip1} about {np1} or {np2}", (True, True), r"^there was nothing (?P<bad>\S+) about"),
            (
                "+if only {np2} had been as {adj1} as {np1}",
                (True, False),
                r"^if only .+ had been as (?P<good>\S+) as .+$",
            ),
            (
                "{np1} {be1} as {adj1} as {np2} {be2} {adj2}",
                (False, True),
                r"^.+ (?:was|were) as (?P<bad>\S+) as .+ (?:was|were) (?P<good>\S+)$",
            ),
            ("{adj1} {noun1}, {adj2} {noun2}", (True, False), r"^(?P<good>\S+) .+, (?P<bad>\S+) .+$"),
            ("{adj1} {noun1}, {adj2} {noun2}", (False, True), r"^(?P<bad>\S+) .+, (?P<good>\S+) .+$"),
        ],
    )
    def test_fixed_templates(self, template, opinions, pattern):
        said = [Opinion("food", opinions[0]), Opinion("service", opinions[1])]
        for seed in range(60):
            text = grammar().sentence(template, said, Random(seed))
            found = re.match(pattern, text)
            assert found, text
            words = found.groupdict()
            assert words.get("good") in (None, *PRAISE), text
            assert words.get("bad") in (None, *BLAME), text
            assert bool(re.search(FOOD_NOUNS, text)) and bool(re.search(SERVICE_NOUNS, text)), text

    @pytest.mark.parametrize(
        ("template", "opinions", "pattern"),
        [
            ("{place1} is {adj1}, unlike {place2}", (True, False), r"^LOCATION2 is (?P<good>.+), unlike LOCATION1$"),
            (
                "{place1} is {adj1} but {place2} is not",
                (False, True),
                r"^LOCATION2 is (?P<bad>.+) but LOCATION1 is not$",
            ),
            ("neither {place1} nor {place2} is {flip1}", (False, False), r"^neither .+ nor .+ is (?P<good>.+)$"),
            (
                "{place2} is nowhere near as {adj1} as {place1}",
                (True, False),
                r"^LOCATION1 is .+ as (?P<good>.+) as .+2$",
            ),
            (
                "{place1} is {adj1}, just like {place2}",
                (True, True),
                r"^LOCATION2 is (?P<good>.+), just like LOCATION1$",
            ),
        ],
    )
    def test_fixed_templates_with_places(self, template, opinions, pattern):
        good = {"cheap", "affordable", "good value", "reasonably priced", "easy on the wallet"}
        bad = {"expensive", "overpriced", "pricey", "unaffordable", "hard on the wallet"}
        said = [Opinion("price", opinions[0], "LOCATION2"), Opinion("price", opinions[1], "LOCATION1")]
        for seed in range(40):
            text = grammar("neighbourhoods").sentence(template, said, Random(seed))
            words = re.match(pattern, text).groupdict()
            assert words.get("good") in (None, *good), text
            assert words.get("bad") in (None, *bad), text

    def test_a_predicate_that_two_nouns_share_fits_both(self):
        """Nobody says "the soup was bland, unlike the waiter"."""
        allowed = {*restaurant_words.GOOD, *restaurant_words.BAD}
        for seed in range(200):
            text = grammar().sentence("{np1} {be1} {adj1}, unlike {np2}", [GOOD_FOOD, BAD_SERVICE], Random(seed))
            assert re.search(r"(?:was|were) (\S+),", text)[1] in allowed, text

    @pytest.mark.parametrize("kind", KINDS)
    def test_fillers_speak_of_no_aspect(self, kind):
        module = KINDS[kind][1]
        heads = {
            word.rstrip("s")
            for about in module.VOCABULARY.aspects.values()
            for noun in (*about.nouns, *about.general_nouns)
            for word in noun.phrase.replace("{place}", "").split()
        } - {"the", "of", "in", "a", "from", "for", "whole", "table", "final", "flat", ""}
        for templates in module.TEMPLATES.values():
            for filler in templates.fillers:
                assert not heads & {word.rstrip("s") for word in re.findall("[a-z]+", filler.lower())}, filler

    @pytest.mark.parametrize("kind", KINDS)
    def test_praise_and_blame_have_as_many_words(self, kind):
        vocabulary = KINDS[kind][1].VOCABULARY
        for words in (vocabulary, *vocabulary.aspects.values()):
            assert len(words.good) == len(words.bad)
            assert len(set(words.good) | set(words.bad)) == 2 * len(words.good)
