"""Gradient boosting: each tree fits what is left over, along the gradient of a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Classifier, Learner
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import LARGEST_SEED, random_state_of, with_seed
from assay.core.stored import Each, FloatArray, IntArray, Integer, Object, Plain, Scalar, Text
from assay.ensembles.boosting_losses import BoostingLoss, TreeRows
from assay.ensembles.boosting_report import RoundPrinter
from assay.ensembles.damping import ROUNDING, damped
from assay.ensembles.set_aside import set_aside
from assay.ensembles.weak_learners import SumOfTrees, WeakTrees, as_kept, kept
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.tables import Schema
from assay.trees.limits import GROWTH
from assay.trees.shap import column_reasons
from assay.trees.tree import Tree
from assay.trees.tree_learner import dense
from assay.trees.tree_list import TreeList
from assay.types import TableLike, Target, Weights

__all__ = ["GradientBoosting", "dense", "start_with"]


def start_with(method: str) -> Accepted:
    """What ``init`` may be: None, "zero", or an estimator with this method."""
    words = f"None, 'zero' or an object implementing 'fit' and '{method}'"
    return Any_(
        words,
        lambda v: (
            v is None or v == "zero" or (not isinstance(v, type) and hasattr(v, "fit") and hasattr(v, method))
        ),
    )


def _with_steps(tree: Tree, steps: np.ndarray | None) -> Tree:
    """The tree whose leaves have these steps; None leaves their means."""
    if steps is None:
        return tree
    value = tree.values.copy()
    value[tree.is_leaf, 0] = steps[tree.is_leaf]
    return replace(tree, values=value)


class GradientBoosting(Learner):
    """What the two learners share: rounds of trees on residuals."""

    stored = {
        "_depths": Each(Integer(low=1) | None),
        "_meant": Each(Plain() | Object(Schema)),
        "init_": Object(BaseEstimator) | Text() | None,
        "max_features_": Integer(low=1),
        "members_": Object(TreeList, d="d", t="t") | Each(Object(Tree, BaseEstimator), "t"),
        "n_estimators_": Integer(),
        "n_trees_per_iteration_": Integer(low=1),
        "oob_improvement_": FloatArray("*"),
        "oob_scores_": FloatArray("*"),
        "oob_score_": Scalar(),
        "rates_": FloatArray("*"),
        "rng_state_": Each(Text() | Integer() | Scalar() | IntArray("*")),
        "seeds_": IntArray("*"),
        "start_": FloatArray("*"),
        "train_score_": FloatArray("*"),
        "history_": Each(Plain(dict)),
    }

    takes = frozenset({"nominal", "missing", "sparse"})
    members_: Any
    seeds_: np.ndarray
    rates_: np.ndarray
    history_: list[dict[str, Any]]
    start_: np.ndarray
    init_: Any
    _meant: list[Any]
    _depths: list[int | None]  # max_depth of each tree: a warm start may change it
    max_depth: int | None
    n_trees_per_iteration_: int
    verbose: int
    max_features_: int
    shared: dict[str, Accepted | None] = {
        "learning_rate": Range(0),
        "n_estimators": Count(1),
        "subsample": Range(0, 1, open="low"),
        "criterion": Choice("deprecated", "squared_error", "friedman_mse"),
        **GROWTH,
        "random_state": Seed(),
        "verbose": Count(0) | Flag(),
        "warm_start": Flag(),
        "validation_fraction": Range(0, 1, open="both"),
        "n_iter_no_change": Count(1) | None,
        "tol": Range(0),
    }

    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        monitor: Callable[..., Any] | None = None,
    ) -> Self:
        """Learn from the rows of X and their targets y.

        Parameters
        ----------
        X, y, sample_weight : rows, targets, weights
        monitor : function called as ``monitor(i, self, locals)`` after each round; if it returns True boosting ends
        """
        self._monitor = monitor
        try:
            return super().fit(X, y, sample_weight)  # type: ignore[misc]
        finally:
            del self._monitor

    # ------------------------------------------------------------------ learning

    def _boost(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if self.criterion != "deprecated":
            warn_user(
                f"{type(self).__name__}: the criterion has no effect, since squared_error and friedman_mse choose the "
                "same splits. Leave it out.",
                FutureWarning,
            )
        X = dense(X)
        weighted = w is not None
        w = np.ones(len(y)) if w is None else w
        held: tuple[Any, ...] | None = None
        if self.n_iter_no_change is not None:
            X, y, w, held = self._hold_out(X, y, w)
        loss = self._make_loss()
        rng = self._begin(X, y, w, loss, weighted)
        F = self._raw(X)
        weak = WeakTrees(self._template(), X, self.schema_)
        F_held = None if held is None else self._raw(held[0])
        best = np.full(self.n_iter_no_change or 1, np.inf)
        C = F.shape[1]
        before, previous, standing = len(self.members_) // C, float("nan"), float("nan")
        printer = RoundPrinter(self.verbose, self.n_estimators, self.subsample < 1, before)
        with progress(total=self.n_estimators - before, description=type(self).__name__) as bar:
            for i in range(before, self.n_estimators):
                chosen = self._sample(len(y), rng)
                out = None if chosen is None else ~chosen
                if out is not None and np.isnan(previous):
                    last = self.history_[-1] if self.history_ else {}
                    previous = last.get("oob_score", loss.value(y[out], F[out], w[out]))
                standing = self._round(weak, loss, X, y, F, w, chosen, standing, rng)
                record: dict[str, Any] = {"round": i + 1, "train_score": standing}
                if out is not None:
                    score = loss.value(y[out], F[out], w[out])
                    record |= {"oob_score": score, "oob_improvement": previous - score}
                    previous = score
                if held is not None and F_held is not None:
                    for c, tree in enumerate(self.members_[-C:]):
                        F_held[:, c] += self.learning_rate * tree.values[tree.apply(held[0]), 0]
                    record["validation_score"] = loss.value(held[1], F_held, held[2])
                self._note(record)
                printer.show(record)
                bar.advance()
                if self._monitor is not None and self._monitor(i, self, locals()):
                    break
                if held is not None:
                    if not (record["validation_score"] + self.tol < best).any():
                        break
                    best[i % len(best)] = record["validation_score"]
        self.n_estimators_, self.members_ = len(self.members_) // C, as_kept(self.members_)
        self.max_features_ = weak.max_features or self.max_features_
        if self.warm_start:
            self.rng_state_ = rng.get_state()

    def _round(
        self,
        weak: WeakTrees,
        loss: BoostingLoss,
        X: np.ndarray,
        y: np.ndarray,
        F: np.ndarray,
        w: np.ndarray,
        chosen: np.ndarray | None,
        standing: float,
        rng: Any,
    ) -> float:
        """One tree per score; F is updated. ``standing`` is the loss before, the answer that after the round."""
        rate, C = float(self.learning_rate), F.shape[1]
        w = w if chosen is None else w * chosen
        loss.prepare(y, F, w)
        with np.errstate(over="ignore", invalid="ignore"):
            residuals, before = loss.residuals(y, F), F.copy()
        if not np.isfinite(residuals).all():
            raise DegenerateError(
                f"{type(self).__name__}: the scores overflow after {len(self.members_) // C} rounds. Lower "
                "learning_rate, or bring the targets to a smaller range."
            )
        if chosen is not None or not loss.fixed or np.isnan(standing):
            standing = self._loss_of(loss, y, F, w, chosen)
        seeds = [int(rng.randint(LARGEST_SEED)) for _ in range(C)]

        def one(c: int) -> tuple[Tree, np.ndarray]:
            r = np.ascontiguousarray(residuals[:, c])
            tree = weak.learn(r, w, seeds[c])
            leaf = tree.apply(X)
            return _with_steps(tree, loss.steps(TreeRows(y, before, r, w, leaf, tree.node_count, c))), leaf

        grown = weak.learn_all(one, C)
        for c, (tree, leaf) in enumerate(grown):
            F[:, c] += rate * tree.values[leaf, 0]
        after = self._loss_of(loss, y, F, w, chosen)
        if not after <= standing + ROUNDING * abs(standing):
            leaves = np.array([leaf for _, leaf in grown])
            trees = self._shortened(
                [tree for tree, _ in grown], leaves, loss, y, before, residuals, w, standing
            )
            grown = list(zip(trees, leaves))
            for c, (tree, leaf) in enumerate(grown):
                F[:, c] = before[:, c] + rate * tree.values[leaf, 0]
            after = self._loss_of(loss, y, F, w, chosen)
        self.members_ += [tree for tree, _ in grown]
        self.seeds_ = np.append(self.seeds_, seeds)
        self.rates_ = np.append(self.rates_, np.full(C, rate))
        self._depths = [*getattr(self, "_depths", []), *[self.max_depth] * C]
        return after

    @staticmethod
    def _loss_of(
        loss: BoostingLoss, y: np.ndarray, F: np.ndarray, w: np.ndarray, chosen: np.ndarray | None
    ) -> float:
        drawn = slice(None) if chosen is None else chosen
        return loss.value(y[drawn], F[drawn], w[drawn])

    def _shortened(
        self,
        trees: list[Tree],
        leaves: np.ndarray,
        loss: BoostingLoss,
        y: np.ndarray,
        F: np.ndarray,
        residuals: np.ndarray,
        w: np.ndarray,
        standing: float,
    ) -> list[Tree]:
        """Trees of a round that raised the loss, with leaves that do not: each by itself, then all together."""
        rate = float(self.learning_rate)
        trees = [
            _with_steps(
                tree, loss.steps(TreeRows(y, F, residuals[:, c], w, leaves[c], tree.node_count, c), rate)
            )
            for c, tree in enumerate(trees)
        ]
        shares = damped(
            F.T,
            np.array([rate * tree.values[leaf, 0] for tree, leaf in zip(trees, leaves)]),
            leaves,
            lambda G: loss.value(y, G.T, w),
            lambda G: -(w[:, None] * loss.residuals(y, G.T)).T,
            standing,
        )
        for tree, share, leaf in zip(trees, shares, leaves):
            reached = np.unique(leaf)
            tree.values[reached, 0] *= share[reached]  # the array is this round's own
        return trees

    def _begin(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, loss: BoostingLoss, weighted: bool) -> Any:
        """Clear what was learned before, or keep it; the generator of random numbers."""
        if self.warm_start and len(getattr(self, "members_", ())):
            self._refuse_other_data()
            C = self.n_trees_per_iteration_
            if self.n_estimators < len(self.members_) // C:
                raise ParameterError(
                    f"{type(self).__name__}: n_estimators={self.n_estimators} must be larger or equal to the "
                    f"{len(self.members_) // C} rounds that are there when warm_start==True."
                )
            self.members_ = list(self.members_)
            rng = random_state_of(self.random_state)
            if "rng_state_" in vars(self):
                rng.set_state(self.rng_state_)
            return rng
        self.members_, self.seeds_, self.history_ = [], np.zeros(0, np.int64), []
        self.rates_, self._depths = np.zeros(0), []
        self._meant = self._meaning()
        for name in (
            "train_score_",
            "oob_scores_",
            "oob_improvement_",
            "oob_score_",
            "start_",
            "init_",
            "rng_state_",
        ):
            self.__dict__.pop(name, None)
        self.n_trees_per_iteration_ = C = self._n_scores()
        if self.init == "zero":
            self.start_, self.init_ = np.zeros(C), "zero"
        elif self.init is None:
            self.start_, self.init_ = loss.start(y, w), None
        else:
            self.init_ = clone(self.init)
            if not weighted:
                self.init_.fit(X, self._labels(y))
            elif has_fit_parameter(self.init_, "sample_weight"):
                self.init_.fit(X, self._labels(y), sample_weight=w)
            else:
                raise ParameterError(
                    f"The initial estimator {type(self.init_).__name__} does not support sample weights."
                )
        return random_state_of(self.random_state)

    def _refuse_other_data(self) -> None:
        if "_meant" not in vars(self) or self._meant != self._meaning():
            raise DataError(
                f"{type(self).__name__}: a warm start adds trees to those of the last fit, so the columns, their "
                "categories and the classes must be the same. Fit with warm_start=False."
            )

    def _meaning(self) -> list[Any]:
        """What the numbers of the table and the target stand for."""
        return [self.schema_, np.asarray(getattr(self, "classes_", [])).tolist()]

    def _hold_out(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[Any, ...]:
        """Training rows, and validation rows for early stopping."""
        labels = self.classes_ if isinstance(self, Classifier) else None
        strata = None if labels is None else y
        remedy = "set n_iter_no_change=None"
        who, seed = type(self).__name__, random_state_of(self.random_state)
        learn, judge = set_aside(len(y), self.validation_fraction, seed, who, remedy, strata, labels)
        if not (w[learn].any() and w[judge].any()):
            raise DegenerateError(
                f"{who}: all rows to learn from, or all that are set aside to judge by, weigh 0. Leave rows of weight "
                f"0 out, or {remedy}."
            )
        (X, X_held), (y, y_held), (w, w_held) = ((part[learn], part[judge]) for part in (X, y, w))
        if isinstance(self, Classifier) and len(np.unique(y)) < len(self.classes_):
            raise DataError(
                f"{who}: The training data after the early stopping split is missing some classes. Try "
                "using another random seed."
            )
        return X, y, w, (X_held, y_held, w_held)

    def _sample(self, n: int, rng: Any) -> np.ndarray | None:
        """(n,) bool, the rows of this round; None for all."""
        if self.subsample >= 1:
            return None
        chosen = np.zeros(n, bool)
        chosen[rng.permutation(n)[: max(1, int(self.subsample * n))]] = True
        return None if chosen.all() else chosen

    def _note(self, record: dict[str, Any]) -> None:
        self.history_.append(record)
        for name, key in (
            ("train_score_", "train_score"),
            ("oob_scores_", "oob_score"),
            ("oob_improvement_", "oob_improvement"),
        ):
            if key in record:
                before = getattr(self, name, np.zeros(len(self.history_) - 1))  # 0 for rounds that had none
                setattr(self, name, np.append(before, record[key]))
        if "oob_score" in record:
            self.oob_score_ = record["oob_score"]

    def _template(self) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        names = [
            "min_samples_split",
            "min_samples_leaf",
            "min_weight_fraction_leaf",
            "max_depth",
            "max_features",
        ]
        names += ["min_impurity_decrease", "max_leaf_nodes", "ccp_alpha"]
        return DecisionTreeRegressor(**{name: getattr(self, name) for name in names})

    def _make_loss(self) -> BoostingLoss:
        raise TypeError(f"{type(self).__name__} must define _make_loss")

    def _n_scores(self) -> int:
        return 1

    def _labels(self, y: np.ndarray) -> np.ndarray:
        return y

    # ------------------------------------------------------------------ scores

    def _start(self, X: np.ndarray) -> np.ndarray:
        """(n, C) the scores before there is any tree."""
        if self.init_ is None or isinstance(self.init_, str):
            return np.repeat(self.start_[None], len(X), axis=0)
        return self._start_of_init(X)

    def _start_of_init(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.init_.predict(X), np.float64).reshape(-1, 1)

    @property
    def _sum_of_trees(self) -> SumOfTrees:
        columns = np.arange(len(self.members_)) % self.n_trees_per_iteration_
        return kept(self, lambda: SumOfTrees(self.members_, columns, self.rates_))

    def _raw(self, X: np.ndarray) -> np.ndarray:
        start = self._start(X)
        return start + self._sum_of_trees.sums(X) if len(self.members_) else start

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        X = dense(self._admit(X))
        if len(self.members_):
            yield from self._sum_of_trees.staged_sums(X, self.n_trees_per_iteration_, self._start(X))

    def apply(self, X: TableLike) -> np.ndarray:
        """(n, rounds, C) the leaf that each row reaches in each tree."""
        X = dense(self._admit(X))
        leaves = np.array([tree.apply(X) for tree in self.members_], np.float64)
        return leaves.T.reshape(len(X), -1, self.n_trees_per_iteration_)

    @property
    def estimators_(self) -> np.ndarray:
        """(rounds, C) the trees as regressors."""
        self._ready()
        template = self._template()
        depths = getattr(self, "_depths", [])
        if len(depths) < len(self.members_):  # a model file of before has none
            depths = [self.max_depth] * len(self.members_)
        each = [
            with_seed(clone(template).set_params(max_depth=depth), seed)._adopt_tree(tree, self.schema_)
            for tree, seed, depth in zip(self.members_, self.seeds_, depths)
        ]
        array = np.empty(len(each), dtype=object)
        array[:] = each
        return array.reshape(-1, self.n_trees_per_iteration_)

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) how much the tests of each column lower the squared error of the residuals, in shares of the whole."""
        self._ready()
        each = [t.compute_feature_importances(normalize=False) for t in self.members_ if t.node_count > 1]
        total = np.mean(each, axis=0) if each else np.zeros(self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total

    def __len__(self) -> int:
        return len(self.members_) // self.n_trees_per_iteration_

    def __getitem__(self, i: int) -> np.ndarray:
        return self.estimators_[i]

    def _what_columns_add(
        self,
        X: np.ndarray,
        rows: RowValues,
        outputs: list[str],
        chosen: np.ndarray,
        first: Callable[[int], list[Section]] | None = None,
    ) -> Reasons:
        if not len(self.members_):
            return Reasons() if first is None else Reasons(first)
        phi, base = self._sum_of_trees.contributions(X)
        known = Contributions(phi, base + self._start(X), self.schema_.names, outputs, chosen)
        return column_reasons(known, rows, first)
