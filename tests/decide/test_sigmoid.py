"""Platt's sigmoid. Peer: scikit-learn's private fit, reached through CalibratedClassifierCV elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from assay.decide import SigmoidCalibrator
from assay.errors import DataError


@given(
    seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1.0, 1e6]), shift=st.sampled_from([0.0, -50.0])
)
@settings(max_examples=40, deadline=None)
def test_the_gradient_vanishes_whatever_the_scale_of_the_scores(seed, scale, shift):
    rng = np.random.default_rng(seed)
    s = scale * (rng.normal(size=60) + shift)
    y = (rng.random(60) < expit(s / scale - shift)).astype(float)
    w = rng.integers(0, 3, size=60).astype(float)
    curve = SigmoidCalibrator().fit(s, y, w)
    n1, n0 = w @ y, w @ (1 - y)
    t = np.where(y > 0, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    residual = w * (curve.predict(s) - t)
    assert abs(residual.sum()) < 1e-6
    assert abs(residual @ (s / scale - shift)) < 1e-6


def test_smoothed_targets_keep_separated_scores_finite():
    curve = SigmoidCalibrator().fit([-1.0] * 8 + [1.0] * 3, [0] * 8 + [1] * 3)
    assert_allclose(curve.predict([-1.0, 1.0]), [1 / 10, 4 / 5], rtol=1e-9)  # (2): two points, two targets
    assert curve.a_ < 0


def test_one_score_has_one_probability():
    curve = SigmoidCalibrator().fit([3.0] * 4, [0, 0, 0, 1])
    assert curve.a_ == 0
    assert_allclose(curve.predict([3.0]), [(3 * 1 / 5 + 2 / 3) / 4], rtol=1e-12)


def test_one_class_stays_below_certainty():
    p = SigmoidCalibrator().fit([0.1, 0.5, 0.9], [1, 1, 1]).predict([0.5])
    assert_allclose(p, [4 / 5], rtol=1e-9)


def test_bad_input_is_told():
    with pytest.raises(DataError, match="score of row 2 is not a finite number"):
        SigmoidCalibrator().fit([0.0, np.nan], [0, 1])
    with pytest.raises(DataError, match="labels must be 0 and 1, got 2"):
        SigmoidCalibrator().fit([0.0, 1.0], [0, 2])
    with pytest.raises(DataError, match="as many scores as labels"):
        SigmoidCalibrator().fit([0.0, 1.0], [0])
    with pytest.raises(DataError, match="all are zero"):
        SigmoidCalibrator().fit([0.0, 1.0], [0, 1], [0, 0])


def test_labels_in_words_are_refused_in_a_sentence():
    with pytest.raises(
        DataError, match=r"SigmoidCalibrator: labels must be 0 and 1, got 'no'. Give y == the class"
    ):
        SigmoidCalibrator().fit([0.1, 0.9], ["no", "yes"])
