"""Influence diagrams: chance, decisions and utilities in one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.explanation import text_table
from assay.errors import DataError, ParameterError, did_you_mean
from assay.graphs.conditionals import TableConditional
from assay.graphs.network import BayesianNetwork, Evidence
from assay.graphs.node import Node

__all__ = ["Decision", "DecisionPlan", "InfluenceDiagram", "Utility"]


@dataclass(frozen=True)
class Decision:
    """A choice.

    Parameters
    ----------
    name : str      options : list of labels
    knows : names of the nodes whose states are known when the choice is made
    """

    name: str
    options: Sequence[Any]
    knows: Sequence[str] = ()


@dataclass(frozen=True)
class Utility:
    """What an outcome is worth: a table with an axis for each of its parents (chance or decisions)."""

    name: str
    parents: Sequence[str]
    values: ArrayLike


@dataclass(frozen=True)
class DecisionPlan:
    """The best policy.

    Attributes
    ----------
    expected_utility : float
    policies : dict of decision to a dict of what is known (a tuple of states) to the best option
    utilities : dict of decision to a dict of what is known to a dict of option to expected utility
    knows : dict of decision to the names of what is known
    """

    expected_utility: float
    policies: dict[str, dict[tuple[Any, ...], Any]]
    utilities: dict[str, dict[tuple[Any, ...], dict[Any, float]]]
    knows: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"Expected utility {self.expected_utility:.6g}"]
        for name, policy in self.policies.items():
            heads = [*self.knows[name], name, "expected utility"]
            rows = [
                [*map(str, known), str(best), self.utilities[name][known][best]]
                for known, best in policy.items()
            ]
            parts.append(f"{name}\n{text_table(heads, rows)}")
        return "\n\n".join(parts)


class InfluenceDiagram:
    r"""A network with decisions, and utilities of what comes of them.

    The expected utility of option a given evidence E is

    .. math:: EU(a \mid E) = \sum_x P(x \mid E, a)\, U(x, a)                                             \quad (1)

    Decisions are made in their order in the list; each knows what it says it knows, and all that earlier decisions
    knew and chose. The last is solved first. Of equal options the first is chosen.

    Parameters
    ----------
    nodes : list of Node, whose parents may be decisions
    decisions : list of Decision, in the order in which they are made
    utilities : list of Utility; they add

    Examples
    --------
    >>> from assay.graphs import Decision, InfluenceDiagram, Node, Utility
    >>> umbrella = InfluenceDiagram(
    ...     [Node("rain", ["yes", "no"], [0.4, 0.6]),
    ...      Node("wet", ["yes", "no"], [[0.9, 0.1], [0.2, 0.8]], parents=["rain"])],
    ...     [Decision("umbrella", ["take", "leave"])],
    ...     [Utility("comfort", ["rain", "umbrella"], [[70, 0], [20, 100]])])
    >>> {option: round(v, 6) for option, v in umbrella.expected_utilities("umbrella", {"wet": "yes"}).items()}
    {'take': 57.5, 'leave': 25.0}
    >>> round(umbrella.value_of_information("wet", "umbrella"), 6)
    15.6

    See Also
    --------
    BayesianNetwork, DecisionRule

    References
    ----------
    - Howard, R. A. and Matheson, J. E. (1984). Influence diagrams. In: Readings on the Principles and Applications of
      Decision Analysis, volume 2, 719-762. Strategic Decisions Group.
    """

    def __init__(self, nodes: Sequence[Node], decisions: Sequence[Decision], utilities: Sequence[Utility]):
        self.nodes, self.decisions, self.utilities = list(nodes), list(decisions), list(utilities)
        if not self.decisions or not self.utilities:
            raise ParameterError("InfluenceDiagram: give at least one decision and one utility.")
        known: list[str] = []
        self.knows: dict[str, list[str]] = {}
        for decision in self.decisions:
            known += [n for n in decision.knows if n not in known]
            self.knows[decision.name] = list(known)
            known.append(decision.name)
        self._network = self._with_policies({})
        for utility in self.utilities:
            strange = [p for p in utility.parents if p not in self._network]
            if strange:
                raise DataError(
                    f"InfluenceDiagram: utility {utility.name!r} depends on {strange[0]!r}, which is no node."
                    f"{did_you_mean(strange[0], self._network.names)}"
                )
            values = np.asarray(utility.values, np.float64)
            shape = tuple(len(self._network[p].states) for p in utility.parents)
            if values.shape != shape or not np.isfinite(values).all():
                raise DataError(
                    f"InfluenceDiagram: utility {utility.name!r} must be finite numbers of the shape {shape}, got the "
                    f"shape {values.shape}."
                )

    def _with_policies(self, policies: Mapping[str, np.ndarray]) -> BayesianNetwork:
        """Decisions as nodes: by a policy where there is one, else all options alike."""
        made = list(self.nodes)
        for decision in self.decisions:
            if decision.name in policies:
                table = TableConditional(policies[decision.name])
                made.append(Node(decision.name, list(decision.options), table, self.knows[decision.name]))
            else:
                even = np.full(len(decision.options), 1.0 / len(decision.options))
                made.append(Node(decision.name, list(decision.options), TableConditional(even)))
        return BayesianNetwork(made)

    def _expected(self, network: BayesianNetwork, evidence: Evidence) -> float:
        """The expected sum of the utilities given evidence."""
        total = 0.0
        for utility in self.utilities:
            joint = network.query(list(utility.parents), evidence).probabilities
            total += float((joint * np.asarray(utility.values, np.float64)).sum())
        return total

    def expected_utilities(self, decision: str, evidence: Evidence | None = None) -> dict[Any, float]:
        """(1) for each option of a decision given evidence; later decisions follow the best policy."""
        chosen = self._decision(decision)
        later = self.decisions[self.decisions.index(chosen) + 1 :]
        network = self._solved(later)[0] if later else self._network
        return {
            option: self._expected(network, {**(evidence or {}), decision: option})
            for option in chosen.options
        }

    def best(self, decision: str, evidence: Evidence | None = None) -> Any:
        """The option with the largest expected utility given evidence; the first of equals."""
        values = self.expected_utilities(decision, evidence)
        return max(values, key=values.__getitem__)

    def solve(self) -> DecisionPlan:
        """The best policy of all decisions, and what it is worth."""
        network, policies, utilities = self._solved(self.decisions)
        ordered = [d.name for d in self.decisions]
        return DecisionPlan(
            self._expected(network, {}),
            {name: policies[name] for name in ordered},
            {name: utilities[name] for name in ordered},
            {name: self.knows[name] for name in ordered},
        )

    def _solved(
        self, decisions: Sequence[Decision]
    ) -> tuple[BayesianNetwork, dict[str, Any], dict[str, Any]]:
        tables: dict[str, np.ndarray] = {}
        policies: dict[str, Any] = {}
        utilities: dict[str, Any] = {}
        for decision in reversed(decisions):
            network = self._with_policies(tables)
            knows = self.knows[decision.name]
            states = [network[n].states for n in knows]
            rows = np.zeros((int(np.prod([len(s) for s in states], dtype=np.int64)), len(decision.options)))
            policies[decision.name], utilities[decision.name] = {}, {}
            for j, known in enumerate(product(*states)):
                evidence = dict(zip(knows, known))
                possible = not evidence or not np.isneginf(network._log_evidence(evidence))
                values = {
                    option: self._expected(network, {**evidence, decision.name: option}) if possible else 0.0
                    for option in decision.options
                }
                best = max(values, key=values.__getitem__)
                rows[j, list(decision.options).index(best)] = 1.0
                if possible:
                    policies[decision.name][known] = best
                    utilities[decision.name][known] = values
            tables[decision.name] = rows
        return self._with_policies(tables), policies, utilities

    def value_of_information(self, node: str, decision: str) -> float:
        """What it is worth to know the state of a node before a decision: never below 0.

        .. math:: \\sum_e P(e) \\max_a EU(a|e) - \\max_a EU(a)
        """
        chosen = self._decision(decision)
        if node not in self._network or node in [d.name for d in self.decisions]:
            raise DataError(f"InfluenceDiagram: {node!r} is no chance node.")
        informed = [
            Decision(d.name, d.options, [*d.knows, node] if d is chosen else d.knows) for d in self.decisions
        ]
        better = InfluenceDiagram(self.nodes, informed, self.utilities)
        return better.solve().expected_utility - self.solve().expected_utility

    def _decision(self, name: str) -> Decision:
        for decision in self.decisions:
            if decision.name == name:
                return decision
        names = [d.name for d in self.decisions]
        raise DataError(f"InfluenceDiagram: there is no decision {name!r}.{did_you_mean(name, names)}")

    def diagram(self) -> Any:
        """The picture: circles for chance, boxes for decisions, diamonds for utilities."""
        from assay.graphs.diagram import Diagram

        names = (
            [n.name for n in self.nodes] + [d.name for d in self.decisions] + [u.name for u in self.utilities]
        )
        arcs = [(p, n.name) for n in self.nodes for p in n.parents]
        arcs += [(p, d.name) for d in self.decisions for p in d.knows]
        arcs += [(p, u.name) for u in self.utilities for p in u.parents]
        shapes = {d.name: "box" for d in self.decisions} | {u.name: "diamond" for u in self.utilities}
        return Diagram(names, arcs, shapes=shapes)

    def _repr_svg_(self) -> str:
        return self.diagram().to_svg()
