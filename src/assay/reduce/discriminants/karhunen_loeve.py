"""Karhunen-Loeve expansion: principal components of the covariance within classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import class_priors
from assay.core import Card
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Choice, Count, Simplex
from assay.core.stored import FloatArray, Object
from assay.core.sum_learner import SumLearner
from assay.core.targets import encode_labels, label_codes
from assay.errors import DataError, ParameterError
from assay.reduce.components.gaussian_components import GaussianComponents
from assay.reduce.components.spectrum import spectrum_of_matrix
from assay.types import Priors

__all__ = ["KarhunenLoeve"]


class KarhunenLoeve(SumLearner, GaussianComponents):
    r"""Components of the covariance within classes, averaged over the classes by their priors.

    .. math:: \bar S = \sum_k \pi_k S_k = \sum_i \lambda_i w_i w_i^T, \qquad z_i = w_i^T(x-m)         \quad (1)

    with the covariances :math:`S_k` of the classes, divided by their sizes. Where principal components follow the
    differences between the means as well, these show how rows of one class vary: the first directions are those in
    which a class is widest, the last ones, in which all classes are narrow, are those where differences of means count
    most. Within the classes the new columns are uncorrelated, on average. The learner is a sum: ``fit_blocks``,
    ``partial_fit`` and Dask give the same numbers.

    Cost: fit O(n d^2 + d^3); transform O(d k) a row; memory O(K d^2).

    Parameters
    ----------
    n_components : int or None, default None
        None keeps all.
    priors : "equal", (K,) probabilities, or None, default None
        None takes the class shares.

    Attributes
    ----------
    components_ : (k, d) unit vectors, the largest entry of each positive
    explained_variance_ : (k,) the eigenvalues      explained_variance_ratio_ : (k,) their shares
    within_ : (d, d) the average covariance      priors_ : (K,)      means_ : (K, d) of the classes
    mean_ : (d,) the means averaged by the priors      classes_ : (K,)

    Examples
    --------
    >>> from assay.reduce import KarhunenLoeve
    >>> from assay.tables.data import load_iris
    >>> model = KarhunenLoeve(n_components=2).fit(load_iris().X, load_iris().y)
    >>> model.explained_variance_.round(6)
    array([0.434695, 0.08446 ])

    See Also
    --------
    PCA, CommonPrincipalComponents, LinearDiscriminantAnalysis

    References
    ----------
    - Fukunaga, K. (1990). Introduction to Statistical Pattern Recognition, second edition. Academic Press.
    - Devijver, P. A. and Kittler, J. (1982). Pattern Recognition: A Statistical Approach. Prentice Hall.
    """

    card = Card(
        "karhunen loeve",
        "components of the covariance within classes",
        also=("karhunen-loeve", "within-class components"),
    )
    accepts = {"n_components": Count(1) | None, "priors": Choice("equal") | Simplex() | None}
    stored = {
        "_sums": Object(ClassScatter, K="K", d="p"),
        "within_": FloatArray("p", "p", finite=True),
        "priors_": FloatArray("K", low=0),
        "means_": FloatArray("K", "p", finite=True),
    }
    _has_classes = True  # type: ignore[assignment]

    def __init__(self, n_components: int | None = None, *, priors: str | Priors | None = None):
        self.n_components = n_components
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        self.classes_, codes = encode_labels(y, X.shape[0], type(self).__name__)
        super()._learn(X, codes, w)

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> np.ndarray:
        """Codes among the classes so far, for which the sums make room."""
        who = type(self).__name__
        labels = encode_labels(y, n, who)[0] if classes is None else np.unique(classes)
        known = labels if first else np.union1d(self.classes_, labels)
        if not first and len(known) > len(self.classes_):
            places = np.searchsorted(known, self.classes_)
            self._sums = self._sums.with_classes(places, len(known), pooled=False)
        self.classes_ = known
        return label_codes(y, known, n, who)

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        return class_scatter(X, y, w, len(self.classes_), pooled=False)

    def _solve(self, sums: ClassScatter) -> None:
        who, K, d = type(self).__name__, len(self.classes_), sums.mean.shape[1]
        chosen: Any = np.full(K, 1 / K) if isinstance(self.priors, str) else self.priors
        n = float(sums.count.sum())
        self._divisor(n)
        self.priors_ = class_priors(who, chosen, sums.count, self.classes_)
        weight = self.priors_ / np.where(sums.count > 0, sums.count, 1.0)
        self.within_ = self._finite(np.tensordot(weight, sums.scatter, 1))  # (1)
        k = d if self.n_components is None else int(self.n_components)
        if k > d:
            raise ParameterError(f"{who}: n_components={k} must be at most the number of columns, {d}.")
        self.means_ = sums.mean
        self._keep_spectrum(
            spectrum_of_matrix(self.within_, k),
            self.priors_ @ sums.mean,
            None,
            n,
            int(np.ceil(n)),
            np.dtype(float),
        )
