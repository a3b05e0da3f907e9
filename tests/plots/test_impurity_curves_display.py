"""IML figure 9-2: the impurities of two classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.plots.impurity_curves_display import ImpurityCurvesDisplay


@pytest.mark.capability("IML-9-02")
def test_the_curves_have_the_book_s_values():
    """IML 9.2.1, the table for p = 0, 0.1, ..., 0.5; the curves are symmetric."""
    display = ImpurityCurvesDisplay.from_criteria(steps=11)
    entropy = [0, 0.468996, 0.721928, 0.881291, 0.970951, 1]
    assert_allclose(display.curves["entropy"][:6], entropy, atol=1e-6)
    assert_allclose(display.curves["gini"][:6], [0, 0.18, 0.32, 0.42, 0.48, 0.5], atol=1e-12)
    assert_allclose(display.curves["error"][:6], [0, 0.1, 0.2, 0.3, 0.4, 0.5], atol=1e-12)
    for curve in display.curves.values():
        assert_allclose(curve, curve[::-1], atol=1e-12)
    assert [line.get_label() for line in display.ax_.lines] == ["entropy", "gini", "error"]


def test_own_criteria_and_scaled_curves():
    display = ImpurityCurvesDisplay.from_criteria(
        {"product": lambda p: p[:, 0] * p[:, 1]}, steps=5, scaled=True
    )
    assert_allclose(display.curves["product"], [0, 3 / 16, 1 / 4, 3 / 16, 0])
    assert_allclose(display.ax_.lines[0].get_ydata(), np.array([0, 3, 4, 3, 0]) / 4)


def test_words_are_enough():
    for words in (["gini", "error"], ("gini", "error")):
        assert list(ImpurityCurvesDisplay.from_criteria(words, steps=3).curves) == ["gini", "error"]
    assert list(ImpurityCurvesDisplay.from_criteria("gini", steps=3).curves) == ["gini"]


@pytest.mark.capability("DC-08")
def test_gini_and_entropy_peak_at_a_half():
    """Fig 10.1: both are zero at the ends, with maxima of 0.5 and 1.0 where the classes are equally frequent."""
    display = ImpurityCurvesDisplay.from_criteria(["gini", "entropy"], steps=101)
    for name, top in (("gini", 0.5), ("entropy", 1.0)):
        curve = display.curves[name]
        assert_allclose([curve[0], curve[-1], curve.max()], [0, 0, top], atol=1e-12)
        assert display.p[int(np.argmax(curve))] == 0.5
