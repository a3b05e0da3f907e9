"""Base class of mixtures that are learned by the driver of EM: what they share, and what all of them answer."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin

from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Count, Range, Seed
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, Scalar
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Source, is_dask
from assay.core.targets import check_weights
from assay.errors import DataError
from assay.mixture.em_driver import EMRun, best_of, expectation_maximization
from assay.mixture.mixture_learner import start_rows
from assay.types import TableLike, Target, Weights

__all__ = ["LOCAL_PARAMETERS", "LocalMixture"]

LOCAL_PARAMETERS = {
    "n_components": Count(1),
    "tol": Range(0),
    "max_iter": Count(0),
    "n_init": Count(1),
    "random_state": Seed(),
}


class LocalMixture(WithoutTarget, DensityMixin, Learner):
    """A mixture learned by passes over the rows.

    Subclasses write ``_begin(X, w, draw)``, the first state from some rows, ``_sums(X, w, state)``, what a block adds
    (an object with ``log_likelihood`` that knows +), ``_maximise(sums, state)``, ``_log_joint_of(X, state)``,
    ``_adopt_state(state)``, ``_state()`` and ``_n_parameters()``.
    """

    stored = {
        "weights_": FloatArray("c", low=0),
        "converged_": Boolean(),
        "log_likelihood_": Scalar(),
        "lower_bounds_": Each(Scalar()),
    }
    monotone: ClassVar[bool] = True
    n_components: int
    tol: float
    max_iter: int
    n_init: int
    random_state: Any
    weights_: np.ndarray

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Find the components among the rows of X; y is ignored."""
        self._check_parameters()
        if is_dask(X):
            self._fit_dask(X, None, sample_weight)
            return self
        values = self._admit(X, fitting=True)
        self._learn(values, None, check_weights(sample_weight, values, type(self).__name__))
        return self

    def fit_predict(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n,) the component of each row of X, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _learn_from(self, source: Source) -> None:
        who, n = type(self).__name__, source.count()
        if n < max(2, self.n_components):
            raise DataError(
                f"n_samples={n} should be >= n_components={self.n_components}, and at least 2.", who=who
            )
        draw = random_state_of(self.random_state)
        self._survey_rows(source)
        runs = []
        for _ in range(self._starts()):
            some = start_rows(source, n, draw)
            runs.append(self._follow(source, self._begin(some.X, some.w, draw)))
        best: EMRun[Any] = best_of(runs)
        self._adopt_state(best.state)
        self.converged_, self.log_likelihood_ = best.converged, best.log_likelihood
        self.lower_bounds_, self.n_iter_ = best.history, len(best.history)
        self.history_ = [{"iteration": i, "log_likelihood": v} for i, v in enumerate(best.history, 1)]

    def _starts(self) -> int:
        return self.n_init

    def _follow(self, source: Source, state: Any) -> EMRun[Any]:
        def step(at: Any) -> tuple[Any, float]:
            sums = source.add_up(lambda block: self._sums(_float(block.X), block.w, at))
            return self._maximise(sums, at), sums.log_likelihood + self._log_prior(at)

        return expectation_maximization(
            step, state, max_iter=self.max_iter, tol=self.tol, monotone=self.monotone, who=type(self).__name__
        )

    def _log_prior(self, state: Any) -> float:
        return 0.0

    def _survey_rows(self, source: Source) -> None:
        """What the learner has to know of all rows before the first step."""

    def _begin(self, X: Any, w: Any, draw: np.random.RandomState) -> Any:
        raise TypeError(f"{type(self).__name__} must define _begin")

    def _sums(self, X: np.ndarray, w: Any, state: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _sums")

    def _maximise(self, sums: Any, state: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _maximise")

    def _log_joint_of(self, X: np.ndarray, state: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _log_joint_of")

    def _adopt_state(self, state: Any) -> None:
        raise TypeError(f"{type(self).__name__} must define _adopt_state")

    def _state(self) -> Any:
        raise TypeError(f"{type(self).__name__} must define _state")

    def _n_parameters(self) -> int:
        raise TypeError(f"{type(self).__name__} must define _n_parameters")

    # ------------------------------------------------------------------ answers

    def _joint(self, X: TableLike) -> np.ndarray:
        return self._log_joint_of(_float(self._admit(X)), self._state())

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable component of each row."""
        return np.argmax(self._joint(X), axis=1)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each component, given what is known of the row."""
        return softmax(self._joint(X))

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the density at each row, of the columns that it has."""
        return logsumexp(self._joint(X), axis=1)

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean of the log densities of the rows."""
        return float(np.mean(self.score_samples(X)))

    def bic(self, X: TableLike) -> float:
        """Bayes' information criterion on the rows of X, the lower the better."""
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self._n_parameters() * np.log(len(logs)))

    def aic(self, X: TableLike) -> float:
        """Akaike's information criterion on the rows of X, the lower the better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self._n_parameters())

    def icl(self, X: TableLike) -> float:
        """``bic`` plus twice the entropy of the probabilities of components, the lower the better."""
        logs = self._joint(X)
        logs = logs - logsumexp(logs, axis=1, keepdims=True)
        return self.bic(X) - 2 * float(np.sum(np.where(np.isfinite(logs), np.exp(logs) * logs, 0.0)))

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its component: weights, log densities and probabilities of all of them."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        joint = self._log_joint_of(_float(X), self._state())
        shares = softmax(joint.copy())

        def sections(i: int) -> list[Section]:
            order = np.argsort(-joint[i], kind="stable")
            lines = [
                [int(k), float(self.weights_[k]), float(joint[i, k]), float(shares[i, k])] for k in order
            ]
            return [Section("Components", ["component", "weight", "log joint density", "probability"], lines)]

        labels = list(range(joint.shape[1]))
        return Explanations(
            type(self).__name__, np.argmax(joint, axis=1).tolist(), rows, Reasons(sections), labels, shares
        )

    def _model_parts(self) -> list[Part]:
        lines = [[k, float(v)] for k, v in enumerate(self.weights_)]
        return [
            Section(
                "Components", ["component", "weight"], lines, f"Log likelihood {self.log_likelihood_:.6g}."
            )
        ]


def _float(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)
