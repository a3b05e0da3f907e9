"""Entropy, Gini impurity, cross-entropy, divergence and mutual information.

Logarithms are natural unless `base` says otherwise; trees and books on them
count in bits (base=2). Everything works on counts, weights or probabilities:
what is given is divided by its sum. Rows are handled together: the last axis
is one distribution, all other axes are a batch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, rel_entr, xlogy

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.stats.checks import one_of


def entropy(counts: ArrayLike, *, base: float = math.e) -> NDArray[np.float64]:
    r"""Entropy of each row: the uncertainty of a draw from it.

    .. math:: H = -\sum_k p_k \log p_k, \qquad 0 \log 0 = 0, \qquad 0 \le H \le \log K

    0 for a pure row, log K for K equally likely values, both exactly. A row of
    zeros (an empty node) holds no uncertainty: 0.

    Examples
    --------
    Six apples of one kind and four of another; ten of one kind:

    >>> entropy([[6, 4], [10, 0]], base=2).round(5)
    array([0.97095, 0.     ])

    See Also
    --------
    gini, mutual_information, cross_entropy

    References
    ----------
    - Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical Journal 27, 379-423 and
      623-656.
    """
    p = _shares(counts, "entropy")
    H = _sum(entr(p)) / _log(base, "entropy")
    return np.clip(H, 0.0, max_entropy(p.shape[-1], base=base))


def max_entropy(K: int, *, base: float = math.e) -> float:
    """Largest entropy that K values can have, log K.

    >>> max_entropy(8, base=2)
    3.0
    """
    return 0.0 if K == 1 else float(np.log2(K) if base == 2 else np.log(K) / _log(base, "max_entropy"))


def gini(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Gini impurity of each row: the chance that two draws from it differ.

    .. math:: G = 1 - \sum_k p_k^2, \qquad 0 \le G \le 1 - 1/K

    A row of zeros (an empty node) is pure: 0.

    >>> gini([[6, 4], [10, 0], [0, 0]]).round(12)
    array([0.48, 0.  , 0.  ])

    See Also
    --------
    entropy, max_gini

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """
    c, total = _counts(counts, "gini")
    others = (total[..., None] - c) / total[..., None]  # 1 - p, without its rounding near a pure row
    G = _sum(c * others) / total
    return np.clip(G, 0.0, max_gini(c.shape[-1]))


def max_gini(K: int) -> float:
    """Largest Gini impurity that K values can have, (K - 1)/K.

    >>> max_gini(4)
    0.75
    """
    return (K - 1) / K


def cross_entropy(q: ArrayLike, p: ArrayLike, *, base: float = math.e) -> NDArray[np.float64]:
    r"""Cross-entropy of p relative to q, row by row: the price of believing p when q is true.

    .. math:: H(q, p) = -\sum_k q_k \log p_k = H(q) + D(q\,\|\,p)

    Not symmetric. Infinite where p denies what q allows. With q an indicator
    row (the class of one sample) it is the loss of that sample; the sum over
    rows is the negative log likelihood.

    >>> cross_entropy([[0.5, 0.5], [0.9, 0.1]], [[0.9, 0.1], [0.5, 0.5]]).round(7)
    array([1.2039728, 0.6931472])

    See Also
    --------
    entropy, kl_divergence, label_cross_entropy

    References
    ----------
    - Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical Journal 27, 379-423 and
      623-656.
    """
    q, p = _same_length(_shares(q, "cross_entropy"), _shares(p, "cross_entropy", empty=False))
    return np.maximum(-xlogy(q, p).sum(axis=-1) / _log(base, "cross_entropy"), 0.0)


def label_cross_entropy(
    y: ArrayLike,
    posterior: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    reduce: str = "none",
    base: float = math.e,
) -> NDArray[np.float64] | float:
    r"""Cross-entropy of class codes y, (n,), and predicted probabilities, (n, K).

    .. math:: L_i = -\log P(y_i|x_i)

    `reduce` is "none" (one loss per row, times its weight), "sum" (the total,
    minus the log likelihood) or "mean" (per unit of weight).

    >>> label_cross_entropy([0, 1], [[0.5, 0.5], [0.75, 0.25]], base=2)
    array([1., 2.])
    >>> label_cross_entropy([0, 1], [[0.5, 0.5], [0.75, 0.25]], reduce="sum", base=2)
    3.0
    """
    who = "label_cross_entropy"
    one_of(reduce, ("none", "sum", "mean"), who, "reduce")
    P = _shares(posterior, who, empty=False)
    codes = np.asarray(y)
    if P.ndim != 2 or codes.shape != P.shape[:1] or codes.dtype.kind not in "iub":
        raise DataError(
            f"expected n integer codes and (n, K) probabilities, got {codes.shape}, {P.shape}.", who=who
        )
    if len(codes) and not (codes.min() >= 0 and codes.max() < P.shape[1]):
        raise DataError(f"codes must be 0 to {P.shape[1] - 1}, got {codes.min()} to {codes.max()}.", who=who)
    with np.errstate(divide="ignore"):
        loss = -np.log(P[np.arange(len(codes)), codes.astype(np.intp)]) / _log(base, who) + 0.0
    w = check_weights(weights, len(codes), who, "weights")
    total = float(len(codes)) if w is None else float(w.sum())
    if w is not None:
        loss = np.where(w > 0, w, 0) * np.where(w > 0, loss, 0)
    if reduce == "none":
        return loss
    return float(loss.sum()) if reduce == "sum" else float(loss.sum() / total)


