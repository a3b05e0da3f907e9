"""Dynamic networks: the same two slices over and over again in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.graphs.distribution import Distribution
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["DynamicNetwork"]

BEFORE = "@before"


class DynamicNetwork:
    """A network that goes on in time: a first slice, and how each slice depends on the one before.

    Parameters
    ----------
    first : list of Node, the slice at time 0
    next : list of Node, any later slice; a parent called "x@before" is node x of the slice before

    Examples
    --------
    A hidden Markov model:

    >>> from assay.graphs import DynamicNetwork, Node
    >>> sees = Node("umbrella", ["yes", "no"], [[0.9, 0.1], [0.2, 0.8]], parents=["rain"])
    >>> weather = DynamicNetwork(
    ...     [Node("rain", ["yes", "no"], [0.5, 0.5]), sees],
    ...     [Node("rain", ["yes", "no"], [[0.7, 0.3], [0.3, 0.7]], parents=["rain@before"]), sees])
    >>> weather.filter([{"umbrella": "yes"}, {"umbrella": "yes"}], "rain").round(3)
    array([[0.818, 0.182],
           [0.883, 0.117]])

    See Also
    --------
    BayesianNetwork, CategoricalHMM

    References
    ----------
    - Dean, T. and Kanazawa, K. (1989). A model for reasoning about persistence and causation. Computational
      Intelligence
      5, 142-150. doi:10.1111/j.1467-8640.1989.tb00324.x
    """

    def __init__(self, first: Sequence[Node], next: Sequence[Node]):
        self.first, self.next = list(first), list(next)
        names = [node.name for node in self.first]
        if sorted(names) != sorted(node.name for node in self.next):
            raise DataError("DynamicNetwork: both slices must have the same nodes.")
        for node in self.first:
            other = next_node(self.next, node.name)
            if other.states != node.states:
                raise DataError(f"DynamicNetwork: node {node.name!r} has other states in the next slice.")
        self.names = names
        self.unroll(2)  # refuses what does not fit

    def unroll(self, steps: int) -> BayesianNetwork:
        """The network of that many slices; node x at time t is called x[t]."""
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
            raise ParameterError(f"DynamicNetwork: steps must be a whole number from 1 up, got {steps!r}.")
        nodes = [self._at(node, 0) for node in self.first]
        for t in range(1, int(steps)):
            nodes += [self._at(next_node(self.next, name), t) for name in self.names]
        return BayesianNetwork(nodes)

    @staticmethod
    def _at(node: Node, t: int) -> Node:
        parents = [
            f"{p.removesuffix(BEFORE)}[{t - 1}]" if p.endswith(BEFORE) else f"{p}[{t}]" for p in node.parents
        ]
        return Node(f"{node.name}[{t}]", node.states, node.conditional, parents)

    def smooth(self, evidence: Sequence[Mapping[str, Any]], of: str) -> np.ndarray:
        """(T, r) the distribution of a node at each time given the evidence of all times."""
        network, known = self._with(evidence)
        marginals = network.marginals(known)
        return np.array([marginals[f"{of}[{t}]"].probabilities for t in range(len(evidence))])

    def filter(self, evidence: Sequence[Mapping[str, Any]], of: str) -> np.ndarray:
        """(T, r) the distribution of a node at each time given the evidence up to then.

        One slice at a time: the joint belief of the nodes that the next slice looks back at is carried on.
        """
        beliefs = []
        for belief in self._forward(evidence, of)[0]:
            beliefs.append(belief.probabilities)
        return np.array(beliefs)

    def predict(self, evidence: Sequence[Mapping[str, Any]], of: str, steps: int = 1) -> np.ndarray:
        """(r,) the distribution of a node some steps after the last evidence."""
        return self.filter([*evidence, *({} for _ in range(steps))], of)[-1]

    def log_likelihood(self, evidence: Sequence[Mapping[str, Any]]) -> float:
        """The log probability of the evidence of all times."""
        return self._forward(evidence, self.names[0])[1]

    def most_probable(self, evidence: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The most probable states of all nodes at all times, together."""
        network, known = self._with(evidence)
        best, _ = network.most_probable(known)
        return [{name: best[f"{name}[{t}]"] for name in self.names} for t in range(len(evidence))]

    def _with(self, evidence: Sequence[Mapping[str, Any]]) -> tuple[BayesianNetwork, dict[str, Any]]:
        if not len(evidence):
            raise DataError("DynamicNetwork: give the evidence of at least one time, {} for none.")
        known = {f"{n}[{t}]": value for t, part in enumerate(evidence) for n, value in part.items()}
        return self.unroll(len(evidence)), known

    def _forward(self, evidence: Sequence[Mapping[str, Any]], of: str) -> tuple[list[Distribution], float]:
        """Beliefs of a node at each time given the evidence up to then, and the log probability of all."""
        if not len(evidence):
            raise DataError("DynamicNetwork: give the evidence of at least one time, {} for none.")
        carried = list(
            dict.fromkeys(p.removesuffix(BEFORE) for n in self.next for p in n.parents if p.endswith(BEFORE))
        )
        network, total, beliefs = BayesianNetwork(self.first), 0.0, []
        for part in evidence:
            log = network._log_evidence(part)
            if np.isneginf(log):
                network._refuse_impossible(dict(part))
            total += log
            beliefs.append(network.query(of, part))
            joint = network.query(carried, part) if carried else None
            network = self._step(carried, joint)
        return beliefs, total

    def _step(self, carried: list[str], joint: Distribution | None) -> BayesianNetwork:
        """The next slice below the belief about the one before: the belief as a chain of conditionals."""
        nodes = []
        if joint is not None:
            table = joint.probabilities
            for k, name in enumerate(carried):
                head = table.sum(axis=tuple(range(k + 1, table.ndim)))
                below = head.sum(axis=-1, keepdims=True)
                with np.errstate(divide="ignore", invalid="ignore"):
                    rows = np.where(below > 0, head / below, 1.0 / head.shape[-1])
                states = next_node(self.first, name).states
                nodes.append(Node(name + BEFORE, states, rows, [n + BEFORE for n in carried[:k]]))
        return BayesianNetwork([*(next_node(self.next, name) for name in self.names), *nodes])


def next_node(nodes: Sequence[Node], name: str) -> Node:
    """The node of that name."""
    return next(node for node in nodes if node.name == name)
