"""Scores against a setting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold, validation_curve

from assay.errors import DataError
from assay.evaluate.curves import complexity_curve
from assay.plots.validation_curve_display import ValidationCurveDisplay
from assay.trees import DecisionTreeClassifier

RNG = np.random.default_rng(4)
X = RNG.normal(size=(120, 2))
y = (X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=120) > 0).astype(int)
DEPTHS = [1, 2, 3, 5, 8]


@pytest.mark.capability("IML-2-20")
def test_deeper_trees_never_err_more_on_the_rows_that_taught_them():
    """IML 2.7: the training error does not rise in nested models; the lines are the means over the splits."""
    cv = KFold(4, shuffle=True, random_state=0)
    options = {"param_name": "max_depth", "param_range": DEPTHS, "cv": cv, "scoring": "accuracy"}
    display = ValidationCurveDisplay.from_estimator(DecisionTreeClassifier(), X, y, **options)
    train, test = validation_curve(DecisionTreeClassifier(), X, y, **options)
    assert_allclose(display.lines_[0].get_ydata(), train.mean(axis=1))
    assert_allclose(display.lines_[1].get_ydata(), test.mean(axis=1))
    assert (np.diff(1 - display.lines_[0].get_ydata()) <= 1e-12).all()
    assert display.lines_[0].get_ydata()[-1] > display.lines_[1].get_ydata()[-1]
    assert display.ax_.get_xlabel() == "max_depth"


def test_tables_of_another_length_are_refused():
    with pytest.raises(
        DataError, match=r"test_scores needs 2 rows of one score per split, got shape \(3, 1\)"
    ):
        ValidationCurveDisplay(param_name="k", param_range=[1, 2], train_scores=[1, 1], test_scores=[1, 1, 1])


@pytest.mark.parametrize("last", [8, None])
def test_a_ring_marks_the_best_setting(last):
    """Numbers stand where they are on the axis; a list with None one after another, by name."""
    curve = complexity_curve(
        DecisionTreeClassifier(),
        X,
        y,
        param_name="max_depth",
        param_range=[1, 2, 3, 5, last],
        design="4-fold",
    )
    display = ValidationCurveDisplay.from_curves(curve)
    places = [1, 2, 3, 5, 8] if last else [0, 1, 2, 3, 4]
    assert_allclose(display.lines_[0].get_xdata(), places)
    assert_allclose(display.lines_[0].get_ydata(), curve.test_mean)
    ring = display.ax_.lines[-1]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (places[curve.best], curve.test_mean[curve.best])
    if last is None:
        assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["1", "2", "3", "5", "None"]
