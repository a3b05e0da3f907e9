import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import beta, norm

from assay.stats import beta_from_interval, normal_from_interval


@pytest.mark.capability("IML-4-06")
def test_five_to_nine_with_ninety_per_cent():
    # IML 4.4: 1.64 sigma = 2, so N(7, (2/1.64)^2)
    rounded = normal_from_interval(5, 9, 0.9, quantile=1.64)
    assert rounded.mean == 7
    assert_allclose(rounded.var, 1.48721, atol=5e-6)
    assert_allclose(rounded.var**0.5, 1.2195, atol=5e-5)
    peer = norm(7, rounded.var**0.5)
    assert_allclose(peer.cdf(9) - peer.cdf(5), 0.89899, atol=5e-6)


@pytest.mark.capability("IML-4-06")
@given(low=st.floats(-100, 100), width=st.floats(0.01, 100), confidence=st.floats(0.05, 0.999))
@settings(max_examples=50, deadline=None)
def test_the_interval_holds_what_was_said(low, width, confidence):
    prior = normal_from_interval(low, low + width, confidence)
    peer = norm(prior.mean, prior.var**0.5)
    assert_allclose(peer.cdf(low + width) - peer.cdf(low), confidence, rtol=1e-9)


@given(low=st.floats(0.05, 0.6), width=st.floats(0.05, 0.3), confidence=st.floats(0.5, 0.99))
@settings(max_examples=30, deadline=None)
def test_beta_has_equal_tails(low, width, confidence):
    prior = beta_from_interval(low, low + width, confidence)
    peer = beta(prior.a, prior.b)
    tail = (1 - confidence) / 2
    assert_allclose([peer.cdf(low), peer.sf(low + width)], [tail, tail], atol=1e-7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normal_from_interval(9, 5), "low must be below high"),
        (lambda: normal_from_interval(5, 9, 1.0), "level must lie between 0 and 1"),
        (lambda: normal_from_interval(5, 9, quantile=0), "quantile must be above 0"),
        (lambda: beta_from_interval(0, 0.5), "0 < low < high < 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
