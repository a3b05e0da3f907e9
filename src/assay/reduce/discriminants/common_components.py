"""Common principal components: one set of axes for the covariances of all classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.bayes.covariance_estimates import shrunk
from assay.bayes.gaussian_classifier import check_overflow, class_priors
from assay.bayes.own_covariances import OwnCovariances
from assay.core import Card
from assay.core.lazy_answers import LazyTransforms
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Count, Range, Simplex
from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.errors import DataError, DegenerateError, warn_user
from assay.reduce.components.spectrum import with_fixed_signs
from assay.stats.multivariate.covariance import rank_of
from assay.stats.significance.test_result import TestResult
from assay.types import Priors, TableLike

__all__ = ["CommonAxes", "CommonPrincipalComponents", "common_axes"]

MOST_ANGLES = 50  # steps to the best angle of one pair of axes


@dataclass(frozen=True)
class CommonAxes:
    """axes : (d, d) as columns      variances : (K, d) along them      statistic : -2 ln of the likelihood ratio
    df : its degrees of freedom      sweeps : how many it took      objective : (sweeps + 1,) after each
    """

    axes: np.ndarray
    variances: np.ndarray
    statistic: float
    df: int
    sweeps: int
    objective: list[float]


def common_axes(
    covariances: ArrayLike, weights: ArrayLike, tol: float = 1e-10, max_iter: int = 100
) -> CommonAxes:
    r"""The orthogonal axes that come closest to the principal axes of several covariance matrices at once.

    Minimises over rotations C, by turning two axes at a time (Flury and Gautschi),

    .. math:: \sum_k n_k\left(\ln|\mathrm{diag}(C^TS_kC)| - \ln|S_k|\right)                      \quad (1)

    whose minimum is the likelihood ratio statistic of the hypothesis that the matrices have their axes in common,
    chi-squared with (K - 1) d (d - 1) / 2 degrees of freedom. Axes are sorted by their variances, averaged by n.

    Parameters
    ----------
    covariances : (K, d, d), each of full rank
    weights : (K,) degrees of freedom of each, rows less one
    tol : float, default 1e-10
        Sweeps over all pairs stop when no axis turns by more.
    max_iter : int, default 100
        The most sweeps.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import common_axes
    >>> turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> same = [turn @ np.diag(v) @ turn.T for v in ([4.0, 1.0], [9.0, 2.0])]
    >>> result = common_axes(same, [10, 10])
    >>> result.axes.round(6), round(result.statistic, 6)
    (array([[ 0.6,  0.8],
           [ 0.8, -0.6]]), 0.0)

    See Also
    --------
    CommonPrincipalComponents

    References
    ----------
    - Flury, B. (1984). Common principal components in k groups. Journal of the American Statistical Association 79,
      892-898.
    - Flury, B. and Gautschi, W. (1986). An algorithm for simultaneous orthogonal transformation of several positive
      definite symmetric matrices to nearly diagonal form. SIAM Journal on Scientific and Statistical Computing 7,
      169-184.
    """
    S, n = np.array(covariances, dtype=float), np.asarray(weights, dtype=float)
    if S.ndim != 3 or S.shape[1] != S.shape[2] or n.shape != S.shape[:1]:
        raise DataError(
            f"common_axes: expected (K, d, d) covariances and (K,) weights, got {S.shape} and {n.shape}."
        )
    K, d = S.shape[:2]
    for k in range(K):
        if rank_of(S[k]) < d:
            raise DegenerateError(
                f"common_axes: covariance {k + 1} is singular (rank {rank_of(S[k])} of {d}). Drop columns that others "
                "determine, or reduce by PCA first."
            )
    size = np.max(np.diagonal(S, axis1=1, axis2=2))
    F = S / size  # C'SC, turned with C
    if np.min(np.diagonal(F, axis1=1, axis2=2)) < np.finfo(float).tiny:
        raise DegenerateError(
            "common_axes: the variances of the columns are too far apart to be turned into one another "
            f"({size:.3g} is the largest). Scale the columns first: StandardScaler."
        )
    log_dets = np.linalg.slogdet(F)[1]
    C, objective = np.eye(d), [_spread(F, n, log_dets)]
    for _ in range(max_iter):
        largest = 0.0
        for j in range(d - 1):
            for m in range(j + 1, d):
                angle = _best_angle(F[:, j, j], F[:, j, m], F[:, m, m], n)
                if abs(angle) > tol / d:
                    _turn(F, C, j, m, angle)
                largest = max(largest, abs(angle))
        objective.append(_spread(F, n, log_dets))
        if largest <= tol:
            break
    else:
        warn_user(
            f"common_axes: after {max_iter} sweeps axes still turn by {largest:.2g}. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    variances = np.diagonal(F, axis1=1, axis2=2) * size
    order = np.argsort(-(n @ variances), kind="stable")
    axes = with_fixed_signs(C[:, order].T).T
    return CommonAxes(
        axes,
        variances[:, order],
        max(objective[-1], 0.0),
        (K - 1) * d * (d - 1) // 2,
        len(objective) - 1,
        objective,
    )


def _spread(F: np.ndarray, n: np.ndarray, log_dets: np.ndarray) -> float:
    return float(n @ (np.log(np.diagonal(F, axis1=1, axis2=2)).sum(axis=1) - log_dets))  # (1)


def _best_angle(a: np.ndarray, b: np.ndarray, c: np.ndarray, n: np.ndarray) -> float:
    """By how much to turn two axes on which each matrix is [[a, b], [b, c]]; the nearest fixed point to no turn."""
    angle = 0.0
    for _ in range(MOST_ANGLES):
        cos, sin = np.cos(angle), np.sin(angle)
        first = a * cos**2 + 2 * b * cos * sin + c * sin**2
        second = a * sin**2 - 2 * b * cos * sin + c * cos**2
        g = n * (first - second) / (first * second)
        across, along = float(g @ b), float(g @ (a - c))
        new = 0.5 * np.arctan2(2 * across, along) if across or along else 0.0
        new = (new + np.pi / 4) % (
            np.pi / 2
        ) - np.pi / 4  # of the four that are the same axes, the smallest turn
        if abs(new - angle) <= 1e-15:
            return float(new)
        angle = float(new)
    return angle


def _turn(F: np.ndarray, C: np.ndarray, j: int, m: int, angle: float) -> None:
    """Axes j and m, and the matrices on them, turned."""
    cos, sin = np.cos(angle), np.sin(angle)
    for A in (F, F.swapaxes(1, 2), C):
        first, second = A[..., j].copy(), A[..., m].copy()
        A[..., j], A[..., m] = cos * first + sin * second, cos * second - sin * first


class CommonPrincipalComponents(LazyTransforms, OwnCovariances):
    r"""Gaussian classes whose covariances have their axes in common, and differ in the variances along them.

    .. math:: \Sigma_k = C D_k C^T                                                                \quad (1)

    with one orthogonal matrix C for all classes and a diagonal :math:`D_k` for each, by maximum likelihood
    (:func:`common_axes`). Between one covariance for all classes (linear discriminants) and one for each (quadratic
    discriminants): d (d - 1) / 2 angles in place of K d (d - 1) / 2. ``transform`` gives the columns along the common
    axes, which are uncorrelated in every class, as far as the classes have their axes in common; ``test`` says whether
    they have. The learner is a sum: ``fit_blocks``, ``partial_fit`` and Dask give the same numbers.

    Cost: fit O(n d^2), and O(K d^3) a sweep, some 5 to 20 of them; predict O(K d^2) a row; memory O(K d^2).

    Parameters
    ----------
    n_components : int or None, default None
        New columns of ``transform``; None gives all. The classifier uses all of them.
    shrinkage : float from 0 to 1, default 0
        Blend of each class's covariance with a multiple of the identity, where a class has too few rows; the test is
        then of the blends.
    priors : (K,) probabilities, default None
        None takes the class shares.
    tol : float, default 1e-10
        Sweeps stop when no axis turns by more.
    max_iter : int, default 100
        The most sweeps.

    Attributes
    ----------
    components_ : (d, d) the common axes as rows, largest entry positive, sorted by their average variance
    variances_ : (K, d) the variance of each class along each axis, divided by rows less one
    statistic_ : float, df_ : int of the test      n_iter_ : sweeps
    means_ : (K, d)      priors_ : (K,)      mean_ : (d,) of all rows, subtracted by ``transform``

    Examples
    --------
    >>> from assay.reduce import CommonPrincipalComponents
    >>> from assay.tables.data import load_iris
    >>> model = CommonPrincipalComponents().fit(load_iris().X, load_iris().y)
    >>> print(model.test())
    Common principal components: statistic 63.9099 with 12 degrees of freedom, p < 0.001: significant at 0.05.
    >>> round(model.score(load_iris().X, load_iris().y), 4)
    0.98

    See Also
    --------
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, KarhunenLoeve, common_axes

    References
    ----------
    - Flury, B. (1984). Common principal components in k groups. Journal of the American Statistical Association 79,
      892-898.
    """

    card = Card(
        "common components",
        "Gaussian classes with the same axes, each its own variances along them",
        also=("common principal components", "cpc"),
        learns=(
            "a Gaussian of each class, axes shared",
            "negative log joint likelihood",
            "rotations of pairs of axes",
            "local",
        ),
    )
    accepts = {
        "n_components": Count(1) | None,
        "shrinkage": Range(0, 1),
        "priors": Simplex() | None,
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
    }
    stored = {
        "_sums": Object(ClassScatter, K="K", d="p"),
        "components_": FloatArray("p", "p", finite=True),
        "variances_": FloatArray("K", "p", low=0, finite=True),
        "statistic_": Scalar(low=0),
        "df_": Integer(low=0),
        "mean_": FloatArray("p", finite=True),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        shrinkage: float = 0.0,
        priors: Priors | None = None,
        tol: float = 1e-10,
        max_iter: int = 100,
    ):
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.priors = priors
        self.tol = tol
        self.max_iter = max_iter

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        return class_scatter(X, y, w, len(self.classes_), pooled=False)

    def _solve(self, sums: ClassScatter) -> None:
        who, d = type(self).__name__, sums.mean.shape[1]
        check_overflow(who, sums.mean, sums.scatter)
        if len(self.classes_) < 2:
            raise DegenerateError(f"{who}: The number of classes has to be greater than one. Got 1 class.")
        self.means_ = sums.mean
        self.priors_ = class_priors(who, self.priors, sums.count, self.classes_)
        present = sums.count > 0
        free = sums.count - 1
        S = sums.scatter / np.where(free > 0, free, 1.0)[:, None, None]
        S = shrunk(S, self.shrinkage) if self.shrinkage else S
        for k in np.flatnonzero(present):
            rank = rank_of(S[k])
            if rank < d or not free[k] > 0:
                self._refuse_singular(int(k), rank, lambda k: self._advice(int(sums.rows[k])))
        result = common_axes(S[present], free[present], self.tol, self.max_iter)
        self.components_, self.statistic_ = np.ascontiguousarray(result.axes.T), result.statistic
        self.df_, self.n_iter_ = result.df, result.sweeps
        self.variances_ = np.zeros((len(present), d))
        self.variances_[present] = result.variances
        self.mean_ = sums.count @ sums.mean / sums.count.sum()
        covariances = np.einsum("ij,kj,lj->kil", result.axes, self.variances_, result.axes)  # (1)
        self._settle(covariances, 0.0, lambda k: self._advice(int(sums.rows[k])))

    def _advice(self, rows: int) -> str:
        few = f"It has {rows} rows, no more than columns. " if rows <= self.means_.shape[1] else ""
        return f"{few}Raise shrinkage, drop columns that others determine, or reduce by PCA first."

    def test(self, alpha: float = 0.05) -> TestResult:
        """Whether the classes' covariances have their axes in common; rejected if they have not.

        Takes the classes to be normal. The statistic is the likelihood ratio of (1) against separate covariances.

        Parameters
        ----------
        alpha : float, default 0.05
        """
        from scipy.special import chdtrc

        self._ready()
        p = float(chdtrc(self.df_, self.statistic_)) if self.df_ else 1.0
        return TestResult("Common principal components", self.statistic_, p, self.df_, alpha=alpha)

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, k) the rows along the first common axes."""
        k = len(self.get_feature_names_out())
        return (self._admit(X) - self.mean_) @ self.components_[:k].T

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns."""
        self._ready()
        d = len(self.components_)
        k = d if self.n_components is None else min(self.n_components, d)
        return np.array([f"commonprincipalcomponents{j}" for j in range(k)], dtype=object)
