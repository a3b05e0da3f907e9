"""Diebold and Mariano's test against its formulas, the paired t test and autocorrelated differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from assay.errors import DataError, ParameterError
from assay.stats import diebold_mariano


def draws(seed, n=200, rho=0.0):
    noise = np.random.default_rng(seed).normal(size=n)
    for t in range(1, n):
        noise[t] += rho * noise[t - 1]
    return noise


def test_one_step_ahead_it_is_the_paired_t_test():
    a, b = draws(0) ** 2, draws(1) ** 2
    found, theirs = diebold_mariano(a, b, horizon=1), stats.ttest_rel(a, b)
    assert_allclose([found.statistic, found.p], [theirs.statistic, theirs.pvalue], rtol=1e-12)
    interval = theirs.confidence_interval()
    assert_allclose([found.low, found.high], [interval.low, interval.high], rtol=1e-12)


@pytest.mark.parametrize("horizon", [2, 3, 5])
def test_several_steps_ahead_by_the_formula(horizon):
    """Harvey, Leybourne and Newbold 1997, (3) and (9), written out term by term."""
    d = draws(3, 60, rho=0.5) + 0.1
    n, mean = len(d), d.mean()
    gamma = [sum((d[t] - mean) * (d[t - k] - mean) for t in range(k, n)) / n for k in range(horizon)]
    plain = mean / np.sqrt((gamma[0] + 2 * sum(gamma[1:])) / n)
    small = np.sqrt((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n)
    found = diebold_mariano(d, np.zeros(n), horizon=horizon)
    assert_allclose(found.statistic, plain * small, rtol=1e-12)
    assert_allclose(found.p, 2 * stats.t.sf(abs(plain * small), n - 1), rtol=1e-12)


def test_without_a_horizon_correlated_losses_reject_as_often_as_they_should():
    rejected = np.mean([diebold_mariano(draws(s, 400, 0.4), np.zeros(400)).rejected for s in range(400)])
    naive = np.mean(
        [diebold_mariano(draws(s, 400, 0.4), np.zeros(400), horizon=1).rejected for s in range(400)]
    )
    assert rejected < 0.11 < naive  # the paired t test takes each time for a new one


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided(alternative):
    a, b = draws(5) ** 2, draws(6) ** 2 + 0.2
    found = diebold_mariano(a, b, horizon=1, alternative=alternative)
    assert_allclose(found.p, stats.ttest_rel(a, b, alternative=alternative).pvalue, rtol=1e-12)


def test_the_other_way_round_signs_change_and_scale_does_not_matter():
    a, b = draws(7, rho=0.3) ** 2, draws(8) ** 2
    there, back = diebold_mariano(a, b), diebold_mariano(b, a)
    assert_allclose([back.statistic, back.p, back.estimate], [-there.statistic, there.p, -there.estimate])
    for scale in (1e-160, 1e160):
        assert_allclose(diebold_mariano(a * scale, b * scale).statistic, there.statistic, rtol=1e-9)


def test_equal_losses_and_losses_that_differ_alike():
    same = diebold_mariano([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (same.p, same.statistic, same.why) == (1.0, 0.0, "The losses are equal at every time.")
    alike = diebold_mariano([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    assert alike.p == 0 and alike.statistic == np.inf and "differ alike" in alike.why


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: diebold_mariano([1.0], [2.0]), DataError, "at least 2"),
        (lambda: diebold_mariano([1.0, 2.0], [2.0]), DataError, r"shapes \(2,\) and \(1,\)"),
        (lambda: diebold_mariano([1.0, np.nan], [2.0, 1.0]), DataError, "finite"),
        (lambda: diebold_mariano([1.0, 2.0], [2.0, 1.0], horizon=2), ParameterError, "from 1 to 1"),
        (lambda: diebold_mariano([1.0, 2.0], [2.0, 1.0], alternative="more"), ParameterError, "alternative"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
