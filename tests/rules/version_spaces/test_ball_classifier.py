"""Balls and ellipses around classes: the smallest, the largest, the middle, and doubt."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.errors import DataError, DegenerateError, ParameterError
from assay.rules.version_spaces.ball_classifier import BallClassifier

CARS = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
KIND = np.array(["family"] * 4 + ["other"] * 5)


@pytest.mark.capability("IML-2-07")
def test_the_smallest_circle_of_the_four_cars():
    """IML 2.10, exercise 1: centre (4.2142857, 4.3571429), radius 1.8210784."""
    model = BallClassifier("specific", positive="family").fit(CARS, KIND)
    assert_allclose(model.centers_[0], [4.2142857, 4.3571429], atol=5e-8)
    assert_allclose(model.radii_[0], 1.8210784, atol=5e-8)
    assert model.score(CARS, KIND) == 1


@pytest.mark.capability("IML-2-07")
def test_the_largest_circle_of_the_nine_points():
    model = BallClassifier("general", positive="family").fit(CARS, KIND)
    assert model.general_radii_[0] == pytest.approx(
        3.6513649750554102, rel=1e-9
    )  # through (1, 4), (8, 5) and (5, 9)
    assert model.score(CARS, KIND) == 1


def test_there_is_no_largest_ball_where_a_plane_parts_the_classes_or_no_ball_does():
    with pytest.raises(DegenerateError, match="A plane parts the class"):
        BallClassifier("general", positive=1).fit([[0.0, 0], [1, 0], [5, 0], [6, 1]], [1, 1, 0, 0])
    cross = [[0.0, 1], [0, -1], [1, 0], [-1, 0], [0, 0]]
    with pytest.raises(DegenerateError, match="No ball holds all rows"):
        BallClassifier("general", positive=1).fit(cross, [1, 1, 0, 1, 0])
    with pytest.raises(DegenerateError, match="up to 4 columns"):
        BallClassifier("general", positive=1).fit(np.eye(6), [1, 1, 1, 0, 0, 0])
    with pytest.raises(DegenerateError, match="no row of another class"):
        BallClassifier("general").fit([[1.0], [2.0]], ["a", "a"])


def test_the_middle_radius_and_costs():
    near = np.linalg.norm(CARS[4:] - [4.2142857, 4.3571429], axis=1).min()
    for fn, fp, tau in ((1, 1, 0.5), (3, 1, 0.75)):
        model = BallClassifier(positive="family", cost_fn=fn, cost_fp=fp).fit(CARS, KIND)
        assert_allclose(model.radii_[0], 1.8210784 + tau * (near - 1.8210784), rtol=1e-6)
    careful = BallClassifier(positive="family", decision="reject").fit(CARS, KIND)
    assert careful.predict([[4, 4], [4.2, 6.8], [9, 9]]).tolist() == ["family", "reject", "other"]
    assert_array_equal(careful.doubt([[4, 4], [4.2, 6.8], [9, 9]]), [False, True, False])


def test_ellipses_follow_the_spread_of_the_class():
    rng = np.random.default_rng(0)
    P = rng.uniform(-1, 1, (60, 2)) @ np.array([[3.0, 2.9], [0.1, -0.1]])  # a narrow band along the diagonal
    N = np.column_stack([np.linspace(-2, 2, 30), -np.linspace(-2, 2, 30)])
    N = N[np.abs(N[:, 0]) > 0.5]
    X, y = np.vstack([P, N]), np.repeat([1, 0], [len(P), len(N)])
    errors = {}
    for shape in ("ball", "axes", "tilted"):
        model = BallClassifier("specific", shape, positive=1).fit(X, y)
        assert (model.predict(P) == 1).all()
        errors[shape] = np.mean(model.predict(X) != y)
    assert errors["tilted"] == 0 < errors["ball"]
    wide = BallClassifier("specific", "axes", positive=1).fit(
        [[0, 0], [100, 1], [50, 0.5], [50, 20]], [1, 1, 1, 0]
    )
    assert_array_equal(wide.predict([[50, 20], [50, 0.6]]), [0, 1])
    assert "/ " in str(wide) and "W (" in str(model)


def test_a_ball_for_each_class_and_doubt_where_none_or_several_hold_the_row():
    X, y = load_iris(return_X_y=True)
    model = BallClassifier(shape="tilted").fit(X, y)
    assert model.score(X, y) > 0.9
    careful = BallClassifier(shape="tilted", decision="reject").fit(X, y)
    text = careful.predict(X)
    assert_array_equal(text == "reject", model._levels(X).sum(axis=1) != 1)
    assert (text[text != "reject"] == y[text != "reject"]).mean() > 0.97
    assert_allclose(model.predict_proba([[50.0, 50, -50, 50]]), [[1 / 3] * 3])
    assert "distance" in str(model.explain(X[:1]))


def test_degenerate_tables():
    assert BallClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[9.0]]) == ["a"]
    for shape in ("ball", "axes", "tilted"):
        one = BallClassifier("specific", shape).fit([[1.0, 2], [3, 4]], ["a", "b"])
        assert_array_equal(one.predict([[1.0, 2], [3, 4]]), ["a", "b"])
        same = BallClassifier("specific", shape).fit([[1.0, 2]] * 3, ["a", "b", "b"])
        assert same.predict([[1.0, 2]]) == ["b"]
    light = BallClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"], sample_weight=[1, 1, 0])
    assert light.radii_[2] == -1 and light.predict([[2.4]]) == ["b"]
    frame = pd.DataFrame({"kind": ["u", "u", "v"], "size": [1.0, 1.1, 1.2]})
    assert_array_equal(BallClassifier().fit(frame, [0, 0, 1]).predict(frame), [0, 0, 1])
    huge = BallClassifier("specific").fit([[1e300], [2e300], [-1e300]], ["a", "a", "b"])
    assert_array_equal(huge.predict([[1.5e300], [-1e300]]), ["a", "b"])
    with pytest.raises(DataError, match="Leave positive out"):
        BallClassifier(positive="a").fit([[1], [2], [3]], list("abc"))
    with pytest.raises(ParameterError, match="name of a class"):
        BallClassifier(decision="reject").fit([[1.0], [2.0]], ["reject", "b"])
    assert "anything" in str(BallClassifier().fit([[1.0], [2.0]], ["a", "a"]))


def test_a_row_in_several_balls_goes_to_the_class_that_fills_its_ball():
    """The other cars lie around the family cars, so their ball holds both; the family's holds its own alone."""
    X, y = CARS, KIND
    for shape in ("ball", "axes", "tilted"):
        for scale in (1e-310, 1e-200, 1.0, 1e200):
            assert BallClassifier(shape=shape).fit(X * scale, y).score(X * scale, y) == 1
    model = BallClassifier("specific").fit(X, y)
    assert_allclose(model.predict_proba([[4.0, 4.0]]), [[9 / 14, 5 / 14]])  # 1 against 5 of 9


def test_numbers_too_large_for_distances():
    with pytest.raises(DataError, match="BallClassifier: numbers above 1e\\+307 are too large"):
        BallClassifier().fit([[1.5e308], [-1.5e308]], ["a", "b"])
    model = BallClassifier(positive="a").fit([[1.0, 1.0], [2.0, 2.0]], ["a", "b"])
    assert model.predict([[1.7e308, -1.7e308]]) == ["b"]  # infinitely far
