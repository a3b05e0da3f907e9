"""Sammon's mapping: four equidistant points, gradients, descent, new rows, and functions of the columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge

from assay.errors import DataError, ParameterError
from assay.reduce import ClassicalMDS, ParametricSammon, SammonMapping, stress
from assay.reduce.embedding.sammon_terms import sammon_terms

IRIS = load_iris().data[::3]
KINDS = ["sammon", "sammon1969"]


@pytest.mark.capability("IML-6-33")
@pytest.mark.parametrize("solver", ["newton", "majorize"])
def test_four_equidistant_points(solver):
    """8 (1 - (1 + sqrt(1/2)) / 2)^2 over unordered pairs: a square of side 0.853553; ordered pairs give twice that."""
    four = SammonMapping(metric="precomputed", n_init=8, random_state=0, solver=solver, max_iter=2000).fit(
        1 - np.eye(4)
    )
    assert_allclose(four.stress_, 2 * 0.171573, atol=2e-6)
    assert_allclose(four.stress_, 2 * 8 * (1 - (1 + np.sqrt(0.5)) / 2) ** 2, atol=1e-6)
    assert_allclose(np.sort(pdist(four.embedding_))[:4], 0.853553, atol=2e-4)


@pytest.mark.capability("IML-6-33")
@pytest.mark.parametrize("solver", ["newton", "majorize"])
@pytest.mark.parametrize("normalization", KINDS)
def test_the_stress_falls_at_every_step(normalization, solver):
    model = SammonMapping(normalization=normalization, solver=solver).fit(IRIS)
    steps = [step["stress"] for step in model.history_]
    assert (np.diff(steps) <= 1e-12).all()
    assert_allclose(model.stress_, stress(IRIS, model.embedding_, normalization=normalization), rtol=1e-9)
    assert model.stress_ < stress(IRIS, ClassicalMDS().fit_transform(IRIS), normalization=normalization)
    delta = pdist(IRIS)
    slope = sammon_terms(delta, model.embedding_, normalization)[1]
    assert abs(slope).max() < 0.02 * model.stress_


@pytest.mark.parametrize("normalization", KINDS)
def test_both_solvers_end_at_the_same_stress(normalization):
    ends = [
        SammonMapping(normalization=normalization, solver=s, max_iter=5000, tol=1e-14).fit(IRIS).stress_
        for s in ("newton", "majorize")
    ]
    assert_allclose(*ends, rtol=2e-3)


@pytest.mark.capability("IML-6-48")
def test_new_rows_and_equal_rows():
    X = np.r_[IRIS, IRIS[:3]]
    model = SammonMapping().fit(X)
    assert np.isfinite(model.embedding_).all()
    assert_allclose(model.transform(IRIS[5:]), model.embedding_[5 : len(IRIS)], atol=1e-9)
    new = load_iris().data[1::3]
    apart = np.sqrt(((model.transform(new)[:, None] - model.embedding_) ** 2).sum(axis=2))
    wanted = np.sqrt(((new[:, None] - X) ** 2).sum(axis=2))
    assert np.corrcoef(apart.ravel(), wanted.ravel())[0, 1] > 0.99


@pytest.mark.capability("IML-6-34")
@pytest.mark.parametrize("normalization", KINDS)
def test_the_gradient_of_a_linear_map(normalization):
    """grad_W = sum over ordered pairs of 2 (q - delta) / (q delta^2) u u^T W, and finite differences."""
    X = IRIS[:12] - IRIS[:12].mean(axis=0)
    W = np.random.RandomState(0).normal(size=(4, 2))
    delta = pdist(X)
    slope = X.T @ sammon_terms(delta, X @ W, normalization)[1]
    if normalization == "sammon":
        by_the_book = np.zeros((4, 2))
        for r, s in np.ndindex(12, 12):
            u = X[r] - X[s]
            if r != s:
                q, d = np.linalg.norm(u @ W), np.linalg.norm(u)
                by_the_book += 2 * (q - d) / (q * d**2) * np.outer(u, u @ W)
        assert_allclose(slope, by_the_book, rtol=1e-9)
    for i, j in np.ndindex(4, 2):
        step = np.zeros((4, 2))
        step[i, j] = 1e-6
        values = [sammon_terms(delta, X @ (W + sign * step), normalization)[0] for sign in (1, -1)]
        assert_allclose(slope[i, j], (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-7)


@pytest.mark.capability("IML-6-34")
def test_a_linear_map():
    model = ParametricSammon().fit(IRIS)
    start = stress(
        IRIS, (IRIS - IRIS.mean(0)) @ np.linalg.svd(IRIS - IRIS.mean(0))[2][:2].T, normalization="sammon"
    )
    assert model.stress_ < start
    assert_allclose(model.transform(IRIS), model.embedding_, atol=1e-12)
    assert_allclose(model.embedding_, (IRIS - model.mean_) @ model.coef_)
    assert_allclose(stress(IRIS, model.embedding_, normalization="sammon"), model.stress_, rtol=1e-9)


@pytest.mark.capability("IML-6-34")
def test_a_map_by_a_regressor():
    model = ParametricSammon(regressor=KernelRidge(kernel="rbf", gamma=0.1, alpha=0.01)).fit(IRIS)
    assert model.stress_ < 0.97 * model.history_[0]["stress"]
    assert_allclose(stress(IRIS, model.embedding_, normalization="sammon"), model.stress_, rtol=1e-9)
    assert_allclose(model.transform(IRIS), model.embedding_, atol=1e-9)
    with pytest.raises(ParameterError, match="columns of numbers"):
        ParametricSammon(metric="precomputed").fit(squareform(pdist(IRIS)))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_tables_of_any_size(scale):
    model = SammonMapping().fit(IRIS * scale)
    assert_allclose(model.stress_, SammonMapping().fit(IRIS).stress_, rtol=1e-3)


def test_a_linear_map_says_what_each_column_adds():
    model = ParametricSammon().fit(IRIS)
    reasons = model.explain(IRIS[5:7])
    parts = reasons.reasons.contributions(np.arange(2)).values
    assert_allclose(parts.sum(axis=1), model.transform(IRIS[5:7]), atol=1e-12)
    curved = ParametricSammon(regressor=KernelRidge(kernel="rbf", gamma=0.1, alpha=0.01)).fit(IRIS)
    assert curved.explain(IRIS[5:7]).reasons.contributions(np.arange(2)) is None  # no sum over the columns
    assert curved.explain(IRIS[[5]]).sections[0].title == "How far each column moves the row"


def test_a_row_whose_distances_have_no_squares_is_refused():
    X = load_iris().data[::5]
    model = SammonMapping(2).fit(X)
    assert np.isfinite(model.transform(1e100 * X[:1])).all()
    with pytest.raises(DataError, match="SammonMapping: the distances of row 2 are too large to be squared"):
        model.transform([X[0], 1e200 * X[1]])
