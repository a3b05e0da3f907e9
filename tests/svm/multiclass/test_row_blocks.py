"""Several classes in one problem: the move of a row against a search, and the conditions of a minimum."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import assay.svm.multiclass._row_blocks as _row_blocks
from assay.svm.multiclass.row_blocks import ClassProblem, solve_classes, solve_classes_gram


def rows_of(n=60, d=4, K=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, K)) + rng.normal(size=(n, K))).argmax(axis=1).astype(np.int64)


def move_by_the_book(problem, f, a, i, power):
    """The K coefficients of row i: the nearest point with sum 0 of a box, by a root in one variable."""
    K, y = problem.K, problem.y[i]
    slope = f + problem.margin * (np.arange(K) != y)
    low = np.where((np.arange(K) != y) & problem.each, -problem.price[i], -1e9)
    high = np.where(np.arange(K) != y, 0.0, 1e9 if problem.each else problem.price[i])
    u = a - slope / power
    t = brentq(lambda t: np.clip(u - t, low, high).sum(), -1e6, 1e6, xtol=1e-13)
    return np.clip(u - t, low, high)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("K", [2, 3, 7])
def test_the_first_visit_is_the_projection(each, K):
    for seed in range(20):
        X, _ = rows_of(1, 3, K, seed)
        price = np.array([10.0 ** (seed % 5 - 2)])
        problem = ClassProblem(np.array([seed % K]), price, K, each, 1.0, 1.0, True)
        power = (X * X).sum(axis=1) + 1.0
        blocks = _row_blocks.Blocks(
            y=problem.y, price=price, power=power, offset=np.zeros(K), margin=1.0, constant=1.0, each=each
        )
        W, A, state = np.zeros((4, K)), np.zeros((1, K)), np.array([1.0, np.inf, 1.0, np.inf])
        _row_blocks.sweep_dense(
            X=X, blocks=blocks, tol=0.0, most=1, W=W, A=A, order=np.arange(1), state=state
        )
        assert_allclose(A[0], move_by_the_book(problem, np.zeros(K), np.zeros(K), 0, power[0]), atol=1e-8)
        assert_allclose(W, np.outer(np.append(X[0], 1.0), A[0]), atol=1e-12)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("penalised", [False, True])
def test_dense_sparse_and_kernel_rows_agree_and_meet_the_dual(each, penalised):
    X, y = rows_of()
    problem = ClassProblem(y, np.linspace(0.1, 2.0, 60), 3, each, 1.0, 1.0, penalised)
    dense = solve_classes(X, problem, 1e-8, 10_000, 1)
    others = (
        solve_classes(sp.csr_array(X), problem, 1e-8, 10_000, 1),
        solve_classes_gram(X @ X.T, problem, 1e-8, 10_000, 1),
    )
    assert dense.converged and -1e-12 <= dense.gap <= 1e-8 * dense.value
    F = X @ dense.W + dense.b
    constants = dense.b @ dense.b if penalised else 0.0
    assert_allclose(dense.value, 0.5 * ((dense.W**2).sum() + constants) + problem.slack(F), rtol=1e-6)
    assert_allclose(X.T @ dense.A, dense.W, atol=1e-8)
    assert_allclose(dense.A.sum(axis=1), 0, atol=1e-10)
    if not penalised:
        assert_allclose(dense.A.sum(axis=0), 0, atol=1e-3)
    for other in others:
        assert_allclose(other.value, dense.value, rtol=1e-7)
        assert_allclose(X.T @ other.A, dense.W, atol=2e-3)


@pytest.mark.capability("IML-13-31")
@pytest.mark.parametrize("gram", [False, True])
def test_two_classes_of_weston_and_watkins_are_the_binary_machine(gram):
    """Oracle of the specification: C = 0.5 on one column gives w = 2/3, w0 = -1/3, objective 2 x 1.388889."""
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), np.array([0, 0, 1, 1, 0])
    problem = ClassProblem(y, np.full(5, 0.5), 2, True, 2.0, 1.0, False)
    solution = (
        solve_classes_gram(X @ X.T, problem, 1e-10, 1000, 1)
        if gram
        else solve_classes(X, problem, 1e-10, 1000, 1)
    )
    W = X.T @ solution.A
    assert_allclose(W, [[-2 / 3, 2 / 3]], atol=1e-6)
    assert_allclose(solution.b, [1 / 3, -1 / 3], atol=1e-6)
    assert_allclose(solution.value, 2.777778, atol=1e-6)
    F = X @ W + solution.b
    own = F[np.arange(5), y]
    assert_allclose(np.maximum(0, 2 + F[np.arange(5), 1 - y] - own), [0, 0, 4 / 3, 0, 10 / 3], atol=1e-5)


def test_arrays_that_do_not_fit_are_refused():
    X, y = rows_of()
    one = np.ones(60)
    blocks = _row_blocks.Blocks(
        y=y, price=one, power=one, offset=np.zeros(3), margin=1.0, constant=0.0, each=True
    )
    common = {
        "blocks": blocks,
        "tol": 0.1,
        "most": 1,
        "order": np.arange(60),
        "state": np.array([60.0, 1.0, 1.0, 1.0]),
    }
    with pytest.raises(ValueError, match="a column for each class"):
        _row_blocks.sweep_dense(X=X, W=np.zeros((5, 2)), A=np.zeros((60, 3)), **common)
    with pytest.raises(ValueError, match="as many columns as rows"):
        _row_blocks.sweep_gram(gram=X, F=np.zeros((60, 3)), A=np.zeros((60, 3)), **common)
    with pytest.raises(ValueError, match="a class that is not there"):
        _row_blocks.Blocks(
            y=y + 1, price=one, power=one, offset=np.zeros(3), margin=1.0, constant=0.0, each=True
        )
