"""What rejecting buys: risk against coverage, error against the cost of rejecting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, label_codes
from assay.decide.decision import TIE, check_posterior, decide
from assay.decide.losses import as_loss
from assay.errors import DataError
from assay.types import Labels, Losses, Scores, Target, Weights

__all__ = ["RejectCurve", "RiskCoverage", "error_reject_curve", "risk_coverage_curve"]


@dataclass(frozen=True)
class RiskCoverage:
    """Selective risk as a function of coverage.

    Attributes
    ----------
    coverage : (m,) share of rows kept, rising to 1
    risk : (m,) mean loss of the rows kept
    threshold : (m,) the least confidence that is kept
    area : mean of the risk over all coverages (AURC); ``excess``: that less the area of a perfect ordering
    """

    coverage: np.ndarray
    risk: np.ndarray
    threshold: np.ndarray
    area: float
    excess: float


def risk_coverage_curve(
    losses: ArrayLike, confidence: ArrayLike, sample_weight: Weights | None = None
) -> RiskCoverage:
    """Keep the most confident rows first, and watch the mean loss of what is kept.

    Rows of equal confidence are kept or dropped together. Cost: O(n log n).

    Parameters
    ----------
    losses : (n,) loss of each row, such as 0 for right and 1 for wrong
    confidence : (n,) such as the largest posterior, or minus the risk
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.decide import risk_coverage_curve
    >>> curve = risk_coverage_curve([0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
    >>> curve.coverage, curve.risk.round(3)
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.   , 0.   , 0.333, 0.5  ]))
    >>> curve.excess
    0.0

    See Also
    --------
    error_reject_curve

    References
    ----------
    - Geifman, Y., Uziel, G. and El-Yaniv, R. (2019). Bias-reduced uncertainty estimation for deep neural classifiers.
      International Conference on Learning Representations.
    """
    loss = np.asarray(losses, dtype=np.float64)
    trust = np.asarray(confidence, dtype=np.float64)
    if loss.ndim != 1 or not len(loss) or loss.shape != trust.shape:
        raise DataError(
            f"risk_coverage_curve: expected as many losses as confidences, got {loss.shape} and {trust.shape}."
        )
    if not np.isfinite(loss).all() or np.isnan(trust).any():
        raise DataError("risk_coverage_curve: losses must be finite and no confidence NaN.")
    w = check_weights(sample_weight, loss[:, None])
    w = np.ones_like(loss) if w is None else w
    coverage, risk, threshold, area = _selective(loss, trust, w)
    best = np.empty(len(loss))
    best[np.argsort(loss, kind="stable")] = np.arange(len(loss), 0, -1)  # no ties: one row after another
    ideal = _selective(loss, best, w)[3]
    return RiskCoverage(coverage, risk, threshold, area, area - ideal)


def _selective(
    loss: np.ndarray, trust: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    order = np.argsort(-trust, kind="stable")
    loss, trust, w = loss[order], trust[order], w[order]
    last = np.append(np.flatnonzero(np.diff(trust)), len(trust) - 1)
    kept, lost = np.cumsum(w)[last], np.cumsum(w * loss)[last]
    nonempty = kept > 0
    last, kept, lost = last[nonempty], kept[nonempty], lost[nonempty]
    coverage, risk = kept / kept[-1], lost / kept
    area = float(np.diff(coverage, prepend=0.0) @ risk)  # a step for every group of equals
    return coverage, risk, trust[last], area


@dataclass(frozen=True)
class RejectCurve:
    """Error and rejection as functions of the cost of rejecting.

    Attributes
    ----------
    cost : (m,) cost of rejecting, falling
    rejected : (m,) share of rows rejected at that cost, rising
    error : (m,) mean loss of the rows that are not rejected; 0 where all are
    """

    cost: np.ndarray
    rejected: np.ndarray
    error: np.ndarray


def error_reject_curve(
    posterior: Scores,
    y: Target | None = None,
    *,
    loss: Losses | str | None = None,
    classes: Labels | None = None,
    costs: ArrayLike | None = None,
    sample_weight: Weights | None = None,
) -> RejectCurve:
    """How the error falls as more rows are rejected.

    For each cost of rejecting, the rule of :func:`decide` is applied: reject where the least risk is not below
    the cost. Without ``y`` the posteriors are taken at their word: the error is the mean least risk of the
    rows kept, and never rises as the cost falls.

    Parameters
    ----------
    posterior : (n, K)
    y : (n,) true labels, or None for the error that the posteriors themselves expect
    loss : as in :func:`decide`, default 0/1
    classes : (K,) labels of the columns, default 0 to K - 1
    costs : (m,) costs of rejecting to try; default every cost at which something changes
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.decide import error_reject_curve
    >>> curve = error_reject_curve([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> curve.rejected.round(3), curve.error.round(3)
    (array([0.   , 0.333, 0.667, 1.   ]), array([0.233, 0.15 , 0.1  , 0.   ]))

    See Also
    --------
    risk_coverage_curve

    References
    ----------
    - Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory
      16(1), 41-46. doi:10.1109/TIT.1970.1054406
    """
    P = check_posterior(posterior, "error_reject_curve")
    if not len(P):
        raise DataError("error_reject_curve: there are no rows.")
    names = tuple(range(P.shape[1])) if classes is None else tuple(np.asarray(classes).tolist())
    decision = decide(P, loss, classes=names)
    least = decision.risks.min(axis=1)
    if y is None:
        paid = least
    else:
        truth = label_codes(y, np.asarray(names), len(P), "error_reject_curve")
        paid = as_loss(loss, names).of(decision.chosen, truth)
    w = check_weights(sample_weight, P)
    w = np.ones(len(P)) if w is None else w
    if costs is None:
        levels = np.unique(least)[::-1]
        tried = np.concatenate([[np.inf], levels])  # at cost = level, rows of that risk are rejected
    else:
        tried = np.sort(np.asarray(costs, dtype=np.float64))[::-1]
        if tried.ndim != 1 or np.isnan(tried).any() or (tried < 0).any():
            raise DataError("error_reject_curve: costs must be numbers from 0 up.")
    order = np.argsort(least, kind="stable")
    weight = np.concatenate([[0.0], np.cumsum(w[order])])
    total = np.concatenate([[0.0], np.cumsum((w * paid)[order])])
    slack = TIE * np.abs(as_loss(loss, names).costs).max(initial=0.0)
    kept = np.searchsorted(least[order], tried - slack, side="left")  # risk strictly below the cost
    error = np.divide(total[kept], weight[kept], out=np.zeros(len(tried)), where=weight[kept] > 0)
    return RejectCurve(tried, 1 - weight[kept] / weight[-1], error)
