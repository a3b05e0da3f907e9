import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from assay.stats import Bernoulli, study_estimator

HEADS = [1, 1, 1, 0, 1, 0, 0, 1, 1]  # IML 3.1: heads in 6 of 9 throws


@pytest.mark.capability("IML-4-02", "C3-14")
def test_estimate_of_the_worked_sample():
    coin = Bernoulli().fit(HEADS)
    assert_allclose(coin.p, 6 / 9, rtol=1e-15)
    assert_allclose([coin.mean, coin.var], [2 / 3, 2 / 9], rtol=1e-15)
    assert_allclose(coin.loglik(HEADS), 6 * np.log(2 / 3) + 3 * np.log(1 / 3), rtol=1e-14)


@pytest.mark.capability("IML-4-02")
def test_the_estimate_is_itself_random():
    # IML 4.2.1: variance p(1-p)/N = 0.0042 for p = 0.3, N = 50
    study = study_estimator(
        lambda x: Bernoulli().fit(x).p, Bernoulli(0.3), 0.3, 50, repetitions=4000, random_state=3
    )
    assert study.looks_unbiased()
    # a variance from 4000 values has a relative standard error of about sqrt(2/4000) = 2.2 %
    assert_allclose(study.variance, 0.0042, rtol=4 * np.sqrt(2 / 4000))


@pytest.mark.capability("C3-14")
@given(ones=st.integers(1, 30), zeros=st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_closed_form_is_the_numerical_maximum(ones, zeros):
    x = np.repeat([1, 0], [ones, zeros])
    result = minimize_scalar(lambda p: -Bernoulli(p).loglik(x), bounds=(0, 1), options={"xatol": 1e-9})
    assert_allclose(Bernoulli().fit(x).p, result.x, atol=1e-6)


def test_smoothing_adds_to_both_outcomes():
    assert Bernoulli(alpha=1).fit([1, 1, 1]).p == 4 / 5
    assert Bernoulli(alpha=0.5).fit([0], weights=[3]).p == 0.5 / 4


def test_certain_coins_have_no_nan():
    assert list(Bernoulli(1.0).logpdf([1, 0])) == [0.0, -np.inf]
    assert list(Bernoulli(0.0).logpdf([1, 0])) == [-np.inf, 0.0]
    assert Bernoulli().fit([1, 1]).loglik([1, 1]) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Bernoulli(1.5), "p must be a probability"),
        (lambda: Bernoulli(alpha=-1), "alpha must not be negative"),
        (lambda: Bernoulli().fit([0, 2]), "expected values 0 and 1, got 2. For more values: Categorical"),
        (lambda: Bernoulli().fit([0, np.nan]), "row 2 is nan"),
        (lambda: Bernoulli().fit([]), "non-empty"),
        (lambda: Bernoulli().logpdf(0.5), "expected values 0 and 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.capability("IML-3-01")
def test_the_proportion_of_heads_and_the_outcome_to_predict():
    """IML section 3.1: H,H,H,T,H,T,T,H,H gives 6/9; heads is predicted, wrong with probability 1/3."""
    coin = Bernoulli().fit([1, 1, 1, 0, 1, 0, 0, 1, 1])
    assert coin.p == 6 / 9 and coin.most_likely == 1
    assert coin.error == pytest.approx(1 / 3)
    fair = Bernoulli(0.5)
    assert fair.most_likely == 0 and fair.error == 0.5  # a tie has a fixed rule
    tails = Bernoulli().fit([0, 0, 1])
    assert tails.most_likely == 0 and tails.error == pytest.approx(1 / 3)
    draws = coin.sample(20_000, random_state=0)
    assert np.mean(draws != coin.most_likely) == pytest.approx(coin.error, abs=0.01)
