"""Nearest mean classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import check_overflow, class_priors, log_of
from assay.bayes.low_rank import LowRank, few_rows, whitening_of_rows
from assay.bayes.shared_covariance import SharedCovariance, whitening
from assay.core import Card
from assay.core.moments import ClassMoments, ClassScatter, RowScatter, class_moments, class_scatter
from assay.core.parameters import Array, Choice
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.sums import Source
from assay.types import Priors


class NearestMean(SharedCovariance):
    r"""Classify by the distance to the class means; with priors, by equal spherical Gaussians around them.

    With equal priors the answer is the class with the smallest distance, whatever the spread. The
    probabilities, and the effect of unequal priors, come from the Gaussian with that distance in its exponent:

    .. math:: g_k(x) = -\frac{\lVert x-m_k\rVert^2}{2s^2} + \ln\pi_k,\qquad s^2=\tfrac1d\mathrm{tr}\,S  \quad (1)

    for the Euclidean distance, and for Mahalanobis'

    .. math:: g_k(x) = -\tfrac12 (x-m_k)^T S^{-1}(x-m_k) + \ln\pi_k                                     \quad (2)

    with S the pooled covariance within classes (divisor n); where S is singular, directions without spread
    are left out. The Euclidean distance depends on the columns' units: standardise first.

    Should no column vary within any class, s counts as 1 (the answer does not depend on it). One class alone
    is always the answer; a class without weight is never the answer.

    Cost: fit O(n d), by Mahalanobis O(n d^2 + d^3), with fewer rows than columns O(n^2 d); predict O(d K) a row; memory
    O(d K), by Mahalanobis O(min(n, d) d).

    Parameters
    ----------
    metric : "euclidean" or "mahalanobis", default "euclidean"
    priors : "uniform", "empirical" or (K,) probabilities, default "uniform"
        "empirical" takes the class shares.

    Attributes
    ----------
    means_ : (K, d)      priors_ : (K,)
    variance_ : float, s^2 ("euclidean")      covariance_ : (d, d), S ("mahalanobis")

    Examples
    --------
    >>> from assay.bayes import NearestMean
    >>> model = NearestMean().fit([[0.0, 0.0], [2.0, 0.0], [5.0, 4.0], [7.0, 4.0]], ["a", "a", "b", "b"])
    >>> model.distances([[4.0, 4.0]])                    # to (1, 0) and (6, 4)
    array([[5., 2.]])
    >>> model.predict([[4.0, 4.0]])
    array(['b'], dtype='<U1')

    See Also
    --------
    LinearDiscriminantAnalysis, DotProductClassifier, assay.neighbors.NearestCentroid

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """

    card = Card(
        "nearest mean",
        "the class whose mean is closest",
        suits="numeric",
        scale=True,
        learns=("a mean of each class", "squared distance to the mean of the class", "means", "analytic"),
    )
    accepts = {
        "metric": Choice("euclidean", "mahalanobis"),
        "priors": Choice("uniform", "empirical") | Array(1, low=0),
    }
    stored = {
        "_sums": Object(ClassMoments, ClassScatter, RowScatter, K="K", d="p"),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
        "variance_": Scalar(),
        "covariance_": FloatArray("p", "p"),
    }

    def __init__(self, metric: str = "euclidean", *, priors: Priors = "uniform"):
        self.metric = metric
        self.priors = priors

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassMoments | ClassScatter:
        if self.metric == "euclidean":
            return class_moments(X, y, w, len(self.classes_))
        return class_scatter(X, y, w, len(self.classes_), pooled=True)

    def _learn_rows(self, source: Source) -> None:
        few = few_rows(source, len(self.classes_)) if self.metric == "mahalanobis" else None
        if few is None:
            super()._learn_rows(source)
        else:
            self._sums = few
            self._solve(few)

    def _solve(self, sums: Any) -> None:
        who = type(self).__name__
        self.__dict__.pop("covariance_", None)
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        self.means_ = sums.mean
        present = sums.count > 0
        uniform = isinstance(self.priors, str) and self.priors == "uniform"
        priors = (
            present / max(present.sum(), 1)
            if uniform
            else None
            if isinstance(self.priors, str)
            else self.priors
        )
        self.priors_ = class_priors(who, priors, sums.count, self.classes_)
        d, centre = sums.mean.shape[1], self.priors_ @ self.means_
        if self.metric == "euclidean":
            s2 = sums.scatter.sum() / (sums.count.sum() * d)
            self.variance_ = float(s2) if s2 > 0 else 1.0
            shape: Any = LowRank(np.ones(d), np.empty((d, 0)), np.empty(0), self.variance_)
            z = (self.means_ - centre) / np.sqrt(self.variance_)
            weights = (self.means_ - centre) / self.variance_
        else:
            if isinstance(sums, RowScatter):
                shape = whitening_of_rows(sums.deviations / np.sqrt(sums.count.sum()))
                whitener = shape.whitener
            else:
                self.covariance_ = S = sums.scatter[0] / sums.count.sum()
                whitener = whitening(S)
                shape = whitener, S @ whitener
            z = (self.means_ - centre) @ whitener
            weights = z @ whitener.T
        constants = log_of(self.priors_) - 0.5 * np.sum(z * z, axis=1)  # (1), (2) about the centre
        self._settle(centre, weights, constants, shape)

    def __getattr__(self, name: str) -> Any:
        if name == "covariance_" and vars(self).get("metric") == "mahalanobis" and "_root" in vars(self):
            return self._root @ self._root.T  # of a fit on few rows: large, so it is computed on access
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def distances(self, X: Any, squared: bool = False) -> np.ndarray:
        """(n, K) the distance of each row to each class mean; ``squared`` as it stands in (1) and (2)."""
        X = self._admit(X)
        P = np.eye(X.shape[1]) if self.metric == "euclidean" else self._whitener
        squares = np.stack([np.sum(((X - mean) @ P) ** 2, axis=1) for mean in self.means_], axis=1)
        return squares if squared else np.sqrt(squares)
