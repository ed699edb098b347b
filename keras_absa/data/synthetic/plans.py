"""What a review says, before it is put into words."""

from random import Random

from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.synthetic.grammar import Opinion

# One sentence of a plan: (relation, opinions). A relation is the name of the templates that can say it.
Plan = list[tuple[str, list[Opinion]]]


def flipped(plan: Plan) -> Plan:
    """The same plan with every polarity reversed: contrast stays contrast, agreement stays agreement."""
    return [(relation, [Opinion(o.aspect, not o.positive, o.place) for o in said]) for relation, said in plan]


def restaurant_plan(task: AspectTask, random: Random) -> Plan:
    """One to four aspects, in one to three sentences."""
    return _one_place_plan(task, random, None)


def neighbourhood_plan(task: AspectTask, random: Random) -> Plan:
    """One place, two places, or two places of which one is only named."""
    kind = random.choices(("one", "two", "named"), weights=(45, 45, 10))[0]
    if kind == "one":
        return _one_place_plan(task, random, task.targets[0])
    if kind == "named":
        place, other = random.sample(task.targets, 2)
        plan = _one_place_plan(task, random, place)
        plan.insert(0, ("two_place_fillers", [Opinion("", True, place), Opinion("", True, other)]))
        return plan
    aspects, plan = random.sample(task.aspects, len(task.aspects)), []
    for relation in random.choices(
        ("one aspect", "two aspects", "one each"), weights=(5, 4, 2), k=random.choices((2, 3), weights=(7, 3))[0]
    ):
        if not aspects:
            break
        places, positive = random.sample(task.targets, 2), random.random() < 0.5
        opposite = random.random() < 0.6
        if relation == "one aspect":
            aspect = aspects.pop()
            said = [Opinion(aspect, positive, places[0]), Opinion(aspect, positive != opposite, places[1])]
            named = "opposed" if opposite else "alike"
            plan.append((named if random.random() < 0.6 else _pair_relation(said), said))
        elif relation == "two aspects" and len(aspects) > 1:
            said = [
                Opinion(aspects.pop(), positive, places[0]),
                Opinion(aspects.pop(), positive != opposite, places[1]),
            ]
            plan.append((_pair_relation(said), said))
        else:
            aspect = aspects.pop()
            plan += [("singles", [Opinion(aspect, random.random() < 0.5, place)]) for place in places]
    return plan


def _one_place_plan(task, random, place):
    size = random.choices((1, 2, 3, 4), weights=(34, 38, 19, 9))[0]
    said = [Opinion(aspect, random.random() < 0.5, place) for aspect in random.sample(task.aspects, size)]
    if size == 3 and random.random() < 0.3:
        return [("triples", said)]
    plan = []
    while said:
        if len(said) > 1 and (len(said) == 4 or random.random() < 0.75):
            one, two = said.pop(), said.pop()
            if random.random() < 0.3:  # as many contrasts again as chance gives
                two = Opinion(two.aspect, not one.positive, place)
            plan.append((_pair_relation([one, two]), [one, two]))
        else:
            plan.append(("singles", [said.pop()]))
    return plan


def _pair_relation(said):
    return "agree" if said[0].positive == said[1].positive else "contrast"
