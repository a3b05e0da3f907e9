"""How good the nearest neighbours can be: their risk with endless data, against the Bayes risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.errors import ParameterError

__all__ = ["RiskBounds", "bayes_risk_bounds", "nearest_neighbor_risk", "nearest_risk_bounds"]


@dataclass(frozen=True)
class RiskBounds:
    """Between which two numbers a risk lies."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g}"


def nearest_neighbor_risk(posterior: ArrayLike, n_neighbors: int = 1) -> float:
    r"""The error of the k nearest neighbours with endless data, where the classes have these probabilities.

    The neighbours are then k draws of the same posterior :math:`p`, and ties are broken evenly:

    .. math:: R_k = \sum_c p_c \Pr(\text{the vote of } k \text{ draws is not } c) \quad (1)

    For two classes and k = 1 this is :math:`2\eta(1-\eta)`, for k = 3 :math:`\eta(1-\eta) + 4\eta^2(1-\eta)^2`; the
    Bayes risk is :math:`1 - \max_c p_c`.

    Parameters
    ----------
    posterior : (K,) probabilities, or one number: the probability of the second of two classes
    n_neighbors : int

    Examples
    --------
    >>> from assay.neighbors.nearest_risk import nearest_neighbor_risk
    >>> [round(nearest_neighbor_risk(0.1, k), 6) for k in (1, 3)]
    [0.18, 0.1224]
    """
    p = np.atleast_1d(np.asarray(posterior, dtype=np.float64))
    p = np.array([1 - p[0], p[0]]) if len(p) == 1 else p
    if p.ndim != 1 or (p < 0).any() or not np.isclose(p.sum(), 1):
        raise ParameterError(
            f"nearest_neighbor_risk: posterior must be probabilities that sum to 1, got {posterior!r}."
        )
    check_count("nearest_neighbor_risk", "n_neighbors", n_neighbors)
    right = 0.0
    for votes, chance in _vote_table(p, int(n_neighbors)):
        winners = votes == votes.max()
        right += chance * float(p[winners].sum() / winners.sum())  # (1)
    return 1.0 - right


def _vote_table(p: np.ndarray, k: int) -> Any:
    """All results of k draws from p, and how probable each is."""
    from scipy.special import gammaln, xlogy

    def parts(total: int, boxes: int) -> Any:
        if boxes == 1:
            yield (total,)
            return
        for first in range(total + 1):
            for others in parts(total - first, boxes - 1):
                yield (first, *others)

    for part in parts(k, len(p)):
        votes = np.array(part)
        yield votes, float(np.exp(gammaln(k + 1) - gammaln(votes + 1).sum() + xlogy(votes, p).sum()))


def nearest_risk_bounds(bayes_risk: float, n_classes: int = 2) -> RiskBounds:
    r"""Between what the risk of the nearest neighbour lies with endless data (Cover and Hart 1967).

    .. math:: R^* \le R \le R^* \left(2 - \frac{K}{K-1} R^*\right) \le 2 R^* \quad (1)

    Examples
    --------
    >>> from assay.neighbors.nearest_risk import nearest_risk_bounds
    >>> print(nearest_risk_bounds(0.1))
    0.1 to 0.18
    """
    most = _most("nearest_risk_bounds", n_classes)
    if not 0 <= bayes_risk <= most * (1 + 1e-12):
        raise ParameterError(
            f"nearest_risk_bounds: the Bayes risk of {n_classes} classes is from 0 to {most:g}, got {bayes_risk!r}."
        )
    return RiskBounds(float(bayes_risk), float(bayes_risk * (2 - bayes_risk / most)))  # (1)


def bayes_risk_bounds(nearest_risk: float, n_classes: int = 2) -> RiskBounds:
    r"""Between what the Bayes risk lies if the nearest neighbour has this risk: (1) of the other function, solved.

    .. math:: m\left(1 - \sqrt{1 - R / m}\right) \le R^* \le R, \quad m = \frac{K-1}{K} \quad (1)

    With the error of a nearest neighbour measured on many rows this says how much better any learner could be.

    Examples
    --------
    >>> from assay.neighbors.nearest_risk import bayes_risk_bounds
    >>> print(bayes_risk_bounds(0.18))
    0.1 to 0.18
    """
    most = _most("bayes_risk_bounds", n_classes)
    if not 0 <= nearest_risk <= 1:
        raise ParameterError(f"bayes_risk_bounds: a risk is from 0 to 1, got {nearest_risk!r}.")
    low = most * (1 - np.sqrt(max(0.0, 1 - nearest_risk / most)))  # (1)
    return RiskBounds(float(low), float(min(nearest_risk, most)))


def _most(who: str, n_classes: int) -> float:
    check_count(who, "n_classes", n_classes, low=2)
    return (n_classes - 1) / n_classes
