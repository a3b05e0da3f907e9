import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.smoothers.running_line import RunningLine


@pytest.mark.capability("IML-8-27")
@pytest.mark.parametrize(
    ("h", "expected"), [(1.6, [1.375, 2.5, 3.9375, 35 / 6]), (2.5, [1.375, 2.7, 3.6125, 5.9])]
)
def test_the_table(eight, h, expected):
    x, r, q = eight
    assert_allclose(RunningLine(h).fit(x, r).predict(q), expected, rtol=1e-13)


@pytest.mark.parametrize("settings", [{"bandwidth": 1.3}, {"n_neighbors": 9}])
@pytest.mark.parametrize("d", [1, 3])
def test_the_least_squares_plane_of_the_window(settings, d):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(120, d)), random.normal(size=120)
    at = random.normal(size=(6, d)) / 2
    model = RunningLine(**settings).fit(X, y)
    for one, answer in zip(at, model.predict(at)):
        apart = np.sqrt(((X - one) ** 2).sum(axis=1))
        near = apart < 1.3 if "bandwidth" in settings else np.argsort(apart)[:9]
        F = np.c_[np.ones(len(y[near])), X[near]]
        assert_allclose(
            answer, np.r_[1, one] @ np.linalg.lstsq(F, y[near], rcond=None)[0], rtol=1e-8, atol=1e-8
        )


def test_rows_on_a_plane_stay_on_it():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (80, 2))
    y = 3 + X @ [2.0, -5.0]
    model = RunningLine(n_neighbors=7).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-9)
    assert_allclose(model.leave_one_out(), y, rtol=1e-9)


def test_one_distinct_x_in_the_window_gives_the_mean():
    model = RunningLine(0.5).fit([[0.0], [0.0], [3.0]], [1.0, 3.0, 10.0])
    assert_allclose(model.predict([[0.2], [3.1]]), [2, 10])


def test_the_band_is_that_of_least_squares_when_all_rows_count():
    """Peer: the confidence interval of the line, s² of n - 2 degrees of freedom."""
    import statsmodels.api as sm

    random = np.random.default_rng(0)
    x, noise = random.normal(size=30), random.normal(size=30)
    y, at = 2 * x + noise, np.array([-1.0, 0.0, 2.0])
    peer = sm.OLS(y, sm.add_constant(x)).fit().get_prediction(sm.add_constant(at)).conf_int(alpha=0.1)
    band = RunningLine(1e3).fit(x[:, None], y).confidence_band(at[:, None], level=0.9)
    assert_allclose(np.c_[band.low, band.high], peer, rtol=1e-9)
