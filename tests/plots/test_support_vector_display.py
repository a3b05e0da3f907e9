"""Machines of two classes as pictures: boundary, margins, rings and slacks where they belong."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.plots import SupportVectorDisplay
from assay.svm import SVC, LinearSVC

DRAW = np.random.default_rng(0)
X = np.vstack([DRAW.normal((-1, -1), 1.0, (30, 2)), DRAW.normal((1, 1), 1.0, (30, 2))])
Y = np.repeat(["a", "b"], 30)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.capability("IML-13-18", "DC-85")
@pytest.mark.parametrize(
    "settings", [{"kernel": "linear"}, {}, {"kernel": "poly", "degree": 2, "coef0": 1.0}]
)
def test_lines_are_where_the_score_is_0_1_and_minus_1(settings):
    model = SVC(**settings).fit(X, Y)
    display = SupportVectorDisplay.from_estimator(model, X, Y, grid=120, title="a machine")
    for contours, levels in ((display.boundaries_[0], [0.0]), (display.margins_, [-1.0, 1.0])):
        for level, lines in zip(levels, contours.allsegs, strict=True):
            for line in lines:
                assert_allclose(model.decision_function(line), level, atol=0.02)
    ringed = np.vstack([ring.get_offsets() for ring in display.rings_])
    assert_array_equal(np.sort(ringed, axis=0), np.sort(X[model.support_], axis=0))
    assert display.ax_.get_title(loc="left") == "a machine"


@pytest.mark.capability("DC-85")
def test_slacks_lead_from_their_rows_to_the_margin():
    model = SVC(C=0.1, kernel="linear").fit(X, Y)
    display = SupportVectorDisplay.from_estimator(model, X, Y, grid=30)
    sign = np.where(Y == "b", 1, -1)
    slack = np.maximum(0, 1 - sign * model.decision_function(X))
    assert len(display.slacks_) == (slack > 1e-3).sum()
    ends = np.array([[line.get_xdata()[1], line.get_ydata()[1]] for line in display.slacks_])
    assert_allclose(np.abs(model.decision_function(ends)), 1.0, atol=1e-9)
    assert not SupportVectorDisplay.from_estimator(model, X, Y, grid=30, slacks=False).slacks_


def test_a_machine_that_names_no_support_vectors_shows_the_rows_at_its_margin():
    model = LinearSVC(loss="hinge").fit(X, Y)
    display = SupportVectorDisplay.from_estimator(model, X, Y, grid=30)
    product = np.where(Y == "b", 1, -1) * model.decision_function(X)
    assert_array_equal(display.support, np.flatnonzero(product <= 1.001))


def test_what_is_no_machine_of_two_classes_is_refused():
    with pytest.raises(DataError, match="machine of two classes, got GaussianNB with 2 classes"):
        SupportVectorDisplay.from_estimator(GaussianNB().fit(X, Y), X, Y)
