"""The fused expectation step against its formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

import assay.mixture._em as _em
from assay.mixture.components import FORMS, SMALLEST_COUNT


def sums_by_the_book(X, w, means, covariances, log_weights):
    """Counts, first and second moments about the means, log evidence, entropy of the responsibilities."""
    K, d = means.shape
    gaps = X[:, None, :] - means
    precisions = np.linalg.inv(covariances)
    squares = np.einsum("nki,kij,nkj->nk", gaps, precisions, gaps)
    joint = log_weights - 0.5 * (squares + np.linalg.slogdet(covariances)[1] + d * np.log(2 * np.pi))
    evidence = logsumexp(joint, axis=1)
    h = np.exp(joint - evidence[:, None])
    weighted = h * w[:, None]
    entropy = -np.sum(w[:, None] * np.where(h > 0, h * (joint - evidence[:, None]), 0.0))
    second = np.einsum("nk,nki,nkj->kij", weighted, gaps, gaps)
    return weighted.sum(axis=0), np.einsum("nk,nki->ki", weighted, gaps), second, w @ evidence, entropy, h


def a_problem(n, d, K, seed=0):
    rng = np.random.default_rng(seed)
    means = 2 * rng.normal(size=(K, d))
    X = rng.normal(size=(n, d)) + means[rng.integers(K, size=n)] + 100.0
    return X, rng.uniform(0.2, 2, n), means + 100.0, rng


COVARIANCES = {
    "full": lambda rng, K, d: np.array(
        [np.cov(rng.normal(size=(d, 4 * d + 4))).reshape(d, d) for _ in range(K)]
    ),
    "tied": lambda rng, K, d: np.cov(rng.normal(size=(d, 4 * d + 4))).reshape(d, d),
    "diag": lambda rng, K, d: rng.uniform(0.5, 2, (K, d)),
    "spherical": lambda rng, K, d: rng.uniform(0.5, 2, K),
    "tied_spherical": lambda rng, K, d: np.full(K, rng.uniform(0.5, 2)),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n, d, K", [(1, 1, 1), (7, 3, 2), (300, 5, 4), (515, 9, 3), (40, 1, 3)])
def test_the_sums_are_those_of_the_formulas(n, d, K, form, weighted):
    X, w, means, rng = a_problem(n, d, K)
    shape = FORMS[form]
    covariances = COVARIANCES[form](rng, K, d)
    roots = shape.roots(covariances)
    matrices = np.array([shape.of_component(covariances, k, d) for k in range(K)])
    log_weights = np.log(np.arange(1, K + 1) / (K * (K + 1) / 2))
    constants = log_weights + shape.log_det(roots, d) - 0.5 * d * np.log(2 * np.pi)
    moments = shape.expect(X, w if weighted else None, means, roots, constants)
    counts, first, second, evidence, entropy, h = sums_by_the_book(
        X, w if weighted else np.ones(n), means, matrices, log_weights
    )
    assert_allclose(moments.counts, counts, atol=1e-11)
    assert_allclose(moments.first, first, atol=1e-9)
    assert_allclose([moments.log_evidence, moments.entropy], [evidence, entropy], rtol=1e-11, atol=1e-10)
    wanted = {
        "full": second,
        "tied": second.sum(axis=0),
        "diag": np.diagonal(second, axis1=1, axis2=2),
        "spherical": np.diagonal(second, axis1=1, axis2=2),
        "tied_spherical": np.diagonal(second, axis1=1, axis2=2),
    }[form]
    assert_allclose(moments.second, wanted, atol=1e-8)
    both = shape.estimates(moments, means)
    direct = shape.estimates_of(X, h * (w if weighted else np.ones(n))[:, None])
    solid = counts > 1e-3
    assert_allclose(both.counts, direct.counts, atol=1e-10)
    assert_allclose(both.means[solid], direct.means[solid], rtol=1e-9)
    assert_allclose(both.scatter, direct.scatter, atol=1e-6 if form == "tied" else 1e-7)


def test_sums_of_two_blocks_are_the_sums_of_all_rows():
    X, w, means, rng = a_problem(200, 3, 2)
    form = FORMS["full"]
    roots = form.roots(COVARIANCES["full"](rng, 2, 3))
    constants = np.zeros(2)
    whole = form.expect(X, w, means, roots, constants)
    parts = form.expect(X[:90], w[:90], means, roots, constants) + form.expect(
        np.ascontiguousarray(X[90:]), np.ascontiguousarray(w[90:]), means, roots, constants
    )
    for name in ("counts", "first", "second", "log_evidence", "entropy"):
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_value_makes_the_totals_none(form):
    """By this the learner finds rows that it must look at by the columns they have."""
    X, w, means, rng = a_problem(300, 3, 2)
    roots = FORMS[form].roots(COVARIANCES[form](rng, 2, 3))
    X[299, 2] = np.nan
    assert np.isnan(FORMS[form].expect(X, w, means, roots, np.array([-np.inf, 0.0])).log_evidence)


@pytest.mark.parametrize("n, K", [(1, 1), (7, 3), (300, 5), (513, 2)])
def test_log_sums_are_those_of_scipy(n, K):
    """Also where a component has no density, or none has, and for values whose powers are no numbers."""
    joint = np.random.default_rng(n).normal(size=(n, K)) * 300 - 1000
    joint[::3, 0], joint[n // 2] = -np.inf, -np.inf
    out = np.empty(n)
    _em.log_sums(joint, out)
    assert_allclose(out, logsumexp(joint, axis=1), rtol=1e-14)
    with pytest.raises(ValueError, match="a number for each row"):
        _em.log_sums(joint, np.empty(n + 1))


def test_a_component_without_rows_stays_where_it_is():
    X = np.zeros((20, 2))
    form = FORMS["diag"]
    means = np.array([[0.0, 0.0], [1e3, 1e3]])
    estimates = form.estimates(form.expect(X, None, means, np.ones((2, 2)), np.zeros(2)), means)
    assert estimates.counts[1] == SMALLEST_COUNT
    assert_allclose(estimates.means, means)


def test_arrays_that_do_not_fit_are_refused():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="row for each component"):
        FORMS["diag"].expect(X, None, np.zeros((2, 2)), np.ones((3, 2)), np.zeros(2))
