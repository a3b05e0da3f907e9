"""Least squares and the linear discriminant from sums of products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from assay.prepare.least_squares import LeastSquares


def fitted(A, T, w=None, categories=False):
    w = np.ones(len(A)) if w is None else w
    A1 = np.column_stack([A, np.ones(len(A))]) * np.sqrt(w)[:, None]
    T = T * np.sqrt(w)[:, None]
    return LeastSquares.from_sums(A1.T @ A1, A1.T @ T, categories)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=20, deadline=None)
def test_one_column_of_categories_is_filled_by_the_linear_discriminant(seed, weighted):
    """Peer: LinearDiscriminantAnalysis, scikit-learn 1.9, on the rows repeated as often as they weigh."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 3, 90)
    A = rng.normal(size=(90, 3)) + np.eye(3)[c] * 2
    w = rng.integers(1, 4, 90) if weighted else np.ones(90, int)
    model = fitted(A, np.eye(3)[c], w.astype(float), categories=True)
    peer = LinearDiscriminantAnalysis().fit(np.repeat(A, w, axis=0), np.repeat(c, w))
    new = rng.normal(size=(50, 3)) * 2
    near = np.sort(peer.predict_log_proba(new), axis=1)
    clear = near[:, -1] - near[:, -2] > 1e-4
    assert_array_equal(model.predict(new)[clear], peer.predict(new)[clear])


@given(seed=st.integers(0, 10**6), rank=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_collinear_inputs_give_the_same_fit_as_a_pseudo_inverse(seed, rank):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(50, rank)) @ rng.normal(size=(rank, 4))
    A /= A.std(axis=0)
    t = rng.normal(size=(50, 1))
    A1 = np.column_stack([A, np.ones(50)])
    best = A1 @ np.linalg.lstsq(A1, t, rcond=1e-8)[0]
    assert_allclose(fitted(A, t).predict(A), best.ravel(), atol=1e-5)


def test_constant_inputs_and_no_inputs_give_the_mean():
    t = np.array([[1.0], [2.0], [6.0]])
    assert_allclose(fitted(np.full((3, 2), 5.0), t).predict(np.zeros((1, 2))), [3.0])
    assert_allclose(fitted(np.empty((3, 0)), t).predict(np.empty((2, 0))), [3.0, 3.0])


@pytest.mark.parametrize("gap", [1e-3, 1.0])
def test_categories_that_a_line_separates_exactly_are_told_apart(gap):
    """The fitted values have no scatter at all, so that their covariance is zero."""
    A = np.array([[0.0], [0.0], [gap], [gap]])
    model = fitted(A, np.eye(2)[[0, 0, 1, 1]], categories=True)
    assert model.predict(A).tolist() == [0, 0, 1, 1]


def test_a_category_without_rows_never_wins():
    A = np.array([[0.0], [1.0], [5.0], [6.0]])
    model = fitted(A, np.eye(3)[[0, 0, 2, 2]], categories=True)
    assert set(model.predict(np.linspace(-9, 9, 50)[:, None])) == {0.0, 2.0}
