"""Multinomial naive Bayes: worked counts, parity with scikit-learn, blocks, degenerate tables."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import MultinomialNB as Peer

from assay.bayes import MultinomialNB
from assay.errors import DataError, DegenerateWarning, ParameterError


@pytest.mark.capability("C3-13")
def test_worked_counts_in_exact_fractions():
    """Class a has sums (3, 1), b has (1, 3); with alpha 1 the frequencies are 4/6, 2/6 and 2/6, 4/6."""
    model = MultinomialNB().fit([[2, 1], [1, 0], [0, 2], [1, 1]], list("aabb"))
    assert_allclose(np.exp(model.feature_log_prob_), [[4 / 6, 2 / 6], [2 / 6, 4 / 6]], rtol=1e-12)
    rule = model.explain([[2, 1]]).sections[1]
    assert [row[1] for row in rule.rows] == [F(1, 2) * F(4, 27), F(1, 2) * F(2, 27)]
    assert [row[2] for row in rule.rows] == [F(2, 3), F(1, 3)]
    assert_allclose(model.predict_proba([[2, 1]]), [[2 / 3, 1 / 3]], rtol=1e-12)


@pytest.mark.capability("C3-13")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix, csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_posterior_as_scikit_learn(load, container, weighted):
    """Peer: MultinomialNB of scikit-learn; dense and sparse, with and without weights, priors and a vector alpha."""
    X, y = load(return_X_y=True)
    K = y.max() + 1
    w, given = None, {}
    if weighted:
        w = np.random.default_rng(0).uniform(0, 3, len(y))
        alpha = np.linspace(0.1, 2, X.shape[1])
        given = {"alpha": alpha, "class_prior": np.arange(1, K + 1) / (K * (K + 1) / 2)}
    table = container(X)
    ours, peer = MultinomialNB(**given).fit(table, y, w), Peer(**given).fit(table, y, w)
    assert_allclose(ours.predict_proba(table), peer.predict_proba(table), atol=1e-8)
    assert_allclose(ours.feature_count_, peer.feature_count_, rtol=1e-10)
    assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-10)
    assert_array_equal(ours.predict(table), peer.predict(table))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks, sparse):
    rng = np.random.default_rng(seed)
    X, y, w = rng.poisson(1.0, (40, 5)).astype(float), rng.integers(0, 3, 40), rng.uniform(0.1, 2, 40)
    y[:3] = [0, 1, 2]
    table = csr_matrix(X) if sparse else X
    parts = np.array_split(rng.permutation(40), blocks)
    whole = MultinomialNB(alpha=0.2).fit(table, y, w)
    stream = MultinomialNB(alpha=0.2).fit_blocks([(table[p], y[p], w[p]) for p in parts])
    steps = MultinomialNB(alpha=0.2)
    for p in parts:
        steps.partial_fit(table[p], y[p], classes=[0, 1, 2], sample_weight=w[p])
    for other in (stream, steps):
        assert_allclose(other.feature_log_prob_, whole.feature_log_prob_, rtol=1e-10)
        assert_allclose(other.class_log_prior_, whole.class_log_prior_, rtol=1e-10)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_without_smoothing_what_a_class_never_has_excludes_it(container):
    X = container(np.array([[1.0, 0, 1], [2, 0, 0], [0, 3, 1]]))
    model = MultinomialNB(alpha=0).fit(X, [0, 0, 1])
    joint = model.predict_joint_log_proba(container(np.array([[1.0, 0, 1], [0, 1, 1], [0, 0, 1]])))
    assert_allclose(
        np.exp(joint), [[2 / 3 * 3 / 16, 0], [0, 1 / 3 * 3 / 16], [2 / 3 / 4, 1 / 3 / 4]], rtol=1e-12
    )
    with pytest.warns(DegenerateWarning, match="probability zero"):
        assert_allclose(model.predict_proba(container(np.array([[1.0, 1, 0]]))), [[2 / 3, 1 / 3]])


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_negative_entries_are_refused_by_name(container):
    message = r"Negative values in data passed to MultinomialNB \(input X\): row 2, column x0 is -2"
    with pytest.raises(DataError, match=message):
        MultinomialNB().fit(container(np.array([[1.0, 0], [-2, 1]])), [0, 1])


def test_degenerate_tables_have_an_answer():
    empty = MultinomialNB(alpha=0).fit([[0, 0], [1, 1]], ["none", "some"])  # a class without any thing
    assert_allclose(np.exp(empty.feature_log_prob_[0]), [0.5, 0.5])
    alone = MultinomialNB().fit([[1, 2]], ["a"])
    assert_array_equal(alone.predict_proba([[0, 0], [5, 1]]), [[1], [1]])
    unweighted = MultinomialNB().fit([[1, 0], [0, 1], [9, 9]], [0, 1, 2], sample_weight=[1, 1, 0])
    assert_array_equal(unweighted.class_count_, [1, 1, 0])
    assert unweighted.predict_proba([[9, 9]])[0, 2] == 0
    with pytest.raises(DataError, match="missing value"):
        MultinomialNB().fit([[1, np.nan], [0, 1]], [0, 1])
    with pytest.raises(ParameterError, match="got 3 priors for 2 classes"):
        MultinomialNB(class_prior=[0.2, 0.3, 0.5]).fit([[1, 0], [0, 1]], [0, 1])


def test_huge_counts_are_explained_in_decimals():
    model = MultinomialNB().fit([[1e12, 1.0], [1.0, 1e12]], ["a", "b"])
    explanation = model.explain([[1e15, 2.0]])
    assert explanation.answer == "a" and "log joint" in str(explanation)
    assert isinstance(explanation.sections[0].rows[1][2], float)
