"""The plane shows what the model answers, and the data in their places."""

import numpy as np
import pandas as pd
import pytest

from assay.bayes import LinearDiscriminantAnalysis, NearestMean
from assay.errors import DataError
from assay.plots.partition_display import PartitionDisplay
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + X[:, 1] > 0, "b", "a")


def test_answers_are_the_model_s():
    model = NearestMean().fit(X, Y)
    display = PartitionDisplay.from_estimator(model, X, Y, grid=20)
    for i, j in [(0, 0), (7, 3), (19, 19)]:
        assert model.classes_[display.answers[i, j]] == model.predict([[display.x[j], display.y[i]]])[0]
    assert display.x[0] < X[:, 0].min() and display.x[-1] > X[:, 0].max()
    assert [len(c.get_offsets()) for c in display.ax_.collections[-2:]] == [
        np.sum(Y == "a"),
        np.sum(Y == "b"),
    ]


def test_colours_of_areas_and_dots_agree():
    from matplotlib.colors import to_hex

    display = PartitionDisplay.from_estimator(NearestMean().fit(X, Y), X, Y, grid=10)
    dots = [to_hex(c.get_facecolor()[0]) for c in display.ax_.collections[-2:]]
    areas = [to_hex(display.surface_.cmap(display.surface_.norm(k))) for k in (0, 1)]
    assert dots == areas


def test_numbers_get_a_scale():
    model = TextbookTreeRegressor().fit(X[:20], X[:20, 0])
    display = PartitionDisplay.from_estimator(model, X[:20], X[:20, 0], grid=15)
    assert display.classes is None and display.answers.dtype.kind == "f"
    assert len(display.figure_.axes) == 2  # the plane and its scale


def test_two_of_many_columns_the_others_at_their_medians():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": RNG.normal(5, 1, 60)})
    model = LinearDiscriminantAnalysis().fit(frame, Y)
    display = PartitionDisplay.from_estimator(model, frame, columns=["a", "c"], grid=8)
    assert display.names == ["a", "c"]
    asked = pd.DataFrame({"a": [display.x[2]], "b": [frame["b"].median()], "c": [display.y[5]]})
    assert model.classes_[display.answers[5, 2]] == model.predict(asked)[0]


def test_planes_that_are_none_are_refused():
    model = NearestMean().fit(X, Y)
    with pytest.raises(DataError, match="the table has 3 columns; name the two to show"):
        PartitionDisplay.from_estimator(model, np.c_[X, X[:, :1]])
    with pytest.raises(DataError, match="a plane needs two"):
        PartitionDisplay.from_estimator(NearestMean().fit(X[:, :1], Y), X[:, :1])
    with pytest.raises(DataError, match="a plane has two columns, got 1"):
        PartitionDisplay.from_estimator(model, X, columns=[0])
    with pytest.raises(DataError, match="'b' holds categories"):
        PartitionDisplay.from_estimator(model, pd.DataFrame({"a": X[:, 0], "b": Y}))
