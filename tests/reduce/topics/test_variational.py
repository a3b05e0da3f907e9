"""Variational Bayes of documents: twins of the native code in NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.special import psi

from assay.reduce.topics.variational import (
    digamma,
    dirichlet_expectation,
    exp_dirichlet_expectation,
    infer,
    log_bound,
    mixtures,
)


def test_digamma_is_that_of_scipy():
    x = np.logspace(-100, 10, 10_000)
    assert_allclose(digamma(x), psi(x), rtol=1e-13, atol=1e-14)
    table = np.logspace(-3, 5, 400).reshape(20, 20)
    expected = psi(table) - psi(table.sum(axis=1))[:, None]
    assert_allclose(dirichlet_expectation(table), expected, atol=1e-13, rtol=1e-12)
    assert_allclose(exp_dirichlet_expectation(table), np.exp(expected), rtol=1e-11, atol=1e-300)


def updates_by_the_book(X, topics, alpha, gamma, rounds):
    for _ in range(rounds):
        e = np.exp(psi(gamma) - psi(gamma.sum(axis=1, keepdims=True)))
        gamma = alpha + e * ((X / (e @ topics + np.finfo(float).eps)) @ topics.T)
    return gamma


@pytest.mark.parametrize("K", [1, 3, 8, 13])
@pytest.mark.parametrize("rounds", [1, 7])
def test_documents_are_updated_as_the_formula_says(K, rounds):
    rng = np.random.default_rng(K)
    X = rng.poisson(1.0, (9, 23)) * rng.random((9, 23))
    X[4] = 0.0
    topics, alpha = rng.dirichlet(np.ones(23), K), rng.random(K) + 0.1
    start = rng.gamma(100, 0.01, (9, K))
    expected = updates_by_the_book(X, topics, alpha, start.copy(), rounds)
    inferred = infer(csr_matrix(X), topics, alpha, start, rounds, 0.0, sums=True)
    assert_allclose(inferred.gamma, expected, rtol=1e-10)
    assert_allclose(inferred.gamma[4], alpha)
    e = np.exp(psi(expected) - psi(expected.sum(axis=1, keepdims=True)))
    assert_allclose(inferred.expected, e, rtol=1e-10)
    shares = rng.dirichlet(np.ones(K), 9)
    rows, columns = csr_matrix(X).nonzero()
    assert_allclose(mixtures(csr_matrix(X), topics, shares), (shares @ topics)[rows, columns], rtol=1e-12)
    assert_allclose(inferred.ratio, (X / (e @ topics))[rows, columns], rtol=1e-9)


@pytest.mark.parametrize(("K", "prior", "scale"), [(50, 0.005, 1.0), (50, 0.02, 1e3), (40, 0.015, 1.0)])
def test_topics_that_a_document_is_not_about_may_be_left_out(K, prior, scale):
    """Also where counts of a millionth make a word's mixture fall later, so that they have to be taken in again."""
    rng = np.random.default_rng(K)
    X = rng.poisson(0.6, (20, 30)) * 10.0 ** rng.uniform(-6, 0, (20, 30)) * scale
    X[4] = 0
    topics, alpha = rng.dirichlet(np.full(30, 0.1), K) + 1e-30, np.full(K, prior)
    start = rng.gamma(100, 0.01, (20, K))
    expected = updates_by_the_book(X, topics, alpha, start.copy(), 60)
    inferred = infer(csr_matrix(X), topics, alpha, start, 60, 0.0, sums=True)
    assert_allclose(inferred.gamma, expected, rtol=1e-12)
    e = np.exp(psi(expected) - psi(expected.sum(axis=1, keepdims=True)))
    assert_allclose(inferred.expected, e, rtol=1e-10)
    rows, columns = csr_matrix(X).nonzero()
    mixed = (e @ topics + np.finfo(float).eps)[rows, columns]
    assert_allclose(inferred.ratio, X[rows, columns] / mixed, rtol=1e-9)
    assert inferred.rounds == 60 * 20


def test_threads_and_blocks_change_nothing(monkeypatch):
    from assay.reduce.topics import variational

    rng = np.random.default_rng(0)
    X = csr_matrix(rng.poisson(0.3, (200, 60)))
    topics, alpha = rng.dirichlet(np.ones(60), 5), np.full(5, 0.2)
    whole = infer(X, topics, alpha, np.ones((200, 5)), 20, 1e-3)
    monkeypatch.setattr(variational, "ENTRIES_A_BLOCK", 50)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    cut = infer(X, topics, alpha, np.ones((200, 5)), 20, 1e-3)
    assert (whole.gamma == cut.gamma).all() and whole.rounds == cut.rounds


def test_the_bound_of_weights_is_that_of_copies_and_survives_tiny_priors():
    rng = np.random.default_rng(1)
    X = csr_matrix(rng.poisson(0.8, (6, 12)).astype(float))
    components, alpha = rng.gamma(1, 1, (3, 12)) + 1e-3, np.full(3, 1e-3)
    components[:, 5] = 1e-4  # exp E[log w] underflows there
    inferred = infer(X, exp_dirichlet_expectation(components), alpha, np.ones((6, 3)), 50, 1e-9)
    w = np.array([1.0, 2.0, 0.0, 1.0, 3.0, 1.0])
    rows = np.repeat(np.arange(6), w.astype(int))
    copies = type(inferred)(inferred.gamma[rows], inferred.expected[rows], np.empty(0), 0)
    weighed = log_bound(X, inferred, components, alpha, w)
    assert np.isfinite(weighed)
    assert_allclose(weighed, log_bound(X[rows], copies, components, alpha), rtol=1e-12)
