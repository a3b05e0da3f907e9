"""The combined 5 x 2 cv F test: do two learners err equally often?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["five_by_two_f"]


def five_by_two_f(differences: ArrayLike) -> tuple[float, float]:
    r"""F and its p-value from five replications of two-fold cross-validation.

    With the difference :math:`p_i^{(j)}` of the error rates on fold j of replication i,

    .. math:: \bar p_i = \tfrac12 (p_i^{(1)} + p_i^{(2)}), \qquad
              s_i^2 = (p_i^{(1)} - \bar p_i)^2 + (p_i^{(2)} - \bar p_i)^2, \qquad
              F = \frac{\sum_i\sum_j (p_i^{(j)})^2}{2 \sum_i s_i^2}                             \quad (1)

    follows, if the learners err equally often, roughly an F distribution with 10 and 5 degrees of freedom.

    Parameters
    ----------
    differences : (5, 2)

    Returns
    -------
    F, p : differences that never vary give inf and 0, or 0 and 1 if they are all zero

    Examples
    --------
    >>> from assay.trees.multivariate.five_by_two import five_by_two_f
    >>> F, p = five_by_two_f([[0.1, 0.3]] * 5)          # sum of squares 0.5, spread 0.1
    >>> round(F, 12), round(p, 4)
    (2.5, 0.1618)
    """
    p = np.asarray(differences, np.float64)
    spread = np.sum((p - p.mean(axis=1, keepdims=True)) ** 2)
    if spread <= 1e-30:
        return (np.inf, 0.0) if p.any() else (0.0, 1.0)
    from scipy.special import fdtrc

    F = float(np.sum(p**2) / (2 * spread))  # (1)
    return F, float(fdtrc(10, 5, F))
