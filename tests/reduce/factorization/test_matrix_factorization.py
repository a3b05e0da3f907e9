"""Factorisation with missing entries: the oracle, the objective, rows that are new."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.errors import DataError
from assay.optimize.alternating_ridge import ridge_rows
from assay.reduce import MatrixFactorization

PRODUCT = np.array([[1.0, 0], [0, 1], [1, 1], [2, 0]]) @ np.array([[1.0, 2, 0], [0, 1, 3]])


# Oracle: the rank-2 completion of the product with entry (3, 3) hidden is unique, and 3.
@pytest.mark.capability("IML-6-30")
@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_entry_is_recovered(seed):
    X = PRODUCT.copy()
    X[2, 2] = np.nan
    model = MatrixFactorization(
        2, penalty=1e-10, biases=False, n_init=4, tol=1e-12, max_iter=2000, random_state=seed
    )
    assert_allclose(model.fit(X).complete(X), PRODUCT, atol=1e-3)


def some_table(n=80, d=20, missing=0.4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + rng.normal(size=(n, 1)) + rng.normal(size=d) + 10
    return X, np.where(rng.random((n, d)) < missing, np.nan, X)


@pytest.mark.capability("IML-6-30")
@pytest.mark.parametrize("biases", [True, False])
def test_the_objective_falls_and_entries_are_predicted(biases):
    X, holes = some_table()
    model = MatrixFactorization(
        2 if biases else 4, penalty=1e-5, biases=biases, max_iter=3000, random_state=0
    ).fit(holes)
    assert np.all(np.diff(model.history_) <= 1e-9 * model.history_[0])
    error = (model.complete(holes) - X)[np.isnan(holes)]
    assert np.sqrt(np.mean(error**2)) < 0.1 * X.std()
    new = model.complete(holes[:5])  # rows are mapped by what they have
    assert_allclose(new, model.complete(holes)[:5])


def test_ridge_rows_against_least_squares():
    rng = np.random.default_rng(0)
    Q, X = rng.normal(size=(9, 3)), rng.normal(size=(5, 9))
    known = rng.random((5, 9)) < 0.7
    E = csr_array(np.where(known, X, 0.0))
    p = ridge_rows(E, Q, np.full(5, 0.3))
    for i in range(5):
        A = Q[known[i]]
        assert_allclose(p[i], np.linalg.solve(A.T @ A + 0.3 * np.eye(3), A.T @ X[i, known[i]]), rtol=1e-10)
    everywhere = ridge_rows(E, Q, np.full(5, 0.3), 2.0, everywhere=True)
    weights = np.where(known, 3.0, 1.0)
    for i in range(5):
        W = Q * weights[i][:, None]
        expected = np.linalg.solve(W.T @ Q + 0.3 * np.eye(3), W.T @ np.where(known[i], X[i], 0.0))
        assert_allclose(everywhere[i], expected, rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales(scale):
    _, holes = some_table(30, 8)
    plain = MatrixFactorization(1, random_state=0).fit(holes)
    scaled = MatrixFactorization(1, random_state=0).fit(holes * scale)
    assert_allclose(scaled.complete(holes * scale) / scale, plain.complete(holes), rtol=1e-6)


def test_awkward_tables():
    with pytest.raises(ValueError, match="'x1' are missing"):
        MatrixFactorization(1).fit([[1.0, np.nan], [2.0, np.nan]])
    model = MatrixFactorization(1, random_state=0).fit([[1.0, 2.0], [np.nan, np.nan], [2.0, 3.0]])
    assert np.isfinite(model.complete([[np.nan, np.nan]])).all()
    assert "columns of largest weight" in str(model.show())
    assert np.isfinite(MatrixFactorization(3, random_state=0).fit([[1.0, 2.0]]).components_).all()


def test_entries_too_large_to_be_squared_are_refused():
    with pytest.raises(DataError, match="power of ten"):
        MatrixFactorization(1).fit(np.eye(4) * 1e160)
