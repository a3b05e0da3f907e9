"""Solvers that go over the columns: penalised intercepts as columns, histories in one unit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from assay.linear.logistic.logistic_by_columns import solve_by_columns


def table(K):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) + 1
    return (
        X,
        (X @ rng.normal(size=(4, K)) + rng.gumbel(size=(120, K))).argmax(axis=1),
        rng.uniform(0.5, 2, 120),
    )


def value(W, X, y, w, C, ratio, strength):
    """(2) of LogisticRegression, divided by C times the sum of the weights."""
    Z = X @ W[:-1] + W[-1]
    Z = np.column_stack((np.zeros(len(y)), Z)) if W.shape[1] == 1 else Z
    loss = np.logaddexp.reduce(Z, axis=1) - Z[np.arange(len(y)), y]
    penalised = np.vstack((W[:-1], np.sqrt(strength) * W[-1:]))
    penalty = (1 - ratio) / 2 * (penalised**2).sum() + ratio * np.abs(penalised).sum()
    return ((w * loss).sum() + penalty / C) / w.sum()


CASES = [(2, 0.0, True), (3, 0.0, True)]  # dense rows with a ridge are learned by sums
CASES += [(K, ratio, sparse) for K, ratio in ((2, 0.5), (2, 1.0), (3, 0.7)) for sparse in (False, True)]


@pytest.mark.parametrize("strength", [0.0, 1.0, 0.25])
@pytest.mark.parametrize(("K", "ratio", "sparse"), CASES)
def test_no_weights_nearby_are_better(K, ratio, sparse, strength):
    X, y, w = table(K)
    how = {"fit_intercept": True, "intercept_strength": strength, "tol": 1e-9, "max_iter": 500}
    W, optimum = solve_by_columns(csr_matrix(X) if sparse else X, y, w, K, 0.3, ratio, start=None, **how)
    best = value(W, X, y, w, 0.3, ratio, strength)
    assert_allclose(optimum.history[-1].value, best, rtol=1e-8)
    assert optimum.history[-1].gradient <= 1e-8  # in the unit of tol, up to rounding
    rng = np.random.default_rng(1)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(10):
            assert value(W + size * rng.normal(size=W.shape), X, y, w, 0.3, ratio, strength) > best
    again, second = solve_by_columns(
        csr_matrix(X) if sparse else X, y, w, K, 0.3, ratio, start=W.T, **{**how, "tol": 1e-6}
    )
    assert second.n_iter <= 1
    assert_allclose(again, W, atol=1e-5)
