"""Forests for numbers: the mean answer of their trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.explanation import Section
from assay.core.learner import Regressor
from assay.core.parameters import Choice, Flag
from assay.core.stored import FloatArray, Object
from assay.ensembles.forest import FOREST, Forest
from assay.stats.distributions.predictive import Empirical
from assay.trees.decision_tree_regressor import KEEP_TARGETS, check_numbers, has_pure_leaves
from assay.trees.forest_walker import MISSING_FIRST
from assay.trees.leaf_targets import LeafTargets
from assay.trees.tree import LEAF
from assay.types import RandomState

__all__ = ["ForestRegressor"]


class ForestRegressor(Forest, Regressor):
    """What random forests and extra trees for numbers share."""

    accepts = {
        **FOREST,
        "criterion": Choice("squared_error", "friedman_mse", "absolute_error", "poisson"),
        "keep_targets": Flag(),
    }
    stored = {
        "oob_prediction_": FloatArray("*") | FloatArray("*", "*"),
        "leaf_targets_": Object(LeafTargets, t="t"),
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        keep_targets: bool = False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.keep_targets = keep_targets

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        check_numbers(y, w, self.criterion, type(self).__name__)
        grown = self._grow_trees(X, y, w, 0)
        self.__dict__.pop("leaf_targets_", None)
        if self.keep_targets:
            self._refuse_several_targets(self.n_outputs_ > 1)
            leaves = self.trees_.walker.apply(X, self.n_jobs)
            bags = self._drawn(0, len(self.trees_)) if self.bootstrap else None
            weights = None if self.bootstrap else w  # of bags the weights are chances
            self.leaf_targets_ = LeafTargets.of(y, leaves, self.trees_.roots, bags, weights)
        if self.oob_score and (grown or not hasattr(self, "oob_score_")):
            from sklearn.metrics import r2_score

            mean, _ = self._outsiders(X)
            self.oob_prediction_ = mean[:, 0] if y.ndim == 1 else mean
            score = self.oob_score if callable(self.oob_score) else r2_score
            self.oob_score_ = score(y, self.oob_prediction_)

    def _predict(self, X: Any) -> np.ndarray:
        mean = self.trees_.walker.sums(X, n_jobs=self.n_jobs) / len(self.trees_)  # (1)
        return mean[:, 0] if self.n_outputs_ == 1 else mean

    def _no_distribution(self) -> str:
        fitted = vars(self)
        if "trees_" not in fitted or "leaf_targets_" in fitted:
            return ""
        trees = self.trees_
        if not len(trees.impurity):
            return KEEP_TARGETS
        leaf = (trees.kind & ~np.uint8(MISSING_FIRST)) == LEAF
        return "" if has_pure_leaves(trees.impurity, leaf) else KEEP_TARGETS

    def _interval_doubt(self, coverage: float) -> str:
        kept = "leaf_targets_" in vars(self) and self.min_samples_leaf != 1
        return "" if kept else "are made of leaves with a single target each, which is too few"

    def _distribution(self, X: Any) -> Empirical:
        """The training targets in the leaves that a row reaches; of pure leaves the answers of the trees."""
        self._refuse_several_targets(self.n_outputs_ > 1)
        walker = self.trees_.walker
        if "leaf_targets_" in vars(self):
            return self.leaf_targets_.distribution(walker.apply(X, self.n_jobs))
        return Empirical(walker.with_columns(np.arange(len(walker))).sums(X, n_jobs=self.n_jobs))

    def _tree_learner(self, seed: int | None = None) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor
        from assay.trees.extra_tree import ExtraTreeRegressor

        tree = DecisionTreeRegressor if self.splitter == "best" else ExtraTreeRegressor
        return tree(**self._tree_parameters(), random_state=seed)

    def _votes(self, answers: np.ndarray) -> Section:
        names = ["answer"] if self.n_outputs_ == 1 else self._target_names(self.n_outputs_)
        marks = np.quantile(answers, [0, 0.25, 0.5, 0.75, 1], axis=0)
        rows = [[name, float(m), *map(float, q)] for name, m, q in zip(names, answers.mean(axis=0), marks.T)]
        columns = ["", "mean", "lowest", "quarter", "median", "three quarters", "highest"]
        return Section(f"Answers of {len(answers)} trees", columns, rows)

    def _explained_outputs(self, X: Any) -> np.ndarray:
        return np.tile(np.arange(self.n_outputs_), (X.shape[0], 1))

    def _output_words(self) -> list[str]:
        if self.n_outputs_ == 1:
            return ["the answer"]
        return [f"the answer {name}" for name in self._target_names(self.n_outputs_)]
