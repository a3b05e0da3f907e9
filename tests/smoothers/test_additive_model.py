import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from statsmodels.api import OLS, add_constant

from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers.additive_bands import AdditiveOperator
from assay.smoothers.additive_model import AdditiveModel
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
from assay.smoothers.running_median import RunningMedian
from assay.smoothers.smoothing_spline import SmoothingSpline


def waves_and_parabolas(n=400, noise=0.1):
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, (n, 3))
    X[:, 2] = 0.7 * X[:, 0] + 0.3 * X[:, 2]  # goes together with the first
    terms = np.c_[np.sin(3 * X[:, 0]), X[:, 1] ** 2, np.zeros(n)]
    return X, terms, 5 + terms.sum(axis=1) + random.normal(0, noise, n)


@pytest.mark.capability("IML-8-35")
@pytest.mark.parametrize("smoother", [None, Loess(0.3)])
def test_the_terms_of_a_sum_are_recovered(smoother):
    X, terms, y = waves_and_parabolas()
    model = AdditiveModel(smoother).fit(X, y)
    result = model.curves(X)
    assert_allclose(result.mean(axis=0), 0, atol=1e-10)
    assert np.abs(result - (terms - terms.mean(axis=0))).mean(axis=0).max() < 0.1
    assert_allclose(model.intercept_ + result.sum(axis=1), model.predict(X), rtol=1e-12)
    assert_allclose(model.intercept_, y.mean(), rtol=1e-12)


@pytest.mark.parametrize("smoother", [SmoothingSpline(0.05), Loess(0.5), KernelSmoother(0.4)])
def test_at_the_end_every_curve_smooths_what_the_others_leave(smoother):
    """The equations of backfitting: f_j = S_j (r - sum of the others), up to its mean, and for Loess to its line."""
    X, _, y = waves_and_parabolas(150)
    model = AdditiveModel(smoother, tol=1e-10, max_iter=1000).fit(X, y)
    curves = model.curves(X)
    for j in range(3):
        rest = y - model.intercept_ - curves.sum(axis=1) + curves[:, j]
        apart = clone(smoother).fit(X[:, [j]], rest).predict(X[:, [j]]) - curves[:, j]
        degree = 1 if isinstance(smoother, Loess) else 0
        assert_allclose(apart, np.polyval(np.polyfit(X[:, j], apart, degree), X[:, j]), atol=1e-7)
    if not isinstance(smoother, KernelSmoother):
        assert_allclose((y - model.predict(X)) @ X, 0, atol=1e-6)  # no line is left over


def test_stiff_curves_are_least_squares():
    X, y = load_diabetes(return_X_y=True)
    model = AdditiveModel(SmoothingSpline(1e12), tol=1e-9).fit(X[:, :4], y)
    assert_allclose(model.predict(X[:, :4]), LinearRegression().fit(X[:, :4], y).predict(X[:, :4]), rtol=1e-5)
    assert model.n_iter_ < 10


def test_a_column_that_comes_twice_shares_its_curve():
    X, _, y = waves_and_parabolas(100)
    once = AdditiveModel(SmoothingSpline(0.05), tol=1e-9).fit(X[:, :2], y).predict(X[:, :2])
    wide = X[:, [0, 1, 1]]
    model = AdditiveModel(SmoothingSpline(0.05), tol=1e-6, max_iter=1000).fit(wide, y)
    assert np.abs(model.predict(wide) - once).max() < 0.2  # two curves of one column bend a little more


def test_one_smoother_for_each_column_and_other_smoothers():
    X, terms, y = waves_and_parabolas()
    model = AdditiveModel([SmoothingSpline(), KernelSmoother(0.2), SmoothingSpline(df=3)]).fit(X, y)
    assert [type(one).__name__ for one in model.smoothers_] == [
        "SmoothingSpline",
        "KernelSmoother",
        "SmoothingSpline",
    ]
    assert np.abs(model.predict(X) - 5 - terms.sum(axis=1)).mean() < 0.15
    with pytest.raises(DataError, match="each of 3 columns"):
        AdditiveModel([SmoothingSpline()]).fit(X, y)


def test_a_row_of_weight_two_is_two_rows():
    X, _, y = waves_and_parabolas(120)
    counts = np.random.default_rng(0).integers(0, 3, 120)
    once = AdditiveModel().fit(X, y, sample_weight=counts).predict(X)
    twice = AdditiveModel().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).predict(X)
    assert_allclose(once, twice, rtol=1e-4)


@pytest.mark.parametrize("smoother", [None, SmoothingSpline(df=4), Loess(0.5)])
def test_shares_of_rows_have_no_unit(smoother):
    X, _, y = waves_and_parabolas(80)
    model = AdditiveModel(smoother)
    for share in (1 / 80, 1e-9):
        assert_allclose(
            model.fit(X, y, sample_weight=np.full(80, share)).predict(X),
            model.fit(X, y).predict(X),
            rtol=1e-6,
        )


def test_columns_of_any_unit():
    X, _, y = waves_and_parabolas(60)
    known = AdditiveModel(Loess(0.5)).fit(X, y).predict(X)
    for unit in (1e-200, 1e200):
        assert_allclose(AdditiveModel(Loess(0.5)).fit(X * unit, y).predict(X * unit), known, rtol=1e-6)


