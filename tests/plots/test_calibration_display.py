"""Probabilities against outcomes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve

from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.metrics.calibration import ReliabilityCurve
from assay.plots.calibration_display import CalibrationDisplay
from assay.tables.data import load_breast_cancer

RNG = np.random.default_rng(8)
P = RNG.beta(0.7, 0.7, size=300)
Y = RNG.random(300) < P


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_line_is_scikit_learn_s(strategy):
    display = CalibrationDisplay.from_predictions(Y, P, n_bins=6, strategy=strategy, name="it")
    true, pred = calibration_curve(Y, P, n_bins=6, strategy=strategy)
    assert_allclose(display.line_.get_xdata(), pred)
    assert_allclose(display.line_.get_ydata(), true)
    assert display.bands_ == [] and display.histogram_ax_ is None


def test_band_and_histogram():
    display = CalibrationDisplay.from_predictions(Y, P, n_bins=6, band=0.9, histogram=True)
    curve = ReliabilityCurve.of(Y, P, method="uniform", bins=6, alpha=1 - 0.9, resamples=400, pos_label=True)
    assert_allclose(curve.predicted, display.prob_pred)  # the band stands at the line's points
    assert_allclose(display.curves_[0].consistent_low, curve.consistent_low)
    corners = display.bands_[0].get_paths()[0].vertices
    assert_allclose(corners[:, 1].max(), curve.consistent_high.max())
    (stairs,) = display.histogram_ax_.patches
    assert_array_equal(stairs.get_data().values, np.histogram(P, bins=np.linspace(0, 1, 21))[0])


def test_an_estimator_takes_the_same_options():
    X = RNG.normal(size=(80, 1))
    y = np.where(X[:, 0] + RNG.normal(size=80) > 0, "b", "a")
    display = CalibrationDisplay.from_estimator(GaussianNB().fit(X, y), X, y, band=True)
    assert display.pos_label == "b" and len(display.bands_) == 1 and display.curves_[0].label == "b"


def test_learners_of_a_comparison_come_into_one_picture():
    result = compare(["lda", "naive bayes"], load_breast_cancer(), design="5-fold")
    display = CalibrationDisplay.from_comparison(result, band=True, n_bins=5)
    names = [s.learner for s in result.ranking()]
    assert [line.get_label() for line in display.line_] == names
    for name, line in zip(names, display.line_):
        rows = result.out_of_fold(name)
        curve = ReliabilityCurve.of(rows.truth == 1, rows.posterior[:, 1], bins=5, pos_label=True)
        assert_allclose(line.get_xdata(), curve.predicted)
        assert_allclose(line.get_ydata(), curve.observed)
    assert len(display.bands_) == len(display.histogram_ax_.patches) == 2
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["Perfectly calibrated", *names]


def test_rows_of_one_class_are_refused():
    with pytest.raises(DataError, match="all 2 rows are of class 1"):
        CalibrationDisplay.from_predictions([1, 1], [0.2, 0.9])
    with pytest.raises(DataError, match="no rows"):
        CalibrationDisplay.from_predictions([], [])
    with pytest.raises(ParameterError, match="band must be true, false or a probability"):
        CalibrationDisplay.from_predictions([0, 1], [0.2, 0.9], band=1.5)


def test_alpha_is_matplotlib_s_as_in_scikit_learn():
    assert CalibrationDisplay.from_predictions(Y, P, alpha=0.8, color="red").line_.get_alpha() == 0.8


def test_a_list_of_probabilities_is_one_curve_in_the_histogram():
    display = CalibrationDisplay.from_predictions([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], histogram=True)
    (steps,) = display.histogram_ax_.patches
    assert steps.get_data().values.sum() == 4
