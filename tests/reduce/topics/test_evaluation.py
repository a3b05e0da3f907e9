"""Document completion and coherence of topics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from assay.errors import DataError, ParameterError
from assay.reduce import (
    LatentDirichletAllocation,
    TopWords,
    document_completion,
    make_documents,
    topic_coherence,
)

MADE = make_documents(200, 4, 40, length=60, doc_topic_prior=0.1, topic_word_prior=0.1, random_state=0)


def fitted(K):
    model = LatentDirichletAllocation(K, learning_method="gibbs", n_sweeps=100, n_chains=2, random_state=0)
    return model.fit(MADE.counts[:150])


def test_completion_prefers_the_true_number_of_topics_to_one():
    one, four = (document_completion(fitted(K), MADE.counts[150:]) for K in (1, 4))
    assert four.high < one.low
    assert four.tokens == one.tokens and "held-out tokens" in str(four)
    assert_allclose(four.perplexity, np.exp(-four.log_probability))
    oracle = np.exp(
        -(MADE.counts.toarray() * np.log(MADE.mixtures @ MADE.topics + 1e-300)).sum() / MADE.counts.sum()
    )
    assert four.perplexity > 0.95 * oracle  # no model predicts better than the truth


def test_completion_of_nothing_is_refused():
    model = fitted(2)
    with pytest.raises(DataError, match="too short"):
        document_completion(model, csr_matrix((3, 40)))
    with pytest.raises(ParameterError, match="share"):
        document_completion(model, MADE.counts, share=1.0)


def test_coherence_by_hand():
    """Documents {a, b}, {a, b}, {a}, {c}: D(a) = 3, D(b) = 2, D(a, b) = 2, of 4; c is never with a."""
    X = np.array([[1, 2, 0], [3, 1, 0], [1, 0, 0], [0, 0, 5]])
    topics = TopWords([["a", "b"], ["a", "c"]], np.ones((2, 2)), np.array([[0, 1], [0, 2]]), np.ones(2) / 2)
    assert_allclose(topic_coherence(topics, X, "umass"), np.log([(2 + 1) / 3, (0 + 1) / 3]))
    npmi = np.log(0.5 / (0.75 * 0.5)) / -np.log(0.5)
    assert_allclose(topic_coherence(topics, X), [npmi, -1.0])


def test_true_topics_are_more_coherent_than_words_at_random():
    model = fitted(4)
    places = np.random.default_rng(0).permutation(40).reshape(4, 10)
    random = TopWords([], np.ones((4, 10)), places, np.ones(4) / 4)
    for measure in ("npmi", "umass"):
        assert (
            topic_coherence(model, MADE.counts, measure).mean()
            > topic_coherence(random, MADE.counts, measure).mean()
        )
    with pytest.raises(ParameterError, match='"npmi" or "umass"'):
        topic_coherence(model, MADE.counts, "c_v")
    with pytest.raises(ParameterError, match="at least 2"):
        topic_coherence(model, MADE.counts, n_words=1)
