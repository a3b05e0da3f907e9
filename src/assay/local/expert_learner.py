"""What mixtures of experts share: starts, training, what they show and explain."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Classifier, Learner, Regressor, python_labels
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, Plain, Scalar
from assay.distances.squared_rows import SquaredRows, refuse_huge
from assay.errors import DataError, ParameterError, warn_user
from assay.local.expert_em import Maximiser, gaussian_offsets
from assay.local.expert_objective import climb
from assay.local.expert_tree import ExpertTree, RadialGate, SoftmaxGates, with_constant
from assay.local.units import Units
from assay.mixture.starts import k_means
from assay.stats.distributions.predictive import Mixture, Normal
from assay.types import TableLike

__all__ = ["EXPERTS_OF_CLASSES", "EXPERT_PARAMETERS", "ClassExperts", "ExpertLearner", "NumberExperts"]

EXPERT_PARAMETERS = {
    "training": Choice("em", "competitive", "cooperative"),
    "alpha": Range(0, open="high"),
    "noise": Choice("shared", "each") | Range(0, open="both"),
    "n_init": Count(1),
    "max_iter": Count(1),
    "tol": Range(0, open="high"),
    "random_state": Seed(),
}
EXPERTS_OF_CLASSES = {name: kind for name, kind in EXPERT_PARAMETERS.items() if name != "noise"}
SOFT = 0.5  # of the first responsibilities that all experts share alike, so that no gate begins steep
TURNS = 5  # in which rows go to the expert that suits them best, in a start from lines drawn at random
SILENT = 1e-9  # share of an expert below which it has no say in a distribution
EXPERTS_SHOWN = 10  # in an explanation, those with the largest shares


class ExpertLearner(SquaredRows, Learner):
    """Learners of numbers and of classes by experts and gates; subclasses say the shape of the tree."""

    stored = {
        "coef_": FloatArray("E", "O", "p", finite=True),
        "intercept_": FloatArray("E", "O", finite=True),
        "gate_coef_": FloatArray("G", "b", "p", finite=True),
        "gate_intercept_": FloatArray("G", "b", finite=True),
        "gate_centers_": FloatArray("E", "p", finite=True),
        "gate_spreads_": FloatArray("E", "p", low=0) | FloatArray("E", "p", "p", finite=True),
        "gate_offsets_": FloatArray("E", finite=True),
        "projections_": FloatArray("E", "r", "p", finite=True),
        "noise_": FloatArray("E", low=0, finite=True),
        "weights_": FloatArray("E", low=0, finite=True),
        "objective_": Scalar(finite=True),
        "converged_": Boolean(),
        "history_": Each(Plain(dict)),
    }
    kind: ClassVar[str]
    gate: str = "softmax"  # parameters of some of the learners
    experts: str = "linear"
    shape: str = "spherical"
    n_components: int | None = None
    noise: str | float = "shared"
    training: str
    alpha: float
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    coef_: np.ndarray
    intercept_: np.ndarray
    noise_: np.ndarray

    # ------------------------------------------------------------------ the shape of the tree

    def _branching(self) -> tuple[int, int]:
        """Branches of a node, and levels of gates."""
        raise TypeError(f"{type(self).__name__} must define _branching")

    @property
    def _constant(self) -> bool:
        return self.experts == "constant"

    # ------------------------------------------------------------------ learning

    def _learn_experts(self, X: np.ndarray, target: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        self._refuse_combinations(X.shape[1])
        refuse_huge(target, who)
        weight = np.ones(len(X)) if w is None else w
        counted = weight > 0
        X, target, weight = X[counted], target[counted], weight[counted]
        scale = _Scale.of(X, target, weight, self.kind)
        F, T = with_constant(scale.rows(X)), scale.targets(target)
        draw = random_state_of(self.random_state)
        branching, depth = self._branching()
        single = branching**depth == 1
        best: tuple[float, ExpertTree, list[float], bool] | None = None
        for start in range(1 if single else self.n_init):
            run = self._train(F, T, weight, self._first(F, T, weight, start, draw, scale), who)
            if best is None or run[0] > best[0]:
                best = run
        assert best is not None
        self.objective_, tree, values, self.converged_ = best
        self.history_ = [{"iteration": i, "objective": v} for i, v in enumerate(values, 1)]
        self.n_iter_ = len(values)
        if not self.converged_:
            warn_user(
                f"{who} stopped after {self.max_iter} iterations before it settled. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        self.weights_ = weight @ np.exp(tree.log_paths(F)) / weight.sum()
        self._keep(tree, scale)

    def _refuse_combinations(self, d: int) -> None:
        who = type(self).__name__
        if self.gate == "radial" and self.shape == "full" and self.training != "em":
            raise ParameterError(
                f'{who}: a covariance cannot be moved along a gradient. Take training="em", or shape="diagonal".'
            )
        if self.n_components is not None and self.n_components > d:
            raise ParameterError(
                f"{who}: n_components must be at most the {d} columns, got {self.n_components}."
            )
        if self.n_components is not None and self._constant:
            raise ParameterError(
                f'{who}: n_components is of linear experts; with experts="constant" leave it out.'
            )

    def _train(
        self, F: np.ndarray, T: np.ndarray, weight: np.ndarray, tree: ExpertTree, who: str
    ) -> tuple[float, ExpertTree, list[float], bool]:
        """What a start leads to: the objective (the higher the better), the tree, objectives of all steps, the end."""
        noise = self.noise if isinstance(self.noise, str) else ""
        if self.training == "em":
            run = self._maximiser(F, T, weight).run(tree, self.max_iter, self.tol, who)
            return run.log_likelihood, run.state, run.history, run.converged
        tree, values, settled = climb(
            tree, F, T, weight, alpha=self.alpha, constant=self._constant, noise=noise, max_iter=self.max_iter,
            tol=self.tol,
        )  # fmt: skip
        return -values[-1], tree, [-v for v in values], settled

    def _maximiser(self, F: np.ndarray, T: np.ndarray, weight: np.ndarray) -> Maximiser:
        noise = self.noise if isinstance(self.noise, str) else ""
        return Maximiser(F, T, weight, self.kind, float(self.alpha), self._constant, noise, self.shape)

    def _first(
        self,
        F: np.ndarray,
        T: np.ndarray,
        weight: np.ndarray,
        start: int,
        draw: np.random.RandomState,
        scale: _Scale,
    ) -> ExpertTree:
        """A tree after one step of EM from groups of rows; groups are soft at first."""
        branching, depth = self._branching()
        E, K, p = branching**depth, T.shape[1], F.shape[1]
        nodes = sum(branching**level for level in range(depth))
        noise = np.ones(E)
        if not isinstance(self.noise, str):
            noise = np.full(E, float(self.noise) / scale.target_unit)
        gates: SoftmaxGates | RadialGate = SoftmaxGates(np.zeros((nodes, branching, p)))
        projections = None
        if self.n_components is not None:
            axes = np.linalg.eigh((F[:, :-1] * weight[:, None]).T @ F[:, :-1])[1][:, ::-1].T
            projections = np.tile(axes[: self.n_components], (E, 1, 1))
        if self.gate == "radial":
            units = Units(np.zeros((E, p - 1)), _unit_spreads(self.shape, E, p - 1))
            gates = RadialGate(units, gaussian_offsets(units.centers, units.spreads, np.ones(E)))
        tree = ExpertTree(
            gates, np.zeros((E, K, p)), noise, self.kind, self.training == "cooperative", projections
        )
        if E == 1:
            return self._maximiser(F, T, weight).maximisation(tree, np.ones((len(F), 1)))
        joined = np.column_stack([F[:, :-1], T]) if start % 2 == 0 and self.kind == "numbers" else F[:, :-1]
        labels = _nested_groups(joined, weight, branching, depth, draw if start else None)
        maximiser = self._maximiser(F, T, weight)
        if start and start % 3 == 2:
            labels = draw.randint(E, size=len(F))
            for _ in range(TURNS):
                hard = maximiser.maximisation(tree, np.eye(E)[labels])
                labels = hard.log_densities(F, T).argmax(axis=1)
        soft = (1 - SOFT) * np.eye(E)[labels] + SOFT / E
        tree = maximiser.maximisation(tree, soft)
        if isinstance(tree.gates, RadialGate) and self.training != "em":
            tree = ExpertTree(
                RadialGate(tree.gates.units, np.zeros(E)), tree.coef, tree.noise, self.kind, tree.blended, projections
            )  # fmt: skip
        return tree

    def _keep(self, tree: ExpertTree, scale: _Scale) -> None:
        """The tree in the units of the table."""
        self.coef_, self.intercept_ = scale.raw_experts(tree.coef)
        self.noise_ = tree.noise * scale.target_unit
        for name in ("gate_coef_", "gate_intercept_", "gate_centers_", "gate_spreads_", "gate_offsets_"):
            self.__dict__.pop(name, None)
        if isinstance(tree.gates, SoftmaxGates):
            slopes = tree.gates.weights[:, :, :-1] / scale.units
            self.gate_coef_, self.gate_intercept_ = (
                slopes,
                tree.gates.weights[:, :, -1] - slopes @ scale.middle,
            )
        else:
            units = tree.gates.units
            self.gate_centers_ = units.centers * scale.units + scale.middle
            if units.spreads.ndim == 3:
                self.gate_spreads_ = units.spreads * np.outer(scale.units, scale.units)
            else:
                spreads = units.spreads if units.spreads.ndim == 2 else units.spreads[:, None]
                self.gate_spreads_ = spreads * scale.units
            self.gate_offsets_ = tree.gates.offsets
        self.__dict__.pop("projections_", None)
        if tree.projections is not None:
            self.projections_ = tree.projections / scale.units

    # ------------------------------------------------------------------ answers

    @property
    def _tree(self) -> ExpertTree:
        gates: SoftmaxGates | RadialGate
        if hasattr(self, "gate_coef_"):
            gates = SoftmaxGates(np.concatenate([self.gate_coef_, self.gate_intercept_[:, :, None]], axis=2))
        else:
            gates = RadialGate(Units(self.gate_centers_, self.gate_spreads_), self.gate_offsets_)
        branching, depth = self._branching()
        if gates.branching != branching or len(self.coef_) != branching**depth:
            raise DataError(
                f"{type(self).__name__}: a tree of depth {depth} with {branching} branches has no {len(self.coef_)} "
                "experts."
            )
        coef = np.concatenate([self.coef_, self.intercept_[:, :, None]], axis=2)
        return ExpertTree(gates, coef, self.noise_, self.kind, self.training == "cooperative")

    def predict_experts(self, X: TableLike) -> np.ndarray:
        """(n, E) the share of each expert in the answer, which the gates give it."""
        return np.exp(self._tree.log_paths(with_constant(self._admit(X))))

    def expert_answers(self, X: TableLike) -> np.ndarray:
        """(n, E, K) what each expert alone says: numbers, or the probabilities of the classes."""
        return self._tree.expert_answers(with_constant(self._admit(X)))

    def parameter_count(self) -> int:
        """How many numbers experts and gates have."""
        E, K, d = self.coef_.shape
        experts = E * K * (1 if self._constant else d + 1)
        if self.n_components is not None:
            experts = E * (self.n_components * (d + K) + K)
        if hasattr(self, "gate_coef_"):
            return int(experts + self.gate_coef_.size + self.gate_intercept_.size)
        spreads = {"spherical": 1, "diagonal": d, "full": d * (d + 1) // 2}[self.shape]
        return int(experts + E * (d + spreads))

    def _outcome(self, X: np.ndarray) -> tuple[list[int], list[str]]:
        """Which output explains the answer to each row, and what the outputs are called."""
        raise TypeError(f"{type(self).__name__} must define _outcome")

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        F, tree, names = with_constant(X), self._tree, self._names
        shares, each, raw = np.exp(tree.log_paths(F)), tree.expert_answers(F), tree.outputs(F)
        chosen, outputs = self._outcome(X)
        word = "probability" if self.kind == "classes" else "answer"

        def sections(i: int) -> list[Section]:
            order = np.argsort(-shares[i], kind="stable")[:EXPERTS_SHOWN]
            lines = [[int(e), float(shares[i, e]), *map(float, each[i, e])] for e in order]
            heads = [f"{word} of {o}" for o in outputs] if len(outputs) > 1 else [word]
            e, k = int(order[0]), chosen[i]
            terms = X[i] * self.coef_[e, k]
            table: list[list[Any]] = [
                [names[j], float(X[i, j]), float(self.coef_[e, k, j]), float(terms[j])]
                for j in np.argsort(-np.abs(terms), kind="stable")
            ]
            table.append(["(intercept)", None, float(self.intercept_[e, k]), float(self.intercept_[e, k])])
            note = f"Together {float(raw[i, e, k]):.6g}" + (
                "; the softmax makes probabilities of these scores." if self.kind == "classes" else "."
            )
            return [
                Section("Experts", ["expert", "share", *heads], lines),
                Section(f"Expert {e}, {outputs[k]}", ["column", "value", "weight", "adds"], table, note),
            ]

        def contributions(some: np.ndarray) -> Contributions | None:
            if self.kind == "classes" and not tree.blended:
                return None  # a sum of softmaxes is no sum over columns
            slopes = np.einsum("ne,ekd->nkd", shares[some], self.coef_)
            base = shares[some] @ self.intercept_
            values = (slopes * X[some][:, None]).transpose(0, 2, 1)
            return self._contributions(values, base, outputs, np.asarray(chosen)[some])

        return Reasons(sections, contributions)

    def _model_parts(self) -> list[Part]:
        E, K, _ = self.coef_.shape
        labels = python_labels(self.classes_) if self.kind == "classes" else [f"y{k}" for k in range(K)]
        heads = [f"expert {e}" + (f", {labels[k]}" if K > 1 else "") for e in range(E) for k in range(K)]
        lines: list[list[Any]] = [["(share of rows)", *np.repeat(self.weights_, K).tolist()]]
        if self.kind == "numbers" and self.training != "cooperative":
            lines.append(["(noise)", *np.repeat(self.noise_, K).tolist()])
        lines.append(["(intercept)", *self.intercept_.ravel().tolist()])
        lines += [[name, *self.coef_[:, :, j].ravel().tolist()] for j, name in enumerate(self._names)]
        parts: list[Part] = [Section("Experts", ["column", *heads], lines)]
        if hasattr(self, "gate_coef_"):
            G, b, _ = self.gate_coef_.shape
            gates = [f"gate {g}, branch {j}" for g in range(G) for j in range(b)]
            lines = [["(intercept)", *self.gate_intercept_.ravel().tolist()]]
            lines += [
                [name, *self.gate_coef_[:, :, j].ravel().tolist()] for j, name in enumerate(self._names)
            ]
        else:
            gates = [f"unit {e}" for e in range(E)]
            lines = [
                [f"centre of {n}", *self.gate_centers_[:, j].tolist()] for j, n in enumerate(self._names)
            ]
        return [*parts, Section("Gate", ["column", *gates], lines)]


class NumberExperts(ExpertLearner, Regressor):
    """Mixtures of experts of numbers."""

    stored = {"_several": Boolean()}
    kind = "numbers"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._several = y.ndim == 2
        self._learn_experts(X, y if y.ndim == 2 else y[:, None], w)

    def _predict(self, X: Any) -> np.ndarray:
        answers = self._tree.answers(with_constant(X))
        return answers if self._several else answers[:, 0]

    def _no_distribution(self) -> str:
        if self.training == "cooperative":
            return 'cooperative experts have no model of the noise. Take training="em" or "competitive".'
        return ""

    def _distribution(self, X: Any) -> Mixture:
        self._refuse_several_targets(self._several)
        F, tree = with_constant(X), self._tree
        shares, means = np.exp(tree.log_paths(F)), tree.outputs(F)[:, :, 0]
        speaking = np.flatnonzero(shares.max(axis=0) > SILENT)
        parts = [Normal(means[:, e], np.full(len(F), self.noise_[e])) for e in speaking]
        return Mixture(parts, shares[:, speaking])

    def _outcome(self, X: np.ndarray) -> tuple[list[int], list[str]]:
        K = self.coef_.shape[1]
        return [0] * len(X), ["the answer"] if K == 1 else self._target_names(K)


class ClassExperts(ExpertLearner, Classifier):
    """Mixtures of experts of classes."""

    kind = "classes"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_experts(X, np.eye(len(self.classes_))[y], w)

    def _posterior(self, X: Any) -> np.ndarray:
        posterior = self._tree.answers(with_constant(X))
        return posterior / posterior.sum(axis=1, keepdims=True)

    def _outcome(self, X: np.ndarray) -> tuple[list[int], list[str]]:
        return self._choose(X).tolist(), [str(label) for label in python_labels(self.classes_)]


class _Scale:
    """Means and deviations of columns and targets, in which experts are trained."""

    def __init__(self, middle: np.ndarray, units: np.ndarray, target_middle: np.ndarray, target_unit: float):
        self.middle, self.units = middle, units
        self.target_middle, self.target_unit = target_middle, target_unit

    @classmethod
    def of(cls, X: np.ndarray, target: np.ndarray, weight: np.ndarray, kind: str) -> _Scale:
        middle, units = _moments(X, weight)
        if kind == "classes":
            return cls(middle, units, np.zeros(target.shape[1]), 1.0)
        target_middle, deviations = _moments(target, weight, 0.0)
        return cls(middle, units, target_middle, float(np.sqrt((deviations**2).mean())) or 1.0)

    def rows(self, X: np.ndarray) -> np.ndarray:
        return (X - self.middle) / self.units

    def targets(self, target: np.ndarray) -> np.ndarray:
        return (target - self.target_middle) / self.target_unit

    def raw_experts(self, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E, K, d) slopes and (E, K) constants in the units of the table."""
        slopes = coef[:, :, :-1] * self.target_unit / self.units
        return slopes, self.target_middle + coef[:, :, -1] * self.target_unit - slopes @ self.middle


def _moments(X: np.ndarray, weight: np.ndarray, flat: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations of columns; ``flat`` stands for that of a constant one."""
    middle = np.average(X, axis=0, weights=weight)
    deviations = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=weight))
    constant = deviations <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return middle, np.where(constant, flat, deviations)


def _unit_spreads(shape: str, H: int, d: int) -> np.ndarray:
    return {"spherical": np.ones(H), "diagonal": np.ones((H, d)), "full": np.tile(np.eye(d), (H, 1, 1))}[
        shape
    ]


def _nested_groups(
    X: np.ndarray, weight: np.ndarray, branching: int, depth: int, draw: np.random.RandomState | None
) -> np.ndarray:
    """(n,) leaves of a tree of groups: k-means, and k-means within each group, level by level."""
    labels = np.zeros(len(X), dtype=np.int64)
    for level in range(depth):
        finer = labels * branching
        for group in range(branching**level):
            members = np.flatnonzero(labels == group)
            k = min(branching, len(np.unique(X[members], axis=0))) if len(members) else 0
            if k > 1:
                finer[members] += k_means(X[members], weight[members], k, draw)[1]
        labels = finer
    return labels
