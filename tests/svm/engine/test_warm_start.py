"""Starts along a path over the penalty, and the cost that is told beforehand."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.kernels import RBF, MatrixRows
from assay.svm.engine import Dual, estimate, solve, warm_start
from assay.svm.engine.warm_start import shifted


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] * X[:, 1] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_a_path_over_the_penalty_takes_fewer_steps_to_the_same_optima():
    penalties = np.logspace(-1, 3, 9)
    cold, warm = np.zeros(9), np.zeros(9)
    for seed in range(3):
        X, y = rows(seed=seed)
        gram, before = MatrixRows(RBF()(X)), None
        for k, C in enumerate(penalties):
            dual = Dual(y, -np.ones(400), np.full(400, C), np.zeros(400))
            found = first = solve(gram, dual)
            if before is not None:
                begun = warm_start(dual, *before)
                assert (begun.start >= 0).all() and (begun.start <= C).all()
                assert_allclose(y @ begun.start, 0, atol=1e-9 * C)
                found = solve(gram, begun)
            cold[k] += first.iterations
            warm[k] += found.iterations
            assert found.converged
            assert_allclose(found.objective, first.objective, rtol=1e-5)
            before = dual, found
    assert warm[1:4].sum() < 0.7 * cold[1:4].sum()  # up to C = 3
    assert warm.sum() < 0.9 * cold.sum()


@pytest.mark.parametrize("form", ["sum", "each sign", "none"])
@pytest.mark.parametrize("old", [0.5, 2.0, np.inf])
@pytest.mark.parametrize("new", [0.1, 2.0, np.inf])
@pytest.mark.parametrize("two", [False, True])
def test_the_start_meets_its_bounds_and_the_constraint_of_the_new_problem(form, old, new, two):
    rng = np.random.default_rng(0)
    n, m = 50, 100 if two else 50
    sign = np.repeat([1.0, -1.0], n) if two else rows(n)[1]
    weight = rng.choice([0.0, 1.0, 2.0], size=m)
    with np.errstate(invalid="ignore"):
        upper, other = (np.where(weight > 0, C * weight, 0.0) for C in (old, new))
    start = np.zeros(m) if form != "each sign" else 0.03 * (weight > 0)
    before = Dual(sign, -rng.random(m), upper, np.zeros(m), form)
    dual = Dual(sign, -np.ones(m), other, start, form)
    alpha = np.where(weight > 0, np.minimum(3 * rng.random(m) ** 2, upper), 0.0)

    class FromElsewhere:
        pass

    solution = FromElsewhere()
    solution.alpha = alpha
    begun = warm_start(dual, before, solution)
    assert (begun.start >= 0).all() and (begun.start <= other).all()
    groups = {"none": [], "sum": [sign != 0], "each sign": [sign > 0, sign < 0]}[form]
    for group in groups:
        assert_allclose((sign * begun.start)[group].sum(), (sign * start)[group].sum(), atol=1e-12)


def shifted_by_halves(beta, low, high, total):
    """The twin: the interval in which the shift lies is halved until no number is left in it."""
    reach = 1e3 * (np.abs(beta).max() + abs(total) + np.abs(beta).sum())
    below, above = -reach, reach
    while below < (middle := (below + above) / 2) < above:
        below, above = (middle, above) if np.clip(beta + middle, low, high).sum() < total else (below, middle)
    return np.clip(beta + above, low, high)


@given(
    st.integers(1, 60), st.sampled_from(["both", "above", "none"]), st.floats(0, 1), st.integers(-120, 120),
    st.sampled_from([0, 12]), st.integers(0, 10**6),
)  # fmt: skip
def test_a_shift_adds_up_between_bounds_of_all_sizes(n, bounds, share, power, units, seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** (power - rng.integers(0, units + 1, n))
    low, high = -size * rng.integers(0, 3, n), size * rng.integers(0, 3, n)  # a third are equal to 0
    beta = low + (high - low) * rng.random(n) ** rng.choice([0.2, 1.0, 5.0])
    total = share * high.sum() + (1 - share) * low.sum()
    if bounds != "both":
        high = np.where(rng.random(n) < 0.5, np.inf, high)
    if bounds == "none":
        low, high = np.full(n, -np.inf), np.full(n, np.inf)
    moved = shifted(beta.copy(), low, high, total)
    assert (low <= moved).all() and (moved <= high).all()
    largest = np.abs(beta).sum() + abs(total)
    assert abs(moved.sum() - total) <= 1e-14 * largest
    assert_allclose(moved, shifted_by_halves(beta, low, high, total), rtol=0, atol=1e-13 * largest)


def test_a_shift_takes_few_looks_at_all_multipliers(monkeypatch):
    """Halves of an interval would take one for each bit of the shift, 53."""
    room = importlib.import_module("assay.svm.engine.warm_start")
    looks, moved = [], room._moved
    monkeypatch.setattr(room, "_moved", lambda *given: looks.append(1) or moved(*given))
    rng = np.random.default_rng(0)
    beta = rng.random(500)
    for total in (1e-3, 10.0, 250.0, 400.0, 499.9):
        looks.clear()
        assert_allclose(shifted(beta, np.zeros(500), np.ones(500), total).sum(), total, rtol=1e-15)
        assert len(looks) <= 30


def test_the_cost_is_told_within_a_factor():
    X, y = rows(3000)
    dual = Dual(y, -np.ones(3000), np.ones(3000), np.zeros(3000))
    told, found = estimate(RBF().gram_rows(X), dual), solve(RBF().gram_rows(X), dual)
    assert 1 / 3 < told.steps / found.iterations < 3
    assert 0.5 < told.support / np.count_nonzero(found.alpha) < 2
    assert told.seconds > 0 and told.values == 3000**2
    assert_allclose(told.megabytes, 4 * 3000**2 / 2**20)
    small = estimate(RBF().gram_rows(X), dual, cache_size=1.0)
    assert small.megabytes == 1.0 and small.values != told.values
    two = Dual(
        np.repeat([1.0, -1.0], 3000), np.concatenate([0.1 - y, 0.1 + y]), np.ones(6000), np.zeros(6000)
    )
    assert 0 < estimate(RBF().gram_rows(X), two).support <= 3000
