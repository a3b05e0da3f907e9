"""The native passes against sums over all paths, and against logarithms."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.sequences.chain import Chain, Frames, pad, padded


def by_all_paths(start, A, F):
    """Likelihood, posterior, expected transitions and best path of one sequence, path by path."""
    T, K = F.shape
    total, gamma, xi, best = 0.0, np.zeros((T, K)), np.zeros((K, K)), (-1.0, None)
    for path in itertools.product(range(K), repeat=T):
        p = start[path[0]] * F[0, path[0]]
        for t in range(1, T):
            step = A[t - 1] if A.ndim == 3 else A
            p *= step[path[t - 1], path[t]] * F[t, path[t]]
        total += p
        for t, k in enumerate(path):
            gamma[t, k] += p
        for i, j in itertools.pairwise(path):
            xi[i, j] += p
        if p > best[0] * (1 + 1e-12):
            best = (p, path)
    return total, gamma / total, xi / total, best


def random_chain(K, T, seed, many=False):
    rng = np.random.default_rng(seed)
    A = rng.dirichlet(np.ones(K), size=(T, K) if many else K)
    return rng.dirichlet(np.ones(K)), A, rng.uniform(0.05, 1.0, size=(T, K))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(("K", "T"), [(1, 3), (2, 6), (3, 5), (5, 4)])
def test_passes_equal_sums_over_all_paths(K, T, many):
    start, A, F = random_chain(K, T, K + T, many)
    chain, frames, offsets = Chain(start, A), Frames(K, pad(np.log(F))), np.array([0, T])
    total, gamma, xi, (p, path) = by_all_paths(start, A, F)
    expected = chain.expect(frames, offsets)
    assert_allclose(expected.log_likelihoods, np.log(total), rtol=1e-12)
    assert_allclose(expected.gamma, gamma, atol=1e-12)
    counts = expected.transitions[:-1].sum(axis=0) if many else expected.transitions
    assert_allclose(counts, xi, atol=1e-12)
    assert_allclose(expected.start, gamma[0], atol=1e-12)
    best = chain.best_paths(frames, offsets)
    assert_array_equal(best.states, path)
    assert_allclose(best.log_probabilities, np.log(p), rtol=1e-12)
    assert_allclose(chain.filter(frames, offsets).gamma[-1], gamma[-1], atol=1e-12)


@given(
    lengths=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    K=st.sampled_from([1, 3, 9, 33]),
    seed=st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_many_sequences_are_the_sum_of_each(lengths, K, seed):
    n = sum(lengths)
    start, A, F = random_chain(K, max(n, 1), seed)
    F, offsets = F[:n], np.concatenate([[0], np.cumsum(lengths)])
    weights = np.random.default_rng(seed).uniform(size=len(lengths))
    whole = Chain(start, A).expect(Frames(K, pad(np.log(F))), offsets, weights)
    xi = np.zeros((K, K))
    for s, w in enumerate(weights):
        a, b = offsets[s], offsets[s + 1]
        one = Chain(start, A).expect(Frames(K, pad(np.log(F[a:b]))), np.array([0, b - a]))
        assert_allclose(whole.gamma[a:b], w * one.gamma, atol=1e-12)
        assert_allclose(whole.log_likelihoods[s], one.log_likelihoods[0], atol=1e-10)
        xi += w * one.transitions
    assert_allclose(whole.transitions, xi, atol=1e-12)


def test_a_state_that_scaled_numbers_lose_is_found_by_logarithms():
    """Absorbing states: the first 20 rows favour one by 1e-30 each, the next 30 the other."""
    L = np.zeros((50, 2))
    L[:20, 1] = L[20:, 0] = -30 * np.log(10)
    chain, offsets = Chain(np.array([0.5, 0.5]), np.eye(2)), np.array([0, 50])
    expected = chain.expect(Frames(2, pad(L)), offsets)
    assert_allclose(expected.log_likelihoods, np.logaddexp(-900 * np.log(10), -600 * np.log(10)) - np.log(2))
    assert_allclose(expected.gamma[:, 1], 1.0)
    assert_allclose(expected.transitions, [[0, 0], [0, 49]], atol=1e-12)
    filtered = chain.filter(Frames(2, pad(L)), offsets)
    assert_allclose(filtered.gamma[[10, 49], 0], [1, 0], atol=1e-12)
    several = chain.expect(Frames(2, pad(np.vstack([L[:3], L, L[:2]]))), np.array([0, 3, 53, 55]))
    assert_allclose(several.log_likelihoods[1], expected.log_likelihoods[0])
    assert_allclose(several.gamma[3:53], expected.gamma)
    assert_allclose(several.transitions, [[3, 0], [0, 49]], atol=1e-12)


def test_an_impossible_row_is_named_and_adds_nothing():
    F = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    with np.errstate(divide="ignore"):
        frames = Frames(2, pad(np.log(F)))
    expected = Chain(np.array([0.5, 0.5]), np.full((2, 2), 0.5)).expect(frames, np.array([0, 3]))
    assert expected.impossible == {0: 1} and expected.log_likelihoods[0] == -np.inf
    assert not expected.gamma.any() and not expected.transitions.any()
    assert (
        Chain(np.array([0.5, 0.5]), np.full((2, 2), 0.5))
        .best_paths(frames, np.array([0, 3]))
        .log_probabilities[0]
        == -np.inf
    )


def test_ties_go_to_the_lowest_state():
    frames = Frames(3, pad(np.zeros((20, 3))))
    assert (
        not Chain(np.full(3, 1 / 3), np.full((3, 3), 1 / 3))
        .best_paths(frames, np.array([0, 20]))
        .states.any()
    )


@pytest.mark.parametrize("K", [1, 4, 5, 32, 33, 41])
def test_padding_has_room_for_all_states(K):
    assert padded(K) >= K and (padded(K) in (4, 8, 12, 16, 20, 24, 32) or padded(K) % 8 == 0)
