"""What mixtures of any estimators share: EM around experts and a gate that take weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner, python_labels
from assay.core.meta_estimator import aligned, takes_weights
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Instance, Range, Seed
from assay.core.seeds import random_state_of, with_seed
from assay.core.stored import Boolean, Each, FloatArray, Object, Plain, Scalar
from assay.distances.squared_rows import SquaredRows, refuse_huge
from assay.errors import ParameterError, warn_user
from assay.local.mixture_of_experts_classifier import MixtureOfExpertsClassifier
from assay.mixture.starts import k_means
from assay.types import Estimator, RandomState, TableLike

__all__ = ["MixtureOfEstimators"]

LEAST_SHARE = 1e-6  # of a row, below which an expert or a branch of the gate does not see it
LEAST_VARIANCE = 1e-6  # of the noise, as a share of the target's
SOFT = 0.5  # of the first responsibilities that all experts share alike
LOG_2PI = float(np.log(2 * np.pi))


class MixtureOfEstimators(SquaredRows, Learner):
    """Learners around experts that are any estimators, and a gate that is any classifier with probabilities."""

    accepts = {
        "estimator": Instance(having="fit") | None,
        "gate": Instance(having="fit") | None,
        "n_experts": Count(1),
        "n_init": Count(1),
        "max_iter": Count(1),
        "tol": Range(0, open="high"),
        "random_state": Seed(),
    }
    stored = {
        "estimators_": Each(Object(BaseEstimator)),
        "gate_": Object(BaseEstimator) | None,
        "noise_": Scalar(low=0, finite=True),
        "weights_": FloatArray("E", low=0, finite=True),
        "log_likelihood_": Scalar(finite=True),
        "converged_": Boolean(),
        "history_": Each(Plain(dict)),
    }
    kind: ClassVar[str]
    estimators_: list[Any]
    gate_: Any

    def __init__(
        self,
        estimator: Estimator | None = None,
        gate: Estimator | None = None,
        n_experts: int = 3,
        *,
        n_init: int = 1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.gate = gate
        self.n_experts = n_experts
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _default_expert(self) -> Any:
        raise TypeError(f"{type(self).__name__} must define _default_expert")

    def _templates(self) -> tuple[Any, Any]:
        """The expert and the gate whose clones are fitted, checked."""
        who = type(self).__name__
        expert = self._default_expert() if self.estimator is None else self.estimator
        gate = MixtureOfExpertsClassifier(1) if self.gate is None else self.gate
        for name, model in (("estimator", expert), ("gate", gate)):
            if isinstance(model, type) or not takes_weights(model):
                raise ParameterError(
                    f"{who}: {name} must be an object whose fit takes sample_weight, got {model!r}: each expert sees "
                    "a row by its share."
                )
        if not hasattr(gate, "predict_proba"):
            raise ParameterError(f"{who}: gate must be a classifier with predict_proba, got {gate!r}.")
        if is_classifier(expert) != (self.kind == "classes"):
            raise ParameterError(f"{who}: estimator must be a {self._wanted}, got {expert!r}.")
        return expert, gate

    _wanted: ClassVar[str]

    def _learn_mixture(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        refuse_huge(y, who)
        weight = np.ones(len(X)) if w is None else w
        counted = weight > 0
        X, y, weight = X[counted], y[counted], weight[counted]
        draw = random_state_of(self.random_state)
        best: Any = None
        for start in range(self.n_init if self.n_experts > 1 else 1):
            run = self._run(X, y, weight, draw, start)
            if best is None or run[0] > best[0]:
                best = run
        self.log_likelihood_, self.estimators_, self.gate_, self.noise_, values, self.converged_ = best
        self.history_ = [{"iteration": i, "log_likelihood": v} for i, v in enumerate(values, 1)]
        self.n_iter_ = len(values)
        self.weights_ = weight @ self._shares(X, self.gate_) / weight.sum()
        if not self.converged_:
            warn_user(
                f"{who}: the likelihood still rose after {self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _run(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, draw: np.random.RandomState, start: int
    ) -> tuple[float, list[Any], Any, float, list[float], bool]:
        """EM from groups of rows; the best step is kept, since not every estimator maximises the likelihood."""
        E, middle = self.n_experts, np.average(X, axis=0, weights=weight)
        deviation = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=weight))
        rows = (X - middle) / np.where(deviation > 0, deviation, 1.0)
        groups = min(E, len(np.unique(rows, axis=0)))
        labels = (
            k_means(rows, weight, groups, draw if start else None)[1] if groups > 1 else np.zeros(len(X), int)
        )
        f = (1 - SOFT) * np.eye(E)[labels] + SOFT / E
        best: Any = None
        values, experts = list[float](), list[Any]()
        for _ in range(self.max_iter):
            end_if_abandoned()
            experts, gate = self._fit_members(X, y, weight, f, experts, draw)
            joint, noise = self._log_joint(X, y, weight, f, experts, gate)
            logs = logsumexp(joint, axis=1)
            f = np.exp(joint - logs[:, None])
            value = float(weight @ logs)
            rise = value - (best[0] if best else -np.inf)
            values.append(value)
            if best is None or rise > 0:
                best = value, experts, gate, noise
            if rise < self.tol * float(weight.sum()):
                return (*best, values, True)
        return (*best, values, self.n_experts == 1)

    def _fit_members(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, f: np.ndarray, before: list[Any], draw: Any
    ) -> tuple[list[Any], Any]:
        expert, gate = self._templates()
        targets = self._targets(y)
        experts = list[Any]()
        for e, share in enumerate((f * weight[:, None]).T):
            members = share > LEAST_SHARE
            if members.any() or not before:
                members = members if members.any() else np.ones(len(X), dtype=bool)
                model = with_seed(clone(expert), int(draw.randint(2**31 - 1)))
                experts.append(model.fit(X[members], targets[members], sample_weight=share[members]))
            else:
                experts.append(before[e])
        if self.n_experts == 1:
            return experts, None
        row, branch = np.nonzero(f * weight[:, None] > LEAST_SHARE)
        model = with_seed(clone(gate), int(draw.randint(2**31 - 1)))
        if len(np.unique(branch)) > 1:
            model.fit(X[row], branch, sample_weight=(f * weight[:, None])[row, branch])
        else:
            both = np.repeat(np.arange(2), len(X))  # a gate needs two branches to be a classifier at all
            model.fit(np.vstack([X, X]), np.where(both == 0, branch[0], (branch[0] + 1) % self.n_experts),
                      sample_weight=np.where(both == 0, 1.0, LEAST_SHARE))  # fmt: skip
        return experts, model

    def _shares(self, X: np.ndarray, gate: Any) -> np.ndarray:
        """(n, E) the shares that a gate gives to the experts."""
        if gate is None:
            return np.ones((len(X), 1))
        return aligned(np.asarray(gate.predict_proba(X)), gate.classes_, np.arange(self.n_experts))

    def _log_joint(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, f: np.ndarray, experts: list[Any], gate: Any
    ) -> tuple[np.ndarray, float]:
        """(n, E) log share and log density of the target together, and the deviation of the noise."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(self._shares(X, gate), 1e-300))
            if self.kind == "classes":
                each = self._each(X, experts)
                return logs + np.log(np.maximum(each[np.arange(len(X)), :, y], 1e-300)), 1.0
        squares = (y[:, None] - self._each(X, experts)[:, :, 0]) ** 2
        variance = float((weight[:, None] * f * squares).sum() / weight.sum())
        floor = LEAST_VARIANCE * float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        variance = max(variance, floor, 1e-300)
        return logs - 0.5 * (squares / variance + np.log(variance) + LOG_2PI), float(np.sqrt(variance))

    def _each(self, X: np.ndarray, experts: list[Any]) -> np.ndarray:
        """(n, E, K) what each expert says: numbers, or the probabilities of the classes."""
        raise TypeError(f"{type(self).__name__} must define _each")

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return y

    def predict_experts(self, X: TableLike) -> np.ndarray:
        """(n, E) the share of each expert in the answer."""
        return self._shares(self._admit(X), self.gate_)

    def expert_answers(self, X: TableLike) -> np.ndarray:
        """(n, E, K) what each expert alone says: numbers, or the probabilities of the classes."""
        return self._each(self._admit(X), self.estimators_)

    def _blend(self, X: np.ndarray) -> np.ndarray:
        return np.einsum("ne,nek->nk", self._shares(X, self.gate_), self._each(X, self.estimators_))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        shares, each = self._shares(X, self.gate_), self._each(X, self.estimators_)
        words = (
            [f"probability of {c}" for c in python_labels(self.classes_)]
            if self.kind == "classes"
            else ["answer"]
        )

        def sections(i: int) -> list[Section]:
            order = np.argsort(-shares[i], kind="stable")
            lines = [[int(e), float(shares[i, e]), *map(float, each[i, e])] for e in order]
            return [Section("Experts", ["expert", "share", *words], lines)]

        return Reasons(sections)

    def _model_parts(self) -> list[Part]:
        lines = [
            [e, float(v), repr(model)] for e, (v, model) in enumerate(zip(self.weights_, self.estimators_))
        ]
        note = f"Log likelihood {self.log_likelihood_:.6g}."
        return [Section("Experts", ["expert", "mean share", "estimator"], lines, note)]
