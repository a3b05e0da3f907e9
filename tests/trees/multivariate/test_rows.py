"""The rows of a node: impurity, cuts, and the line searches of the native code against their readable twins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay.trees._oblique as _oblique
from assay.trees.multivariate.rows import CRITERIA, NodeRows


def drawn(seed, n=40, d=3, K=3, weighted=True):
    """Rows of a few distinct numbers, so that ties occur."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)) / 2 + rng.choice([0.0, 0.125], (n, d))
    y = rng.integers(0, K, n) if K else rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)


def impurity_by_the_book(y, w, K, criterion):
    if K == 0:
        mean = np.average(y, weights=w)
        return np.average((y - mean) ** 2, weights=w)
    p = np.array([w[y == k].sum() for k in range(K)]) / w.sum()
    return 1 - np.sum(p**2) if criterion == "gini" else -np.sum(p[p > 0] * np.log2(p[p > 0]))


def after_by_the_book(left, y, w, K, criterion):
    """The impurity of both sides, weighed by their rows; inf if one is empty."""
    if left.all() or not left.any():
        return np.inf
    sides = [(y[side], w[side]) for side in (left, ~left)]
    return sum(w_.sum() * impurity_by_the_book(y_, w_, K, criterion) for y_, w_ in sides) / w.sum()


def best_step_by_the_book(v, a, y, w, K, criterion):
    """All crossings, every gap between distinct ones tried; (t, impurity) of the best, the shortest among equals."""
    with np.errstate(divide="ignore"):
        crossing = np.sort(-v[a != 0] / a[a != 0])
    gaps = [(low, high) for low, high in pairwise(crossing) if high - low > 1e-9]
    tried = [
        ((low + high) / 2, after_by_the_book(v + (low + high) / 2 * a <= 0, y, w, K, criterion))
        for low, high in gaps
    ]
    least = min((impurity for _, impurity in tried), default=np.inf)
    equal = [t for t, impurity in tried if impurity <= least + 1e-10]
    return (min(equal, key=abs) if np.isfinite(least) else 0.0), least


CASES = [
    (seed, K, criterion) for seed in range(6) for K, criterion in ((2, "gini"), (3, "entropy"), (0, "gini"))
]


@pytest.mark.parametrize("seed, K, criterion", CASES)
def test_the_best_step_is_the_best_of_all_steps(seed, K, criterion):
    X, y, w = drawn(seed, K=K)
    rng = np.random.default_rng(seed + 100)
    v, a = X @ rng.integers(-2, 3, 3) + 0.3, X @ rng.integers(-2, 3, 3) + rng.integers(-1, 2)
    target = y - np.average(y, weights=w) if K == 0 else y.astype(float)
    t, impurity = _oblique.best_step(
        v,
        a,
        _oblique.Case(y=target, w=w, K=K, criterion=CRITERIA.index(criterion), min_leaf=1, min_weight=0.0),
    )
    wanted, least = best_step_by_the_book(v, a, y, w, K, criterion)
    assert_allclose(impurity, least, rtol=1e-9)
    if np.isfinite(least):
        assert_allclose(after_by_the_book(v + t * a <= 0, y, w, K, criterion), least, rtol=1e-9)
        assert_allclose(abs(t), abs(wanted), rtol=1e-9)


@pytest.mark.parametrize("seed, K, criterion", CASES)
def test_the_best_column_is_the_best_of_all_thresholds(seed, K, criterion):
    X, y, w = drawn(seed, K=K)
    rows = NodeRows(X, y, w, K, criterion)
    split, impurity = rows.best_threshold
    tried = {
        (j, (low + high) / 2): after_by_the_book(X[:, j] <= (low + high) / 2, y, w, K, criterion)
        for j in range(3)
        for low, high in pairwise(np.unique(X[:, j]))
    }
    assert_allclose(impurity, min(tried.values()), rtol=1e-9)
    assert_allclose(tried[split.column, split.threshold], impurity, rtol=1e-9)
    assert_allclose(rows.impurity_of(split.branch(X)), impurity, rtol=1e-9)


