"""What another policy would have earned, from a log of decisions of one that was in use."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from assay.errors import DataError, DegenerateError, ParameterError
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number

__all__ = ["OffPolicyValue", "off_policy_value"]

METHODS = ("doubly robust", "inverse propensity", "self-normalised", "direct")


@dataclass(frozen=True)
class OffPolicyValue:
    """What a policy is worth, judged by the decisions of another.

    Attributes
    ----------
    method : how it was estimated      estimate : mean reward of a decision      standard_error : float
    interval : (low, high)      level : of the interval
    effective_rows : rows that the weights leave, in effect      largest_weight : float
    terms : (n,) what each row of the log adds; their mean is the estimate
    """

    method: str
    estimate: float
    standard_error: float
    interval: tuple[float, float]
    level: float
    effective_rows: float
    largest_weight: float
    terms: np.ndarray = field(repr=False, compare=False)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.method}: {self.estimate:.4f}, {self.level:.0%} interval {low:.4f} to {high:.4f} "
            f"(weights leave {self.effective_rows:.0f} rows in effect, the largest is {self.largest_weight:.3g})"
        )


def off_policy_value(
    action: ArrayLike,
    reward: ArrayLike,
    propensity: ArrayLike,
    policy: ArrayLike,
    *,
    predicted: ArrayLike | None = None,
    method: str | None = None,
    level: float = 0.95,
) -> OffPolicyValue:
    r"""The mean reward of a policy that was never used, from a log of one that was.

    .. math:: \frac1n\sum_i\Big[\sum_a \pi(a|x_i)\,\hat q(x_i, a)
              + \frac{\pi(a_i|x_i)}{p_i}\,(r_i - \hat q(x_i, a_i))\Big]                                 \quad (1)

    is right if either the propensities :math:`p_i` or the predictions :math:`\hat q` are ("doubly robust"). Without
    predictions it is "inverse propensity"; "self-normalised" divides by the mean weight; "direct" takes the predictions
    alone. Intervals are normal, by the variance of the terms (of the linearised ratio, if self-normalised); where all
    rewards that count are equal, by that of all rewards and the rows in effect.

    Parameters
    ----------
    action : (n,) numbers of the actions that were taken
    reward : (n,) what they earned
    propensity : (n,) the probability with which the policy in use took them, above 0
    policy : (n, K) probabilities of the policy in question, or (n,) the action it would take
    predicted : (n, K) rewards as a model predicts them, default None
        From rows other than these, or out of folds: a model that saw the row is too sure of it.
    method : "doubly robust", "inverse propensity", "self-normalised", "direct"; default None
        None is the first of them that is possible.
    level : float, default 0.95

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reinforcement import off_policy_value
    >>> rng = np.random.default_rng(0)
    >>> action = rng.integers(0, 2, 4000)                                  # both alike
    >>> reward = (rng.random(4000) < np.where(action == 1, 0.7, 0.4)).astype(float)
    >>> result = off_policy_value(action, reward, np.full(4000, 0.5), np.ones(4000, dtype=int))
    >>> result.method, bool(result.interval[0] < 0.7 < result.interval[1])
    ('inverse propensity', True)

    See Also
    --------
    LinUCB

    References
    ----------
    - Horvitz, D. G. and Thompson, D. J. (1952). A generalization of sampling without replacement from a finite
      universe. Journal of the American Statistical Association 47, 663-685.
    - Dudik, M., Langford, J. and Li, L. (2011). Doubly robust policy evaluation and learning. International Conference
      on Machine Learning, 1097-1104.
    - Swaminathan, A. and Joachims, T. (2015). The self-normalized estimator for counterfactual learning. Advances in
      Neural Information Processing Systems 28.
    """
    a, r, p, chances = _log(action, reward, propensity, policy)
    if method is None:
        method = "inverse propensity" if predicted is None else "doubly robust"
    if method not in METHODS:
        raise ParameterError(f"off_policy_value: method must be one of {', '.join(METHODS)}, got {method!r}.")
    if not (is_number(level) and 0 < level < 1):
        raise ParameterError(f"off_policy_value: level must be between 0 and 1, got {level!r}.")
    rows = np.arange(len(a))
    weight = chances[rows, a] / p
    if method in ("doubly robust", "direct"):
        q = _predictions(predicted, chances.shape, method)
        expected = (chances * q).sum(axis=1)
        terms = expected + (weight * (r - q[rows, a]) if method == "doubly robust" else 0.0)
    elif not weight.sum() > 0:
        raise DegenerateError(
            "off_policy_value: the policy would never do what was done, so the log says nothing of it."
        )
    elif method == "inverse propensity":
        terms = weight * r
    else:
        ratio = (weight * r).sum() / weight.sum()
        terms = ratio + weight * (r - ratio) / weight.mean()
    estimate, error = float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(terms)))
    effective = float(weight.sum() ** 2 / (weight**2).sum()) if weight.any() else 0.0
    used = r[weight > 0]
    if (
        len(used) and method != "direct" and used.max() == used.min()
    ):  # rewards that do not differ show no error
        error = max(error, float(r.std(ddof=1)) / np.sqrt(max(effective, 1.0)))
    half = float(norm.ppf((1 + level) / 2)) * error
    if not np.isfinite([estimate, half, effective]).all():
        raise DegenerateError(
            "off_policy_value: rewards divided by propensities are so large that their squares are no numbers: rewards "
            f"are up to {np.abs(r).max():g}, propensities down to {p.min():g}."
        )
    return OffPolicyValue(
        method,
        estimate,
        error,
        (estimate - half, estimate + half),
        level,
        effective,
        float(weight.max()),
        terms,
    )


def _log(
    action: ArrayLike, reward: ArrayLike, propensity: ArrayLike, policy: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    who = "off_policy_value"
    a = np.asarray(action)
    try:
        r, p = numbers_of(reward), numbers_of(propensity)
    except (TypeError, ValueError):
        raise DataError(f"{who}: rewards and propensities must be numbers, got text.") from None
    n = len(r)
    if n < 2 or a.shape != (n,) or r.shape != (n,) or p.shape != (n,):
        raise DataError(f"{who}: action, reward and propensity must be of the same length, 2 rows or more.")
    if a.dtype.kind not in "iu" or (a < 0).any():
        raise DataError(f"{who}: actions must be numbers from 0 up.")
    if not np.isfinite(r).all():
        raise DataError(
            f"{who}: rewards must be finite numbers; row {int(np.argmin(np.isfinite(r))) + 1} is not."
        )
    if not ((p > 0) & (p <= 1)).all():
        raise DataError(f"{who}: propensities must be above 0 and at most 1: what was done was possible.")
    given = np.asarray(policy)
    if given.shape == (n,) and given.dtype.kind in "iu":
        chances = np.zeros((n, int(max(a.max(), given.max())) + 1))
        if (given < 0).any():
            raise DataError(f"{who}: actions of the policy must be numbers from 0 up.")
        chances[np.arange(n), given] = 1.0
    elif given.ndim == 2 and len(given) == n and given.dtype.kind in "biuf":
        chances = given.astype(np.float64)
    else:
        raise DataError(
            f"{who}: policy must be (n, K) probabilities or (n,) actions, got the shape {given.shape}."
        )
    if a.max() >= chances.shape[1]:
        raise DataError(f"{who}: action {a.max()} has no column in the policy's probabilities.")
    if (chances < 0).any() or not np.allclose(chances.sum(axis=1), 1, atol=1e-6):
        raise DataError(f"{who}: the policy's probabilities must be from 0 up and sum to 1 in each row.")
    return a, r, p, chances


def _predictions(predicted: ArrayLike | None, shape: tuple[int, ...], method: str) -> np.ndarray:
    if predicted is None:
        raise ParameterError(
            f"off_policy_value: {method} needs predicted=, the rewards that a model expects."
        )
    q = np.asarray(predicted, dtype=np.float64)
    if q.shape != shape or not np.isfinite(q).all():
        raise DataError(
            f"off_policy_value: predicted must be {shape} finite numbers, got the shape {q.shape}."
        )
    return q
