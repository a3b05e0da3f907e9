"""Seating rows: native code against the posteriors of ``assay.stats``."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chisquare

import assay.mixture._seating as _seating
from assay.errors import ParameterError
from assay.mixture import ChineseRestaurant
from assay.mixture.partitions import tidy_labels
from assay.mixture.seating import Base, Tables
from assay.stats import NormalGamma, NormalInverseWishart, NormalMean

PRIORS = {
    "wishart": NormalInverseWishart([0.5, -0.5], [[2.0, 0.3], [0.3, 1.0]], kappa=0.7, nu=3.5),
    "gamma": [NormalGamma(0.5, 0.7, 1.5, 2.0), NormalGamma(-0.5, 0.7, 1.5, 1.0)],
    "known": [NormalMean(0.5, 4.0, 1.0), NormalMean(-0.5, 9.0, 0.5)],
}


def evidence_by_the_book(prior, rows):
    """The log density of rows that sit together: the product of the predictive densities, one after another."""
    total = 0.0
    for i, row in enumerate(rows):
        if isinstance(prior, NormalInverseWishart):
            belief = prior.update(rows[:i]) if i else prior
            total += float(np.squeeze(belief.density().logpdf(row[None])))
        else:
            for j, part in enumerate(prior):
                belief = part.update(rows[:i, j]) if i else part
                total += float(np.squeeze(belief.density().logpdf(row[j : j + 1])))
    return total


def partitions(n):
    """All partitions of n rows, as labels in order of appearance."""
    for labels in itertools.product(range(n), repeat=n):
        if all(labels[i] <= max(labels[:i], default=-1) + 1 for i in range(n)):
            yield np.array(labels)


@pytest.mark.parametrize("kind", PRIORS)
def test_the_evidence_is_the_product_of_predictive_densities(kind):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(12, 2)), np.arange(12) % 3
    base = Base.of(PRIORS[kind], 2, "test")
    by_hand = sum(evidence_by_the_book(PRIORS[kind], X[labels == k]) for k in range(3))
    assert_allclose(_seating.log_marginal(X, labels, base.native()), by_hand, rtol=1e-10)
    tables = Tables.of(base, X, labels)
    query = rng.normal(size=(4, 2))
    for k in range(4):
        rows = X[labels == k]
        wanted = [evidence_by_the_book(PRIORS[kind], np.vstack([rows, q])) for q in query]
        wanted = np.array(wanted) - evidence_by_the_book(PRIORS[kind], rows)
        assert_allclose(tables.log_densities(query)[:, k], wanted, rtol=1e-9)


@pytest.mark.capability("IML-16-29")
def test_the_assignment_of_a_new_row():
    """Oracle: specification of 16.10: groups {0, .5, -.5} and {5}, noise 1, base N(0, 9), alpha 1, new row 4.5."""
    X, labels = np.array([[0.0], [0.5], [-0.5], [5.0]]), np.array([0, 0, 0, 1])
    tables = Tables.of(Base.of(NormalMean(0.0, 9.0, 1.0), 1, "test"), X, labels)
    joint = np.exp(tables.log_joint(np.array([[4.5]]), 1.0))[0]
    assert_allclose(joint / joint.sum(), [0.00145835, 0.86202829, 0.13651336], atol=5e-9)
    assert_allclose(tables.means[:2, 0], [0, 4.5], atol=1e-12)
    assert_allclose(tables.scales[:2, 0, 0], [1.32142857, 1.9], atol=5e-9)
    counts = np.zeros(3)
    rows, seated = np.vstack([X, [[4.5]]]), np.append(labels, -1)
    for u in (np.arange(400) + 0.5) / 400:  # where each random number leads
        drawn = seated.copy()
        prior = Base.of(NormalMean(0.0, 9.0, 1.0), 1, "test").native()
        _seating.seat(rows, drawn, np.array([4]), np.array([u]), 0.0, prior)
        counts[drawn[4]] += 1
    assert_allclose(counts / 400, joint / joint.sum(), atol=0.0026)


@pytest.mark.parametrize("proposals", [0, 2])
@pytest.mark.parametrize("kind", PRIORS)
def test_draws_follow_the_exact_posterior_of_all_partitions(kind, proposals):
    """Four rows have fifteen partitions; how often each is drawn, against its posterior probability."""
    X = np.array([[0.0, 0.0], [0.7, -1.0], [3.0, -0.5], [3.5, 1.0]])
    base, alpha = Base.of(PRIORS[kind], 2, "test"), 1.3
    prior, restaurant = base.native(), ChineseRestaurant(alpha)
    every = list(partitions(4))
    assert len(every) == 15
    logs = [_seating.log_marginal(X, z, prior) + restaurant.log_probability(np.bincount(z)) for z in every]
    exact = np.exp(logs - np.logaddexp.reduce(logs))
    number = {tuple(z): i for i, z in enumerate(every)}
    rng, labels, counts, sweeps = np.random.default_rng(0), np.zeros(4, dtype=np.int64), np.zeros(15), 3000
    for _ in range(sweeps):
        for _ in range(2):  # draws far enough apart for a chi-squared test
            if not proposals or rng.uniform() < 0.5:
                _seating.seat(X, labels, rng.permutation(4), rng.uniform(size=4), np.log(alpha), prior)
            else:
                _seating.split_merge(
                    X=X,
                    labels=labels,
                    pairs=np.array([rng.choice(4, 2, replace=False) for _ in range(proposals)]),
                    orders=np.array([rng.permutation(4) for _ in range(proposals)]),
                    uniforms=rng.uniform(size=(proposals, 5)),
                    log_alpha=float(np.log(alpha)),
                    prior=prior,
                )
            labels = tidy_labels(labels)
        first = {}
        counts[number[tuple(first.setdefault(k, len(first)) for k in labels)]] += 1
    assert chisquare(counts, sweeps * exact).pvalue > 1e-4


@pytest.mark.parametrize("kind", PRIORS)
def test_leaving_undoes_joining(kind):
    """After many sweeps a table is what its rows make of it: seating by the largest weight is the same from afresh."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2)) + 5 * (np.arange(40) % 2)[:, None]
    prior = Base.of(PRIORS[kind], 2, "test").native()
    labels = np.zeros(40, dtype=np.int64)
    everyone = np.tile(np.arange(40), 20)
    _seating.seat(X, labels, everyone, np.empty(0), 0.0, prior)
    again = tidy_labels(labels)
    _seating.seat(X, again, np.arange(40), np.empty(0), 0.0, prior)
    assert (tidy_labels(again) == tidy_labels(labels)).all()


