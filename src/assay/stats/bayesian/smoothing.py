"""Additive smoothing: relative frequencies that never reach zero."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, DegenerateError, ParameterError


def smoothed_frequencies(
    counts: ArrayLike, alpha: float | Fraction = 1, *, axis: int = -1, exact: bool = False
) -> NDArray[Any]:
    r"""Probabilities of the n values of a variable from their counts.

    As if every value had been seen alpha times more:

    .. math:: \hat p_i = \frac{m_i + \alpha}{m + \alpha n}, \qquad m = \sum_i m_i

    alpha = 0 is maximum likelihood, 1 is Laplace's rule, 1/2 is Krichevsky and
    Trofimov's. It is also the Bayes estimate under a symmetric Dirichlet prior
    with parameter alpha, and the MAP estimate under one with alpha + 1. Give
    a count, 0 if need be, to every value of the domain, seen or not.

    Parameters
    ----------
    counts : array
        Counts (or sums of weights) along `axis`; other axes are separate tables.
    alpha : number, not negative, default 1
    exact : bool, default False
        Compute with, and return, `fractions.Fraction` (in an object array).

    Examples
    --------
    Base colours of six apples: none green, two yellow, four yellow-green.

    >>> print(*smoothed_frequencies([0, 2, 4], exact=True))
    1/9 1/3 5/9
    >>> smoothed_frequencies([[0, 2, 4], [3, 0, 1]], alpha=0)
    array([[0.        , 0.33333333, 0.66666667],
           [0.75      , 0.        , 0.25      ]])

    See Also
    --------
    DirichletCategorical, Categorical

    References
    ----------
    - Cestnik, B. (1990). Estimating probabilities: a crucial task in machine learning. European Conference on
      Artificial Intelligence, 147-149.
    """
    who = "smoothed_frequencies"
    if alpha < 0:
        raise ParameterError(f"alpha must not be negative, got {alpha}.", who=who)
    table: NDArray[Any]
    if exact:
        table = np.vectorize(Fraction, otypes=[object])(counts)
        alpha = Fraction(alpha)
    else:
        table = np.asarray(counts, dtype=float)
        if not np.isfinite(table).all():
            raise DataError("counts must be finite.", who=who)
    if table.ndim == 0 or table.shape[axis] == 0:
        raise DataError(f"expected at least one count along axis {axis}, got shape {table.shape}.", who=who)
    if (table < 0).any():
        raise DataError(f"counts must not be negative, got {table.min()}.", who=who)
    total = table.sum(axis=axis, keepdims=True) + alpha * table.shape[axis]
    if (total == 0).any():
        raise DegenerateError(
            "a table has no counts at all and alpha is 0, so its frequencies are 0/0. Raise alpha above 0.",
            who=who,
        )
    return (table + alpha) / total
