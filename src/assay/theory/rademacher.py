"""Rademacher complexity: how well a class can fit random labels of the given points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import as_generator
from assay.errors import DataError
from assay.theory._checks import (
    above_zero,
    as_points,
    counts,
    not_negative,
    one_count,
    plain,
    rate,
    scalar,
    share,
)
from assay.types import RandomState

__all__ = ["Rademacher", "massart", "rademacher", "rademacher_bound", "rademacher_linear"]

EXACT = 14  # points up to which all 2^n signs are tried
_BLOCK = 2**22  # numbers in one block of the simulation


@dataclass(frozen=True)
class Rademacher:
    """An empirical Rademacher complexity.

    Attributes
    ----------
    value : float
    standard_error : float
        Of the simulation; 0 where all signs were tried.
    exact : bool
    """

    value: float
    standard_error: float
    exact: bool


def rademacher(answers: ArrayLike, *, draws: int = 1000, random_state: RandomState = 0) -> Rademacher:
    r"""The empirical Rademacher complexity of finitely many hypotheses on n points.

    .. math:: \hat\Re(H) = E_\sigma \max_{h \in H} \frac1n \sum_i \sigma_i h(x_i), \qquad
              \sigma_i = \pm1 \text{ with probability } \tfrac12 \text{ each}

    It is 1 for a class that shatters the points and near 0 for a class that cannot follow noise. Unlike the VC
    dimension it depends on where the points are.

    Parameters
    ----------
    answers : (H, n) of -1 and +1: the prediction of each hypothesis for each point; or booleans
    draws : int
        Draws of the signs; up to 14 points all signs are tried instead.
    random_state : seed or generator

    Examples
    --------
    Two hypotheses that contradict each other on two points: one of them agrees with two of four signs fully.

    >>> from assay.theory.rademacher import rademacher
    >>> rademacher([[1, 1], [-1, -1]]).value
    0.5

    See Also
    --------
    rademacher_bound, massart

    References
    ----------
    - Bartlett, P. L. and Mendelson, S. (2002). Rademacher and Gaussian complexities: risk bounds and structural
      results. Journal of Machine Learning Research 3, 463-482.
    """
    who = "rademacher"
    A = np.asarray(answers)
    if A.ndim != 2 or not A.size:
        raise DataError(
            f"{who}: answers must have a row per hypothesis and a column per point, got {A.shape}."
        )
    A = np.where(A, 1, -1) if A.dtype.kind == "b" else A
    if A.dtype.kind not in "iuf" or not np.isin(A, (-1, 1)).all():
        raise DataError(f"{who}: answers must be -1 and +1, or booleans.")
    A = np.unique(A.astype(np.float64), axis=0)  # equal answers cannot raise the maximum
    n = A.shape[1]
    if n <= EXACT:
        signs = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        best = _in_blocks(lambda s: (s @ A.T).max(axis=1), 2.0 * signs - 1, len(A))
        return Rademacher(float(best.mean() / n), 0.0, True)
    draws = one_count(draws, who, "draws", 2)
    sigma = 2.0 * as_generator(random_state, who).integers(0, 2, size=(draws, n)) - 1
    best = _in_blocks(lambda s: (s @ A.T).max(axis=1), sigma, len(A)) / n
    return Rademacher(float(best.mean()), float(best.std(ddof=1) / np.sqrt(draws)), False)


def rademacher_linear(
    X: ArrayLike, radius: float = 1.0, *, draws: int = 1000, random_state: RandomState = 0
) -> Rademacher:
    r"""The empirical Rademacher complexity of linear functions :math:`w \cdot x` with :math:`\|w\| \le B`.

    .. math:: \hat\Re = \frac Bn\, E_\sigma \Big\| \sum_i \sigma_i x_i \Big\| \le \frac Bn \sqrt{\sum_i \|x_i\|^2}

    Parameters
    ----------
    X : (n, d)
    radius : B

    Examples
    --------
    >>> from assay.theory import rademacher_linear
    >>> rademacher_linear([[3.0, 4.0]], radius=2).value  # one point: B times its length
    10.0
    """
    who = "rademacher_linear"
    points, B = as_points(X, who), scalar(above_zero(radius, who, "radius"), who, "radius")
    n = len(points)
    if n <= EXACT:
        sigma = 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) - 1
    else:
        sigma = (
            2.0 * as_generator(random_state, who).integers(0, 2, size=(one_count(draws, who, "draws", 2), n))
            - 1
        )
    unit = np.abs(points).max() or 1.0  # so that squares neither overflow nor vanish
    length = B * unit * (np.linalg.norm(sigma @ (points / unit), axis=1) / n)
    error = 0.0 if n <= EXACT else float(length.std(ddof=1) / np.sqrt(len(sigma)))
    return Rademacher(float(length.mean()), error, n <= EXACT)


def massart(size: ArrayLike, n: ArrayLike) -> Any:
    r"""Massart's lemma: :math:`|H|` hypotheses with values -1 or +1 have a Rademacher complexity of at most

    .. math:: \sqrt{\frac{2 \ln |H|}n}

    >>> from assay.theory import massart
    >>> round(massart(1000, 530), 4)
    0.1615

    See Also
    --------
    rademacher, finite_class_bound

    References
    ----------
    - Mohri, M., Rostamizadeh, A. and Talwalkar, A. (2018). Foundations of Machine Learning, second edition. MIT
      Press.
    """
    return plain(np.sqrt(2 * np.log(counts(size, "massart", "size")) / counts(n, "massart", "n")))


def rademacher_bound(risk: ArrayLike, complexity: ArrayLike, n: ArrayLike, delta: ArrayLike = 0.05) -> Any:
    r"""What the risk is at most, with probability 1 - delta, for every hypothesis at once.

    .. math:: R(h) \le \hat R(h) + \hat\Re(H) + 3 \sqrt{\frac{\ln(2/\delta)}{2 n}}

    for the 0/1 loss and hypotheses with values -1 or +1 (Bartlett and Mendelson 2002; the constants are those of Mohri,
    Rostamizadeh and Talwalkar, theorem 3.5). Above 1 it is vacuous.

    Parameters
    ----------
    risk : the empirical risk
    complexity : the empirical Rademacher complexity
    n : rows

    Examples
    --------
    >>> from assay.theory import rademacher_bound
    >>> round(rademacher_bound(0.1, 0.05, 1000), 4)
    0.2788

    See Also
    --------
    rademacher, vc_bound

    References
    ----------
    - Bartlett, P. L. and Mendelson, S. (2002). Rademacher and Gaussian complexities: risk bounds and structural
      results. Journal of Machine Learning Research 3, 463-482.
    - Mohri, M., Rostamizadeh, A. and Talwalkar, A. (2018). Foundations of Machine Learning, second edition. MIT
      Press.
    """
    who = "rademacher_bound"
    risk, n, delta = rate(risk, who, "risk"), counts(n, who, "n"), share(delta, who, "delta")
    return plain(
        risk
        + not_negative(complexity, who, "complexity")
        + 3 * np.sqrt((np.log(2) - np.log(delta)) / (2 * n))
    )


def _in_blocks(of: Any, sigma: np.ndarray, width: int) -> np.ndarray:
    rows = max(1, _BLOCK // width)
    return np.concatenate([of(sigma[i : i + rows]) for i in range(0, len(sigma), rows)])
