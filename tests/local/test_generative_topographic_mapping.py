"""Generative topographic mapping: EM that never falls, missing values, sums, and what the map shows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_iris

from assay.errors import DataError, ParameterError
from assay.local import GenerativeTopographicMapping

rng = np.random.default_rng(0)
IRIS = load_iris(return_X_y=True)


@pytest.mark.capability("IML-12-38")
@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("missing", [False, True])
def test_the_likelihood_never_falls(alpha, missing):
    X = IRIS[0].copy()
    if missing:
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
    model = GenerativeTopographicMapping((5, 5), basis=(3, 3), alpha=alpha, tol=1e-6, max_iter=500).fit(X)
    values = np.array(model.lower_bounds_)
    assert len(values) > 5 and (np.diff(values) > -1e-8 * abs(values[-1])).all()
    if alpha == 0:
        assert_allclose(model.score_samples(X).sum(), values[-1], rtol=1e-8)


@pytest.mark.capability("IML-12-38")
def test_the_density_is_that_of_the_mixture():
    """By SciPy: equal weights, means on the sheet, one variance; of the known columns where some are missing."""
    X = IRIS[0]
    model = GenerativeTopographicMapping((4, 4), basis=(3, 3)).fit(X)
    variance = 1 / model.beta_
    means = model.units_
    density = np.mean([multivariate_normal(m, variance * np.eye(4)).pdf(X) for m in means], axis=0)
    assert_allclose(model.score_samples(X), np.log(density), rtol=1e-9)
    part = X[:1].copy()
    part[0, 1] = np.nan
    keep = [0, 2, 3]
    density = np.mean([multivariate_normal(m[keep], variance * np.eye(3)).pdf(X[0, keep]) for m in means])
    assert_allclose(model.score_samples(part), np.log(density), rtol=1e-9)


@pytest.mark.capability("IML-12-38")
def test_one_step_by_the_book():
    """Responsibilities, then (Phi' G Phi) W = Phi' R X and the mean squared distance, in NumPy."""
    X = IRIS[0]
    model = GenerativeTopographicMapping((3, 3), basis=(2, 2), alpha=0.0, max_iter=50, tol=0.0)
    with pytest.warns(UserWarning):
        model.fit(X)
    state = model._state()
    centered = X - state.center
    squares = ((centered[:, None] - state.points) ** 2).sum(axis=2)
    R = np.exp(-0.5 * state.beta * squares)
    R /= R.sum(axis=1, keepdims=True)
    Phi = state.basis
    W = np.linalg.solve(Phi.T @ np.diag(R.sum(axis=0)) @ Phi, Phi.T @ R.T @ centered)
    after = model._maximise(model._sums(X, None, state), state)
    assert_allclose(after.weights, W, rtol=1e-6, atol=1e-8)
    errors = (R * ((centered[:, None] - Phi @ W) ** 2).sum(axis=2)).sum()
    assert_allclose(1 / after.beta, errors / X.size, rtol=1e-8)


def test_blocks_weights_and_order_give_the_same_map():
    X = IRIS[0]
    model = GenerativeTopographicMapping((4, 4), basis=(3, 3)).fit(X)
    blocks = GenerativeTopographicMapping((4, 4), basis=(3, 3)).fit_blocks([X[:40], X[40:90], X[90:]])
    assert_allclose(blocks.transform(X), model.transform(X), atol=1e-6)
    w = rng.integers(1, 3, len(X))
    heavy = GenerativeTopographicMapping((4, 4), basis=(3, 3)).fit(X, sample_weight=w)
    copies = GenerativeTopographicMapping((4, 4), basis=(3, 3)).fit(np.repeat(X, w, axis=0))
    assert_allclose(heavy.transform(X), copies.transform(X), atol=1e-6)


@pytest.mark.parametrize(
    ("unit", "origin"), [(1e-3, 0.0), (1e5, 0.0), (1.0, 2.0**30), (1e-90, 0.0), (1e90, 0.0)]
)
def test_neither_units_nor_origins_of_the_columns_matter(unit, origin):
    """A penalty on W itself would flatten the map of large numbers, and pull the map of far ones to the origin."""
    X = np.round(IRIS[0] * 1024) / 1024  # so that adding the origin is exact
    model = GenerativeTopographicMapping((5, 5), basis=(3, 3)).fit(X)
    other = GenerativeTopographicMapping((5, 5), basis=(3, 3)).fit(X * unit + origin)
    assert_allclose(other.transform(X * unit + origin), model.transform(X), atol=1e-6)
    assert_allclose(
        other.score_samples(X * unit + origin) + 4 * np.log(unit), model.score_samples(X), atol=1e-5
    )
    assert_allclose(other.units_, model.units_ * unit + origin, rtol=1e-9)


def test_the_penalty_is_on_all_but_the_constant_in_columns_of_variance_one():
    """One step of EM by the book, with alpha: (Phi' G Phi + alpha / beta D) W = Phi' R X, D without the constant."""
    X = IRIS[0] - IRIS[0].mean(axis=0)
    X /= np.sqrt(X.var(axis=0).mean())
    model = GenerativeTopographicMapping((3, 3), basis=(2, 2), alpha=0.7, tol=1e-13, max_iter=5000).fit(X)
    Phi = model._state().basis
    R = model.predict_proba(X)
    D = np.diag([1.0] * (Phi.shape[1] - 1) + [0.0])
    W = np.linalg.solve(Phi.T @ np.diag(R.sum(axis=0)) @ Phi + 0.7 / model.beta_ * D, Phi.T @ R.T @ X)
    assert_allclose(model.basis_weights_, W, atol=1e-4)


def test_neighbours_on_the_map_are_of_one_class():
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16, y[:600]
    places = GenerativeTopographicMapping((12, 12), basis=(5, 5)).fit_transform(X)
    assert places.shape == (600, 2) and np.abs(places).max() <= 1 + 1e-12
    assert KNeighborsClassifier(5).fit(places, y).score(places, y) > 0.7


def test_odd_tables():
    same = GenerativeTopographicMapping((3, 3), basis=(2, 2)).fit(np.ones((6, 2)))
    assert np.isfinite(same.transform(np.ones((2, 2)))).all()
    line = GenerativeTopographicMapping(6, basis=3).fit(np.arange(20.0)[:, None])
    assert line.transform([[3.0]]).shape == (1, 1)
    assert (np.diff(line.transform(np.arange(20.0)[:, None])[:, 0]) > 0).all()
    with pytest.raises(DataError, match="no value"):
        GenerativeTopographicMapping().fit([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(ParameterError, match="shape"):
        GenerativeTopographicMapping("wide").fit(IRIS[0])


def test_rows_on_the_points_themselves_end_at_a_least_noise():
    """Where the sheet meets every row, rounding must not look like a likelihood that falls."""
    for seed in range(20):
        X = np.random.default_rng(seed).integers(0, 3, (10, 1)).astype(float)
        model = GenerativeTopographicMapping((4, 4), basis=(2, 2)).fit(X)
        assert model.beta_ * X.var() <= 1e6 * (1 + 1e-9)
