"""Scores against the number of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import ShuffleSplit, learning_curve

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate.curves import complexity_curve
from assay.evaluate.curves import learning_curve as measured
from assay.plots.learning_curve_display import LearningCurveDisplay

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 2))
y = np.where(X[:, 0] + RNG.normal(size=80) > 0, "in", "out")
CV = ShuffleSplit(n_splits=4, random_state=0)


@pytest.mark.capability("IML-2-20")
def test_lines_are_the_means_over_the_splits():
    """IML 2.7: error against training-set size, on the rows that taught and on rows that did not."""
    sizes, train, test = learning_curve(GaussianNB(), X, y, cv=CV, train_sizes=[0.2, 0.5, 1.0])
    display = LearningCurveDisplay.from_estimator(GaussianNB(), X, y, cv=CV, train_sizes=[0.2, 0.5, 1.0])
    assert_allclose(display.lines_[0].get_xdata(), sizes)
    assert_allclose(display.lines_[0].get_ydata(), train.mean(axis=1))
    assert_allclose(display.lines_[1].get_ydata(), test.mean(axis=1))
    assert [line.get_label() for line in display.lines_] == ["Train", "Test"]
    assert [band.get_alpha() for band in display.fill_between_] == [0.5, 0.5]  # as in scikit-learn


def test_flat_scores_are_one_split():
    display = LearningCurveDisplay(train_sizes=[5, 10], train_scores=[1, 0.9], test_scores=[0.5, 0.6]).plot()
    assert display.train_scores.shape == (2, 1)
    assert_allclose(display.lines_[1].get_ydata(), [0.5, 0.6])


@pytest.mark.parametrize(
    ("sizes", "train", "words"),
    [
        ([5], [[1.0]], "at least 2 points"),
        ([5, 6], [[1.0]], "train_scores needs 2 rows"),
        ([], [], "at least 2 points"),
    ],
)
def test_curves_without_points_are_refused(sizes, train, words):
    with pytest.raises(DataError, match=words):
        LearningCurveDisplay(train_sizes=sizes, train_scores=train, test_scores=train)


@pytest.mark.capability("IML-2-20")
def test_several_learners_with_intervals():
    """IML 2.7: more rows lower the error on rows not seen."""
    curves = [measured(name, X, y, train_sizes=[12, 64]) for name in ("majority", "lda")]
    display = LearningCurveDisplay.from_curves(curves)
    assert [line.get_label() for line in display.lines_][::2] == [
        "majority, rows not seen",
        "lda, rows not seen",
    ]
    for k, curve in enumerate(curves):
        assert_allclose(display.lines_[2 * k].get_xdata(), [12, 64])
        assert_allclose(display.lines_[2 * k].get_ydata(), curve.test_mean)
        assert_allclose(display.lines_[2 * k + 1].get_ydata(), curve.train_mean)
        corners = display.fill_between_[k].get_paths()[0].vertices[:, 1]
        assert_allclose(corners.max(), min(curve.band.max(), 1), atol=1e-12)
    assert LearningCurveDisplay.from_curves(curves[1]).ax_.get_ylabel() == "error"


def test_curves_of_different_kinds_do_not_share_a_picture():
    a = measured("lda", X, y, train_sizes=[12, 64])
    b = complexity_curve("knn", X, y, param_name="n_neighbors", param_range=[1, 5])
    with pytest.raises(DataError, match="share the axis, got n_neighbors, rows"):
        LearningCurveDisplay.from_curves([a, b])
    with pytest.raises(DataError, match="no curve"):
        LearningCurveDisplay.from_curves([])


def test_a_score_without_a_name_is_called_score():
    display = LearningCurveDisplay(train_sizes=[1, 2], train_scores=[[1], [1]], test_scores=[[0], [1]]).plot()
    assert display.ax_.get_ylabel() == "Score"
