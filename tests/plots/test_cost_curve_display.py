"""Costs over all conditions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.metrics.cost_curves import CostCurve
from assay.plots.cost_curve_display import CostCurveDisplay
from assay.tables.data import load_breast_cancer


def test_lines_are_the_learners_curves_below_the_triangle():
    result = compare(["lda", "cart"], load_breast_cancer(), design="5-fold")
    display = CostCurveDisplay.from_comparison(result, thresholds=True)
    for name, line in display.lines_.items():
        rows = result.out_of_fold(name)
        curve = CostCurve.of(rows.truth == 1, rows.posterior[:, 1], pos_label=True)
        assert_allclose(line.get_xdata(), curve.probability_cost)
        assert_allclose(line.get_ydata(), curve.cost)
        assert (line.get_ydata() <= CostCurve.trivial(line.get_xdata()) + 1e-12).all()
        assert line.get_label() == f"{name} (area {curve.area:.3f})"


def test_labels_names_and_weights_are_taken():
    y, s = np.array(["no", "no", "yes", "yes"]), [0.1, 0.4, 0.35, 0.8]
    display = CostCurveDisplay.from_predictions(y, {"a": s, "b": [1, 2, 3, 4]}, sample_weight=[1, 2, 1, 1])
    assert display.pos_label == "yes" and list(display.lines_) == ["a", "b"]
    assert_allclose(display.lines_["b"].get_ydata(), 0)
    assert "probability cost of yes" in display.ax_.get_xlabel()


def test_an_estimator_of_three_classes_needs_a_label():
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "b", "b", "c", "c"])
    model = GaussianNB().fit(X, y)
    with pytest.raises(ParameterError, match="pos_label must be one of 'a', 'b', 'c', got None"):
        CostCurveDisplay.from_estimator(model, X, y)
    assert CostCurveDisplay.from_estimator(model, X, y, pos_label="c").curves["GaussianNB"].area == 0
    with pytest.raises(TypeError, match="not an estimator instance"):
        CostCurveDisplay.from_estimator([], X, y)


@pytest.mark.parametrize(
    ("y", "label", "words"),
    [([], None, "no rows"), ([1, 1], None, "all 2 rows are of class 1"), ([0, 1], 7, "no row is of class 7"),
     ([0, 1, 2], None, "3 classes; name the positive one")],
)  # fmt: skip
def test_what_has_not_two_classes_is_refused(y, label, words):
    with pytest.raises(DataError, match=words):
        CostCurveDisplay.from_predictions(y, np.arange(len(y)), pos_label=label)
    with pytest.raises(DataError, match="no curve"):
        CostCurveDisplay({})
