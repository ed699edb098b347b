"""What a model is asked: the aspects, the targets and the labels of one data set."""

from dataclasses import asdict, dataclass, fields

SCHEMES = ("nli_m", "qa_m", "nli_b", "qa_b", "single")


@dataclass(frozen=True)
class AspectTask:
    """The questions that a model is trained to answer: a closed set of them, or any aspect at all.

    A *context* is a (target, aspect) pair; its id is `target_index * len(aspects) + aspect_index`, which for
    SentiHood and SemEval-2014 are the ids of the public QACG-BERT code. With `open_aspects` an aspect is any string,
    for example a term of the text, and there is one context.

    Args:
        name: A short name, stored with the model.
        aspects: Aspect names as users and data files write them, in context order.
        labels: Label names in id order.
        none_label: The label that says "this aspect is not mentioned", or `None` if there is no such label.
        targets: Placeholders that stand for the targets inside a text, for example
            `("LOCATION1", "LOCATION2")`. Empty for a task without targets.
        aspect_words: Aspects as they are written in an auxiliary sentence. Defaults to `aspects`.
        target_words: Targets as they are written in a text and in an auxiliary sentence. Defaults to `targets`.
        metrics: The scorer: `"sentihood"`, `"semeval2014"`, or `"aspect_sentiment"` (any labels).
        open_aspects: Bool, whether any string can be asked about; then `aspects` is empty, and there are no targets.
            Only models that read the aspect, `BertPairClassifier` and `SelfAttentivePairClassifier`, can be trained on such a
            task. Defaults to False.

    Raises:
        ValueError: If names are missing or given twice, if `none_label` is not a label, or if the words do not
            pair off with their names.

    Example:
        >>> task = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))
        >>> task.context_id(None, "staff")
        1

    Reference:
        Auxiliary sentences: Sun, Huang and Qiu 2019, "Utilizing BERT for Aspect-Based Sentiment Analysis via
        Constructing Auxiliary Sentence", section 3.2.
    """

    name: str
    aspects: tuple[str, ...]
    labels: tuple[str, ...]
    none_label: str | None = None
    targets: tuple[str, ...] = ()
    aspect_words: tuple[str, ...] = ()
    target_words: tuple[str, ...] = ()
    metrics: str = "aspect_sentiment"
    open_aspects: bool = False

    def __post_init__(self):
        for field in ("aspects", "labels", "targets", "aspect_words", "target_words"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        object.__setattr__(self, "aspect_words", self.aspect_words or self.aspects)
        object.__setattr__(self, "target_words", self.target_words or self.targets)
        for field in ("aspects", "labels", "targets"):
            names = getattr(self, field)
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"`{field}` must be distinct: received {twice} more than once. Remove the copies.")
            if not all(isinstance(name, str) and name.strip() for name in names):
                raise ValueError(f"`{field}` must be non-empty strings: received {list(names)}. Name every one.")
        for field in ("labels",) if self.open_aspects else ("aspects", "labels"):
            if not getattr(self, field):
                raise ValueError(f"`{field}` must not be empty: received none. Give at least one name.")
        if self.open_aspects and (self.aspects or self.targets):
            raise ValueError(
                f"A task with `open_aspects` names no aspects and no targets: received {list(self.aspects or self.targets)}. "
                "Leave them out: any string can be asked about."
            )
        if self.none_label is not None and self.none_label not in self.labels:
            raise ValueError(
                f"`none_label` must be one of the labels {list(self.labels)}: received {self.none_label!r}. "
                "Add it to `labels`, or pass None."
            )
        for names, words in (("aspects", "aspect_words"), ("targets", "target_words")):
            if len(getattr(self, names)) != len(getattr(self, words)):
                raise ValueError(
                    f"`{words}` must have one entry for each of `{names}`: received {len(getattr(self, words))} "
                    f"for {len(getattr(self, names))}. Leave it out to use the names themselves."
                )

    @property
    def num_contexts(self) -> int:
        """How many (target, aspect) pairs there are."""
        return 1 if self.open_aspects else max(1, len(self.targets)) * len(self.aspects)

    @property
    def contexts(self) -> tuple[tuple[str | None, str], ...]:
        """All (target, aspect) pairs in the order of their ids, none of an open task; without targets, the target is `None`."""
        return tuple((target, aspect) for target in self.targets or (None,) for aspect in self.aspects)

    def context_id(self, target: str | None, aspect: str) -> int:
        """The id of (target, aspect).

        A target given by its placeholder keeps its own place; any other surface form is the target in question and
        takes the first one.
        """
        if self.open_aspects and not (isinstance(aspect, str) and aspect.strip()):
            raise ValueError(
                f"`aspect` must be a string of some words in task {self.name!r}: received {aspect!r}. Name what the "
                "question is about."
            )
        if not self.open_aspects and aspect not in self.aspects:
            raise ValueError(
                f"`aspect` must be one of {list(self.aspects)} in task {self.name!r}: received {aspect!r}. "
                "Correct the name, or train a model on a task that has it."
            )
        if bool(self.targets) != (target is not None):
            rule = f"one of {list(self.targets)} or a name that stands in the text" if self.targets else "None"
            raise ValueError(f"`target` must be {rule} in task {self.name!r}: received {target!r}. Correct the row.")
        if self.open_aspects:
            return 0
        place = self.targets.index(target) if target in self.targets else 0
        return place * len(self.aspects) + self.aspects.index(aspect)

    def label_id(self, label: str) -> int:
        """The id of a label name."""
        if label not in self.labels:
            raise ValueError(
                f"`label` must be one of {list(self.labels)} in task {self.name!r}: received {label!r}. "
                "Correct the label, or add it to the task."
            )
        return self.labels.index(label)

    def auxiliary_sentence(
        self, scheme: str, context_id: int, label: str | None = None, aspect: str | None = None
    ) -> str:
        """The second sentence that asks for a context, as Sun et al. write it.

        Args:
            scheme: `"nli_m"`, `"qa_m"`, `"nli_b"`, `"qa_b"` or `"single"` (an empty string).
            context_id: Int, the context.
            label: The candidate label; needed by the two binary schemes only.
            aspect: The aspect; needed by a task with `open_aspects` only.
        """
        if scheme not in SCHEMES:
            raise ValueError(f"`scheme` must be one of {list(SCHEMES)}: received {scheme!r}. Pick one of them.")
        if scheme.endswith("_b") and label not in self.labels:
            raise ValueError(
                f"`label` must be one of {list(self.labels)} for scheme {scheme!r}: received {label!r}. Name the "
                "candidate that the sentence claims."
            )
        place = 0
        if not self.open_aspects:
            place, aspect_index = divmod(context_id, len(self.aspects))
            aspect = self.aspect_words[aspect_index]
        target = self.target_words[place] if self.targets else None
        name = f"{target} - {aspect}" if target else aspect
        if scheme == "nli_m":
            return name
        if scheme == "qa_m":
            return f"what do you think of the {aspect} of {target or 'it'} ?"
        if scheme == "nli_b":
            return f"{label} - {name}"
        if scheme == "qa_b":
            return f"the polarity of the aspect {aspect}{f' of {target} -' if target else ''} is {label} ."
        return ""

    def to_dict(self) -> dict:
        """Plain values, for a JSON file."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: dict) -> "AspectTask":
        """The task that `to_dict` described."""
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise ValueError(f"A task has no fields {unknown}: received them. Was it saved by a newer keras_absa?")
        return cls(**values)


def sentihood() -> AspectTask:
    """SentiHood: two targets, four aspects, three labels (Saeidi et al. 2016).

    Example:
        >>> task = sentihood()
        >>> task.num_contexts, task.targets
        (8, ('LOCATION1', 'LOCATION2'))
    """
    return AspectTask(
        name="sentihood",
        aspects=("general", "price", "safety", "transit-location"),
        labels=("None", "Positive", "Negative"),
        none_label="None",
        targets=("LOCATION1", "LOCATION2"),
        aspect_words=("general", "price", "safety", "transit location"),
        target_words=("location - 1", "location - 2"),
        metrics="sentihood",
    )


def semeval2014() -> AspectTask:
    """SemEval-2014 task 4, restaurants, aspect categories: five aspects, five labels (Pontiki et al. 2014).

    Example:
        >>> semeval2014().labels
        ('positive', 'neutral', 'negative', 'conflict', 'none')
    """
    return AspectTask(
        name="semeval2014",
        aspects=("price", "anecdotes", "food", "ambience", "service"),
        labels=("positive", "neutral", "negative", "conflict", "none"),
        none_label="none",
        metrics="semeval2014",
    )


def mams() -> AspectTask:
    """MAMS, aspect categories: eight aspects, four labels (Jiang et al. 2019).

    Example:
        >>> mams().num_contexts
        8
    """
    return AspectTask(
        name="mams",
        aspects=("food", "service", "staff", "price", "ambience", "menu", "place", "miscellaneous"),
        labels=("positive", "neutral", "negative", "none"),
        none_label="none",
    )


def aspect_terms(name: str = "aspect_terms", labels=("positive", "neutral", "negative")) -> AspectTask:
    """Any term of a text: SemEval-2014 and MAMS aspect terms, Twitter targets and the like.

    Args:
        name: The task's name.
        labels: Label names in id order. SemEval-2014's own files have a fourth one, `"conflict"`.

    Returns:
        An `AspectTask` with `open_aspects`.

    Example:
        >>> aspect_terms().auxiliary_sentence("nli_m", 0, aspect="miso soup")
        'miso soup'
    """
    return AspectTask(name=name, aspects=(), labels=labels, open_aspects=True)


def snli() -> AspectTask:
    """SNLI and MultiNLI: what a hypothesis is to its premise (Bowman et al. 2015); the hypothesis is the open aspect.

    Example:
        >>> snli().labels
        ('entailment', 'neutral', 'contradiction')
    """
    return AspectTask(name="snli", aspects=(), labels=("entailment", "neutral", "contradiction"), open_aspects=True)


def yelp() -> AspectTask:
    """Yelp's reviews: one to five stars for the whole text.

    Example:
        >>> yelp().contexts
        ((None, 'overall'),)
    """
    return AspectTask(name="yelp", aspects=("overall",), labels=("1", "2", "3", "4", "5"))


def restaurants() -> AspectTask:
    """The built-in restaurant reviews: four aspects, three labels (`keras_absa.data.synthetic`).

    Example:
        >>> restaurants().aspects
        ('food', 'service', 'price', 'ambience')
    """
    return AspectTask(
        name="restaurants",
        aspects=("food", "service", "price", "ambience"),
        labels=("none", "positive", "negative"),
        none_label="none",
    )


def neighbourhoods() -> AspectTask:
    """The built-in neighbourhood reviews: SentiHood's questions on generated text (`keras_absa.data.synthetic`).

    Example:
        >>> neighbourhoods().aspects == sentihood().aspects
        True
    """
    values = sentihood().to_dict()
    return AspectTask.from_dict({**values, "name": "neighbourhoods"})
