import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from statsmodels.nonparametric.kernel_regression import KernelReg
from statsmodels.nonparametric.smoothers_lowess import lowess

from assay.errors import ParameterError
from assay.smoothers.loess import Loess

# The table of 8.8 (Gaussian); queries .5, 2, 3.25, 6. The last is the least-squares line.
TABLE = {
    1.0: [1.400800, 2.392327, 3.845863, 6.059266],
    2.0: [1.294034, 2.572076, 3.711912, 5.952417],
    1e6: [1.375, 2.625, 3.666667, 5.958333],
}


@pytest.mark.capability("IML-8-28")
@pytest.mark.parametrize("h", TABLE)
def test_the_table(eight, h):
    x, r, q = eight
    assert_allclose(Loess(bandwidth=h, kernel="gaussian").fit(x, r).predict(q), TABLE[h], atol=5e-7)


@pytest.mark.capability("IML-8-28")
@pytest.mark.parametrize("iterations", [0, 1, 3])
@pytest.mark.parametrize("span", [0.15, 0.5, 2 / 3, 1.0])
@pytest.mark.parametrize("load", [load_iris, load_diabetes])
def test_same_curve_as_lowess(load, span, iterations):
    """Peer: lowess, statsmodels 0.15, without interpolation (delta = 0).

    Rows moved at random: where k equal x fill a window the peer has NaN, and we their mean.
    """
    X, y = load(return_X_y=True)
    random = np.random.default_rng(0)
    x = X[:, 2] + random.uniform(0, 0.01 * np.ptp(X[:, 2]), len(X))
    y = y + random.normal(size=len(y))
    y[::17] += 5 * y.std()
    peer = lowess(y, x, frac=span, it=iterations, return_sorted=False)
    ours = Loess(span, robust_iterations=iterations).fit(x[:, None], y).predict(x[:, None])
    assert_allclose(ours, peer, atol=1e-6 * y.std())


def test_same_curve_as_lowess_at_other_places(waves):
    x, y = waves
    x = x + np.random.default_rng(0).uniform(0, 0.001, x.shape)
    at = np.linspace(0, 10, 40)
    peer = lowess(y, x[:, 0], frac=0.3, it=2, xvals=at)
    assert_allclose(Loess(0.3, robust_iterations=2).fit(x, y).predict(at[:, None]), peer, atol=1e-8)


@pytest.mark.filterwarnings("ignore:After 0.17:FutureWarning")  # the peer's own
def test_same_plane_as_statsmodels():
    """Peer: KernelReg (local linear): a product of Gaussians, one width for each column."""
    X = load_iris().data
    width = X[:, :2].std(axis=0)
    peer = KernelReg(X[::2, 3], X[::2, :2], "cc", reg_type="ll", bw=width).fit(X[1::2, :2])[0]
    ours = Loess(bandwidth=width, kernel="gaussian").fit(X[::2, :2], X[::2, 3]).predict(X[1::2, :2])
    assert_allclose(ours, peer, rtol=1e-7)


@pytest.mark.capability("IML-8-28")
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_polynomials_of_its_degree_are_kept(degree):
    random = np.random.default_rng(degree)
    for d in (1, 2):
        X = random.uniform(-1, 1, (100, d))
        y = (X @ np.arange(1.0, d + 1)) ** degree + 2
        model = Loess(0.5, degree=degree, robust_iterations=1).fit(X, y)
        assert_allclose(model.predict(X), y, rtol=1e-7)
        assert_allclose(model.robustness_, 1)  # nothing is left over, so no row is an outlier


def test_the_ends_have_no_bias_of_the_first_order():
    x = np.linspace(0, 1, 50)[:, None]
    assert_allclose(Loess(0.3).fit(x, 3 * x[:, 0]).predict(x), 3 * x[:, 0], atol=1e-12)
    mean = Loess(0.3, degree=0).fit(x, 3 * x[:, 0]).predict(x)
    assert mean[0] > 0.05 and mean[-1] < 2.95


def test_outliers_lose_their_say(waves):
    x, y = waves
    spoiled = y.copy()
    spoiled[::20] += 50
    robust = Loess(0.2, robust_iterations=3).fit(x, spoiled)
    assert (robust.robustness_[::20] == 0).all() and np.median(robust.robustness_) > 0.8
    truth = np.sin(x[:, 0])
    assert (
        np.abs(robust.predict(x) - truth).mean()
        < 0.15
        < 1
        < np.abs(Loess(0.2).fit(x, spoiled).predict(x) - truth).mean()
    )
    assert_allclose(robust.weights(x) @ spoiled, robust.predict(x), rtol=1e-9)


def test_a_row_of_weight_two_is_two_rows(waves):
    x, y = waves
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    for settings in (
        {"span": 0.3, "robust_iterations": 2},
        {"bandwidth": "loo"},
        {"bandwidth": 0.8, "degree": 2},
    ):
        once = Loess(**settings).fit(x, y, sample_weight=counts)
        twice = Loess(**settings).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        assert_allclose(once.predict(x), twice.predict(x), rtol=1e-8, atol=1e-8)


def test_leaving_out_in_closed_form_is_leaving_out(waves):
    x, y = waves
    model = Loess(bandwidth=0.9).fit(x, y)
    own = np.diag(model.weights(x))
    assert_allclose(model.leave_one_out(), (model.predict(x) - own * y) / (1 - own), rtol=1e-7)
    assert_allclose(model.degrees_of_freedom(), own.sum(), rtol=1e-12)


def test_one_row_and_constant_columns():
    assert_allclose(Loess().fit([[1.0]], [4.0]).predict([[9.0]]), [4])
    assert_allclose(Loess().fit([[1.0, 2.0]] * 6, np.arange(6.0)).predict([[1.0, 2.0]]), [2.5])
    flat = Loess(1.0).fit(np.c_[np.ones(9), np.arange(9.0)], np.arange(9.0))
    assert_allclose(flat.predict([[1.0, 3.5]]), [3.5])


def test_categories_become_indicators():
    random = np.random.default_rng(0)
    size, red = random.uniform(0, 1, 60), random.random(60) < 0.5
    frame = pd.DataFrame({"size": size, "colour": np.where(red, "red", "blue")})
    model = Loess(1.0).fit(frame, 2 * size + 5 * red)
    assert_allclose(model.predict(frame), 2 * size + 5 * red, atol=1e-8)
    assert model.design_.names[0] == "size"


def test_wrong_settings_are_named():
    for wrong, name in (({"span": 0.0}, "span"), ({"degree": 6}, "degree"), ({"metric": "gower"}, "metric")):
        with pytest.raises(ParameterError, match=name):
            Loess(**wrong).fit([[1.0], [2.0]], [1, 2])


@pytest.mark.parametrize("count", [0.5, 0.01, 1e-6])
def test_a_span_is_a_share_also_of_rows_that_count_little(count):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, (100, 1))
    y = np.sin(x[:, 0]) + 0.2 * rng.normal(size=100)
    for span in (0.3, 2 / 3):
        light = Loess(span).fit(x, y, np.full(100, count)).predict(x)
        assert_allclose(light, Loess(span).fit(x, y).predict(x), rtol=1e-9)
