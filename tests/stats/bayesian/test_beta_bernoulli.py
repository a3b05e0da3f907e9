import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import beta

from assay.stats import Bernoulli, BetaBernoulli, GridPosterior

flips = st.lists(st.integers(0, 1), min_size=1, max_size=30)


@pytest.mark.capability("BC-44", "C3-15")
@given(x=flips, alpha=st.floats(0.1, 5))
@settings(max_examples=50, deadline=None)
def test_a_symmetric_prior_is_additive_smoothing(x, alpha):
    posterior = BetaBernoulli(alpha, alpha).update(x)
    assert_allclose(posterior.mean, Bernoulli(alpha=alpha).fit(x).p, rtol=1e-12)
    assert_allclose(posterior.density().p, posterior.mean)
    mode_prior = BetaBernoulli(alpha + 1, alpha + 1).update(x)
    assert_allclose(mode_prior.map, Bernoulli(alpha=alpha).fit(x).p, rtol=1e-12)


@pytest.mark.capability("BC-44")
def test_uniform_prior_equals_laplace_and_its_map_is_maximum_likelihood():
    # BC 5.4: class 1 has (1,0), (1,0): mu = 3/4 for the first feature and 1/4 for the second
    flat = BetaBernoulli(1, 1)
    assert flat.update([1, 1]).mean == 3 / 4
    assert flat.update([0, 0]).mean == 1 / 4
    assert flat.update([1, 1, 0]).map == pytest.approx(2 / 3, rel=1e-15)
    assert flat.update([1, 1]).map == 1.0
    assert flat.update([0, 0]).density("map").p == 0.0


@given(x=flips, cut=st.integers(0, 30))
@settings(max_examples=30, deadline=None)
def test_today_s_posterior_is_tomorrow_s_prior(x, cut):
    whole = BetaBernoulli(2, 3).update(x)
    parts = BetaBernoulli(2, 3)
    for part in (x[:cut], x[cut:]):
        parts = parts.update(part) if part else parts
    assert (whole.a, whole.b) == (parts.a, parts.b)


def test_same_distribution_as_scipy():
    belief, peer = BetaBernoulli(2.5, 4), beta(2.5, 4)
    p = np.linspace(0.01, 0.99, 7)
    assert_allclose(belief.logpdf(p), peer.logpdf(p), rtol=1e-10)
    assert_allclose([belief.mean, belief.var], peer.stats(), rtol=1e-12)
    assert_allclose(belief.interval(0.9), peer.interval(0.9), rtol=1e-9)
    assert belief.logpdf(-0.1) == belief.logpdf(1.1) == -np.inf
    assert_allclose(quad(lambda t: np.exp(belief.logpdf(t)), 0, 1)[0], 1, rtol=1e-9)
    draws = belief.sample(20_000, random_state=0)
    assert abs(draws.mean() - belief.mean) < 5 * np.sqrt(belief.var / len(draws))


@pytest.mark.capability("IML-4-07")
def test_closed_form_agrees_with_the_grid():
    x = [1, 0, 1, 1, 0, 1, 1]
    closed = BetaBernoulli(2, 2).update(x)
    theta = np.linspace(1e-6, 1 - 1e-6, 4001)
    grid = GridPosterior(
        theta, lambda t: 5 * np.log(t) + 2 * np.log(1 - t), lambda t: BetaBernoulli(2, 2).logpdf(t)
    )
    assert_allclose([grid.mean, grid.var, grid.map], [closed.mean, closed.var, closed.map], atol=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "mode"), [(0.5, 3, 0.0), (3, 0.5, 1.0), (1, 3, 0.0), (3, 1, 1.0), (2, 2, 0.5)]
)
def test_mode_at_the_edges(a, b, mode):
    assert BetaBernoulli(a, b).map == mode


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (0.5, 1)])
def test_no_single_mode_is_an_error(a, b):
    with pytest.raises(ValueError, match="no single most probable value"):
        _ = BetaBernoulli(a, b).map


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="above 0"):
        BetaBernoulli(0, 1)
    with pytest.raises(ValueError, match="values 0 and 1"):
        BetaBernoulli().update([2])
    with pytest.raises(ValueError, match="level"):
        BetaBernoulli().interval(1)
    with pytest.raises(ValueError, match="predictive, bayes, map"):
        BetaBernoulli().density("mode")


# Oracles: the conjugate models of a discrete distribution, worked by hand and checked with SciPy.
@pytest.mark.capability("IML-16-03")
def test_seven_of_ten_under_the_uniform_prior():
    posterior = BetaBernoulli.uniform().update([1, 0], weights=[7, 3])
    assert (posterior.a, posterior.b) == (8, 4)
    assert_allclose([posterior.mean, posterior.map], [2 / 3, 0.7], rtol=1e-14)
    assert_allclose(np.sqrt(posterior.var), 0.13074409, rtol=1e-7)
    assert_allclose(posterior.interval(), [0.39025744, 0.89073656], rtol=1e-7)


@pytest.mark.capability("IML-16-03")
@pytest.mark.parametrize(
    ("a", "b", "var"),
    [(1, 1, 1 / 12), (2, 2, 0.05), (5, 5, 0.02272727), (2, 8, 0.01454545), (20, 80, 0.00158416)],
)
def test_variances_of_beta_distributions(a, b, var):
    assert_allclose(BetaBernoulli(a, b).var, var, rtol=1e-5)


@pytest.mark.capability("IML-16-16")
def test_no_success_in_five_trials():
    x = [0, 0, 0, 0, 0]
    assert_allclose(BetaBernoulli.jeffreys().update(x).mean, 1 / 12, rtol=1e-14)
    assert_allclose(BetaBernoulli.uniform().update(x).mean, 1 / 7, rtol=1e-14)
    assert BetaBernoulli().maximum_likelihood(x).p == 0


def test_two_peaks_have_no_shortest_interval():
    with pytest.raises(ValueError, match="peaks at 0 and at 1"):
        BetaBernoulli.jeffreys().hpd()
    assert BetaBernoulli(0.5, 3).hpd(0.9)[0] == 0


def test_a_tiny_pseudo_count_survives_data_of_the_other_kind():
    posterior = BetaBernoulli(1.0, 1e-20).update([1, 1, 1])
    assert (posterior.a, posterior.b) == (4.0, 1e-20)
