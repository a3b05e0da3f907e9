"""Errors against answered and rejected rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.decide import error_reject_curve, risk_coverage_curve
from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.linear import Perceptron
from assay.plots.risk_coverage_display import RiskCoverageDisplay
from assay.tables.data import load_iris

RESULT = compare(["majority", "lda"], load_iris(), design="5-fold")


def test_lines_are_the_curves_of_the_rows_not_seen():
    display = RiskCoverageDisplay.from_comparison(RESULT)
    rows = RESULT.out_of_fold("lda")
    P = rows.posterior
    curve = risk_coverage_curve(P.argmax(axis=1) != rows.truth, P.max(axis=1))
    assert_allclose(display.lines_["lda"].get_xdata(), curve.coverage)
    assert_allclose(display.lines_["lda"].get_ydata(), curve.risk)
    assert display.lines_["lda"].get_label() == f"lda (area {curve.area:.3f})"


def test_rejecting_is_the_other_side():
    display = RiskCoverageDisplay.from_comparison(RESULT, "lda", kind="reject")
    rows = RESULT.out_of_fold("lda")
    curve = error_reject_curve(rows.posterior, rows.truth)
    some = curve.rejected < 1
    assert_allclose(display.lines_["lda"].get_xdata(), curve.rejected[some])
    assert_allclose(display.lines_["lda"].get_ydata(), curve.error[some])
    assert display.ax_.get_xlabel() == "share of rows rejected"


def test_an_estimator_s_labels_are_matched_by_name():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array(["b", "b", "a", "a"])
    display = RiskCoverageDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
    assert display.curves["GaussianNB"].risk[-1] == 0
    with pytest.raises(TypeError, match="Perceptron has no predict_proba"):
        RiskCoverageDisplay.from_estimator(Perceptron().fit(X, y), X, y)


def test_what_is_no_posterior_is_refused():
    with pytest.raises(DataError, match=r"got shape \(2,\) for 2 labels"):
        RiskCoverageDisplay.from_predictions([0, 1], [0.1, 0.9])
    with pytest.raises(ParameterError, match="kind must be coverage or reject, got 'both'"):
        RiskCoverageDisplay.from_predictions([0, 1], np.eye(2), kind="both")
    with pytest.raises(DataError, match="no curve"):
        RiskCoverageDisplay({})


def test_no_error_is_drawn_over_the_axis_and_not_behind_it():
    display = RiskCoverageDisplay.from_predictions([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    line = display.lines_["Classifier"]
    assert not line.get_clip_on() and line.get_zorder() > display.ax_.spines["bottom"].get_zorder()
