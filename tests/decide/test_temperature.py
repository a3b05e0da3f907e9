"""Temperature scaling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from assay.decide import TemperatureCalibrator
from assay.errors import DataError


@given(seed=st.integers(0, 10**6), K=st.integers(2, 5), true=st.floats(0.2, 5))
@settings(max_examples=30, deadline=None)
def test_the_slope_of_the_likelihood_vanishes_and_the_order_of_the_classes_stays(seed, K, true):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(200, K)) * 2
    P = np.exp(log_softmax(true * z, axis=1))
    y = (P.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1).clip(0, K - 1)
    model = TemperatureCalibrator().fit(z, y)

    def likelihood(beta):
        return log_softmax(beta * z, axis=1)[np.arange(200), y].sum()

    h = 1e-4 * model.beta_
    assert likelihood(model.beta_) >= max(likelihood(model.beta_ - h), likelihood(model.beta_ + h)) - 1e-9
    assert_array_equal(model.predict(z).argmax(axis=1), z.argmax(axis=1))


def test_sure_to_nine_tenths_but_right_in_three_of_four():
    z = np.log([[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 2)
    model = TemperatureCalibrator().fit(z, [0, 1, 1, 1])
    assert_allclose(model.predict(z)[:, 0], [0.75, 0.75, 0.25, 0.25], rtol=1e-10)
    assert_allclose(model.beta_, np.log(3) / np.log(9), rtol=1e-10)
    doubled = TemperatureCalibrator().fit(z[[0, 1]], [0, 1], [3.0, 1.0])  # a weight is a repetition
    assert_allclose(doubled.predict(z[:1]), [[0.75, 0.25]], rtol=1e-10)


def test_separated_or_reversed_scores_end_at_a_limit():
    z = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert_allclose(TemperatureCalibrator().fit(z, [0, 1]).predict(z), [[1, 0], [0, 1]], atol=1e-12)
    assert_allclose(TemperatureCalibrator().fit(z, [1, 0]).beta_, np.exp(-10))


def test_bad_input_is_told():
    with pytest.raises(DataError, match="finite log scores"):
        TemperatureCalibrator().fit([[0.0, -np.inf]], [0])
    with pytest.raises(DataError, match="1 class numbers from 0 to 1"):
        TemperatureCalibrator().fit([[0.0, 1.0]], [2])
