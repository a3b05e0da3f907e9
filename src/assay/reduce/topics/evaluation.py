"""How good topics are: words of a document predicted from its other words, and words that go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.reduce.topics.topic_model import TopicModel, TopWords
from assay.reduce.topics.variational import mixtures
from assay.reduce.topics.word_counts import count_words, counts_of, is_documents
from assay.tables import Table
from assay.types import RandomState, TableLike

__all__ = ["Completion", "document_completion", "topic_coherence"]


@dataclass(frozen=True)
class Completion:
    """How well held-out words were predicted.

    Parameters
    ----------
    perplexity : float      low, high : its 95 % interval, over documents
    log_probability : float, mean of a held-out token      tokens : int, how many were held out
    """

    perplexity: float
    low: float
    high: float
    log_probability: float
    tokens: int

    def __str__(self) -> str:
        return (
            f"perplexity {self.perplexity:.4g} (95 % interval {self.low:.4g} to {self.high:.4g}) of "
            f"{self.tokens:,} held-out tokens"
        )


def document_completion(
    model: TopicModel, X: TableLike, share: float = 0.5, random_state: RandomState = 0
) -> Completion:
    """Predict some tokens of each document from its others, the topics fixed.

    The mixture of a document is estimated from ``1 - share`` of its tokens, drawn at random, and the perplexity is that
    of the tokens held out. Unlike the perplexity of whole documents it does not let a model see the words that it is
    judged by, and unlike the variational bound it does not charge the documents for the topics. Compare models on the
    same documents with the same ``random_state``; they should not be those that were fitted.

    Parameters
    ----------
    model : fitted topic model
    X : documents, with whole counts
    share : float, default 0.5
        Share of each document's tokens that are held out.
    random_state : int, RandomState, Generator or None, default 0

    Examples
    --------
    >>> from assay.reduce import LatentDirichletAllocation, document_completion, make_documents
    >>> made = make_documents(120, 3, 30, doc_topic_prior=0.1, topic_word_prior=0.05, random_state=0)
    >>> model = LatentDirichletAllocation(3, learning_method="gibbs", n_sweeps=100, random_state=0)
    >>> model = model.fit(made.counts[:80])
    >>> result = document_completion(model, made.counts[80:])
    >>> bool(result.perplexity < 30)  # guessing each word alike has 30
    True

    References
    ----------
    - Wallach, H. M., Murray, I., Salakhutdinov, R. and Mimno, D. (2009). Evaluation methods for topic models.
      Proceedings of the 26th International Conference on Machine Learning, 1105-1112. doi:10.1145/1553374.1553515
    """
    if not 0 < share < 1:
        raise ParameterError(
            "share must be a number above 0 and below 1", who="document_completion", got=share
        )
    counts = model._counts(model._admit(X), whole=True)
    random = as_generator(random_state, "document_completion")
    observed, held_out = counts.copy(), counts.copy()
    held_out.data = random.binomial(counts.data.astype(np.int64), share).astype(np.float64)
    observed.data = counts.data - held_out.data
    total = held_out.data.sum()
    if total <= 0:
        raise DataError("document_completion: the documents are too short, no token was held out.")
    shares = model._transform(observed)
    logs = held_out.data * np.log(mixtures(held_out, model.topic_words(), shares))
    by_document = np.bincount(
        np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), logs, counts.shape[0]
    )
    lengths = np.asarray(held_out.sum(axis=1)).ravel()
    mean = by_document.sum() / total
    spread = np.sqrt(((by_document - mean * lengths) ** 2).sum()) / total * ndtri(0.975)
    low, middle, high = np.exp(-np.array([mean + spread, mean, mean - spread]))
    return Completion(float(middle), float(low), float(high), float(mean), int(total))


def topic_coherence(
    topics: TopicModel | TopWords, X: TableLike, measure: str = "npmi", n_words: int = 10
) -> np.ndarray:
    r"""How much the most probable words of each topic occur in the same documents.

    With D(a) documents that have the word a, D(a, b) both, of n, the mean over pairs of a topic's words of

    - "umass": :math:`\ln\frac{D(a, b) + 1}{D(b)}`, b the more probable of the two, at most about 0;
    - "npmi": :math:`\ln\frac{p(a, b)}{p(a)\,p(b)} / {-\ln p(a, b)}`, from -1 (never together) to 1 (always).

    Parameters
    ----------
    topics : fitted topic model, or its ``top_words()``
    X : documents with the same columns; the training documents, or better others
    measure : "npmi" or "umass", default "npmi"
    n_words : int, default 10
        Words of each topic; of ``top_words()`` all are taken.

    Returns
    -------
    (K,) array

    Examples
    --------
    >>> from assay.reduce import LatentDirichletAllocation, topic_coherence
    >>> documents = ["fish boat water", "boat water", "vote law", "law vote vote"] * 5
    >>> model = LatentDirichletAllocation(2, learning_method="gibbs", n_sweeps=50, random_state=0).fit(documents)
    >>> topic_coherence(model, documents, n_words=2)
    array([1., 1.])

    References
    ----------
    - Mimno, D., Wallach, H. M., Talley, E., Leenders, M. and McCallum, A. (2011). Optimizing semantic coherence in
      topic models. Proceedings of the 2011 Conference on Empirical Methods in Natural Language Processing, 262-272.
    - Bouma, G. (2009). Normalized (pointwise) mutual information in collocation extraction. Proceedings of GSCL, 31-40.
    """
    if measure not in ("npmi", "umass"):
        raise ParameterError('measure must be "npmi" or "umass"', who="topic_coherence", got=measure)
    places = (topics if isinstance(topics, TopWords) else topics.top_words(n_words)).places
    B = _occurrences(topics, X)
    if places.max(initial=-1) >= B.shape[1]:
        raise DataError("topic_coherence: X has fewer columns than the topics have words.")
    if places.shape[1] < 2:
        raise ParameterError("topic_coherence compares pairs of words; give n_words of at least 2.")
    return np.array([_coherence(B[:, row].toarray(), measure) for row in places])


def _occurrences(topics: Any, X: Any) -> Any:
    """(n, M) CSC matrix of which document has which word."""
    if isinstance(topics, TopicModel):
        B = topics._counts(topics._admit(X))
    else:
        table = count_words(X) if is_documents(X) else Table.of(X, who="topic_coherence")
        B = counts_of(table.values, "topic_coherence", table.schema.names)
    return (B > 0).tocsc().astype(np.float64)


def _coherence(B: np.ndarray, measure: str) -> float:
    """The mean over pairs of columns, the more probable word first."""
    both, n = B.T @ B, len(B)
    b, a = np.triu_indices(B.shape[1], 1)
    alone, together = np.diag(both), both[a, b]
    if measure == "umass":
        return float(np.mean(np.log((together + 1) / np.maximum(alone[b], 1))))
    p, product = together / n, alone[a] * alone[b] / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(p / product) / -np.log(p)
    values = np.where(together == 0, -1.0, np.where(together == n, 1.0, values))
    return float(np.mean(values))
