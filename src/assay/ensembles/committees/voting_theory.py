"""Why voting helps: the jury theorem, the variance of a mean, ambiguity, and weights of least variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc

from assay.core.targets import check_weights
from assay.ensembles.committees.combining import shares_of
from assay.errors import DataError, DegenerateError, ParameterError
from assay.sentence import Sentence

__all__ = [
    "Ambiguity",
    "Jury",
    "ambiguity_decomposition",
    "committee_variance",
    "jury",
    "jury_accuracy",
    "minimum_variance_weights",
]


NEGLIGIBLE = 5e-4  # a difference between shares that three digits do not show


def jury_accuracy(p: float, L: int) -> float:
    r"""How often the majority of L independent voters is right, each right with probability p (Condorcet).

    .. math:: P = \sum_{i > L/2} \binom{L}{i} p^i (1-p)^{L-i}

    of an even number of voters plus half of the chance of a tie. Above one half, more voters help; below, they hurt.

    Examples
    --------
    >>> from assay.ensembles import jury_accuracy
    >>> round(jury_accuracy(0.6, 11), 6), round(jury_accuracy(0.45, 3), 5)
    (0.753498, 0.42525)
    """
    if not 0 <= p <= 1 or isinstance(L, bool) or int(L) != L or L < 1:
        raise ParameterError(
            f"p must be a probability and L a whole number from 1 up, got {p!r} and {L!r}.",
            who="jury_accuracy",
        )
    L = int(L)
    wins = float(bdtrc(L // 2, L, p))
    if L % 2:
        return wins
    return wins + 0.5 * float(bdtrc(L // 2 - 1, L, p) - bdtrc(L // 2, L, p))


@dataclass(frozen=True)
class Jury(Sentence):
    """Result of `jury`: what Condorcet's theorem promises a committee, and what it does.

    Attributes
    ----------
    accuracies : (L,) how often each member is right
    promised : how often more than half would be right if the members erred independently
    observed : how often more than half are right; of an even number half of them count one half
    """

    accuracies: np.ndarray
    promised: float
    observed: float

    def __str__(self) -> str:
        L, mean = len(self.accuracies), float(self.accuracies.mean())
        gap = self.promised - self.observed
        how = "they err together" if gap > 0 else "they err on different rows"
        best = float(self.accuracies.max())
        worth = "more" if self.observed > best else "not more"
        return (
            f"{L} members are right on {mean:.3f} of the rows on average. If they erred independently, more than half "
            f"of them would be right on {self.promised:.3f}; they are on {self.observed:.3f}"
            f"{f': {how}' if abs(gap) > NEGLIGIBLE else ''}. That is {worth} than the best of them, {best:.3f}."
        )


def jury(answers: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Jury:
    r"""Condorcet's jury theorem for the members of a committee, each as often right as it is, and the facts beside it.

    With accuracies :math:`p_j` of independent members the number of right ones is the sum of L throws of different
    coins; more than half are right with probability

    .. math:: P = \sum_{|S| > L/2} \prod_{j \in S} p_j \prod_{j \notin S} (1 - p_j)

    Cost: O(n L + L^2).

    Parameters
    ----------
    answers : (L, n) the class that each member answers for each row, on rows that it did not learn from
    y : (n,) the classes
    sample_weight : (n,) what each row counts

    Examples
    --------
    >>> from assay.ensembles import jury
    >>> report = jury([[1, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]], [1, 1, 0, 0])
    >>> print(report)
    3 members are right on 0.667 of the rows on average. If they erred independently, more than half of them would be
    right on 0.750; they are on 1.000: they err on different rows. That is more than the best of them, 0.750.

    See Also
    --------
    diversity, ambiguity_decomposition

    References
    ----------
    - Grofman, B., Owen, G. and Feld, S. L. (1983). Thirteen theorems in search of the truth. Theory and Decision 15,
      261-278. doi:10.1007/BF00125672
    """
    labels, truth = np.asarray(answers), np.asarray(y)
    if labels.ndim != 2 or labels.shape[1:] != truth.shape or not labels.size:
        raise DataError(
            f"answers (L, n) and y (n,) are needed, got the shapes {labels.shape} and {truth.shape}.",
            who="jury",
        )
    w = check_weights(sample_weight, len(truth), "jury")
    right, L = labels == truth, len(labels)
    wins = right.sum(axis=0)
    accuracies = np.average(right, axis=1, weights=w)
    chance = np.ones(1)  # of each number of right members
    for p in accuracies:
        chance = np.convolve(chance, [1.0 - p, p])
    return Jury(
        accuracies,
        _majority(chance),
        _majority(np.bincount(wins, w, L + 1) / (len(truth) if w is None else w.sum())),
    )


def _majority(chance: np.ndarray) -> float:
    """Of (L + 1,) probabilities of so many right members, that of more than half; half of them count one half."""
    L = len(chance) - 1
    return float(chance[L // 2 + 1 :].sum() + (0.0 if L % 2 else 0.5 * chance[L // 2]))


def committee_variance(covariance: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""The variance of a weighted mean of learners' outputs, :math:`w^T C w`.

    With L equal weights, variances :math:`\sigma^2` and correlations :math:`\rho` it is
    :math:`\sigma^2(\tfrac1L + \tfrac{L-1}L\rho)`: what learners share stays, however many they are.

    Parameters
    ----------
    covariance : (L, L) of the outputs, or of the errors      weights : (L,), default equal; brought to sum 1

    Examples
    --------
    >>> from assay.ensembles import committee_variance
    >>> committee_variance([[1.0, 0.2], [0.2, 1.0]])
    0.6
    """
    C = _square(covariance, "committee_variance")
    w = shares_of(weights, len(C), "committee_variance")
    return float(w @ C @ w)


