"""Known densities. Oracles: IML 3.2, exercises 3.1 to 3.4 with figure 3-2, and 4.5 with figure 4-3."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal, norm

from assay.decide import BayesOptimal, decision_regions
from assay.errors import DataError, ParameterError
from assay.stats import Gaussian

FIGURE_3_2 = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 1)])
LOSS = [[0, 10], [5, 0]]


class Test:
    """A medical test as a density over its outcomes 0 and 1."""

    __test__ = False

    def __init__(self, positive):
        self.positive = positive

    def logpdf(self, t):
        return np.log(np.where(np.asarray(t) == 1, self.positive, 1 - self.positive))


@pytest.mark.capability("IML-3-02")
def test_a_positive_test_for_a_rare_disease():
    rule = BayesOptimal([Test(0.99), Test(1e-3)], [1e-6, 1 - 1e-6], ["ill", "well"])
    assert_allclose(rule.posterior([1])[0, 0], 0.0009890218573830, rtol=1e-12)
    assert rule.predict([1]).tolist() == ["well"]


@pytest.mark.capability("IML-3-02")
def test_likelihoods_that_underflow_still_give_a_posterior():
    """1000 independent N(0,1) against N(0.1,1) columns: densities near e^-1400, below the smallest double."""
    d = 1000
    a, b = (multivariate_normal(np.full(d, m), np.ones(d)) for m in (0.0, 0.1))
    x = np.full((1, d), 0.05 + 0.001)
    assert a.pdf(x) == 0
    expected = 1 / (1 + np.exp(0.1 * 0.001 * d))  # log odds: sum of 0.1 (0.05 - x)
    assert_allclose(BayesOptimal([a, b]).posterior(x)[0, 0], expected, rtol=1e-9)


@pytest.mark.capability("IML-3-02")
def test_k_classes_sum_to_one_and_zero_evidence_returns_the_priors():
    class Flat:
        def __init__(self, low, high):
            self.low, self.high = low, high

        def logpdf(self, x):
            inside = (np.asarray(x) >= self.low) & (np.asarray(x) < self.high)
            return np.where(inside, -np.log(self.high - self.low), -np.inf)

    rule = BayesOptimal([Flat(0, 1), Flat(0, 2), Flat(0, 4)], [0.5, 0.25, 0.25])
    P = rule.posterior([0.5, 1.5, 3.0, 9.0])
    assert_allclose(P, [[8 / 11, 2 / 11, 1 / 11], [0, 2 / 3, 1 / 3], [0, 0, 1], [0.5, 0.25, 0.25]])
    assert_allclose(rule.log_evidence([0.5]), [np.log(0.5 + 0.125 + 0.0625)])


@pytest.mark.capability("IML-3-18")
def test_figure_3_2_boundaries():
    assert_allclose(FIGURE_3_2.boundaries(-9, 9), [0], atol=1e-12)  # posteriors within 1e-12 tie
    assert_allclose(FIGURE_3_2.boundaries(-9, 9, LOSS), [-np.log(2) / 4], atol=1e-12)  # -0.1732868
    found = FIGURE_3_2.boundaries(-9, 9, LOSS, reject=1)
    assert_allclose(found, [-0.5493061, 0.3465736], atol=5e-8)
    assert_allclose(found, [-np.log(9) / 4, np.log(4) / 4], atol=1e-11)
    assert [r.action for r in FIGURE_3_2.regions(-9, 9, LOSS, reject=1)] == [0, "reject", 1]


@pytest.mark.capability("IML-4-12")
def test_figure_4_3_accepts_class_1_in_one_interval():
    rule = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 4)], classes=["C1", "C2"])
    regions = rule.regions(-12, 12, reject=0.2)
    assert [r.action for r in regions] == ["C2", "reject", "C1", "reject", "C2"]
    edges = [r.high for r in regions[:-1]]
    assert_allclose(edges, [-6.890901, -5.627395, -1.039272, 0.224234], atol=5e-7)
    grid = rule.posterior(np.linspace(-6, 0, 60001))[:, 0]
    assert_allclose(grid.max(), 0.966425, atol=5e-7)


@pytest.mark.capability("IML-3-07")
def test_every_form_of_the_discriminants_chooses_alike():
    x = np.linspace(-4, 4, 401)
    rule = BayesOptimal([norm(-1, 1), norm(0.5, 0.5), norm(2, 2)], [0.3, 0.3, 0.4])
    by_posterior = rule.posterior(x).argmax(axis=1)
    assert_array_equal(rule.discriminants(x).argmax(axis=1), by_posterior)
    assert_array_equal(rule.discriminants(x, 1 - np.eye(3)).argmax(axis=1), by_posterior)
    assert_array_equal(rule.predict(x), by_posterior)
    for region in rule.regions(-4, 4):  # the regions are where that function is largest
        inside = (x > region.low) & (x < region.high)
        assert_array_equal(by_posterior[inside], region.action)


@pytest.mark.capability("IML-3-07")
def test_figure_3_1_three_regions_in_the_plane_with_a_reject_zone():
    means = [(0, 0), (4, 0), (2, 4)]
    rule = BayesOptimal([multivariate_normal(m) for m in means], classes=["a", "b", "c"])
    said = rule.decide(np.array([*means, (2, 1.5)]), reject=0.4).labels
    assert said.tolist() == ["a", "b", "c", "reject"]  # equidistant from all three: risk 2/3


@pytest.mark.capability("IML-3-07", "IML-3-08")
def test_the_dichotomiser_has_threshold_0_and_its_ratio_form_threshold_1():
    x = np.linspace(-3, 3, 61)
    rule = BayesOptimal([Gaussian(-1, 1), Gaussian(1, 2)], [0.7, 0.3])
    first = rule.posterior(x)[:, 0] > 0.5
    assert_array_equal(rule.dichotomizer(x) > 0, first)
    assert_array_equal(rule.dichotomizer(x, ratio=True) > 1, first)
    assert_allclose(rule.dichotomizer(x), np.subtract(*rule.log_joint(x).T), rtol=1e-13)
    by_hand = norm(-1, 1).pdf(x) * 0.7 / (norm(1, np.sqrt(2)).pdf(x) * 0.3)
    assert_allclose(rule.dichotomizer(x, ratio=True), by_hand, rtol=1e-10)


def test_priors_shift_the_threshold_towards_the_less_likely_class():
    rule = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 1)], [0.8, 0.2])
    assert_allclose(rule.boundaries(-9, 9), [np.log(4) / 4], atol=1e-12)
    unequal = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 4)])
    assert_allclose(unequal.boundaries(-12, 12), [-6.3265763226, -0.3400903441], atol=1e-9)


def test_a_region_thinner_than_a_grid_step_is_found_between_its_neighbours():
    def rule(x):
        return np.where(x < 0.4002, "a", np.where(x < 0.4003, "b", "c"))

    found = decision_regions(rule, 0, 1, points=11)
    assert [r.action for r in found] == ["a", "b", "c"]
    assert_allclose([r.high for r in found], [0.4002, 0.4003, 1], atol=1e-15)


def test_one_answer_everywhere_is_one_region():
    rule = BayesOptimal([norm(0, 1), norm(0.1, 1.2)], [0.05, 0.95])
    assert len(rule.boundaries(-20, 20)) == 0
    assert [r.action for r in rule.regions(-20, 20)] == [1]


def test_bad_input_is_told():
    with pytest.raises(ParameterError, match="density 1 has no logpdf, got int"):
        BayesOptimal([norm(), 3])
    with pytest.raises(ParameterError, match="sum to 1"):
        BayesOptimal([norm(), norm(1)], [0.5, 0.6])
    with pytest.raises(ParameterError, match="at least one class"):
        BayesOptimal([])
    with pytest.raises(ParameterError, match="2 densities, but 1 classes"):
        BayesOptimal([norm(), norm(1)], classes=["a"])
    with pytest.raises(ParameterError, match="separates two classes, here are 3"):
        BayesOptimal([norm(), norm(1), norm(2)]).dichotomizer([0.0])
    with pytest.raises(DataError, match="not NaN"):
        BayesOptimal([norm(), norm(1)]).posterior([np.nan])
    with pytest.raises(ParameterError, match="low must be below high"):
        decision_regions(np.sign, 1, 1)
    with pytest.raises(ParameterError, match="from 2 up, got 1"):
        decision_regions(np.sign, 0, 1, points=1)
