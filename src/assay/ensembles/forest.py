"""What all forests share: trees grown at the same time on columns ranked once, walked together, kept packed."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.learner import Learner
from assay.core.parallel import in_threads
from assay.core.parameters import Accepted, Any_, Count, Flag, Function, Range, Seed
from assay.core.progress import progress
from assay.core.stored import Each, FloatArray, IntArray, Integer, Mapped, Object, Plain, Scalar
from assay.ensembles.out_of_bag import (
    bag_size,
    divided,
    draw_rows,
    draw_seeds,
    out_of_bag,
    refuse_without_bags,
    seeded,
)
from assay.errors import AssayWarning, DataError, DegenerateError, ParameterError, warn_user
from assay.tables import Schema
from assay.trees.decision_tree import DecisionTree
from assay.trees.growing import Columns, grow, rank_columns
from assay.trees.limits import GROWTH, rows_of
from assay.trees.packed_forest import PackedForest
from assay.trees.pruning.cost_complexity import cost_complexity
from assay.trees.tree import Tree
from assay.types import TableLike

__all__ = ["FOREST", "Forest", "n_features", "refuse_no_forest"]

FOREST: Mapping[str, Accepted] = {
    "n_estimators": Count(1),
    **GROWTH,
    "bootstrap": Flag(),
    "oob_score": Flag() | Function(),
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
    "random_state": Seed(),
    "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
    "warm_start": Flag(),
    "max_samples": Count(1) | Range(0, open="low") | None,
    "monotonic_cst": Any_("a list of -1, 0 and 1, one per column, or None"),
}
TOGETHER = 16  # trees whose bags are in memory at the same time for out-of-bag answers


class Forest(Learner):
    """Many trees, each grown with its own bag of rows and its own draws of columns.

    Tree t depends on ``random_state`` and t alone, so neither threads nor a warm start change it. The trees are kept
    packed in ``trees_`` (about 14 bytes a node) and walked together in ``trees_.walker``; ``estimators_`` grows them
    back when somebody looks.
    """

    stored = {
        "_bags": Mapped(FloatArray("*") | Each(Plain() | Object(Schema)) | Plain()),
        "_seeds": IntArray("t"),
        "max_features_": Integer(low=1),
        "trees_": Object(PackedForest, t="t", d="d") | Each(Object(Tree), "t"),
        "tree_": Object(Tree),
        "oob_score_": Scalar(),
    }

    takes = frozenset({"nominal", "missing", "sparse"})
    splitter: ClassVar[str] = "best"
    n_estimators: int
    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    monotonic_cst: Any
    bootstrap: bool
    oob_score: Any
    max_samples: float | None
    random_state: Any
    n_outputs_: int
    n_classes_: Any
    warm_start: bool
    n_jobs: int | None
    trees_: PackedForest
    _seeds: np.ndarray
    _bags: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "estimators_"}  # grows back

    # ------------------------------------------------------------------ growing

    def _grow_trees(self, X: Any, y: np.ndarray, w: np.ndarray | None, n_classes: Any) -> int:
        """Grow the trees that are not there yet; how many that were."""
        who, n = type(self).__name__, X.shape[0]
        refuse_without_bags(who, self.bootstrap, self.oob_score, self.max_samples)
        size = bag_size(n, self.max_samples, w) if self.bootstrap else n
        old = len(self.trees_) if self.warm_start and "trees_" in vars(self) else 0
        if self.n_estimators < old:
            raise ParameterError(
                f"{who}: n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={old} when "
                "warm_start==True."
            )
        if self.n_estimators == old:
            notice = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warn_user(f"{who}: {notice}", AssayWarning)
            return 0
        if old:
            self._refuse_other_columns()
        seeds = draw_seeds(self.random_state, old, self.n_estimators - old)
        settings = self._settings(n, X.shape[1], n_classes, y.ndim > 1)
        take_all = settings["max_features"] == X.shape[1] and self.splitter == "best"
        columns = rank_columns(X, self.schema_.category_counts(ordered=False), presorted=take_all)
        parts = [self.trees_] if old else []
        parts += self._grow_each(seeds, columns, y, w, size, n_classes, settings)
        self.trees_ = PackedForest.join(parts)
        self._seeds = np.concatenate([self._seeds, seeds]) if old else seeds
        self._bags = {
            "rows": n,
            "size": size,
            "drawn_by": w if self.bootstrap else None,
            "meant": self._meaning(),
        }
        for name in ("estimators_", "oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)  # of the trees before
        return len(seeds)

    def _meaning(self) -> Any:
        """What the numbers of the table and the target stand for."""
        labels = getattr(self, "classes_", [])
        classes = [list(of_target) for of_target in labels] if isinstance(labels, list) else labels.tolist()
        return [self.schema_, classes, self.n_outputs_]

    def _refuse_other_columns(self) -> None:
        if "_bags" not in vars(self) or self._bags["meant"] != self._meaning():
            raise DataError(
                f"{type(self).__name__}: a warm start adds trees to those of the last fit, so the columns, their "
                "categories and the classes must be the same. Fit with warm_start=False."
            )

    def _grow_each(
        self,
        seeds: np.ndarray,
        columns: Columns,
        y: np.ndarray,
        w: np.ndarray | None,
        size: int,
        n_classes: Any,
        settings: dict[str, Any],
    ) -> list[PackedForest]:
        with progress(total=len(seeds), description=type(self).__name__) as bar:

            def one(seed: int) -> PackedForest:
                weights = w
                if self.bootstrap:
                    counts = np.bincount(draw_rows(seed, columns.n, size, w), minlength=columns.n)
                    weights = self._weigh_bag(counts, y)
                tree_seed = seeded(seed).randint(2**31)  # as the tree alone draws it
                tree = self._grow_tree(columns, y, weights, n_classes, settings, tree_seed)
                bar.advance()
                return PackedForest.of([tree], n_classes if isinstance(n_classes, int) else 0)

            return in_threads(one, seeds.tolist(), self.n_jobs)

    def _grow_tree(
        self,
        columns: Columns,
        y: np.ndarray,
        w: np.ndarray | None,
        n_classes: Any,
        settings: dict[str, Any],
        seed: int,
    ) -> Tree:
        total = columns.n if w is None else float(w.sum())
        limit = self.min_weight_fraction_leaf * total
        tree = grow(columns, y, w, n_classes=n_classes, min_weight_leaf=limit, seed=seed, **settings)
        return cost_complexity(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _weigh_bag(self, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What the rows of a bag weigh: how often they were drawn."""
        return counts

    def _settings(self, n: int, d: int, n_classes: Any, several: bool) -> dict[str, Any]:
        """The settings of tree growing: shares of rows and columns as numbers."""
        me: Any = self
        return {
            "criterion": self.criterion,
            "splitter": self.splitter,
            "max_depth": self.max_depth,
            "min_samples_split": rows_of(self.min_samples_split, n, 2),
            "min_samples_leaf": rows_of(self.min_samples_leaf, n, 1),
            "max_features": n_features(self.max_features, d),
            "max_leaf_nodes": self.max_leaf_nodes,
            "min_impurity_decrease": self.min_impurity_decrease,
            "monotonic": DecisionTree._monotonic(me, n_classes, several),
        }

    # ------------------------------------------------------------------ rows outside of the bags

    def _outsiders(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """(n, V) the mean answer of the trees trained without the row, and (n,) how many these are."""
        n, walker = X.shape[0], self.trees_.walker
        sums, votes = np.zeros((n, walker.width)), np.zeros(n, np.int64)
        for first in range(0, len(walker), TOGETHER):
            bags = np.stack([~out_of_bag(rows, n) for rows in self._drawn(first, first + TOGETHER)])
            sums = walker.sums(X, first, first + len(bags), sums, bags, self.n_jobs)
            votes += len(bags) - bags.sum(axis=0)
        return divided(sums, votes), votes

    def _drawn(self, first: int, last: int) -> list[np.ndarray]:
        """The rows in the bags of some trees, drawn again from their seeds."""
        if "_bags" not in vars(self):
            raise DegenerateError(
                f"{type(self).__name__}: a forest made compact does not know the bags of its trees. Ask the forest it "
                "was made from."
            )
        n, size, w = self._bags["rows"], self._bags["size"], self._bags["drawn_by"]
        seeds = self._seeds[first:last].tolist()
        if not self.bootstrap:
            return [np.arange(n, dtype=np.int32)] * len(seeds)
        return [draw_rows(seed, n, size, w).astype(np.int32) for seed in seeds]

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown with, drawn again from its seed."""
        self._ready()
        return self._drawn(0, len(self.trees_))

    # ------------------------------------------------------------------ looking at the trees

    @cached_property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own, made on first access."""
        if "trees_" not in vars(self):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'estimators_': call fit first."
            )
        return [self._shell(t, seed) for t, seed in enumerate(self._seeds.tolist())]

    def _shell(self, t: int, seed: int) -> Any:
        """A fitted learner around tree t."""
        model = self._tree_learner(seed)
        model._remember(self.schema_)
        tree, n_outputs = self.trees_.tree(t), self.n_outputs_
        if n_outputs > 1:
            sizes = self.n_classes_ if "classes_" in vars(self) else [1] * n_outputs
            tree = replace(tree, output_sizes=np.array(sizes, np.int32))
        model.tree_, model.n_outputs_ = tree, n_outputs
        model.max_features_ = n_features(self.max_features, self.n_features_in_)
        if "classes_" in vars(self):
            model.classes_, model.n_classes_ = self.classes_, self.n_classes_
        return model

    def apply(self, X: TableLike) -> np.ndarray:
        """(n, T) the number of the leaf that each row reaches in each tree."""
        return self.trees_.walker.apply(self._admit(X), self.n_jobs).astype(np.int64)

    def decision_path(self, X: TableLike) -> tuple[Any, np.ndarray]:
        """(n, nodes of all trees) sparse, 1 at the nodes that each row passes; and (T + 1,) where each tree begins."""
        from scipy.sparse import hstack

        values = self._admit(X)
        dense = values if isinstance(values, np.ndarray) else values.toarray()
        paths = [self.trees_.tree(t).decision_path(dense) for t in range(len(self.trees_))]
        return hstack(paths, format="csr"), self.trees_.roots.copy()

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) the mean share of each column in what the tests of a tree lower the impurity.

        Biased towards columns with many distinct values; see :mod:`~assay.ensembles.importances` for others.
        """
        from assay.ensembles.importances import impurity_importances

        self._ready()
        return impurity_importances(self)

    def compact(self) -> Self:
        """A copy for prediction alone: without the bags, the impurities and the out-of-bag estimates.

        It answers as before and is about half as large; importances and out-of-bag estimates are gone.
        """
        self._ready()
        model = copy.copy(self)
        for name in ("estimators_", "_bags", "oob_decision_function_", "oob_prediction_"):
            model.__dict__.pop(name, None)
        model.trees_ = self.trees_.without_history()
        return model

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        from assay.trees.shap import contribution_section, contributions

        trees, block = [self.trees_.tree(t) for t in range(len(self.trees_))], dense_block(X)
        phi, base = contributions(trees, block, 1 / len(trees))
        leaves = self.trees_.walker.apply(X, self.n_jobs) + self.trees_.roots[:-1]  # (n, T) among all nodes
        values = np.concatenate([tree.values for tree in trees])
        chosen, outputs, names = self._explained_outputs(X), self._output_words(), self.schema_.names

        def sections(i: int) -> list[Section]:
            return [
                self._votes(values[leaves[i]]),
                *(
                    contribution_section(rows[i], phi[i, :, k], float(base[k]), of=outputs[k], names=names)
                    for k in chosen[i]
                ),
            ]

        every = Contributions(phi, base, names, outputs, chosen[:, 0])
        return Reasons(sections, every.take if chosen.shape[1] == 1 else lambda some: None)

    def _votes(self, answers: np.ndarray) -> Section:
        """What the trees answer, (T, V), as a section."""
        raise TypeError(f"{type(self).__name__} must define the answers of its trees")

    def _explained_outputs(self, X: Any) -> np.ndarray:
        """(n, O) which of the V outputs explain the answers, one for each target."""
        raise TypeError(f"{type(self).__name__} must define which outputs decide")

    def _output_words(self) -> list[str]:
        """What each of the V outputs is."""
        raise TypeError(f"{type(self).__name__} must define what its outputs are")

    def _tree_learner(self, seed: int | None = None) -> Any:
        """The learner that a single tree of the forest is."""
        raise TypeError(f"{type(self).__name__} must define what its trees are")

    def _tree_parameters(self) -> dict[str, Any]:
        shared = [
            "criterion",
            "max_depth",
            "min_samples_split",
            "min_samples_leaf",
            "min_weight_fraction_leaf",
        ]
        shared += ["max_features", "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst"]
        return {name: getattr(self, name) for name in shared}

    @property
    def estimator(self) -> Any:
        """The learner that a single tree of the forest is, not fitted; known before ``fit``."""
        return self._tree_learner()

    @property
    def estimator_(self) -> Any:
        """The learner that a single tree of the forest is, not fitted."""
        self._ready()
        return self._tree_learner()

    def __len__(self) -> int:
        return len(self.trees_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)


def refuse_no_forest(model: Any, who: str) -> None:
    """Raise if the model is no forest, or not fitted."""
    if not isinstance(model, Forest):
        raise ParameterError(
            f"{who}: expected a forest, such as RandomForestClassifier, got {type(model).__name__}."
        )
    model._ready()


def n_features(max_features: Any, d: int) -> int:
    """How many of d columns a node looks at.

    >>> [n_features(m, 20) for m in ("sqrt", "log2", None, 3, 0.5)]
    [4, 4, 20, 3, 10]
    """
    if max_features is None:
        return d
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(d) if max_features == "sqrt" else np.log2(d)))
    return min(d, int(max_features)) if isinstance(max_features, Integral) else max(1, int(max_features * d))
