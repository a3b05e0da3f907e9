"""Isolation forest: outliers are separated from the other rows by few random splits."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np

import assay.outliers._isolation as _isolation
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues, dense_block
from assay.core.fitting import all_or_nothing
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import FloatArray, IntArray, Integer, Object
from assay.core.targets import check_weights
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.outliers.detector import CONTAMINATION, Detector
from assay.trees.extra_tree import ExtraTreeRegressor
from assay.trees.growing import grow, rank_columns
from assay.trees.packed_forest import PackedForest
from assay.trees.tree import LEAF, THRESHOLD, Tree
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["IsolationForest", "mean_path_length"]

SAMPLE = 256  # rows of a tree when max_samples is "auto", as published


class IsolationForest(Detector):
    r"""Score rows by how many random splits separate them from the others.

    Each tree takes a few rows and cuts them by a column drawn at random, at a place drawn at random between the
    smallest and the largest value there, until every row is alone or the depth reaches
    :math:`\lceil\log_2 \psi\rceil`, with :math:`\psi` the number of rows. The path of a row has the length

    .. math:: h(x) = \text{cuts to its leaf} + c(\text{rows in the leaf}), \quad
              c(m) = 2(\ln(m-1) + \gamma) - \tfrac{2(m-1)}m \quad (1)

    (:math:`c(2) = 1`, :math:`c(1) = 0`; c(m) is the mean path length among m rows), and the score is

    .. math:: s(x) = -2^{-\bar h(x) / c(\psi)} \quad (2)

    with the mean over the trees: near -1 for outliers, above -0.5 for other rows (Liu, Ting and Zhou 2008). Quick on
    large tables, in many columns, without a distance; categories are divided at random, and missing values go to a
    random side, so mixed tables need no preparation.

    Cost: fit O(T psi log psi) for T trees of psi rows; predict O(T log psi) a row; memory O(n d) to fit, O(T psi) kept.

    Parameters
    ----------
    n_estimators : int, default 100
    max_samples : "auto", int or share, default "auto"
        :math:`\psi`; "auto" is the smaller of 256 and n.
    contamination : "auto" or a share up to 0.5, default "auto"
        "auto" puts the threshold at -0.5.
    max_features : int or share, default 1.0
        Columns that each tree uses.
    bootstrap : bool, default False
        Draw the rows of a tree with replacement; a row drawn twice counts once.
    n_jobs : int, default None
        Most threads to use; None for as many as there are.
    random_state : int, RandomState or None, default None
    verbose : int, default 0
        Accepted as in scikit-learn; progress shows itself.
    warm_start : bool, default False
        Keep the trees of the last fit and add to them.

    Attributes
    ----------
    trees_ : PackedForest      max_samples_ : int      offset_ : float
    estimators_ : list of ExtraTreeRegressor, each predicting (1)      estimator_ : one of them, not fitted
    estimators_samples_, estimators_features_ : lists of arrays, the rows and columns of each tree

    Examples
    --------
    >>> from assay.outliers import IsolationForest
    >>> model = IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]])
    >>> model.predict([[0.1], [0.0], [90.0]])
    array([ 1,  1, -1])

    See Also
    --------
    LocalOutlierFactor, GaussianOutliers

    References
    ----------
    - Liu, F. T., Ting, K. M. and Zhou, Z.-H. (2008). Isolation forest. IEEE International Conference on Data
      Mining, 413-422. doi:10.1109/ICDM.2008.17
    """

    card = Card(
        "isolation forest",
        "rows that few random cuts separate from the others",
        also=("iforest",),
        settings={"random_state": 0},
    )
    accepts = {
        "n_estimators": Count(1),
        "max_samples": Choice("auto") | Count(1) | Range(0, 1, open="low"),
        "contamination": CONTAMINATION,
        "max_features": Count(1) | Range(0, 1, open="low"),
        "bootstrap": Flag(),
        "n_jobs": Any_(
            "a whole number other than 0, or None",
            lambda v: v is None or (isinstance(v, Integral) and v != 0),
        ),
        "random_state": Seed(),
        "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
        "warm_start": Flag(),
    }
    stored = {
        "_rows_": Integer("n"),
        "_seeds_": IntArray("t"),
        "_share_": FloatArray("n") | None,
        "max_samples_": Integer(low=1),
        "max_features_": Integer(low=1),
        "n_outputs_": Integer(low=1),
        "tree_": Object(Tree),
        "trees_": Object(PackedForest, t="t", d="d"),
    }
    takes = frozenset({"nominal", "missing", "sparse"})
    usual_offset = -0.5
    trees_: PackedForest
    _seeds_: np.ndarray

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        max_samples: float | str = "auto",
        contamination: float | str = "auto",
        max_features: float = 1.0,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
    ):
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "estimators_"}  # grows back

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table, (n, d)
        y : ignored
        sample_weight : (n,) a row is drawn with a probability in proportion to its weight; None draws all alike
        """
        self._check_parameters()
        before = vars(self).get("schema_") if self.warm_start else None
        values = self._admit(X, fitting=True)
        if before is not None and before != self.schema_:
            raise DataError(
                "IsolationForest: a warm start adds trees to those of the last fit, so the columns and their "
                "categories must be the same. Fit with warm_start=False."
            )
        w = check_weights(sample_weight, values)
        self._share_ = None if w is None or not w.sum() > 0 else w / w.sum()
        if w is not None and self._share_ is None:
            raise DataError("IsolationForest: no row has a weight above zero.")
        return self._fit_values(values)

    def _learn(self, X: Any) -> None:
        n, who = X.shape[0], type(self).__name__
        old = len(self.trees_) if self.warm_start and "trees_" in vars(self) else 0
        if self.n_estimators < old:
            raise ParameterError(
                f"{who}: n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={old} when "
                "warm_start==True."
            )
        counting = n if self._share_ is None else int(np.count_nonzero(self._share_))
        self.max_samples_ = self._sample_size(counting)
        if self.n_estimators == old:
            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warn_user(f"{who}: {message}", AssayWarning)
            return
        seeds = random_state_of(self.random_state).randint(LARGEST_SEED, size=self.n_estimators)
        trees = self._grow_each(X, seeds[old:])
        if old:
            seeds[:old], trees = self._seeds_, [self.trees_, *trees]
        self.trees_, self._seeds_, self._rows_ = PackedForest.join(trees), seeds, n
        shown = self.__dict__.pop("estimators_", [])[:old]
        if shown:
            self.estimators_ = shown + self._regressors(old)

    def _sample_size(self, n: int) -> int:
        if isinstance(self.max_samples, str):
            return min(SAMPLE, n)
        if isinstance(self.max_samples, Integral):
            if int(self.max_samples) > n:
                warn_user(
                    f"IsolationForest: max_samples ({self.max_samples}) is greater than the total number of samples "
                    f"({n}). max_samples will be set to n_samples for estimation.",
                    AssayWarning,
                )
            return min(int(self.max_samples), n)
        return max(1, int(self.max_samples * n))

    def _grow_each(self, X: Any, seeds: np.ndarray) -> list[PackedForest]:
        categories = self.schema_.category_counts(ordered=False)
        with progress(total=len(seeds), description=type(self).__name__) as bar:

            def grow_tree(seed: int) -> PackedForest:
                rows, columns, draw = self._drawn(seed, *X.shape)
                rows = np.unique(rows)  # copies cannot be separated, so they count once
                sample = X[rows] if isinstance(X, np.ndarray) else X[rows].toarray()
                tree = _isolated(sample, columns, categories, self._max_depth, draw)
                bar.advance()
                return PackedForest.of([tree])

            return in_threads(grow_tree, seeds.tolist(), self.n_jobs)

    @property
    def _max_depth(self) -> int:
        return int(np.ceil(np.log2(max(self.max_samples_, 2))))

    def _drawn(self, seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.random.RandomState]:
        """The rows and columns of the tree with this seed, and the generator that drew them."""
        draw = np.random.RandomState(seed)
        m = self.max_features
        width = min(int(m), d) if isinstance(m, Integral) else max(1, int(m * d))
        columns = np.arange(d) if width == d else np.sort(draw.permutation(d)[:width])
        if self._share_ is not None:
            drawn = draw.choice(n, self.max_samples_, replace=bool(self.bootstrap), p=self._share_)
            return drawn, columns, draw
        if self.bootstrap:
            return draw.randint(0, n, self.max_samples_), columns, draw
        from sklearn.utils.random import sample_without_replacement

        return sample_without_replacement(n, self.max_samples_, random_state=draw), columns, draw

    def _score(self, X: Any) -> np.ndarray:
        lengths = self.trees_.walker.sums(X, n_jobs=self.n_jobs)[:, 0]
        usual = len(self.trees_) * float(mean_path_length(self.max_samples_))
        return -(2.0 ** -(lengths / usual)) if usual > 0 else np.full(len(lengths), -0.5)  # (2)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """How long the paths are, and which columns a row was cut by, against what is usual."""
        dense, T = dense_block(X), len(self.trees_)
        cuts, lengths = np.zeros((len(dense), self.n_features_in_)), np.zeros(len(dense))
        for t in range(T):
            tree = self.trees_.tree(t)
            path = tree.decision_path(dense)
            feature = tree.feature[path.indices]
            row = np.repeat(np.arange(len(dense)), np.diff(path.indptr))
            np.add.at(cuts, (row[feature >= 0], feature[feature >= 0]), 1)
            lengths += tree.predict(dense)[:, 0] / T
        usual, names = float(mean_path_length(self.max_samples_)), self.schema_.names

        def sections(i: int) -> list[Section]:
            order = [j for j in np.argsort(-cuts[i], kind="stable") if cuts[i, j]]
            table = [[names[j], rows[i][names[j]], cuts[i, j] / T] for j in order]
            note = f"Mean path length {lengths[i]:.4g}; {usual:.4g} is the mean of {self.max_samples_} rows."
            return [
                Section("Cuts on the way to being alone", ["column", "value", "cuts a tree"], table, note)
            ]

        return Reasons(sections)

    # ------------------------------------------------------------------ looking at the trees

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """The learner that a single tree is, not fitted."""
        return ExtraTreeRegressor(max_features=1, random_state=self.random_state)

    @cached_property
    def estimators_(self) -> list[ExtraTreeRegressor]:
        """The trees as regressors of the path length (1), made at the first access."""
        if "trees_" not in vars(self):
            raise AttributeError("'IsolationForest' object has no attribute 'estimators_': call fit first.")
        return self._regressors()

    def _regressors(self, first: int = 0) -> list[ExtraTreeRegressor]:
        models = []
        for t in range(first, len(self.trees_)):
            seed = int(self._seeds_[t])
            model = ExtraTreeRegressor(max_depth=self._max_depth, max_features=1, random_state=seed)
            model._remember(self.schema_)
            model.tree_, model.n_outputs_, model.max_features_ = self.trees_.tree(t), 1, 1
            models.append(model)
        return models

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown with, drawn again from its seed."""
        self._ready()
        return [self._drawn(seed, self._rows_, self.n_features_in_)[0] for seed in self._seeds_.tolist()]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each tree used, drawn again from its seed."""
        self._ready()
        return [self._drawn(seed, self._rows_, self.n_features_in_)[1] for seed in self._seeds_.tolist()]


