"""What the soft trees share: gates, leaf weights, and training by gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Count, Range
from assay.core.stored import Each, FloatArray, IntArray, Kind, Scalar
from assay.errors import warn_user
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import Tree
from assay.types import TableLike

__all__ = ["SOFT", "SoftTree", "canonical_rows", "leaf_weights", "side_of_leaves"]

Floats = NDArray[np.float64]
SOFT = {"max_depth": Count(1, 12), "sharpness": Range(0, open="low"), "ridge": Range(0)}
SOFT |= {"max_iter": Count(1), "tol": Range(0, open="low")}


def side_of_leaves(tree: Tree) -> NDArray[np.int8]:
    """(gates, leaves) 1 where the way to a leaf turns right at a gate, -1 where left, 0 where it does not pass.

    >>> from assay.trees.tree import Tree
    >>> leaf = {"value": [1.0], "n": 1}
    >>> inner = {"feature": 0, "threshold": 0.0, "children": [leaf, leaf]}
    >>> side_of_leaves(Tree.of({"feature": 0, "threshold": 1.0, "children": [inner, leaf]}, [0]))
    array([[-1, -1,  1],
           [-1,  1,  0]], dtype=int8)
    """
    gates = np.flatnonzero(~tree.is_leaf)
    number = np.concatenate(([0], np.cumsum(tree.is_leaf)))  # leaves before each node
    side = np.zeros((len(gates), tree.n_leaves), dtype=np.int8)
    for row, i in zip(side, gates):
        for child, sign in zip(tree.children(int(i)), (-1, 1)):
            row[number[child] : number[tree.end[child]]] = sign
    return side


def leaf_weights(gate: Floats, side: NDArray[np.int8]) -> Floats:
    """(n, leaves) the product of the gates' probabilities on the way to each leaf; rows sum to 1."""
    return np.exp(log_expit(gate) @ (side > 0) + log_expit(-gate) @ (side < 0))


