import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from statsmodels.nonparametric.kernel_regression import KernelReg

from assay import load, save
from assay.densities.kernels import KERNELS, kernel_of
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.tables import Table

# The table of 8.8; queries .5, 2, 3.25, 6.
TABLE = {
    0.5: [1.500008, 1.820144, 4.172203, 6.626796],
    1.0: [1.555071, 2.406062, 3.846065, 5.970814],
    2.0: [2.158575, 2.924170, 3.762697, 5.377371],
}


@pytest.mark.capability("IML-8-25")
@pytest.mark.parametrize("h", TABLE)
def test_the_table(eight, h):
    x, r, q = eight
    assert_allclose(KernelSmoother(h).fit(x, r).predict(q), TABLE[h], atol=5e-7)


@pytest.mark.capability("IML-8-26")
def test_the_table_with_the_width_of_three_neighbours(eight):
    x, r, q = eight
    expected = [1.816270, 2.406062, 3.775553, 5.970814]
    assert_allclose(KernelSmoother(n_neighbors=3).fit(x, r).predict(q), expected, atol=5e-7)


@pytest.mark.capability("IML-8-25")
@pytest.mark.filterwarnings("ignore:After 0.17:FutureWarning")  # the peer's own
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("load", [load_iris, load_diabetes])
def test_same_estimates_as_statsmodels(load, columns):
    """Peer: KernelReg (local constant), statsmodels 0.15: a product of Gaussians, one width for each column."""
    X, y = load(return_X_y=True)
    X, y = X[:, [2, 0][:columns]], X[:, 3]
    width = X.std(axis=0) / 2
    peer = KernelReg(y[::2], X[::2], "c" * columns, reg_type="lc", bw=width).fit(X[1::2])[0]
    ours = KernelSmoother(width).fit(X[::2], y[::2]).predict(X[1::2])
    assert_allclose(ours, peer, rtol=1e-9)


@pytest.mark.capability("IML-8-25")
def test_the_ellipsoidal_kernel_is_the_spherical_one_on_whitened_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) @ random.normal(size=(3, 3))
    y, root = random.normal(size=60), np.linalg.cholesky(np.linalg.inv(np.cov(X.T)))
    ours = KernelSmoother(0.8, metric="mahalanobis").fit(X, y).predict(X)
    assert_allclose(ours, KernelSmoother(0.8).fit(X @ root, y).predict(X @ root), rtol=1e-8)


@given(seed=st.integers(0, 1000), name=st.sampled_from(list(KERNELS)), d=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_the_weights_are_the_kernels(seed, name, d):
    random = np.random.default_rng(seed)
    X, y, at = random.normal(size=(30, d)), random.normal(size=30), random.normal(size=(5, d))
    apart = np.sqrt(((at[:, None] - X) ** 2).sum(axis=2))
    v = kernel_of(name).profile(apart / 1.5)
    near = v.sum(axis=1) > 0
    v = v[near]
    model = KernelSmoother(1.5, kernel=name).fit(X, y)
    assert_allclose(model.weights(at[near]), v / v.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-15)


def test_far_from_all_rows_it_tends_to_the_nearest(eight):
    x, r, _ = eight
    for name in ("gaussian", "exponential", "logistic"):
        at = [[-1e6], [1e8]] if name == "gaussian" else [[-1e6]]
        model = KernelSmoother(0.01, kernel=name).fit(x, r)
        assert_allclose(model.predict(at), r[[0, -1]][: len(at)], rtol=1e-12)


def test_neighbours_at_one_place_make_a_window_of_that_place():
    model = KernelSmoother(n_neighbors=3).fit([[1.0], [1.0], [1.0], [2.0]], [1.0, 2.0, 6.0, 100.0])
    assert_allclose(model.predict([[1.0]]), [3.0])


def test_a_row_of_weight_two_is_two_rows(waves):
    x, y = waves
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    for chosen in ({}, {"bandwidth": "gcv"}, {"n_neighbors": 12, "kernel": "tricube"}):
        once = KernelSmoother(**chosen).fit(x, y, sample_weight=counts)
        twice = KernelSmoother(**chosen).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        assert_allclose(once.predict(x), twice.predict(x), rtol=1e-9)
        for noise in ("local", "global"):
            a, b = once.confidence_band(x, noise=noise), twice.confidence_band(x, noise=noise)
            assert_allclose(a.error, b.error, rtol=1e-8)
            assert_allclose(a.dof, b.dof, rtol=1e-8)


def test_the_explanation_lists_rows_distances_and_weights(eight):
    x, r, _ = eight
    explanation = KernelSmoother(1.0).fit(x, r).explain([[2.0]])
    section = explanation.sections[0]
    assert section.columns == ["row", "x0", "distance", "number", "weight"]
    assert [row[0] for row in section.rows] == [3, 2, 4, 1, 5, 6, 7, 8]
    assert_allclose([row[2] for row in section.rows[:3]], [0, 1, 1])
    assert_allclose(sum(row[3] * row[4] for row in section.rows), explanation.answer)
    assert explanation.answer == pytest.approx(2.406062, abs=5e-7)
    many = KernelSmoother(5.0).fit(np.arange(50.0)[:, None], np.arange(50.0)).explain([[20.0]])
    assert len(many.sections[0].rows) == 10 and "more rows" in many.sections[0].note


def test_categories_are_measured():
    frame = pd.DataFrame({"size": [1.0, 2.0, 1.0, 2.0], "colour": ["red", "red", "blue", "blue"]})
    model = KernelSmoother(0.2).fit(frame, [1.0, 2.0, 11.0, 12.0])
    assert_allclose(model.predict(frame), [1, 2, 11, 12], atol=1e-3)


@pytest.mark.parametrize("way", ["loo", "gcv", "scott"])
def test_each_choice_of_the_width_follows_a_wave(waves, way):
    x, y = waves
    model = KernelSmoother(way).fit(x, y)
    inner = (x[:, 0] > 1) & (x[:, 0] < 9)
    limit = 0.2 if way != "scott" else 0.4
    assert np.sqrt(np.mean((model.predict(x) - np.sin(x[:, 0]))[inner] ** 2)) < limit


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_rows_of_weight_zero_do_not_stretch_the_metric(metric):
    rng = np.random.default_rng(5)
    X, y, w = rng.normal(size=(40, 2)) * [1, 9], rng.normal(size=40), rng.integers(0, 4, 40).astype(float)
    X[w == 0] += 30
    again = np.repeat(np.arange(40), w.astype(int))
    model = KernelSmoother(0.7, metric=metric).fit(X, y, w)
    assert_allclose(
        model.predict(X), KernelSmoother(0.7, metric=metric).fit(X[again], y[again]).predict(X), rtol=1e-9
    )


def test_a_model_of_rows_with_missing_values_is_saved(tmp_path):
    """The mixed metric takes them, so the stored rows hold them."""
    X = Table.of({"size": [1.0, None, 3.0, 4.0], "town": ["a", "b", None, "a"]})
    model = KernelSmoother(bandwidth=0.5).fit(X, [1.0, 2.0, 3.0, 4.0])
    save(model, tmp_path / "m.assay")
    np.testing.assert_array_equal(load(tmp_path / "m.assay").predict(X), model.predict(X))
