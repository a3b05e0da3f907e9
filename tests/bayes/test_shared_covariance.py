"""Linear scores: whitening, and the two ways to compute them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.bayes import LinearDiscriminantAnalysis
from assay.bayes.shared_covariance import whitening


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 6), rank=st.integers(0, 6), units=st.booleans())
def test_whitening_inverts_what_can_be_inverted(seed, d, rank, units):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-5, 6, d) if units else np.ones(d)
    A = rng.normal(size=(d, min(rank, d))) * scale[:, None]
    S = A @ A.T
    P = whitening(S)
    assert P.shape == (d, min(rank, d))
    assert_allclose(P.T @ S @ P, np.eye(P.shape[1]), atol=1e-5)
    C = S / np.outer(scale, scale)
    assert_allclose(S @ P @ P.T @ S / np.outer(scale, scale), C, atol=1e-6 * max(np.abs(C).max(initial=0), 1))


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_about_the_centre_and_about_the_origin_agree(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert not model._far
    near = model.predict_log_proba(X)
    model._far = True
    assert_allclose(model.predict_log_proba(X), near, rtol=1e-9, atol=1e-9)
