import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats import (
    Gaussian,
    bayes_rule,
    likelihood_ratio,
    log_odds,
    log_odds_discriminant,
    odds,
)


def test_odds_at_the_ends():
    assert_allclose(odds([0, 0.2, 1]), [0, 0.25, np.inf])
    assert_allclose(log_odds([0, 0.5, 1]), [-np.inf, 0, np.inf])


@pytest.mark.capability("IML-4-13")
def test_gaussian_likelihood_ratio():
    # IML exercise 4.5: means 1 and 3, variance 2, x = 2.5: exp(-1/2)
    assert_allclose(likelihood_ratio(2.5, Gaussian(1, 2), Gaussian(3, 2)), np.exp(-0.5), rtol=1e-14)


@given(x=st.floats(-5, 5), p=st.floats(0.01, 0.99))
@settings(max_examples=50, deadline=None)
def test_discriminant_is_the_log_odds_of_the_posterior(x, p):
    first, second = Gaussian(-1, 2), Gaussian(1, 1)
    posterior = bayes_rule([p, 1 - p], [first.pdf(x), second.pdf(x)]).posterior
    assert_allclose(
        log_odds_discriminant(x, first, second, (p, 1 - p)), np.log(posterior[0] / posterior[1]), atol=1e-9
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="probabilities from 0 to 1"):
        odds([1.2])
    with pytest.raises(ValueError, match="two numbers above 0"):
        log_odds_discriminant(0, Gaussian(), Gaussian(), (0, 1))
