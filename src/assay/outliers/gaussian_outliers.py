"""Outlier detection by a Gaussian: large Mahalanobis distance from the centre."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import BoolArray, FloatArray
from assay.distances.extremes import refuse_extremes
from assay.distances.mahalanobis import covariance_of, inverse_of, mean_of, root_of
from assay.errors import DegenerateWarning, warn_user
from assay.outliers.detector import CONTAMINATION, Detector
from assay.outliers.robust_covariance import least_determinant
from assay.types import RandomState, TableLike

__all__ = ["GaussianOutliers"]


class GaussianOutliers(Detector):
    r"""Score a row by its likelihood under one Gaussian, that is by Mahalanobis' distance from the centre.

    .. math:: s(x) = -D^2(x), \quad D^2(x) = (x - m)^T S^{-1} (x - m) \quad (1)

    The order of the rows is that of :math:`\ln p(x) = -\frac12 D^2 + \text{const}` (``log_density``). If the rows are
    Gaussian, :math:`D^2` follows a :math:`\chi^2` distribution with d degrees of freedom, whose quantile is the
    threshold. Directions in which the rows that the Gaussian comes from do not vary count nothing: with
    ``estimate="robust"`` also a column that has one value in more than half of the rows, such as the indicator of a
    common category.

    A mean and a covariance are damaged by the outliers they should find: one row far away draws both towards itself,
    and several hide each other. ``estimate="robust"`` takes them from that half of the rows whose covariance has the
    least determinant (Rousseeuw 1984), then once more from all rows that are no outliers by these. Use it for one
    roundish group of numbers; several groups need :class:`DensityOutliers` or :class:`LocalOutlierFactor`.

    Cost: fit O(n d^2 + d^3), robust some hundred times that; predict O(d^2) a row; memory O(n d + d^2) to fit, O(d^2)
    kept.

    Parameters
    ----------
    estimate : "robust" or "plain", default "robust"
        Plain: all rows (divisor n).
    support : float, default None
        The share of rows of the least determinant; None takes (n + d + 1) / 2n.
    n_starts : int, default 100
        Small subsets from which the search for the least determinant starts.
    level : float, default 0.975
        With ``contamination="auto"`` the threshold is this quantile of the chi-squared distribution.
    contamination : "auto" or a share up to 0.5, default "auto"
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    location_ : (d,)      covariance_ : (d, d)      precision_ : (d, d)
    support_ : (n,) bool, the rows that location and covariance come from      offset_ : float

    Examples
    --------
    >>> from assay.outliers import GaussianOutliers
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [50.0]]
    >>> GaussianOutliers(random_state=0).fit_predict(X)
    array([ 1,  1,  1,  1,  1, -1])
    >>> GaussianOutliers("plain").fit_predict(X)               # the outlier has widened the Gaussian
    array([1, 1, 1, 1, 1, 1])

    See Also
    --------
    DensityOutliers, IsolationForest

    References
    ----------
    - Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance determinant
      estimator. Technometrics 41(3), 212-223.
    """

    card = Card(
        "gaussian outliers",
        "rows far from the centre by Mahalanobis' distance",
        also=("elliptic envelope", "mahalanobis"),
        settings={"random_state": 0},
    )
    accepts = {
        "estimate": Choice("robust", "plain"),
        "support": Range(0.5, 1) | None,
        "n_starts": Count(1),
        "level": Range(0, 1, open="both"),
        "contamination": CONTAMINATION,
        "random_state": Seed(),
    }
    stored = {
        "_map_": FloatArray("*", "p"),
        "covariance_": FloatArray("p", "p"),
        "location_": FloatArray("p"),
        "precision_": FloatArray("p", "p"),
        "support_": BoolArray("*"),
    }
    reference_category = True

    def __init__(
        self,
        estimate: str = "robust",
        *,
        support: float | None = None,
        n_starts: int = 100,
        level: float = 0.975,
        contamination: float | str = "auto",
        random_state: RandomState = None,
    ):
        self.estimate = estimate
        self.support = support
        self.n_starts = n_starts
        self.level = level
        self.contamination = contamination
        self.random_state = random_state

    def _learn(self, X: np.ndarray) -> None:
        n, d = X.shape
        X = np.ascontiguousarray(X, dtype=np.float64)
        refuse_extremes(X, type(self).__name__, self._names)
        if self.estimate == "plain" or n <= d + 2:
            self.location_, self.support_ = mean_of(X), np.ones(n, bool)
            centred = X - self.location_
            self.covariance_ = centred.T @ centred / n
        else:
            size = (n + d + 1) // 2 if self.support is None else max(d + 1, int(np.ceil(self.support * n)))
            draw = random_state_of(self.random_state)
            estimates = least_determinant(X, min(size, n), self.n_starts, draw)
            self.location_, self.covariance_, self.support_ = estimates
        self.precision_ = inverse_of(self.covariance_)
        self._map_ = root_of(self.precision_, type(self).__name__)
        self._mention_planes(X)

    def _mention_planes(self, X: np.ndarray) -> None:
        """Warn if rows vary in a direction in which the rows behind the Gaussian do not."""
        lost = len(root_of(inverse_of(covariance_of(X)), type(self).__name__)) - len(self._map_)
        still = np.flatnonzero((np.diag(self.covariance_) == 0) & (np.ptp(X, axis=0) > 0))
        usual = [j for j in still if len(np.unique(X[:, j])) == 2]  # as an indicator is, of a common category
        if self.support_.all() or lost <= len(usual):
            return
        still = np.setdiff1d(still, usual)
        columns = ", ".join(
            f"column {self._names[j]} is {self.location_[j]:g} in {np.mean(X[:, j] == self.location_[j]):.0%} of them"
            for j in still[:3]
        )
        warn_user(
            f"{type(self).__name__}: more than half of the rows vary in {lost} direction(s) less than all do"
            f"{' (' + columns + ')' if columns else ''}; these directions count nothing. Use estimate='plain', a "
            "larger support, or IsolationForest.",
            DegenerateWarning,
        )

    def _auto_offset(self) -> float:
        from scipy.stats import chi2

        return -float(chi2.ppf(self.level, len(self._map_)))

    def mahalanobis(self, X: TableLike) -> np.ndarray:
        """(n,) the squared distance (1) of each row from the centre."""
        return -self._score(self._admit(X))

    def log_density(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the Gaussian's density at each row, over the directions in which rows vary."""
        L = self._map_[np.any(self._map_ != 0, axis=1)]  # L^T L is the inverse covariance
        square = len(L) == L.shape[1]  # then no scale of a column hides the others
        log_volume = np.linalg.slogdet(L)[1] if square else np.log(np.linalg.svd(L, compute_uv=False)).sum()
        constant = len(L) * np.log(2 * np.pi) - 2 * log_volume
        return 0.5 * (self._score(self._admit(X)) - constant)

    def _score(self, X: np.ndarray) -> np.ndarray:
        return -np.sum(((X - self.location_) @ self._map_.T) ** 2, axis=1)  # (1)

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        apart = X - self.location_
        parts = apart * (apart @ self.precision_)  # they sum to the squared distance
        spread = np.sqrt(np.diag(self.covariance_))

        def sections(i: int) -> list[Section]:
            lines = [
                [name, float(x), float(m), float(s), float(part)]
                for name, x, m, s, part in zip(self._names, X[i], self.location_, spread, parts[i])
            ]
            note = f"The contributions sum to the squared distance {parts[i].sum():.4g}."
            columns = ["column", "value", "centre", "spread", "contribution"]
            return [Section("Distance from the centre", columns, lines, note)]

        def contributions(some: np.ndarray) -> Contributions:
            outputs, chosen = ["the squared distance from the centre"], np.zeros(len(some), int)
            return self._contributions(parts[some][:, :, None], np.zeros(1), outputs, chosen)

        return Reasons(sections, contributions)
