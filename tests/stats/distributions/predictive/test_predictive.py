from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from assay.errors import DataError, ParameterError
from assay.stats.distributions.predictive import (
    BinomialShare,
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

MU, PHI = np.array([0.3, 1.0, 7.5, 40.0]), np.array([0.05, 0.4, 1.0, 2.5])
K = 1 / PHI

# Oracle: scipy.stats. Each pair is a family of ours and the same distributions there.
CONTINUOUS = {
    "normal": (Normal(MU, PHI), stats.norm(MU, PHI)),
    "student": (Student(MU, PHI, [1.5, 3, 8, 300]), stats.t([1.5, 3, 8, 300], MU, PHI)),
    "gamma": (Gamma(MU, PHI), stats.gamma(K, scale=MU * PHI)),
    "inverse Gaussian": (InverseGaussian(MU, PHI), stats.invgauss(MU * PHI, scale=1 / PHI)),
}
COUNTS = {
    "poisson": (Poisson(MU), stats.poisson(MU)),
    "negative binomial": (NegativeBinomial(MU, PHI), stats.nbinom(K, 1 / (1 + PHI * MU))),
    "nearly poisson": (NegativeBinomial(MU, 1e-7), stats.nbinom(1e7, 1 / (1 + 1e-7 * MU))),
}
POINTS = np.array([0.2, 1.7, 3.0, 55.0])


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_families_agree_with_scipy(name):
    ours, theirs = CONTINUOUS[name]
    assert_allclose(ours.mean, theirs.mean(), rtol=1e-12)
    assert_allclose(ours.sd, theirs.std(), rtol=1e-12)
    assert_allclose(ours.cdf(POINTS), theirs.cdf(POINTS), rtol=1e-10, atol=1e-300)
    assert_allclose(ours.logpdf(POINTS), theirs.logpdf(POINTS), rtol=1e-10)
    levels = [0.001, 0.05, 0.5, 0.9, 0.999]
    expected = np.column_stack([theirs.ppf(level) for level in levels])
    assert_allclose(ours.quantile(levels), expected, rtol=1e-8)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_agree_with_scipy(name):
    ours, theirs = COUNTS[name]
    counts = np.array([0, 2, 7, 35])
    tolerance = (
        1e-7 if name == "nearly poisson" else 1e-10
    )  # a probability so close to 1 has lost digits there
    assert_allclose(ours.mean, theirs.mean(), rtol=tolerance)
    assert_allclose(ours.sd, theirs.std(), rtol=tolerance)
    assert_allclose(ours.cdf(counts), theirs.cdf(counts), rtol=tolerance)
    assert_allclose(ours.logpdf(counts), theirs.logpmf(counts), rtol=tolerance)
    assert_array_equal(ours.logpdf(counts + 0.5), np.full(4, -np.inf))
    for level in (0.01, 0.25, 0.5, 0.9, 0.999):
        assert_array_equal(ours.quantile(level), theirs.ppf(level))


@pytest.mark.parametrize("y", [-1.0, 0.0, 0.6, 2.0, 13.0])
@pytest.mark.parametrize("name", CONTINUOUS | COUNTS)
def test_score_is_the_integral_of_the_squared_difference_to_a_step(name, y):
    """Oracle: crps = integral of (F(t) - [y <= t])^2, by adaptive quadrature (whole numbers: by adding up)."""
    ours, _ = (CONTINUOUS | COUNTS)[name]
    for i in range(len(ours)):
        row = ours.take([i])
        if ours.discrete:
            top = int(max(row.quantile(1 - 1e-15)[0], y)) + 2
            t = np.union1d(np.arange(min(0, int(y) - 1), top), [y])
            F = row.take(np.zeros(len(t), int)).cdf(t)[:-1]
            expected = (np.diff(t) * (F - (t[:-1] >= y)) ** 2).sum()
        else:
            lowest, highest = (-np.inf, np.inf) if name in ("normal", "student") else (0.0, np.inf)
            at = max(y, lowest)
            middle = float(row.quantile(0.5)[0])
            cuts = sorted({lowest, at, max(middle, lowest), highest})
            expected = at - y

            def squared(t, row=row):
                return (row.cdf([t])[0] - (t >= y)) ** 2

            for a, b in pairwise(cuts):
                expected += integrate.quad(squared, a, b, epsabs=1e-12, epsrel=1e-10, limit=400)[0]
        assert_allclose(row.crps([y])[0], expected, rtol=1e-7, atol=1e-9)


def test_score_of_the_student_tends_to_that_of_the_normal():
    y = np.array([-3.0, 0.0, 0.4, 5.0])
    normal = Normal(np.zeros(4), 2.0)
    assert_allclose(Student(np.zeros(4), 2.0, np.inf).crps(y), normal.crps(y), rtol=1e-14)
    assert_allclose(Student(np.zeros(4), 2.0, 1e9).crps(y), normal.crps(y), rtol=1e-8)
    assert_allclose(Student(np.zeros(4), 2.0, 1e9).logpdf(y), normal.logpdf(y), rtol=1e-8)
    # continuous where the series takes over from the beta function
    assert_allclose(
        Student(np.zeros(4), 2.0, 200.0).crps(y), Student(np.zeros(4), 2.0, 200.000001).crps(y), rtol=1e-8
    )
    assert np.isinf(Student([0.0], 1.0, 1.0).crps([0.0])).all()


def test_a_distribution_without_spread_is_a_point():
    for point in (Normal([5.0, 5.0], 0.0), Student([5.0, 5.0], 0.0, 3)):
        assert_array_equal(point.crps([5.0, 7.0]), [0.0, 2.0])
        assert_array_equal(point.cdf([5.0, 4.0]), [1.0, 0.0])
        assert_array_equal(point.logpdf([5.0, 4.0]), [np.inf, -np.inf])
        assert_array_equal(point.quantile(0.9), [5.0, 5.0])
        assert_array_equal(point.sd, [0.0, 0.0])


@pytest.mark.parametrize("trials", [1, 7, 400])
def test_shares_of_successes_agree_with_scipy_and_the_definition(trials):
    p = np.array([0.0, 0.03, 0.5, 0.9, 1.0])
    ours, theirs = BinomialShare(p, trials), stats.binom(trials, p)
    k = np.arange(trials + 1)
    for count in np.unique([0, trials // 3, trials]):
        y = np.full(5, count / trials)
        assert_allclose(ours.cdf(y), theirs.cdf(count), rtol=1e-11)
        assert_allclose(ours.logpdf(y), theirs.logpmf(count), rtol=1e-10, atol=1e-12)
        mass = np.array([stats.binom(trials, q).pmf(k) for q in p])
        away = np.abs(k - count) @ mass.T
        between = np.einsum("ik,jk,ij->k", mass.T, mass.T, np.abs(k[:, None] - k))
        assert_allclose(ours.crps(y), (away - between / 2) / trials, rtol=1e-9, atol=1e-13)
    assert_allclose(ours.quantile(0.3), theirs.ppf(0.3).clip(0) / trials)
    assert_allclose(ours.mean, p)
    assert_allclose(ours.sd, np.sqrt(p * (1 - p) / trials))


def test_tweedie_is_a_poisson_sum_of_gammas():
    """Oracle: a million sums drawn; and the density integrates to the distribution function."""
    ours = Tweedie([10.0], 4.0, 1.6)
    rng = np.random.default_rng(0)
    rate, shape, scale = (float(v[0]) for v in ours._parts())
    draws = rng.gamma(np.maximum(rng.poisson(rate, 10**6), 1e-9) * shape, scale)
    draws[draws < 1e-6] = 0
    for y in (0.0, 1.0, 10.0, 60.0):
        assert_allclose(ours.cdf([y])[0], np.mean(draws <= y), atol=4 * 0.5e-3)
    assert_allclose([ours.mean[0], ours.sd[0]], [draws.mean(), draws.std()], rtol=0.01)
    between = integrate.quad(lambda t: np.exp(ours.logpdf([t])[0]), 2.0, 30.0, epsabs=1e-12)[0]
    assert_allclose(ours.cdf([30.0])[0] - ours.cdf([2.0])[0], between, rtol=1e-9)
    assert_allclose(np.exp(ours.logpdf([0.0])), ours.cdf([0.0]), rtol=1e-12)
    assert_allclose(ours.cdf(ours.quantile(0.9)), 0.9, rtol=1e-10)
    assert ours.quantile(0.01)[0] == 0
    assert_allclose(
        ours.crps([8.0])[0],
        np.abs(draws - 8).mean() - np.abs(draws[: 5 * 10**5] - draws[5 * 10**5 :]).mean() / 2,
        rtol=5e-3,
    )
    steps = integrate.quad(lambda t: ours.cdf([t])[0] ** 2, 0, 8.0, epsabs=1e-10)[0]
    steps += integrate.quad(lambda t: (1 - ours.cdf([t])[0]) ** 2, 8.0, 400.0, epsabs=1e-10, limit=300)[0]
    assert_allclose(ours.crps([8.0])[0], steps, rtol=1e-6)


def test_tweedie_with_many_terms():
    ours = Tweedie([1e4], 0.01, 1.5)  # 20,000 amounts: nearly normal
    assert_allclose(ours.cdf(ours.mean + ours.sd), stats.norm.cdf(1), atol=1e-3)
    assert_allclose(ours.quantile(0.9), ours.mean + ours.sd * stats.norm.ppf(0.9), rtol=1e-4)


def brute(values, weights, y):
    w = np.asarray(weights) / np.sum(weights)
    v = np.asarray(values)
    return w @ np.abs(v - y) - (w[:, None] * w * np.abs(v[:, None] - v)).sum() / 2


def test_empirical_by_the_definition():
    rng = np.random.default_rng(1)
    values, weights = rng.normal(1e6, 1, (6, 9)), rng.random((6, 9))
    weights[2, 3] = 0
    ours, y = Empirical(values, weights), rng.normal(1e6, 1, 6)
    w = weights / weights.sum(axis=1, keepdims=True)
    assert_allclose(ours.mean, (w * values).sum(axis=1), rtol=1e-12)
    assert_allclose(
        ours.sd, np.sqrt((w * (values - (w * values).sum(axis=1)[:, None]) ** 2).sum(axis=1)), rtol=1e-7
    )
    assert_allclose(ours.cdf(y), (w * (values <= y[:, None])).sum(axis=1), atol=1e-12)
    assert_allclose(ours.crps(y), [brute(v, u, t) for v, u, t in zip(values, w, y)], rtol=1e-8, atol=1e-10)
    order = np.argsort(values, axis=1)
    cumulative = np.take_along_axis(w, order, 1).cumsum(axis=1)
    for p in (0.01, 0.3, 0.77, 0.999):
        at = (cumulative < p).sum(axis=1)
        assert_array_equal(ours.quantile(p), np.take_along_axis(values, order, 1)[np.arange(6), at])


def test_empirical_of_ragged_samples_and_some_of_its_rows():
    long = Empirical([3.0, 1.0, 7.0, 2.0, 2.0, 9.0], [1, 1, 2, 1, 1, 1], offsets=[0, 2, 3, 6])
    assert_allclose(long.mean, [2.0, 7.0, 13 / 3])
    assert_allclose(long.take([2, 0]).mean, [13 / 3, 2.0])
    assert_allclose(long.take(np.array([False, True, True])).quantile(0.5), [7.0, 2.0])
    assert_allclose(long.take(slice(1, 3)).crps([7.0, 2.0]), [0.0, brute([2, 2, 9], [1, 1, 1], 2)])


def test_levels_that_are_sums_of_weights_are_met_in_spite_of_rounding():
    tenths = Empirical(
        np.tile(np.arange(1.0, 11), (5, 1))
    )  # ten weights of 0.1 do not add up to whole tenths
    for k in range(1, 10):
        assert_array_equal(tenths.quantile(k / 10), np.full(5, float(k)))


def test_smoothed_density_of_a_sample_is_a_density():
    sample = Empirical(np.random.default_rng(2).normal(size=(1, 40)))
    area = integrate.quad(lambda t: np.exp(sample.logpdf([t])[0]), -10, 10, limit=300)[0]
    assert_allclose(area, 1, rtol=1e-6)
    point = Empirical([[2.0, 2.0]])
    assert point.logpdf([2.0])[0] == np.inf and point.logpdf([3.0])[0] == -np.inf


def test_shifted_sample_is_the_empirical_distribution_of_all_rows():
    rng = np.random.default_rng(3)
    location, scale, errors = rng.normal(size=5), rng.random(5) + 0.5, rng.normal(size=30)
    weights = rng.random(30)
    ours = ShiftedSample(location, errors, scale, weights)
    same = Empirical(location[:, None] + scale[:, None] * errors, np.tile(weights, (5, 1)))
    y = rng.normal(size=5)
    for method in ("cdf", "crps", "logpdf"):
        assert_allclose(getattr(ours, method)(y), getattr(same, method)(y), rtol=1e-9, atol=1e-12)
    assert_allclose(ours.quantile([0.1, 0.6]), same.quantile([0.1, 0.6]), rtol=1e-12)
    assert_allclose([ours.mean, ours.sd], [same.mean, same.sd], rtol=1e-10)
    assert_allclose(ours.take([3, 1]).crps(y[[3, 1]]), ours.crps(y)[[3, 1]], rtol=1e-12)


ALL = {
    **CONTINUOUS,
    **COUNTS,
    "tweedie": (Tweedie(MU, PHI, 1.4), None),
    "share": (BinomialShare(MU / 50, 9), None),
}


@pytest.mark.parametrize("name", ALL)
def test_intervals_hold_at_least_their_coverage(name):
    ours = ALL[name][0]
    for coverage in (0.5, 0.9, 0.99):
        lower, upper = ours.interval(coverage)
        inside = ours.cdf(upper) - ours._cdf_below(lower)
        assert (inside >= coverage - 1e-9).all()
        if not ours.discrete:
            assert_allclose(inside, coverage, rtol=1e-8)


@pytest.mark.parametrize("name", ALL)
def test_values_of_the_integral_transform_are_uniform(name):
    """If y is drawn from the distributions, pit is uniform: counts by a random share of their step."""
    ours = ALL[name][0]
    rng = np.random.default_rng(4)
    many = ours.take(rng.integers(0, 4, 400))
    y = np.array([many.take([i]).quantile(u)[0] for i, u in enumerate(rng.random(400))])
    assert stats.kstest(many.pit(y, random_state=0), "uniform").pvalue > 0.01


@pytest.mark.parametrize("name", ALL)
def test_rows_are_taken_with_their_parameters(name):
    ours = ALL[name][0]
    y = np.array([1.0, 2.0])
    assert_allclose(ours.take([3, 1]).cdf(y), ours.cdf(np.array([0, 2.0, 0, 1.0]))[[3, 1]])
    assert len(ours.take([0])) == 1 and "4 rows" in repr(ours)


def test_what_is_asked_wrongly_is_refused_in_a_sentence():
    with pytest.raises(ParameterError, match="Normal: scale must be at least 0, got -1 for row 1"):
        Normal([0, 0], [1, -1])
    with pytest.raises(ParameterError, match="different lengths: location 2, scale 3"):
        Normal([0, 0], [1, 1, 1])
    with pytest.raises(ParameterError, match="Gamma: location must be above 0"):
        Gamma([0.0], 1.0)
    with pytest.raises(ParameterError, match=r"p must be a number .* above 0 and below 1, got 1.0"):
        Normal(0, 1).quantile(1.0)
    with pytest.raises(ParameterError, match="coverage must be a number above 0 and below 1, got 90"):
        Normal(0, 1).interval(90)
    with pytest.raises(DataError, match="expected a number for each of 2 rows"):
        Normal([0, 0], 1).cdf([1, 2, 3])
    with pytest.raises(DataError, match="1 missing values"):
        Normal([0, 0], 1).crps([1, np.nan])
    with pytest.raises(ParameterError, match="weights of row 1 add up to 0"):
        Empirical([[1.0], [2.0]], [[1.0], [0.0]])
