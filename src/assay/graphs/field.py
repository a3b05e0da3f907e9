"""Markov random fields: potentials over sets of variables, and what follows from their product."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, DegenerateError, ParameterError, did_you_mean
from assay.graphs.conflict import smallest_conflict
from assay.graphs.distribution import Distribution, Marginals
from assay.graphs.junction_tree import JunctionTree
from assay.graphs.node import Node
from assay.graphs.triangulation import maximal_cliques, neighbours_of
from assay.types import PathLike

__all__ = ["MarkovField", "read_field"]


class MarkovField:
    r"""An undirected model: a product of potentials, divided by its sum over all configurations.

    .. math:: p(x) = \frac{1}{Z} \prod_C \Psi_C(x_C), \qquad Z = \sum_x \prod_C \Psi_C(x_C)              \quad (1)

    Two variables that share a potential are neighbours; a set of variables separates others if every path between
    them goes through it. All answers are exact, by a junction tree; for graphs that are too dense see
    :class:`FactorGraph`.

    Parameters
    ----------
    states : mapping of names to lists of states
    potentials : list of pairs (names, table), the table with an axis for each name, all entries from 0 up

    Examples
    --------
    A chain of three binary variables in which equal neighbours weigh twice:

    >>> from assay.graphs import MarkovField
    >>> pair = [[2, 1], [1, 2]]
    >>> field = MarkovField({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, [(["a", "b"], pair), (["b", "c"], pair)])
    >>> round(field.partition_function, 6)
    18.0

    See Also
    --------
    FactorGraph, BayesianNetwork, denoise

    References
    ----------
    - Kindermann, R. and Snell, J. L. (1980). Markov Random Fields and Their Applications. American Mathematical
      Society.
    """

    def __init__(
        self,
        states: Mapping[str, Sequence[Any]],
        potentials: Sequence[tuple[Sequence[str], ArrayLike]],
    ):
        self.nodes = [Node(name, list(values)) for name, values in states.items()]
        if not self.nodes:
            raise ParameterError("MarkovField: give states of at least one variable.")
        self.names = [node.name for node in self.nodes]
        self._place = {name: i for i, name in enumerate(self.names)}
        self.cards = [len(node.states) for node in self.nodes]
        self.scopes: list[list[int]] = []
        self.tables: list[np.ndarray] = []
        for names, values in potentials:
            scope = [self.index(name) for name in ([names] if isinstance(names, str) else names)]
            table = np.asarray(values, np.float64)
            shape = [self.cards[v] for v in scope]
            if len(set(scope)) < len(scope) or list(table.shape) != shape:
                raise DataError(
                    f"MarkovField: the potential of {', '.join(self.names[v] for v in scope)} must have the shape "
                    f"{tuple(shape)}, got {table.shape}."
                )
            if not np.isfinite(table).all() or (table < 0).any():
                raise DataError(
                    f"MarkovField: the potential of {', '.join(self.names[v] for v in scope)} must have finite "
                    "entries from 0 up."
                )
            self.scopes.append(scope)
            self.tables.append(table)

    def index(self, name: str) -> int:
        """The place of a variable."""
        if name not in self._place:
            raise DataError(f"MarkovField: there is no variable {name!r}.{did_you_mean(name, self.names)}")
        return self._place[name]

    @cached_property
    def tree(self) -> JunctionTree:
        """The junction tree of all variables."""
        return JunctionTree(self.cards, self.scopes)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs of neighbours."""
        pairs = {(min(a, b), max(a, b)) for scope in self.scopes for a in scope for b in scope if a != b}
        return [(self.names[a], self.names[b]) for a, b in sorted(pairs)]

    def cliques(self) -> list[list[str]]:
        """The maximal cliques of the graph."""
        adjacent = neighbours_of(len(self.nodes), self.scopes)
        return [[self.names[v] for v in clique] for clique in maximal_cliques(adjacent)]

    @property
    def log_partition(self) -> float:
        """ln Z."""
        logs = self.tree.marginals(self.tables, np.full((1, len(self.nodes)), -1))[1]
        return float(logs[0])

    @property
    def partition_function(self) -> float:
        """Z, the sum of the product of potentials over all configurations."""
        if self.log_partition > np.log(np.finfo(np.float64).max):
            raise DegenerateError(
                f"the partition function is about 10^{self.log_partition / np.log(10):.1f}, beyond the largest number.",
                who="MarkovField",
                remedy="Ask for log_partition.",
            )
        return float(np.exp(self.log_partition))

    def log_score(self, assignment: Mapping[str, Any]) -> float:
        """The logarithm of the product of potentials of one configuration."""
        row = self._row(assignment)
        if (row < 0).any():
            raise DataError(
                f"MarkovField: {self.names[int(np.argmin(row))]!r} has no state in the configuration."
            )
        with np.errstate(divide="ignore"):
            parts = [np.log(t[tuple(row[v] for v in scope)]) for scope, t in zip(self.scopes, self.tables)]
        return float(sum(parts))

    def probability(self, event: Mapping[str, Any], evidence: Mapping[str, Any] | None = None) -> float:
        """The probability of some states given others."""
        evidence = dict(evidence or {})
        wanted, known = self._row(event), self._row(evidence)
        below = self._log_sum(evidence)
        if np.isneginf(below):
            self._refuse(evidence)
        if ((wanted >= 0) & (known >= 0) & (wanted != known)).any():
            return 0.0
        return float(np.exp(self._log_sum({**evidence, **event}) - below))

    def _log_sum(self, evidence: Mapping[str, Any]) -> float:
        return float(self.tree.marginals(self.tables, self._row(evidence)[None, :])[1][0])

    def query(self, of: str | Sequence[str], evidence: Mapping[str, Any] | None = None) -> Distribution:
        """The joint distribution of some variables given others."""
        names = [of] if isinstance(of, str) else list(of)
        if not names or len(set(names)) < len(names):
            raise ParameterError(f"MarkovField: of must name variables, each once, got {of!r}.")
        row, places = self._row(evidence or {}), [self.index(n) for n in names]
        tree = self.tree
        if not any(set(places) <= set(c) for c in tree.members):
            tree = JunctionTree(self.cards, self.scopes, together=[places])
        table, log = tree.joint(self.tables, row, places)
        if np.isneginf(log):
            self._refuse(evidence)
        values = np.zeros([self.cards[v] for v in places])
        values[tuple(slice(None) if row[v] < 0 else slice(row[v], row[v] + 1) for v in places)] = (
            table / table.sum()
        )
        return Distribution([self.nodes[v] for v in places], values)

    def marginals(self, evidence: Mapping[str, Any] | None = None) -> Marginals:
        """The distributions of all variables given some."""
        values, logs = self.tree.marginals(self.tables, self._row(evidence or {})[None, :])
        if np.isneginf(logs[0]):
            self._refuse(evidence)
        return Marginals(self.nodes, values[0], float(logs[0]))

    def most_probable(self, evidence: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], float]:
        """The most probable configuration and its probability given the evidence; of equals always the same one."""
        row = self._row(evidence or {})
        best, logs = self.tree.most_probable(self.tables, row[None, :])
        if np.isneginf(logs[0]):
            self._refuse(evidence)
        states = {node.name: node.states[int(code)] for node, code in zip(self.nodes, best[0])}
        return states, float(np.exp(logs[0] - self._log_sum(evidence or {})))

    def separated(
        self, a: str | Iterable[str], b: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Whether deleting some variables cuts a off from b; then they are independent given those.

        >>> from assay.graphs import MarkovField
        >>> pair = [[2, 1], [1, 2]]
        >>> field = MarkovField(dict.fromkeys("abc", [0, 1]), [(["a", "b"], pair), (["b", "c"], pair)])
        >>> field.separated("a", "c", "b"), field.separated("a", "c")
        (True, False)
        """
        start, end, cut = ({self.index(n) for n in ([v] if isinstance(v, str) else v)} for v in (a, b, given))
        adjacent = neighbours_of(len(self.nodes), self.scopes)
        todo, reached = list(start - cut), set(start - cut)
        while todo:
            v = todo.pop()
            for u in range(len(self.nodes)):
                if adjacent[v] >> u & 1 and u not in reached and u not in cut:
                    reached.add(u)
                    todo.append(u)
        return not reached & end

    @classmethod
    def of_network(cls, network: Any) -> MarkovField:
        """The moral graph of a Bayesian network: a potential for each node and its parents, and Z = 1.

        >>> from assay.graphs import MarkovField, load_network
        >>> field = MarkovField.of_network(load_network("sprinkler"))
        >>> ("sprinkler", "rain") in field.edges, round(field.partition_function, 6)
        (True, 1.0)
        """
        states = {node.name: node.states for node in network.nodes}
        return cls(states, [([*node.parents, node.name], network.table(node.name)) for node in network.nodes])

    def _row(self, evidence: Mapping[str, Any]) -> np.ndarray:
        row = np.full(len(self.nodes), -1, np.int64)
        for name, value in evidence.items():
            i = self.index(name)
            row[i] = self.nodes[i].code(value, "MarkovField")
        return row

    def _refuse(self, evidence: Mapping[str, Any] | None) -> None:
        if not evidence:
            raise DegenerateError(
                "MarkovField: every configuration has probability 0: a potential is 0 there."
            )
        words = smallest_conflict(evidence, lambda some: not np.isneginf(self._log_sum(some)))
        raise DegenerateError(
            f"the evidence is impossible: {words}.",
            who="MarkovField",
            remedy="Correct the evidence, or give potentials without zeros.",
            code="impossible-evidence",
        )

    def __repr__(self) -> str:
        return f"MarkovField of {len(self.nodes)} variables and {len(self.scopes)} potentials"


def read_field(path: PathLike) -> MarkovField:
    """The field of a UAI file (MARKOV, or BAYES, whose tables are potentials); variables are called x0, x1, ...

    >>> import pathlib, tempfile
    >>> from assay.graphs import read_field
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pair.uai"
    >>> _ = path.write_text("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4")
    >>> read_field(path)
    MarkovField of 2 variables and 1 potentials
    """
    from pathlib import Path

    from assay.graphs.formats import text_of
    from assay.graphs.formats.uai import parse_factors

    file = Path(str(path))
    _, cards, factors, _ = parse_factors(text_of(file, "read_field"), str(file))
    states = {f"x{v}": list(range(card)) for v, card in enumerate(cards)}
    return MarkovField(states, [([f"x{v}" for v in scope], table) for scope, table in factors])
