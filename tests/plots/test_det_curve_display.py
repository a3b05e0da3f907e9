"""Misses against false alarms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr
from sklearn.metrics import roc_curve

from assay.errors import DataError
from assay.evaluate import compare
from assay.plots.det_curve_display import DetCurveDisplay
from assay.tables.data import load_breast_cancer, load_iris


def test_lines_are_the_curves_of_the_learners_on_the_normal_scale():
    result = compare(["lda", "cart"], load_breast_cancer(), design="5-fold")
    display = DetCurveDisplay.from_comparison(result)
    names = [s.learner for s in result.ranking()]
    assert [line.get_label() for line in display.line_] == names
    for name, line in zip(names, display.line_):
        folds = [(t, c.posterior[:, 1]) for t, c in zip(result.truths, result.cells[name])]
        between = np.random.default_rng(0).uniform(0.02, 0.98, 50)  # no corner of any fold lies there
        missed = 1 - np.mean([np.interp(between, *roc_curve(*fold)[:2]) for fold in folds], axis=0)
        fpr, fnr = ndtr(line.get_xdata()[::-1]), ndtr(line.get_ydata()[::-1])
        inside = (between < fpr.max()) & (between > fpr.min())
        assert inside.any()
        assert_allclose(np.interp(between, fpr, fnr)[inside], missed[inside], atol=1e-9)
    assert str(result.classes[1]) in display.ax_.get_xlabel()


def test_more_than_two_classes_need_a_positive_one():
    result = compare(["lda"], load_iris(), design="5-fold")
    with pytest.raises(ValueError, match="3 classes; name the one that counts as positive"):
        DetCurveDisplay.from_comparison(result)
    label = result.classes[0]
    assert DetCurveDisplay.from_comparison(result, positive=label).pos_label == label
    with pytest.raises(ValueError, match="there is no class 'rose'"):
        DetCurveDisplay.from_comparison(result, positive="rose")


def test_rows_of_one_class_are_refused():
    with pytest.raises(DataError, match="all 3 rows are of class 1"):
        DetCurveDisplay.from_predictions([1, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(DataError, match="no rows"):
        DetCurveDisplay.from_predictions([], [])


def test_the_first_line_has_the_palette_s_colour():
    display = DetCurveDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    assert display.line_.get_color() == "#0072b2"
