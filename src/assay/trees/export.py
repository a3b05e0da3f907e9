"""scikit-learn's ways to show a tree, for trees of Assay: the same names, parameters and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from assay.core.parameters import Count, Flag, check
from assay.errors import DataError, ParameterError
from assay.trees.tree import LEAF, THRESHOLD, Tree

__all__ = ["export_graphviz", "export_text", "plot_tree"]

_ACCEPTED = {
    "max_depth": Count(0) | None,
    "spacing": Count(1),
    "decimals": Count(0),
    "show_weights": Flag(),
}


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Any = None,
    max_depth: int | None = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """The tree as text in scikit-learn's form, one line for each branch; ``to_text`` gives Assay's own, which is exact.

    Parameters
    ----------
    decision_tree : a fitted tree learner of Assay, or of scikit-learn
    feature_names : (d,) names, default None
        None writes feature_0, feature_1, and so on.
    class_names : (K,) names, default None
        None takes ``classes_``.
    max_depth : int or None, default 10
        What lies deeper is counted; None shows all.
    spacing : int, default 3
        Width of an indentation.
    decimals : int, default 2
        Digits behind the point.
    show_weights : bool, default False
        Whether leaves show the weight of each class.

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier, export_text
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> print(export_text(model, feature_names=["weight"], show_weights=True))
    |--- weight <= 3.00
    |   |--- weights: [2.00, 0.00] class: a
    |--- weight >  3.00
    |   |--- weights: [0.00, 1.00] class: b
    <BLANKLINE>
    """
    settings = {
        "max_depth": max_depth,
        "spacing": spacing,
        "decimals": decimals,
        "show_weights": show_weights,
    }
    check("export_text", _ACCEPTED, settings)
    check_is_fitted(decision_tree)
    tree, classify = decision_tree.tree_, is_classifier(decision_tree)
    names = _names("feature_names", feature_names, tree.n_features)
    labels = decision_tree.classes_ if classify and class_names is None else class_names
    if classify and len(labels) != len(decision_tree.classes_):
        raise ParameterError(
            "export_text: When `class_names` is an array, it should contain as many items as "
            f"`decision_tree.classes_`. Got {len(labels)} while the tree was fitted with "
            f"{len(decision_tree.classes_)} classes."
        )
    values, weight = tree.value, tree.weighted_n_node_samples
    height = _heights(tree)
    branches = _branch_words(decision_tree, names, decimals)
    lines: list[str] = []

    def leaf(node: int) -> str:
        shares = values[node, 0] if tree.n_outputs == 1 else values[node, :, 0]
        shown = shares * weight[node] if classify else shares
        numbers = "[" + ", ".join(f"{v:.{decimals}f}" for v in shown) + "]"
        if not classify:
            return f"value: {numbers}"
        if tree.n_outputs == 1:
            answer = str(labels[int(np.argmax(shares))])
        else:
            answer = ", ".join(
                str(classes[int(np.argmax(share))])
                for classes, share in zip(decision_tree.classes_, values[node])
            )
        return (f"weights: {numbers} " if show_weights else "") + f"class: {answer}"

    todo: list[tuple[int, int, str]] = [(0, 1, "")]
    while todo:
        node, depth, words = todo.pop()
        indent = ("|" + " " * spacing) * (depth - 1) + "|" + "-" * spacing + " "
        if words:  # the condition of a branch, then what it leads to
            lines.append(indent + words)
            todo.append((node, depth + 1, ""))
        elif height[node] == 1:
            lines.append(indent + leaf(node))
        elif max_depth is not None and depth > max_depth + 1:
            lines.append(f"{indent}truncated branch of depth {height[node]}")
        else:
            first, second = int(tree.children_left[node]), int(tree.children_right[node])
            todo += [(second, depth, branches[node][1]), (first, depth, branches[node][0])]
    return "\n".join(lines) + "\n"


def export_graphviz(decision_tree: Any, out_file: Any = None, **settings: Any) -> Any:
    """The tree as Graphviz source in scikit-learn's form; ``to_graphviz`` gives Assay's own.

    Parameters
    ----------
    decision_tree : a fitted tree learner of Assay, or of scikit-learn, whose tests are thresholds
    out_file : file, path or None, default None
        Where to write; None returns the text.
    settings : as ``sklearn.tree.export_graphviz`` has them
        max_depth, feature_names, class_names, label, filled, leaves_parallel, impurity, node_ids, proportion, rotate,
        rounded, special_characters, precision, fontname

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier, export_graphviz
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> export_graphviz(model, feature_names=["weight"]).splitlines()[3][:24]
    '0 [label="weight <= 3.0\\\\'
    """
    from sklearn.tree import export_graphviz as draw

    check_is_fitted(decision_tree)
    _refuse_groups("export_graphviz", decision_tree.tree_, "to_graphviz()")
    return draw(decision_tree, out_file, **settings)


def plot_tree(decision_tree: Any, **settings: Any) -> list[Any]:
    """Draw the tree with matplotlib in scikit-learn's form; ``assay.plots.TreeDisplay`` is Assay's own.

    Parameters
    ----------
    decision_tree : a fitted tree learner of Assay, or of scikit-learn, whose tests are thresholds
    settings : as ``sklearn.tree.plot_tree`` has them
        max_depth, feature_names, class_names, label, filled, impurity, node_ids, proportion, rounded, precision, ax,
        fontsize

    Returns
    -------
    list of matplotlib annotations, one for each node

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier, plot_tree
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> len(plot_tree(model))
    5
    """
    from sklearn import config_context
    from sklearn.tree import plot_tree as draw

    check_is_fitted(decision_tree)
    _refuse_groups("plot_tree", decision_tree.tree_, "assay.plots.TreeDisplay")
    with config_context(skip_parameter_validation=True):  # it asks for scikit-learn's own classes
        return draw(decision_tree, **settings)


def _names(what: str, names: Any, d: int) -> list[str]:
    if names is None:
        return [f"feature_{j}" for j in range(d)]
    if len(names) != d:
        raise ParameterError(f"export_text: {what} must contain {d} elements, got {len(names)}")
    return [str(name) for name in names]


def _heights(tree: Any) -> np.ndarray:
    """(m,) how many nodes the longest way down from each node has."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    height = np.ones(len(left), np.int64)
    for i in range(len(left) - 1, -1, -1):  # children stand behind their parents
        if left[i] >= 0:
            height[i] = 1 + max(height[left[i]], height[right[i]])
    return height


def _branch_words(model: Any, names: list[str], decimals: int) -> dict[int, tuple[str, str]]:
    """The conditions of both branches of each inner node."""
    tree = model.tree_
    inner = np.flatnonzero(np.asarray(tree.children_left) >= 0).tolist()
    if isinstance(tree, Tree) and (tree.kind > THRESHOLD).any():
        if (tree.n_children > 2).any():
            raise DataError("export_text: the tree has nodes with more than two branches. Use to_text().")
        outline = model.outline()
        words = {i: tuple(branch.words for branch in outline.nodes[i].branches) for i in inner}
    else:
        words = {}
    for i in inner:
        if not isinstance(tree, Tree) or tree.kind[i] == THRESHOLD:
            name, cut = names[int(tree.feature[i])], f"{tree.threshold[i]:.{decimals}f}"
            words[i] = (f"{name} <= {cut}", f"{name} >  {cut}")
    return words


def _refuse_groups(who: str, tree: Any, instead: str) -> None:
    """Raise if some node asks for categories, which scikit-learn's pictures have no words for."""
    if isinstance(tree, Tree) and not np.isin(tree.kind, (LEAF, THRESHOLD)).all():
        raise DataError(f"{who}: shows thresholds, and the tree also asks for categories. Use {instead}.")
