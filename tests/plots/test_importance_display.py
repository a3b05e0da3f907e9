"""Bars of importances: the largest on top, with their spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.plots.importance_display import ImportanceDisplay
from assay.trees import DecisionTreeClassifier


class Forest:
    """What the picture asks of an ensemble."""

    feature_importances_ = np.array([0.2, 0.5, 0.3])
    feature_names_in_ = np.array(["a", "b", "c"], dtype=object)

    class One:
        def __init__(self, values):
            self.feature_importances_ = np.array(values)

    estimators_ = [One([0.1, 0.6, 0.3]), One([0.3, 0.4, 0.3])]


def test_the_largest_stands_on_top_and_the_spread_is_the_trees():
    display = ImportanceDisplay.from_estimator(Forest())
    assert [display.names[j] for j in display.order_] == ["b", "c", "a"]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["b", "c", "a"]
    assert display.ax_.get_yticks().tolist() == [2, 1, 0]
    assert_allclose([bar.get_width() for bar in display.ax_.patches], [0.5, 0.3, 0.2])
    assert_allclose(display.spread, [0.1, 0.1, 0])


def test_of_many_columns_the_rest_is_counted():
    display = ImportanceDisplay.from_values([f"c{j}" for j in range(30)], np.arange(30), max_columns=5)
    assert len(display.ax_.patches) == 5
    assert "25 columns are not shown" in display.ax_.get_xlabel()
    assert display.spread is None


def test_repetitions_give_mean_and_spread():
    display = ImportanceDisplay.from_values(["a", "b"], [[1.0, 0.0], [3.0, 0.0]], kind="loss of accuracy")
    assert_allclose(display.importances, [2, 0])
    assert_allclose(display.spread, [1, 0])
    assert display.ax_.get_xlabel() == "loss of accuracy"


def test_what_has_no_importances_is_refused():
    with pytest.raises(TypeError, match="GaussianNB has no feature_importances_"):
        ImportanceDisplay.from_estimator(GaussianNB())
    with pytest.raises(DataError, match="2 names for 1 importances"):
        ImportanceDisplay(["a", "b"], [1.0])


def test_a_tree_that_has_not_learned_says_so():
    with pytest.raises(NotFittedError):
        ImportanceDisplay.from_estimator(DecisionTreeClassifier())
