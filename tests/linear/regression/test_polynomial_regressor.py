"""Polynomial regression: the six points of IML, peers, bands, interpolation, and data that determine little."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.linear.regression.polynomial_regressor import ExtrapolationWarning, PolynomialRegressor
from assay.stats.bayesian.model_selection import weight_posterior
from assay.stats.information.information_criteria import effective_parameters, regression_criteria

x, r = np.arange(1.0, 7)[:, None], np.array([3.0, 5, 6, 8, 9, 12])


@pytest.mark.capability("IML-4-14")
def test_six_points():
    """IML 2.6, 4.6: the line 59/35 and the quadratic 2.1, 1.0607143, 0.0892857; SSE and R^2 of the line."""
    line, curve = PolynomialRegressor(1).fit(x, r), PolynomialRegressor(2).fit(x, r)
    assert_allclose([line.intercept_, *line.coef_], [1.2666666667, 59 / 35], rtol=1e-10)
    assert_allclose([curve.intercept_, *curve.coef_], [2.1, 1.0607142857, 0.0892857143], rtol=1e-9)
    assert_allclose(1 - line.score(x, r), 0.0217330211, atol=1e-10)
    assert curve.formula() == "2.1 + 1.061 x0 + 0.08929 x0^2"
    assert_array_equal(curve.powers_, [[0], [1], [2]])


@pytest.mark.capability("IML-4-15")
def test_log_likelihood_and_band_of_six_points():
    """IML 4-31: -3.437242 for the line with sigma^2 = SSE/n; the band of the noise is g +- z sigma."""
    model = PolynomialRegressor(1).fit(x, r)
    result = regression_criteria(r, model.predict(x), 2)
    assert_allclose(result.log_likelihood, -3.437242, atol=1e-6)
    assert_allclose(model.sigma_**2, result.mse, rtol=1e-12)
    band = model.predict_band(x, level=0.95, kind="noise")
    assert_allclose(band[:, 1] - model.predict(x), 1.959963985 * model.sigma_, rtol=1e-9)


@pytest.mark.capability("IML-4-15")
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_same_bands_as_statsmodels(degree):
    """Peer: get_prediction of OLS, statsmodels 0.15."""
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is a peer of the tests only")
    data = load_diabetes()
    X, y = data.data[:, [2]], data.target
    D = np.vander(X[:, 0], degree + 1)
    peer = api.OLS(y, D).fit().get_prediction(D[:20])
    model = PolynomialRegressor(degree).fit(X, y)
    assert_allclose(model.predict_band(X[:20], 0.9, "mean"), peer.conf_int(obs=False, alpha=0.1), rtol=1e-8)
    assert_allclose(model.predict_band(X[:20], 0.9), peer.conf_int(obs=True, alpha=0.1), rtol=1e-8)


@pytest.mark.capability("IML-2-15")
@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 9), seed=st.integers(0, 99), shift=st.sampled_from([0.0, 2000.0]))
def test_degree_n_minus_1_goes_through_all_points(n, seed, shift):
    random = np.random.default_rng(seed)
    t = shift + np.arange(n) + random.uniform(0, 0.5, n)
    y = random.normal(size=n)
    model = PolynomialRegressor("interpolate").fit(t[:, None], y)
    assert model.degree_ == n - 1
    assert_allclose(model.predict(t[:, None]), y, atol=1e-8)


@pytest.mark.capability("IML-2-15")
def test_extrapolation_is_reported_when_asked():
    inside, outside = [[1.0], [6.0]], [[3.0], [7.0]]
    PolynomialRegressor(1).fit(x, r).predict(outside)  # silent
    warned = PolynomialRegressor(1, extrapolation="warn").fit(x, r)
    warned.predict(inside)
    with pytest.warns(
        ExtrapolationWarning, match=r"1 row\(s\) lie beyond .* row 2 with x0 = 7, range 1 to 6"
    ):
        warned.predict(outside)
    with pytest.raises(DataError, match="may say anything"):
        PolynomialRegressor(1, extrapolation="refuse").fit(x, r).predict(outside)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("load", [load_iris, load_diabetes])
def test_same_polynomial_as_features_and_ridge(load, degree, alpha):
    """Peers: PolynomialFeatures with LinearRegression or Ridge, scikit-learn 1.9; weighted rows as well."""
    data = load()
    X, y = (
        (data.data[:, :3], data.data[:, 3])
        if load is load_iris
        else (data.data[:, [2, 3, 8]] * 10, data.target)
    )
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    last = Ridge(alpha=alpha, solver="svd") if alpha else LinearRegression()
    peer = make_pipeline(PolynomialFeatures(degree, include_bias=False), last)
    step = type(last).__name__.lower()
    ours = PolynomialRegressor(degree, alpha=alpha).fit(X, y, sample_weight=w)
    peer.fit(X, y, **{f"{step}__sample_weight": w})
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-7)
    assert_allclose(ours.coef_, peer[-1].coef_, rtol=1e-5, atol=1e-8)
    assert_allclose(ours.intercept_, peer[-1].intercept_, rtol=1e-6)


def test_ridge_with_and_without_the_intercept():
    """IML 5.8: lambda = 1 on two inputs; penalised intercept: the most probable weights of weight_posterior."""
    X = np.array([[1, 1], [2, 1], [3, 2], [4, 3], [5, 5], [6, 4.0]])
    free = PolynomialRegressor(1, alpha=1).fit(X, r)
    bound = PolynomialRegressor(1, alpha=1, penalize_intercept=True).fit(X, r)
    assert_allclose([free.intercept_, *free.coef_], [1.585542, 1.592771, 0.002410], atol=1e-6)
    assert_allclose([bound.intercept_, *bound.coef_], [0.866930, 1.753623, 0.006588], atol=1e-6)
    D = np.column_stack([np.ones(6), X])
    assert_allclose(weight_posterior(D, r).mean, [bound.intercept_, *bound.coef_], rtol=1e-9)
    assert_allclose(free.n_parameters_, effective_parameters(D, [0, 1, 1]), rtol=1e-9)


@pytest.mark.capability("IML-4-27")
def test_coefficients_grow_with_the_degree():
    """IML figure 4-8: medians of the largest coefficient over 300 samples of 20: 1.08, 2.79, 3.88, 8.49; 150 here."""
    random = np.random.default_rng(0)
    largest = np.empty((150, 4))
    for i in range(150):
        t = random.uniform(0, 5, (20, 1))
        y = 2 * np.sin(1.5 * t[:, 0]) + random.normal(size=20)
        for k in range(1, 5):
            model = PolynomialRegressor(k).fit(t, y)
            largest[i, k - 1] = max(abs(model.intercept_), *np.abs(model.coef_))
    middle = np.median(largest, axis=0)
    assert (np.diff(middle) > 0).all()
    assert_allclose(middle, [1.08, 2.79, 3.88, 8.49], rtol=0.15)


def test_noise_free_coefficients_of_the_sine():
    """IML 4.8: degree 3 (0.2662, 3.5566, -2.5606, 0.3954) minimises the integral; here over 20000 points."""
    t = (np.arange(20000) + 0.5)[:, None] / 4000
    model = PolynomialRegressor(3).fit(t, 2 * np.sin(1.5 * t[:, 0]))
    assert_allclose([model.intercept_, *model.coef_], [0.2662, 3.5566, -2.5606, 0.3954], atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(
    scale=st.sampled_from([1e-12, 1e-3, 1.0, 1e6, 1e12]),
    shift=st.sampled_from([0.0, 100.0]),
    seed=st.integers(0, 9),
)
def test_units_do_not_matter(scale, shift, seed):
    random = np.random.default_rng(seed)
    t, y = random.uniform(0, 1, (30, 1)), random.normal(size=30)
    plain = PolynomialRegressor(5).fit(t, y).predict(t)
    assert_allclose(
        PolynomialRegressor(5).fit((t + shift) * scale, y).predict((t + shift) * scale), plain, atol=1e-8
    )


def test_a_high_degree_loses_no_digits():
    year = np.linspace(1950, 2020, 200)[:, None]
    y = np.cos((year[:, 0] - 1985) / 5)
    assert np.abs(PolynomialRegressor(30).fit(year, y).predict(year) - y).max() < 1e-9


def test_several_outputs_are_several_fits():
    Y = np.column_stack([r, r[::-1] ** 2])
    both = PolynomialRegressor(2).fit(x, Y)
    for k in range(2):
        one = PolynomialRegressor(2).fit(x, Y[:, k])
        assert_allclose(both.coef_[k], one.coef_, rtol=1e-10)
        assert_allclose(both.predict_band(x)[:, k], one.predict_band(x), rtol=1e-10)
        assert_allclose(both.sigma_[k], one.sigma_, rtol=1e-10)
    assert len(both.formula().splitlines()) == 2


def test_few_different_values():
    with pytest.warns(DegenerateWarning, match=r"column x0 has 2 different value\(s\), .* up to 1 only"):
        model = PolynomialRegressor(3).fit([[1.0], [2.0], [2.0]], [1.0, 2.0, 4.0])
    assert model.degree_ == 1
    assert_allclose(model.predict([[1.0], [2.0]]), [1, 3], rtol=1e-12)
    with pytest.warns(DegenerateWarning, match="1 different"):
        constant = PolynomialRegressor(2).fit([[5.0], [5.0]], [1.0, 3.0])
    assert_allclose(constant.predict([[5.0], [9.0]]), [2, 2], rtol=1e-12)
    one = PolynomialRegressor(0).fit([[5.0]], [3.0])
    assert one.predict([[1.0]]) == 3 and one.coef_.shape == (0,)


def test_more_terms_than_rows():
    X = np.random.default_rng(0).normal(size=(5, 3))
    with pytest.warns(DegenerateWarning, match="10 terms, but the 5 rows determine 5 only"):
        model = PolynomialRegressor(2).fit(X, np.arange(5.0))
    assert_allclose(model.predict(X), np.arange(5.0), atol=1e-9)
    with pytest.warns(DegenerateWarning, match="determine"):
        PolynomialRegressor(1).fit(np.column_stack([X[:, 0], X[:, 0]]), np.arange(5.0))


def test_values_beyond_the_floats():
    t = np.linspace(1, 2, 10)[:, None]
    with pytest.warns(DegenerateWarning, match="beyond the floats"):
        model = PolynomialRegressor(3).fit(t * 1e-200, t[:, 0] ** 3)
    assert_allclose(model.predict(t * 1e-200), t[:, 0] ** 3, rtol=1e-9)
    with pytest.raises(DegenerateError, match="Scale the columns"):
        PolynomialRegressor(3, alpha=1.0).fit(t * 1e-200, t[:, 0])
    line, vast = PolynomialRegressor(1).fit(t, t[:, 0]), PolynomialRegressor(1).fit(t, t[:, 0] * 1e300)
    assert_allclose(vast.predict(t), t[:, 0] * 1e300, rtol=1e-12)
    noisy = PolynomialRegressor(1).fit(t, t[:, 0] ** 2 * 1e300)
    assert_allclose(noisy.sigma_, PolynomialRegressor(1).fit(t, t[:, 0] ** 2).sigma_ * 1e300, rtol=1e-9)
    assert np.isfinite(line.predict([[1e300]])) and np.isfinite(model.predict([[1e300]]))
    huge = PolynomialRegressor(2).fit(t * 1e150, t[:, 0] ** 2)
    assert_allclose(huge.predict(t * 1e150), t[:, 0] ** 2, rtol=1e-9)


def test_categories_shift_the_curve():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"t": random.uniform(0, 1, 40), "kind": random.choice(["a", "b", "c"], 40)})
    y = frame["t"] ** 2 + frame["kind"].map({"a": 0, "b": 3, "c": 5})
    model = PolynomialRegressor(2).fit(frame, y)
    assert model.terms_ == ["1", "t", "kind=b", "kind=c", "t^2", "t kind=b", "t kind=c"]
    assert_allclose([model.intercept_, *model.coef_], [0, 0, 3, 5, 1, 0, 0], atol=1e-9)


def test_weights_count_rows_and_zero_is_absence():
    w = np.array([1, 2, 0, 1, 3, 1])
    ours = PolynomialRegressor(2).fit(x, r, sample_weight=w)
    rows = np.repeat(np.arange(6), w)
    many = PolynomialRegressor(2).fit(x[rows], r[rows])
    assert_allclose(ours.coef_, many.coef_, rtol=1e-9)
    assert_allclose(ours.predict_band(x), many.predict_band(x), rtol=1e-9)


def test_the_terms_explain_the_answer():
    explanation = PolynomialRegressor(2).fit(x, r).explain([[2.0]])
    rows = explanation.sections[0].rows
    assert [row[0] for row in rows] == ["1", "x0", "x0^2", "sum"]
    assert_allclose(rows[-1][2], explanation.answer, rtol=1e-9)


def test_what_cannot_be_fitted_is_said():
    with pytest.raises(ParameterError, match="degree must be a whole number from 0 up or 'interpolate'"):
        PolynomialRegressor("much").fit(x, r)
    with pytest.raises(ParameterError, match="1771 terms"):
        PolynomialRegressor(3).fit(np.random.default_rng(0).normal(size=(5, 20)), np.ones(5))
    with pytest.raises(DataError, match="for one column"):
        PolynomialRegressor("interpolate").fit(np.ones((3, 2)), np.ones(3))
    with pytest.raises(DegenerateError, match="nothing is left to judge the noise by"):
        PolynomialRegressor("interpolate").fit(x, r).predict_band(x)
    with pytest.raises(ParameterError, match="level"):
        PolynomialRegressor(1).fit(x, r).predict_band(x, level=1.0)


def test_weights_that_do_not_count_rows_leave_nothing_to_judge_the_noise_by():
    x = np.arange(20.0)[:, None]
    model = PolynomialRegressor(2).fit(x, np.sin(x[:, 0]), sample_weight=np.full(20, 0.05))
    with pytest.raises(
        DegenerateError, match=r"3 parameters from rows that count 1, .* weights that count rows"
    ):
        model.predict_band(x)
