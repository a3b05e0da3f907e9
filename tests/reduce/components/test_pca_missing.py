"""PCA of rows with missing values: the likelihood's maximum, the same from all sources, conditional expectations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from assay.reduce import PCA, ProbabilisticPCA
from assay.reduce.components.missing_moments import conditional_rows
from assay.tables.data import load_iris

IRIS = np.asarray(load_iris().X.values)


def holes(share=0.15, seed=0):
    X = IRIS.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def log_likelihood(X, mean, C):
    known = ~np.isnan(X)
    parts = (multivariate_normal.logpdf(x[k], mean[k], C[np.ix_(k, k)]) for x, k in zip(X, known) if k.any())
    return float(sum(parts))


def test_no_mean_and_covariance_are_more_likely():
    X = holes()
    pca = PCA().fit(X)
    n = len(X)
    C = pca.get_covariance() * (n - 1) / n
    best = log_likelihood(X, pca.mean_, C)
    rng = np.random.default_rng(0)
    for _ in range(20):
        A = np.eye(4) + 0.02 * rng.normal(size=(4, 4))
        assert log_likelihood(X, pca.mean_ + 0.02 * rng.normal(size=4), A @ C @ A.T) < best
    # the model of probabilistic components with the same freedom has the same maximum
    other = ProbabilisticPCA(3, tol=1e-10, max_iter=5000).fit(X)
    assert best >= other.loglike_[-1] - 1e-3


def test_without_missing_values_nothing_changes_and_few_change_little():
    X = IRIS.copy()
    whole = PCA(2).fit(X)
    X[7, 2] = np.nan
    one = PCA(2).fit(X)
    assert_allclose(one.components_, whole.components_, atol=0.01)
    assert_allclose(one.explained_variance_, whole.explained_variance_, rtol=0.01)


def test_blocks_weights_and_frames():
    X, w = holes(), np.random.default_rng(0).integers(0, 3, 150)
    pca = PCA(2).fit(X)
    blocks = PCA(2).fit_blocks([X[:40], X[40:]])
    weighted, repeated = PCA(2).fit(X, sample_weight=w), PCA(2).fit(np.repeat(X, w, axis=0))
    for a, b in ((pca, blocks), (weighted, repeated)):
        assert_allclose(a.components_, b.components_, atol=1e-6)
        assert_allclose(a.explained_variance_, b.explained_variance_, rtol=1e-6)


@pytest.mark.parametrize("k", [2, 4])
def test_rows_with_missing_values_have_conditional_expectations(k):
    pca = PCA(k).fit(IRIS)
    X = holes(0.3)[:20]
    C, m = pca.get_covariance(), pca.mean_
    for x, z in zip(X, pca.transform(X)):
        o = ~np.isnan(x)
        full = x.copy()
        full[~o] = m[~o] + C[np.ix_(~o, o)] @ np.linalg.solve(C[np.ix_(o, o)], x[o] - m[o])
        assert_allclose(z, pca.components_ @ (full - m), atol=1e-6)
    assert_allclose(pca.complete(X)[~np.isnan(X)], X[~np.isnan(X)])
    o = ~np.isnan(X[0])
    assert_allclose(
        pca.score_samples(X)[0], multivariate_normal.logpdf(X[0][o], m[o], C[np.ix_(o, o)]), rtol=1e-6
    )
    assert np.isfinite(pca.reconstruction_error(X)).all()
    assert_allclose(pca.explain(X[:3]).contributions().values.sum(axis=1), pca.transform(X[:3]), atol=1e-10)
    assert_allclose(conditional_rows(np.full((1, 4), np.nan), m, C)[0], m)


def test_sentences():
    with pytest.raises(ValueError, match="all values of column 'x1' are missing"):
        PCA().fit(np.column_stack([IRIS[:, 0], np.full(150, np.nan)]))
    with pytest.raises(ValueError, match="ProbabilisticPCA"):
        PCA().fit(np.where(np.arange(12).reshape(3, 4) == 5, np.nan, 1.0 * np.arange(12).reshape(3, 4)))
    with pytest.raises(ValueError, match="trim"):
        PCA(trim=0.9).fit(holes())
