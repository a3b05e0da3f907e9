"""Mixture whose components belong to classes, learned from rows of which some have labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin

from assay.core import Card
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, IntArray, Scalar
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.mixture.components import FORMS
from assay.mixture.em_driver import expectation_maximization
from assay.mixture.starts import k_means
from assay.types import Labels, RandomState, TableLike

__all__ = ["SemiSupervisedMixture"]

LOG_2PI = float(np.log(2 * np.pi))


class SemiSupervisedMixture(SquaredRows, DensityMixin, Learner):
    r"""Gaussians that belong to classes, from few rows with labels and many without.

    A row of class c can only come of a component of c; of a row without a label (None, NaN or -1) nothing is known but
    its columns. EM maximises the likelihood of both kinds together:

    .. math:: \sum_{i\ \text{labelled}} \ln\sum_{k \in c_i} \pi_k N(x_i; \mu_k, \Sigma_k)
              + \sum_{i\ \text{unlabelled}} \ln\sum_k \pi_k N(x_i; \mu_k, \Sigma_k)                    \quad (1)

    With all labels and one component a class, this is the supervised estimate: shares, means and covariances of the
    classes. With no labels it is :class:`GaussianMixture`. Unlabelled rows help where classes are clusters; where they
    are not, they may harm.

    Cost: fit O(n K d^2) an iteration; predict O(K d^2) a row; memory O(n K).

    Parameters
    ----------
    n_components : int, default 1
        Of each class.
    covariance_type : "full", "tied", "diag", "spherical" or "tied_spherical", default "full"
    reg_covar : float, default 1e-6
    tol : float, default 1e-5
        Stop when (1) rises by less.
    max_iter : int, default 500
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    classes_ : (K,)      component_classes_ : (m,) the class number of each component      weights_, means_,
    covariances_ log_likelihood_ : float, (1)      n_iter_ : int      converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> from assay.mixture import SemiSupervisedMixture
    >>> X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    >>> model = SemiSupervisedMixture(covariance_type="tied").fit(X, ["a", None, None, None, None, "b"])
    >>> model.predict([[1.5], [7.0]]).tolist()
    ['a', 'b']

    See Also
    --------
    MixtureClassifier, GaussianMixture

    References
    ----------
    - Nigam, K., McCallum, A. K., Thrun, S. and Mitchell, T. (2000). Text classification from labeled and unlabeled
      documents using EM. Machine Learning 39, 103-134. doi:10.1023/A:1007692713085
    """

    card = Card("semi-supervised mixture", "Gaussians of classes, from rows of which some have labels")
    accepts = {
        "n_components": Count(1),
        "covariance_type": Choice("full", "tied", "diag", "spherical", "tied_spherical"),
        "reg_covar": Range(0),
        "tol": Range(0),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "component_classes_": IntArray("c", low=0, below="K"),
        "weights_": FloatArray("c", low=0),
        "means_": FloatArray("c", "p", finite=True),
        "covariances_": FloatArray("c", "p", "p")
        | FloatArray("p", "p")
        | FloatArray("c", "p")
        | FloatArray("c"),
        "log_likelihood_": Scalar(),
        "converged_": Boolean(),
        "lower_bounds_": Each(Scalar()),
    }

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        reg_covar: float = 1e-6,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def _form(self) -> Any:
        return FORMS[self.covariance_type]

    def _check_stored(self) -> None:
        if "means_" in vars(self) and self.covariances_.shape != self._form.shape(*self.means_.shape):
            raise ValueError(f"{type(self).__name__}: covariances must fit the means.")

    @all_or_nothing
    def fit(self, X: TableLike, y: Labels | None = None) -> Self:
        """Learn from the rows of X and those labels of y that are known: None, NaN and -1 are not.

        Without any label there is one class, 0.
        """
        self._check_parameters()
        values = np.ascontiguousarray(self._admit(X, fitting=True), dtype=np.float64)
        codes = self._labels(y, len(values))
        K, m = len(self.classes_), self.n_components
        if len(values) < max(2, K * m):
            raise DataError(
                f"n_samples={len(values)} should be >= {max(2, K * m)}, for {K * m} components.",
                who=type(self).__name__,
            )
        self.component_classes_ = np.repeat(np.arange(K), m)
        shares = self._first_shares(values, codes)
        barred = (codes[:, None] >= 0) & (codes[:, None] != self.component_classes_)
        form = self._form

        def parameters(h: np.ndarray) -> Any:
            estimates = form.estimates_of(values, h)
            covariances = form.covariances(estimates, self.reg_covar)
            return estimates.counts / estimates.counts.sum(), estimates.means, covariances

        def step(state: Any) -> tuple[Any, float]:
            joint = np.where(barred, -np.inf, self._joint_of(values, *state))
            evidence = logsumexp(joint, axis=1)
            return parameters(np.exp(joint - evidence[:, None])), float(evidence.sum())

        run = expectation_maximization(
            step,
            parameters(shares),
            max_iter=self.max_iter,
            tol=self.tol,
            monotone=False,
            who=type(self).__name__,
        )
        self.weights_, self.means_, self.covariances_ = run.state
        self.log_likelihood_, self.converged_, self.n_iter_ = (
            run.log_likelihood,
            run.converged,
            len(run.history),
        )
        self.lower_bounds_ = run.history
        return self

    def _labels(self, y: Any, n: int) -> np.ndarray:
        if y is None:
            self.classes_ = np.array([0])
            return np.full(n, -1)
        plain = [
            v.item() if isinstance(v, np.generic) else v for v in (y.tolist() if hasattr(y, "tolist") else y)
        ]
        if len(plain) != n:
            raise DataError(f"y has {len(plain)} labels for {n} rows.", who=type(self).__name__)
        unknown = [v is None or v != v or (isinstance(v, (int, float)) and v == -1) for v in plain]
        known = sorted({v for v, out in zip(plain, unknown) if not out}, key=lambda v: (str(type(v)), v))
        if not known:
            self.classes_ = np.array([0])
            return np.full(n, -1)
        self.classes_ = np.array(known)
        place = {v: i for i, v in enumerate(known)}
        return np.array([-1 if out else place[v] for v, out in zip(plain, unknown)])

    def _first_shares(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Responsibilities: labelled rows by k-means within their class, others by the nearest of these means."""
        K, m = len(self.classes_), self.n_components
        draw = random_state_of(self.random_state)
        centers = np.empty((K * m, X.shape[1]))
        if (codes >= 0).any():
            for c in range(K):
                rows = X[codes == c]
                if m == 1:
                    centers[c] = rows.mean(axis=0)
                elif len(rows) >= m:
                    centers[c * m : c * m + m] = k_means(rows, None, m, draw)[0]
                else:
                    spread = X.std(axis=0) * 0.1
                    centers[c * m : c * m + m] = rows.mean(axis=0) + spread * draw.standard_normal(
                        (m, X.shape[1])
                    )
        else:
            centers = k_means(X, None, K * m, draw)[0]
        gaps = np.array([np.sum((X - center) ** 2, axis=1) for center in centers]).T
        gaps[(codes[:, None] >= 0) & (codes[:, None] != self.component_classes_)] = np.inf
        shares = np.zeros(gaps.shape)
        shares[np.arange(len(X)), np.argmin(gaps, axis=1)] = 1.0
        return shares

    def _joint_of(self, X: np.ndarray, weights: Any, means: Any, covariances: Any) -> np.ndarray:
        form, d = self._form, means.shape[1]
        roots = form.roots(covariances)
        with np.errstate(divide="ignore"):
            constants = np.log(weights) + form.log_det(roots, d) - 0.5 * d * LOG_2PI
        return form.quadratic(X, means, roots, np.ascontiguousarray(constants, dtype=np.float64))

    def _class_joint(self, X: TableLike) -> np.ndarray:
        joint = self._joint_of(
            np.asarray(self._admit(X), dtype=np.float64), self.weights_, self.means_, self.covariances_
        )
        K = len(self.classes_)
        return np.column_stack([logsumexp(joint[:, self.component_classes_ == c], axis=1) for c in range(K)])

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior probability of each class, in the order of ``classes_``."""
        return softmax(self._class_joint(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class."""
        joint = self._class_joint(X)
        return self.classes_[np.argmax(joint, axis=1)]

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the density at each row."""
        return logsumexp(self._class_joint(X), axis=1)

    def score(self, X: TableLike, y: Any = None) -> float:
        """The mean log density of the rows; with labels the share of them that is right."""
        if y is None:
            return float(np.mean(self.score_samples(X)))
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _model_parts(self) -> list[Part]:
        lines = [
            [k, str(self.classes_[c]), float(self.weights_[k])] for k, c in enumerate(self.component_classes_)
        ]
        means = [
            [name, k, float(self.means_[k, j])]
            for k in range(len(self.means_))
            for j, name in enumerate(self._names)
        ]
        return [
            Section("Components", ["component", "class", "weight"], lines),
            Section("Means", ["column", "component", "mean"], means),
        ]
