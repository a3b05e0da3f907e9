"""Factor graphs: sum-product and max-product by messages between variables and factors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError, ParameterError, warn_user
from assay.graphs.distribution import Distribution
from assay.graphs.field import MarkovField

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
        """On a tree: fix one variable after the other at its best state, and pass messages again."""
        fixed = dict(evidence)
        for node in self.field.nodes:
            if node.name in fixed:
                continue
            beliefs = self._run(fixed, True, len(self.field.nodes) * 2 + 4, 0.0, 0.0)
            values = beliefs.marginals[node.name].probabilities
            if (values >= values.max() * (1 - 1e-12)).sum() > 1:  # a tie: choose, so that the others follow
                fixed[node.name] = node.states[int(np.argmax(values))]
        return self._run(fixed, True, len(self.field.nodes) * 2 + 4, 0.0, 0.0).states

    def _run(
        self, evidence: dict[str, Any], largest: bool, max_iter: int, tol: float, damping: float
    ) -> Beliefs:
        if not 0 <= damping < 1:
            raise ParameterError(f"FactorGraph: damping must be from 0, below 1, got {damping!r}.")
        model, row = self.field, self.field._row(evidence)
        local = [np.ones(card) if row[v] < 0 else np.eye(card)[row[v]] for v, card in enumerate(model.cards)]
        edges = [(f, k) for f, scope in enumerate(model.scopes) for k in range(len(scope))]
        up = {e: np.ones(model.cards[model.scopes[e[0]][e[1]]]) for e in edges}  # factor to variable
        exact = self.is_tree
        steps = 2 * (len(model.nodes) + len(model.scopes)) + 2 if exact else max_iter
        n_iter, change = 0, np.inf
        while n_iter < steps:
            n_iter += 1
            down = self._to_factors(local, up)
            new = {e: self._to_variable(e, down, largest) for e in edges}
            if damping and not exact:
                new = {e: (1 - damping) * new[e] + damping * up[e] for e in edges}
            change = max((float(np.abs(new[e] - up[e]).max()) for e in edges), default=0.0)
            up = new
            if change <= tol:
                break
        converged = exact or change <= tol
        if not converged:
            warn_user(
                f"FactorGraph: messages still change by {change:.2g} after {n_iter} rounds; the graph has cycles. "
                "Raise max_iter or damping.",
                ConvergenceWarning,
            )
        marginals, states = {}, {}
        for v, node in enumerate(model.nodes):
            values = local[v].copy()
            for f, k in edges:
                if model.scopes[f][k] == v:
                    values = values * up[f, k]
            if not values.sum() > 0:
                raise DegenerateError("FactorGraph: the evidence is impossible: a product of messages is 0.")
            marginals[node.name] = Distribution([node], values / values.sum())
            states[node.name] = node.states[int(np.argmax(values))]
        down = self._to_factors(local, up)
        messages = {(f"f{f}", model.names[model.scopes[f][k]]): up[f, k] for f, k in edges}
        messages |= {(model.names[model.scopes[f][k]], f"f{f}"): down[f, k] for f, k in edges}
        return Beliefs(marginals, states, exact, converged, n_iter, messages)

    def _to_factors(
        self, local: list[np.ndarray], up: dict[tuple[int, int], np.ndarray]
    ) -> dict[tuple[int, int], np.ndarray]:
        around: dict[int, list[tuple[int, int]]] = {}
        for f, k in up:
            around.setdefault(self.field.scopes[f][k], []).append((f, k))
        down = {}
        for v, places in around.items():
            for e in places:
                values = local[v].copy()
                for other in places:
                    if other != e:
                        values = values * up[other]
                total = values.sum()
                down[e] = values / total if total > 0 else values
        return down

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
