"""The native code of item sets against plain twins."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.rules.associative.class_sets as class_sets
from assay.core import progress
from assay.errors import ParameterError
from assay.rules.associative.class_sets import ClassSets


def table(seed, n=60, d=5, values=3, K=3, weighted=False):
    """Items of d columns, some missing, classes that follow them a little, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, d))
    y = np.where(rng.random(n) < 0.6, (X[:, 0] + X[:, 1]) % K, rng.integers(0, K, n))
    codes = np.where(rng.random((n, d)) < 0.1, -1, X + values * np.arange(d)).astype(np.int32)
    w = rng.integers(1, 4, n) / 2 if weighted else None
    column = np.repeat(np.arange(d), values).astype(np.int32)
    return codes, column, y, w, ClassSets(codes, column, y, K, w)


def counts_by_the_book(codes, y, w, K, items):
    held = np.all([(codes == i).any(axis=1) for i in items], axis=0)
    return np.bincount(y[held], None if w is None else w[held], minlength=K)


def sets_by_levels(codes, column, y, w, K, min_count, sure, max_length, by_antecedent, stop_at_sure):
    """Level by level: sets of k items whose parts of k - 1 items are all there and, if so asked, none is sure."""
    totals = np.bincount(y, w, minlength=K)
    level, result, k = [()], {}, 0
    while level and k < max_length:
        k += 1
        items = sorted({i for s in level for i in s}) if k > 1 else range(len(column))
        level_now, there = [], set(level)
        for s in combinations(items, k):
            parts = list(combinations(s, k - 1))
            if not all(part in there for part in parts) or len({column[i] for i in s}) < k:
                continue
            counts = counts_by_the_book(codes, y, w, K, s)
            best = max(range(K), key=lambda c: (counts[c], totals[c], -c))
            support = counts.sum() if by_antecedent else counts[best]
            if support < min_count * (1 - 1e-12) or not counts.sum():
                continue
            if not (stop_at_sure and (counts > 0).sum() == 1):
                level_now.append(s)
            if counts[best] >= sure * counts.sum() * (1 - 1e-12):
                result[s] = (best, counts[best], counts.sum())
        level = level_now
    return result


@given(
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    by_antecedent=st.booleans(),
    stop_at_sure=st.booleans(),
    min_count=st.sampled_from([1, 2, 4, 8]),
    sure=st.sampled_from([0.0, 0.5, 0.8, 1.0]),
    max_length=st.sampled_from([1, 2, 3, 5]),
)
@settings(deadline=None, max_examples=60)
def test_mined_sets_are_those_found_level_by_level(
    seed, weighted, by_antecedent, stop_at_sure, min_count, sure, max_length
):
    codes, column, y, w, sets = table(seed, n=40, d=4, weighted=weighted)
    result = sets.mine(
        min_count, sure, max_length=max_length, by_antecedent=by_antecedent, stop_at_sure=stop_at_sure
    )
    wanted = sets_by_levels(codes, column, y, w, 3, min_count, sure, max_length, by_antecedent, stop_at_sure)
    got = {result[r]: (result.answer[r], result.correct[r], result.n[r]) for r in range(len(result))}
    assert got == wanted
    assert len(result) == len(wanted)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_sets(weighted):
    codes, _, y, w, sets = table(3, n=200, d=5, weighted=weighted)
    some = [(), (0,), (1, 4), (2, 5, 9), (0, 3, 6, 9, 12), (0, 1)]
    start = np.cumsum([0, *map(len, some)])
    counts = sets.counts(start, np.array([i for s in some for i in s], np.int32))
    wanted = [counts_by_the_book(codes, y, w, 3, s) if s else np.bincount(y, w, minlength=3) for s in some]
    assert_allclose(counts, wanted, rtol=1e-14)


@pytest.mark.parametrize("budget, room", [(1, 20), (400, 64), (10**9, 16)])
def test_a_walk_that_is_left_and_taken_up_again_finds_the_same(monkeypatch, budget, room):
    _, _, _, _, sets = table(5, n=150, d=6)
    whole = sets.mine(2, 0.5, max_length=5).ranked()
    monkeypatch.setattr(class_sets, "BUDGET", budget)
    monkeypatch.setattr(class_sets, "ROOM", room)
    parts = sets.mine(2, 0.5, max_length=5).ranked()
    for name in ("start", "items", "answer", "correct", "n"):
        assert_array_equal(getattr(parts, name), getattr(whole, name))
    assert len(whole) > 500


