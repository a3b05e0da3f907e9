"""Canonical correlation analysis and its tests."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import CCA as PeerCCA
from sklearn.datasets import load_linnerud, load_wine
from sklearn.preprocessing import OneHotEncoder

from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import DataError, DegenerateError, ParameterError
from assay.reduce import CCA, canonical_correlation_tests
from assay.tables.data import load_iris

IRIS = load_iris()
FLOWERS, SPECIES = np.asarray(IRIS.X), IRIS.y
SEPALS, PETALS = FLOWERS[:, :2], FLOWERS[:, 2:]


def indicators(y):
    return OneHotEncoder(sparse_output=False).fit_transform(np.asarray(y)[:, None])


@pytest.mark.capability("IML-6-41")
def test_correlations_shares_and_weights_of_sepals_and_petals():
    cca = CCA().fit(SEPALS, PETALS)
    assert_allclose(cca.canonical_correlations_, [0.940969, 0.123937], atol=5e-7)
    assert_allclose(cca.canonical_correlations_**2, [0.885423, 0.015360], atol=5e-7)
    assert_allclose(cca.shares_, [0.982948, 0.017052], atol=5e-7)
    S = np.cov(FLOWERS.T)
    W, V = cca.x_canonical_weights_, cca.y_canonical_weights_
    assert_allclose(W.T @ S[:2, :2] @ W, np.eye(2), atol=1e-12)
    assert_allclose(V.T @ S[2:, 2:] @ V, np.eye(2), atol=1e-12)
    assert_allclose(W.T @ S[:2, 2:] @ V, np.diag(cca.canonical_correlations_), atol=1e-12)


@pytest.mark.capability("IML-6-41")
def test_with_indicators_of_classes_the_directions_are_those_of_lda():
    Y = indicators(SPECIES)
    cca = CCA().fit(FLOWERS, Y[:, 1:])
    assert_allclose(cca.canonical_correlations_, [0.984821, 0.471197], atol=5e-7)
    eigenvalues = np.array([32.191929, 0.285391])
    assert_allclose(cca.canonical_correlations_**2, eigenvalues / (1 + eigenvalues), rtol=1e-6)
    lda = LinearDiscriminantAnalysis().fit(FLOWERS, SPECIES)
    for w, s in zip(cca.x_canonical_weights_.T, lda.scalings_.T):
        assert_allclose(abs(w @ s), np.linalg.norm(w) * np.linalg.norm(s), rtol=1e-12)
    every = CCA().fit(FLOWERS, Y)  # one indicator is what the others leave: rank 2 of 3, and the same pairs
    assert_allclose(every.canonical_correlations_[:2], cca.canonical_correlations_, rtol=1e-10)
    assert (every.x_rank_, every.y_rank_) == (4, 2)
    codes = np.unique(SPECIES, return_inverse=True)[1]
    assert_allclose(CCA(n_components=1).fit(FLOWERS, codes).canonical_correlations_, [0.964569], atol=5e-7)


@pytest.mark.capability("IML-6-42")
def test_independence_of_sepals_and_petals_is_rejected():
    cca = CCA().fit(SEPALS, PETALS)
    first, second = cca.test()
    assert_allclose(cca.wilks_[0], 0.112817, atol=5e-7)
    assert_allclose(first.statistic, 319.6608, atol=5e-5)
    assert first.df == 4 and first.rejected
    assert second.df == 1 and not second.rejected
    # Rao's F of two sets of two columns is exact: F = (1 - sqrt(L)) / sqrt(L) * (n - 4) / 2 on 4 and 2(n - 4)
    root = np.sqrt(cca.wilks_[0])
    rao = cca.test("rao")[0]
    assert_allclose(rao.statistic, (1 - root) / root * (150 - 4) / 2, rtol=1e-12)
    assert rao.df == (4.0, 292.0)
    text = str(cca.show())
    assert "319.7" in text and "share" in text


def test_independent_tables_are_rarely_called_dependent():
    rng = np.random.default_rng(0)
    rejected = [
        CCA().fit(rng.normal(size=(60, 3)), rng.normal(size=(60, 2))).test(alpha=0.1)[0].rejected
        for _ in range(200)
    ]
    assert 0.04 < np.mean(rejected) < 0.17  # 0.1 within three standard errors


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("load", [load_linnerud, load_wine])
def test_same_attributes_as_scikit_learn(load, scale):
    """Peer: CCA, scikit-learn 1.9, iterated until nothing changes; not compared: n_iter_."""
    X, Y = load(return_X_y=True)
    if Y.ndim == 1:
        X, Y = X[:, :7], X[:, 7:10]
    peer = PeerCCA(n_components=3, scale=scale, tol=1e-24, max_iter=100_000).fit(X, Y)
    ours = CCA(n_components=3, scale=scale).fit(X, Y)
    for name in (
        "x_weights_",
        "x_loadings_",
        "x_rotations_",
        "y_weights_",
        "y_loadings_",
        "y_rotations_",
        "coef_",
    ):
        expected = getattr(peer, name)
        assert_allclose(getattr(ours, name), expected, atol=1e-6 * np.abs(expected).max(), err_msg=name)
    for a, b in zip(ours.transform(X, Y), peer.transform(X, Y)):
        assert_allclose(a, b, atol=1e-6 * np.abs(b).max())
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-6)


def test_new_columns_of_both_tables_stand_side_by_side():
    cca = CCA().fit(SEPALS, PETALS)
    a, b = cca.transform(SEPALS, PETALS)
    assert_allclose(cca.joint_transform(SEPALS, PETALS), np.hstack([a, b]))
    assert_allclose(np.corrcoef(a[:, 0], b[:, 0])[0, 1], cca.canonical_correlations_[0], rtol=1e-12)
    x, y = cca.inverse_transform(a, b)
    assert_allclose(x, SEPALS, atol=1e-10)
    assert_allclose(y, PETALS, atol=1e-10)


def test_constant_and_collinear_columns_change_nothing():
    rng = np.random.default_rng(1)
    more = np.column_stack([SEPALS, np.full(150, 7.0), SEPALS @ [1.0, -2.0]])
    plain, padded = CCA().fit(SEPALS, PETALS), CCA().fit(more, PETALS)
    assert_allclose(padded.canonical_correlations_, plain.canonical_correlations_, rtol=1e-10)
    assert padded.x_rank_ == 2
    assert_allclose(padded.test()[0].statistic, plain.test()[0].statistic, rtol=1e-9)
    a, b = padded.transform(more), plain.transform(SEPALS)
    assert_allclose(np.abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]), 1, rtol=1e-10)
    wide = CCA(ridge=0.1).fit(rng.normal(size=(20, 50)), rng.normal(size=(20, 3)))
    assert (wide.canonical_correlations_ <= 1).all()
    with pytest.raises(ParameterError, match="ridge"):
        wide.test()


def test_a_ridge_shrinks_what_chance_correlates():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(30, 20)), rng.normal(size=(30, 5))
    free, held = CCA().fit(X, Y), CCA(ridge=1.0).fit(X, Y)
    assert held.canonical_correlations_[0] < free.canonical_correlations_[0]
    new_x, new_y = rng.normal(size=(2, 500, 20))[0], rng.normal(size=(500, 5))
    a, b = held.transform(new_x, new_y)
    assert abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]) < 0.2


@pytest.mark.parametrize("size", [1e-150, 1e-8, 1e8, 1e150])
@pytest.mark.parametrize("scale", [True, False])
def test_units_do_not_matter(size, scale):
    plain = CCA(scale=scale).fit(SEPALS, PETALS)
    scaled = CCA(scale=scale).fit(SEPALS * size, PETALS / size)
    assert_allclose(scaled.canonical_correlations_, plain.canonical_correlations_, rtol=1e-9)
    assert_allclose(scaled.x_weights_, plain.x_weights_, rtol=1e-8)


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match=r"upper bound is 2\. Got 3"):
        CCA(n_components=3).fit(SEPALS, PETALS)
    with pytest.raises(DegenerateError, match="at least 2 rows"):
        CCA(n_components=1).fit(SEPALS[:1], PETALS[:1])
    with pytest.raises(DegenerateError, match="no column of y varies"):
        CCA(n_components=1).fit(SEPALS, np.ones(150))
    with pytest.raises(DataError, match="150 rows of 2 columns"):
        CCA().fit(SEPALS, PETALS).transform(SEPALS, PETALS[:, :1])
    with pytest.raises(DataError, match="too few"):
        canonical_correlation_tests([0.5], 3, 2, 2)
    with pytest.raises(DataError, match="numbers from 0 to 1"):
        canonical_correlation_tests([1.2, 0.5], 50, 2, 2)