class SoftTree:
    """A tree that takes all branches at once, each with a probability that a linear gate gives it.

    ``_train`` starts from an ordinary tree of the standardised columns and lowers a loss of the leaf weights and leaf
    parameters by L-BFGS. Rows are sorted first, so that their order makes no difference.

    Attributes
    ----------
    gate_coef_ : (gates, p)      gate_intercept_ : (gates,)
    side_ : (gates, leaves)
        1, -1 or 0: on which side of a gate a leaf lies.
    leaf_values_ : (leaves, K) or (leaves,)
    history_ : list of float
        The penalised loss after each iteration.
    n_iter_ : int
    """

    stored: ClassVar[Mapping[str, Kind]] = {
        "gate_coef_": FloatArray("g", "p"),
        "gate_intercept_": FloatArray("g"),
        "side_": IntArray("g", "l", low=-1, high=1),
        "history_": Each(Scalar()),
        "leaf_values_": FloatArray("l") | FloatArray("l", "K"),
    }

    max_depth: int
    sharpness: float
    ridge: float
    max_iter: int
    tol: float
    gate_coef_: Floats
    gate_intercept_: Floats
    side_: NDArray[np.int8]
    leaf_values_: Floats

    def leaf_weights(self, X: TableLike) -> Floats:
        """(n, leaves) how much each leaf counts for each row; rows sum to 1."""
        return self._leaf_weights(self._admit(X))  # type: ignore[attr-defined]

    def _leaf_weights(self, X: Floats) -> Floats:
        return leaf_weights(X @ self.gate_coef_.T + self.gate_intercept_, self.side_)

    def _reasons(self, X: Floats, rows: RowValues) -> Reasons:
        """What each gate says, and what each leaf weighs."""
        names: list[str] = self._names  # type: ignore[attr-defined]
        right, weights = expit(X @ self.gate_coef_.T + self.gate_intercept_), self._leaf_weights(X)
        values = self.leaf_values_.reshape(len(self.leaf_values_), -1)
        heads = ["leaf", "weight", *(str(label) for label in getattr(self, "classes_", ["value"]))]
        note = "The answer is the mean of the leaves by weight."

        def sections(i: int) -> list[Section]:
            gates = []
            for m, (coef, p) in enumerate(zip(self.gate_coef_, right[i])):
                terms = coef * X[i]
                largest = np.argsort(-np.abs(terms), kind="stable")[:3]
                gates.append([m, float(p), ", ".join(f"{names[j]} {terms[j]:+.3g}" for j in largest)])
            leaves = [[leaf, float(v), *map(float, values[leaf])] for leaf, v in enumerate(weights[i])]
            return [
                Section("Gates", ["gate", "to the right", "largest terms"], gates),
                Section("Leaves", heads, leaves, note),
            ]

        return Reasons(sections)

    def _train(
        self,
        X: Floats,
        target: Floats,
        w: Floats,
        n_classes: int,
        start: Callable[[Floats], Floats],
        loss: Callable[[Floats, Floats], tuple[float, Floats, Floats]],
    ) -> Floats:
        """Set the gates and return the leaf parameters, (leaves, q).

        ``start`` turns the values of the hard tree's leaves into leaf parameters; ``loss`` gives, for leaf weights and
        leaf parameters, the mean loss and its gradients with respect to the logarithms of the weights and to the
        parameters.
        """
        from scipy.optimize import minimize

        total = w.sum()
        centre = w @ X / total
        scale = np.sqrt(w @ (X - centre) ** 2 / total)
        flat = scale <= 1e-10 * np.maximum(np.abs(X).max(axis=0, initial=0.0), 1e-300)
        scale[flat] = 1.0
        Z = np.where(flat, 0.0, (X - centre) / scale)
        columns = rank_columns(Z, np.zeros(Z.shape[1], np.int32))
        criterion = "entropy" if n_classes else "squared_error"
        tree = grow(columns, target, w, n_classes=n_classes, criterion=criterion, max_depth=self.max_depth)
        self.side_ = side = side_of_leaves(tree)
        gates, p = len(side), Z.shape[1]
        W = np.zeros((gates, p + 1))
        inner = np.flatnonzero(~tree.is_leaf)
        W[np.arange(gates), tree.feature[inner]] = self.sharpness
        W[:, -1] = -self.sharpness * tree.threshold[inner]
        leaves = start(tree.values[tree.is_leaf])
        right, left = (side > 0).astype(float), (side < 0).astype(float)
        A = np.column_stack([Z, np.ones(len(Z))])
        penalty = np.append(np.full(p, self.ridge), 0.0)

        def both(parameters: Floats) -> tuple[float, Floats]:
            V = parameters[: W.size].reshape(W.shape)
            L = parameters[W.size :].reshape(leaves.shape)
            gate = A @ V.T
            weight = np.exp(log_expit(gate) @ right + log_expit(-gate) @ left)
            value, by_log_weight, by_leaf = loss(weight, L)
            by_gate = (by_log_weight @ right.T) * expit(-gate) - (by_log_weight @ left.T) * expit(gate)
            value += 0.5 * float((penalty * V**2).sum())
            gradient = by_gate.T @ A + penalty * V
            return value, np.concatenate([gradient.ravel(), by_leaf.ravel()])

        self.history_: list[float] = []
        begin = np.concatenate([W.ravel(), leaves.ravel()])
        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": self.tol * 1e-2}
        with one_blas_thread():
            optimum = minimize(
                both,
                begin,
                jac=True,
                method="L-BFGS-B",
                options=options,
                callback=lambda intermediate_result: self.history_.append(float(intermediate_result.fun)),
            )
        self.n_iter_ = int(optimum.nit)
        self._warn_if_unfinished()
        V = optimum.x[: W.size].reshape(W.shape)
        self.gate_coef_ = np.where(flat, 0.0, V[:, :-1] / scale)
        self.gate_intercept_ = V[:, -1] - self.gate_coef_ @ centre
        return optimum.x[W.size :].reshape(leaves.shape)

    def _warn_if_unfinished(self) -> None:
        if self.n_iter_ < self.max_iter:
            return

        from sklearn.exceptions import ConvergenceWarning

        warn_user(
            f"{type(self).__name__} stopped after {self.n_iter_} iterations before it converged. Raise max_iter, "
            "tol or ridge.",
            ConvergenceWarning,
        )


def canonical_rows(X: Floats, y: NDArray[Any], w: Floats | None) -> tuple[Floats, NDArray[Any], Floats]:
    """The rows in an order of their own, equal ones added up: the same however they came, weighted or repeated.

    >>> canonical_rows(np.array([[2.0], [1.0], [2.0]]), np.array([0, 1, 0]), None)
    (array([[1.],
           [2.]]), array([1, 0]), array([1., 2.]))
    """
    weights = np.ones(len(X)) if w is None else w
    order = np.lexsort((y, *X.T[::-1]))
    order = order[weights[order] > 0]
    X, y, weights = X[order], y[order], weights[order]
    new = np.append(True, (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1]))
    return X[new], y[new], np.add.reduceat(weights, np.flatnonzero(new))
