"""The precision-recall curve as an object."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.metrics.areas import average_precision_score
from assay.metrics.curves import precision_recall_curve
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.metrics.rates import fbeta_score


@pytest.mark.capability("C3-56")
def test_curve_of_the_logistic_regression(cancer):
    """Oracle: C3 3.3.3: 115 points, 69 truncated, average precision, precision 66/68 at full recall."""
    curve = PrecisionRecallCurve.of(cancer.truth, cancer.score)
    assert len(curve.precision) == 115 and len(curve.truncated().precision) == 69
    assert_allclose(curve.average_precision, 0.9914394698, atol=5e-11)
    assert_allclose(curve.truncated().average_precision, curve.average_precision, rtol=1e-12)
    assert_allclose(curve.truncated().precision[0], 66 / 68, rtol=1e-12)
    assert_allclose(curve.prevalence, 66 / 114)


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([4, 1000]))
@settings(deadline=None, max_examples=40)
def test_points_are_those_of_the_function_and_best_is_the_best_f(seed, n, levels):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(2, size=n))
    s = rng.integers(levels, size=n + 2) + y
    curve = PrecisionRecallCurve.of(y, s)
    for mine, theirs in zip((curve.precision, curve.recall, curve.thresholds), precision_recall_curve(y, s)):
        assert_array_equal(mine, theirs)
    assert_allclose(curve.average_precision, average_precision_score(y, s), atol=1e-12)
    for beta in (0.5, 1, 2):
        threshold, best = curve.best(beta)
        each = [fbeta_score(y, s >= t, beta=beta, zero_division=0) for t in np.unique(s)]
        assert_allclose(best, max(each), atol=1e-12)
        assert_allclose(fbeta_score(y, s >= threshold, beta=beta), best, atol=1e-12)


def test_bad_input_is_told_plainly():
    with pytest.raises(DataError, match="no positive row"):
        PrecisionRecallCurve.of([0, 0], [1, 2])
    with pytest.raises(ParameterError, match="beta"):
        PrecisionRecallCurve.of([0, 1], [1, 2]).best(-1)
