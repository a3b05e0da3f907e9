"""Probabilities that agree with the decision: Platt's curves, kept on the side of the decision, and coupled pairs."""

from __future__ import annotations

import numpy as np

from assay.svm.votes import pairs_of

__all__ = ["agreeing", "coupled", "side_probability"]

NEAR_EVEN = 1e-6  # by how much a curve that would contradict the decision differs from one half
ROWS_AT_ONCE = 4096  # whose pairs are coupled together


def side_probability(scores: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    r"""The probability that a row is on the side 1, given its score.

    .. math:: P = \frac1{1 + e^{as + b}}, \text{ but not below } \tfrac12 + \epsilon g(s) \text{ where } s > 0,
              \text{ nor above it where } s \le 0, \qquad g(s) = \frac{s}{1 + |s|} \quad (1)

    Platt's curve passes one half where the classes are equally frequent, which need not be where the decision changes.
    There it is held at one half: it rises with the score everywhere and never contradicts the decision.

    Parameters
    ----------
    scores : (q, P)      a, b : (P,) the numbers of the curves, a at most 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm.probabilities import side_probability
    >>> side_probability(np.array([[-2.0], [0.5], [2.0]]), np.array([-1.0]), np.array([1.0])).round(4)
    array([[0.0474],
           [0.5   ],
           [0.7311]])
    """
    from scipy.special import expit

    p = expit(-(a * scores + b))
    even = 0.5 + NEAR_EVEN * scores / (1 + np.abs(scores))
    return np.where(scores > 0, np.maximum(p, even), np.minimum(p, even))


def coupled(r: np.ndarray, K: int) -> np.ndarray:
    r"""(q, K) probabilities of the classes of those of pairs.

    .. math:: \min_p \sum_i\sum_{j \ne i} (r_{ji}p_i - r_{ij}p_j)^2, \quad \sum_i p_i = 1 \quad (1)

    where :math:`r_{ij}` is the probability of class i if it is i or j. Cost: O(K^3) a row.

    Parameters
    ----------
    r : (q, P) of the first class of each pair

    Examples
    --------
    Pairs that agree give back the probabilities they come from:

    >>> import numpy as np
    >>> from assay.svm.probabilities import coupled
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> coupled(np.array([[5 / 8, 5 / 7, 3 / 5]]), 3).round(6)
    array([[0.5, 0.3, 0.2]])

    References
    ----------
    - Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class classification by pairwise
      coupling. Journal of Machine Learning Research 5, 975-1005.
    """
    out = np.empty((len(r), K))
    for start in range(0, len(r), ROWS_AT_ONCE):
        some = r[start : start + ROWS_AT_ONCE]
        system = np.zeros((len(some), K + 1, K + 1))
        for p, (i, j) in enumerate(pairs_of(K)):
            first, second = some[:, p], 1 - some[:, p]
            system[:, i, i] += second**2
            system[:, j, j] += first**2
            system[:, i, j] = system[:, j, i] = -first * second
        system[:, K, :K] = system[:, :K, K] = 1.0
        wanted = np.zeros((len(some), K + 1, 1))
        wanted[:, K] = 1.0
        out[start : start + ROWS_AT_ONCE] = np.linalg.solve(system, wanted)[:, :K, 0]
    np.maximum(out, 0.0, out=out)
    return out / out.sum(axis=1, keepdims=True)


def agreeing(p: np.ndarray, winner: np.ndarray) -> np.ndarray:
    """The nearest probabilities (least squares) among which that of the winner is the largest, by a hair at least.

    >>> import numpy as np
    >>> from assay.svm.probabilities import agreeing
    >>> agreeing(np.array([[0.5, 0.4, 0.1], [0.5, 0.4, 0.1]]), np.array([0, 1])).round(4)
    array([[0.5 , 0.4 , 0.1 ],
           [0.45, 0.45, 0.1 ]])
    """
    p = p.copy()
    for i in np.flatnonzero(np.argmax(p, axis=1) != winner):
        order = np.argsort(-p[i], kind="stable")
        order = order[order != winner[i]]
        means = (p[i, winner[i]] + np.cumsum(p[i, order])) / np.arange(2, len(order) + 2)
        pooled = (
            int(np.argmax(np.append(p[i, order[1:]], -1.0) <= means)) + 1
        )  # classes above their common mean
        p[i, order[:pooled]] = means[pooled - 1] * (1 - NEAR_EVEN)
        p[i, winner[i]] = means[pooled - 1] * (1 + pooled * NEAR_EVEN)
    return p
