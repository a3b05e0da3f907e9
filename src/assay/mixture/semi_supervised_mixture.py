"""Mixture whose components belong to classes, learned from rows of which some have labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin

from assay.core import Card
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner, python_labels
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, IntArray, Scalar
from assay.core.sums import Block
from assay.core.targets import check_weights
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.mixture.column_ranges import ColumnRanges
from assay.mixture.components import FORMS, CovarianceForm, Estimates, Moments
from assay.mixture.em_driver import expectation_maximization
from assay.mixture.missing_values import KnownColumns, complete_groups, lacks_values, widened_for_missing
from assay.mixture.starts import k_means
from assay.types import Labels, RandomState, TableLike, Weights

__all__ = ["SemiSupervisedMixture"]


@dataclass(frozen=True)
class _State:
    """The state of EM: (m,) weights, (m, p) means, and covariances as the form has them."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray

    def columns(self, form: CovarianceForm, members: np.ndarray) -> KnownColumns:
        """Some of the components, for rows of any pattern of missing values."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights[members])
        return KnownColumns(form, logs, self.means[members], form.keep(self.covariances, members))


@dataclass(frozen=True)
class _Part:
    """Rows that may come of the same components: ``members``."""

    X: np.ndarray
    w: np.ndarray | None
    members: np.ndarray

    def expect(self, form: CovarianceForm, state: _State) -> Moments:
        """What these rows add to the sums of all components."""
        sums = state.columns(form, self.members).expect(self.X, self.w)
        m, d = state.means.shape
        counts, first = np.zeros(m), np.zeros((m, d))
        counts[self.members], first[self.members] = sums.counts, sums.first
        second = sums.second
        if form.name != "tied":
            second = np.zeros((m, *sums.second.shape[1:]))
            second[self.members] = sums.second
        return Moments(counts, first, second, sums.log_evidence, sums.entropy)


class SemiSupervisedMixture(SquaredRows, DensityMixin, Learner):
    r"""Gaussians that belong to classes, from few rows with labels and many without.

    A row of class c can only come of a component of c; of a row without a label (None, NaN or -1) nothing is known but
    its columns. EM maximises the likelihood of both kinds together:

    .. math:: \sum_{i\ \text{labelled}} \ln\sum_{k \in c_i} \pi_k N(x_i; \mu_k, \Sigma_k)
              + \sum_{i\ \text{unlabelled}} \ln\sum_k \pi_k N(x_i; \mu_k, \Sigma_k)                    \quad (1)

    With all labels and one component a class, this is the supervised estimate: shares, means and covariances of the
    classes. With no labels it is :class:`GaussianMixture`. Unlabelled rows help where classes are clusters; where they
    are not, they may harm. Missing values are used as :class:`GaussianMixture` does, by the expectation step.

    Cost: fit O(n K d^2) an iteration; predict O(K d^2) a row; memory O(n d).

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
    takes = frozenset({"missing"})
    accepts = {
        "n_components": Count(1),
        "covariance_type": Choice("full", "tied", "diag", "spherical", "tied_spherical"),
        "reg_covar": Range(0, open="high"),
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
    def _form(self) -> CovarianceForm:
        return FORMS[self.covariance_type]

    def _check_stored(self) -> None:
        if "means_" in vars(self) and self.covariances_.shape != self._form.shape(*self.means_.shape):
            raise ValueError(f"{type(self).__name__}: covariances must fit the means.")

    @all_or_nothing
    def fit(self, X: TableLike, y: Labels | None = None, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and those labels of y that are known: None, NaN and -1 are not.

        Without any label there is one class, 0.
        """
        self._check_parameters()
        who = type(self).__name__
        values = np.ascontiguousarray(self._admit(X, fitting=True), dtype=np.float64)
        weights = check_weights(sample_weight, values, who)
        plain = self._plain_labels(y, len(values))
        if weights is not None:
            counted = np.flatnonzero(weights > 0)
            values, weights = values[counted], weights[counted]
            plain = None if plain is None else [plain[i] for i in counted]
        codes = self._labels(plain, len(values))
        K, m = len(self.classes_), self.n_components
        if len(values) < max(2, K * m):
            raise DataError(
                f"n_samples={len(values)} should be >= {max(2, K * m)}, for {K * m} components.",
                who=who,
            )
        self._check_columns(values)
        self.component_classes_ = np.repeat(np.arange(K), m)
        form = self._form
        parts = list(self._parts(values, codes, weights))

        def parameters(estimates: Estimates) -> _State:
            covariances = form.covariances(estimates, self.reg_covar)
            return _State(estimates.counts / estimates.counts.sum(), estimates.means, covariances)

        def step(state: _State) -> tuple[_State, float]:
            end_if_abandoned()
            moments = reduce(add, (part.expect(form, state) for part in parts))
            return parameters(form.estimates(moments, state.means)), moments.log_evidence

        run = expectation_maximization(
            step,
            parameters(self._first(values, codes, weights)),
            max_iter=self.max_iter,
            tol=self.tol,
            monotone=self.reg_covar == 0,  # what is added to the variances may cost a little
            who=who,
        )
        self.weights_, self.means_, self.covariances_ = (
            run.state.weights,
            run.state.means,
            run.state.covariances,
        )
        self.log_likelihood_, self.converged_, self.n_iter_ = (
            run.log_likelihood,
            run.converged,
            len(run.history),
        )
        self.lower_bounds_ = run.history
        return self

    def _check_columns(self, X: np.ndarray) -> None:
        who = type(self).__name__
        empty = np.flatnonzero(np.isnan(X).all(axis=0))
        if len(empty):
            raise DataError(f"column {self._names[empty[0]]!r} has no value at all. Leave it out.", who=who)
        ranges = ColumnRanges.of_block(Block(X, None, None))
        ranges.refuse_without_squares(self._names, who)
        ranges.warn_below(self.reg_covar, "reg_covar", self._names, who)

    def _parts(self, X: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> Iterator[_Part]:
        """The rows without a label, which may come of any component, and those of each class, of its own alone."""
        for c in range(-1, len(self.classes_)):
            rows = np.flatnonzero(codes == c)
            if len(rows):
                members = np.flatnonzero((self.component_classes_ == c) | (c < 0))
                yield _Part(np.ascontiguousarray(X[rows]), None if w is None else w[rows], members)

    def _plain_labels(self, y: Any, n: int) -> list[Any] | None:
        """Labels as plain values, None where there is none."""
        if y is None:
            return None
        y = np.asarray(y) if hasattr(y, "__array__") and not hasattr(y, "tolist") else y
        values = y.tolist() if hasattr(y, "tolist") else y
        plain = [v.item() if isinstance(v, np.generic) else v for v in values]
        if len(plain) != n:
            raise DataError(f"y has {len(plain)} labels for {n} rows.", who=type(self).__name__)
        return [None if v != v or (isinstance(v, (int, float)) and v == -1) else v for v in plain]

    def _labels(self, plain: list[Any] | None, n: int) -> np.ndarray:
        """(n,) class numbers, -1 where there is no label."""
        known = sorted({v for v in plain or () if v is not None}, key=lambda v: (str(type(v)), v))
        if plain is None or not known:
            self.classes_ = np.array([0])
            return np.full(n, -1)
        self.classes_ = np.array(known)
        place = {v: i for i, v in enumerate(known)}
        return np.array([-1 if v is None else place[v] for v in plain])

    def _first(self, X: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> Estimates:
        """Labelled rows by k-means within their class, others by the nearest of these means."""
        K, m = len(self.classes_), self.n_components
        draw = random_state_of(self.random_state)
        filled = complete_groups(X, w, K * m, draw) if lacks_values(X) else X
        centers = np.empty((K * m, X.shape[1]))
        if (codes >= 0).any():
            for c in range(K):
                rows = filled[codes == c]
                weights = None if w is None else w[codes == c]
                mean = np.average(rows, axis=0, weights=weights)
                if m == 1:
                    centers[c] = mean
                elif len(rows) >= m:
                    centers[c * m : c * m + m] = k_means(rows, weights, m, draw)[0]
                else:
                    spread = filled.std(axis=0) * 0.1
                    centers[c * m : c * m + m] = mean + spread * draw.standard_normal((m, X.shape[1]))
        else:
            centers = k_means(filled, w, K * m, draw)[0]
        gaps = np.array([np.sum((filled - center) ** 2, axis=1) for center in centers]).T
        gaps[(codes[:, None] >= 0) & (codes[:, None] != self.component_classes_)] = np.inf
        shares = np.zeros(gaps.shape)
        shares[np.arange(len(X)), np.argmin(gaps, axis=1)] = 1.0
        if w is not None:
            shares *= w[:, None]
        estimates = self._form.estimates_of(filled, shares)
        return estimates if filled is X else widened_for_missing(self._form, estimates, X, shares)

    # ------------------------------------------------------------------ answers

    def _joint(self, X: np.ndarray) -> np.ndarray:
        """(n, m) the log of weight times density of each component, of what is known of a row."""
        state = _State(self.weights_, self.means_, self.covariances_)
        X = np.ascontiguousarray(X, dtype=np.float64)
        return state.columns(self._form, np.arange(len(self.weights_))).log_joint(X)

    def _class_joint(self, X: TableLike) -> np.ndarray:
        return self._by_class(self._joint(self._admit(X)))

    def _by_class(self, joint: np.ndarray) -> np.ndarray:
        classes = range(len(self.classes_))
        return np.column_stack([logsumexp(joint[:, self.component_classes_ == c], axis=1) for c in classes])

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
        """The mean log density of the rows; with labels the share of the rows with a label that is right."""
        if y is None:
            return float(np.mean(self.score_samples(X)))
        answers = self.predict(X)
        plain = self._plain_labels(y, len(answers)) or []
        right = [a == v for a, v in zip(answers.tolist(), plain) if v is not None]
        if not right:
            raise DataError("no row has a label to be right about.", who=type(self).__name__)
        return float(np.mean(right))

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its class: weights, log densities and probabilities of the components."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        joint = self._joint(X)
        shares, posterior = softmax(joint.copy()), softmax(self._by_class(joint))
        labels = python_labels(self.classes_)

        def sections(i: int) -> list[Section]:
            lines = [
                [int(k), str(labels[self.component_classes_[k]]), float(self.weights_[k]), float(joint[i, k]),
                 float(shares[i, k])]
                for k in np.argsort(-joint[i], kind="stable")
            ]  # fmt: skip
            heads = ["component", "class", "weight", "log joint density", "probability"]
            return [Section("Components", heads, lines)]

        answers = [labels[k] for k in posterior.argmax(axis=1)]
        return Explanations(type(self).__name__, answers, rows, Reasons(sections), labels, posterior)

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
