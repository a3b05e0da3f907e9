"""The corners of the lasso path: scikit-learn's homotopy, and the conditions of the minimum at every corner."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path

from assay.select.embedded.lasso_order import lasso_order


def made(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 3] += 0.8 * X[:, 0]
    X[:, 5] -= 0.6 * X[:, 1]
    y = X[:, 0] - X[:, 1] + 0.5 * X[:, 4] + rng.normal(size=n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y - y.mean()


@pytest.mark.parametrize(
    ("n", "d", "seed"), [(60, 10, 0), (40, 80, 1), (100, 30, 2), (40, 80, 4), (100, 30, 5)]
)
def test_columns_enter_where_they_enter_in_scikit_learn(n, d, seed):
    """Peer: lars_path(method="lasso"); columns that leave and come back are among these."""
    X, y = made(n, d, seed)
    order = lasso_order(X, y)
    alphas, _, weights = lars_path(X, y, method="lasso")
    entered = np.array([alphas[np.flatnonzero(w)[0] - 1] if w.any() else 0.0 for w in weights])
    early = (
        entered > 1e-3 * entered.max()
    )  # at the end of the path of 80 columns and 40 rows, rounding decides
    assert_allclose(order.entry[early], entered[early], rtol=1e-9)
    assert (order.size <= min(n - 1, d)).all() and (np.diff(order.penalty) <= 0).all()


def test_the_published_order_of_the_diabetes_study():
    """Efron et al. (2004), Figure 1: variables enter in the order 3, 9, 4, 7, 2, 10, 5, 8, 6, 1."""
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = lasso_order(X, y - y.mean())
    assert (np.argsort(-order.entry)[:10] + 1).tolist() == [3, 9, 4, 7, 2, 10, 5, 8, 6, 1]
    assert len(order.penalty) == 13 and order.size.max() == 10  # 12 steps: column 7 leaves and comes back


def test_copies_enter_together_and_constants_never():
    X, y = made(50, 8, 3)
    X = np.column_stack([X, X[:, 0], np.zeros(50)])
    order = lasso_order(X, y)
    assert order.entry[8] == order.entry[0] > 0 and order.entry[9] == 0


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_scale_of_the_target_does_not_matter(scale):
    X, y = made(50, 8, 6)
    assert_allclose(lasso_order(X, y * scale).entry / scale, lasso_order(X, y).entry, rtol=1e-9)


def test_it_stops_when_enough_have_entered_and_says_nothing_of_a_constant_target():
    X, y = made(60, 10, 0)
    assert np.count_nonzero(lasso_order(X, y, most=3).entry) == 3
    assert not lasso_order(X, np.zeros(60)).entry.any()
