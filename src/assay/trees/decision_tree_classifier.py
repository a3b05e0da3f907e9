"""Classification tree: recursive splits on the column that separates the classes best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.multi_target import MultiTargetClassifier
from assay.core.parameters import Any_, Array, Choice
from assay.errors import ParameterError
from assay.trees.decision_tree import DecisionTree
from assay.types import ClassWeight, Losses, RandomState, TableLike

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(DecisionTree, MultiTargetClassifier):
    r"""Classify by a binary tree of tests, each of one column, grown greedily to lower the impurity.

    A node of weight W is cut in two where the impurity falls most, that is where

    .. math:: W I - W_l I_l - W_r I_r                                                  \quad (1)

    is largest. With class shares :math:`p_k` the impurity I is

    ==========  ==================================================
    gini        :math:`1 - \sum_k p_k^2`
    entropy     :math:`-\sum_k p_k \log_2 p_k`; ``log_loss`` is the same
    error       :math:`1 - \max_k p_k`
    risk        :math:`\min_i \sum_k L_{ik} p_k`, the least expected loss
    ==========  ==================================================

    Numbers are cut halfway between neighbouring values. Categories are divided in two groups: the best division for
    two classes, and for up to 8 categories in a node; else the best cut along the first principal component of
    their class shares, or one category against the rest. A node ends when it is pure, when a limit says so, or when
    all its rows are alike. Leaves answer with their class shares. The tree does not depend on the order of the rows,
    nor on the number of threads; equally good cuts are decided for the lowest column, then the lowest threshold.

    Differences from scikit-learn: ties are not broken at random; numbers keep all their digits (there they are rounded
    to single precision, and values closer than 1e-7 are equal).

    y may have several columns, one for each of O targets: one tree answers for all, grown by the mean of their
    impurities (Gini or entropy). ``classes_`` and ``n_classes_`` are lists then, and ``predict_proba`` gives a list.

    Cost: fit O(d n log n) to sort the columns and O(n d) a level; predict O(depth) a row; memory O(n d), 8 bytes an
    entry whether or not X is sparse, to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "gini", "entropy", "log_loss", "error" or "risk", default "gini"
        The impurity. Where error or risk see no difference between cuts, the Gini index decides.
    splitter : "best" or "random", default "best"
        Random takes one threshold a column, uniform over the node's range, and the best of these.
    max_depth : int, default None
        Most questions from the root to a leaf.
    min_samples_split : int or fraction of the rows, default 2
        Nodes with fewer rows are leaves.
    min_samples_leaf : int or fraction of the rows, default 1
        Cuts that leave a side with fewer rows are not made.
    min_weight_fraction_leaf : float, default 0
        The same for the rows' weights, as a share of all weight.
    max_features : int, fraction, "sqrt", "log2" or None, default None
        Columns looked at in a node, drawn anew for each; None looks at all.
    random_state : int, RandomState or None, default None
        Of drawn columns and thresholds. Without these the tree is always the same.
    max_leaf_nodes : int, default None
        Most leaves; the node that gains most is cut first.
    min_impurity_decrease : float, default 0
        A node is cut only if (1), as a share of all weight, reaches this.
    class_weight : dict, list of dicts, "balanced" or None, default None
        What each class's rows count; "balanced" gives all classes the same weight. Of several targets a list, and the
        weights of a row's classes are multiplied.
    ccp_alpha : float, default 0
        Price of a leaf in minimal cost-complexity pruning; 0 prunes nothing.
    monotonic_cst : array of -1, 0, 1, or dict of column names to these, default None
        The probability of the second class never falls (1) or rises (-1) with the column; two classes only.
    missing : "learned", "surrogate" or "spread", default "learned"
        Learned: rows with a missing value go to the side where they gain more. Surrogate: they have no say in the
        cut, and the other columns that agree with it best decide for them. In a node that had none missing they go to
        the larger side, and so do categories that the node, or ``fit``, has not seen. Spread: they have no say and go
        both ways, with their weight divided as that of the other rows is, while growing and while predicting, as in
        C4.5; ``min_samples_split`` and ``min_samples_leaf`` then count fractions of rows. Not for random cuts.
    max_candidates : int, default None
        At most so many thresholds a column and node, at equal numbers of rows; None tries all.
    loss : (K, K) array, default None
        ``loss[i, k]`` is what deciding class i costs when the truth is class k. ``criterion="risk"`` grows by it;
        with any criterion ``predict`` decides for the least expected loss.

    Attributes
    ----------
    tree_ : Tree      classes_ : (K,)      n_classes_ : int      n_outputs_ : int      max_features_ : int
    feature_importances_ : (d,)

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier
    >>> X = [[1, 1.0], [1, 2.0], [1, 3.5], [2, 1.5], [2, 4.0], [2, 5.0]]
    >>> model = DecisionTreeClassifier().fit(X, ["+", "+", "-", "+", "-", "-"])
    >>> print(model)
    x1 <= 2.75: + (3)
    x1 > 2.75: - (3)
    >>> model.predict([[2, 2.7], [1, 2.8]])
    array(['+', '-'], dtype='<U1')

    See Also
    --------
    CARTClassifier, C45Classifier, DecisionTreeRegressor, assay.ensembles.RandomForestClassifier

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "decision tree",
        "one binary tree, grown to the end",
        settings={"random_state": 0},
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    accepts = {
        "criterion": Choice("gini", "entropy", "log_loss", "error", "risk"),
        "class_weight": Any_("None, 'balanced', or a dict from classes to weights"),
        "loss": Array(2) | None,
        **DecisionTree.accepts,
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
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
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.max_candidates = max_candidates
        self.loss = loss

    def predict_proba(self, X: TableLike, check_input: bool = True) -> Any:
        """(n, K) the class shares of the leaf; of several targets a list. ``check_input`` is for compatibility."""
        return super().predict_proba(X)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
        w = class_weighted(self.class_weight, self.classes_, y, w, type(self).__name__)
        self.tree_ = self._grown(X, y, w, self.n_classes_, self._losses())

    def _learn_several(self, X: Any, codes: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        if self.criterion in ("error", "risk") or self.loss is not None:
            what = "loss" if self.loss is not None else f"criterion={self.criterion!r}"
            raise ParameterError(
                f"{who}: y has {self.n_outputs_} targets, and {what} is for one. Use 'gini' or 'entropy' without a "
                "loss, or fit one tree for each target."
            )
        w = targets_weighted(self.class_weight, self.classes_, codes, w, who)
        self.tree_ = self._grown(X, codes, w, self.n_classes_)

    def _losses(self) -> np.ndarray | None:
        K, who = len(self.classes_), type(self).__name__
        if self.loss is None:
            if self.criterion == "risk":
                raise ParameterError(f"{who}: criterion='risk' needs a loss, an array of {K} x {K} numbers.")
            return None
        loss = np.asarray(self.loss, np.float64)
        if loss.shape != (K, K):
            raise ParameterError(
                f"{who}: loss must be {K} x {K}, one row a decision, got shape {loss.shape}."
            )
        return loss

    def _posterior(self, X: Any) -> np.ndarray:
        return self._answers(X)

    def _posteriors(self, X: Any) -> list[np.ndarray]:
        return np.split(self._answers(X), np.cumsum(self.n_classes_)[:-1], axis=1)

    def _choose(self, X: Any) -> np.ndarray:
        tree = self.tree_
        if not isinstance(X, np.ndarray) or len(X) < tree.node_count or self.missing == "spread":
            return self._decide(self._answers(X))
        return self._decide(tree.values)[tree.apply(X)]

    def _decide(self, posterior: np.ndarray) -> np.ndarray:
        if self.loss is None:
            return np.argmax(posterior, axis=1)
        return np.argmin(posterior @ np.asarray(self.loss, np.float64).T, axis=1)  # least expected loss


def class_weighted(
    class_weight: Any, classes: np.ndarray, y: np.ndarray, w: np.ndarray | None, who: str
) -> np.ndarray | None:
    """The rows' weights times those of their classes.

    >>> class_weighted("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), None, "Tree")
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return w
    K, labels = len(classes), classes.tolist()
    if isinstance(class_weight, str) and class_weight == "balanced":
        each = len(y) / (K * np.bincount(y, minlength=K))
    elif isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ParameterError(
                f"{who}: class_weight names the class {unknown[0]!r}, which y does not have."
            )
        each = np.array([float(class_weight.get(label, 1.0)) for label in labels])
        if not (np.isfinite(each).all() and (each >= 0).all() and each.any()):
            raise ParameterError(
                f"{who}: class_weight must hold numbers from 0 up, not all 0, got {class_weight!r}."
            )
    else:
        raise ParameterError(
            f"{who}: class_weight must be None, 'balanced', or a dict from classes to weights, got {class_weight!r}."
        )
    return each[y] if w is None else w * each[y]


def targets_weighted(
    class_weight: Any, classes: list[np.ndarray], codes: np.ndarray, w: np.ndarray | None, who: str
) -> np.ndarray | None:
    """The rows' weights times those of their classes in each of several targets.

    >>> classes, codes = [np.array(["a", "b"]), np.array([0, 1])], np.array([[0, 1], [1, 1]])
    >>> targets_weighted([{"a": 3}, {1: 2}], classes, codes, None, "Tree")
    array([6., 2.])
    """
    if class_weight is None:
        return w
    if isinstance(class_weight, Mapping):
        raise ParameterError(
            f"{who}: For multi-output, class_weight should be a list of dicts, or the string 'balanced', since y has "
            f"{len(classes)} targets."
        )
    each = class_weight if isinstance(class_weight, (list, tuple)) else [class_weight] * len(classes)
    if len(each) != len(classes):
        raise ParameterError(
            f"{who}: class_weight has {len(each)} dicts and y has {len(classes)} targets. For multi-output, number of "
            "elements in class_weight should match number of outputs."
        )
    for o, (weights, labels) in enumerate(zip(each, classes)):
        w = class_weighted(weights, labels, codes[:, o], w, who)
    return w
