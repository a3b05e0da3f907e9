"""Random forests: trees with bags of rows and draws of columns."""

from __future__ import annotations

from assay.core import Card
from assay.ensembles.forest_classifier import ForestClassifier
from assay.ensembles.forest_regressor import ForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    r"""Average many trees that differ: each with its own bag of rows, each node with its own draw of columns.

    A fully grown tree has little bias and much variance. Averaging the posteriors :math:`P_t` of T trees keeps the
    bias and lowers the variance, the more so the less they are correlated; so a node may only choose among a few
    columns, drawn at random (Breiman 2001):

    .. math:: P(k\mid x) = \frac1T\sum_{t=1}^T P_t(k\mid x)                    \quad (1)

    Nominal columns are split into two groups of categories, missing values go to the side where they lower the
    impurity most; neither needs preparation. Sample weights are the chances of rows to get into a bag (without bags
    they weigh in the counts).

    Cost: fit O(T (n log n + m n depth)) for T trees with m columns a node; predict O(T depth) a row; memory O(n d) to
    fit, O(T nodes) kept.

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
    bootstrap : bool, default True
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
    estimators_ : list of DecisionTreeClassifier
        The same as learners, made on first access.
    estimators_samples_ : list of row numbers, the bag of each tree
    feature_importances_ : (d,) see :mod:`~assay.ensembles.importances` for unbiased ones
    n_outputs_ : int
    classes_ : (K,)      n_classes_ : int
    oob_score_, oob_decision_function_ : float, (n, K)
        With ``oob_score``: accuracy, and the posterior by the trees trained without the row.

    Examples
    --------
    >>> from assay.ensembles import RandomForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[[0, 60, 120]]), forest.oob_score_ > 0.93
    (array([0, 1, 2]), True)

    See Also
    --------
    ExtraTreesClassifier, BaggingClassifier, HistGradientBoostingClassifier, assay.trees.DecisionTreeClassifier

    References
    ----------
    - Breiman, L. (2001). Random forests. Machine Learning 45, 5-32. doi:10.1023/A:1010933404324
    """

    card = Card(
        "forest",
        "a hundred random trees vote",
        also=("random forest",),
        suits="any",
        settings={"random_state": 0},
        learns=(
            "a mean of trees on random columns",
            "impurity of the leaves of each tree",
            "independent trees",
            "greedy",
        ),
    )


class RandomForestRegressor(ForestRegressor):
    r"""Average many regression trees that differ: each grown with its own bag of rows.

    The mean of the answers :math:`f_t` of T trees,

    .. math:: f(x) = \frac1T\sum_{t=1}^T f_t(x)                    \quad (1)

    varies less from sample to sample than any of them (Breiman 2001). With ``max_features`` below 1 a node may choose
    only among a few columns, which makes the trees differ more. Nominal columns and missing values are used as they
    are. y may have several columns of numbers.

    Cost: fit O(T (n log n + m n depth)) for T trees with m columns a node; predict O(T depth) a row; memory O(n d) to
    fit, O(T nodes) kept.

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
    bootstrap : bool, default True
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
    estimators_ : list of DecisionTreeRegressor
        The same as learners, made on first access.
    estimators_samples_ : list of row numbers, the bag of each tree
    feature_importances_ : (d,) see :mod:`~assay.ensembles.importances` for unbiased ones
    n_outputs_ : int
    oob_score_, oob_prediction_ : float, (n,)
        With ``oob_score``: R squared, and the answers of the trees trained without the row.

    Examples
    --------
    >>> from assay.ensembles import RandomForestRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> forest = RandomForestRegressor(50, random_state=0).fit(X, [i**2 for i in range(100)])
    >>> bool(abs(forest.predict([[50.0]])[0] - 2500) < 50)
    True

    See Also
    --------
    ExtraTreesRegressor, BaggingRegressor, assay.trees.DecisionTreeRegressor

    References
    ----------
    - Breiman, L. (2001). Random forests. Machine Learning 45, 5-32. doi:10.1023/A:1010933404324
    - Meinshausen, N. (2006). Quantile regression forests. Journal of Machine Learning Research 7, 983-999.
    """

    card = Card(
        "forest",
        "a hundred random trees, averaged",
        also=("random forest",),
        settings={"random_state": 0},
        suits="any",
        learns=(
            "a mean of trees on random columns",
            "squared error of each tree",
            "independent trees",
            "greedy",
        ),
    )
