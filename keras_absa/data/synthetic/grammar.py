"""Sentences from opinions: what a vocabulary and a set of templates are, and how a slot is filled.

A template is a sentence with slots, for example `"{np1} {be1} {adj1}, unlike {np2}"`. The digit says which opinion
a slot speaks of:

    {c}     a whole clause, from the clause templates       {noun}  the noun phrase without its article
    {np}    a noun phrase: "the soup", "rents in LOCATION1"  {place} the place's name
    {be}    was, were, is, are: fits the noun               {s}     the ending of a verb in the present
    {vp}    a predicate: "was not bad at all"
    {adj}   an adjective of the opinion's polarity          {flip}  one of the opposite polarity, to be negated

A template that starts with `+` or `-` is for a first opinion of that polarity only.
"""

import re
from dataclasses import dataclass, fields
from random import Random

SLOT = re.compile(r"\{(c|np|noun|be|vp|adj|flip|place|s)(\d?)\}")
PREDICATE_SLOTS = {"c", "vp", "adj", "flip"}
MAIN_SHARE = 0.5  # of the first clause template, the plain one
OWN_SHARE = 0.5  # of words that belong to one aspect, where the template allows them
PHRASE_SHARE = 0.3  # of verb phrases among the predicates
PLAIN_SHARE = 0.3  # of the first predicate, "was" and an adjective


@dataclass(frozen=True)
class Opinion:
    """What is said: an aspect, whether it is praised, and of which place (`None` in a task without targets)."""

    aspect: str
    positive: bool
    place: str | None = None


@dataclass(frozen=True)
class Noun:
    """A noun phrase with its article, and `{place}` where the place's name goes."""

    phrase: str
    plural: bool = False

    def there(self) -> str:
        """The phrase when the place was just named."""
        if self.phrase == "{place}":
            return "the place"
        return re.sub(r" (in|of|to) \{place\}", " there", self.phrase).replace("{place}", "there")


@dataclass(frozen=True)
class AspectWords:
    """The words for one aspect.

    `nouns` go with the aspect's own adjectives and phrases; `general_nouns` with the vocabulary's, and wherever the
    aspect must be clear from the noun alone.
    """

    nouns: tuple[Noun, ...]
    general_nouns: tuple[Noun, ...]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """All words of one kind of review; shared by the splits."""

    aspects: dict[str, AspectWords]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    phrases: tuple[str, ...]
    predicates: tuple[str, ...]
    be: tuple[str, str]  # singular, plural
    articles: tuple[str, ...] = ("the",)


@dataclass(frozen=True)
class Templates:
    """The sentence templates of one split; no two splits share one."""

    clauses: tuple[str, ...]
    singles: tuple[str, ...]  # one opinion, as a sentence of its own
    contrast: tuple[str, ...]  # two opinions of opposite polarity
    agree: tuple[str, ...]  # two of the same
    triples: tuple[str, ...]  # three of any
    fillers: tuple[str, ...]  # no aspect at all
    opposed: tuple[str, ...] = ()  # one aspect of two places, opposite polarity
    alike: tuple[str, ...] = ()  # one aspect of two places, same polarity
    place_fillers: tuple[str, ...] = ()  # name {place} without an opinion
    two_place_fillers: tuple[str, ...] = ()  # name {place} and {other}

    def all(self) -> set[str]:
        """Every template, whatever it is for."""
        return {template for part in fields(self) for template in getattr(self, part.name)}


def nouns(singular: str = "", plural: str = "") -> tuple[Noun, ...]:
    """Noun phrases from two lists with commas."""
    lists = ((singular, False), (plural, True))
    return tuple(Noun(phrase.strip(), many) for text, many in lists for phrase in text.split(",") if phrase.strip())


