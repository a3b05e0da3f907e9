"""What all learners that end in one tree of univariate tests can do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.errors import DataError
from assay.trees.tree import Tree
from assay.types import TableLike

if TYPE_CHECKING:
    from assay.tables import Schema
    from assay.trees.outline import Outline
    from assay.trees.rules import RuleBase

__all__ = ["TreeLearner", "dense"]


class TreeLearner:
    """A learner whose model is ``tree_``: how to look at it, and how it explains a row.

    ``print(model)`` shows the fitted tree; a notebook draws it.

    Attributes
    ----------
    tree_ : Tree
    feature_importances_ : (d,)
        How much the tests of each column lower the impurity, in shares of the whole.

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0, 7], [2.0, 7], [4.0, 7]], ["a", "a", "b"])
    >>> print(model)
    x0 <= 3: a (2)
    x0 > 3: b (1)
    >>> model.apply([[9, 9]]), model.feature_importances_, model.get_depth()
    (array([2]), array([1., 0.]), 1)
    """

    tree_: Tree
    schema_: Schema
    _reads_sparse: ClassVar[bool] = False  # else a sparse table is made dense at the door

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        block = super()._admit(X, fitting)  # type: ignore[misc]
        return block if self._reads_sparse else dense(block)

    def get_depth(self) -> int:
        """The largest number of tests from the root to a leaf."""
        return self._fitted_tree().max_depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        return self._fitted_tree().n_leaves

    def apply(self, X: TableLike) -> np.ndarray:
        """(n,) the number of the leaf that each row reaches."""
        return self._fitted_tree().apply(self._admit(X)).astype(np.int64)  # type: ignore[attr-defined]

    def decision_path(self, X: TableLike) -> Any:
        """(n, nodes) sparse: 1 at the nodes that each row passes."""
        return self._fitted_tree().decision_path(self._admit(X))  # type: ignore[attr-defined]

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) how much the tests of each column lower the impurity, in shares of the whole."""
        return self._fitted_tree().compute_feature_importances()

    def outline(self) -> Outline:
        """The tree in words: every node's test, branches, counts and answer."""
        from assay.trees.outline import outline_of

        tree, classes = self._fitted_tree(), getattr(self, "classes_", None)
        if isinstance(classes, list):  # several targets: the answers as one word
            shares = np.split(tree.values, np.cumsum([len(labels) for labels in classes])[:-1], axis=1)
            each = [labels[np.argmax(share, axis=1)] for labels, share in zip(classes, shares)]
            return outline_of(tree, self.schema_, answers=[", ".join(map(str, node)) for node in zip(*each)])
        decide = getattr(self, "_decide", None)  # with losses the answer need not be the likeliest class
        answers = None if decide is None or classes is None else classes[decide(tree.values)]
        return outline_of(tree, self.schema_, classes, answers=answers)

    def to_text(self) -> str:
        """The tree as indented text, in the columns' own names."""
        from assay.trees.text import tree_text

        return tree_text(self.outline())

    def to_graphviz(self) -> str:
        """The tree as source for Graphviz (``dot -Tsvg``)."""
        from assay.trees.graphviz import tree_graphviz

        return tree_graphviz(self.outline())

    def to_svg(self) -> str:
        """The tree as a drawing, one self-contained SVG element."""
        from assay.trees.svg import tree_svg

        return tree_svg(self.outline())

    def rules(self) -> RuleBase:
        """One rule for each leaf: the tests on the way to it, and its answer."""
        from assay.trees.rules import outline_rules

        if isinstance(getattr(self, "classes_", None), list):
            raise DataError(
                f"{type(self).__name__}: rules are of one target, the tree answers for several. Fit one tree for each."
            )
        return outline_rules(self.outline())

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, "tree_") else repr(self)

    def _model_html(self) -> str:
        from assay.trees.svg import tree_html

        return tree_html(self.outline(), max_leaves=20)  # some two screens high; print has the whole tree

    def _fitted_tree(self) -> Tree:
        self._ready()  # type: ignore[attr-defined]
        return self.tree_

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outline, tree, block = self.outline(), self.tree_, dense_block(X)
        labels = getattr(self, "classes_", ())
        several = isinstance(labels, list)
        classes = self._target_labels() if several else [str(c) for c in labels]  # type: ignore[attr-defined]
        V = tree.values.shape[1]
        names = classes or (["mean"] if V == 1 else self._target_names(V))  # type: ignore[attr-defined]

        def sections(i: int) -> list[Section]:
            lines, x = [], block[i]
            for node, branch in tree.path(x):
                test = outline.nodes[node].branches[branch].words if branch >= 0 else "the leaf"
                gone = f"{outline.nodes[node].test} is missing"
                if branch >= 0 and np.isnan(x[tree.feature[node]]) and test != gone:
                    test = f"{gone}: as if {test}"
                weight, value = float(tree.weighted_n_node_samples[node]), tree.values[node]
                numbers = [_count(v * weight) for v in value] if classes else [float(v) for v in value]
                lines.append([node, test, _count(weight), *numbers])
            note = _spread_note(tree, x, self.schema_.names)
            return [Section("Path", ["node", "the row has", "rows", *names], lines, note)]

        return Reasons(sections, lambda some: self._column_contributions(block[some]))

    def _column_contributions(self, X: np.ndarray) -> Contributions | None:
        """What each column adds to the answers; None where these are not the numbers that the tree holds."""
        from assay.trees.shap import contributions

        labels = getattr(self, "classes_", None)
        if isinstance(labels, list):
            return None
        answers = self._posterior(X) if labels is not None else self._predict(X)  # type: ignore[attr-defined]
        phi, base = contributions(self.tree_, X)
        answers = np.asarray(answers, np.float64).reshape(len(X), -1)
        if answers.shape[1] != len(base) or not np.allclose(
            base + phi.sum(axis=1), answers, rtol=1e-9, atol=1e-12
        ):
            return None  # leaves that answer with other numbers than the tree holds, such as Laplace's
        outputs = ["the answer"] if labels is None else [f"the probability of {label}" for label in labels]
        chosen = np.zeros(len(X), int) if labels is None else self._choose(X)  # type: ignore[attr-defined]
        if labels is None and len(base) > 1:
            outputs = [f"the answer {name}" for name in self._target_names(len(base))]  # type: ignore[attr-defined]
        return Contributions(phi, base, self.schema_.names, outputs, chosen)


def _spread_note(tree: Tree, x: np.ndarray, names: list[str]) -> str:
    """A sentence if a missing value sent the row down several branches."""
    missing = {
        names[tree.feature[node]]
        for node, branch in tree.path(x)
        if branch >= 0 and tree.missing[node] < 0 and np.isnan(x[tree.feature[node]])
    }
    if not missing:
        return ""
    listed = ", ".join(sorted(missing))
    return f"{listed} is missing: the answer is the mean over all branches by their rows; shown is the heaviest path."


def _count(v: float) -> int | float:
    """A count without a point where it is whole."""
    return round(v) if abs(v - round(v)) < 1e-9 * max(abs(v), 1) else float(v)


def dense(X: Any) -> np.ndarray:
    """A block of numbers, also if it was sparse."""
    return X if isinstance(X, np.ndarray) else X.toarray()
