"""Leverages and leaving one out, against refits, statsmodels and the numbers of IML 4.8."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.multivariate.hat_matrix import hat_matrix, leave_one_out, press

# IML 2.6, 4.8: the sample of six points.
x, r = np.arange(1.0, 7), np.array([3.0, 5, 6, 8, 9, 12])


@pytest.mark.capability("IML-4-28")
@pytest.mark.parametrize(("degree", "mse"), [(0, 12.2), (1, 0.5155), (2, 1.0938), (3, 0.7735), (4, 28.35)])
def test_leave_one_out_error_of_six_points(degree, mse):
    D = np.vander(x, degree + 1)
    assert_allclose(press(D, r) / 6, mse, rtol=2e-4)
    refits = [np.polyfit(np.delete(x, i), np.delete(r, i), degree) for i in range(6)]
    again = [r[i] - np.polyval(w, x[i]) for i, w in enumerate(refits)]
    H = hat_matrix(D)
    assert_allclose(leave_one_out(r - H.fit(r), H.leverages), again, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(6, 20), d=st.integers(1, 4), lam=st.sampled_from([0.0, 0.1, 10.0]), seed=st.integers(0, 99)
)
def test_the_hat_matrix_is_what_it_says(n, d, lam, seed):
    """Formula (1), a projection if there is no penalty, with a trace between 1 and d."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    H = hat_matrix(X, lam)
    expected = X @ np.linalg.solve(X.T @ X + lam * np.eye(d), X.T)
    assert_allclose(H.matrix, expected, atol=1e-10)
    assert_allclose(H.leverages, np.diag(expected), atol=1e-10)
    assert_allclose(H.trace, np.trace(expected), rtol=1e-10)
    if lam == 0:
        assert_allclose(H.matrix @ H.matrix, H.matrix, atol=1e-10)


@settings(max_examples=15, deadline=None)
@given(lam=st.floats(0.01, 100), seed=st.integers(0, 99))
def test_ridge_with_a_free_intercept_is_left_out_exactly(lam, seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(12, 2)), random.normal(size=12)
    D = np.column_stack([np.ones(12), X])
    H = hat_matrix(D, [0, lam, lam])
    ours = leave_one_out(y - H.fit(y), H.leverages)
    for i in range(12):
        keep = np.arange(12) != i
        peer = Ridge(alpha=lam).fit(X[keep], y[keep])
        assert_allclose(ours[i], y[i] - peer.predict(X[[i]])[0], atol=1e-8)


def test_same_leverages_and_press_as_statsmodels():
    """Peer: OLSInfluence, statsmodels 0.15."""
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is a peer of the tests only")
    X, y = load_diabetes(return_X_y=True)
    D = api.add_constant(X)
    influence = api.OLS(y, D).fit().get_influence()
    assert_allclose(hat_matrix(D).leverages, influence.hat_matrix_diag, rtol=1e-9)
    assert_allclose(press(D, y), np.sum(influence.resid_press**2), rtol=1e-9)


def test_weights_count_rows():
    X, w = np.column_stack([np.ones(4), [0.0, 1, 2, 5]]), np.array([1.0, 2, 1, 3])
    many = np.repeat(np.arange(4), w.astype(int))
    y = np.array([1.0, 3, 2, 7])
    assert_allclose(hat_matrix(X, 0.0, w).fit(y)[many], hat_matrix(X[many]).fit(y[many]), atol=1e-12)


def test_dependent_columns_and_far_scales():
    X = np.column_stack([np.ones(6), x * 1e12, x * 1e-12, 2 * x])
    assert_allclose(hat_matrix(X).matrix, hat_matrix(np.vander(x, 2)).matrix, atol=1e-12)


def test_what_has_no_answer_is_said():
    H = hat_matrix(np.vander(x, 6))
    with pytest.raises(DegenerateError, match="row 1 has leverage 1"):
        leave_one_out(r - H.fit(r), H.leverages)
    with pytest.raises(ParameterError, match="penalty"):
        hat_matrix([[1.0]], -1)
    with pytest.raises(DataError, match="one leverage for each residual"):
        leave_one_out([1.0, 2.0], [0.5])
    with pytest.raises(DataError, match="press: X has 2 rows"):
        press([[1.0], [1.0]], [1.0])