def test_categories_have_their_level_and_the_explanation_its_terms():
    X, terms, y = waves_and_parabolas()
    colour = np.where(np.arange(len(y)) % 3, "red", "blue")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": colour})
    target = 5 + terms[:, 0] + terms[:, 1] + 3 * (colour == "red")
    model = AdditiveModel().fit(frame, target)
    assert np.abs(model.predict(frame) - target).max() < 0.05
    explanation = model.explain(frame.iloc[[0]])
    rows = explanation.sections[0].rows
    assert [row[0] for row in rows[:3]] == ["(mean)", "a", "b"] and rows[-1][0] == "sum"
    assert_allclose(sum(row[2] for row in rows[:-1]), explanation.answer, rtol=1e-12)


def test_too_few_rounds_are_said():
    X, _, y = waves_and_parabolas(100)
    with pytest.warns(ConvergenceWarning, match=r"stopped after 2 rounds.*Raise max_iter"):
        AdditiveModel(max_iter=2, tol=0.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdditiveModel().fit(X, y)


def test_constant_columns_and_one_row():
    assert_allclose(AdditiveModel().fit([[1.0, 2.0]] * 5, np.arange(5.0)).predict([[1.0, 2.0]]), [2])
    assert_allclose(AdditiveModel().fit([[1.0]], [3.0]).predict([[7.0]]), [3])


def test_the_band_of_stiff_curves_is_that_of_least_squares():
    """Peer: OLS of statsmodels, the standard error of the mean and Student's t with n - 4 degrees of freedom."""
    X, _, y = waves_and_parabolas(80)
    model = AdditiveModel(SmoothingSpline(1e12), tol=1e-9).fit(X, y)
    at = waves_and_parabolas(20)[0]
    peer = OLS(y, add_constant(X)).fit()
    told = peer.get_prediction(add_constant(at))
    band = model.confidence_band(at, level=0.9)
    assert_allclose(band.error, told.se_mean, rtol=1e-5)
    assert_allclose(np.c_[band.low, band.high], told.conf_int(alpha=0.1), rtol=1e-5)
    assert_allclose(model.degrees_of_freedom(), 4, rtol=1e-5)
    for j, one in enumerate(model.curve_bands(at)):
        assert_allclose(one.error, peer.bse[j + 1] * np.abs(at[:, j] - X[:, j].mean()), rtol=1e-5)


def test_the_band_of_one_column_is_that_of_its_smoother():
    X, _, y = waves_and_parabolas(80)
    one, alone = AdditiveModel(SmoothingSpline(0.05)), SmoothingSpline(0.05)
    band = one.fit(X[:, :1], y).confidence_band(X[:, :1])
    known = alone.fit(X[:, :1], y).confidence_band(X[:, :1])
    assert_allclose(band.estimate, known.estimate, rtol=1e-9)
    assert_allclose(band.error / band.error[0], known.error / known.error[0], rtol=1e-5)
    assert_allclose(one.degrees_of_freedom(), alone.degrees_of_freedom(), rtol=1e-5)


def test_intervals_of_the_sum_and_of_a_curve_cover_the_truth_as_often_as_they_say():
    """2000 draws of the noise: the mean coverage of the rows within 0.01 of 0.95 less what the small bias takes."""
    X, terms, y = waves_and_parabolas(80, 0.3)
    model = AdditiveModel(SmoothingSpline(0.002), tol=1e-9).fit(X, y)
    known = model._operator()
    truth = terms.sum(axis=1)
    Y = truth + np.random.default_rng(3).normal(0, 0.3, (2000, 80))
    sigma = np.sqrt(np.sum((Y @ known.left.T) ** 2, axis=1) / known.dof)
    reach = student.ppf(0.975, known.dof)
    curve = known.rows(X)[0]
    for weights, target in (
        (np.eye(80) - known.left, truth),
        (curve, terms[:, 0] - terms[:, 0].mean()),
    ):
        half = reach * known.errors(weights, 1.0) * sigma[:, None]
        assert 0.93 < np.mean(np.abs(Y @ weights.T - target) < half) < 0.96
    band = model.confidence_band(X)
    mine = np.sqrt(np.sum((y - model.predict(X)) ** 2) / known.dof)
    assert_allclose(band.high - band.estimate, reach * known.errors(np.eye(80) - known.left, mine), rtol=1e-5)


def test_the_band_of_a_row_of_weight_two_is_that_of_two_rows():
    X, _, y = waves_and_parabolas(60)
    counts = np.random.default_rng(0).integers(0, 3, 60)
    way = AdditiveModel(Loess(0.6), tol=1e-9, max_iter=500)
    once = way.fit(X, y, sample_weight=counts).confidence_band(X)
    twice = way.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).confidence_band(X)
    assert_allclose(once.error, twice.error, rtol=1e-6)
    assert_allclose(once.dof, twice.dof, rtol=1e-6)


def test_bands_that_there_are_not():
    X, _, y = waves_and_parabolas(30)
    with pytest.raises(ParameterError, match="level must be"):
        AdditiveModel().fit(X, y).confidence_band(X, level=95)
    with pytest.raises(TypeError, match="RunningMedian is no weighted mean"):
        AdditiveModel(RunningMedian(n_neighbors=5)).fit(X, y).confidence_band(X)
    with pytest.raises(DegenerateError, match="nothing is left to see the noise by"):
        AdditiveModel(SmoothingSpline(0.0)).fit(X[:, :1], y).confidence_band(X[:, :1])
    with pytest.raises(DataError, match="there are 5000 rows"):
        AdditiveOperator([], np.zeros((5000, 1)), np.ones(5000))
