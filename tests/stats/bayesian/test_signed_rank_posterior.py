"""The Bayesian signed-rank test: the double sum written out, baycomp's numbers, edges, reproducibility."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.signed_rank_posterior import signed_rank_posterior

Z = np.array([0.021, -0.013, 0.004, 0.032, -0.003, 0.017, 0.001, -0.022, 0.011, 0.026, 0.008, -0.006])


@pytest.mark.parametrize("rope", [0.0, 0.004, 0.01])
def test_thetas_are_the_double_sum(rope):
    """Twin: the same weights, all pairs, half for a pair on the edge (0.021 - 0.013 = 2 * 0.004 is one)."""
    result = signed_rank_posterior(Z, rope=rope, draws=200, random_state=1)
    z = np.append(Z, 0.0)
    order = np.argsort(z, kind="stable")
    strength = np.where(order == len(Z), 0.5, 1.0)
    w = np.random.default_rng(1).standard_gamma(strength, (200, 13))
    w /= w.sum(axis=1, keepdims=True)
    sums = np.round(np.add.outer(z[order], z[order]), 12)
    right = np.heaviside(np.round(sums - 2 * rope, 12), 0.5)
    left = np.heaviside(np.round(-sums - 2 * rope, 12), 0.5)
    expected = np.column_stack([np.einsum("bi,ij,bj->b", w, m, w) for m in (left, 1 - left - right, right)])
    assert_allclose(result.samples, expected, atol=1e-12)
    assert_allclose(result.samples.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("rope", "probabilities"),
    [
        (0.0, (0.08998, 0.0, 0.91002)),
        (0.00425, (0.08196, 0.05818, 0.85986)),
        (0.01025, (0.00102, 0.78216, 0.21682)),
    ],
)
def test_same_as_baycomp(rope, probabilities):
    """Numbers of baycomp 1.0.3, SignedRankTest.probs(zeros, Z, rope, random_state=0), 50,000 draws.

    No pair lies on the edge of these regions: there the peer's floating-point sums decide.
    Both are drawn, so they agree within four standard errors of a difference of shares.
    """
    result = signed_rank_posterior(Z, rope=rope)
    assert_allclose(
        (result.left, result.within, result.right), probabilities, atol=4 * np.sqrt(2 * 0.25 / 50_000)
    )


def test_seeds_repeat_and_turning_turns():
    one, two = (signed_rank_posterior(Z, random_state=7, draws=2000) for _ in range(2))
    assert (one.left, one.within, one.right) == (two.left, two.within, two.right)
    there, back = signed_rank_posterior(Z, rope=0.004), signed_rank_posterior(-Z, rope=0.004)
    assert_allclose((there.left, there.right), (back.right, back.left), atol=0.013)
    pairs = signed_rank_posterior(Z + 0.5, np.full(12, 0.5), random_state=7, draws=2000)
    assert (pairs.left, pairs.right) == (one.left, one.right)


def test_many_data_sets_go_through_in_blocks():
    z = np.random.default_rng(0).normal(0.01, 0.05, 600)
    result = signed_rank_posterior(z, rope=0.0, draws=5000)
    assert result.right > 0.99 and result.samples.shape == (5000, 3)


def test_zeros_and_single_data_sets():
    none = signed_rank_posterior(np.zeros(4), rope=0.01, draws=100)
    assert none.within == 1 and "zero" in none.why
    even = signed_rank_posterior(np.zeros(4), rope=0.0, draws=100)
    assert (even.left, even.within, even.right) == (0.5, 0, 0.5)
    one = signed_rank_posterior([0.1], rope=0.01, draws=4000)
    assert one.left == 0 and 0.5 < one.right < 1
    with pytest.raises(ParameterError, match="samples"):
        one.density(0.0)
    assert np.isnan(one.interval()).all()


def test_a_stronger_prior_pulls_towards_no_difference():
    weak, strong = (signed_rank_posterior(Z, rope=0.008, prior=s, draws=8000) for s in (0.5, 10.0))
    assert strong.within > weak.within


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: signed_rank_posterior([]), "at least 1"), (lambda: signed_rank_posterior(Z, prior=0), "prior"),
     (lambda: signed_rank_posterior(Z, draws=0), "draws"), (lambda: signed_rank_posterior(Z, rope=np.inf), "rope"),
     (lambda: signed_rank_posterior(Z, Z[:3]), "one length")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