def mean_path_length(m: Any) -> np.ndarray:
    """c(m) of (1): how many cuts it takes on average to find one of m rows alone.

    >>> from assay.outliers.isolation_forest import mean_path_length
    >>> mean_path_length([1, 2, 256]).round(4)
    array([ 0.    ,  1.    , 10.2448])
    """
    m = np.asarray(m, dtype=np.float64)
    many = np.maximum(m, 3.0)
    return np.where(m > 2, 2 * (np.log(many - 1) + np.euler_gamma) - 2 * (many - 1) / many, (m == 2) * 1.0)


def _isolated(
    sample: np.ndarray, columns: np.ndarray, categories: np.ndarray, depth: int, draw: np.random.RandomState
) -> Tree:
    """A tree of all columns whose leaves answer the path length (1)."""
    seed = int(draw.randint(LARGEST_SEED))
    if not categories.any() and not np.isnan(sample).any():
        return _of_numbers(sample, columns, categories, depth, seed)
    tree = grow(
        rank_columns(sample[:, columns], categories[columns], presorted=False),
        draw.uniform(size=len(sample)),  # no two alike, so that only single rows are not cut
        n_classes=0,
        criterion="squared_error",
        splitter="random",
        max_depth=depth,
        max_features=1,
        seed=seed,
    )
    length = tree.depth + mean_path_length(tree.n_node_samples)
    feature = np.where(tree.feature >= 0, columns[np.maximum(tree.feature, 0)], tree.feature).astype(np.int32)
    return replace(
        tree, values=length[:, None], feature=feature, n_categories=np.asarray(categories, np.int32)
    )


