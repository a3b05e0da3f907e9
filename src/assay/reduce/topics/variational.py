"""Variational Bayes of topics: what each document is about, given the topics, and the bound of its log probability."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from assay.core.csr import csr_arrays
from assay.core.parallel import in_threads
from assay.reduce.topics import _documents

__all__ = [
    "Inferred",
    "digamma",
    "dirichlet_expectation",
    "exp_dirichlet_expectation",
    "infer",
    "log_bound",
    "mixtures",
]

LANES = 8  # rows of topics are padded to a multiple
SHIFT = 8.0  # of the digamma's series, as in assay/digamma.hpp
ENTRIES_A_BLOCK = 1 << 15  # nonzero entries of the documents that one thread takes at a time
SMALLEST_PRODUCT = 1e-290  # below it the logarithm of a sum of products is taken term by term


@dataclass(frozen=True)
class Inferred:
    """What documents are about: Dirichlet parameters, and what the topics' update needs.

    Parameters
    ----------
    gamma : (n, K) parameters of each document's Dirichlet distribution
    expected : (n, K) exp E[log theta]
    ratio : (nnz,) count over mixture of each entry, or empty
    rounds : int, updates of gamma, all documents together
    """

    gamma: np.ndarray
    expected: np.ndarray
    ratio: np.ndarray
    rounds: int


def infer(
    X: Any,
    topics: np.ndarray,
    alpha: np.ndarray,
    start: np.ndarray,
    max_iter: int,
    tol: float,
    sums: bool = False,
    n_jobs: int | None = None,
) -> Inferred:
    """Update gamma of each document until it moves by less than ``tol`` on average.

    Parameters
    ----------
    X : CSR matrix of counts (n, M)
    topics : (K, M) exp E[log W], or probabilities
    alpha : (K,) prior of the documents' mixtures
    start : (n, K) gamma to begin with; it is overwritten
    max_iter, tol : limits of the updates
    sums : whether the ratios are needed
    n_jobs : most threads
    """
    counts, nnz = _counts(X), X.nnz
    rows, padded = np.ascontiguousarray(start, dtype=np.float64), _padded(topics)
    expected, ratio = np.empty_like(rows), np.empty(nnz if sums else 0)
    indptr = np.asarray(X.indptr, dtype=np.int64)
    cuts = np.searchsorted(indptr, np.arange(0, nnz, ENTRIES_A_BLOCK)).tolist() if nnz else [0]
    edges = sorted({0, *cuts, len(rows)})

    def work(block: tuple[int, int]) -> int:
        return _documents.documents(
            counts=counts,
            topics=padded,
            alpha=alpha,
            gamma=rows,
            expected=expected,
            ratio=ratio,
            max_iter=max_iter,
            tol=tol,
            first=block[0],
            last=block[1],
        )

    rounds = sum(in_threads(work, list(itertools.pairwise(edges)), n_jobs))
    return Inferred(rows, expected, ratio, rounds)


def word_sums(X: Any, inferred: Inferred, w: np.ndarray | None) -> np.ndarray:
    """(K, M) sums over documents of e_k n_w / mixture; times exp E[log W] they are expected counts of tokens."""
    R = X.copy()
    R.data = inferred.ratio
    expected = inferred.expected if w is None else inferred.expected * w[:, None]
    return np.ascontiguousarray((R.T @ expected).T)


def mixtures(X: Any, topics: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """(nnz,) sum_k shares_dk topics_kw for each entry of X."""
    out = np.empty(X.nnz)
    _documents.mixtures(_counts(X), _padded(topics), np.ascontiguousarray(shares, dtype=np.float64), out)
    return out


def digamma(x: np.ndarray) -> np.ndarray:
    """psi(x) of positive numbers, absolute error below 1e-14 where psi is of the order of 1.

    >>> from assay.reduce.topics.variational import digamma
    >>> float(digamma(np.array([1.0]))[0].round(12))
    -0.577215664902
    """
    return np.log(x + SHIFT) - _tails(x)


def dirichlet_expectation(x: np.ndarray) -> np.ndarray:
    """E[log p] of Dirichlet distributions with the rows of x as parameters."""
    return digamma(x) - digamma(x.sum(axis=1))[:, None]


def exp_dirichlet_expectation(x: np.ndarray) -> np.ndarray:
    """exp E[log p], without the logarithm."""
    powers, sums = (x + SHIFT) * np.exp(-_tails(x)), x.sum(axis=1)
    return powers * (np.exp(_tails(sums)) / (sums + SHIFT))[:, None]


def log_bound(
    X: Any, inferred: Inferred, components: np.ndarray, alpha: np.ndarray, w: np.ndarray | None = None
) -> float:
    """The documents' part of the variational bound: E[log p(words)] + E[log p(theta) - log q(theta)]."""
    log_theta, log_topics = dirichlet_expectation(inferred.gamma), None
    mixture = mixtures(X, exp_dirichlet_expectation(components), inferred.expected)
    with np.errstate(divide="ignore"):
        logs = np.log(mixture)
    tiny = np.flatnonzero(mixture < SMALLEST_PRODUCT)
    if len(tiny):
        log_topics = dirichlet_expectation(components)
        rows = np.searchsorted(X.indptr, tiny, side="right") - 1
        logs[tiny] = logsumexp(log_theta[rows] + log_topics[:, X.indices[tiny]].T, axis=1)
    if w is None:
        return float(X.data @ logs + dirichlet_bound(alpha, inferred.gamma, log_theta).sum())
    words = np.add.reduceat(np.append(X.data * logs, 0.0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    return float(w @ (words + dirichlet_bound(alpha, inferred.gamma, log_theta)))


def dirichlet_bound(prior: np.ndarray, q: np.ndarray, expectation: np.ndarray) -> np.ndarray:
    """(rows,) E_q[log p - log q] of Dirichlet distributions: ``prior`` (m,) against the rows of q (n, m)."""
    value = ((prior - q) * expectation).sum(axis=1) + gammaln(q).sum(axis=1) - gammaln(q.sum(axis=1))
    return value + gammaln(prior.sum()) - gammaln(prior).sum()


def _tails(x: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(x, dtype=np.float64).ravel()
    out = np.empty_like(flat)
    _documents.digamma_tails(flat, out)
    return out.reshape(x.shape)


def _counts(X: Any) -> Any:
    start, word, value = csr_arrays(X, np.float64)
    return _documents.Counts(start=start, word=word, value=value, words=X.shape[1])


def _padded(topics: np.ndarray) -> np.ndarray:
    """(M, padded) rows of words."""
    K, M = topics.shape
    rows = np.zeros((M, -(-K // LANES) * LANES))
    rows[:, :K] = topics.T
    return rows
