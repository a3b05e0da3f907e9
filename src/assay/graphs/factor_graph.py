"""Factor graphs: sum-product and max-product by messages between variables and factors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError, ParameterError, warn_user
from assay.graphs.asking import SMALL_TREE
from assay.graphs.conflict import smallest_conflict
from assay.graphs.distribution import Distribution
from assay.graphs.field import MarkovField
from assay.graphs.messages import in_range

__all__ = ["Beliefs", "FactorGraph"]


@dataclass(frozen=True)
class Beliefs:
    """What messages lead to.

    Attributes
    ----------
    marginals : dict of name to Distribution (of max-product: scaled max-marginals)
    states : dict of name to the best state of each variable
    exact : bool, whether the graph is a tree, so that the answer is exact; else it is approximate
    converged : bool      n_iter : int
    messages : dict of (sender, receiver) to values; factors are called f0, f1, ...
    """

    marginals: dict[str, Distribution]
    states: dict[str, Any]
    exact: bool
    converged: bool
    n_iter: int
    messages: dict[tuple[str, str], np.ndarray] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        kind = "exact: the graph is a tree" if self.exact else "approximate: the graph has cycles"
        end = "" if self.converged else ", and the messages have not converged"
        return f"beliefs of {len(self.marginals)} variables ({kind}{end})"


class FactorGraph:
    r"""A bipartite graph of variables and factors; beliefs by messages along its edges.

    .. math:: \mu_{x \to f}(x) = \prod_{g \ne f} \mu_{g \to x}(x), \qquad
              \mu_{f \to x}(x) = \sum_{X_f \setminus x} f(X_f) \prod_{y \ne x} \mu_{y \to f}(y)             \quad (1)

    Max-product has the largest instead of the sum. On a tree two sweeps are exact. On a graph with cycles the messages
    go round until they no longer change (loopy propagation): the answer is approximate, and says so.

    Parameters
    ----------
    field : MarkovField or BayesianNetwork
        A network has a factor for each node; it stays a tree where the moral graph has cycles (polytrees).

    Examples
    --------
    >>> from assay.graphs import FactorGraph, load_network
    >>> graph = FactorGraph(load_network("rain or sprinkler"))
    >>> graph.is_tree, graph.factors
    (True, [('rain',), ('sprinkler',), ('rain', 'sprinkler', 'wet')])
    >>> graph.sum_product({"wet": "yes"}).marginals["rain"]
    P(rain) = {yes: 0.7, no: 0.3}

    See Also
    --------
    MarkovField, BayesianNetwork

    References
    ----------
    - Kschischang, F. R., Frey, B. J. and Loeliger, H.-A. (2001). Factor graphs and the sum-product algorithm. IEEE
      Transactions on Information Theory 47, 498-519. doi:10.1109/18.910572
    """

    def __init__(self, field: Any):
        self.field = field if isinstance(field, MarkovField) else MarkovField.of_network(field)

    @property
    def factors(self) -> list[tuple[str, ...]]:
        """The variables of each factor."""
        return [tuple(self.field.names[v] for v in scope) for scope in self.field.scopes]

    @property
    def is_tree(self) -> bool:
        """Whether no two ways lead from one variable to another (parts that hang apart are allowed)."""
        n = len(self.field.nodes)
        group = list(range(n + len(self.field.scopes)))

        def top(i: int) -> int:
            while group[i] != i:
                group[i] = group[group[i]]
                i = group[i]
            return i

        for f, scope in enumerate(self.field.scopes):
            for v in scope:
                a, b = top(v), top(n + f)
                if a == b:
                    return False
                group[a] = b
        return True

    def sum_product(
        self,
        evidence: Mapping[str, Any] | None = None,
        *,
        max_iter: int = 200,
        tol: float = 1e-9,
        damping: float = 0.0,
    ) -> Beliefs:
        """The marginals given evidence; approximate on a graph with cycles.

        Parameters
        ----------
        evidence : mapping of names to states
        max_iter, tol : rounds of messages, and the change at which they end
        damping : float from 0, below 1: the share of the old message that is kept
        """
        return self._run(dict(evidence or {}), False, max_iter, tol, damping)

    def max_product(
        self,
        evidence: Mapping[str, Any] | None = None,
        *,
        max_iter: int = 200,
        tol: float = 1e-9,
        damping: float = 0.0,
    ) -> Beliefs:
        """The best state of each variable; among equals the choice is made consistently where the graph is a tree."""
        beliefs = self._run(dict(evidence or {}), True, max_iter, tol, damping)
        if beliefs.exact:
            states = self._backtracked(dict(evidence or {}))
            return Beliefs(beliefs.marginals, states, True, True, beliefs.n_iter, beliefs.messages)
        return beliefs

    def _backtracked(self, evidence: dict[str, Any]) -> dict[str, Any]:
        """On a tree: the best state of each root, then those that go with it; the first of equals."""
        model, local = self.field, self._local(evidence)
        up, down = self._inward(local, True)
        codes: dict[int, int] = {}
        n = len(local)
        for i, above in self._order:
            if i < n:
                if above is None:
                    codes[i] = int(np.argmax(self._product(i, local, up)))
                continue
            f, scope = i - n, model.scopes[i - n]
            table = model.tables[f]
            for axis in range(table.ndim):
                if (f, axis) != above:
                    table = table * down[f, axis].reshape([-1 if a == axis else 1 for a in range(table.ndim)])
            at = tuple(codes[v] if v in codes else slice(None) for v in scope)
            best = np.unravel_index(int(np.argmax(table[at])), table[at].shape)
            codes.update(zip((v for v in scope if v not in codes), map(int, best)))
        return {node.name: node.states[codes[v]] for v, node in enumerate(model.nodes)}

    def _local(self, evidence: Mapping[str, Any]) -> list[np.ndarray]:
        """For each variable, 1 for the states that it may be in."""
        row = self.field._row(evidence)
        return [
            np.ones(card) if row[v] < 0 else np.eye(card)[row[v]] for v, card in enumerate(self.field.cards)
        ]

    def _product(
        self, v: int, local: list[np.ndarray], up: Mapping[tuple[int, int], np.ndarray]
    ) -> np.ndarray:
        """All messages to a variable, multiplied."""
        values = local[v]
        for e in self._around[v]:
            values = in_range(values * up[e])
        return values

    def _run(
        self, evidence: dict[str, Any], largest: bool, max_iter: int, tol: float, damping: float
    ) -> Beliefs:
        if not 0 <= damping < 1:
            raise ParameterError(f"FactorGraph: damping must be from 0, below 1, got {damping!r}.")
        model, local = self.field, self._local(evidence)
        edges = [(f, k) for f, scope in enumerate(model.scopes) for k in range(len(scope))]
        exact = self.is_tree
        if exact:
            up, n_iter, change = self._two_sweeps(local, largest), 2, 0.0
        else:
            up, n_iter, change = self._rounds(local, edges, largest, max_iter, tol, damping)
        converged = exact or change <= tol
        if not converged:
            warn_user(
                f"FactorGraph: messages still change by {change:.2g} after {n_iter} rounds; the graph has cycles. "
                "Raise max_iter or damping.",
                ConvergenceWarning,
            )
        marginals, states = {}, {}
        for v, node in enumerate(model.nodes):
            values = self._product(v, local, up)
            if not values.sum() > 0:
                self._refuse(evidence)
            marginals[node.name] = Distribution([node], values / values.sum())
            states[node.name] = node.states[int(np.argmax(values))]
        down = self._to_factors(local, up)
        messages = {(f"f{f}", model.names[model.scopes[f][k]]): up[f, k] for f, k in edges}
        messages |= {(model.names[model.scopes[f][k]], f"f{f}"): down[f, k] for f, k in edges}
        return Beliefs(marginals, states, exact, converged, n_iter, messages)

    def _rounds(
        self,
        local: list[np.ndarray],
        edges: list[tuple[int, int]],
        largest: bool,
        max_iter: int,
        tol: float,
        damping: float,
    ) -> tuple[dict[tuple[int, int], np.ndarray], int, float]:
        """Messages to the variables after all were sent again and again, the rounds, and the last change."""
        up = {e: np.ones(self.field.cards[self.field.scopes[e[0]][e[1]]]) for e in edges}
        n_iter, change = 0, np.inf
        while n_iter < max_iter and change > tol:
            n_iter += 1
            down = self._to_factors(local, up)
            new = {e: self._to_variable(e, down, largest) for e in edges}
            if damping:
                new = {e: (1 - damping) * new[e] + damping * up[e] for e in edges}
            change = max((float(np.abs(new[e] - up[e]).max()) for e in edges), default=0.0)
            up = new
        return up, n_iter, change

    def _two_sweeps(self, local: list[np.ndarray], largest: bool) -> dict[tuple[int, int], np.ndarray]:
        """Messages to the variables of a tree: from the leaves to a root, and back."""
        up, down = self._inward(local, largest)
        n = len(local)
        for i, above in self._order:
            edges = self._around[i] if i < n else [(i - n, k) for k in range(len(self.field.scopes[i - n]))]
            for e in edges:
                if e == above:
                    continue
                if i < n:
                    down[e] = self._to_factor(e, local, up)
                else:
                    up[e] = self._to_variable(e, down, largest)
        return up

    def _inward(
        self, local: list[np.ndarray], largest: bool
    ) -> tuple[dict[tuple[int, int], np.ndarray], dict[tuple[int, int], np.ndarray]]:
        """Messages of a tree from the leaves to the roots: to variables, and to factors."""
        up: dict[tuple[int, int], np.ndarray] = {}
        down: dict[tuple[int, int], np.ndarray] = {}
        for i, above in reversed(self._order):
            if above is None:
                continue
            if i < len(local):
                down[above] = self._to_factor(above, local, up)
            else:
                up[above] = self._to_variable(above, down, largest)
        return up, down

    @cached_property
    def _around(self) -> list[list[tuple[int, int]]]:
        """The edges of each variable."""
        around: list[list[tuple[int, int]]] = [[] for _ in self.field.nodes]
        for f, scope in enumerate(self.field.scopes):
            for k, v in enumerate(scope):
                around[v].append((f, k))
        return around

    @cached_property
    def _order(self) -> list[tuple[int, tuple[int, int] | None]]:
        """Variables and (after them) factors of a tree, each after the neighbour above it, and the edge to that."""
        n, order = len(self.field.nodes), list[tuple[int, tuple[int, int] | None]]()
        reached: set[int] = set()
        for root in range(n):
            if root in reached:
                continue
            reached.add(root)
            begin = len(order)
            order.append((root, None))
            for i, above in itertools.islice(order, begin, None):  # the list grows while it is read
                edges = (
                    self._around[i] if i < n else [(i - n, k) for k in range(len(self.field.scopes[i - n]))]
                )
                for f, k in edges:
                    other = n + f if i < n else self.field.scopes[f][k]
                    if (f, k) != above and other not in reached:
                        reached.add(other)
                        order.append((other, (f, k)))
        return order

    def _to_factors(
        self, local: list[np.ndarray], up: dict[tuple[int, int], np.ndarray]
    ) -> dict[tuple[int, int], np.ndarray]:
        return {e: self._to_factor(e, local, up) for e in up}

    def _to_factor(
        self, edge: tuple[int, int], local: list[np.ndarray], up: Mapping[tuple[int, int], np.ndarray]
    ) -> np.ndarray:
        v = self.field.scopes[edge[0]][edge[1]]
        values = local[v]
        for other in self._around[v]:
            if other != edge:
                values = in_range(values * up[other])
        total = values.sum()
        return values / total if total > 0 else values

    def _refuse(self, evidence: dict[str, Any]) -> None:
        """Name the conflict where the exact answer costs little."""
        words = "a product of messages is 0"

        def possible(some: dict[str, Any]) -> bool:
            return not np.isneginf(self.field._log_sum(some))

        if evidence and self.field.tree.entries <= SMALL_TREE and not possible(evidence):
            words = smallest_conflict(evidence, possible)
        raise DegenerateError(
            f"the evidence is impossible: {words}.",
            who="FactorGraph",
            remedy="Correct the evidence, or give potentials without zeros.",
            code="impossible-evidence",
        )

    def _to_variable(
        self, edge: tuple[int, int], down: Mapping[Any, np.ndarray], largest: bool
    ) -> np.ndarray:
        f, k = edge
        table = self.field.tables[f]
        for axis in range(table.ndim):
            if axis != k:
                table = table * down[f, axis].reshape([-1 if a == axis else 1 for a in range(table.ndim)])
        others = tuple(a for a in range(table.ndim) if a != k)
        values = table.max(axis=others) if largest else table.sum(axis=others)
        total = values.sum()
        return values / total if total > 0 else values