def words(text: str) -> tuple[str, ...]:
    """Words or phrases from a list with commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


class Grammar:
    """Writes sentences with one vocabulary and the templates of one split."""

    def __init__(self, vocabulary: Vocabulary, templates: Templates):
        self.vocabulary = vocabulary
        self.templates = templates
        self._last = ""  # the last clause template: people do not say "I must say" twice in a row

    def sentence(self, template: str, opinions: list[Opinion], random: Random) -> str:
        """Fills every slot of a template; the result has no capital letter and no full stop yet."""
        template = template.lstrip("+-")
        slots = SLOT.findall(template)
        speaking = {number for slot, number in slots if slot in PREDICATE_SLOTS}
        # "the soup was bland, unlike the waiter": a predicate that two nouns share must fit both.
        own_allowed = speaking == {number for _, number in slots}
        named = any(slot == "place" for slot, _ in slots)
        one_place = len({opinion.place for opinion in opinions}) == 1 and opinions[0].place is not None
        mentions: dict[str, _Mention] = {}

        def fill(match):
            slot, number = match.groups()
            opinion = opinions[int(number or 1) - 1]
            if slot == "c":
                return self.clause(opinion, random, own_allowed, pronoun=one_place and number not in ("", "1"))
            if number not in mentions:
                own = named or (own_allowed and random.random() < OWN_SHARE)
                mentions[number] = _Mention(self.vocabulary, opinion, random, own, shared=not own_allowed)
            return mentions[number].fill(slot)

        return SLOT.sub(fill, template)

    def clause(self, opinion: Opinion, random: Random, own_allowed: bool = True, pronoun: bool = False) -> str:
        """One clause about one opinion."""
        plain, *others = self.templates.clauses
        others = [template for template in others if template != self._last]
        self._last = plain if random.random() < MAIN_SHARE else self.choose(others, opinion.positive, random)
        template = self._last.lstrip("+-")
        own = own_allowed and random.random() < OWN_SHARE and bool(re.search(r"\{(vp|adj|flip)\}", template))
        pronoun = pronoun and random.random() < 0.6
        mention = _Mention(self.vocabulary, opinion, random, own, not own_allowed, pronoun)
        return SLOT.sub(lambda match: mention.fill(match[1]), template)

    @staticmethod
    def choose(templates, positive: bool, random: Random) -> str:
        """A template that may begin with an opinion of this polarity."""
        return random.choice([template for template in templates if template[0] != "+-"[positive]])


class _Mention:
    """One noun with what is said of it."""

    def __init__(self, vocabulary, opinion, random, own, shared=False, pronoun=False):
        about = vocabulary.aspects[opinion.aspect]
        good, bad = (about.good, about.bad) if own else (vocabulary.good, vocabulary.bad)
        self.vocabulary, self.opinion, self.random, self.pronoun = vocabulary, opinion, random, pronoun
        choices = about.nouns if own else about.general_nouns
        if shared and not own:  # "rents there are awful, unlike LOCATION2" would not say what is better about it
            choices = [noun for noun in choices if noun.phrase != "{place}"]
        self.noun = random.choice(choices)
        self.phrases = about.phrases if own else vocabulary.phrases
        self.said, self.opposite = (good, bad) if opinion.positive else (bad, good)

    def fill(self, slot):
        """The text for one slot."""
        if slot == "np":
            phrase = self.noun.there() if self.pronoun else self.noun.phrase.format(place=self.opinion.place)
            return re.sub("^the ", f"{self.random.choice(self.vocabulary.articles)} ", phrase)
        if slot == "noun":
            return self.noun.phrase.format(place=self.opinion.place).removeprefix("the ")
        if slot == "be":
            return self.vocabulary.be[self.noun.plural]
        if slot == "s":
            return "" if self.noun.plural else "s"
        if slot == "place":
            return self.opinion.place
        if slot == "vp":
            return SLOT.sub(lambda match: self.fill(match[1]), self._predicate())
        return self.random.choice(self.said if slot == "adj" else self.opposite)

    def _predicate(self):
        share = self.random.random()
        if share < PLAIN_SHARE:
            return self.vocabulary.predicates[0]
        patterns = self.phrases if share < PLAIN_SHARE + PHRASE_SHARE else self.vocabulary.predicates
        return Grammar.choose(patterns, self.opinion.positive, self.random).lstrip("+-")