def _of_numbers(X: np.ndarray, columns: np.ndarray, categories: np.ndarray, depth: int, seed: int) -> Tree:
    """The same for numbers without gaps, which native code cuts without sorting any column."""
    room = 2 * len(X) - 1
    feature, right, samples = (np.empty(room, np.int32) for _ in range(3))
    threshold = np.empty(room)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    m = _isolation.isolate(
        X=rows,
        columns=columns.astype(np.int32),
        max_depth=depth,
        seed=seed,
        feature=feature,
        threshold=threshold,
        right=right,
        samples=samples,
    )
    feature, threshold, right, samples = feature[:m], threshold[:m], right[:m], samples[:m]
    inner = np.flatnonzero(feature >= 0)
    child = np.stack([inner + 1, right[inner]], axis=1)
    side = np.full(m, -1, np.int32)  # of values that are missing later: the larger one
    side[inner] = samples[child[:, 1]] > samples[child[:, 0]]
    tree = Tree(
        feature=feature,
        kind=np.where(feature >= 0, THRESHOLD, LEAF).astype(np.uint8),
        threshold=threshold,
        offset=np.concatenate([[0], np.cumsum(2 * (feature >= 0))]).astype(np.int32),
        child=child.ravel().astype(np.int32),
        set_offset=np.zeros(m + 1, np.int32),
        sets=np.zeros(0, np.uint32),
        missing=side,
        values=np.zeros((m, 1)),
        impurity=np.zeros(m),
        n_node_samples=samples.astype(np.int64),
        weighted_n_node_samples=samples.astype(np.float64),
        n_categories=np.asarray(categories, np.int32),
    )
    return replace(tree, values=(tree.depth + mean_path_length(samples))[:, None])
