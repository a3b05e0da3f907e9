"""Gaussian process regression by inducing points: the same model from memory, blocks and Dask."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.kernels import RBF, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor, SparseGaussianProcessRegressor


def table(n=600, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (n, 2))
    f = np.sin(6 * X[:, 0]) + X[:, 1] ** 2
    return X, f + 0.2 * random.normal(size=n), f


def test_it_finds_the_function_and_its_noise():
    X, y, f = table()
    model = SparseGaussianProcessRegressor(n_inducing=60).fit(X, y)
    noise = model.kernel_.k2.noise_level * model.y_scale_**2
    assert_allclose(np.sqrt(noise), 0.2, rtol=0.1)
    assert np.sqrt(np.mean((model.predict(X) - f) ** 2)) < 0.05
    assert model.lower_bound_ < model.upper_bound_ < model.lower_bound_ + 1.0


def test_the_bound_is_close_to_the_evidence_of_the_exact_model():
    X, y, _ = table(300)
    kernel = 1.0 * RBF([0.5, 1.0]) + WhiteKernel(0.1)
    sparse = SparseGaussianProcessRegressor(kernel, n_inducing=80).fit(X, y)
    exact = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    evidence = exact.log_marginal_likelihood_value_
    assert evidence - 0.1 < sparse.lower_bound_ <= evidence + 1e-4
    mean, sd = sparse.predict(X[:20], return_std=True)
    expected, expected_sd = exact.predict(X[:20], return_std=True)
    assert_allclose(mean, expected, atol=0.01)
    assert_allclose(sd, expected_sd, rtol=0.01)


def test_blocks_and_dask_give_the_model_of_memory():
    import dask.array as da

    X, y, _ = table()
    settings = {"kernel": 1.0 * Matern([0.5, 1.0], nu=2.5) + WhiteKernel(0.1), "n_inducing": 25}
    whole = SparseGaussianProcessRegressor(**settings).fit(X, y)
    blocks = SparseGaussianProcessRegressor(**settings).fit_blocks(
        [(X[a : a + 170], y[a : a + 170]) for a in range(0, 600, 170)]
    )
    dask = SparseGaussianProcessRegressor(**settings).fit(
        da.from_array(X, chunks=(200, 2)), da.from_array(y, chunks=200)
    )
    for other in (blocks, dask):
        assert_allclose(other.lower_bound_, whole.lower_bound_, rtol=1e-9)
        assert_allclose(other.predict(X), whole.predict(X), atol=1e-5)
        assert (other.inducing_points_ == whole.inducing_points_).all()


def test_a_weight_counts_as_equal_rows():
    X, y, _ = table(80)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    settings = {"kernel": 1.0 * RBF([0.5, 1.0]) + WhiteKernel(0.1), "n_inducing": 30}
    weighted = SparseGaussianProcessRegressor(**settings).fit(X, y, sample_weight=weight)
    repeated = SparseGaussianProcessRegressor(**settings).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    assert_allclose(weighted.lower_bound_, repeated.lower_bound_, rtol=1e-6)
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-3)


def test_intervals_cover_new_targets():
    X, y, _ = table(1500, seed=3)
    model = SparseGaussianProcessRegressor(n_inducing=60).fit(X[:700], y[:700])
    low, high = model.predict_interval(X[700:], 0.95).T
    assert 0.93 <= np.mean((low < y[700:]) & (y[700:] < high)) <= 0.97


def test_a_constant_target_is_that_constant():
    X, _, _ = table(50)
    model = SparseGaussianProcessRegressor(n_inducing=10).fit(X, np.full(50, 7.0))
    assert_allclose(model.predict(X), 7.0, atol=1e-6)


@pytest.mark.parametrize("method", ["inducing", "vecchia", "line"])
def test_intervals_of_the_ladder_cover_new_targets(method):
    random = np.random.default_rng(5)
    x = random.uniform(0, 20, (2400, 1))
    y = np.sin(x[:, 0]) + 0.3 * random.normal(size=2400)
    kernel = 1.0 * Matern(2.0, nu=2.5) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, method=method, normalize_y=True).fit(x[:900], y[:900])
    low, high = model.predict_interval(x[900:], 0.95).T
    assert 0.93 <= np.mean((low < y[900:]) & (y[900:] < high)) <= 0.97


def test_a_large_mean_does_not_cancel_the_spread_of_the_targets():
    x = np.random.default_rng(0).uniform(0, 6, (60, 1))
    y = np.sin(x[:, 0])
    kernel = 1.0 * RBF() + WhiteKernel(0.01)
    near, far = (SparseGaussianProcessRegressor(kernel, optimizer=None, random_state=0) for _ in range(2))
    blocks = [(x[:20], y[:20] + 1e9), (x[20:], y[20:] + 1e9)]
    assert_allclose(far.fit_blocks(blocks).predict(x) - 1e9, near.fit(x, y).predict(x), atol=1e-5)
    assert_allclose(far.y_scale_, near.y_scale_, rtol=1e-6)


def test_targets_that_are_several_or_too_large_are_refused():
    x = np.random.default_rng(0).uniform(0, 6, (20, 1))
    with pytest.raises(DataError, match="one target"):
        SparseGaussianProcessRegressor().fit(x, np.column_stack([x, x]))
    with pytest.raises(DataError, match="another unit"):
        SparseGaussianProcessRegressor().fit(x, np.where(x[:, 0] < 3, 1.7e308, -1.7e308))


def test_the_reasons_add_up_to_the_answer():
    """The points' contributions and the mean of the targets; the interval is that of the predictive distribution."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = 5.0 + np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=200)
    model = SparseGaussianProcessRegressor(n_inducing=12, random_state=0).fit(X, y)
    uncertain, points, beside = model.explain(X[:1]).sections
    mean, sd = model.predict(X[:1], return_std=True)
    np.testing.assert_allclose(
        uncertain.rows[0][::2], [mean[0], sd[0], mean[0] + 1.959964 * sd[0]], rtol=1e-6
    )
    words = r"(\d+) more points add (\S+); the mean of the targets adds (\S+): the answer is (\S+)\."
    told = re.search(words, points.note)
    assert int(told[1]) == len(model.inducing_points_) - len(points.rows)
    shown = sum(line[-1] for line in points.rows)
    assert shown + float(told[2]) + float(told[3]) == pytest.approx(float(told[4]), abs=1e-4)
    assert float(told[4]) == pytest.approx(mean[0], rel=1e-5)
    assert beside.columns[:2] == ["column", "this row"]


