"""What a threshold does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate import compare
from assay.plots.threshold_display import ThresholdDisplay
from assay.tables.data import load_breast_cancer

RNG = np.random.default_rng(6)
Y = RNG.random(60) < 0.4
S = np.round(Y + RNG.normal(size=60), 1)  # with ties


def test_every_threshold_s_numbers_are_those_of_its_answers():
    display = ThresholdDisplay.from_predictions(Y, S, miss=3, alarm=0.5)
    for t, precision, recall, cost in zip(
        display.thresholds_, display.precision_, display.recall_, display.cost_
    ):
        said = t <= S
        assert precision == pytest.approx(Y[said].mean())
        assert recall == pytest.approx(said[Y].mean())
        assert cost == pytest.approx((3 * (Y & ~said).sum() + 0.5 * (~Y & said).sum()) / 60)
    assert display.best_.value == pytest.approx(display.cost_.min())
    left, right = display.ax_.lines, display.cost_ax_.lines
    assert_allclose(left[0].get_ydata(), display.precision_)
    assert_allclose(left[1].get_ydata(), display.recall_)
    assert_allclose(right[0].get_ydata(), display.cost_)
    assert left[2].get_xdata()[0] == display.best_.threshold


def test_never_crying_wolf_can_be_best():
    display = ThresholdDisplay.from_predictions(Y, RNG.normal(size=60), miss=0.01, alarm=100)
    assert display.best_.threshold == np.inf and len(display.ax_.lines) == 2


def test_learners_and_comparisons():
    X = np.arange(6.0)[:, None]
    y = np.array(["a", "a", "b", "a", "b", "b"])
    assert ThresholdDisplay.from_estimator(GaussianNB().fit(X, y), X, y).name == "GaussianNB"
    result = compare(["lda"], load_breast_cancer(), design="5-fold")
    display = ThresholdDisplay.from_comparison(result)
    assert display.ax_.get_title() == f"lda, positive: {result.classes[1]}"
    assert display.curve.positives == (result.out_of_fold("lda").truth == 1).sum()


def test_what_has_one_class_or_several_scores_is_refused():
    with pytest.raises(DataError, match="all 2 rows are of class True"):
        ThresholdDisplay.from_predictions([True, True], [1, 2])
    with pytest.raises(DataError, match="one picture shows one score"):
        ThresholdDisplay.from_predictions([True, False], {"a": [1, 2]})


def test_a_single_threshold_is_seen():
    display = ThresholdDisplay.from_predictions([0, 1, 0, 1], [1, 1, 1, 1])
    assert {line.get_marker() for line in display.ax_.lines} == {"o"}
