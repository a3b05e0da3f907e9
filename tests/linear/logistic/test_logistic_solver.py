"""Every way to the minimum leads to the same minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.linear.logistic.logistic_solver as solver
from assay.core.sums import Rows
from assay.linear.logistic.logistic_objective import LogisticObjective, Scale
from assay.linear.logistic.logistic_solver import minimise, runs_away
from assay.linear.logistic.row_sample import survey


def problem(n=3000, d=6, K=3, strength=1.0, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 3, d)
    y = ((X / X.std(axis=0)) @ rng.normal(size=(d, K)) + noise * rng.gumbel(size=(n, K))).argmax(axis=1)
    objective = LogisticObjective(
        Rows(X, y), K, Scale.of(X.mean(axis=0), X.var(axis=0), float(n), True), strength=strength
    )
    return objective, Rows(X, y)


@pytest.mark.parametrize("K", [2, 3, 6])
def test_all_ways_meet(K, monkeypatch):
    objective, rows = problem(K=K)
    start = np.zeros(objective.shape).ravel()
    newton = minimise(objective, None, 3000, start, method="newton", tol=1e-11, max_iter=100)
    assert newton.converged
    sample = survey(rows, K, 600 // K).sample.rows()
    ways = {"sample": minimise(objective, sample, 3000, start, tol=1e-11, max_iter=500)}
    for name, settings in {
        "stages": {"NEWTON_WEIGHTS": 0},
        "two stages": {"CHEAP_MULTIPLICATIONS": 0, "MIN_DIAGONAL_STEPS": 2},
        "many stages": {"NEWTON_WEIGHTS": 0, "MAX_CURVATURE_WEIGHTS": 0, "MIN_DIAGONAL_STEPS": 2},
        "one stage": {"NEWTON_WEIGHTS": 0, "MAX_CURVATURE_WEIGHTS": 0, "MAX_MATRIX_ENTRIES": 0},
    }.items():
        with monkeypatch.context() as patch:
            for setting, value in settings.items():
                patch.setattr(solver, setting, value)
            ways[name] = minimise(objective, None, 3000, start, tol=1e-10, max_iter=2000)
    for name, result in ways.items():
        assert result.converged, name
        assert_allclose(result.w, newton.w, atol=1e-6, err_msg=name)
        assert [record.iteration for record in result.history] == list(range(len(result.history)))
    assert len(ways["sample"].history) < 20


def test_a_start_off_balance_finds_its_balance():
    """Weights that all classes share are drawn to 0 by the penalty, whatever the way."""
    objective, rows = problem(K=4)
    start = np.random.default_rng(0).normal(size=objective.shape).ravel() + 5
    sample = survey(rows, 4, 150).sample.rows()
    for result in (
        minimise(objective, None, 3000, start, tol=1e-10, max_iter=200),
        minimise(objective, sample, 3000, start, tol=1e-10, max_iter=200),
    ):
        assert result.converged
        assert_allclose(result.w.reshape(objective.shape)[:-1].sum(axis=1), 0, atol=1e-5)


def test_rare_columns_that_the_sample_lacks():
    rng = np.random.default_rng(0)
    n = 20_000
    X = np.column_stack((rng.normal(size=n), np.zeros(n)))
    X[::2500, 1] = 1.0  # eight rows
    y = (X[:, 0] + rng.logistic(size=n) > 0).astype(np.int64)
    objective = LogisticObjective(
        Rows(X, y), 2, Scale.of(X.mean(axis=0), X.var(axis=0), float(n), True), strength=1e-9
    )
    sample = Rows(X[1:400], y[1:400], np.full(399, n / 399))
    result = minimise(objective, sample, n, np.zeros(3), tol=1e-10, max_iter=100)
    exact = minimise(objective, None, n, np.zeros(3), method="newton", tol=1e-12, max_iter=100)
    assert result.converged
    assert_allclose(result.w, exact.w, atol=1e-5)


@pytest.mark.parametrize("K", [2, 3])
def test_a_minimum_nearby_and_none(K):
    far, _ = problem(400, 2, K, strength=0.0, noise=0.0)  # separable
    near, _ = problem(400, 2, K, strength=0.0)
    for tol in (1e-3, 1e-6):
        for objective, away in ((far, True), (near, False)):
            result = minimise(objective, None, 400, np.zeros(objective.shape).ravel(), tol=tol, max_iter=100)
            assert runs_away(objective, result.w) == away