class Draws:
    """splitmix64, as the native code draws."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        full = 2**64
        self.state = (self.state + 0x9E3779B97F4A7C15) % full
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % full
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % full
        return ((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0


def descend_by_the_book(Z, y, w, K, criterion, weights, jumps, seed):
    """Coordinate after coordinate until no cycle helps, then jumps; equal moves with falling probability."""
    weights, d, draws, idle = weights.copy(), len(Z), Draws(seed), 0
    lifted = np.vstack((Z, np.ones(Z.shape[1])))
    loss = after_by_the_book(weights @ lifted <= 0, y, w, K, criterion)
    slack = 1e-11 * impurity_by_the_book(y, w, K, criterion)
    while loss > slack:
        before = loss
        for j in range(d + 1):
            t, found = best_step_by_the_book(weights @ lifted, lifted[j], y, w, K, criterion)
            if found == np.inf:
                continue
            if found < loss - slack:
                idle = 0
            else:
                if found > loss + slack:
                    continue
                u = 0.5 * (draws.uniform() + 1)
                p, idle = np.exp(-idle), idle + 1
                if u >= p:
                    continue
            weights[j] += t
            loss = found
        weights /= np.linalg.norm(weights[:d])
        if loss < before - slack:
            continue
        for _ in range(jumps):
            direction = np.array([draws.uniform() for _ in range(d + 1)])
            t, found = best_step_by_the_book(weights @ lifted, direction @ lifted, y, w, K, criterion)
            if found < loss - slack:
                weights, loss, idle = weights + t * direction, found, 0
                break
        else:
            break
    return weights, loss


@pytest.mark.parametrize("jumps", [0, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_descent_goes_the_way_of_its_twin(seed, jumps):
    X, y, w = drawn(seed, n=25, K=2)
    rows = NodeRows(X, y, w, 2)
    start = np.random.default_rng(seed).uniform(-1, 1, 4)
    start[-1] = -np.median(start[:-1] @ rows.columns)
    weights, impurity = rows.descend(start, rows.columns, jumps=jumps, seed=seed)
    wanted, least = descend_by_the_book(rows.columns, y, w, 2, "gini", start, jumps, seed)
    assert_allclose(impurity, least, rtol=1e-9, atol=1e-12)
    assert_allclose(
        weights[:-1] / np.linalg.norm(weights[:-1]), wanted[:-1] / np.linalg.norm(wanted[:-1]), atol=1e-8
    )
    assert_allclose(
        after_by_the_book(weights[:-1] @ rows.columns + weights[-1] <= 0, y, w, 2, "gini"), least, atol=1e-12
    )


@given(
    seed=st.integers(0, 10**6),
    K=st.sampled_from([0, 2, 4]),
    shifts=st.sampled_from([(0.0,), (-0.25, 0.0, 0.25)]),
)
@settings(max_examples=40, deadline=None)
def test_a_descent_never_ends_higher_than_it_starts(seed, K, shifts):
    X, y, w = drawn(seed, K=K)
    rows = NodeRows(X, y, w, K)
    start = np.random.default_rng(seed).normal(size=4)
    before = after_by_the_book(start[:-1] @ rows.columns + start[-1] <= 0, y, w, K, "gini")
    weights, impurity = rows.descend(start, rows.columns, shifts, jumps=3, seed=seed)
    assert impurity <= before + 1e-12
    after = after_by_the_book(weights[:-1] @ rows.columns + weights[-1] <= 0, y, w, K, "gini")
    assert_allclose(after, impurity, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [150, 5000])
def test_many_rows_are_sorted_as_few_are(n):
    """From 200 rows on the native code counts instead of comparing; near-equal numbers among them."""
    rng = np.random.default_rng(n)
    z = np.concatenate((rng.normal(size=n // 2), 1 + rng.normal(size=n - n // 2) * 1e-9))
    y, w = (z + rng.normal(size=n) > 0).astype(int), np.ones(n)
    threshold, impurity = NodeRows(z[:, None], y, w, 2).cut(z)
    order = np.sort(z)
    cuts = (order[1:] + order[:-1]) / 2
    left = np.cumsum(np.eye(2)[y[np.argsort(z)]], axis=0)[:-1]
    right = left[-1] + np.eye(2)[y[np.argmax(z)]] - left
    after = (
        left.sum(1) - (left**2).sum(1) / left.sum(1) + right.sum(1) - (right**2).sum(1) / right.sum(1)
    ) / n
    assert_allclose(impurity, after.min(), rtol=1e-9)
    assert_allclose(after[np.argmin(np.abs(cuts - threshold))], after.min(), rtol=1e-9)


def test_sides_are_never_smaller_or_lighter_than_asked():
    z = np.arange(10.0)
    y = (z >= 1).astype(int)
    for least in (1, 2, 4):
        threshold, _ = NodeRows(z[:, None], y, np.ones(10), 2, min_leaf=least).cut(z)
        assert threshold == max(least, 1) - 0.5
    threshold, _ = NodeRows(z[:, None], y, np.full(10, 0.5), 2, min_weight=1.4).cut(z)
    assert threshold == 2.5
    assert NodeRows(z[:, None], y, np.ones(10), 2, min_leaf=6).cut(z) == (0.0, np.inf)


def test_among_equal_cuts_the_widest_gap_is_taken():
    z = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    assert NodeRows(z[:, None], np.array([0, 0, 1, 0, 0]), np.ones(5), 2).cut(z)[0] == 6.0


def test_columns_of_any_size_are_standardised():
    X = np.array([[1e200, 5.0, 1e-200], [-1e200, 5.0, 3e-200], [1e200, 5.0, 2e-200]])
    rows = NodeRows(X, np.array([0, 1, 0]), np.ones(3), 2)
    assert_allclose(rows.standard[:, 0], [0.70710678, -1.41421356, 0.70710678], atol=1e-8)
    assert_allclose(rows.standard[:, 1], 0)
    assert_allclose(rows.standard[:, 2], [-1.22474487, 1.22474487, 0], atol=1e-8)


def test_equal_rows_stay_in_the_same_half():
    X = np.repeat(np.arange(30.0)[:, None], 3, axis=0)
    rows = NodeRows(X, np.zeros(90, int), np.ones(90), 1)
    half = rows.halves(np.random.default_rng(0))
    assert half.sum() == 45 and (half.reshape(30, 3).all(axis=1) | ~half.reshape(30, 3).any(axis=1)).all()
    mixed = np.random.default_rng(1).permutation(90)
    np.testing.assert_array_equal(rows.take(mixed).halves(np.random.default_rng(0)), half[mixed])


def test_a_sample_is_about_as_large_as_asked_and_asks_less_of_its_sides():
    rng = np.random.default_rng(0)
    rows = NodeRows(
        rng.normal(size=(1000, 2)), rng.integers(0, 2, 1000), np.ones(1000), 2, min_leaf=20, min_weight=30.0
    )
    which, part = rows.sample(rng, 100)
    assert len(part) == which.sum() == 100 and part.min_leaf == 2
    assert_allclose(part.min_weight, 3.0)


@pytest.mark.parametrize("criterion, pure", [("gini", 0.5), ("entropy", 1.0)])
def test_impurity_of_two_even_classes(criterion, pure):
    rows = NodeRows(np.zeros((4, 1)), np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.5, 1.5]), 2, criterion)
    assert_allclose(rows.impurity, pure)


@pytest.mark.parametrize(
    "change",
    [
        {"y": np.array([0.0, 2.0])},
        {"y": np.array([0.0, -1.0])},
        {"y": np.array([0.0])},
        {"w": np.ones(3)},
        {"criterion": 2},
        {"min_leaf": 0},
    ],
)
def test_the_kernel_refuses_what_does_not_fit(change):
    case = {
        "y": np.array([0.0, 1.0]),
        "w": np.ones(2),
        "K": 2,
        "criterion": 0,
        "min_leaf": 1,
        "min_weight": 0.0,
    }
    with pytest.raises(ValueError, match="oblique"):
        _oblique.best_column(np.zeros((1, 2)), _oblique.Case(**{**case, **change}), 0.0)