def test_terms_of_the_kernel_add_up_to_the_answer():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = 5.0 + np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=200)
    kernel = 2.0 * RBF([0.3, 0.5]) + 1.0 * RBF(2.0) + WhiteKernel(0.05)
    model = SparseGaussianProcessRegressor(kernel, n_inducing=30, optimizer=None).fit(X, y)
    terms = model.explain(X[:1]).sections[-1]
    assert terms.title == "Terms of the kernel" and len(terms.rows) == 2
    total = sum(line[1] for line in terms.rows) + model.y_mean_
    np.testing.assert_allclose(total, model.predict(X[:1])[0], rtol=1e-7)


def test_the_view_names_points_bounds_and_columns():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(100, 2))
    model = SparseGaussianProcessRegressor(n_inducing=10, random_state=0).fit(X, np.sin(4 * X[:, 0]))
    shown = str(model.show())
    for words in ("inducing points", "log evidence at least", "log evidence at most", "Columns by relevance"):
        assert words in shown


def test_a_jitter_of_the_points_is_reported():
    x = np.linspace(0, 10, 60)[:, None]
    model = SparseGaussianProcessRegressor(n_inducing=20, random_state=0)
    assert not hasattr(model, "jitter_")
    model.fit(x, np.sin(x[:, 0]))
    assert model.jitter_ == 0 and "Jitter" not in str(model.show())
    points = model.posterior_
    model.posterior_ = replace(points, L=replace(points.L, jitter=1e-10))
    assert model.jitter_ == 1e-10 and "Jitter: 1e-10 was added" in str(model.show())