def test_priors_that_do_not_fit_are_refused():
    for wrong, message in [
        (NormalInverseWishart([0.0], [[1.0]]), "1 columns, X has 2"),
        (NormalInverseWishart.flat(2), "proper"),
        ([NormalGamma()], "a list of 2"),
        ([NormalGamma(), NormalMean(0, 1, 1)], "a list of 2"),
        ([NormalGamma(0, 1), NormalGamma(0, 2)], "share kappa"),
        (NormalGamma.jeffreys(), "proper"),
        (NormalMean(0.0, np.inf, 1.0), "finite variance"),
        ("wishart", "component must be"),
    ]:
        with pytest.raises(ParameterError, match=message):
            Base.of(wrong, 2, "test")


def test_arrays_that_do_not_fit_are_refused():
    prior = Base.of(PRIORS["gamma"], 2, "test").native()
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="numbers of tables"):
        _seating.seat(X, np.array([0, 1, 7]), np.arange(3), np.empty(0), 0.0, prior)
    with pytest.raises(ValueError, match="one random number"):
        _seating.seat(X, np.zeros(3, dtype=np.int64), np.arange(3), np.zeros(2), 0.0, prior)
    with pytest.raises(ValueError, match="column for each"):
        _seating.log_marginal(np.zeros((3, 1)), np.zeros(3, dtype=np.int64), prior)
    for wrong in (
        {"kind": 3},
        {"kappa": 0.0},
        {"nu": 0.0},
        {"scale": -np.ones((1, 2))},
        {"scale": np.ones((2, 2))},
    ):
        good = {"kind": 1, "mean": np.zeros(2), "kappa": 1.0, "nu": 1.0, "scale": np.ones((1, 2))}
        with pytest.raises(ValueError, match="Prior"):
            _seating.Prior(**good | wrong)
