"""Steps on a face: the optimality conditions of the whole problem hold where they end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from assay.svm import CrammerSingerSVC, WestonWatkinsSVC
from assay.svm.multiclass.face_steps import face_steps


def problem(each, C, seed=0, n=25, K=4, d=3):
    """Kernel matrix, bounds and constant slopes of a small problem of random rows."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, K, size=n)
    wrong = np.arange(K) != y[:, None]
    low = np.where(wrong & each, -C, -np.inf)
    high = np.where(wrong, 0.0, np.inf if each else C)
    return X @ X.T + 1.0, low, high, wrong.astype(float)


def violations(A, low, high, g):
    """(n,) by how much the best move from one class into another one falls in each row."""
    fall, rise = np.where(low < A, g, -np.inf), np.where(high > A, g, np.inf)
    return np.maximum(fall.max(axis=1) - rise.min(axis=1), 0.0)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("seed", [0, 1])
def test_steps_end_at_the_minimum(each, C, seed):
    # Fewer columns than rows: most faces have no single minimum, and the matrix of a step is singular.
    gram, low, high, extra = problem(each, C, seed)
    A = np.zeros(low.shape)
    F = np.zeros(low.shape)

    def move(rows, D):
        F[...] += gram[:, rows] @ D

    value = lambda: 0.5 * float((A * F).sum()) + float((A * extra).sum())  # noqa: E731
    made = face_steps(
        A, low, high, lambda rows: (F + extra)[rows], lambda rows: gram[np.ix_(rows, rows)], move
    )
    assert made > 0
    assert value() < 0
    assert (low <= A).all() and (high >= A).all()
    assert_allclose(A.sum(axis=1), 0.0, atol=1e-9 * max(np.abs(A).max(), 1.0))
    assert_allclose(F, gram @ A, atol=1e-10 * (np.abs(gram) @ np.abs(A)).max())
    assert violations(A, low, high, F + extra).max() < 1e-7 * max(np.abs(F).max(), 1.0)


@pytest.mark.parametrize("machine", [WestonWatkinsSVC, CrammerSingerSVC])
def test_unscaled_columns_end_after_few_iterations(machine):
    # Wine's columns differ in scale by a thousand; descent over single rows alone took some 150 iterations.
    X, y = load_wine(return_X_y=True)
    model = machine(kernel="precomputed").fit(X @ X.T, y)
    assert model.fit_status_ == 0
    assert model.n_iter_ < 10
    assert model.gap_ <= 1e-5 * model.objective_
