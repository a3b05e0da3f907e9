"""Near misses of a concept, and the closest decisions of a classifier."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.evaluate import close_calls, near_misses
from assay.linear import RidgeClassifier, SGDClassifier
from assay.rules import VersionSpace
from assay.trees import DecisionTreeClassifier

CARS = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
FAMILY = np.array([1] * 4 + [0] * 5)


def test_near_misses_are_what_bounds_the_version_space():
    """IML 2.1: those outside in one column give G its sides; the car outside in two moves nothing."""
    result = near_misses(CARS, FAMILY)
    assert_array_equal(result.rows, [6, 4, 5, 7, 8])
    assert_array_equal(result.outside, [1, 1, 1, 1, 2])
    whole = VersionSpace.of(CARS, FAMILY)
    without = [VersionSpace.of(np.delete(CARS, i, 0), np.delete(FAMILY, i)) for i in result.rows]
    moved = [space.general != whole.general for space in without]
    assert moved == [True, True, True, True, False]


def test_nearest_positive_and_distance_by_hand():
    """Ranges 7 and 8: (4, 1) is 1/7 and 2/8 from (3, 3), and 4/8 from (4, 5)."""
    result = near_misses(CARS, FAMILY, k=1)
    assert result.nearest.tolist() == [0]
    assert_allclose(result.distance, np.hypot(1 / 7, 2 / 8), rtol=1e-12)
    assert result.differences == [{"x0": (4, 3), "x1": (1, 3)}]


def test_mixed_tables_missing_values_and_names():
    table = pd.DataFrame(
        {
            "shape": ["arch", "arch", "arch", "pile"],
            "blocks": [3.0, 4.0, 3.0, np.nan],
            "gap": ["yes", "yes", "no", "no"],
        },
        index=["p1", "p2", "n1", "n2"],
    )
    result = near_misses(table, ["arch", "arch", "other", "other"], positive="arch")
    assert_array_equal(result.rows, [2, 3])  # Winston: an arch without a gap
    assert_array_equal(result.outside, [1, 2])
    assert result.differences[0] == {"gap": ("no", "yes")} and result.distance[0] == 1
    assert "n1" in str(result) and "p1" in str(result) and "1 lie outside in a single column" in str(result)


def test_three_classes_need_a_concept():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="say which one is positive"):
        near_misses(X, y)
    result = near_misses(X, y, positive=1, k=5)
    assert (
        set(y[result.rows]) == {2} and (result.outside == 0).all()
    )  # virginicas inside the box of versicolor
    assert set(y[result.nearest]) == {1}
    assert len(near_misses(X[:50], np.r_[np.ones(49), 0], positive=1)) == 1
    with pytest.raises(ParameterError, match="k must be"):
        near_misses(X, y == 1, k=0)


def test_close_calls_are_the_smallest_margins():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    P = np.sort(model.predict_proba(X), axis=1)
    margin = P[:, -1] - P[:, -2]
    result = close_calls(model, X, k=7)
    assert_array_equal(result.rows, np.argsort(margin, kind="stable")[:7])
    assert_allclose(result.margin, np.sort(margin)[:7])
    assert_array_equal(result.answer, model.predict(X[result.rows]))
    assert (result.answer != result.runner_up).all() and result.measure == "probability"
    lines = SGDClassifier(random_state=0).fit(X, y == 0)  # hinge loss: scores, and no probabilities
    by_score = close_calls(lines, pd.DataFrame(X, index=np.arange(150) + 1000), k=3)
    assert by_score.measure == "score" and str(by_score.rows[0] + 1000) in str(by_score)
    assert_allclose(by_score.margin, np.sort(2 * np.abs(lines.decision_function(X)))[:3])


def test_models_without_margins_are_refused():
    with pytest.raises(ParameterError, match="neither predict_proba nor decision_function"):
        close_calls(object(), [[1.0]])
    with pytest.raises(DataError, match="knows one class"):
        close_calls(GaussianNB().fit([[1.0], [2.0]], [0, 0]), [[1.0]])
    several = DecisionTreeClassifier().fit([[1.0], [2.0]], [[0, 1], [1, 0]])
    labels = RidgeClassifier().fit([[1.0], [2.0]], [[0, 1], [1, 0]])
    for model in (several, labels):
        with pytest.raises(DataError, match="answers for several targets, a decision is of one"):
            close_calls(model, [[1.0]])


def test_one_class_has_no_misses():
    with pytest.raises(DataError, match="all rows have the class p; there is nothing to miss"):
        near_misses([[1.0], [2.0]], ["p", "p"])
