"""Reference and symmetric weights: one posterior, two ways to write it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from statsmodels.discrete.discrete_model import MNLogit

from assay.errors import ParameterError
from assay.linear.logistic.parametrisation import one_score, reference_form, symmetric_form


def posterior(X, coef, intercept):
    return softmax(X @ coef.T + intercept, axis=1)


@pytest.mark.capability("LS-21", "IML-10-17")
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_all_forms_have_the_same_posterior(seed, K):
    # LS-6: w_ref = w_k - w_K, and P(K|x) = 1/(1 + sum exp); 10-29 is the symmetric form.
    rng = np.random.default_rng(seed)
    X, W, b = rng.normal(size=(7, 3)), rng.normal(size=(K, 3)), rng.normal(size=K)
    P = posterior(X, W, b)
    for r in range(-1, K):
        ref, ref_b = reference_form(W, b, r)
        assert not ref[r].any() and ref_b[r] == 0
        assert_allclose(posterior(X, ref, ref_b), P, rtol=1e-10)
    ref, ref_b = reference_form(W, b)
    odds = np.exp(X @ ref[:-1].T + ref_b[:-1])  # (10-26)
    assert_allclose(1 / (1 + odds.sum(axis=1)), P[:, -1], rtol=1e-10)  # (10-27)
    sym, sym_b = symmetric_form(ref, ref_b)
    assert_allclose(sym.sum(axis=0), 0, atol=1e-12)
    assert_allclose(posterior(X, sym, sym_b), P, rtol=1e-10)
    again, again_b = symmetric_form(W, b)
    assert_allclose(again, sym, atol=1e-12)
    assert_allclose(again_b, sym_b, atol=1e-12)
    assert np.linalg.norm(sym) <= np.linalg.norm(W) + 1e-12


@pytest.mark.capability("LS-21")
def test_two_classes_reduce_to_the_binary_model():
    # Exercise 4 of IML 10: softmax output equals sigmoid(o_1 - o_2).
    rng = np.random.default_rng(0)
    X, W, b = rng.normal(size=(7, 3)), rng.normal(size=(2, 3)), rng.normal(size=2)
    w, c = one_score(W, b)
    assert_allclose(expit(X @ w[0] + c[0]), posterior(X, W, b)[:, 1], rtol=1e-12)
    back, back_b = symmetric_form(w, c)
    assert_allclose(posterior(X, back, back_b), posterior(X, W, b), rtol=1e-12)
    ref, ref_b = reference_form(w, c, 0)
    assert_allclose(ref[1], w[0])
    assert_allclose(ref_b[1], c[0])


@pytest.mark.capability("LS-21", "IML-10-17")
def test_reference_weights_are_those_of_statsmodels():
    """Peer: MNLogit, whose reference is the first class; two columns that let the classes overlap."""
    X, y = load_iris(return_X_y=True)
    X = X[:, :2] + np.random.default_rng(0).normal(0, 0.5, size=(150, 2))
    peer = MNLogit(y, np.column_stack((np.ones(150), X))).fit(disp=0, tol=1e-12)
    W = np.vstack((np.zeros(3), peer.params.T))
    sym, sym_b = symmetric_form(W[:, 1:], W[:, 0])
    assert_allclose(posterior(X, sym, sym_b), peer.predict(), rtol=1e-10)
    ref, ref_b = reference_form(sym, sym_b, 0)
    assert_allclose(np.column_stack((ref_b, ref))[1:], peer.params.T, rtol=1e-10)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="one of 3 classes, got 3"):
        reference_form(np.zeros((3, 2)), np.zeros(3), 3)
    with pytest.raises(ParameterError, match="two classes have one score"):
        one_score(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ParameterError, match="got shapes"):
        symmetric_form(np.zeros(3), 0.0)


@pytest.mark.parametrize("reference", [1.0, True, None, "a"])
def test_a_reference_is_a_whole_number(reference):
    with pytest.raises(ParameterError, match="number of one of 2 classes"):
        reference_form([[1.0], [2.0]], [0.0, 0.0], reference)


def test_sparse_weights_and_words():
    W = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    assert_allclose(symmetric_form(csr_array(W), np.zeros(3))[0], symmetric_form(W, np.zeros(3))[0])
    with pytest.raises(ParameterError, match="must be numbers"):
        symmetric_form([["a"]], [0.0])
