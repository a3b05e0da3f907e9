import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binned_statistic_dd
from sklearn.datasets import load_diabetes, load_iris

from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers import regressogram
from assay.smoothers.regressogram import Regressogram


@pytest.mark.capability("IML-8-23")
@pytest.mark.parametrize(("h", "expected"), [(2.0, [1.5, 2.75, 2.75, 6.5]), (3.0, [1.5, 1.5, 4.5, 6.5])])
def test_the_table(eight, h, expected):
    x, r, q = eight
    assert_allclose(Regressogram(h, origin=0.0).fit(x, r).predict(q), expected, rtol=1e-14)


@pytest.mark.capability("IML-8-23")
def test_the_lines_of_two_bins(eight):
    x, r, _ = eight
    model = Regressogram(4.0, origin=0.0, degree=1).fit(x, r)
    assert_allclose(model.coef_, [[0.85], [0.55]], rtol=1e-12)
    assert_allclose(model.intercept_, [0.85, 2.6], rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("load", [load_iris, load_diabetes])
def test_same_means_as_scipy(load, columns):
    """Peer: binned_statistic_dd; its last bin is closed, so the range ends above the last row here."""
    X, y = load(return_X_y=True)
    X, y = X[:, :columns], X[:, -1]
    low, width = X.min(axis=0), np.ptp(X, axis=0) * 1.001 / 4
    edges = [low[j] + width[j] * np.arange(5) for j in range(columns)]
    means, _, place = binned_statistic_dd(X, y, "mean", bins=edges, expand_binnumbers=False)
    place = np.ravel_multi_index([np.digitize(X[:, j], edges[j]) - 1 for j in range(columns)], (4,) * columns)
    model = Regressogram(width).fit(X, y)
    assert_allclose(model.predict(X), means.ravel()[place], rtol=1e-12)
    assert len(model.bins_) == np.isfinite(means).sum()


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("d", [1, 2])
def test_weights_leverages_and_leaving_out(degree, d):
    random = np.random.default_rng(d)
    X, y = random.uniform(0, 3, (60, d)), random.normal(size=60)
    model = Regressogram(1.0, origin=0.0, degree=degree).fit(X, y)
    at = np.r_[X[:10] + 0.1, [[-5.0] * d]]
    assert_allclose(model.weights(at) @ y, model.predict(at), rtol=1e-9)
    own = np.diag(model.weights(X))
    assert_allclose(model._leverages(np.arange(60)), own, rtol=1e-9)
    again = [
        Regressogram(1.0, origin=0.0, degree=degree)
        .fit(np.delete(X, i, 0), np.delete(y, i))
        .predict(X[[i]])[0]
        for i in range(60)
    ]
    sure = 1 - own > 1e-6
    assert_allclose(model.leave_one_out()[sure], np.array(again)[sure], rtol=1e-8)


def test_rows_on_a_line_stay_on_it_and_one_distinct_x_has_no_slope():
    x = np.linspace(0, 5, 30)[:, None]
    assert_allclose(
        Regressogram(1.3, degree=1).fit(x, 2 - 7 * x[:, 0]).predict(x), 2 - 7 * x[:, 0], rtol=1e-9
    )
    model = Regressogram(1.0, degree=1).fit([[0.0], [0.0], [1.5]], [1.0, 3.0, 9.0])
    assert_array_equal(model.coef_, [[0], [0]])
    assert_allclose(model.predict([[0.9], [1.1]]), [2, 9])


def test_equal_x_whose_mean_is_rounded_have_no_slope():
    model = Regressogram(1.0, degree=1).fit(np.full((25, 1), 0.03), np.arange(25.0))
    assert_array_equal(model.coef_, [[0]])
    assert_allclose(model.weights([[0.9]]), np.full((1, 25), 0.04), rtol=1e-12)


def test_what_an_empty_bin_gets():
    X, y = [[0.0], [1.0], [9.0]], [1.0, 2.0, 6.0]
    for empty, expected in {"nearest": [4.0, 1.0], "mean": [3.0, 1.0], "nan": [np.nan, 1.0]}.items():
        assert_allclose(Regressogram(1.0, empty=empty).fit(X, y).predict([[5.0], [0.9]]), expected)
    with pytest.raises(DataError, match=r"query row 2, \[5.0\].*Raise width"):
        Regressogram(1.0, empty="raise").fit(X, y).predict([[0.5], [5.0]])


def test_many_empty_bins(monkeypatch):
    monkeypatch.setattr(regressogram, "BLOCK", 7)
    model = Regressogram(1.0).fit([[0.0], [1.0], [9.0]], [1.0, 2.0, 6.0])
    assert_allclose(model.predict(np.linspace(12, 99, 30)[:, None]), np.full(30, 6.0))


def test_bins_are_half_open_and_begin_at_the_origin():
    model = Regressogram(2.0, origin=1.0).fit([[0.5], [1.0], [2.9], [3.0]], [1.0, 2.0, 4.0, 8.0])
    assert_array_equal(model.bins_[:, 0], [-1, 0, 1])
    assert_allclose(model.predict([[-0.9], [1.0], [2.99], [3.0]]), [1, 3, 3, 8])


@given(seed=st.integers(0, 1000), degree=st.integers(0, 1), d=st.integers(1, 2))
@settings(max_examples=15, deadline=None)
def test_a_row_of_weight_two_is_two_rows(seed, degree, d):
    random = np.random.default_rng(seed)
    X, y, counts = random.normal(size=(30, d)), random.normal(size=30), random.integers(0, 3, 30)
    counts[:2] = 1
    both = (X, y, counts), (np.repeat(X, counts, axis=0), np.repeat(y, counts))
    fixed = [Regressogram(0.7, degree=degree, origin=0.0).fit(*rows).predict(X) for rows in both]
    assert_allclose(*fixed, rtol=1e-7, atol=1e-9)
    chosen = [Regressogram(degree=degree).fit(*rows) for rows in both]
    assert_allclose(chosen[0].width_, chosen[1].width_)
    assert_allclose(*[model.predict(X) for model in chosen], rtol=1e-7, atol=1e-9)


def test_the_chosen_width_has_the_least_left_out_error(waves):
    x, y = waves
    model = Regressogram().fit(x, y)
    cuts = np.ptp(x) / model.width_[0]
    assert 5 < cuts < 40
    error = np.mean((y - model.leave_one_out()) ** 2)
    for factor in (0.5, 2.0):
        other = Regressogram(model.width_ * factor, origin=model.origin_).fit(x, y)
        assert error < np.mean((y - other.leave_one_out()) ** 2)


def test_degenerate_rows():
    assert_allclose(Regressogram().fit([[3.0]] * 5, np.arange(5.0)).predict([[3.0], [99.0]]), [2, 2])
    one = Regressogram().fit([[3.0]], [7.0])
    assert_allclose(one.predict([[3.0], [-50.0]]), [7, 7])
    with pytest.raises(DegenerateError, match="one row"):
        one.leave_one_out()
    counted = Regressogram().fit([[3.0], [4.0]], [7.0, 1.0], sample_weight=[1.0, 0.0])
    with pytest.raises(DegenerateError, match="one row counts"):
        counted.leave_one_out()
    with pytest.raises(ParameterError, match="one for each of 2 columns"):
        Regressogram([1.0, 2.0, 3.0]).fit([[1.0, 2.0]], [1.0])


def test_a_width_is_chosen_by_rows_that_count_little():
    x = np.linspace(0, 9, 50)[:, None]
    light = Regressogram().fit(x, np.sin(x[:, 0]), np.full(50, 0.01))
    assert 3 < len(light.bins_) <= 50
    assert np.mean((light.predict(x) - np.sin(x[:, 0])) ** 2) < 0.1
