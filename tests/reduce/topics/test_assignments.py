"""Collapsed Gibbs sampling of topics: oracles of the textbook, a twin of the native loop, calibration."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.special import gammaln
from tests.calibration import assert_calibrated

from assay.errors import ParameterError
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.priors import update_asymmetric, update_symmetric

# Oracle: documents (0, 0, 1) and (1, 2, 2), two topics, alpha .5, beta .1, by enumeration of 2^6 assignments.
X = csr_matrix([[2, 1, 0], [0, 1, 2]])
Z = [0, 0, 1, 1, 1, 0]
PAIRS = {(0, 1): 0.95901164, (0, 2): 0.58043183, (0, 3): 0.38553333, (0, 4): 0.14366290, (2, 3): 0.76411315}


def state(seed=0, **settings):
    settings = {"alpha": [0.5, 0.5], "beta": 0.1} | settings
    return TopicAssignments(X, **settings, random_state=np.random.default_rng(seed))


@pytest.mark.capability("IML-16-30")
def test_conditional_and_joint_probabilities_of_the_worked_example():
    topics = state()
    topics.place(Z)
    assert_allclose(topics.conditional(2), [0.24058577, 0.75941423], atol=5e-9)
    assert_allclose(topics.conditional(5), [0.02542373, 0.97457627], atol=5e-9)
    assert_allclose(topics.log_joint(), -14.34749862, atol=5e-9)
    assert_allclose(
        topics.topic_words(),
        [[0.63636364, 0.03030303, 0.33333333], [0.03030303, 0.63636364, 0.33333333]],
        atol=5e-9,
    )
    assert_allclose(topics.mixtures(), [[0.625, 0.375], [0.375, 0.625]])


@pytest.mark.capability("IML-16-30")
def test_the_probability_of_the_words_is_the_sum_over_all_assignments():
    topics, total, together = state(), 0.0, dict.fromkeys(PAIRS, 0.0)
    for z in itertools.product((0, 1), repeat=6):
        topics.place(z)
        p = np.exp(topics.log_joint())
        total += p
        for i, j in PAIRS:
            together[i, j] += p * (z[i] == z[j])
    assert_allclose(total, 0.00014773050, rtol=1e-7)
    assert_allclose([together[pair] / total for pair in PAIRS], list(PAIRS.values()), atol=5e-9)


@pytest.mark.capability("IML-16-30")
def test_a_long_run_has_the_exact_probabilities_of_shared_topics():
    topics, together = state(), np.zeros(len(PAIRS))
    for _ in range(60_000):
        topics.sweep()
        together += [topics.z[i] == topics.z[j] for i, j in PAIRS]
    assert_allclose(together / 60_000, list(PAIRS.values()), atol=0.01)


@pytest.mark.parametrize("token", [2, 5])
@pytest.mark.parametrize("K", [2, 3, 17, 40])
def test_the_native_draw_has_the_conditional_probabilities(K, token):
    """Twin: ``conditional``, in NumPy. Drawing one token again and again draws from its conditional."""
    topics = state(alpha=np.linspace(0.1, 1.0, K), beta=0.2)
    topics.place(np.array(Z) * (K - 1))
    expected, counts, draws = topics.conditional(token), np.zeros(K), 20_000
    for _ in range(draws):
        topics.sweep(tokens=slice(token, token + 1))
        counts[topics.z[token]] += 1
    assert_allclose(topics.conditional(token), expected, rtol=1e-12)
    standard = np.sqrt(draws * expected * (1 - expected)) + 1
    assert (np.abs(counts - draws * expected) < 4.5 * standard).all()


def test_counts_are_those_of_the_topics_after_any_number_of_sweeps():
    rng = np.random.default_rng(0)
    counts = csr_matrix(rng.poisson(0.5, (30, 50)))
    view = (np.arange(50) % 3).astype(np.int32)
    topics = TopicAssignments(counts, np.full(20, 0.1), [0.1, 0.2, 0.3], view, rng)
    topics.sweep(7)
    words, totals = topics.word_topic.copy(), topics.topic.copy()
    topics.recount()
    assert_array_equal(words, topics.word_topic)
    assert_array_equal(totals, topics.topic)
    assert words.sum() == counts.sum() and topics.z.min() >= 0
    assert_allclose(topics.topic_words()[:, view == 1].sum(axis=1), 1.0)


def test_the_joint_probability_of_two_vocabularies_is_that_of_both_topics():
    """By hand: gamma functions of the counts of each vocabulary."""
    topics = state(beta=[0.1, 0.3], view=np.array([0, 1, 1]))
    topics.place(Z)
    value = 2 * (gammaln(1) - gammaln(4)) + 2 * (gammaln(2.5) + gammaln(1.5) - 2 * gammaln(0.5))
    value += gammaln(0.1) - gammaln(2.1) + gammaln(2.1) - gammaln(0.1)  # topic 0, word 0
    value += gammaln(0.6) - gammaln(1.6) + gammaln(1.3) - gammaln(0.3)  # topic 0: word 2 once
    value += (
        gammaln(0.6) - gammaln(3.6) + gammaln(2.3) + gammaln(1.3) - 2 * gammaln(0.3)
    )  # topic 1: words 1, 1, 2
    assert_allclose(topics.log_joint(), value, rtol=1e-12)


def test_the_posterior_is_calibrated():
    """Of numbers that do not depend on labels: how alike two mixtures are, how concentrated the topics."""

    def simulate(rng):
        K, M, alpha, beta = 3, 4, 0.6, 0.5
        W, pi = rng.dirichlet(np.full(M, beta), K), rng.dirichlet(np.full(K, alpha), 2)
        words = np.array([rng.multinomial(8, p @ W) for p in pi])
        topics = TopicAssignments(csr_matrix(words), np.full(K, alpha), beta, random_state=rng)
        topics.sweep(30)
        draws = []
        for _ in range(19):
            topics.sweep(12)
            gamma = topics.document_topics() + alpha
            mixture = np.array([rng.dirichlet(g) for g in gamma])
            drawn = np.array([rng.dirichlet(row) for row in topics.word_topic[:, :K].T + beta])
            draws.append([mixture[0] @ mixture[1], (drawn**2).sum()])
        return [pi[0] @ pi[1], (W**2).sum()], draws

    assert_calibrated(simulate, rounds=300, bins=5)


def test_the_fixed_point_raises_the_probability_of_the_counts_to_its_maximum():
    rng = np.random.default_rng(0)
    alpha = np.array([0.2, 1.0, 3.0])
    counts = np.array([rng.multinomial(60, rng.dirichlet(alpha)) for _ in range(2_000)])
    assert_allclose(update_asymmetric(counts, np.ones(3), 300), alpha, rtol=0.1)
    words = np.array([rng.multinomial(400, rng.dirichlet(np.full(50, 0.3))) for _ in range(200)])
    assert_allclose(update_symmetric(words, 1.0, 300), 0.3, rtol=0.05)


def test_topics_that_are_not_there_are_refused():
    with pytest.raises(ParameterError, match="0 to 1, or -1, for each of 6 tokens"):
        state().place([0, 0, 0, 0, 0, 2])
