"""Covariances from sums: shrinkage by hand, and Ledoit and Wolf's against scikit-learn's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.covariance import EmpiricalCovariance, ledoit_wolf_shrinkage, shrunk_covariance
from sklearn.covariance import ledoit_wolf as peer_ledoit_wolf
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from assay.bayes.covariance_estimates import empirical, from_estimator, ledoit_wolf, shrunk, total_scatter
from assay.core.moments import class_scatter
from assay.core.sums import Rows, Stream
from assay.errors import ParameterError


def standardised_ledoit_wolf(X):
    """What the discriminants of scikit-learn use: columns of unit variance, and back."""
    scaler = StandardScaler().fit(X)
    return peer_ledoit_wolf(scaler.transform(X))[0] * np.outer(scaler.scale_, scaler.scale_)


@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_ledoit_and_wolfs_share_is_scikit_learns(load):
    X, y = load(return_X_y=True)
    K = y.max() + 1
    ours = ledoit_wolf(Rows(X, y, None), class_scatter(X, y, None, K, False))
    for k in range(K):
        there = standardised_ledoit_wolf(X[y == k])
        assert_allclose(ours.of_classes[k], there, rtol=1e-9, atol=1e-10 * np.abs(there).max())
    assert_allclose(ours.total, standardised_ledoit_wolf(X), rtol=1e-9, atol=1e-9)


def test_the_share_does_not_exceed_one_and_one_column_has_none():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 6)), np.zeros(4, int)
    assert ledoit_wolf_shrinkage(StandardScaler().fit_transform(X)) <= 1
    ours = ledoit_wolf(Rows(X, y, None), class_scatter(X, y, None, 1, False))
    assert_allclose(ours.of_classes[0], standardised_ledoit_wolf(X), rtol=1e-9, atol=1e-12)
    one = ledoit_wolf(Rows(X[:, :1], y, None), class_scatter(X[:, :1], y, None, 1, False))
    assert_allclose(one.of_classes[0], X[:, :1].var(axis=0)[None])


def test_shrunk_is_scikit_learns_and_takes_stacks():
    S = np.cov(np.random.default_rng(1).normal(size=(4, 50)))
    assert_allclose(shrunk(S, 0.3), shrunk_covariance(S, 0.3))
    assert_allclose(shrunk(np.array([S, 2 * S]), 0.3)[1], 2 * shrunk(S, 0.3))


def test_within_plus_between_is_the_total():
    X, y = load_wine(return_X_y=True)
    for pooled in (True, False):
        assert_allclose(
            total_scatter(class_scatter(X, y, None, 3, pooled)), len(y) * np.cov(X.T, ddof=0), rtol=1e-9
        )
    assert_allclose(
        empirical(class_scatter(X, y, None, 3, False)).of_classes[1], np.cov(X[y == 1].T, ddof=0), rtol=1e-9
    )


def test_an_estimator_sees_the_rows_of_each_class():
    X, y = load_wine(return_X_y=True)
    ours = from_estimator("M", EmpiricalCovariance(), Rows(X, y, None), 3)
    plain = empirical(class_scatter(X, y, None, 3, False))
    assert_allclose(ours.of_classes, plain.of_classes, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.total, plain.total, rtol=1e-9, atol=1e-12)
    for source in (Rows(X, y, np.ones(len(y))), Stream([X], lambda raw: raw)):
        with pytest.raises(ParameterError, match=r"M: covariance_estimator sees the rows.*shrinkage"):
            from_estimator("M", EmpiricalCovariance(), source, 3)
    with pytest.raises(ParameterError, match="StandardScaler does not have a covariance_"):
        from_estimator("M", StandardScaler(), Rows(X, y, None), 3)
