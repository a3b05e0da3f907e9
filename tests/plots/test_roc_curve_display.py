"""True against false alarms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import auc, roc_auc_score, roc_curve
from sklearn.model_selection import cross_validate

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate import compare
from assay.metrics.roc import RocCurve
from assay.plots.roc_curve_display import RocCurveDisplay
from assay.tables.data import load_breast_cancer

# Oracle: IML 19.7; AUC 0.84, and the curve through these points.
TRUTH, SCORE = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1]
POINTS = [
    (0, 0),
    (0, 0.2),
    (0, 0.4),
    (0.2, 0.4),
    (0.2, 0.6),
    (0.2, 0.8),
    (0.4, 0.8),
    (0.4, 1),
    (0.6, 1),
    (0.8, 1),
    (1, 1),
]
RESULT = compare(["lda", "cart"], load_breast_cancer(), design="5-fold")


def test_the_line_goes_through_the_book_s_points():
    display = RocCurveDisplay.from_predictions(TRUTH, SCORE, name="book", drop_intermediate=False)
    assert_allclose(np.column_stack(display.line_.get_data()), POINTS)
    assert display.roc_auc == pytest.approx(0.84)
    plain = RocCurveDisplay.from_predictions(TRUTH, SCORE, name="book", interval=False)
    assert plain.line_.get_label() == "book (AUC = 0.84)"  # as scikit-learn writes it
    found = RocCurve.of(TRUTH, SCORE).interval()
    assert display.line_.get_label() == f"book (AUC = 0.840, {found.low:.3f} to {found.high:.3f})"


def test_hull_band_and_interval_are_the_curve_s():
    display = RocCurveDisplay.from_predictions(
        TRUTH, SCORE, name="book", hull=True, band="kolmogorov", interval=True, alpha=0.1
    )
    curve = RocCurve.of(TRUTH, SCORE)
    assert_allclose(display.hulls_[0].get_xdata(), curve.hull.fpr)
    assert_allclose(display.hulls_[0].get_ydata(), curve.hull.tpr)
    found, band = curve.interval(0.1), curve.band("kolmogorov", alpha=0.1)
    assert display.line_.get_label() == f"book (AUC = 0.840, {found.low:.3f} to {found.high:.3f})"
    corners = display.bands_[0].get_paths()[0].vertices
    assert_allclose([corners[:, 1].min(), corners[:, 1].max()], [band.low.min(), band.high.max()])
    assert display.hulls_[0].get_color() == display.line_.get_color()


def test_an_estimator_s_curve_takes_the_same_options():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1.4], [0.5]])
    y = np.array(["a", "a", "b", "b", "b", "b"])
    display = RocCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y, hull=True)
    assert display.pos_label == "b" and len(display.hulls_) == 1


def test_a_label_of_ones_own_stays():
    truth, score = [0, 0, 1, 1, 1], [0.1, 0.6, 0.5, 0.8, 0.9]
    display = RocCurveDisplay.from_predictions(truth, score, curve_kwargs={"label": "my model"})
    assert display.line_.get_label() == "my model"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["my model"]


def test_learners_of_a_comparison_come_into_one_picture():
    display = RocCurveDisplay.from_comparison(RESULT, plot_chance_level=True)
    names = [s.learner for s in RESULT.ranking()]
    assert len(display.line_) == len(display.curves_) == 2
    for name, line in zip(names, display.line_):
        folds = [(t, c.posterior[:, 1]) for t, c in zip(RESULT.truths, RESULT.cells[name])]
        between = np.random.default_rng(0).random(50)  # no corner of any fold lies there
        each = [np.interp(between, *roc_curve(*fold)[:2]) for fold in folds]
        assert_allclose(np.interp(between, *line.get_data()), np.mean(each, axis=0), atol=1e-12)
        area = np.mean([roc_auc_score(*fold) for fold in folds])
        assert line.get_label().startswith(f"{name} (AUC = {area:.3f}, ")
        assert_allclose(auc(*line.get_data()), area, rtol=1e-12)
    assert display.ax_.get_xlabel() == f"False Positive Rate (Positive label: {RESULT.classes[1]})"
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()][2] == "Chance level (AUC = 0.5)"


def test_folds_of_scikit_learn_are_drawn_as_there():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    X[:, 0] += y
    found = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    display = RocCurveDisplay.from_cv_results(found, X, y)
    assert len(display.line_) == 3


@pytest.mark.parametrize("y", [[], [1, 1]])
def test_rows_of_one_class_are_refused(y):
    with pytest.raises(DataError, match=r"no rows|all 2 rows are of class 1"):
        RocCurveDisplay.from_predictions(y, [0.5] * len(y))


def test_rows_that_weigh_differently_have_no_interval_in_the_legend():
    display = RocCurveDisplay.from_predictions(
        TRUTH, SCORE, name="it", interval=True, sample_weight=np.arange(1, 11), hull=True
    )
    area = roc_auc_score(TRUTH, SCORE, sample_weight=np.arange(1, 11))
    assert display.line_.get_label() == f"it (AUC = {area:.3f})"


def test_several_curves_are_drawn_once_more_on_other_axes():
    display = RocCurveDisplay.from_comparison(RESULT)
    first = [line.get_color() for line in display.line_]
    assert [line.get_color() for line in display.plot().line_] == first and len(set(first)) == len(first) > 1
