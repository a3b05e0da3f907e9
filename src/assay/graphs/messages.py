"""Pearl's belief propagation on chains, trees and polytrees, with all messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.errors import DataError
from assay.graphs.distribution import Distribution

__all__ = ["Message", "Propagation", "in_range", "propagate"]

TINY = 1e-150  # products whose largest value is below this are scaled
FEW_NODES = 200  # up to which messages may wait for each other


@dataclass(frozen=True)
class Message:
    """One message: from a node to a neighbour, what it is called, and its values for the states it is about.

    ``kind`` is "lambda" (to a parent, about the parent) or "pi" (to a child, about the sender).
    """

    kind: str
    sender: str
    receiver: str
    values: np.ndarray


@dataclass(frozen=True)
class Propagation:
    """Beliefs and the messages that led to them, in order.

    Attributes
    ----------
    pi, lambda_ : dicts of name to values: what ancestors predict, and what descendants say
    beliefs : dict of name to Distribution
    messages : list of Message
    """

    pi: dict[str, np.ndarray]
    lambda_: dict[str, np.ndarray]
    beliefs: dict[str, Distribution]
    messages: list[Message] = field(default_factory=list)

    def message(self, kind: str, sender: str, receiver: str) -> np.ndarray:
        """The values of one message."""
        for m in self.messages:
            if (m.kind, m.sender, m.receiver) == (kind, sender, receiver):
                return m.values
        raise DataError(f"Propagation: there is no {kind} message from {sender!r} to {receiver!r}.")

    def __str__(self) -> str:
        rows = [
            [str(i + 1), m.kind, m.sender, m.receiver, ", ".join(f"{v:.4g}" for v in m.values)]
            for i, m in enumerate(self.messages)
        ]
        return text_table(["step", "message", "from", "to", "values"], rows)


def propagate(network: Any, evidence: dict[str, Any]) -> Propagation:
    r"""The beliefs of all nodes of a singly connected network by messages along its arcs.

    .. math::

        \lambda(x) = e(x)\prod_j \lambda_{Y_j}(x), \qquad
        \pi(x) = \sum_{u} P(x|u) \prod_i \pi_X(u_i), \qquad P(x|E) = \alpha\,\pi(x)\,\lambda(x)     \quad (1)

        \lambda_X(u_i) = \sum_x \lambda(x) \sum_{u_r,\, r \ne i} P(x|u) \prod_{r \ne i} \pi_X(u_r), \qquad
        \pi_{Y_j}(x) = \alpha\, e(x)\,\pi(x) \prod_{s \ne j} \lambda_{Y_s}(x)                        \quad (2)

    e(x) is 1 for the observed state and 0 for the others, all 1 without evidence. Values near the least number there is
    are divided by their largest.

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> passed = load_network("wet grass chain").propagate({"wet": "yes"})
    >>> passed.lambda_["cloudy"], passed.beliefs["cloudy"]
    (array([0.76, 0.27]), P(cloudy) = {yes: 0.6524, no: 0.3476})
    """
    network._states_only("propagate")
    graph = network.graph
    if graph.kind == "multiply connected":
        raise DataError(
            "propagate: the graph is multiply connected (two paths join some nodes), so that messages would count "
            "evidence twice. Use marginals(), which joins nodes to cliques.",
            who="BayesianNetwork",
        )
    row, soft = network._codes(evidence)
    local = {}
    for i, node in enumerate(network.nodes):
        e = np.array(soft.get(i, np.ones(len(node.states))), np.float64)
        if row[i] >= 0:
            e = e * (np.arange(len(node.states)) == row[i])
        local[node.name] = e
    work = _Work(network, local)
    try:
        if (
            len(network) > FEW_NODES
        ):  # from the leaves first, so that no message waits for a long row of others
            for name in reversed(graph.order):
                work.lambda_(name)
        pi = {name: work.pi(name) for name in graph.order}
        lambda_ = {name: work.lambda_(name) for name in reversed(graph.order)}
    except RecursionError:
        raise DataError(
            f"propagate: the messages of {len(network)} nodes wait for each other in too long a row. Use marginals().",
            who="BayesianNetwork",
        ) from None
    beliefs = {}
    for node in network.nodes:
        product = pi[node.name] * lambda_[node.name]
        if not product.sum() > 0:
            network._refuse_impossible(evidence)
        beliefs[node.name] = Distribution([node], product / product.sum())
    return Propagation(pi, {n: lambda_[n] for n in network.names}, beliefs, work.messages)


class _Work:
    """Messages by (2), each computed when it is first needed and kept; recursion follows the tree, never back."""

    def __init__(self, network: Any, local: dict[str, np.ndarray]):
        self.network, self.graph, self.local = network, network.graph, local
        self.done: dict[tuple[str, str, str], np.ndarray] = {}
        self.messages: list[Message] = []

    def pi(self, name: str) -> np.ndarray:
        table = self.network.table(name)
        for parent in self.graph.parents[name]:
            table = np.tensordot(self.to_child(parent, name), table, axes=(0, 0))
        return table

    def lambda_(self, name: str) -> np.ndarray:
        values = self.local[name].copy()
        for child in self.graph.children[name]:
            values = in_range(values * self.to_parent(child, name))
        return values

    def to_child(self, name: str, child: str) -> np.ndarray:
        key = ("pi", name, child)
        if key not in self.done:
            values = self.local[name] * self.pi(name)
            for other in self.graph.children[name]:
                if other != child:
                    values = in_range(values * self.to_parent(other, name))
            total = values.sum()
            self._keep(key, values / total if total > 0 else values)
        return self.done[key]

    def to_parent(self, name: str, parent: str) -> np.ndarray:
        key = ("lambda", name, parent)
        if key not in self.done:
            table = self.network.table(name) @ self.lambda_(name)
            parents = self.graph.parents[name]
            for axis, other in reversed(list(enumerate(parents))):
                if other != parent:
                    table = np.tensordot(table, self.to_child(other, name), axes=(axis, 0))
            self._keep(key, in_range(table))
        return self.done[key]

    def _keep(self, key: tuple[str, str, str], values: np.ndarray) -> None:
        self.done[key] = values
        self.messages.append(Message(*key, values))


def in_range(values: np.ndarray) -> np.ndarray:
    """The same up to a factor, where the next product could be too small for a number."""
    largest = values.max()
    return values / largest if 0 < largest < TINY else values
