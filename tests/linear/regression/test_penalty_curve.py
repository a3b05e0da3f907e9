"""Curves of penalties."""

import numpy as np
from numpy.testing import assert_allclose

from assay.linear.regression.penalty_curve import PenaltyCurve

SCORES = np.array([[2.0, 2.2, 2.4], [1.7, 2.2, 2.4], [3.0, 3.0, 3.6]])


def test_mean_and_standard_error():
    """Oracle: by hand. Row 1: mean 2.2, squared deviations 0.04 + 0 + 0.04, divisor 2, over 3: root of 0.04 / 3."""
    curve = PenaltyCurve("alpha", np.array([1.0, 0.1, 0.01]), SCORES, "error", False, 1)
    assert_allclose(curve.mean, [2.2, 2.1, 3.2])
    assert_allclose(curve.error[0], np.sqrt(0.04 / 3))
    assert curve.best == 1 and curve.within_one_standard_error == 0


def test_a_high_score_may_be_the_good_one():
    curve = PenaltyCurve("C", np.array([0.1, 1.0, 10.0]), SCORES, "accuracy", True, 2)
    assert curve.best == curve.within_one_standard_error == 2
    assert str(curve).splitlines()[-1].endswith("chosen")


def test_one_fold_has_no_standard_error():
    curve = PenaltyCurve("C", np.array([0.1, 1.0]), np.array([[1.0], [2.0]]), "accuracy", True, 1)
    assert_allclose(curve.error, 0)
    assert curve.within_one_standard_error == 1
