import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from assay.errors import DataError
from assay.smoothers.additive_model import AdditiveModel
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
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
    found = model.curves(X)
    assert_allclose(found.mean(axis=0), 0, atol=1e-10)
    assert np.abs(found - (terms - terms.mean(axis=0))).mean(axis=0).max() < 0.1
    assert_allclose(model.intercept_ + found.sum(axis=1), model.predict(X), rtol=1e-12)
    assert_allclose(model.intercept_, y.mean(), rtol=1e-12)


def test_at_the_end_every_curve_smooths_what_the_others_leave():
    """The normal equations of backfitting: f_j = S_j (r - sum of the others), up to its mean."""
    X, _, y = waves_and_parabolas(150)
    model = AdditiveModel(SmoothingSpline(0.05), tol=1e-10, max_iter=500).fit(X, y)
    curves = model.curves(X)
    for j in range(3):
        rest = y - model.intercept_ - curves.sum(axis=1) + curves[:, j]
        smooth = SmoothingSpline(0.05).fit(X[:, [j]], rest).predict(X[:, [j]])
        assert_allclose(smooth - smooth.mean(), curves[:, j], atol=1e-7)


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
