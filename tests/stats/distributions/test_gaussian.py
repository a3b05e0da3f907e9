import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import norm

from assay.errors import DataError
from assay.stats import Gaussian

X = [5, 6, 7, 6, 5, 8, 6, 5]


@pytest.mark.capability("IML-4-04", "C3-14")
def test_estimates_of_the_worked_sample():
    # IML 4.2.3: m = 6, s2 = 1, unbiased 8/7
    assert (Gaussian().fit(X).mean, Gaussian().fit(X).var) == (6.0, 1.0)
    assert_allclose(Gaussian(unbiased=True).fit(X).var, 8 / 7, rtol=1e-15)
    # the closed form of the log likelihood: -N/2 log 2 pi - N log s - N/2
    assert_allclose(Gaussian().fit(X).loglik(X), -4 * np.log(2 * np.pi) - 4, rtol=1e-14)


@pytest.mark.capability("C3-14", "IML-4-04")
@given(seed=st.integers(0, 10**6), shift=st.floats(-100, 100), scale=st.floats(0.01, 100))
@settings(max_examples=20, deadline=None)
def test_closed_form_is_the_numerical_maximum(seed, shift, scale):
    z = np.random.default_rng(seed).normal(size=12)
    x = shift + scale * z
    fitted = Gaussian().fit(x)

    def loss(t):  # in units of the fit, so that the search is well scaled
        return -Gaussian(fitted.mean + t[0] * scale, fitted.var * np.exp(t[1])).loglik(x)

    result = minimize(loss, [0.3, 0.3], method="BFGS", options={"gtol": 1e-7})
    assert_allclose(result.x, [0, 0], atol=1e-4)


@given(mean=st.floats(-1e3, 1e3), var=st.floats(1e-6, 1e6), x=st.floats(-1e4, 1e4))
@settings(max_examples=60, deadline=None)
def test_same_density_as_scipy(mean, var, x):
    assert_allclose(Gaussian(mean, var).logpdf(x), norm(mean, np.sqrt(var)).logpdf(x), rtol=1e-9)


def test_far_from_zero_nothing_cancels():
    x = 1e9 + np.array([0.0, 1.0, 2.0])
    assert_allclose(Gaussian().fit(x).var, 2 / 3, rtol=1e-12)


def test_equal_values_have_variance_zero_exactly_and_no_density():
    one = Gaussian().fit([0.1] * 7)
    assert (one.mean, one.var) == (0.1, 0.0)
    with pytest.raises(ValueError, match=r"variance is 0 \(all mass on 0.1\).*floor > 0"):
        one.logpdf(0.1)
    assert Gaussian(floor=0.25).fit([180.0]).var == 0.25
    weighted = Gaussian().fit([5.0] + [0.1] * 7, weights=[0] + [1] * 7)
    assert (weighted.mean, weighted.var) == (0.1, 0.0)


def test_unbiased_weights_are_counts():
    assert_allclose(Gaussian(unbiased=True).fit([0, 3], weights=[2, 1]).var, 3.0, rtol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Gaussian(var=-1), "var must be"),
        (lambda: Gaussian(mean=np.inf), "mean must be"),
        (lambda: Gaussian(floor=-1), "floor must be"),
        (lambda: Gaussian().fit([1, np.nan]), "row 2 is nan, expected finite numbers. Drop or impute"),
        (lambda: Gaussian().fit([[1, 2]]), "one-dimensional"),
        (lambda: Gaussian(unbiased=True).fit([1.0]), "more than one row"),
        (lambda: Gaussian().logpdf([0, np.inf]), "value 2 is inf"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_text_is_no_sample():
    with pytest.raises(DataError, match="expected numbers"):
        Gaussian().fit(["a", "b"])
