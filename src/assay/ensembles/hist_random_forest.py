"""Random forests on bins: trees that need only histograms of the rows, wherever these are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Classifier, Regressor
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Learner
from assay.core.parallel import threads
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.core.sum_learner import PassLearner
from assay.core.sums import Rows, Source
from assay.ensembles.class_weights import weights_of_classes
from assay.ensembles.forest import n_features
from assay.ensembles.hist_bags import Bags, BagTargets, KeptBagRows, SquaredExtents
from assay.ensembles.hist_blocks import BlockTargets, Totals, find_block_bins, missing_columns
from assay.ensembles.hist_constraints import monotonic_signs
from assay.ensembles.hist_growing import Limits
from assay.ensembles.hist_trees import BoostedTrees, Grown
from assay.ensembles.out_of_bag import refuse_without_bags
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.tables import Table
from assay.trees.shap import column_reasons, contributions
from assay.types import ClassWeight, RandomState, TableLike

__all__ = ["HistRandomForestClassifier", "HistRandomForestRegressor"]

TOGETHER = 8  # trees that grow side by side, or those of one bag if they are more


class _HistForest(PassLearner, Learner):
    """What both share: bags of rows, trees on bins, and the mean of their answers."""

    takes = frozenset({"nominal", "missing"})
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "n_estimators": Count(1),
        "max_depth": Count(1) | None,
        "min_samples_leaf": Count(1),
        "max_features": Choice("sqrt", "log2") | Count(1) | Range(0, 1, open="low") | None,
        "max_leaf_nodes": Count(2) | None,
        "max_bins": Count(2, 255),
        "bootstrap": Flag(),
        "max_samples": Count(1) | Range(0, 1, open="low") | None,
        "oob_score": Flag(),
        "monotonic_cst": Any_("a dict or one of -1, 0, 1 for each column", lambda v: np.ndim(v) <= 1) | None,
        "random_state": Seed(),
    }
    stored = {
        "baseline_": FloatArray("o", finite=True),
        "n_trees_per_bag_": Integer("o"),
        "oob_score_": Scalar(),
        "trees_": Object(BoostedTrees, d="d"),
    }
    n_estimators: int
    max_depth: int | None
    min_samples_leaf: int
    max_features: Any
    max_leaf_nodes: int | None
    max_bins: int
    bootstrap: bool
    max_samples: float | None
    oob_score: bool
    monotonic_cst: Any
    random_state: Any
    baseline_: np.ndarray
    n_trees_per_bag_: int
    trees_: BoostedTrees
    oob_score_: float

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        self._forget()
        self._learn_from(Rows(X, y, w, pieces=threads()))

    def _forget(self) -> None:
        self.__dict__.pop("oob_score_", None)

    def _outputs(self, totals: Totals) -> tuple[BagTargets, np.ndarray]:
        """What the trees of a bag predict, and what those of an empty bag answer."""
        raise TypeError(f"{type(self).__name__} must define _outputs")

    def _class_weights(self, counts: np.ndarray) -> np.ndarray | None:
        return None

    def _learn_from(self, source: Source) -> None:
        who, seed = type(self).__name__, self._drawn_seed()
        refuse_without_bags(who, self.bootstrap, self.oob_score, self.max_samples)
        n_categories = self.schema_.category_counts(ordered=False)
        signs = monotonic_signs(self.monotonic_cst, self.schema_, n_categories > 0, who)
        source = source.numbered()
        K = len(self.classes_) if hasattr(self, "classes_") else 0
        if signs.any() and K > 2:
            raise ParameterError("monotonic constraints are for numbers and two classes.", who=who)
        totals = Totals.of(source, BlockTargets(who=who), K)
        by_class = self._class_weights(totals.counts)
        targets = BlockTargets(by_class, who=who, weighted=totals.weighted)
        if by_class is not None:
            totals = Totals.of(source, targets, K)
        self._check_totals(totals)
        scale = 2.0 ** -round(np.log2(totals.weight / totals.rows))  # so that a row weighs about 1
        bins = find_block_bins(source, targets, totals, n_categories, int(self.max_bins), seed)
        of_bags, empty = self._outputs(totals)
        at_once = min(self.n_estimators, max(1, TOGETHER // of_bags.outputs))
        make = KeptBagRows(bins, targets, scale, at_once, of_bags.outputs, self.oob_score)
        heaviest = totals.heaviest * scale if totals.weighted else None
        self.baseline_ = np.full(of_bags.outputs, of_bags.start)
        self.n_trees_per_bag_ = of_bags.outputs
        with source.keep(make, writable=make.writable) as kept:
            farthest = 1.0 if heaviest is None else heaviest
            if not of_bags.classes:
                farthest = float(kept.add_up(SquaredExtents(of_bags)).value)
                if not np.isfinite(farthest):
                    raise self._overflow()
                unit = 2.0 ** int(np.frexp(farthest)[1] if farthest else 0)  # so that squares stay in range
                of_bags, farthest = replace(of_bags, unit=unit), farthest / unit
            bags = Bags(
                kept,
                bins,
                missing_columns(kept),
                totals.rows,
                heaviest,
                farthest,
                of_bags,
                empty,
                self._limits(len(self.schema_)),
                signs,
                self._bag_rate(totals.rows) if self.bootstrap else None,
                at_once,
            )
            self.trees_ = BoostedTrees.of(self._grown(bags, at_once, seed), n_categories)
            if self.oob_score:
                self._judge(bags)

    def _grown(self, bags: Bags, at_once: int, seed: int) -> list[Grown]:
        grown: list[Grown] = []
        K = self.n_trees_per_bag_
        with progress(total=self.n_estimators, description=type(self).__name__) as bar:
            for first in range(0, self.n_estimators, at_once):
                some = range(first, min(first + at_once, self.n_estimators))
                seeds = [
                    np.random.SeedSequence(seed, spawn_key=(t,)).generate_state(2, np.uint64).tolist()
                    for t in some
                ]
                of_trees = [node_seed for _, node_seed in seeds for _ in range(K)]  # classes in any order
                trees = bags.grow([bag_seed for bag_seed, _ in seeds], of_trees, self.oob_score)
                if trees is None or not all(np.isfinite(tree.number[tree.leaf]).all() for tree in trees):
                    raise self._overflow()
                grown += trees
                bar.advance(len(some))
        return grown

    def _overflow(self) -> DegenerateError:
        return DegenerateError(
            "the sums of targets overflow. Bring targets and weights to a smaller range.",
            who=type(self).__name__,
        )

    def _judge(self, bags: Bags) -> None:
        score = bags.judge()
        if score is None:
            notice = (
                "no row is outside of a bag, or all targets are equal there: there is no out-of-bag score."
            )
            warn_user(f"{type(self).__name__}: {notice}", DegenerateWarning)
        self.oob_score_ = np.nan if score is None else score

    def _check_totals(self, totals: Totals) -> None:
        who = type(self).__name__
        if totals.rows >= 1 << 31:
            raise DataError(f"takes fewer than 2^31 rows, got {totals.rows:,}.", who=who)
        if not 0 < totals.weight < np.inf:
            raise DegenerateError("all rows weigh 0, or too much to be added up.", who=who)

    def _drawn_seed(self) -> int:
        return int(random_state_of(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8"))

    def _bag_rate(self, n: int) -> float:
        """How often a row is in a bag, on average."""
        if self.max_samples is None:
            return 1.0
        if not isinstance(self.max_samples, Integral):
            return float(self.max_samples)
        if self.max_samples > n:
            raise ParameterError(
                f"max_samples={self.max_samples} is more than the {n} rows.", who=type(self).__name__
            )
        return int(self.max_samples) / n

    def _limits(self, d: int) -> Limits:
        share = (n_features(self.max_features, d) - 0.5) / d  # rounded up to whole columns
        if n_features(self.max_features, d) == d:
            share = 1.0
        return Limits(self.max_leaf_nodes, self.max_depth, self.min_samples_leaf, 0.0, share)

    # Answers

    def _mean(self, X: np.ndarray) -> np.ndarray:
        """(n, outputs) the mean answer of the trees."""
        sums = self.trees_.add_scores(X, np.zeros((len(X), len(self.baseline_))))
        return self.baseline_ + sums / self.n_estimators

    def __len__(self) -> int:
        return self.trees_.n_trees

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) how much the tests of each column lower the squared error, in shares of the whole."""
        self._ready()
        gains = self.trees_.gains()
        return gains / gains.sum() if gains.sum() > 0 else gains

    def contributions(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """What each column adds to the mean answers of the trees: exact Shapley values.

        Returns
        -------
        (n, d, K) contributions and (K,) base answers; the base plus the sum over columns is the mean answer
        """
        values = self._admit(X)
        K, T = self.n_trees_per_bag_, self.trees_.n_trees
        trees = [self.trees_.tree(t) for t in range(T)]
        phi, base = contributions(trees, values, K / T, output=np.arange(T) % K, n_outputs=K)
        return phi, base + self.baseline_

    def _add_up(self, X: np.ndarray, rows: RowValues, outputs: list[str], chosen: np.ndarray) -> Reasons:
        phi, base = self.contributions(Table(X, self.schema_, None))
        return column_reasons(Contributions(phi, base, self.schema_.names, outputs, chosen), rows)


class HistRandomForestClassifier(_HistForest, Classifier):
    r"""A random forest for many rows: trees on binned columns, from memory, from blocks on disk, and on Dask.

    Columns are cut into at most ``max_bins`` bins, so that a split follows from sums over rows: in each bin of a
    column the weight of the rows and of those of the class. A node is split where the Gini impurity falls most,

    .. math:: \mathrm{gain} = \frac{G_L^2}{H_L} + \frac{G_R^2}{H_R} - \frac{G^2}{H}                  \quad (1)

    with the weight G of the class and H of all rows; it chooses among a few columns that are drawn at random. Each
    tree has its own bag, in which row i is :math:`N_i` times, a Poisson number with the mean 1: what drawing with
    replacement is for many rows (Hanley and MacGibbon 2006). The answer is the mean over T bags of the share of the
    class in the leaf,

    .. math:: P(k\mid x) = \frac1T\sum_t \frac{G_t}{H_t}(\mathrm{leaf}_t(x))                         \quad (2)

    For two classes one tree a bag is enough. More than two have a tree each in every bag, of this class against the
    others, and (2) is divided by its sum over the classes. Shares are rounded to 36 bits.

    From blocks on disk (``fit_blocks``) and from Dask collections (``fit``) it grows the same trees as from memory to
    the last bit, however the rows are cut: what is added up is a whole number or an exact sum, and bags are drawn by
    row number. The rows stay where they are, a byte for each cell; some eight trees grow side by side, and a pass over
    the rows sends their histograms alone (docs/scaling.md). Nominal columns and missing values are used as they are, as
    in histogram boosting. A table that fits in memory easily is better served by ``RandomForestClassifier``, which is
    quicker there, and whose trees are exact and need no limit.

    Cost: fit O(n d) for the bins, then O(T C n d depth) for T bags with C = 1 tree for two classes, else K; predict
    O(T C depth) a row; memory O(n d) bytes to fit, O(T C leaves) kept.

    Parameters
    ----------
    n_estimators : int, default 100
        Bags of rows; there are that many trees, for more than two classes one for each.
    max_depth : int or None, default None
        The most tests on a way down.
    min_samples_leaf : int, default 1
        The least rows of a leaf, each counted once however often it is in the bag.
    max_features : "sqrt", "log2", int, float or None, default "sqrt"
        Columns that a node looks at, drawn anew for each node. A node that finds no split among them is a leaf.
    max_leaf_nodes : int or None, default 512
        The most leaves of a tree; the node that gains most is split first. None: any number, which takes a pass for
        every few hundred nodes.
    max_bins : int from 2 to 255, default 255
        The most bins of a numeric column. With fewer, less is sent on a cluster.
    bootstrap : bool, default True
        Whether each tree gets a bag of its own, or all rows.
    max_samples : int, float or None, default None
        How many rows a bag has on average: as many as there are, a number, or a share of them.
    oob_score : bool, default False
        Whether to estimate the accuracy with the rows outside of the bags.
    monotonic_cst : dict of name to sign, or a sign for each column, default None
        1: the probability of the second of two classes may only grow with the column, -1: only fall, 0: either.
    class_weight : dict, "balanced" or None, default None
        What the rows of each class weigh.
    random_state : int, RandomState or None, default None
        Seed of the bags, of the columns that nodes look at, and of the rows that bins are found from (above 200,000).

    Attributes
    ----------
    classes_ : (K,)
    trees_ : BoostedTrees
        All trees, those of a bag after each other; ``trees_.tree(t)`` is one of them.
    n_trees_per_bag_ : int, 1 for two classes, else K
    baseline_ : what is added to the answers of the trees, zeros
    oob_score_ : float, with ``oob_score``: the accuracy by the trees without the row, NaN where there are none
    feature_importances_ : (d,) share of all gains that tests on each column brought

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import HistRandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> whole = HistRandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    >>> whole.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]).tolist(), whole.oob_score_ > 0.9
    (['same', 'other'], True)
    >>> blocks = [(X[a : a + 100], y[a : a + 100]) for a in range(0, 1000, 100)]
    >>> streamed = HistRandomForestClassifier(20, oob_score=True, random_state=0).fit_blocks(blocks)
    >>> bool((streamed.predict_proba(X) == whole.predict_proba(X)).all())
    True

    See Also
    --------
    RandomForestClassifier, HistGradientBoostingClassifier, HistRandomForestRegressor

    References
    ----------
    - Breiman, L. (2001). Random forests. Machine Learning 45, 5-32. doi:10.1023/A:1010933404324
    - Hanley, J. A. and MacGibbon, B. (2006). Creating non-parametric bootstrap samples using Poisson frequencies.
      Computer Methods and Programs in Biomedicine 83(1), 57-62. doi:10.1016/j.cmpb.2006.04.006
    - Panda, B., Herbach, J. S., Basu, S. and Bayardo, R. J. (2009). PLANET: massively parallel learning of tree
      ensembles with MapReduce. Proceedings of the VLDB Endowment 2(2), 1426-1437. doi:10.14778/1687553.1687569
    """

    card = Card(
        "histogram forest",
        "random trees on bins of the columns, for more rows than memory holds",
        settings={"random_state": 0},
        learns=(
            "a mean of trees on random columns",
            "Gini impurity of the leaves of each tree",
            "independent trees, on histograms",
            "greedy",
        ),
    )
    accepts = {
        **_HistForest.accepts,
        "class_weight": Choice("balanced")
        | Any_("a dict of class to weight", lambda v: isinstance(v, dict))
        | None,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = 512,
        max_bins: int = 255,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.max_bins = max_bins
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.monotonic_cst = monotonic_cst
        self.class_weight = class_weight
        self.random_state = random_state

    def _class_weights(self, counts: np.ndarray) -> np.ndarray | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, dict):
            return weights_of_classes(self.class_weight, self.classes_, type(self).__name__)
        each: np.ndarray = counts.sum() / (len(counts) * np.maximum(counts, 1))
        return each

    def _outputs(self, totals: Totals) -> tuple[BagTargets, np.ndarray]:
        K, shares = len(self.classes_), totals.class_weight / totals.class_weight.sum()
        return BagTargets(K if K > 2 else 1, classes=True), shares if K > 2 else shares[-1:]

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        P = np.clip(self._mean(X), 0.0, 1.0)  # (2)
        if P.shape[1] == 1:
            return np.column_stack([1.0 - P[:, 0], P[:, 0]])
        sums = P.sum(axis=1, keepdims=True)  # of no class at all where every tree says no
        posterior: np.ndarray = np.divide(
            P, sums, out=np.full_like(P, 1 / len(self.classes_)), where=sums > 0
        )
        return posterior

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        if self.n_trees_per_bag_ == 1:
            outputs = [f"the probability of {self.classes_[-1]}"]
            return self._add_up(X, rows, outputs, np.zeros(len(X), int))
        outputs = [f"the mean share of {label}" for label in self.classes_]
        return self._add_up(X, rows, outputs, self._choose(X))


class HistRandomForestRegressor(_HistForest, Regressor):
    r"""A random forest for many rows: regression trees on binned columns, from memory, blocks on disk, and Dask.

    As :class:`HistRandomForestClassifier`: a split follows from sums in the bins of a column, of the weights and the
    targets, and lowers the squared error most,

    .. math:: \mathrm{gain} = \frac{G_L^2}{H_L} + \frac{G_R^2}{H_R} - \frac{G^2}{H}                  \quad (1)

    with the sum G of targets (less their mean) and H of weights. A leaf answers the mean of its targets, the forest the
    mean over its trees. The same trees to the last bit from memory, from blocks and on a Dask cluster.

    Cost: fit O(n d) for the bins, then O(T n d depth) for T trees; predict O(T depth) a row; memory O(n d) bytes to
    fit, O(T leaves) kept.

    Parameters
    ----------
    n_estimators : int, default 100
        Bags of rows, with a tree each.
    max_depth : int or None, default None
        The most tests on a way down.
    min_samples_leaf : int, default 1
        The least rows of a leaf, each counted once however often it is in the bag.
    max_features : "sqrt", "log2", int, float or None, default 1.0
        Columns that a node looks at, drawn anew for each node. A node that finds no split among them is a leaf.
    max_leaf_nodes : int or None, default 512
        The most leaves of a tree; the node that gains most is split first. None: any number, which takes a pass for
        every few hundred nodes.
    max_bins : int from 2 to 255, default 255
        The most bins of a numeric column. With fewer, less is sent on a cluster.
    bootstrap : bool, default True
        Whether each tree gets a bag of its own, or all rows.
    max_samples : int, float or None, default None
        How many rows a bag has on average: as many as there are, a number, or a share of them.
    oob_score : bool, default False
        Whether to estimate R squared with the rows outside of the bags.
    monotonic_cst : dict of name to sign, or a sign for each column, default None
        1: the answer may only grow with the column, -1: only fall, 0: either.
    random_state : int, RandomState or None, default None
        Seed of the bags, of the columns that nodes look at, and of the rows that bins are found from (above 200,000).

    Attributes
    ----------
    trees_ : BoostedTrees
        All trees; ``trees_.tree(t)`` is one of them. Their answers are added to ``baseline_``.
    baseline_ : (1,) the mean of the targets
    n_trees_per_bag_ : int, 1
    oob_score_ : float, with ``oob_score``: R squared by the trees without the row, NaN where there are none
    feature_importances_ : (d,) share of all gains that tests on each column brought

    Examples
    --------
    >>> from assay.ensembles import HistRandomForestRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> forest = HistRandomForestRegressor(50, random_state=0).fit(X, [i**2 for i in range(100)])
    >>> bool(abs(forest.predict([[50.0]])[0] - 2500) < 100)
    True

    See Also
    --------
    RandomForestRegressor, HistGradientBoostingRegressor, HistRandomForestClassifier

    References
    ----------
    - Breiman, L. (2001). Random forests. Machine Learning 45, 5-32. doi:10.1023/A:1010933404324
    - Hanley, J. A. and MacGibbon, B. (2006). Creating non-parametric bootstrap samples using Poisson frequencies.
      Computer Methods and Programs in Biomedicine 83(1), 57-62. doi:10.1016/j.cmpb.2006.04.006
    """

    card = Card(
        "histogram forest",
        "random regression trees on bins of the columns, for more rows than memory holds",
        settings={"random_state": 0},
        learns=(
            "a mean of trees on random columns",
            "squared error of each tree",
            "independent trees, on histograms",
            "greedy",
        ),
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = 512,
        max_bins: int = 255,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        random_state: RandomState = None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.max_bins = max_bins
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state

    def _outputs(self, totals: Totals) -> tuple[BagTargets, np.ndarray]:
        return BagTargets(start=totals.targets / totals.weight), np.zeros(1)

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self._mean(X)[:, 0]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        return self._add_up(X, rows, ["the answer"], np.zeros(len(X), int))
