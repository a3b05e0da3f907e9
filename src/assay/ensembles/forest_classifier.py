"""Forests for classes: the mean posterior of their trees."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from assay.core.explanation import Explanation, Section
from assay.core.learner import Classifier
from assay.core.parameters import Any_, Choice
from assay.ensembles.class_weights import times_class_weights, weights_of_classes
from assay.ensembles.forest import FOREST, Forest
from assay.ensembles.several_targets import SeveralTargets, is_table
from assay.errors import AssayWarning, DataError, ParameterError

__all__ = ["ForestClassifier"]


class ForestClassifier(SeveralTargets, Forest, Classifier):
    """What random forests and extra trees for classes share; y may have several columns of classes."""

    accepts = {
        **FOREST,
        "criterion": Choice("gini", "entropy", "log_loss"),
        "class_weight": Choice("balanced", "balanced_subsample")
        | Any_("a dict (a list of dicts for several targets)", lambda v: isinstance(v, (dict, list)))
        | None,
    }
    class_weight: Any
    n_classes_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = self.criterion == "gini"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees with the rows of X and their classes y, (n,), or (n, O) for several targets."""
        return self._fit_several(X, y, sample_weight) if is_table(y) else super().fit(X, y, sample_weight)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
        grown = self._grow_trees(X, y, self._weigh(y, w), self.n_classes_)
        if self.oob_score and (grown or not hasattr(self, "oob_score_")):
            self.oob_decision_function_, _ = self._outsiders(X)
            answers = np.argmax(self.oob_decision_function_, axis=1)
            if callable(self.oob_score):
                self.oob_score_ = self.oob_score(y, answers)
            else:
                self.oob_score_ = float(np.mean(answers == y))

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
            if self.warm_start:
                warnings.warn(
                    f'{who}: class_weight presets "balanced" or "balanced_subsample" are not '
                    "recommended for warm_start if the fitted data differs from the full dataset. Give the weights as "
                    "a dict.",
                    AssayWarning,
                    stacklevel=5,
                )
            if self.class_weight == "balanced_subsample" and self.bootstrap:
                return w
            by_class = _balanced(y, w, self.n_classes_)[y]
        return times_class_weights(w, by_class, who)

    def _weigh_bag(self, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.class_weight != "balanced_subsample":
            return counts
        if self.n_outputs_ == 1:
            return counts * _balanced(y, counts, self.n_classes_)[y]
        ends = np.cumsum(self.n_classes_)
        codes = [np.argmax(z, axis=1) for z in np.split(y, ends[:-1], axis=1)]  # y holds indicators
        each = [_balanced(c, counts, K)[c] for c, K in zip(codes, self.n_classes_)]
        return counts * np.prod(each, axis=0)

    def _settings(self, n: int, d: int, n_classes: int, several: bool) -> dict[str, Any]:
        settings = super()._settings(n, d, n_classes, several)
        if several:
            settings["criterion"] = "squared_error"
            settings["min_impurity_decrease"] *= self._indicators()
        return settings

    def _indicators(self) -> float:
        """Targets over indicator columns: what Gini's impurity is multiplied with to be their mean squared error."""
        return self.n_outputs_ / sum(self.n_classes_) if self.n_outputs_ > 1 else 1.0

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the most probable class; among equals the first of ``classes_``. Of several targets (n, O)."""
        values = self._admit(X)
        return self._answer_several(values) if self.n_outputs_ > 1 else self.classes_[self._choose(values)]

    def predict_proba(self, X: Any) -> Any:
        """(n, K) the mean posterior of the trees; of several targets a list of such."""
        values = self._admit(X)
        return self._posteriors(values) if self.n_outputs_ > 1 else self._posterior(values)

    def predict_log_proba(self, X: Any) -> Any:
        """(n, K) the logarithm of the posterior; of several targets a list of such."""
        found = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(posterior) for posterior in found] if self.n_outputs_ > 1 else np.log(found)

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """How the forest reached its answer: an Explanation for one row, a list for several."""
        if getattr(self, "n_outputs_", 1) > 1:
            raise DataError(
                f"{type(self).__name__}: explains one target. Fit a forest for each of the targets."
            )
        return super().explain(X)

    def _posterior(self, X: Any) -> np.ndarray:
        return self.trees_.grove.sums(X, n_jobs=self.n_jobs) / len(self.trees_)  # (1)

    def _tree_learner(self, seed: int | None = None) -> Any:
        from assay.trees.decision_tree_classifier import DecisionTreeClassifier
        from assay.trees.extra_tree import ExtraTreeClassifier

        if getattr(self, "n_outputs_", 1) > 1:  # of the class shares of all targets
            from assay.trees.decision_tree_regressor import DecisionTreeRegressor

            settings = {**self._tree_parameters(), "criterion": "squared_error"}
            return DecisionTreeRegressor(**settings, splitter=self.splitter, random_state=seed)
        tree = DecisionTreeClassifier if self.splitter == "best" else ExtraTreeClassifier
        return tree(**self._tree_parameters(), random_state=seed)

    def _votes(self, said: np.ndarray) -> tuple[Section, int, str]:
        votes = np.bincount(np.argmax(said, axis=1), minlength=len(self.classes_))
        rows = [
            [str(label), int(v), float(p), float(s)]
            for label, v, p, s in zip(self.classes_, votes, said.mean(axis=0), said.std(axis=0))
        ]
        k = int(np.argmax(said.mean(axis=0)))
        table = Section(f"Votes of {len(said)} trees", ["class", "votes", "mean probability", "spread"], rows)
        return table, k, f"the probability of {self.classes_[k]}"


def _balanced(y: np.ndarray, w: np.ndarray | None, K: int) -> np.ndarray:
    """(K,) weights with which all classes that occur weigh the same."""
    counts = np.bincount(y, weights=w, minlength=K).astype(np.float64)
    there = counts > 0
    return np.divide(counts.sum(), there.sum() * counts, out=np.zeros(K), where=there)
