"""The topic of each token: counts, conditional and joint probabilities, collapsed Gibbs sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from assay.core.csr import csr_arrays
from assay.errors import ParameterError
from assay.reduce.topics import _gibbs

__all__ = ["TopicAssignments"]

LANES = 16  # slots of topics come in multiples of it
SPARE_SLOTS = 32  # slots for topics to come, while their number grows


class TopicAssignments:
    r"""The state of a collapsed Gibbs sampler: a topic for every token of every document.

    With :math:`n_{dk}` tokens of document d in topic k, :math:`n_{kw}` of word w and :math:`n_k` in all, the mixtures
    and the topics integrated out,

    .. math:: P(z_i = k \mid z_{-i}, w) \propto (n_{dk} + \alpha_k)\,\frac{n_{kw} + \beta}{n_k + M\beta}. \quad (1)

    Words may belong to several vocabularies (languages), each with topics of its own; then :math:`n_k` and M are those
    of the word's vocabulary, and a document has one mixture for all.

    Parameters
    ----------
    X : CSR matrix of whole counts (n, M)
    alpha : (K,) prior of the documents' mixtures
    beta : float or (V,) prior of the topics, of each vocabulary
    view : (M,) the vocabulary of each word, default all the same
    random_state : Generator

    Attributes
    ----------
    z : (T,) topic of each token, -1 before the first sweep; tokens are ordered by document, then by word
    word_topic : (M, slots) counts      topic : (V, slots) counts      K : int

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from assay.reduce.topics.assignments import TopicAssignments
    >>> X = csr_matrix([[2, 1, 0], [0, 1, 2]])
    >>> state = TopicAssignments(X, [0.5, 0.5], 0.1, random_state=np.random.default_rng(0))
    >>> state.place([0, 0, 1, 1, 1, 0])
    >>> state.conditional(2).round(8)
    array([0.24058577, 0.75941423])
    >>> round(state.log_joint(), 8)
    -14.34749862
    """

    def __init__(
        self,
        X: Any,
        alpha: Any,
        beta: Any,
        view: np.ndarray | None = None,
        random_state: Any = None,
        grows: bool = False,
    ):
        start, column, value = csr_arrays(X, np.int64)
        self.view = np.zeros(X.shape[1], dtype=np.int32) if view is None else np.asarray(view, dtype=np.int32)
        self.size = np.bincount(self.view).astype(np.int64)
        self.words = np.repeat(column, value)
        self.starts = np.concatenate([[0], np.cumsum(value)])[start]
        self.corpus = _gibbs.Corpus(word=self.words, start=self.starts, view=self.view, size=self.size)
        self.lengths = np.diff(self.starts)
        self.z = np.full(len(self.words), -1, dtype=np.int32)
        alpha = np.asarray(alpha, dtype=np.float64)
        self.grows = grows  # then the last of alpha is what is left for topics to come
        self.K = len(alpha) - grows
        self.slots = -(-(len(alpha) + SPARE_SLOTS * grows) // LANES) * LANES
        self.alpha = np.zeros(self.slots)
        self.alpha[: len(alpha)] = alpha
        self.beta = np.broadcast_to(np.asarray(beta, dtype=np.float64), len(self.size)).copy()
        self.word_topic = np.zeros((X.shape[1], self.slots), dtype=np.int32)
        self.topic = np.zeros((len(self.size), self.slots), dtype=np.int32)
        generator = np.random.default_rng() if random_state is None else random_state
        self.random = generator.integers(1, 2**63, 4, dtype=np.uint64)

    def place(self, z: Any) -> None:
        """Set the topics of all tokens."""
        topics = np.asarray(z, dtype=np.int32)
        if topics.shape != self.z.shape or (topics.size and not -1 <= topics.min() <= topics.max() < self.K):
            raise ParameterError(
                f"TopicAssignments: z needs a topic from 0 to {self.K - 1}, or -1, for each of {len(self.z)} tokens."
            )
        self.z[:] = topics
        self.recount()

    def recount(self) -> None:
        """Count tokens by word, vocabulary and topic anew."""
        self.word_topic[:] = 0
        self.topic[:] = 0
        _gibbs.count(self.corpus, self.z, self.word_topic, self.topic)

    def sweep(self, sweeps: int = 1, gamma: float = 0.0, tokens: slice | None = None) -> None:
        """Draw the topic of every token given all others, several times over.

        Parameters
        ----------
        sweeps : int
        gamma : float
            Above 0 the number of topics grows: concentration of the weights of topics to come.
        tokens : slice, default None
            Only these.
        """
        first, last, _ = (tokens or slice(None)).indices(len(self.z))
        for _ in range(sweeps if gamma > 0 else 1):
            position = first
            while True:
                if gamma > 0 and self.slots <= self.K + 1:
                    self._widen()
                position, self.K = _gibbs.sweep(
                    corpus=self.corpus,
                    z=self.z,
                    word_topic=self.word_topic,
                    topic=self.topic,
                    alpha=self.alpha,
                    beta=self.beta,
                    K=self.K,
                    gamma=gamma,
                    random=self.random,
                    first=position,
                    last=last,
                    sweeps=1 if gamma > 0 else sweeps,
                )
                if position >= last:
                    break

    def tables(self) -> np.ndarray:
        """(K,) a draw of the numbers of tables that serve each topic, in the Chinese restaurant franchise."""
        opened = np.zeros(self.K, dtype=np.int64)
        _gibbs.tables(self.corpus, self.z, self.alpha[: self.K].copy(), self.random, opened)
        return opened

    def drop_empty(self) -> np.ndarray:
        """Close topics without tokens and number the others anew; gives the old numbers of those that stay."""
        used = np.flatnonzero(self.topic[:, : self.K].sum(axis=0))
        if len(used) < self.K:
            number = np.full(self.K + 1, -1, dtype=np.int32)  # the last one for tokens without a topic
            number[used] = np.arange(len(used))
            self.z[:] = number[self.z]
            ahead = self.alpha[self.K]
            self.alpha[: len(used)], self.alpha[len(used) :] = self.alpha[used], 0.0
            self.alpha[len(used)] = ahead
            self.K = len(used)
            self.recount()
        return used

    def conditional(self, token: int) -> np.ndarray:
        """(K,) the probabilities (1) of one token's topics, given those of all others."""
        w, d = self.words[token], int(np.searchsorted(self.starts, token, side="right")) - 1
        v, K = self.view[w], self.K
        here = np.zeros(K)
        if self.z[token] >= 0:
            here[self.z[token]] = 1.0
        topics = self.z[self.starts[d] : self.starts[d + 1]]
        n_d = np.bincount(topics[topics >= 0], minlength=K) - here
        weights = (
            (n_d + self.alpha[:K])
            * (self.word_topic[w, :K] - here + self.beta[v])
            / (self.topic[v, :K] - here + self.size[v] * self.beta[v])
        )
        return weights / weights.sum()

    def document_topics(self) -> np.ndarray:
        """(n, K) tokens of each document in each topic."""
        n = len(self.lengths)
        documents = np.repeat(np.arange(n), self.lengths)
        placed = self.z >= 0
        counts = np.bincount(documents[placed] * self.K + self.z[placed], minlength=n * self.K)
        return counts.reshape(n, self.K)

    def mixtures(self) -> np.ndarray:
        """(n, K) smoothed mixtures of the documents: E[theta | z]."""
        gamma = self.document_topics() + self.alpha[: self.K]
        return gamma / gamma.sum(axis=1, keepdims=True)

    def topic_words(self) -> np.ndarray:
        """(K, M) smoothed probabilities of words: E[W | z], each vocabulary by itself."""
        counts = self.word_topic[:, : self.K].T + self.beta[self.view]
        totals = self.topic[:, : self.K].T + self.size * self.beta
        return counts / totals[:, self.view]

    def log_joint(self) -> float:
        """log p(w, z), mixtures and topics integrated out."""
        K, counts = self.K, self.document_topics()
        if self.grows:  # topics to come have their share of the prior, and no tokens
            counts = np.pad(counts, ((0, 0), (0, 1)))
        value = float(log_polya(counts, self.alpha[: K + self.grows]).sum())
        for v, size in enumerate(self.size):
            words = self.word_topic[self.view == v, :K]
            used = words[words > 0]
            b = self.beta[v]
            value += float((gammaln(used + b) - gammaln(b)).sum())
            value += float((gammaln(size * b) - gammaln(self.topic[v, :K] + size * b)).sum())
        return value

    def _widen(self) -> None:
        more = max(SPARE_SLOTS, self.slots // 2) // LANES * LANES
        self.slots += more
        self.alpha = np.concatenate([self.alpha, np.zeros(more)])
        self.word_topic = np.pad(self.word_topic, ((0, 0), (0, more)))
        self.topic = np.pad(self.topic, ((0, 0), (0, more)))


def log_polya(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """(rows,) log probability of ordered draws with these counts, their Dirichlet distribution integrated out."""
    total = alpha.sum()
    inside = np.where(counts > 0, gammaln(counts + alpha) - gammaln(alpha), 0.0).sum(axis=1)
    return inside + gammaln(total) - gammaln(counts.sum(axis=1) + total)
