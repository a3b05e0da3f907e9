"""Extremely random trees: thresholds drawn at random, the best of a few; for averaging over many."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from assay.core import Card
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.decision_tree_regressor import DecisionTreeRegressor
from assay.types import ClassWeight, Losses, RandomState

__all__ = ["ExtraTreeClassifier", "ExtraTreeRegressor"]


class ExtraTreeClassifier(DecisionTreeClassifier):
    r"""Classify by one extremely random tree: in each node a few columns, in each column one random threshold.

    The threshold of a column is uniform between its smallest and largest value in the node; of nominal columns each
    category is put on either side at random. The best of these cuts is made. One such tree is poor;
    the mean of many (``ExtraTreesClassifier``) is not. Parameters mean what they mean in
    :class:`DecisionTreeClassifier`; the defaults of ``splitter`` and ``max_features`` differ.

    Missing values of a column are put together on a random side as well.

    Cost: fit O(m n depth) with m columns a node; predict O(depth) a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "gini", "entropy", "log_loss", "error" or "risk", default "gini"
    splitter : "random" or "best", default "random"
    max_depth : int, default None
    min_samples_split : int or fraction, default 2
    min_samples_leaf : int or fraction, default 1
    min_weight_fraction_leaf : float, default 0
    max_features : int, fraction, "sqrt", "log2" or None, default "sqrt"
    random_state : int, RandomState or None, default None
    max_leaf_nodes : int, default None
    min_impurity_decrease : float, default 0
    class_weight : dict, "balanced" or None, default None
    ccp_alpha : float, default 0
    monotonic_cst : array of -1, 0, 1, or dict of column names to these, default None
    missing : "learned" or "surrogate", default "learned"
    max_candidates : int, default None
        Of ``splitter="best"`` alone.
    loss : (K, K) array, default None

    Attributes
    ----------
    tree_ : Tree      classes_ : (K,)      n_classes_ : int      n_outputs_ : 1      max_features_ : int
    feature_importances_ : (d,)

    Examples
    --------
    >>> from assay.trees import ExtraTreeClassifier
    >>> X = [[0.0, 5.0], [1.0, 5.0], [8.0, 5.0], [9.0, 5.0]]
    >>> model = ExtraTreeClassifier(random_state=0).fit(X, ["low", "low", "high", "high"])
    >>> model.score(X, ["low", "low", "high", "high"])
    1.0

    See Also
    --------
    ExtraTreeRegressor, DecisionTreeClassifier, assay.ensembles.ExtraTreesClassifier

    References
    ----------
    - Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.
      doi:10.1007/s10994-006-6226-1
    """

    card = Card(
        "extra tree",
        "one tree with random columns and thresholds",
        settings={"random_state": 0},
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        random_state: RandomState = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeight = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        missing: str = "learned",
        max_candidates: int | None = None,
        loss: Losses | str | None = None,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            missing=missing,
            max_candidates=max_candidates,
            loss=loss,
        )


class ExtraTreeRegressor(DecisionTreeRegressor):
    r"""Predict a number by one extremely random tree; see :class:`ExtraTreeClassifier`.

    In each node every column proposes one random threshold, and the one that lowers the impurity most is taken: with
    numbers y and their mean g that is the mean of :math:`(y - g)^2`. Made for ``ExtraTreesRegressor``.

    Cost: fit O(m n depth) with m columns a node; predict O(depth) a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "squared_error", "friedman_mse", "absolute_error" or "poisson", default "squared_error"
    splitter : "random" or "best", default "random"
    max_depth : int, default None
    min_samples_split : int or fraction, default 2
    min_samples_leaf : int or fraction, default 1
    min_weight_fraction_leaf : float, default 0
    max_features : int, fraction, "sqrt", "log2" or None, default 1.0
    random_state : int, RandomState or None, default None
    min_impurity_decrease : float, default 0
    max_leaf_nodes : int, default None
    ccp_alpha : float, default 0
    monotonic_cst : array of -1, 0, 1, or dict of column names to these, default None
    missing : "learned" or "surrogate", default "learned"
    max_candidates : int, default None
        Of ``splitter="best"`` alone.
    keep_targets : bool, default False
        Whether to keep the training targets in each leaf, for ``predict_distribution`` and ``predict_interval``.

    Attributes
    ----------
    tree_ : Tree      n_outputs_ : int      max_features_ : int      feature_importances_ : (d,)

    Examples
    --------
    >>> from assay.trees import ExtraTreeRegressor
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> model = ExtraTreeRegressor(random_state=0).fit(X, [1.0, 2.0, 5.0, 6.0])
    >>> model.predict(X)
    array([1., 2., 5., 6.])

    See Also
    --------
    ExtraTreeClassifier, DecisionTreeRegressor, assay.ensembles.ExtraTreesRegressor

    References
    ----------
    - Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.
      doi:10.1007/s10994-006-6226-1
    """

    card = Card(
        "extra tree",
        "one tree with random columns and thresholds",
        settings={"random_state": 0},
        learns=(
            "a tree of conditions",
            "squared or absolute error of the leaves",
            "one split after the other, then pruning",
            "greedy",
        ),
    )

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        random_state: RandomState = None,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        missing: str = "learned",
        max_candidates: int | None = None,
        keep_targets: bool = False,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            missing=missing,
            max_candidates=max_candidates,
            keep_targets=keep_targets,
        )
