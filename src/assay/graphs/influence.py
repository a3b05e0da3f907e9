"""Influence diagrams: chance, decisions and utilities in one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.explanation import text_table
from assay.errors import DataError, ParameterError, did_you_mean
from assay.graphs.conditionals import TableConditional
from assay.graphs.network import BayesianNetwork, Evidence
from assay.graphs.node import Node

__all__ = ["Decision", "DecisionPlan", "InfluenceDiagram", "Utility"]

MOST_SITUATIONS = 1 << 20  # that a decision may meet, times its options


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
    - Cooper, G. F. (1988). A method for using belief networks as influence diagrams. Proceedings of the Fourth
      Conference on Uncertainty in Artificial Intelligence, 55-63.
    - Howard, R. A. and Matheson, J. E. (1984). Influence diagrams. In: Readings on the Principles and Applications of
      Decision Analysis, volume 2, 719-762. Strategic Decisions Group.
    """

    def __init__(self, nodes: Sequence[Node], decisions: Sequence[Decision], utilities: Sequence[Utility]):
        self.nodes = list(nodes)
        self.decisions = [replace(d, knows=_names(d.knows)) for d in decisions]
        self.utilities = [replace(u, parents=_names(u.parents)) for u in utilities]
        if not self.decisions or not self.utilities:
            raise ParameterError("InfluenceDiagram: give at least one decision and one utility.")
        known: list[str] = []
        self.knows: dict[str, list[str]] = {}
        for decision in self.decisions:
            if not len(decision.options):
                raise DataError(f"InfluenceDiagram: decision {decision.name!r} has no options.")
            known += [n for n in decision.knows if n not in known]
            self.knows[decision.name] = list(known)
            known.append(decision.name)
        self._network = self._with_policies({})
        self._check_knows()
        for utility in self.utilities:
            self._check_utility(utility)

    def _check_knows(self) -> None:
        """What is known when a choice is made must be there, have states, and not come of the choice."""
        graph, decided = self._network.graph, [d.name for d in self.decisions]
        for i, decision in enumerate(self.decisions):
            who = f"InfluenceDiagram: decision {decision.name!r}"
            for name in decision.knows:
                if name not in self._network:
                    raise DataError(
                        f"{who} knows {name!r}, which is no node.{did_you_mean(name, self._network.names)}"
                    )
                if self._network[name].states is None:
                    raise DataError(f"{who} knows {name!r}, which is a number. Cut it into intervals.")
                cause = next((d for d in decided[i:] if name in graph.descendants([d])), None)
                if cause is not None:
                    itself = "it" if cause == decision.name else f"the later decision {cause!r}"
                    raise DataError(f"{who} cannot know {name!r}, which depends on {itself}.")
            situations = prod(
                len(self._network[n].states) for n in (*self.knows[decision.name], decision.name)
            )
            if situations > MOST_SITUATIONS:
                raise DataError(
                    f"{who} knows {len(self.knows[decision.name])} nodes; with its options these make {situations:,} "
                    f"situations, at most {MOST_SITUATIONS:,} are solved. Leave out of knows what says nothing about "
                    "the utilities.",
                    code="too-large",
                )

    def _check_utility(self, utility: Utility) -> None:
        who = f"InfluenceDiagram: utility {utility.name!r}"
        strange = [p for p in utility.parents if p not in self._network]
        if strange:
            raise DataError(
                f"{who} depends on {strange[0]!r}, which is no node.{did_you_mean(strange[0], self._network.names)}"
            )
        if utility.name in self._network or [u.name for u in self.utilities].count(utility.name) > 1:
            raise DataError(f"{who} has the name of another node. Rename one of them.")
        if len(set(utility.parents)) < len(utility.parents):
            raise DataError(f"{who} must name each of its parents once, got {', '.join(utility.parents)}.")
        number = next((p for p in utility.parents if self._network[p].states is None), None)
        if number is not None:
            raise DataError(f"{who} depends on {number!r}, which is a number. Cut it into intervals.")
        shape = tuple(len(self._network[p].states) for p in utility.parents)
        try:
            values = np.asarray(utility.values, np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{who} must be numbers of the shape {shape}, got {utility.values!r}.") from None
        if values.shape != shape:
            raise DataError(f"{who} must be numbers of the shape {shape}, got the shape {values.shape}.")
        if not np.isfinite(values).all():
            raise DataError(f"{who} must be finite numbers, {values[~np.isfinite(values)][0]} is among them.")

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
            values = self._situations(network, decision)
            possible = ~np.isnan(values).any(axis=1)
            chosen = np.where(np.isnan(values), 0.0, values).argmax(axis=1)
            policies[decision.name], utilities[decision.name] = {}, {}
            for j, known in enumerate(product(*states)):
                if possible[j]:
                    policies[decision.name][known] = decision.options[chosen[j]]
                    utilities[decision.name][known] = dict(zip(decision.options, values[j].tolist()))
            rows = np.eye(len(decision.options))[chosen]
            tables[decision.name] = rows
        return self._with_policies(tables), policies, utilities

    def _situations(self, network: BayesianNetwork, decision: Decision) -> np.ndarray:
        """(situations, options) the expected utility of each option in all that may be known; NaN where impossible.

        Each utility becomes a node of two states, the probability of the second of which is the utility on a scale
        from its smallest to its largest value (Cooper 1988): its posterior is found for all situations at once.
        """
        asked = [*self.knows[decision.name], decision.name]
        if network._numeric:
            labels = product(*(network[n].states for n in asked))
            values = [self._expected_if_possible(network, dict(zip(asked, some))) for some in labels]
            return np.array(values).reshape(-1, len(decision.options))
        tables = [np.asarray(u.values, np.float64) for u in self.utilities]
        names = [f"the utility {u.name}" for u in self.utilities]
        scaled = [(t - t.min()) / max(float(np.ptp(t)), np.finfo(float).tiny) for t in tables]
        larger = BayesianNetwork(
            [
                *network.nodes,
                *(
                    Node(name, (0, 1), TableConditional(np.stack([1.0 - s, s], axis=-1)), u.parents)
                    for name, s, u in zip(names, scaled, self.utilities)
                ),
            ]
        )
        sizes = [len(network[n].states) for n in asked]
        rows = np.full((prod(sizes), len(larger)), -1, np.int64)
        rows[:, [larger.index(n) for n in asked]] = np.indices(sizes).reshape(len(sizes), -1).T
        total = np.zeros(len(rows))
        for name, table in zip(names, tables):
            total += table.min() + np.ptp(table) * larger.posterior(name, rows, impossible="nan")[:, 1]
        return total.reshape(-1, len(decision.options))

    def _expected_if_possible(self, network: BayesianNetwork, evidence: Evidence) -> float:
        return np.nan if np.isneginf(network._log_evidence(evidence)) else self._expected(network, evidence)

    def value_of_information(self, node: str, decision: str) -> float:
        """What it is worth to know the state of a node before a decision: never below 0.

        .. math:: \\sum_e P(e) \\max_a EU(a|e) - \\max_a EU(a)
        """
        chosen = self._decision(decision)
        if node not in self._network or node in [d.name for d in self.decisions]:
            raise DataError(f"InfluenceDiagram: {node!r} is no chance node.")
        if node in self.knows[decision]:
            return 0.0
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


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