def minimum_variance_weights(covariance: ArrayLike) -> np.ndarray:
    r"""(L,) the weights of sum 1 of the mean with least variance, :math:`w \propto C^{-1} 1`; some may be negative.

    Examples
    --------
    >>> from assay.ensembles import minimum_variance_weights
    >>> minimum_variance_weights([[1.0, 0.5, -0.2], [0.5, 2.0, 0.1], [-0.2, 0.1, 1.5]]).round(4)
    array([0.5174, 0.095 , 0.3876])
    """
    C = _square(covariance, "minimum_variance_weights")
    scale = np.sqrt(np.diag(C))
    if not (scale > 0).all():
        raise DegenerateError(
            "a learner has no variance: it needs no others. Leave it out of the covariance.",
            who="minimum_variance_weights",
        )
    R = C / np.outer(scale, scale)
    if np.linalg.eigvalsh(R)[0] < len(C) * np.finfo(float).eps:
        raise DegenerateError(
            "the covariance is singular: some learners' outputs follow from the others'. Leave one of them out.",
            who="minimum_variance_weights",
        )
    small = scale.min()
    w = np.linalg.solve(R, small / scale) * (small / scale)
    return w / w.sum()


@dataclass(frozen=True)
class Ambiguity(Sentence):
    """Result of `ambiguity_decomposition`: error of the committee = mean error of its members - their disagreement.

    Attributes
    ----------
    committee_error : float      mean_error : float      ambiguity : float
        Mean squares over the rows.
    """

    committee_error: float
    mean_error: float
    ambiguity: float

    def __str__(self) -> str:
        return (
            f"Squared error of the committee {self.committee_error:.4g} = {self.mean_error:.4g} of its members on "
            f"average - {self.ambiguity:.4g} by which they disagree."
        )


def ambiguity_decomposition(
    outputs: ArrayLike, target: ArrayLike, weights: ArrayLike | None = None
) -> Ambiguity:
    r"""The squared error of a mean of learners, as what its members err less what they disagree.

    .. math:: (\bar y - r)^2 = \sum_j w_j (d_j - r)^2 - \sum_j w_j (d_j - \bar y)^2, \quad \bar y = \sum_j w_j d_j

    so a committee is never worse than its members on average, and better the more they disagree.

    Parameters
    ----------
    outputs : (L,) or (L, n) numbers of the learners      target : number or (n,)
    weights : (L,), default equal; brought to sum 1

    Examples
    --------
    >>> from assay.ensembles import ambiguity_decomposition
    >>> print(ambiguity_decomposition([2, 3, 5], 3, [0.2, 0.5, 0.3]))
    Squared error of the committee 0.16 = 1.4 of its members on average - 1.24 by which they disagree.

    References
    ----------
    - Krogh, A. and Vedelsby, J. (1995). Neural network ensembles, cross validation, and active learning. Advances in
      Neural Information Processing Systems 7, 231-238.
    """
    d = np.asarray(outputs, dtype=np.float64)
    r = np.asarray(target, dtype=np.float64)
    if d.ndim not in (1, 2) or not d.size or d.shape[1:] != r.shape:
        raise DataError(
            f"outputs (L, n) and target (n,) are needed, got the shapes {d.shape} and {r.shape}.",
            who="ambiguity_decomposition",
        )
    if not (np.isfinite(d).all() and np.isfinite(r).all()):
        raise DataError("outputs and target must be finite numbers.", who="ambiguity_decomposition")
    w = shares_of(weights, len(d), "ambiguity_decomposition")
    mean = np.tensordot(w, d, axes=1)
    return Ambiguity(
        float(np.mean((mean - r) ** 2)),
        float(np.mean(np.tensordot(w, (d - r) ** 2, axes=1))),
        float(np.mean(np.tensordot(w, (d - mean) ** 2, axes=1))),
    )


def _square(covariance: ArrayLike, who: str) -> np.ndarray:
    C = np.asarray(covariance, dtype=np.float64)
    if C.ndim != 2 or C.shape[0] != C.shape[1] or not C.size or not np.isfinite(C).all():
        raise DataError(f"a square matrix of finite numbers is needed, got the shape {C.shape}.", who=who)
    if not np.allclose(C, C.T, rtol=1e-9, atol=1e-12 * np.abs(C).max(initial=0)):
        raise DataError("a covariance is symmetric, this matrix is not.", who=who)
    return C
