"""Eclat: its native code against a search with Python's sets, however the rows of bits are made."""

import numpy as np
import pytest

import assay.associations.ranked as ranking
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.eclat import eclat
from assay.associations.ranked import rank_items


def with_python_sets(lists, weights, least):
    """Depth first: the baskets of each item as a set, intersected."""
    items = sorted({c for row in lists for c in row})
    where = {c: {i for i, row in enumerate(lists) if c in row} for c in items}
    result = {}

    def grow(prefix, rows, rest):
        for k, c in enumerate(rest):
            both = rows & where[c]
            count = sum(weights[i] for i in both)
            if count >= least:
                result[(*prefix, c)] = count
                grow((*prefix, c), both, rest[k + 1 :])

    grow((), set(range(len(lists))), items)
    return result


def searched(lists, weights, least, kind="all"):
    baskets = Baskets.from_lists(lists)
    ranked = rank_items(baskets, least, None if weights is None else np.array(weights, np.int64))
    collector = Collector(10**6, lambda n: pytest.fail("too many"))
    eclat(ranked, least, collector, kind)
    indptr, indices, counts = collector.in_order()
    names = [baskets.items[c] for c in indices]
    return {tuple(names[a:b]): c for a, b, c in zip(indptr[:-1], indptr[1:], counts.tolist())}


def some_lists(kind):
    rng = np.random.default_rng(11)
    if kind == "dense":  # more than one word of bits, items in most baskets
        return [np.flatnonzero(row).tolist() for row in rng.random((300, 9)) < 0.6]
    lists = [
        rng.choice(60, 3, replace=False).tolist() for _ in range(900)
    ]  # each item in a twentieth of the baskets
    return lists + [[1, 2, 3, 4, 5]] * 25 + [[7, 8, 9]] * 100


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "short"])
@pytest.mark.parametrize(
    "limits", [{}, {"MOST_BITS": 0}, {"MOST_ITEMS": 0}, {"MOST_BITS": 0, "MOST_ITEMS": 0}], ids=str
)
def test_same_sets_as_with_python_sets(kind, weighted, limits, monkeypatch):
    """With and without a table of pairs, and with and without the bits of all baskets."""
    for name, value in limits.items():
        monkeypatch.setattr(ranking, name, value)
    lists = some_lists(kind)
    weights = np.random.default_rng(3).integers(0, 5, len(lists)).tolist() if weighted else [1] * len(lists)
    least = sum(weights) // 12 if kind == "dense" else 20
    wanted = with_python_sets(lists, weights, least)
    assert max(map(len, wanted)) >= 3
    assert searched(lists, weights if weighted else None, least) == wanted
    closed = {
        s: c for s, c in wanted.items() if not any(e == c and set(t) > set(s) for t, e in wanted.items())
    }
    assert searched(lists, weights if weighted else None, least, "closed") == closed


def test_rare_items_that_stand_in_all_words_of_bits():
    lists = [[0] if i % 64 else [0, 1, 2] for i in range(64 * 70)]  # one bit of each word, 70 in all
    assert searched(lists, None, 70) == with_python_sets(lists, [1] * len(lists), 70)


def test_closed_sets_of_baskets_that_are_all_alike_are_one():
    assert searched([list("abcdefghijklmnopqrstuvwxyz")] * 5, None, 1, "closed") == {
        tuple("abcdefghijklmnopqrstuvwxyz"): 5
    }
    assert searched([list(range(60)), list(range(59))], None, 1, "maximal") == {tuple(range(60)): 1}
