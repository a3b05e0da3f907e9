"""Mean-field variational inference by coordinate ascent, with a bound that never falls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma, gammaln

from assay.core.targets import check_weights
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.stats.bayesian.normal_gamma import NormalGamma
from assay.stats.checks import as_sample, is_number, is_whole
from assay.stats.distributions.gamma import Gamma
from assay.stats.distributions.gaussian import LOG_2PI, Gaussian

__all__ = ["MeanField", "mean_field", "mean_field_normal_gamma"]

Factors = dict[str, Any]
ROUNDING = 1e-9  # fall of the bound, relative to its size, that rounding explains


@dataclass(frozen=True)
class MeanField:
    """Result of `mean_field`.

    Attributes
    ----------
    factors : dict of the independent parts of the approximate posterior
    bound : the lower bound of the log evidence      history : the bound after each round
    n_iter : rounds      converged : whether the last round gained less than the tolerance
    """

    factors: Factors
    bound: float
    history: list[float] = field(repr=False)
    n_iter: int
    converged: bool

    def __getitem__(self, name: str) -> Any:
        return self.factors[name]


def mean_field(
    factors: Mapping[str, Any],
    updates: Mapping[str, Callable[[Factors], Any]],
    bound: Callable[[Factors], float],
    *,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> MeanField:
    r"""Approximate a posterior by independent factors, each updated in turn while the others are held.

    Of all :math:`q(z) = \prod_i q_i(z_i)` the one nearest to the posterior in :math:`D(q\|p)` satisfies

    .. math:: \log q_i^*(z_i) = E_{j\ne i}[\log p(x, z)] + c                                        \quad (1)

    and taking these steps in turn raises a lower bound of the log evidence,

    .. math:: \mathcal L(q) = E_q[\log p(x, z)] - E_q[\log q(z)] = \log p(x) - D(q\|p) \le \log p(x)   \quad (2)

    which is checked after every step: an update that lowers it is wrong, and an error says which one. Mean field
    understates the spread of what is correlated in the posterior.

    Parameters
    ----------
    factors : dict from names to the distributions to start from
    updates : dict from the same names to functions of all factors that give the new one, (1)
    bound : function of all factors, (2), up to a constant
    tol : gain of a round, relative to 1 + the size of the bound, below which it has converged
    max_iter : rounds

    Examples
    --------
    Two correlated normal numbers, each explained by a factor of its own: the means are right, the variances too small.

    >>> from assay.stats import Gaussian, mean_field
    >>> A, m = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0])      # precision and mean
    >>> def new(i):
    ...     j = 1 - i
    ...     return lambda q: Gaussian(m[i] - A[i, j] / A[i, i] * (q[str(j)].mean - m[j]), 1 / A[i, i])
    >>> def bound(q):
    ...     gap = np.array([q["0"].mean, q["1"].mean]) - m
    ...     spread = A[0, 0] * q["0"].var + A[1, 1] * q["1"].var
    ...     return -0.5 * (gap @ A @ gap + spread) + 0.5 * np.log(q["0"].var * q["1"].var)
    >>> result = mean_field({"0": Gaussian(), "1": Gaussian()}, {"0": new(0), "1": new(1)}, bound)
    >>> round(result["0"].mean, 4), result["0"].var, bool(np.diff(result.history).min() >= 0)
    (1.0, 0.5, True)

    See Also
    --------
    mean_field_normal_gamma, kl_divergence, laplace_approximation

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    - Blei, D. M., Kucukelbir, A. and McAuliffe, J. D. (2017). Variational inference: a review for statisticians.
      Journal of the American Statistical Association 112(518), 859-877. doi:10.1080/01621459.2017.1285773
    """
    who = "mean_field"
    if not isinstance(factors, Mapping) or not isinstance(updates, Mapping) or not callable(bound):
        raise ParameterError(
            "factors and updates must be dicts, and bound a function of all factors.", who=who
        )
    if not factors or set(factors) != set(updates):
        raise ParameterError(
            f"factors and updates must have the same names, got {sorted(factors)} and {sorted(updates)}.",
            who=who,
        )
    if not is_number(tol) or tol < 0 or not is_whole(max_iter, 1):
        raise ParameterError(
            f"tol must be from 0 and max_iter from 1, got {tol!r} and {max_iter!r}.", who=who
        )
    current = dict(factors)
    value = _bound_of(bound, current, "start", who)
    history: list[float] = []
    for _ in range(max_iter):
        before = value
        for name, update in updates.items():
            current[name] = update(dict(current))
            raised = _bound_of(bound, current, f"the update of {name!r}", who)
            if raised < value - ROUNDING * (1 + abs(value)):
                raise DegenerateError(
                    f"the update of {name!r} lowered the bound from {value:.10g} to {raised:.10g}, which a right one "
                    "never does. Check it, and the bound, against (1) and (2).",
                    who=who,
                )
            value = max(raised, value)
        history.append(value)
        if value - before <= tol * (1 + abs(value)) and len(history) > 1:
            return MeanField(current, value, history, len(history), True)
    from sklearn.exceptions import ConvergenceWarning

    warn_user(
        f"mean_field: after {max_iter} rounds the bound still rose by {value - before:.3g}. Raise max_iter or tol.",
        ConvergenceWarning,
    )
    return MeanField(current, value, history, max_iter, False)


def mean_field_normal_gamma(
    prior: NormalGamma, x: ArrayLike, weights: ArrayLike | None = None, *, tol: float = 1e-15
) -> MeanField:
    r"""Mean and precision of a Gaussian as if they were independent: the case whose exact answer is known.

    .. math:: q(\mu) = N\left(m', \frac1{\kappa' E[\lambda]}\right), \qquad
              q(\lambda) = \mathrm{gamma}\left(a + \tfrac{N+1}2,\
              b + \tfrac12E\left[\kappa(\mu-m)^2 + \textstyle\sum_t(x^t-\mu)^2\right]\right)          \quad (1)

    Parameters
    ----------
    prior : NormalGamma with an uncertain mean      x, weights : the data

    Examples
    --------
    >>> from assay.stats import NormalGamma, mean_field_normal_gamma
    >>> prior = NormalGamma(mean=4, kappa=1, a=2, b=4)
    >>> result = mean_field_normal_gamma(prior, [4, 5, 6, 7, 8])
    >>> result["mean"], result["precision"]
    (Gaussian(mean=5.66667, var=0.395062, unbiased=False, floor=0), Gamma(a=5, b=11.8519))
    >>> result.bound < prior.log_evidence([4, 5, 6, 7, 8])
    True

    See Also
    --------
    mean_field, NormalGamma

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """
    who = "mean_field_normal_gamma"
    if not prior.proper or np.isinf(prior.kappa):
        raise ParameterError(f"the prior must be proper, with an uncertain mean, got {prior!r}.", who=who)
    x = as_sample(x, who)
    w = check_weights(weights, len(x), who, "weights")
    exact = prior.update(x, w)
    N = 2 * (exact.a - prior.a)

    def squares(q: Factors) -> float:
        """E[κ(μ - m)² + Σ(x - μ)²] under q(μ); what does not depend on μ is twice the growth of b."""
        return 2 * (exact.b - prior.b) + exact.kappa * ((q["mean"].mean - exact.mean) ** 2 + q["mean"].var)

    def bound(q: Factors) -> float:
        a, b = q["precision"].a, q["precision"].b
        log_precision, precision = float(digamma(a) - np.log(b)), a / b
        joint = 0.5 * ((N + 1) * (log_precision - LOG_2PI) + np.log(prior.kappa) - precision * squares(q)) + (
            prior.a * np.log(prior.b) - gammaln(prior.a) + (prior.a - 1) * log_precision - prior.b * precision
        )
        entropy = 0.5 * (1 + LOG_2PI + np.log(q["mean"].var))
        return float(joint + entropy + a - np.log(b) + gammaln(a) + (1 - a) * digamma(a))

    updates = {
        "mean": lambda q: Gaussian(exact.mean, 1 / (exact.kappa * q["precision"].mean)),
        "precision": lambda q: Gamma(prior.a + (N + 1) / 2, prior.b + 0.5 * squares(q)),  # (1)
    }
    start = {"mean": Gaussian(exact.mean, 1 / exact.kappa), "precision": Gamma(prior.a, prior.b)}
    return mean_field(start, updates, bound, tol=tol)


def _bound_of(bound: Callable[[Factors], float], factors: Factors, where: str, who: str) -> float:
    value = float(bound(dict(factors)))
    if not np.isfinite(value):
        raise DegenerateError(f"the bound is {value} after {where}; it must be a finite number.", who=who)
    return value
