"""A graph of relations as queries: which nodes does a relation lead to from here?

Shapes: Q queries, P tails of the query with most.
"""

from collections.abc import Iterable

import numpy as np


class RelationGraph:
    """Distinct (head, relation) pairs with all their tails, in both directions.

    Args:
        rows: (head, relation, tail), names; what stands twice counts once.
        dev_share: Float, share of the distinct rows that are kept for measuring. Defaults to 0.01.
        seed: Int, which ones. Defaults to 0.

    Attributes:
        nodes: Names; a node's id is its place, from 1.
        relations: Names, each with `_reverse` after it for the other direction; an id is a place, from 1.
        train, dev: Int arrays [Q], [Q], [Q, P]: heads, relations and tails, 0 for padding.
        dev_known: Int [Q, P'], all tails of dev's queries, in train and dev; each row ends with 0.

    Raises:
        ValueError: If there are no rows, or `dev_share` is not in [0, 1).

    Example:
        >>> graph = RelationGraph([("soup", "is_a", "dish"), ("pho", "is_a", "soup"), ("pho", "is_a", "dish")], dev_share=0)
        >>> heads, relations, tails = graph.train
        >>> graph.nodes[heads[2] - 1], graph.relations[relations[2] - 1], [graph.nodes[each - 1] for each in tails[2]]
        ('pho', 'is_a', ['soup', 'dish'])

    Reference:
        Balazevic et al. 2019, section 5.2: reversed relations, and all tails of a query at once.
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]], dev_share: float = 0.01, seed: int = 0):
        rows = list(dict.fromkeys(map(tuple, rows)))
        if not rows or not 0.0 <= dev_share < 1.0:
            raise ValueError(
                f"A RelationGraph needs rows, and a `dev_share` in [0, 1): received {len(rows)} and {dev_share}. Correct it."
            )
        self.nodes = list(dict.fromkeys(name for head, _, tail in rows for name in (head, tail)))
        names = dict.fromkeys(relation for _, relation, _ in rows)
        self.relations = [each for name in names for each in (name, f"{name}_reverse")]
        nodes = {name: place for place, name in enumerate(self.nodes, start=1)}
        places = {name: place for place, name in enumerate(self.relations, start=1)}
        both = [
            (
                (nodes[head], places[relation], nodes[tail]),
                (nodes[tail], places[f"{relation}_reverse"], nodes[head]),
            )
            for head, relation, tail in rows
        ]
        order = np.random.default_rng(seed).permutation(len(both))
        held_out = set(order[: int(round(dev_share * len(both)))].tolist())
        parts = {False: {}, True: {}}
        known: dict[tuple[int, int], list[int]] = {}
        for place, pair in enumerate(both):
            for head, relation, tail in pair:
                parts[place in held_out].setdefault((head, relation), []).append(tail)
                known.setdefault((head, relation), []).append(tail)
        self.train, self.dev = _arrays(parts[False]), _arrays(parts[True])
        self.dev_known = np.pad(_arrays({query: known[query] for query in parts[True]})[2], [(0, 0), (0, 1)])

    def dev_ranks(self, model, batch_size: int = 128) -> np.ndarray:
        """A `TuckER`'s rank of each tail of each query of dev, see `TuckER.ranks`."""
        heads, relations, tails = self.dev
        rows, places = np.nonzero(tails)
        found = []
        for start in range(0, len(rows), batch_size):
            own = rows[start : start + batch_size]
            target = tails[own, places[start : start + batch_size]]
            found.append(model.ranks(heads[own], relations[own], target, self.dev_known[own]))
        return np.concatenate(found) if found else np.zeros([0], "int64")


def _arrays(queries):
    heads = np.array([head for head, _ in queries], "int32")
    relations = np.array([relation for _, relation in queries], "int32")
    tails = np.zeros([len(queries), max(map(len, queries.values()), default=0)], "int32")
    for row, own in enumerate(queries.values()):
        tails[row, : len(own)] = own
    return heads, relations, tails
