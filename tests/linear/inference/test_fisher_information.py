"""Parts of a covariance: coordinates there and back, scores of rows and groups, what is said of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.core.sums import Rows
from assay.errors import DegenerateError
from assay.linear.inference.fisher_information import (
    Outside,
    column_scale,
    condition,
    gradients_part,
    inflation,
    inner_rows,
    inverse,
    refuse_dependent,
    varying,
)


def drawn(n=50):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)) * [1, 100, 0.01] + [1e3, 0, 5], rng.uniform(0.5, 2, n), rng


@pytest.mark.parametrize("sparse", [False, True])
def test_means_and_spreads(sparse):
    X, w, _ = drawn()
    scale = column_scale(Rows(csr_array(X) if sparse else X, None, w), True)
    mean = np.average(X, axis=0, weights=w)
    assert_allclose(scale.mean, mean, rtol=1e-10)
    assert_allclose(scale.spread, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w)), rtol=1e-5)
    assert scale.total == pytest.approx(w.sum())
    assert not column_scale(Rows(X, None, w), False).mean.any()


@pytest.mark.parametrize("intercept", [True, False])
def test_scores_do_not_depend_on_the_coordinates(intercept):
    X, _, rng = drawn()
    scale = column_scale(Rows(X), intercept)
    P, F = 3 + intercept, 2
    inner = rng.normal(size=P * F)
    outer = (Outside(scale, intercept, F).matrix @ inner).reshape(F, P)
    A = np.column_stack((np.ones(50), X)) if intercept else X
    assert_allclose(A @ outer.T, inner_rows(X, scale, intercept) @ inner.reshape(P, F), rtol=1e-8, atol=1e-8)


def test_squares_of_rows_and_of_groups():
    _, w, rng = drawn(20)
    x, r, groups = rng.normal(size=(20, 3)), rng.normal(size=(20, 2)), rng.integers(0, 4, 20)
    scores = np.array([np.kron(a, b) for a, b in zip(x, r)])
    assert_allclose(gradients_part(x, r, None, None, 0).total, scores.T @ scores)
    assert_allclose(gradients_part(x, r, w, None, 0).total, scores.T @ (w[:, None] * scores))
    sums = np.array([(w[:, None] * scores)[groups == g].sum(axis=0) for g in range(4)])
    parts = [gradients_part(x[s], r[s], w[s], groups[s], 4) for s in (slice(0, 7), slice(7, 20))]
    assert_allclose((parts[0] + parts[1]).total, sums.T @ sums)


def test_inverse_of_any_scale():
    _, _, rng = drawn()
    A = rng.normal(size=(30, 4))
    size = 10.0 ** np.array([-10, 0, 5, 10])
    G = A.T @ A
    assert_allclose(inverse(G * np.outer(size, size)) * np.outer(size, size), np.linalg.inv(G), rtol=1e-9)


def test_columns_that_vary():
    X = np.array([[1.0, 2, 0, 3], [4, 2, 0, 3]])
    for rows in (X, csr_array(X)):
        assert varying(rows, True).tolist() == [0]
        assert varying(rows, False).tolist() == [0, 1, 3]
    late = np.zeros((500, 2))
    late[400, 1] = 1.0  # a column that varies far down
    assert varying(late, True).tolist() == varying(late, False).tolist() == [1]


def test_dependence_inflation_and_condition():
    X, _, _ = drawn()
    scale = column_scale(Rows(X), True)
    x = inner_rows(X, scale, True)
    gram = x.T @ x / 50
    r2 = [1 - 1 / v for v in inflation(gram, 3)]
    for j in range(3):
        others = np.column_stack((np.ones(50), np.delete(X, j, 1)))
        left = X[:, j] - others @ np.linalg.lstsq(others, X[:, j], rcond=None)[0]
        assert_allclose(r2[j], 1 - left.var() / X[:, j].var(), atol=1e-9)
    A = np.column_stack((np.ones(50), X))
    assert_allclose(condition(gram, scale, True), np.linalg.cond(A / np.linalg.norm(A, axis=0)), rtol=1e-6)
    refuse_dependent(gram, ["a", "b", "c"], "Learner", "Drop it.")
    twice = x[:, [0, 1, 0, 3]]
    with pytest.raises(DegenerateError, match=r"Learner: column c is a combination .* Drop it\."):
        refuse_dependent(twice.T @ twice / 50, ["a", "b", "c"], "Learner", "Drop it.")
    assert np.isinf(inflation(twice.T @ twice / 50, 3)).all()
