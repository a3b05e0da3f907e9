"""Regularised discriminant analysis: between quadratic, linear and nearest-mean classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.covariance_estimates import BlendedRows, empirical
from assay.bayes.gaussian_classifier import check_overflow, class_priors
from assay.bayes.low_rank import LowRank, few_rows
from assay.bayes.own_covariances import OwnCovariances
from assay.core import Card
from assay.core.moments import ClassScatter, RowScatter, class_scatter
from assay.core.parameters import Range, Simplex
from assay.core.stored import FloatArray
from assay.core.sums import Source
from assay.errors import ParameterError
from assay.types import Priors


class RegularizedDiscriminantAnalysis(OwnCovariances):
    r"""Gaussian classes whose covariances are shrunk towards the pooled one and a sphere.

    .. math:: \Sigma_k' = \alpha s^2 I + \beta S + (1-\alpha-\beta)S_k,\qquad
              s^2 = \tfrac1d\mathrm{tr}\,S                                                   \quad (1)

    where :math:`S_k` is the covariance of class k and :math:`S=\sum_k\pi_kS_k` the pooled one, both by maximum
    likelihood. The corners are quadratic discriminants (0, 0), linear ones (0, 1) and the nearest
    mean (1, 0). Choose alpha and beta by cross-validation, for example with scikit-learn's ``GridSearchCV``.

    Of use where a class has few rows for its d (d + 1) / 2 covariances: any beta that makes the pooled matrix
    count, or any alpha above 0, makes a singular :math:`S_k` harmless. A blend that is singular all the same is a
    ``SingularCovarianceError``. A class with a single row has :math:`S_k=0` and is estimated by the other two terms.

    Cost: fit O(n d^2 + K d^3), with fewer rows than columns and alpha above 0 O(n^2 d K); predict O(K d^2) a row, then
    O(K n d); memory O(K d^2), then O(K n d).

    Parameters
    ----------
    alpha : number from 0 to 1, default 0.1
        The share of the sphere; alpha + beta may not exceed 1.
    beta : number from 0 to 1, default 0.4
        The share of the pooled covariance.
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares. S is pooled by the class shares in any case.
    tol : float, default 1e-4
        Where a singular value counts as zero, see `QuadraticDiscriminantAnalysis`.

    Attributes
    ----------
    means_ : (K, d)      priors_ : (K,)
    covariance_ : (K, d, d) the blends, (1); of fewer rows than columns computed on access

    Examples
    --------
    >>> from assay.bayes import RegularizedDiscriminantAnalysis
    >>> X, y = [[-1.0], [1.0], [3.0], [7.0]], ["a", "a", "b", "b"]
    >>> RegularizedDiscriminantAnalysis(alpha=0.0, beta=0.5).fit(X, y).covariance_.ravel()
    array([1.75, 3.25])

    See Also
    --------
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, NearestMean

    References
    ----------
    - Friedman, J. H. (1989). Regularized discriminant analysis. Journal of the American Statistical Association
      84(405), 165-175. doi:10.1080/01621459.1989.10478752
    """

    card = Card(
        "rda",
        "between lda and qda, shrunk",
        also=("regularized discriminant",),
        suits="numeric",
        scale=True,
        learns=(
            "a Gaussian of each class, covariances shrunk",
            "negative log joint likelihood, shrunk",
            "moments",
            "analytic",
        ),
    )
    accepts = {"alpha": Range(0, 1), "beta": Range(0, 1), "priors": Simplex() | None, "tol": Range(0)}
    stored = {"covariance_": FloatArray("K", "p", "p")}

    def __init__(
        self, alpha: float = 0.1, beta: float = 0.4, *, priors: Priors | None = None, tol: float = 1e-4
    ):
        self.alpha = alpha
        self.beta = beta
        self.priors = priors
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.alpha + self.beta > 1 + 1e-12:
            raise ParameterError(
                f"{type(self).__name__}: alpha + beta must be at most 1, got {self.alpha:g} + {self.beta:g}."
            )

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        return class_scatter(X, y, w, len(self.classes_), pooled=False)

    def _learn_rows(self, source: Source) -> None:
        few = few_rows(source, len(self.classes_))
        if few is None:
            super()._learn_rows(source)
        else:
            self._sums = few
            self._solve(few)

    def _solve(self, sums: ClassScatter | RowScatter) -> None:
        who = type(self).__name__
        self.__dict__.pop("covariance_", None)
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        self.means_ = sums.mean
        self.priors_ = class_priors(who, self.priors, sums.count, self.classes_)
        reason = " Got 1 class and n_samples = 1." if sums.rows.sum() == 1 else ""
        advice = f"Raise alpha{'' if isinstance(sums, RowScatter) else ', or beta'}.{reason}"
        if isinstance(sums, RowScatter):
            blends = self._blends(sums)
            shapes = [LowRank.of_rows(b.F, float(b.diagonal[0])) for b in blends]
            self._settle_rows(
                shapes, self.tol, lambda: np.array([b.dense() for b in blends]), lambda k: advice
            )
            if "_axes" not in vars(self):
                self.covariance_ = np.array([b.dense() for b in blends])
            return
        of_classes = empirical(sums).of_classes
        pooled = sums.scatter.sum(axis=0) / sums.count.sum()
        d = len(pooled)
        sphere = np.trace(pooled) / d * np.eye(d)
        remainder = max(1 - self.alpha - self.beta, 0.0)
        self.covariance_ = self.alpha * sphere + self.beta * pooled + remainder * of_classes  # (1)
        self._settle(self.covariance_, self.tol, lambda k: advice)

    def _blends(self, sums: RowScatter) -> list[BlendedRows]:
        """(1) of fewer rows than columns, from the rows."""
        n, d, classes = sums.count.sum(), sums.mean.shape[1], sums.classes
        pooled = sums.deviations / np.sqrt(n)
        sphere = np.full(d, self.alpha * np.einsum("ij,ij->", pooled, pooled) / d)
        remainder = max(1 - self.alpha - self.beta, 0.0)
        blends = []
        for k in range(len(sums.count)):
            # rows of class k count in the pooled covariance and in their own
            counts = np.full(len(classes), self.beta / n)
            counts[classes == k] += remainder / sums.count[k] if sums.count[k] > 0 else 0.0
            used = counts > 0
            blends.append(BlendedRows(sums.deviations[used] * np.sqrt(counts[used])[:, None], sphere))
        return blends

    def __getattr__(self, name: str) -> Any:
        if name == "covariance_" and "_axes" in vars(self):  # large, so it is computed on access
            return np.array([shape.dense() for shape in self._shapes or []])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
