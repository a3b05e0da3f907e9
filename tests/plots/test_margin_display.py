"""Margins of a vote as a cumulative distribution."""

import numpy as np
from numpy.testing import assert_allclose

from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.boosting_theory import margins
from assay.plots.margin_display import MarginDisplay


def test_the_curve_is_the_share_of_rows_up_to_each_margin():
    display = MarginDisplay.from_margins({"m": [-0.5, 0.25, 0.25, 1.0]})
    line = display.ax_.lines[0]
    assert_allclose(line.get_xdata(), [-1, -0.5, 0.25, 1, 1])
    assert_allclose(line.get_ydata(), [0, 0.25, 0.75, 1, 1])


def test_what_lies_left_of_zero_is_the_training_error():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.3, 120) > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=9).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, name="nine rounds")
    found = display.margins["nine rounds"]
    assert_allclose(found, margins(model, X, y))
    assert np.mean(found < 0) <= 1 - model.score(X, y) <= np.mean(found <= 0)
    assert display.ax_.get_legend().get_texts()[0].get_text() == "nine rounds"
