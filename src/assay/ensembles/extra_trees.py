"""Extremely randomised trees: thresholds drawn at random."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import other_defaults
from assay.ensembles.forest_classifier import ForestClassifier
from assay.ensembles.forest_regressor import ForestRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ForestClassifier):
    r"""Average many trees whose thresholds are drawn at random: extremely randomised trees.

    A node draws a few columns and for each one threshold, uniformly between the smallest and the largest number at the
    node, and takes the best of these (Geurts, Ernst and Wehenkel 2006). The trees are less correlated than those
    of a random forest, so their mean varies less, and they are faster to grow; by default every tree gets all rows.

    .. math:: P(k\mid x) = \frac1T\sum_{t=1}^T P_t(k\mid x)                    \quad (1)

    Nominal columns are split into two groups of categories, missing values are sent to a side by the split itself.

    Cost: fit O(T m n depth) for T trees with m columns a node; predict O(T depth) a row; memory O(n d) to fit, O(T
    nodes) kept.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    criterion : "gini", "entropy" or "log_loss", default "gini"
        What makes a node impure.
    max_depth : int or None, default None
        Most tests from the root to a leaf.
    min_samples_split : int or float, default 2
        Rows (or share of all rows) that a node needs to be split.
    min_samples_leaf : int or float, default 1
        Rows (or share) that a leaf needs.
    min_weight_fraction_leaf : float, default 0
        Share of the total weight that a leaf needs.
    max_features : "sqrt", "log2", int, float or None, default "sqrt"
        Columns that a node looks at, drawn anew for each node.
    max_leaf_nodes : int or None, default None
        Most leaves of a tree; the node that gains most is split first.
    min_impurity_decrease : float, default 0
        Least gain of a split.
    bootstrap : bool, default False
        Whether each tree gets a bag of rows drawn with replacement, or all rows.
    oob_score : bool or function, default False
        Whether to estimate the accuracy with the rows outside of the bags; a function of truth and answers scores these
        instead.
    n_jobs : int or None, default None
        Most threads; None takes as many as the machine has. The answer does not depend on it.
    random_state : int, RandomState or None, default None
        Tree t depends on this and on t alone.
    verbose : int, default 0
        Accepted for compatibility; progress is shown where somebody watches.
    warm_start : bool, default False
        Keep the trees of the last fit and add to them until there are ``n_estimators``.
    class_weight : dict, "balanced", "balanced_subsample" or None, default None
        What the rows of each class weigh; "balanced" makes all classes weigh the same, "balanced_subsample" within
        each bag.
    ccp_alpha : float, default 0
        Price of a leaf in cost-complexity pruning.
    max_samples : int, float or None, default None
        Rows in a bag: as many as there are, a number, or a share (of the total weight, if rows have weights).
    monotonic_cst : list of -1, 0, 1, dict or None, default None
        Columns with which the probability of the second of two classes must not fall (1) or rise (-1).

    Attributes
    ----------
    trees_ : PackedForest
        All trees, about 14 bytes a node; ``trees_.tree(t)`` is one of them.
    estimators_ : list of ExtraTreeClassifier
        The same as learners, made on first access.
    estimators_samples_ : list of row numbers, the bag of each tree
    feature_importances_ : (d,) see :mod:`~assay.ensembles.importances` for unbiased ones
    n_outputs_ : int
    classes_ : (K,)      n_classes_ : int
    oob_score_, oob_decision_function_ : float, (n, K)
        With ``oob_score``: accuracy, and the posterior by the trees trained without the row.

    Examples
    --------
    >>> from assay.ensembles import ExtraTreesClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(50, random_state=0).fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])

    See Also
    --------
    RandomForestClassifier, ExtraTreesRegressor, assay.trees.ExtraTreeClassifier

    References
    ----------
    - Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.
      doi:10.1007/s10994-006-6226-1
    """

    card = Card(
        "extra trees",
        "a hundred trees with random thresholds vote",
        settings={"random_state": 0},
        learns=(
            "a mean of trees on random columns",
            "impurity of the leaves of each tree",
            "independent trees",
            "greedy",
        ),
    )
    splitter = "random"

    __init__ = other_defaults(ForestClassifier.__init__, bootstrap=False)


class ExtraTreesRegressor(ForestRegressor):
    r"""Average many regression trees whose thresholds are drawn at random.

    As :class:`ExtraTreesClassifier`, with the mean of the answers of T trees:

    .. math:: f(x) = \frac1T\sum_{t=1}^T f_t(x)                    \quad (1)

    y may have several columns of numbers.

    Cost: fit O(T m n depth) for T trees with m columns a node; predict O(T depth) a row; memory O(n d) to fit, O(T
    nodes) kept.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    criterion : "squared_error", "friedman_mse", "absolute_error" or "poisson", default "squared_error"
        What makes a node impure; it also decides whether a leaf answers the mean or the median.
    max_depth : int or None, default None
        Most tests from the root to a leaf.
    min_samples_split : int or float, default 2
        Rows (or share of all rows) that a node needs to be split.
    min_samples_leaf : int or float, default 1
        Rows (or share) that a leaf needs.
    min_weight_fraction_leaf : float, default 0
        Share of the total weight that a leaf needs.
    max_features : "sqrt", "log2", int, float or None, default 1.0
        Columns that a node looks at, drawn anew for each node.
    max_leaf_nodes : int or None, default None
        Most leaves of a tree; the node that gains most is split first.
    min_impurity_decrease : float, default 0
        Least gain of a split.
    bootstrap : bool, default False
        Whether each tree gets a bag of rows drawn with replacement, or all rows.
    oob_score : bool or function, default False
        Whether to estimate R squared with the rows outside of the bags; a function of truth and answers scores these
        instead.
    n_jobs : int or None, default None
        Most threads; None takes as many as the machine has. The answer does not depend on it.
    random_state : int, RandomState or None, default None
        Tree t depends on this and on t alone.
    verbose : int, default 0
        Accepted for compatibility; progress is shown where somebody watches.
    warm_start : bool, default False
        Keep the trees of the last fit and add to them until there are ``n_estimators``.
    ccp_alpha : float, default 0
        Price of a leaf in cost-complexity pruning.
    max_samples : int, float or None, default None
        Rows in a bag: as many as there are, a number, or a share (of the total weight, if rows have weights).
    monotonic_cst : list of -1, 0, 1, dict or None, default None
        Columns with which the answer must not fall (1) or rise (-1).
    keep_targets : bool, default False
        Whether to keep the training targets in each leaf, for ``predict_distribution`` and ``predict_interval`` (a
        quantile regression forest): 4 bytes for each tree and row of its bag. Fully grown trees, with one target in
        each leaf, have them without, but their intervals tend to be narrow; ``min_samples_leaf=5`` is better.

    Attributes
    ----------
    trees_ : PackedForest
        All trees, about 14 bytes a node; ``trees_.tree(t)`` is one of them.
    estimators_ : list of ExtraTreeRegressor
        The same as learners, made on first access.
    estimators_samples_ : list of row numbers, the bag of each tree
    feature_importances_ : (d,) see :mod:`~assay.ensembles.importances` for unbiased ones
    n_outputs_ : int
    oob_score_, oob_prediction_ : float, (n,)
        With ``oob_score``: R squared, and the answers of the trees trained without the row.

    Examples
    --------
    >>> from assay.ensembles import ExtraTreesRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> forest = ExtraTreesRegressor(50, random_state=0).fit(X, [i**2 for i in range(100)])
    >>> forest.predict([[50.0]])
    array([2500.])

    See Also
    --------
    RandomForestRegressor, ExtraTreesClassifier, assay.trees.ExtraTreeRegressor

    References
    ----------
    - Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.
      doi:10.1007/s10994-006-6226-1
    """

    card = Card(
        "extra trees",
        "a hundred trees with random thresholds, averaged",
        settings={"random_state": 0},
        learns=(
            "a mean of trees on random columns",
            "squared error of each tree",
            "independent trees",
            "greedy",
        ),
    )
    splitter = "random"

    __init__ = other_defaults(ForestRegressor.__init__, bootstrap=False)
