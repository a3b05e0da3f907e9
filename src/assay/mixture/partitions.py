"""Draws of partitions: who sits with whom how often, and one partition that stands for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from assay.errors import DataError, ParameterError

__all__ = ["partition_estimate", "posterior_similarity", "tidy_labels"]

COMPARED = 100  # draws of which each is a candidate, and from which each candidate's distance is averaged


def tidy_labels(labels: np.ndarray) -> np.ndarray:
    """The same groups, numbered from the largest down; among equals, the one that comes first.

    >>> from assay.mixture.partitions import tidy_labels
    >>> tidy_labels([7, 3, 3, 9]).tolist()
    [1, 0, 0, 2]
    """
    _, first, codes, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[codes.ravel()]


def posterior_similarity(label_draws: ArrayLike) -> np.ndarray:
    """(n, n) the share of the draws (S, n) in which two rows are in one group.

    Parameters
    ----------
    label_draws : (S, n) whole numbers
        A partition in each row.

    Examples
    --------
    >>> from assay.mixture import posterior_similarity
    >>> posterior_similarity([[0, 0, 1], [0, 1, 1]])
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])

    See Also
    --------
    partition_estimate, DirichletProcessMixture

    References
    ----------
    - Dahl, D. B. (2006). Model-based clustering for expression data via a Dirichlet process mixture model. In Do,
      Müller, Vannucci (eds.), Bayesian Inference for Gene Expression and Proteomics, 201-218. Cambridge University
      Press. doi:10.1017/CBO9780511584589.011
    """
    draws = _checked(label_draws)
    n = draws.shape[1]
    together = np.zeros((n, n))
    for labels in draws:
        together += labels[:, None] == labels
    return together / len(draws)


def partition_estimate(label_draws: ArrayLike, *, loss: str = "vi") -> np.ndarray:
    r"""(n,) the draw whose expected distance from all draws is least.

    The distance of two partitions with :math:`n_{kl}` rows in group k of one and l of the other is Binder's,
    :math:`\sum_k n_{k\cdot}^2 + \sum_l n_{\cdot l}^2 - 2\sum_{kl} n_{kl}^2` (pairs that are together in one alone), or
    the variation of information, which counts by bits and makes fewer groups of single rows. No n by n matrix is made:
    at most a hundred draws are compared with each other.

    Parameters
    ----------
    label_draws : (S, n) whole numbers
        A partition in each row.
    loss : "vi" or "binder", default "vi"

    Examples
    --------
    >>> from assay.mixture import partition_estimate
    >>> partition_estimate([[0, 0, 1], [5, 5, 1], [0, 1, 1]]).tolist()
    [0, 0, 1]

    See Also
    --------
    posterior_similarity, DirichletProcessMixture

    References
    ----------
    - Binder, D. A. (1978). Bayesian cluster analysis. Biometrika 65(1), 31-38. doi:10.1093/biomet/65.1.31
    - Wade, S. and Ghahramani, Z. (2018). Bayesian cluster analysis: point estimation and credible balls. Bayesian
      Analysis 13(2), 559-626. doi:10.1214/17-BA1073
    """
    if loss not in ("vi", "binder"):
        raise ParameterError(f"loss must be 'vi' or 'binder', got {loss!r}.", who="partition_estimate")
    draws = _checked(label_draws)
    draws = draws[np.unique(np.linspace(0, len(draws) - 1, min(COMPARED, len(draws))).astype(int))]
    codes, times = np.unique([tidy_labels(labels) for labels in draws], axis=0, return_counts=True)
    n = codes.shape[1]

    def mass(counts: np.ndarray) -> float:
        counts = counts.astype(np.float64)
        return float(np.sum(counts**2) if loss == "binder" else np.sum(xlogy(counts, counts / n)))

    masses = np.array([mass(np.bincount(labels)) for labels in codes])
    far = np.zeros((len(codes), len(codes)))
    for s in range(len(codes)):
        width = int(codes[s].max()) + 1
        for t in range(s):
            shared = mass(np.bincount(codes[t] * width + codes[s]))
            far[s, t] = far[t, s] = masses[s] + masses[t] - 2 * shared
    return codes[int(np.argmin(far @ times))]


def _checked(label_draws: ArrayLike) -> np.ndarray:
    draws = np.asarray(label_draws)
    if draws.ndim != 2 or not draws.size or not np.issubdtype(draws.dtype, np.integer):
        raise DataError(f"expected whole numbers (draws, rows), got an array of the shape {draws.shape}.")
    return draws
