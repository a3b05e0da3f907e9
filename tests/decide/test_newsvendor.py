"""The newsvendor: textbook formulas, sums and integrals of the definition, the amount that costs least."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.integrate import quad

from assay.decide import newsvendor
from assay.decide.newsvendor import expected_unit_cost
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression
from assay.metrics import asymmetric_cost
from assay.stats.distributions.predictive import (
    Empirical,
    Gamma,
    InverseGaussian,
    NegativeBinomial,
    Normal,
    Poisson,
    ShiftedSample,
    Student,
    Tweedie,
)


def test_the_normal_newsvendor_of_the_textbook():
    """Demand N(100, 20), costs 4 and 1: order 100 + 20 z(0.8), cost (4 + 1) 20 phi(z) = 27.9962."""
    decision = newsvendor(Normal([100.0], 20.0), under=4, over=1)
    z = stats.norm.ppf(0.8)
    assert_allclose(decision.level, 0.8)
    assert_allclose(decision.amount, 100 + 20 * z)
    assert_allclose(decision.expected_cost, 5 * 20 * stats.norm.pdf(z), rtol=1e-10)


@pytest.mark.parametrize("amount", [0.0, 2.0, 5.0, 11.0])
def test_poisson_costs_are_sums_over_all_counts(amount):
    k = np.arange(200)
    mass = stats.poisson(4.5).pmf(k)
    expected = mass @ np.maximum(3 * (k - amount), 2 * (amount - k))
    assert_allclose(expected_unit_cost(Poisson([4.5]), [amount], 3, 2), [expected], rtol=1e-9)


@pytest.mark.parametrize(
    ("distribution", "density"),
    [
        (Normal([1.0], 2.0), stats.norm(1, 2).pdf),
        (Student([1.0], 2.0, 3.0), stats.t(3, 1, 2).pdf),
        (Student([1.0], 2.0, np.inf), stats.norm(1, 2).pdf),
    ],
)
@pytest.mark.parametrize("amount", [-3.0, 1.0, 4.0])
def test_costs_are_integrals_over_the_density(distribution, density, amount):
    below = quad(lambda t: 2 * (amount - t) * density(t), -np.inf, amount)[0]
    above = quad(lambda t: 3 * (t - amount) * density(t), amount, np.inf)[0]
    assert_allclose(expected_unit_cost(distribution, [amount], 3, 2), [below + above], rtol=1e-7)


DISTRIBUTIONS = {
    "normal": Normal([3.0, 10.0], [1.0, 4.0]),
    "student": Student([3.0, 10.0], [1.0, 4.0], 5.0),
    "poisson": Poisson([3.0, 10.0]),
    "negative binomial": NegativeBinomial([3.0, 10.0], 0.5),
    "gamma": Gamma([3.0, 10.0], 0.4),
    "inverse gaussian": InverseGaussian([3.0, 10.0], 0.05),
    "tweedie": Tweedie([3.0, 10.0], 0.7, 1.5),
    "sample": Empirical(np.random.default_rng(0).gamma(2, 3, size=(2, 31))),
    "shifted": ShiftedSample([3.0, 10.0], np.random.default_rng(1).normal(size=20)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("under", "over"), [(9, 1), (1, 3)])
def test_no_other_amount_costs_less(name, under, over):
    distribution = DISTRIBUTIONS[name]
    decision = newsvendor(distribution, under=under, over=over)
    assert (decision.expected_cost > 0).all()
    whole = "poisson" in name or "binomial" in name
    for step in (1.0, 2.0) if whole else (0.01, 0.3):
        for other in (decision.amount - step, decision.amount + step):
            cost = expected_unit_cost(distribution, np.maximum(other, 0), under, over)
            assert (cost >= decision.expected_cost - 1e-9).all()


def test_the_cost_of_a_sample_is_its_mean():
    sample = np.array([[1.0, 4.0, 9.0, 2.0]])
    decision = newsvendor(Empirical(sample), under=3, over=1)
    assert decision.amount == [4.0]
    assert_allclose(decision.expected_cost, [np.maximum(3 * (sample - 4), 4 - sample).mean()])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), under=st.floats(0.2, 5), over=st.floats(0.2, 5))
def test_many_quantiles_are_nearly_the_distribution(seed, under, over):
    rng = np.random.default_rng(seed)
    normal = Normal(rng.normal(size=3), rng.uniform(0.5, 2, 3))
    levels = np.linspace(0.001, 0.999, 999)
    exact = newsvendor(normal, under=under, over=over)
    by_quantiles = newsvendor(normal.quantile(levels), levels=levels, under=under, over=over)
    assert_allclose(by_quantiles.amount, exact.amount, atol=1e-3)
    assert_allclose(by_quantiles.expected_cost, exact.expected_cost, rtol=0.01)


def test_the_cost_of_quantiles_by_hand():
    """Levels 1/4 and 3/4 at 0 and 4, costs 1 and 1: amount 2; trapezoids 1/4 * 2 + 1/4 * 1, twice."""
    decision = newsvendor([[0.0, 4.0]], levels=[0.25, 0.75], under=1, over=1)
    assert decision.amount == [2.0]
    assert_allclose(decision.expected_cost, [1.5])


def test_regressors_decide_for_their_rows():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 2))
    y = X @ [2.0, -1.0] + rng.normal(size=400)
    model = LinearRegression().fit(X[:200], y[:200])
    decision = newsvendor(model, X[200:], under=4, over=1)
    assert_allclose(decision.amount, model.predict_distribution(X[200:]).quantile(0.8))
    plain = asymmetric_cost(y[200:], model.predict(X[200:]), under=4, over=1)
    assert decision.mean_cost(y[200:]) < plain
    assert_allclose(decision.mean_cost(y[200:]), asymmetric_cost(y[200:], decision.amount, under=4, over=1))
    assert_allclose(decision.mean_cost(y[200:]), decision.expected_cost.mean(), rtol=0.15)

    class OnlyIntervals:
        predict, predict_interval = model.predict, model.predict_interval

    for under, over in ((4, 1), (1, 4)):
        ends = newsvendor(OnlyIntervals(), X[200:], under=under, over=over)
        assert_allclose(ends.amount, newsvendor(model, X[200:], under=under, over=over).amount)
        assert ends.expected_cost is None and "expected" not in str(ends)
    assert_allclose(newsvendor(OnlyIntervals(), X, under=2, over=2).amount, model.predict(X))


def test_what_it_cannot_decide_is_said():
    for wrong in ({"under": 0}, {"over": -1}, {"over": np.inf}):
        with pytest.raises(ParameterError, match="cost of a unit, must be a number above 0"):
            newsvendor(Normal([0.0], 1.0), **{"under": 1, "over": 1, **wrong})
    with pytest.raises(
        ParameterError, match=r"ask for the quantile 0\.9901, the levels end at 0\.1 and 0\.9"
    ):
        newsvendor([[0.0, 4.0]], levels=[0.1, 0.9], under=100, over=1)
    with pytest.raises(ParameterError, match="or quantiles with their levels="):
        newsvendor([[0.0, 4.0]], under=1, over=1)
    with pytest.raises(ParameterError, match="levels must rise"):
        newsvendor([[0.0, 4.0]], levels=[0.9, 0.1], under=1, over=1)
    with pytest.raises(DataError, match=r"2 levels need quantiles of shape \(n, 2\), got \(1, 3\)"):
        newsvendor([[0.0, 4.0, 5.0]], levels=[0.1, 0.9], under=1, over=1)
    with pytest.raises(ParameterError, match="object has neither predict_distribution nor predict_interval"):
        newsvendor(object(), np.zeros((1, 1)), under=2, over=1)
    decision = newsvendor(Normal([0.0], 1.0), under=1, over=1)
    with pytest.raises(DataError, match="1 amounts and true numbers of shape"):
        decision.cost([1.0, 2.0])
    with pytest.raises(DataError, match="NaN or infinite"):
        decision.cost([np.nan])
    assert newsvendor(Student([0.0], 1.0, 1.0), under=2, over=1).expected_cost == [np.inf]
    assert newsvendor(Student([5.0], 0.0, 3.0), under=2, over=1).expected_cost == [0.0]
