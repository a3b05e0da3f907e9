"""Empirical Bayes: the prior that makes the data of many groups most probable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_points

__all__ = ["EmpiricalBayes", "empirical_bayes"]

LARGEST_LOG = 40.0  # of a hyperparameter, so that no step of the search overflows
FAR_OUT = 3.0  # a step in the log of a hyperparameter after which the evidence must have fallen


@dataclass(frozen=True)
class EmpiricalBayes:
    """Result of `empirical_bayes`.

    Attributes
    ----------
    prior : the conjugate model with the best hyperparameters
    parameters : (h,) those hyperparameters      log_evidence : float, of all groups
    posteriors : the belief about each group, shrunken towards the others
    """

    prior: Any
    parameters: NDArray[np.float64]
    log_evidence: float
    posteriors: tuple[Any, ...]

    @property
    def means(self) -> NDArray[np.float64]:
        """The Bayes estimates of the groups, one row each."""
        return np.array([posterior.mean for posterior in self.posteriors])


def empirical_bayes(
    family: Callable[..., ConjugateModel],
    samples: Sequence[ArrayLike],
    start: ArrayLike,
    *,
    weights: Sequence[ArrayLike] | None = None,
) -> EmpiricalBayes:
    r"""Choose the hyperparameters of a prior by maximum likelihood over groups that share it (level II).

    .. math:: \alpha^* = \arg\max_\alpha \sum_g \log p(x_g|\alpha), \qquad
              p(\theta_g|x_g, \alpha^*)                                                            \quad (1)

    Groups with few data are drawn towards the others, groups with many keep their own estimate. The uncertainty about
    the hyperparameters themselves is left out; with few groups average over it instead (`PriorMixture`).

    Parameters
    ----------
    family : function from h positive hyperparameters to a conjugate model, such as ``lambda a: BetaBernoulli(a, a)``
    samples : the data of each group
    start : (h,) positive numbers to start from
    weights : of each group's data, or None; counts are samples of distinct values with weights

    Examples
    --------
    Four coins with 2, 5, 8 and 3 heads in 10 throws each:

    >>> from assay.stats import BetaBernoulli, empirical_bayes
    >>> heads = [2, 5, 8, 3]
    >>> result = empirical_bayes(lambda a: BetaBernoulli(a, a), [[1, 0]] * 4, [1.0],
    ...                          weights=[[k, 10 - k] for k in heads])
    >>> result.parameters.round(4), result.means.round(4)
    (array([3.5642]), array([0.3249, 0.5   , 0.6751, 0.3832]))

    See Also
    --------
    PriorMixture, BetaBernoulli, GammaPoisson

    References
    ----------
    - Efron, B. and Hastie, T. (2016). Computer Age Statistical Inference. Cambridge University Press.
      doi:10.1017/CBO9781316576533
    """
    who = "empirical_bayes"
    if not callable(family):
        raise ParameterError(
            f"family must be a function of hyperparameters, such as lambda a: BetaBernoulli(a, a), got {family!r}.",
            who=who,
        )
    if not len(samples):
        raise DataError("there is no group to learn a prior from.", who=who)
    if weights is not None and len(weights) != len(samples):
        raise DataError(f"there are {len(samples)} groups and weights of {len(weights)}.", who=who)
    first = np.atleast_1d(as_points(start, who))
    if first.ndim != 1 or not (first > 0).all():
        raise ParameterError(f"start must be numbers above 0, got {first}.", who=who)
    groups = [(x, None if weights is None else weights[g]) for g, x in enumerate(samples)]

    def loss(logs: NDArray[np.float64]) -> float:
        prior = family(*np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG)).tolist())
        return -sum(prior.log_evidence(x, w) for x, w in groups)

    best = minimize(loss, np.log(first), method="BFGS", jac="3-point", options={"gtol": 1e-8})
    directions = np.vstack([np.eye(len(first)), np.ones(len(first))])
    if any(loss(best.x + sign * FAR_OUT * d) <= best.fun + 1e-6 for d in directions for sign in (1, -1)):
        raise DegenerateError(
            f"the evidence has no best point near {np.exp(best.x)}: it is flat or rises without end, as when groups "
            "differ no more than chance makes them. Fix a hyperparameter, or pool the groups.",
            who=who,
        )
    prior = family(*np.exp(best.x).tolist())
    return EmpiricalBayes(
        prior, np.exp(best.x), float(-best.fun), tuple(prior.update(x, w) for x, w in groups)
    )
