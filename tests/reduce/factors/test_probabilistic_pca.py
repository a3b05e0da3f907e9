"""Probabilistic principal components, with and without missing values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

import assay
from assay.errors import DataError, DegenerateError
from assay.reduce import ProbabilisticPCA
from assay.tables.data import load_iris

IRIS = load_iris().X.values


def with_missing(share=0.2, seed=0):
    X = IRIS.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def log_density(model, X):
    """The density of what is known of each row, by the covariance matrix of the model."""
    C, out = model.get_covariance(), []
    for row in X:
        o = np.flatnonzero(~np.isnan(row))
        out.append(multivariate_normal(model.mean_[o], C[np.ix_(o, o)]).logpdf(row[o]) if len(o) else 0.0)
    return np.array(out)


@pytest.mark.capability("IML-6-23")
def test_iris():
    model = ProbabilisticPCA(2).fit(IRIS)
    assert_allclose(model.noise_variance_, 0.0506821, rtol=0, atol=5e-8)
    assert_allclose(model.loglike_[-1], -404.9628, rtol=0, atol=5e-5)
    assert_allclose(model.score(IRIS) * 150, model.loglike_[-1], rtol=1e-12)
    values = np.linalg.eigvalsh(np.cov(IRIS.T, bias=True))[::-1]
    assert_allclose(model.explained_variance_, values[:2])
    assert_allclose(
        model.components_ @ model.components_.T, np.diag(values[:2] - model.noise_variance_), atol=1e-12
    )


def test_missing_values_climb_to_a_maximum():
    X = with_missing()
    model = ProbabilisticPCA(2, tol=1e-10, max_iter=5000).fit(X)
    assert np.all(np.diff(model.loglike_) > -1e-9)
    assert_allclose(model.score_samples(X), log_density(model, X), atol=1e-9)
    top = log_density(model, X).sum()
    assert_allclose(top, model.loglike_[-1], atol=1e-6)
    random = np.random.default_rng(0)
    for _ in range(20):  # no step to a side leads higher
        other = ProbabilisticPCA(2).fit(IRIS)
        other.components_ = model.components_ + 1e-3 * random.normal(size=(2, 4))
        other.mean_ = model.mean_ + 1e-3 * random.normal(size=4)
        other.noise_variance_ = model.noise_variance_ * (1 + 1e-3 * random.normal())
        assert log_density(other, X).sum() < top


def test_one_missing_value_changes_little_and_none_nothing():
    X = IRIS.copy()
    X[3, 1] = np.nan
    near, whole = ProbabilisticPCA(2).fit(X), ProbabilisticPCA(2).fit(IRIS)
    assert_allclose(near.explained_variance_, whole.explained_variance_, rtol=0.02)
    assert_allclose(np.abs(near.transform(IRIS)), np.abs(whole.transform(IRIS)), atol=0.1)


def test_filling_in_beats_the_means_and_draws_follow_the_model():
    X = with_missing()
    gaps = np.isnan(X)
    model = ProbabilisticPCA(2).fit(X)
    filled = model.complete(X)
    np.testing.assert_array_equal(filled[~gaps], X[~gaps])
    means = np.where(gaps, np.nanmean(X, axis=0), X)
    assert np.abs(filled - IRIS)[gaps].mean() < 0.5 * np.abs(means - IRIS)[gaps].mean()
    draws = model.sample(50_000, random_state=0)
    assert_allclose(np.cov(draws.T), model.get_covariance(), atol=0.06)


def test_blocks_weights_files_and_empty_rows(tmp_path):
    X = with_missing()
    X[5] = np.nan
    whole = ProbabilisticPCA(2).fit(X)
    blocks = ProbabilisticPCA(2).fit_blocks([X[:40], X[40:]])
    assert_allclose(blocks.get_covariance(), whole.get_covariance(), atol=1e-8)
    assert whole.transform(X)[5].tolist() == [0, 0] and whole.score_samples(X)[5] == 0
    assert_allclose(whole.complete(X)[5], whole.mean_)
    w = np.random.default_rng(1).integers(0, 3, 150)
    weighted, repeated = (
        ProbabilisticPCA(2).fit(X, sample_weight=w),
        ProbabilisticPCA(2).fit(np.repeat(X, w, axis=0)),
    )
    assert_allclose(weighted.get_covariance(), repeated.get_covariance(), atol=1e-8)
    assay.save(whole, tmp_path / "p.assay")
    np.testing.assert_array_equal(assay.load(tmp_path / "p.assay").transform(X), whole.transform(X))


def test_wrong_input():
    with pytest.raises(DataError, match="less than the 4 columns"):
        ProbabilisticPCA(4).fit(IRIS)
    X = IRIS.copy()
    X[:, 2] = np.nan
    with pytest.raises(DegenerateError, match="'x2' are missing"):
        ProbabilisticPCA(2).fit(X)
    with pytest.raises(ValueError, match="rows of 2 components"):
        ProbabilisticPCA(2).fit(IRIS).inverse_transform(IRIS)
    assert np.isfinite(ProbabilisticPCA(2).fit(np.ones((6, 4))).transform(np.ones((6, 4)))).all()