def test_threads_do_not_matter(monkeypatch):
    _, _, _, _, sets = table(5, n=150, d=6)
    alone = sets.mine(2, 0.5, max_length=4)
    monkeypatch.setattr(class_sets, "WORTH_THREADS", 0)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    together = sets.mine(2, 0.5, max_length=4)
    assert_array_equal(alone.items, together.items)
    assert_array_equal(alone.correct, together.correct)


def cover_by_the_book(rules, codes, y, w, K, enough):
    w = np.ones(len(y)) if w is None else w
    covered, kept, counts = np.zeros(len(y), int), [], []
    for r in range(len(rules)):
        held = np.all([(codes == i).any(axis=1) for i in rules[r]], axis=0) & (covered < enough)
        if (held & (y == rules.answer[r])).any():
            kept.append(r)
            counts.append(np.bincount(y[held], w[held], minlength=K))
            covered[held] += 1
    left = covered == 0
    return kept, np.array(counts), np.bincount(y[left], w[left], minlength=K)


@pytest.mark.parametrize("enough", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_rules_that_cover_in_order(monkeypatch, enough, weighted):
    codes, _, y, w, sets = table(7, n=130, weighted=weighted)
    rules = sets.mine(5, 0.5, max_length=3).ranked()
    wanted = cover_by_the_book(rules, codes, y, w, 3, enough)
    for cells in (class_sets.CELLS, 30):  # all rules at once, or ten at a time
        monkeypatch.setattr(class_sets, "CELLS", cells)
        for got, right in zip(sets.cover(rules, enough), wanted, strict=True):
            assert_allclose(got, right, rtol=1e-12)


def test_rows_that_hold_none_of_the_sets():
    codes, _, y, w, sets = table(9, weighted=True)
    rules = sets.mine(9, 0.5, max_length=2)
    held = np.any(
        [np.all([(codes == i).any(axis=1) for i in rules[r]], axis=0) for r in range(len(rules))], axis=0
    )
    assert_allclose(sets.left_over(rules), np.bincount(y[~held], w[~held], minlength=3), rtol=1e-12)


def test_an_explosion_is_reported_before_it_happens():
    rng = np.random.default_rng(0)
    codes = (rng.random((500, 60)) < 0.5) + 2 * np.arange(60)
    column = np.repeat(np.arange(60), 2).astype(np.int32)
    sets = ClassSets(codes.astype(np.int32), column, rng.integers(0, 2, 500), 2)
    steps = []
    with (
        progress.listen(steps.append),
        pytest.raises(
            ParameterError, match=r"^Miner: about .* item sets of up to 8 items would have to be counted"
        ),
    ):
        sets.mine(5, 0.5, max_length=8, limit=1_000_000, who="Miner")
    assert not steps  # the walk never began


def test_a_limit_that_is_only_just_too_low_stops_the_walk():
    _, _, _, _, sets = table(5, n=150, d=6)
    with pytest.raises(
        ParameterError, match=r"Miner: more than 800 item sets .* Raise min_support, lower max_length"
    ):
        sets.mine(2, 0.5, max_length=4, limit=800, who="Miner")


def test_the_estimate_is_near_the_number_of_sets_counted():
    _, _, _, _, sets = table(11, n=400, d=8)
    order = np.arange(24, dtype=np.int32)
    search = {
        "min_count": 3.0,
        "min_confidence": 0.5,
        "by_antecedent": False,
        "stop_at_sure": True,
        "max_length": 4,
    }
    walk = class_sets._Walk(sets, order, search, 10**9, "Miner")
    walk.run()
    assert 0.5 < sets._estimate(order, search) / (walk.counted + 24) < 2


def test_the_walk_can_be_interrupted(monkeypatch):
    monkeypatch.setattr(progress, "_EVENT_SECONDS", 0.0)  # every step is reported
    _, _, _, _, sets = table(5, n=150, d=6)
    told = []

    def stop(event):
        told.append(event)
        if event.done == 2 and event.state == "running":
            raise KeyboardInterrupt

    with progress.listen(stop), pytest.raises(KeyboardInterrupt):
        sets.mine(1, 0.0, max_length=6, stop_at_sure=False)
    assert told[-1].state == "stopped"
    assert told[-1].done == 2 < told[-1].total
