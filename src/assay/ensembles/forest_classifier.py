"""Forests for classes: the mean posterior of their trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.explanation import Section
from assay.core.multi_target import MultiTargetClassifier
from assay.core.parameters import Any_, Choice
from assay.core.stored import FloatArray
from assay.ensembles.class_weights import times_class_weights, weights_of_classes
from assay.ensembles.forest import FOREST, Forest
from assay.errors import AssayWarning, ParameterError, warn_user
from assay.trees.decision_tree_classifier import targets_weighted
from assay.types import ClassWeight, RandomState

__all__ = ["ForestClassifier"]


class ForestClassifier(Forest, MultiTargetClassifier):
    """What random forests and extra trees for classes share; y may have several columns of classes."""

    accepts = {
        **FOREST,
        "criterion": Choice("gini", "entropy", "log_loss"),
        "class_weight": Choice("balanced", "balanced_subsample")
        | Any_("a dict (a list of dicts for several targets)", lambda v: isinstance(v, (dict, list)))
        | None,
    }
    stored = {"oob_decision_function_": FloatArray("*", "K") | FloatArray("*", "*", "*")}
    class_weight: Any
    n_classes_: Any

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
        grown = self._grow_trees(X, y, self._weigh(y, w), self.n_classes_)
        if self.oob_score and (grown or not hasattr(self, "oob_score_")):
            self.oob_decision_function_, _ = self._outsiders(X)
            self._judge(y, np.argmax(self.oob_decision_function_, axis=1))

    def _learn_several(self, X: Any, codes: np.ndarray, w: np.ndarray | None) -> None:
        w = self._weigh_targets(codes, w)
        grown = self._grow_trees(X, codes, w, self.n_classes_)
        if not self.oob_score or not (grown or not hasattr(self, "oob_score_")):
            return
        if len(set(self.n_classes_)) > 1:
            raise ParameterError(
                f"{type(self).__name__}: The type of target cannot be used to compute OOB estimates: the targets have "
                f"{self.n_classes_} classes, expected as many of each."
            )
        shares, _ = self._outsiders(X)
        self.oob_decision_function_ = np.stack(np.split(shares, self.n_outputs_, axis=1), axis=2)
        self._judge(codes, np.argmax(self.oob_decision_function_, axis=1))

    def _judge(self, codes: np.ndarray, answers: np.ndarray) -> None:
        """The out-of-bag score: the share of rows with all targets right, or the value of a function."""
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(codes, answers)
        else:
            right = answers == codes
            self.oob_score_ = float(np.mean(right if codes.ndim == 1 else right.all(axis=1)))

    def _weigh(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray | None:
        """The rows' weights, times those of their classes."""
        if self.class_weight is None:
            return w
        who = type(self).__name__
        if isinstance(self.class_weight, list):
            raise ParameterError(
                f"{who}: class_weight must be a dict of class to weight, since y has one target, got a list."
            )
        if isinstance(self.class_weight, Mapping):
            by_class = weights_of_classes(self.class_weight, self.classes_, who)[y]
        else:
            self._warn_of_presets()
            if self.class_weight == "balanced_subsample" and self.bootstrap:
                return w
            by_class = _balanced(y, w, self.n_classes_)[y]
        return times_class_weights(w, by_class, who)

    def _weigh_targets(self, codes: np.ndarray, w: np.ndarray | None) -> np.ndarray | None:
        """The same for several targets: the weights of a row's classes are multiplied."""
        if self.class_weight is None:
            return w
        presets = isinstance(self.class_weight, str)
        if presets:
            self._warn_of_presets()
        if self.class_weight == "balanced_subsample" and self.bootstrap:
            return w
        who = type(self).__name__
        chosen = "balanced" if presets else self.class_weight
        by_class = targets_weighted(chosen, self.classes_, codes, None, who)
        assert by_class is not None
        return times_class_weights(w, by_class, who)

    def _warn_of_presets(self) -> None:
        if self.warm_start:
            warn_user(
                f'{type(self).__name__}: class_weight presets "balanced" or "balanced_subsample" are not '
                "recommended for warm_start if the fitted data differs from the full dataset. Give the weights as "
                "a dict.",
                AssayWarning,
            )

    def _weigh_bag(self, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.class_weight != "balanced_subsample":
            return counts
        if self.n_outputs_ == 1:
            return counts * _balanced(y, counts, self.n_classes_)[y]
        each = [_balanced(c, counts, K)[c] for c, K in zip(y.T, self.n_classes_)]
        return counts * np.prod(each, axis=0)

    def _posteriors(self, X: Any) -> list[np.ndarray]:
        return np.split(self._posterior(X), np.cumsum(self.n_classes_)[:-1], axis=1)

    def _posterior(self, X: Any) -> np.ndarray:
        return self.trees_.walker.sums(X, n_jobs=self.n_jobs) / len(self.trees_)  # (1)

    def _tree_learner(self, seed: int | None = None) -> Any:
        from assay.trees.decision_tree_classifier import DecisionTreeClassifier
        from assay.trees.extra_tree import ExtraTreeClassifier

        tree = DecisionTreeClassifier if self.splitter == "best" else ExtraTreeClassifier
        return tree(**self._tree_parameters(), random_state=seed)

    def _votes(self, answers: np.ndarray) -> Section:
        mean, spread = answers.mean(axis=0), answers.std(axis=0)
        sizes = self.n_classes_ if self._several else [self.n_classes_]
        blocks = np.split(answers, np.cumsum(sizes)[:-1], axis=1)
        votes = np.concatenate([np.bincount(np.argmax(b, axis=1), minlength=b.shape[1]) for b in blocks])
        rows = [
            [label, int(v), float(p), float(s)]
            for label, v, p, s in zip(self._output_labels(), votes, mean, spread)
        ]
        return Section(
            f"Votes of {len(answers)} trees", ["class", "votes", "mean probability", "spread"], rows
        )

    def _explained_outputs(self, X: Any) -> np.ndarray:
        posteriors = self._posteriors(X) if self._several else [self._posterior(X)]
        first = np.cumsum([0] + [posterior.shape[1] for posterior in posteriors[:-1]])
        return np.column_stack([posterior.argmax(axis=1) for posterior in posteriors]) + first

    def _output_words(self) -> list[str]:
        return [f"the probability of {label}" for label in self._output_labels()]

    def _output_labels(self) -> list[str]:
        return self._target_labels() if self._several else [str(label) for label in self.classes_]


def _balanced(y: np.ndarray, w: np.ndarray | None, K: int) -> np.ndarray:
    """(K,) weights with which all classes that occur weigh the same."""
    counts = np.bincount(y, weights=w, minlength=K).astype(np.float64)
    present = counts > 0
    return np.divide(counts.sum(), present.sum() * counts, out=np.zeros(K), where=present)
