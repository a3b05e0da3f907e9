"""Documents drawn from the model of latent Dirichlet allocation, with what is true of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.types import RandomState

__all__ = ["SyntheticDocuments", "make_documents"]


class SyntheticDocuments(NamedTuple):
    """Documents and what they were drawn from.

    ``counts`` (n, M) CSR matrix, ``topics`` (K, M), ``mixtures`` (n, K), ``topic_counts`` (n, K) tokens of each
    document in each topic.
    """

    counts: Any
    topics: np.ndarray
    mixtures: np.ndarray
    topic_counts: np.ndarray


def make_documents(
    n_documents: int = 100,
    n_topics: int = 5,
    n_words: int = 100,
    *,
    length: float = 100,
    doc_topic_prior: ArrayLike = 0.1,
    topic_word_prior: ArrayLike = 0.1,
    topics: ArrayLike | None = None,
    random_state: RandomState = None,
) -> SyntheticDocuments:
    """Draw documents: a mixture of topics for each, a topic for each token, a word from the topic.

    Parameters
    ----------
    n_documents, n_topics, n_words : int
        n, K and M.
    length : float, default 100
        Mean of the Poisson distribution of the documents' lengths.
    doc_topic_prior, topic_word_prior : float, or (K,) and (M,)
        Parameters of the Dirichlet distributions of mixtures and topics.
    topics : (K, M) probabilities, default None
        The topics; None draws them.
    random_state : int, RandomState, Generator or None, default None

    Examples
    --------
    >>> from assay.reduce import make_documents
    >>> made = make_documents(50, 3, 20, random_state=0)
    >>> made.counts.shape, made.topics.shape, made.mixtures.shape
    ((50, 20), (3, 20), (50, 3))
    """
    from scipy.sparse import csr_matrix

    random = as_generator(random_state, "make_documents")
    if topics is not None:
        W = np.asarray(topics, dtype=np.float64)
        if W.ndim != 2 or (W < 0).any() or not np.allclose(W.sum(axis=1), 1.0, atol=1e-6):
            raise ParameterError("topics must be rows of probabilities (K, M).", who="make_documents")
        W = W / W.sum(axis=1, keepdims=True)
    else:
        if min(n_topics, n_words) < 1:
            raise ParameterError(
                "n_topics and n_words must be whole numbers from 1 up.", who="make_documents"
            )
        W = random.dirichlet(np.broadcast_to(np.asarray(topic_word_prior, float), n_words), n_topics)
    mixtures = random.dirichlet(np.broadcast_to(np.asarray(doc_topic_prior, float), len(W)), n_documents)
    topic_counts = np.array(
        [random.multinomial(m, p) for m, p in zip(random.poisson(length, n_documents), mixtures)]
    )
    rows = [sum(random.multinomial(m, W[k]) for k, m in enumerate(row)) for row in topic_counts]
    return SyntheticDocuments(csr_matrix(np.array(rows, dtype=np.float64)), W, mixtures, topic_counts)