def kl_divergence(q: ArrayLike, p: ArrayLike, *, base: float = math.e) -> Any:
    r"""Kullback-Leibler divergence of p from q: of rows of counts, of two distributions, or of two beliefs.

    .. math:: D(q\,\|\,p) = \sum_k q_k \log\frac{q_k}{p_k} \ge 0 \qquad\text{or}\qquad
              \int q(x)\log\frac{q(x)}{p(x)}\,dx \ge 0

    0 only where q = p; infinite where p denies what q allows. Not symmetric: a q that fits p under D(q || p) keeps to
    one mode of it, under D(p || q) it covers all of them.

    Parameters
    ----------
    q, p : counts, weights or probabilities, (..., K); or two distributions (`Gaussian`, `Gamma`, `Categorical` ...); or
        two conjugate models, whose beliefs about the parameters are compared
    base : of the logarithm

    Examples
    --------
    >>> from assay.stats import Gamma, Gaussian, kl_divergence
    >>> float(kl_divergence([1, 0], [1, 3], base=2))
    2.0
    >>> kl_divergence(Gaussian(1, 1), Gaussian(0, 1)), round(kl_divergence(Gamma(2, 1), Gamma(1, 1)), 6)
    (0.5, 0.422784)

    See Also
    --------
    cross_entropy, mutual_information, mean_field

    References
    ----------
    - Kullback, S. and Leibler, R. A. (1951). On information and sufficiency. Annals of Mathematical Statistics
      22(1), 79-86. doi:10.1214/aoms/1177729694
    """
    if hasattr(q, "logpdf") or hasattr(p, "logpdf"):
        from assay.stats.information.divergence import divergence

        return divergence(q, p) / _log(base, "kl_divergence")
    q, p = _same_length(_shares(q, "kl_divergence"), _shares(p, "kl_divergence", empty=False))
    return np.maximum(rel_entr(q, p).sum(axis=-1) / _log(base, "kl_divergence"), 0.0)


def mutual_information(table: ArrayLike, *, base: float = math.e) -> NDArray[np.float64]:
    r"""Mutual information of rows and columns of a table of counts, (..., R, C).

    .. math:: I = \sum_{rc} p_{rc} \log\frac{p_{rc}}{p_r p_c} = H(R) + H(C) - H(R, C)

    From 0 (independent) to the smaller of the two entropies. It is the
    information gain of a split whose parts are the rows.

    >>> float(mutual_information([[5, 0], [0, 5]], base=2))
    1.0

    See Also
    --------
    entropy, kl_divergence

    References
    ----------
    - Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical Journal 27, 379-423 and
      623-656.
    """
    counts = np.asarray(table, dtype=float)
    if counts.ndim < 2:
        raise DataError(
            f"mutual_information: expected a table of rows and columns, got shape {counts.shape}."
        )
    p = _shares(counts.reshape(*counts.shape[:-2], -1), "mutual_information").reshape(counts.shape)
    rows, columns = p.sum(axis=-1), p.sum(axis=-2)
    independent = rows[..., :, None] * columns[..., None, :]
    terms = rel_entr(p, independent).sum(axis=(-2, -1)) / _log(base, "mutual_information")
    return np.clip(terms, 0.0, np.minimum(entropy(rows, base=base), entropy(columns, base=base)))


def _counts(
    counts: ArrayLike, who: str, empty: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The counts, and the sum of each row (1 for a row of zeros)."""
    c = np.asarray(counts, dtype=float)
    if c.ndim == 0 or c.shape[-1] == 0:
        raise DataError(f"expected at least one count per row, got shape {c.shape}.", who=who)
    total = _sum(c)
    if c.size and not (c.min() >= 0 and np.isfinite(total).all()):
        raise DataError("counts must be finite and not negative.", who=who)
    if not empty and (total == 0).any():
        raise DataError("a row of zeros is no distribution.", who=who)
    return c, np.where(total > 0, total, 1.0)


def _shares(counts: ArrayLike, who: str, empty: bool = True) -> NDArray[np.float64]:
    c, total = _counts(counts, who, empty)
    return c / total[..., None]


def _sum(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the last axis; four times as fast as ndarray.sum where rows are short."""
    return np.einsum("...k->...", rows)


def _same_length(
    q: NDArray[np.float64], p: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if q.shape[-1] != p.shape[-1]:
        raise DataError(
            f"The two distributions have {q.shape[-1]} and {p.shape[-1]} values, expected equally many."
        )
    return q, p


def _log(base: float, who: str) -> float:
    if not base > 1:
        raise ParameterError(f"base must be above 1, got {base}.", who=who)
    return float(np.log(base))
