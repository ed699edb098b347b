"""A labelled data set that needs no download."""

import re
from random import Random

from keras_absa.data import aspect_task
from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.synthetic import neighbourhood_words, restaurant_words
from keras_absa.data.synthetic.grammar import Grammar
from keras_absa.data.synthetic.plans import flipped, neighbourhood_plan, restaurant_plan

KINDS = {
    "restaurants": (aspect_task.restaurants, restaurant_words, restaurant_plan),
    "neighbourhoods": (aspect_task.neighbourhoods, neighbourhood_words, neighbourhood_plan),
}
SIZES = {"train": 2000, "dev": 300, "test": 300}
# Kept out of every split, so that documents and demonstrations can show a sentence no model was trained on.
HELD_OUT = tuple(
    f"{one} was {first} but the {two} was {second}"
    for one, two in (("food", "service"), ("service", "food"))
    for first, second in (("wonderful", "terrible"), ("terrible", "wonderful"))
)
MAX_TRIES = 200
PLAIN_JOIN_SHARE = 0.2  # of the first template of two clauses, such as "..., but ..."


def synthetic_reviews(
    kind: str = "restaurants", split: str = "train", size: int | None = None, seed: int = 0
) -> list[AspectExample]:
    """Writes labelled reviews, to try a model, a tutorial or a test without any download.

    The same adjectives praise and damn every aspect, plainly and negated, and as often food is good and service bad
    as the other way round: a model has to find out which noun an opinion belongs to. Reviews also hold sentences on
    other things ("the weather was terrible that day"). The splits share words but no sentence template and no text.
    Praise and blame are exactly balanced for an even `size`.

    Args:
        kind: `"restaurants"`, for the task `aspect_task.restaurants()`, or `"neighbourhoods"`, for
            `aspect_task.neighbourhoods()`, with the places written LOCATION1 and LOCATION2. Defaults to
            `"restaurants"`.
        split: `"train"`, `"dev"` or `"test"`. Defaults to `"train"`.
        size: Int, the number of texts, all different. Defaults to 2000 for train, 300 for dev and test.
        seed: Int. The same arguments give the same reviews on every machine. Defaults to 0.

    Returns:
        A list of `AspectExample`, all aspects of a text in context order; a neighbourhood text that names two places
        has the aspects of both, any other those of LOCATION1.

    Raises:
        ValueError: If `kind` or `split` is unknown, or if `size` is below 1 or above what the grammar can tell apart.

    Example:
        >>> rows = synthetic_reviews("restaurants", "dev", size=2)
        >>> [row.aspect for row in rows[:4]]
        ['food', 'service', 'price', 'ambience']
        >>> len({row.text for row in rows})
        2

    Reference:
        The two questions asked are those of SemEval-2014 task 4 (Pontiki et al. 2014) and SentiHood (Saeidi et al.
        2016); none of their text is used.
    """
    if kind not in KINDS:
        raise ValueError(f"`kind` must be one of {list(KINDS)}: received {kind!r}. Pick one of them.")
    if split not in SIZES:
        raise ValueError(f"`split` must be one of {list(SIZES)}: received {split!r}. Pick one of them.")
    size = SIZES[split] if size is None else size
    if size < 1:
        raise ValueError(f"`size` must be a positive number of texts: received {size}. Leave it out for the default.")
    make_task, module, make_plan = KINDS[kind]
    task, writer = make_task(), _Writer(Grammar(module.VOCABULARY, module.TEMPLATES[split]))
    random = Random(f"{kind}/{split}/{seed}")  # a string seed is hashed by Random itself, the same way everywhere
    seen, examples, plan = set(), [], []
    for number in range(size):
        # Every second plan is the reverse of the one before: praise and blame come out equal.
        plan = flipped(plan) if number % 2 else make_plan(task, random)
        text = writer.new_text(plan, random, seen)
        if text is None:
            raise ValueError(
                f"`size` must leave room for different texts: received {size}, but after {number} texts of {kind!r}, "
                f"{split!r}, no new one was found in {MAX_TRIES} tries. Ask for fewer."
            )
        examples += _rows(task, plan, text, split, number, f"synthetic:{kind}:{split}")
    return examples


def _rows(task, plan, text, split, number, source):
    """One row for each context of a text."""
    labels = dict(zip((True, False), [label for label in task.labels if label != task.none_label], strict=True))
    said = {(o.place, o.aspect): labels[o.positive] for _, opinions in plan for o in opinions}
    places = [place for place in task.targets if place in text] or [None]
    return [
        AspectExample(
            text=text,
            aspect=aspect,
            label=said.get((place, aspect), task.none_label),
            target=place,
            id=str(number),
            split=split,
            source=f"{source}:{number}",
        )
        for place in places
        for aspect in task.aspects
    ]


class _Writer:
    """Plans to texts: chooses templates, adds fillers, and varies case and punctuation."""

    def __init__(self, grammar: Grammar):
        self.grammar = grammar

    def new_text(self, plan, random, seen):
        """A text that differs from those seen in more than case and punctuation, or `None`."""
        for _ in range(MAX_TRIES):
            text = self.text(plan, random)
            key = " ".join(re.findall(r"[a-z0-9']+", text.lower()))
            if key not in seen and not any(sentence in key for sentence in HELD_OUT):
                seen.add(key)
                return text
        return None

    def text(self, plan, random):
        """One way to say what a plan says."""
        sentences = [self._sentence(relation, opinions, random) for relation, opinions in plan]
        for _ in range(random.choices((0, 1, 2), weights=(55, 35, 10))[0]):
            sentences.insert(random.randint(0, len(sentences)), self._filler(plan, random))
        sentences = list(dict.fromkeys(sentences))
        return _dressed(sentences, random)

    def _sentence(self, relation, opinions, random):
        templates = self.grammar.templates
        if relation == "two_place_fillers":
            place, other = (opinion.place for opinion in opinions)
            return random.choice(templates.two_place_fillers).format(place=place, other=other)
        if relation == "singles" and random.random() < 0.75:
            return self.grammar.clause(opinions[0], random)
        if relation in ("contrast", "agree") and random.random() < 0.5:
            opinions = opinions[::-1]
        options = getattr(templates, relation)
        if relation in ("contrast", "agree") and random.random() < PLAIN_JOIN_SHARE:
            options = options[:1]
        template = self.grammar.choose(options, opinions[0].positive, random)
        return self.grammar.sentence(template, opinions, random)

    def _filler(self, plan, random):
        templates = self.grammar.templates
        places = {opinion.place for _, opinions in plan for opinion in opinions}
        if templates.place_fillers and random.random() < 0.4:
            return random.choice(templates.place_fillers).format(place=random.choice(sorted(places)))
        return random.choice(templates.fillers)


def _dressed(sentences, random):
    """Capital letters and full stops, now and then the way people type."""
    marks = [s if s[-1] in ".!?" else s + ("!" if random.random() < 0.08 else ".") for s in sentences]
    text = " ".join(marks)
    style = random.random()
    if style < 0.1:
        text = re.sub("location([12])", r"LOCATION\1", text.lower())
    else:
        text = re.sub(r"(^|[.!?] )([a-z])", lambda match: match[1] + match[2].upper(), text)
    return text.rstrip(".") if 0.05 < style < 0.15 else text
