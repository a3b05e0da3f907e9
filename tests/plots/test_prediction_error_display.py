"""Predictions against numbers."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.linear import LinearRegression
from assay.plots.prediction_error_display import PredictionErrorDisplay

X = np.arange(10.0)[:, None]
y = 2 * X[:, 0] + np.sin(X[:, 0])
MODEL = LinearRegression().fit(X, y)


@pytest.mark.parametrize("kind", ["residual_vs_predicted", "actual_vs_predicted"])
def test_points_are_residuals_or_true_values(kind):
    display = PredictionErrorDisplay.from_estimator(MODEL, X, y, kind=kind)
    drawn = np.asarray(display.scatter_.get_offsets())
    said = MODEL.predict(X)
    assert_allclose(drawn[:, 0], said)
    assert_allclose(drawn[:, 1], y - said if kind.startswith("residual") else y)
    assert to_hex(display.scatter_.get_facecolor()[0]) == "#0072b2"


def test_a_colour_that_is_asked_for_is_used():
    display = PredictionErrorDisplay.from_predictions([1.0, 2.0], [1.0, 3.0], scatter_kwargs={"c": "red"})
    assert to_hex(display.scatter_.get_facecolor()[0]) == "#ff0000"


def test_no_rows_are_refused():
    with pytest.raises(DataError, match="no rows"):
        PredictionErrorDisplay.from_predictions([], [])
    with pytest.raises(DataError, match=r"shapes \(2,\) and \(1,\)"):
        PredictionErrorDisplay.from_predictions([1.0, 2.0], [1.0])
