"""The error of the best rule, and of any other rule, on a finite joint table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError


def bayes_error(posterior: ArrayLike) -> NDArray[Any]:
    r"""Probability that even the best decision at x is wrong: :math:`1 - \max_k P(C_k|x)`, row by row.

    >>> bayes_error([[0.75, 0.25], [0.5, 0.5]])
    array([0.25, 0.5 ])

    See Also
    --------
    minimum_error_rule, density_bayes_error

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """
    P = np.asarray(posterior)
    return 1 - P.max(axis=-1)


def minimum_error_rule(joint: ArrayLike) -> NDArray[np.int64]:
    r"""The Bayes classifier: for every row the class of largest joint probability.

    No classifier has a smaller error when the distribution is known. Ties go to
    the first class.

    >>> minimum_error_rule([[0.3, 0.1], [0.2, 0.4]])
    array([0, 1])
    """
    return _table(joint, "minimum_error_rule").argmax(axis=1)


def rule_error(joint: ArrayLike, rule: ArrayLike | None = None) -> Any:
    r"""Error probability of a rule on a joint table P(x, k), (n, K).

    .. math:: E = 1 - \sum_x P(x, \mathrm{rule}(x)), \qquad
              E_{\text{random rule}} = 1 - \sum_x\sum_k \mathrm{rule}(k|x)\,P(x,k)

    Parameters
    ----------
    joint : (n, K), sums to 1
        One row per value of x. Fractions in, a fraction out.
    rule : (n,) class numbers, or (n, K) probabilities of choosing each class
        None is `minimum_error_rule`; its error is the Bayes error.

    Examples
    --------
    >>> joint = [[0.3, 0.1], [0.2, 0.4]]
    >>> round(rule_error(joint), 12), round(rule_error(joint, [0, 0]), 12)
    (0.3, 0.5)
    """
    P = _table(joint, "rule_error")
    if abs(P.sum() - 1) > 1e-8:
        raise DataError(f"rule_error: the joint probabilities sum to {P.sum()}, expected 1.")
    choice = minimum_error_rule(P) if rule is None else np.asarray(rule)
    if choice.shape == P.shape:
        if (choice < 0).any() or (abs(choice.sum(axis=1) - 1) > 1e-8).any():
            raise DataError("rule_error: every row of a random rule must be probabilities that sum to 1.")
        return 1 - (choice * P).sum()
    if choice.shape != P.shape[:1] or choice.dtype.kind not in "iu":
        raise DataError(
            f"rule_error: expected {len(P)} class numbers or {P.shape} probabilities, got {choice.shape}."
        )
    if ((choice < 0) | (choice >= P.shape[1])).any():
        raise DataError(f"rule_error: class numbers must be 0 to {P.shape[1] - 1}.")
    right = P[np.arange(len(P)), choice].sum()
    return 1 - right if P.dtype == object else float(1 - right)


def _table(joint: ArrayLike, who: str) -> NDArray[Any]:
    P = np.asarray(joint)
    if P.dtype != object:
        P = P.astype(float)
    if P.ndim != 2 or not P.size or not (P >= 0).all():
        raise DataError(f"expected (n, K) probabilities, not negative, got shape {P.shape}.", who=who)
    return P
