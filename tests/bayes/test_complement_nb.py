"""Complement naive Bayes: worked weights, parity with scikit-learn, blocks, degenerate tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import ComplementNB as Peer

from assay.bayes import ComplementNB
from assay.errors import DataError


def test_worked_weights():
    """Sums a (3, 1, 0), b (0, 1, 1); a's complement is b: with alpha 1 (1, 2, 2)/5; b's is a: (4, 2, 1)/7."""
    model = ComplementNB().fit([[2, 1, 0], [1, 0, 0], [0, 1, 1]], list("aab"))
    expected = -np.log([[1 / 5, 2 / 5, 2 / 5], [4 / 7, 2 / 7, 1 / 7]])
    assert_allclose(model.feature_log_prob_, expected, rtol=1e-12)
    assert_array_equal(model.feature_all_, [3, 2, 1])
    normed = ComplementNB(norm=True).fit([[2, 1, 0], [1, 0, 0], [0, 1, 1]], list("aab"))
    assert_allclose(normed.feature_log_prob_, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)
    rows = model.explain([[1, 0, 0]]).sections[0].rows
    assert_allclose(rows[0][2:], expected[:, 0], rtol=1e-12)
    assert rows[-1][0] == "score" and model.predict([[1, 0, 0]]) == "a"


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix, csr_array])
@pytest.mark.parametrize("norm", [False, True])
def test_same_answers_as_scikit_learn(load, container, norm):
    """Peer: ComplementNB of scikit-learn; dense and sparse, with weights when normed."""
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0, 3, len(y)) if norm else None
    table, given = container(X), {"norm": norm, "alpha": 0.7}
    ours, peer = ComplementNB(**given).fit(table, y, w), Peer(**given).fit(table, y, w)
    assert_allclose(ours.predict_proba(table), peer.predict_proba(table), atol=1e-8)
    assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-10)
    assert_array_equal(ours.predict(table), peer.predict(table))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks):
    rng = np.random.default_rng(seed)
    X, y, w = rng.poisson(1.0, (40, 5)).astype(float), rng.integers(0, 3, 40), rng.uniform(0.1, 2, 40)
    y[:3] = [0, 1, 2]
    parts = np.array_split(rng.permutation(40), blocks)
    whole = ComplementNB(norm=True).fit(X, y, w)
    stream = ComplementNB(norm=True).fit_blocks([(X[p], y[p], w[p]) for p in parts])
    steps = ComplementNB(norm=True)
    for p in parts:
        steps.partial_fit(X[p], y[p], classes=[0, 1, 2], sample_weight=w[p])
    for other in (stream, steps):
        assert_allclose(other.feature_log_prob_, whole.feature_log_prob_, rtol=1e-10)


@pytest.mark.parametrize("norm", [False, True])
def test_alpha_0_is_the_limit_of_small_alpha(norm):
    X, y = np.array([[2.0, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 3]]), [0, 0, 1, 1]
    rows = np.array([[1.0, 1, 0], [0, 2, 1], [3, 0, 1], [1, 5, 3], [0, 1, 0]])
    small = ComplementNB(alpha=1e-200, norm=norm).fit(X, y).predict_proba(rows)
    assert_allclose(ComplementNB(alpha=0, norm=norm).fit(X, y).predict_proba(rows), small, atol=0.01)


def test_degenerate_tables_have_an_answer():
    alone = ComplementNB(alpha=0).fit([[1, 2]], ["a"])
    assert_array_equal(alone.predict_proba([[1, 0]]), [[1]])
    empty = ComplementNB(alpha=0).fit([[0, 0], [0, 0]], [0, 1])
    assert_allclose(empty.predict_proba([[1, 1]]), [[0.5, 0.5]])
    for norm in (False, True):
        single = ComplementNB(norm=norm).fit([[1], [2]], [0, 1])  # one column: its frequency is 1 everywhere
        assert_allclose(single.predict_proba([[3]]), [[0.5, 0.5]])
    with pytest.raises(DataError, match=r"Negative values in data passed to ComplementNB \(input X\)"):
        ComplementNB().fit([[1, -1], [0, 1]], [0, 1])
