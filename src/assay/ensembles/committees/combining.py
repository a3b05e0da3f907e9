"""Rules that make one answer of many: mean, median, product, votes, ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError

__all__ = ["CLASS_RULES", "NUMBER_RULES", "combine"]

CLASS_RULES = ("mean", "plurality", "median", "min", "max", "product", "owa", "borda")
NUMBER_RULES = ("mean", "median", "min", "max", "owa")


def combine(
    outputs: ArrayLike, rule: str = "mean", weights: ArrayLike | None = None, *, normalize: bool = False
) -> np.ndarray:
    r"""One answer of the outputs of L learners, by a rule.

    With :math:`d_{ji}` the output of learner j for class i (or its number) and weights :math:`w_j` that sum to 1:

    ============  ============================================================================================
    rule          :math:`y_i`
    ============  ============================================================================================
    "mean"        :math:`\sum_j w_j d_{ji}`, the sum rule or linear opinion pool                    (1)
    "plurality"   :math:`\sum_j w_j [i = \arg\max_k d_{jk}]`, the share of votes                    (2)
    "median"      the (weighted) median of :math:`d_{ji}` over j                                     (3)
    "min", "max"  the least, the greatest :math:`d_{ji}`
    "product"     :math:`\prod_j d_{ji}^{L w_j}`, the product rule                                   (4)
    "owa"         :math:`\sum_j w_j d_{(j)i}`, weights for the outputs in descending order           (5)
    "borda"       :math:`\sum_j L w_j \times` the number of classes below i, equal ones sharing      (6)
    ============  ============================================================================================

    One output of zero vetoes a class in "min" and "product". Outputs of different scales must be calibrated first.

    Parameters
    ----------
    outputs : (L, K) or (L, n, K) of classes, or (L, n) numbers
        The first axis is over the learners. "plurality", "borda" and ``normalize`` need classes, along the last axis.
    rule : one of the above, default "mean"
    weights : (L,) from 0 up, default equal
        Brought to sum 1; "min" and "max" have none.
    normalize : bool, default False
        Whether the results are brought to sum 1 over the classes; where all are 0, they are equal.

    Returns
    -------
    (K,) or (n, K) array

    Examples
    --------
    >>> from assay.ensembles import combine
    >>> outputs = [[0.6, 0.3, 0.1], [0.1, 0.5, 0.4], [0.2, 0.35, 0.45], [0.55, 0.35, 0.1]]
    >>> combine(outputs)
    array([0.3625, 0.375 , 0.2625])
    >>> combine(outputs, "plurality"), combine(outputs, "owa", [0.1, 0.4, 0.4, 0.1])
    (array([0.5 , 0.25, 0.25]), array([0.37 , 0.36 , 0.255]))

    See Also
    --------
    VotingClassifier, VotingRegressor

    References
    ----------
    - Kittler, J., Hatef, M., Duin, R. P. W. and Matas, J. (1998). On combining classifiers. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 20(3), 226-239. doi:10.1109/34.667881
    - Yager, R. R. (1988). On ordered weighted averaging aggregation operators in multicriteria decision making. IEEE
      Transactions on Systems, Man, and Cybernetics 18(1), 183-190. doi:10.1109/21.87068
    """
    d = np.asarray(outputs, dtype=np.float64)
    if d.ndim < 2 or 0 in d.shape:
        raise DataError(
            f"outputs of learners and classes are needed, got the shape {d.shape}.", who="combine"
        )
    if rule not in CLASS_RULES:
        raise ParameterError(
            f"rule must be one of {', '.join(map(repr, CLASS_RULES))}, got {rule!r}.", who="combine"
        )
    if not np.isfinite(d).all():
        raise DataError("outputs must be finite numbers.", who="combine")
    w = shares_of(weights, len(d), "combine")
    if rule in ("min", "max") and weights is not None:
        raise ParameterError(f"the rule {rule!r} has no weights, got {weights!r}.", who="combine")
    y = _RULES[rule](d, w)
    return normalized(y) if normalize else y


def shares_of(weights: ArrayLike | None, L: int, who: str) -> np.ndarray:
    """(L,) the weights, brought to sum 1."""
    if weights is None:
        return np.full(L, 1.0 / L)
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (L,) or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        raise ParameterError(f"weights must be {L} numbers from 0 up, not all 0, got {weights!r}.", who=who)
    w = w / w.max()
    return w / w.sum()


def normalized(y: np.ndarray) -> np.ndarray:
    """Scores from 0 up as shares of the classes; equal shares where all are 0."""
    total = y.sum(axis=-1, keepdims=True)
    return np.divide(y, total, out=np.full_like(y, 1.0 / y.shape[-1]), where=total > 0)


def weighted_median(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The median over the first axis: where the weights add up to one half, the middle between two values."""
    order = np.argsort(d, axis=0, kind="stable")
    values = np.take_along_axis(d, order, axis=0)
    total = np.cumsum(w[order], axis=0)
    half = 0.5 * total[-1]
    slack = 1e-12 * total[-1]
    low = np.argmax(total >= half - slack, axis=0)[None]
    high = np.argmax(total > half + slack, axis=0)[None]
    return 0.5 * (np.take_along_axis(values, low, 0)[0] + np.take_along_axis(values, high, 0)[0])


def _mean(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.tensordot(w, d, axes=1)  # (1)


def _plurality(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.tensordot(w, np.eye(d.shape[-1])[d.argmax(axis=-1)], axes=1)  # (2)


def _product(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    if (d < 0).any():
        raise DataError("the product rule needs outputs from 0 up, such as probabilities.", who="combine")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(d > 0, np.log(d), -np.inf)
        terms = w.reshape(-1, *[1] * (d.ndim - 1)) * len(d) * logs
    return np.exp(np.where(np.isnan(terms), 0.0, terms).sum(axis=0))  # (4); a learner of weight 0 has no veto


def _owa(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.tensordot(w, -np.sort(-d, axis=0), axes=1)  # (5)


def _borda(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    above = d[..., :, None] > d[..., None, :]
    equal = d[..., :, None] == d[..., None, :]
    points = above.sum(axis=-1) + 0.5 * (equal.sum(axis=-1) - 1)
    return np.tensordot(w * len(d), points, axes=1)  # (6)


_RULES = {
    "mean": _mean,
    "plurality": _plurality,
    "median": weighted_median,  # (3)
    "min": lambda d, w: d.min(axis=0),
    "max": lambda d, w: d.max(axis=0),
    "product": _product,
    "owa": _owa,
    "borda": _borda,
}
