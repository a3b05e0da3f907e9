"""The hierarchical test: the whole posterior by quadrature, shrinkage, data sets without spread."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, stdtr, stdtrit
from tests.calibration import assert_covers

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.hierarchical_t import hierarchical_t

module = import_module("assay.stats.bayesian.hierarchical_t")


def folds(means, spread=0.03, J=10, seed=3):
    means = np.asarray(means)
    return means[:, None] + np.random.default_rng(seed).normal(0, spread, (len(means), J))


def by_quadrature(D, ratio, rope, tails):
    """Means of functions of mu0, and of left, within and right: sums over a grid of mu0, sigma0 and nu.

    The sigma_i are integrated by hand, flat prior: the likelihood of mu_i is (SS_i/(1 - rho) + (m_i - mu_i)^2/c)
    to the power -(J - 1)/2. The integral over mu_i runs over quantiles of the t distribution where that is the
    narrower of the two, over an even grid around m_i where the likelihood is.
    """
    q, J = D.shape
    m, rho = D.mean(axis=1), ratio / (1 + ratio)
    c = (1 - rho) / J + rho
    B = np.sum((D - m[:, None]) ** 2, axis=1) / (1 - rho)
    unit = np.sqrt(np.mean(B * (1 - rho) / (J - 1)))
    width = np.sqrt(B / (J - 1) * c)
    mu0 = m.mean() + unit * np.sinh(np.linspace(-4, 4, 81)) * 0.4
    sigma0 = unit * np.geomspace(2e-2, 200, 50)
    u = (np.arange(150) + 0.5) / 150
    log = np.zeros((len(tails), len(sigma0), len(mu0)))
    for a, nu in enumerate(tails):
        quantiles = stdtrit(nu, u)
        for b, s in enumerate(sigma0):
            for i in range(q):
                if s < width[i]:
                    x = mu0[:, None] + s * quantiles
                    value = np.mean((1 + (m[i] - x) ** 2 / c / B[i]) ** (-(J - 1) / 2), axis=1)
                else:
                    x = m[i] + width[i] * np.sinh(np.linspace(-5, 5, 151))
                    like = (1 + (m[i] - x) ** 2 / c / B[i]) ** (-(J - 1) / 2) * np.gradient(x)
                    value = _student((x - mu0[:, None]) / s, nu) @ like / s
                log[a, b] += np.log(value)
    weight = np.exp(log - log.max())
    weight *= (module._tail_prior()[:, None] * np.gradient(sigma0))[:, :, None] * np.gradient(mu0)
    weight /= weight.sum()
    T, S, M = np.meshgrid(tails, sigma0, mu0, indexing="ij")
    left, right = stdtr(T, (-rope - M) / S), stdtr(T, (M - rope) / S)
    inside = [np.sum(weight * np.maximum(1 - left - right, 0)), np.sum(weight * (1 - left - right > 0.5))]
    return (
        [np.sum(weight * np.tanh((M - x) / 0.02)) for x in (0.0, 0.03)]
        + [np.sum(weight * left), np.sum(weight * right)]
        + inside
    )


def _student(x, nu):
    constant = np.exp(gammaln((nu + 1) / 2) - gammaln(nu / 2)) / np.sqrt(nu * np.pi)
    return constant * (1 + x * x / nu) ** (-(nu + 1) / 2)


def test_draws_follow_the_posterior(monkeypatch):
    tails = np.array([1.0, 4.0, 30.0])
    monkeypatch.setattr(module, "TAILS", tails)
    module._tail_prior.cache_clear()
    try:
        D = folds([0.03, 0.01, 0.05, 0.02, 0.03, 0.02])
        expected = by_quadrature(D, 1 / 9, 0.02, tails)
        m, SS, J, _ = module._moments(D, "test")
        mu0, sigma0, nu, _ = module._sample(m, SS / 0.9, J, 0.9 / J + 0.1, 40_000, 0)
        left, right = stdtr(nu, (-0.02 - mu0) / sigma0), stdtr(nu, (mu0 - 0.02) / sigma0)
        inside = [np.mean(1 - left - right), np.mean(1 - left - right > 0.5)]
        result = (
            [np.mean(np.tanh((mu0 - x) / 0.02)) for x in (0.0, 0.03)] + [left.mean(), right.mean()] + inside
        )
        assert_allclose(result, expected, atol=0.008)
    finally:
        module._tail_prior.cache_clear()


def test_intervals_of_the_data_sets_and_of_their_middle_hold_the_truth(monkeypatch):
    """Splits of each data set share rows; spreads differ from one to the next."""
    monkeypatch.setattr(module, "WARM_UP", 50)  # a hundred chains side by side
    ratio = 1 / 9
    rho = ratio / (1 + ratio)

    def simulate(rng):
        mu0, mu = 0.01, 0.01 + 0.02 * rng.standard_t(4, size=12)
        spread = rng.uniform(0.01, 0.05, (12, 1))
        errors = np.sqrt(rho) * rng.normal(size=(12, 1)) + np.sqrt(1 - rho) * rng.normal(size=(12, 10))
        result = hierarchical_t(mu[:, None] + spread * errors, ratio=ratio, draws=2000, random_state=rng)
        held = (result.low < mu) & (mu < result.high)
        inside.append(held.mean())
        return mu0, result.centre

    inside = []
    assert_covers(simulate, rounds=250, slack=0.03)
    assert 0.93 < np.mean(inside) < 0.97


def test_uncertain_data_sets_are_drawn_to_the_others():
    D = list(folds([0.02, 0.021, 0.019, 0.02, 0.02], spread=0.004))
    D.append(0.10 + np.random.default_rng(1).normal(0, 0.15, 10))  # far off, but hardly known
    result = hierarchical_t(D, ratio=1 / 9, draws=4000)
    own = D[-1].mean()
    assert result.estimates[-1] - 0.02 < 0.5 * (own - 0.02)
    assert_allclose(result.estimates[:5], [d.mean() for d in D[:5]], atol=0.002)
    assert (result.low < result.estimates).all() and (result.estimates < result.high).all()
    assert result.centre[0] < 0.02 < result.centre[1]


def test_units_and_seeds():
    D = folds([0.03, 0.01, 0.05, 0.02])
    one, two = hierarchical_t(D, rope=0.01, draws=2000), hierarchical_t(100 * D, rope=1.0, draws=2000)
    assert_allclose(one.samples, two.samples, atol=1e-9)
    assert_allclose(100 * one.estimates, two.estimates, rtol=1e-9)
    assert len(one.samples) == 2000
    turned = hierarchical_t(-D, rope=0.01, draws=20_000)
    straight = hierarchical_t(D, rope=0.01, draws=20_000)
    assert_allclose([turned.left, turned.within], [straight.right, straight.within], atol=0.03)


def test_decisions():
    better = hierarchical_t(folds([0.05, 0.06, 0.04, 0.05, 0.05], 0.02), ratio=1 / 9, rope=0.01, draws=4000)
    equal = hierarchical_t(
        folds([0.0, 0.001, -0.001, 0.0, 0.001, 0.0], 0.004), ratio=1 / 9, rope=0.02, draws=4000
    )
    assert better.decision() == "right" and equal.decision() == "equal"
    assert "hierarchical" in str(better)


def test_data_sets_without_spread():
    D = folds([0.03, 0.01, 0.05, 0.02])
    D[1] = 0.01
    result = hierarchical_t(D, draws=1000)
    assert "1 of 4 data sets" in result.why and np.isfinite(result.samples).all()
    with pytest.raises(DataError, match="on no data set"):
        hierarchical_t(np.full((4, 5), 0.1))


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: hierarchical_t(np.zeros((2, 5))), "at least 3 data sets"), (lambda: hierarchical_t(3), "3 data sets"),
     (lambda: hierarchical_t([[1, 2], [1], [1, 2]]), "2 splits"),
     (lambda: hierarchical_t(folds([1, 2, 3]), draws=0), "draws"),
     (lambda: hierarchical_t(folds([1, 2, 3]), ratio=-1), "ratio"),
     (lambda: hierarchical_t(folds([1, 2, 3]), rope=-1), "rope"),
     (lambda: hierarchical_t([[1, 2], [1, np.nan], [1, 2]]), "row 2 ")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
