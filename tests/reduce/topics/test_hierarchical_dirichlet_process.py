"""Hierarchical Dirichlet process: the number of topics, and a calibrated posterior."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from tests.calibration import assert_calibrated

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.reduce import HierarchicalDirichletProcess, make_documents
from assay.reduce.topics.hierarchical_dirichlet_process import FranchiseSampler


@pytest.mark.capability("IML-16-31")
@pytest.mark.parametrize("K", [3, 6])
def test_the_number_of_topics_of_a_synthetic_corpus_is_found(K):
    """Topics of separate words, 8 each; a few tokens in topics of their own are part of the posterior."""
    topics = np.kron(np.eye(K), np.full((1, 8), 1 / 8))
    made = make_documents(60, topics=topics, length=40, doc_topic_prior=0.3, random_state=K)
    model = HierarchicalDirichletProcess(n_sweeps=400, n_chains=2, random_state=0).fit(made.counts)
    assert K <= model.n_topics_ == len(model.components_) <= K + 2
    large = np.flatnonzero(model.top_words().shares > 0.02)
    order = large[np.argsort(model.topic_words()[large].argmax(axis=1))]
    assert len(order) == K
    assert_allclose(model.topic_words()[order], topics, atol=0.06)
    shares = made.topic_counts / made.topic_counts.sum(axis=1, keepdims=True)
    assert np.abs(model.transform(made.counts)[:, order] - shares).mean() < 0.03


def franchise(rng, alpha, gamma, beta, words, lengths):
    """Documents of the Chinese restaurant franchise, tokens one after the other; and the topics of their tokens."""
    dishes, counts, X, topics = [], [], np.zeros((len(lengths), words)), []
    for d, length in enumerate(lengths):
        tables, sitting = [], []
        for _ in range(length):
            t = rng.choice(len(tables) + 1, p=np.append(sitting, alpha) / (sum(sitting) + alpha))
            if t == len(tables):
                k = rng.choice(len(dishes) + 1, p=np.append(dishes, gamma) / (sum(dishes) + gamma))
                if k == len(dishes):
                    dishes.append(0)
                    counts.append(np.zeros(words))
                dishes[k] += 1
                tables.append(k)
                sitting.append(0)
            sitting[t] += 1
            k = tables[t]
            w = rng.choice(words, p=(counts[k] + beta) / (counts[k].sum() + words * beta))
            counts[k][w] += 1
            X[d, w] += 1
            topics.append(k)
    return X, np.array(topics)


def same(z):
    """The share of pairs of tokens with the same topic."""
    n = np.bincount(z)
    return (n**2).sum() / len(z) ** 2


@pytest.mark.parametrize("sampled", [False, True], ids=["concentrations known", "concentrations sampled"])
def test_the_posterior_is_calibrated(sampled):
    def simulate(rng):
        alpha, gamma = rng.gamma(1.0, 1.0, 2) + 1e-3 if sampled else (1.5, 1.0)
        X, z = franchise(rng, alpha, gamma, 0.4, 4, [6, 6, 6])
        known = (None, None) if sampled else (alpha, gamma)
        sampler = FranchiseSampler(csr_matrix(X), 0.4, *known, random_state=rng)
        draws = []
        for s in range(20 + 19 * 8):
            sampler.sweep()
            if s >= 20 and (s - 20) % 8 == 7:
                more = [sampler.concentration, sampler.topic_concentration] if sampled else []
                draws.append([sampler.state.K, same(sampler.state.z), *more])
        return [z.max() + 1, same(z), *([alpha, gamma] if sampled else [])], draws

    assert_calibrated(simulate, rounds=100, bins=5)


def test_topics_may_outgrow_the_slots_at_any_token():
    """Every document has a word of its own, and the concentrations are huge: a new topic at nearly every token."""
    X = csr_matrix(np.eye(150) * 2)
    sampler = FranchiseSampler(X, 0.001, 1e4, 1e4, np.random.default_rng(0))
    sampler.sweep()
    state = sampler.state
    assert 100 < state.K < state.slots and state.topic.sum() == 300
    words = state.word_topic.copy()
    state.recount()
    assert_array_equal(words, state.word_topic)
    assert_allclose(state.alpha[: state.K + 1].sum(), 1e4)


def test_it_survives_a_file_and_keeps_draws(tmp_path):
    made = make_documents(20, 3, 20, random_state=0)
    model = HierarchicalDirichletProcess(n_sweeps=20, n_chains=2, random_state=0).fit(made.counts)
    assert model.draws_["n_topics"].shape == (2, 10)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert_array_equal(again.transform(made.counts), model.transform(made.counts))
    assert_allclose(again.weights_.sum(), 1.0, atol=0.5)


def test_documents_without_words_are_refused():
    with pytest.raises(DataError, match="the documents have no words"):
        HierarchicalDirichletProcess().fit(np.zeros((3, 4)))
    with pytest.raises(DataError, match="whole counts"):
        HierarchicalDirichletProcess().fit([[0.5, 1.0]])


def test_few_words_and_one_topic():
    """The weight of topics to come may be too small for a float, and its product with the concentration 0."""
    counts = np.abs(np.random.default_rng(0).normal(size=(30, 3))).round()
    model = HierarchicalDirichletProcess(random_state=0).fit(counts)
    assert np.isfinite(model.draws_["log_joint"]).all()
    sampler = FranchiseSampler(csr_matrix(counts), 0.1, 1e-200, 1e-200, np.random.default_rng(0))
    sampler.sweep()
    assert (sampler.state.alpha[: sampler.state.K + 1] > 0).all() and np.isfinite(sampler.state.log_joint())


def test_a_number_of_tokens_is_said_in_few_digits():
    with pytest.raises(DataError, match=r"the documents have 4e\+150 tokens; .* at most 2,147,483,647"):
        HierarchicalDirichletProcess().fit([[1e150, 3e150]])


@pytest.mark.parametrize("name", ["topic_word_prior", "concentration", "topic_concentration"])
def test_infinite_priors_are_named(name):
    with pytest.raises(ParameterError, match=f"{name} must be"):
        HierarchicalDirichletProcess(**{name: np.inf}).fit(np.eye(4, dtype=int))
