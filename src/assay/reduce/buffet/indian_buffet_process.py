"""The Indian buffet process: a distribution over binary matrices with any number of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.types import RandomState

__all__ = ["IndianBuffetProcess", "left_ordered"]


class IndianBuffetProcess:
    r"""Which dishes do customers take from a buffet without end?

    Customer 1 takes Poisson(:math:`\alpha`) dishes. Customer n takes each dish that :math:`m_j` customers took before
    with probability :math:`m_j / n`, then Poisson(:math:`\alpha / n`) new ones. It is the limit of K independent
    columns whose probabilities are :math:`\mathrm{beta}(\alpha / K, 1)`, so the order of customers does not matter.
    Matrices that differ in the order of their columns alone make up a class, whose probability is

    .. math:: P([Z]) = \frac{\alpha^{K_+}}{\prod_h K_h!}\,e^{-\alpha H_N}
              \prod_k \frac{(N - m_k)!\,(m_k - 1)!}{N!}, \quad (1)

    with :math:`K_h` columns of the pattern h and :math:`H_N = \sum_{i \le N} 1/i`. Every customer expects
    :math:`\alpha` dishes, all together :math:`\alpha H_N`.

    Parameters
    ----------
    alpha : float

    Examples
    --------
    >>> from assay.reduce import IndianBuffetProcess
    >>> buffet = IndianBuffetProcess(2.0)
    >>> round(buffet.expected_dishes(10), 8)
    5.85793651
    >>> buffet.sample(3, random_state=1)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 1, 1, 1]], dtype=uint8)

    See Also
    --------
    IndianBuffetModel, left_ordered

    References
    ----------
    - Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and review. Journal of
      Machine Learning Research 12, 1185-1224.
    """

    def __init__(self, alpha: float = 1.0):
        if isinstance(alpha, bool) or not np.isreal(alpha) or not 0 < alpha < np.inf:
            raise ParameterError("alpha must be a number above 0", who="IndianBuffetProcess", got=alpha)
        self.alpha = float(alpha)

    def __repr__(self) -> str:
        return f"IndianBuffetProcess({self.alpha:g})"

    def sample(self, n: int, random_state: RandomState = None) -> np.ndarray:
        """(n, K) the dishes of n customers, in the order in which they were first taken."""
        random = as_generator(random_state, "IndianBuffetProcess.sample")
        taken: list[int] = []
        rows: list[np.ndarray] = []
        for i in range(1, n + 1):
            old = random.random(len(taken)) * i < np.array(taken)
            fresh = int(random.poisson(self.alpha / i))
            row = np.append(old, np.ones(fresh, bool))
            taken = (np.array([*taken, *[0] * fresh], dtype=int) + row).tolist()
            rows.append(row)
        Z = np.zeros((n, len(taken)), dtype=np.uint8)
        for i, row in enumerate(rows):
            Z[i, : len(row)] = row
        return Z

    def expected_dishes(self, n: int) -> float:
        """The expected number of dishes that n customers take together."""
        return self.alpha * harmonic(n)

    def log_probability(self, Z: ArrayLike) -> float:
        """log of (1), the probability of the class of Z; columns of zeros are dishes that nobody took."""
        columns = _binary(Z)
        n = len(columns)
        columns = columns[:, columns.any(axis=0)]
        m = columns.sum(axis=0, dtype=np.int64)
        _, same = np.unique(columns, axis=1, return_counts=True) if columns.shape[1] else (None, np.zeros(0))
        value = columns.shape[1] * np.log(self.alpha) - gammaln(same + 1).sum() - self.alpha * harmonic(n)
        return float(value + (gammaln(n - m + 1) + gammaln(m) - gammaln(n + 1)).sum())


def left_ordered(Z: ArrayLike) -> np.ndarray:
    """The columns of a binary matrix, those first that the first rows have: the form that stands for its class.

    >>> from assay.reduce import left_ordered
    >>> left_ordered([[0, 1, 0], [1, 0, 1], [1, 1, 0]])
    array([[1, 0, 0],
           [0, 1, 1],
           [1, 1, 0]], dtype=uint8)
    """
    columns = _binary(Z)
    return columns[:, np.lexsort(columns[::-1])[::-1]]


def harmonic(n: int) -> float:
    """1 + 1/2 + ... + 1/n."""
    return float((1.0 / np.arange(1, n + 1)).sum())


def _binary(Z: Any) -> np.ndarray:
    values = np.asarray(Z)
    if values.ndim != 2 or not np.isin(values, (0, 1)).all():
        raise DataError("a matrix of zeros and ones was expected.", who="IndianBuffetProcess")
    return values.astype(np.uint8)
