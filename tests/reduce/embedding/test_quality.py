"""Measures of maps: the numbers of the book, by the book, and the peer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.manifold
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError, ParameterError
from assay.reduce import (
    PCA,
    continuity,
    embedding_quality,
    neighborhood_hit,
    neighborhood_preservation,
    residual_variance,
    stress,
    trustworthiness,
    variance_share,
)
from assay.reduce.embedding import quality


@pytest.fixture(scope="module")
def cancer():
    return StandardScaler().fit_transform(load_breast_cancer().data)


@pytest.mark.capability("C3-78")
def test_trustworthiness_of_principal_components_is_that_of_the_book(cancer):
    assert_allclose(trustworthiness(cancer, PCA(2).fit(cancer).transform(cancer)), 0.870993, atol=5e-7)


@pytest.mark.capability("C3-78")
@pytest.mark.parametrize(
    ("peer", "value"),
    [
        (sklearn.manifold.Isomap(n_neighbors=5), 0.869075),
        (sklearn.manifold.LocallyLinearEmbedding(n_neighbors=5, random_state=0), 0.815211),
    ],
)
def test_trustworthiness_of_other_maps_is_that_of_the_book(cancer, peer, value):
    """The maps are scikit-learn's, as in the book; rotation does not matter."""
    assert abs(trustworthiness(cancer, peer.fit_transform(cancer)) - value) < 2e-3


@pytest.mark.parametrize("k", [1, 5, 20])
def test_trustworthiness_is_scikit_learns_and_blocks_change_nothing(k, monkeypatch):
    X = np.random.default_rng(0).normal(size=(120, 6))
    Z = X[:, :2] + 0.1
    whole = trustworthiness(X, Z, n_neighbors=k)
    assert_allclose(whole, sklearn.manifold.trustworthiness(X, Z, n_neighbors=k), rtol=1e-12)
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    peer = sklearn.manifold.trustworthiness(D, Z, n_neighbors=k, metric="precomputed")
    assert_allclose(trustworthiness(X, Z, n_neighbors=k, metric="manhattan"), peer, rtol=1e-12)
    assert_allclose(trustworthiness(D, Z, n_neighbors=k, metric="precomputed"), peer, rtol=1e-12)
    monkeypatch.setattr(quality, "PAIRS_IN_BLOCK", 700)
    assert trustworthiness(X, Z, n_neighbors=k) == whole
    assert_allclose(stress(X, Z, normalization="raw"), by_the_book(X, Z)[0], rtol=1e-12)


def by_the_book(X, Z):
    i, j = np.triu_indices(len(X), 1)
    delta = np.linalg.norm(X[i] - X[j], axis=1)
    d = np.linalg.norm(Z[i] - Z[j], axis=1)
    off = (d - delta) ** 2
    return (
        off.sum(),
        np.sqrt(off.sum() / (d**2).sum()),
        2 * (off / delta**2).sum(),
        (off / delta).sum() / delta.sum(),
        1 - np.corrcoef(d, delta)[0, 1] ** 2,
    )


def test_continuity_is_trustworthiness_the_other_way_round():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(80, 4)), rng.normal(size=(80, 2))
    assert_allclose(continuity(X, Z), trustworthiness(Z, X), rtol=1e-12)
    assert 0.4 < continuity(X, Z) < 0.6  # a map at random
    assert trustworthiness(X, X) == continuity(X, X) == neighborhood_preservation(X, X) == 1.0


def test_stress_in_its_normalisations():
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(50, 4)), rng.normal(size=(50, 2))
    expected = by_the_book(X, Z)
    for kind, value in zip(("raw", "kruskal", "sammon", "sammon1969"), expected):
        assert_allclose(stress(X, Z, normalization=kind), value, rtol=1e-10)
    assert_allclose(residual_variance(X, Z), expected[4], rtol=1e-10)
    assert stress(X, X) == 0.0 and residual_variance(X, 3 * X) < 1e-12
    best = stress(X, Z, normalization="raw", scale=True)
    assert best < min(stress(X, c * Z, normalization="raw") for c in (0.5, 0.9, 1.0, 1.1, 2.0, 3.0))
    assert_allclose(stress(X, 7 * Z, scale=True), stress(X, Z, scale=True), rtol=1e-10)
    twins = np.vstack([X, X[:1]])
    assert np.isfinite(stress(twins, np.vstack([Z, Z[1:2]]), normalization="sammon"))


@pytest.mark.capability("C3-78")
def test_stress_of_two_principal_coordinates_is_that_of_the_book():
    """Raw breast cancer: stress-1 of the classical solution in two dimensions."""
    X = load_breast_cancer().data
    assert_allclose(stress(X, PCA(2).fit(X).transform(X)), 0.0031973720, rtol=1e-6)


def test_hits_and_shares():
    X, y = load_iris(return_X_y=True)
    Z = PCA(2).fit(X).transform(X)
    near = np.argsort(
        np.linalg.norm(Z[:, None] - Z[None], axis=2) + np.diag(np.full(150, np.inf)), axis=1, kind="stable"
    )[:, :5]
    assert_allclose(neighborhood_hit(Z, y), (y[near] == y[:, None]).mean(), atol=2e-3)
    assert_allclose(variance_share(X, Z), PCA(2).fit(X).explained_variance_ratio_.sum(), rtol=1e-10)
    assert_allclose(variance_share(X * 1e150, Z), variance_share(X, Z), rtol=1e-10)
    assert "neighborhood_hit" in embedding_quality(X, Z, y) and "neighborhood_hit" not in embedding_quality(
        X, Z
    )


def test_mixed_tables_and_refusals():
    frame = pd.DataFrame({"a": [0.0, 1, 2, 3, np.nan, 5, 6, 7], "b": list("xxxxyyyy")})
    Z = np.arange(8.0)[:, None]
    assert trustworthiness(frame, Z, n_neighbors=2, metric="heom") > 0.7
    with pytest.raises(DataError, match="metric='heom'"):
        trustworthiness(frame, Z, n_neighbors=2)
    with pytest.raises(ParameterError, match=r"n_neighbors \(5\) should be less than n_samples / 2"):
        trustworthiness(np.ones((8, 2)), Z)
    with pytest.raises(DataError, match="8 rows, the map 7"):
        continuity(np.ones((8, 2)), Z[:7], n_neighbors=2)
    with pytest.raises(ParameterError, match="normalization"):
        stress(np.ones((8, 2)), Z, normalization="other")
    with pytest.raises(DataError, match="as many classes"):
        neighborhood_hit(Z, [0, 1])


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_measures_do_not_depend_on_the_unit(unit):
    X, y = load_iris(return_X_y=True)
    Z = PCA(2).fit(X).transform(X)
    plain, scaled = embedding_quality(X, Z, y), embedding_quality(X * unit, Z * unit, y)
    assert_allclose(scaled["residual_variance"], plain["residual_variance"], rtol=1e-9)
    assert_allclose(scaled["stress"], plain["stress"], rtol=1e-9)
    assert_allclose(variance_share(X * unit, Z * unit), variance_share(X, Z), rtol=1e-9)
    assert residual_variance(X, np.zeros_like(Z)) == 1


def test_given_distances_stay_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    D.flags.writeable = False
    before = D.copy()
    measures = embedding_quality(D, X[:, :2], metric="precomputed")
    assert np.array_equal(D, before)
    assert measures["trustworthiness"] == trustworthiness(X, X[:, :2])
