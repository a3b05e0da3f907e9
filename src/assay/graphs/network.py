"""Bayesian networks: a joint distribution as a product of small conditionals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import Each, Object
from assay.errors import DataError, DegenerateError, ParameterError, did_you_mean
from assay.graphs.conflict import smallest_conflict
from assay.graphs.directed_graph import DirectedGraph
from assay.graphs.distribution import Distribution, Marginals
from assay.graphs.junction_tree import MOST_ENTRIES, JunctionTree
from assay.graphs.node import Node, as_evidence, number_of
from assay.tables import Schema, Table
from assay.tables.float_blocks import is_sparse
from assay.types import PathLike, RandomState, TableLike, Weights

__all__ = ["BayesianNetwork", "Evidence"]

Evidence = Mapping[str, Any]
METHODS = ("exact", "enumeration", "likelihood weighting", "gibbs")
MOST_ENUMERATED = 1 << 24  # entries of a joint table


@dataclass(eq=False)
class BayesianNetwork:
    r"""Nodes, arcs between them, and for each node its distribution given its parents.

    .. math:: P(x_1, ..., x_d) = \prod_i P(x_i \mid \text{parents of } x_i)                        \quad (1)

    Nodes are columns of a table: with states, or numbers (linear Gaussian). Any nodes may be observed and any others
    asked for. Exact answers come from a junction tree that is compiled once for the nodes that matter; its cost is
    that of the largest clique. Evidence is a mapping of names to states, of numbers to values; a dict or a list of
    likelihoods of the states is uncertain evidence.

    Parameters
    ----------
    nodes : list of Node

    Examples
    --------
    >>> from assay.graphs import BayesianNetwork, Node
    >>> network = BayesianNetwork([
    ...     Node("rain", ["yes", "no"], [0.4, 0.6]),
    ...     Node("wet", ["yes", "no"], [[0.9, 0.1], [0.2, 0.8]], parents=["rain"]),
    ... ])
    >>> round(network.probability({"wet": "yes"}), 4)
    0.48
    >>> network.query("rain", {"wet": "yes"})
    P(rain) = {yes: 0.75, no: 0.25}

    See Also
    --------
    Node, learn_network, MarkovField, InfluenceDiagram

    References
    ----------
    - Pearl, J. (1988). Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann.
    - Koller, D. and Friedman, N. (2009). Probabilistic Graphical Models. MIT Press.
    """

    nodes: list[Node] = field(default_factory=list)
    stored = {"nodes": Each(Object(Node))}

    def __post_init__(self) -> None:
        self.nodes = list(self.nodes) if isinstance(self.nodes, (list, tuple)) else []
        if not self.nodes or not all(isinstance(node, Node) for node in self.nodes):
            raise ParameterError(
                "BayesianNetwork: give a list of nodes, for example [Node('rain', ['yes', 'no'])]."
            )
        names = [node.name for node in self.nodes]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"BayesianNetwork: two nodes are called {twice!r}. Rename one of them.")
        graph = self.graph
        for node in self.nodes:
            self._check_size(node)
            if node.conditional is not None:
                node.conditional.check(
                    node.column, [self[p].column for p in graph.parents[node.name]], "BayesianNetwork"
                )

    def _check_size(self, node: Node) -> None:
        """Refuse a table that is too large before its memory is taken."""
        entries = prod(len(self[p].states or ()) or 1 for p in (*node.parents, node.name))
        if entries > MOST_ENTRIES:
            raise DataError(
                f"the table of node {node.name!r} with {len(node.parents)} parents would have {entries:,} entries "
                f"({entries * 8 / 2**30:,.0f} GiB), at most {MOST_ENTRIES:,} are allowed.",
                who="BayesianNetwork",
                remedy="Give it fewer parents, for example by a node between some of them and it.",
                code="too-large",
            )

    # ------------------------------------------------------------------ what it is made of

    @cached_property
    def graph(self) -> DirectedGraph:
        """The graph: parents, children, ancestors, order, class."""
        return DirectedGraph({node.name: node.parents for node in self.nodes}, "BayesianNetwork")

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {node.name: i for i, node in enumerate(self.nodes)}

    @property
    def names(self) -> list[str]:
        """The names of the nodes, in their order."""
        return [node.name for node in self.nodes]

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Pairs (parent, child)."""
        return self.graph.arcs

    @property
    def kind(self) -> str:
        """Of which class the graph is: a chain, a tree, a polytree, or multiply connected."""
        return self.graph.kind

    @cached_property
    def schema(self) -> Schema:
        """The nodes as columns of a table."""
        return Schema([node.column for node in self.nodes])

    def __getitem__(self, name: str) -> Node:
        return self.nodes[self.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self.nodes)

    def index(self, name: str) -> int:
        """The place of a node among the nodes."""
        place = self._by_name.get(name) if isinstance(name, str) else None
        if place is None:
            near = did_you_mean(str(name), self.names)
            raise DataError(f"there is no node {name!r}.{near}", who="BayesianNetwork")
        return place

    def parents(self, name: str) -> list[str]:
        """The parents of a node."""
        return list(self[name].parents)

    def children(self, name: str) -> list[str]:
        """The children of a node."""
        return list(self.graph.children[self[name].name])

    def table(self, name: str) -> np.ndarray:
        """The probabilities of a node's states: an axis for each parent, and one for its states."""
        i = self.index(name)
        return self._tables[i].reshape([*(len(self[p].states) for p in self.nodes[i].parents), -1])

    @property
    def n_parameters(self) -> int:
        r"""The number of free parameters: :math:`\sum_i (m_i - 1) \prod_{p} m_p` for tables."""
        self._fitted()
        return sum(
            int(node.conditional.n_parameters(node.column, [self[p].column for p in node.parents]))
            for node in self.nodes
        )

    @cached_property
    def _tables(self) -> list[np.ndarray]:
        """(q, r) of each node with states; empty for numbers."""
        self._fitted()
        return [
            np.zeros((0, 0))
            if node.states is None
            else np.ascontiguousarray(
                node.conditional.table(node.column, [self[p].column for p in node.parents])
            )
            for node in self.nodes
        ]

    def _fitted(self) -> None:
        waiting = [node.name for node in self.nodes if node.conditional is None]
        if waiting:
            raise DataError(
                f"node {waiting[0]!r} has no probabilities yet. Give them, or learn them: network.fit(X).",
                who="BayesianNetwork",
            )

    @cached_property
    def _numeric(self) -> bool:
        return any(node.states is None for node in self.nodes)

    # ------------------------------------------------------------------ probabilities

    def joint(self, assignment: Evidence) -> float:
        """The probability (with numbers: the density) of a state for every node, by (1)."""
        assignment = as_evidence(assignment)
        missing = [name for name in self.names if name not in assignment]
        if missing:
            raise DataError(
                f"joint: every node needs a state, {missing[0]!r} has none. For some nodes: probability(...).",
                who="BayesianNetwork",
            )
        row = self.encode(assignment)
        return float(np.exp(self._log_joint(row[None, :])[0]))

    def _log_joint(self, rows: np.ndarray) -> np.ndarray:
        """(n,) the log joint probability of complete rows."""
        from assay.graphs.mixed import number_log_density

        total = np.zeros(len(rows))
        for i, node in enumerate(self.nodes):
            config = self.configuration(node, rows)
            if node.states is None:
                total += number_log_density(self, node, rows, config)
            else:
                with np.errstate(divide="ignore"):
                    total += np.log(self._tables[i][config, rows[:, i].astype(np.int64)])
        return total

    def configuration(self, node: Node, rows: np.ndarray) -> np.ndarray:
        """(n,) the number of the configuration that the parents with states have in each row."""
        code = np.zeros(len(rows), np.int64)
        for p in node.parents:
            states = self[p].states
            if states is not None:
                code = code * len(states) + rows[:, self.index(p)].astype(np.int64)
        return code

    def probability(self, event: Evidence, evidence: Evidence | None = None) -> float:
        """The probability of an event (some states) given evidence.

        >>> from assay.graphs import load_network
        >>> round(load_network("sprinkler").probability({"rain": "yes", "sprinkler": "no"}, {"wet": "yes"}), 4)
        0.5321
        """
        evidence, event = as_evidence(evidence), as_evidence(event)
        both = [n for n in event if n in evidence]
        if any(self._is_soft(n, says[n]) for n in both for says in (event, evidence)):
            raise DataError(
                f"{both[0]!r} is in the event and in the evidence, which must then both be states.",
                who="BayesianNetwork.probability",
            )
        if not np.array_equal(
            self.encode({n: event[n] for n in both}),
            self.encode({n: evidence[n] for n in both}),
            equal_nan=True,
        ):
            return 0.0
        if not evidence:
            return float(np.exp(self._log_evidence(event)))
        below = self._log_evidence(evidence)
        if np.isneginf(below):
            self._refuse_impossible(evidence)
        return float(np.exp(self._log_evidence({**event, **evidence}) - below))

    def _is_soft(self, name: str, value: Any) -> bool:
        """Whether evidence is a likelihood for each state; a tuple may be a state itself."""
        if isinstance(value, tuple):
            return value not in (self[name].states or ())
        return isinstance(value, (Mapping, list, np.ndarray))

    def _log_evidence(self, evidence: Evidence) -> float:
        from assay.graphs.asking import Question

        return Question(self, evidence).log_evidence()

    def query(
        self,
        of: str | Sequence[str],
        evidence: Evidence | None = None,
        *,
        method: str = "exact",
        n_samples: int = 10_000,
        random_state: RandomState = None,
        max_entries: int = MOST_ENTRIES,
    ) -> Any:
        """The distribution of one node, or the joint distribution of several, given evidence.

        Parameters
        ----------
        of : name or list of names
        evidence : mapping of names to states
        method : "exact", "enumeration", "likelihood weighting" or "gibbs"
            Enumeration sums the whole joint table, as a reference; the last two draw samples, and their answer has
            standard errors.
        n_samples : int, of the methods that draw
        random_state : seed of the methods that draw
        max_entries : int, how many entries the tables of exact inference may have

        Examples
        --------
        >>> from assay.graphs import load_network
        >>> network = load_network("sprinkler")
        >>> print(network.query(["sprinkler", "rain"], {"wet": "yes"}))
          sprinkler  rain  probability
          yes        yes       0.09482
          yes        no         0.3248
          no         yes        0.5321
          no         no        0.04837
        """
        from assay.graphs.asking import Question

        if method not in METHODS:
            raise ParameterError(
                f"method must be one of {', '.join(METHODS)}, got {method!r}.", who="BayesianNetwork.query"
            )
        names: list[Any] = list(of) if isinstance(of, (list, tuple)) else [of]
        if not all(isinstance(name, str) for name in names) or not 0 < len(names) == len(set(names)):
            raise ParameterError(f"of must name nodes, each once, got {of!r}.", who="BayesianNetwork.query")
        for name in names:
            self.index(name)
        evidence = as_evidence(evidence)
        _check_limit(max_entries, "BayesianNetwork.query")
        if method in ("likelihood weighting", "gibbs"):
            from assay.graphs.sampling import sampled_query

            return sampled_query(self, names, evidence, method, n_samples, random_state)
        if method == "enumeration":
            return self._enumerated(names, evidence)
        return Question(self, evidence, max_entries).query(names)

    def marginals(self, evidence: Evidence | None = None, *, max_entries: int = MOST_ENTRIES) -> Marginals:
        """The distributions of all nodes given evidence, from one propagation."""
        from assay.graphs.asking import Question

        _check_limit(max_entries, "BayesianNetwork.marginals")
        question = Question(self, evidence, max_entries)
        return question.marginals() if self._numeric else question.state_marginals()

    def most_probable(self, evidence: Evidence | None = None) -> tuple[dict[str, Any], float]:
        """The most probable states of all nodes given evidence, and their joint probability given the evidence.

        By max-product in the junction tree; among equals one is chosen, always the same. With numbers it is where their
        joint density given the evidence is highest, and that density.

        >>> from assay.graphs import load_network
        >>> states, p = load_network("sprinkler").most_probable()
        >>> states, round(p, 4)
        ({'cloudy': 'yes', 'sprinkler': 'no', 'rain': 'yes', 'wet': 'yes'}, 0.324)
        """
        evidence = as_evidence(evidence)
        if self._numeric:
            from assay.graphs.mixed_rows import best_completion

            best_row, log = best_completion(self, self._hard_row(evidence, "most_probable"))
            if np.isneginf(log):
                self._refuse_impossible(evidence)
            return self.decode(best_row), float(np.exp(log))
        from assay.graphs.asking import Question

        question = Question(self, evidence)
        best, log = question.most_probable()
        return self.decode(best), float(np.exp(log - question.log_evidence()))

    def posterior(self, target: str, X: TableLike, *, impossible: str = "raise") -> np.ndarray:
        """(n, k) the distribution of one node given each row of a table; missing values are summed out.

        Columns are matched by name; the target's own column is not looked at. A row whose evidence is impossible is an
        error, or with ``impossible="nan"`` a line of NaN.
        """
        i = self.index(target)
        if impossible not in ("raise", "nan"):
            raise ParameterError(
                f"impossible must be 'raise' or 'nan', got {impossible!r}.", who="BayesianNetwork.posterior"
            )
        if self.nodes[i].states is None:
            raise DataError(
                f"posterior: node {target!r} is a number, and posterior is for nodes with states. Of one row: query.",
                who="BayesianNetwork",
            )
        rows = self._rows(X, without=target)
        rows[:, i] = np.nan if self._numeric else -1
        out, logs = self._row_posteriors(i, rows)
        wrong = np.isneginf(logs)
        if wrong.any():
            if impossible != "nan":
                r = int(np.argmax(wrong))
                conflict = self._conflict(self.observed(rows[r]))
                raise DegenerateError(
                    f"row {r + 1} is impossible, so that {target!r} has no posterior there: {conflict}.",
                    who="BayesianNetwork",
                    remedy="Smooth the tables: network.fit(X, alpha=1), or take NaN for such rows: impossible='nan'.",
                    code="impossible-evidence",
                )
            out[wrong] = np.nan
        return out

    def _row_posteriors(self, i: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, k) the distribution of node i given each row of codes, and (n,) -inf for a row that cannot be."""
        if self._numeric:
            from assay.graphs.mixed_rows import row_posteriors

            return row_posteriors(self, i, rows)
        complete = (np.delete(rows, i, axis=1) >= 0).all(axis=1)
        out, logs = np.empty((len(rows), len(self.nodes[i].states))), np.zeros(len(rows))
        if complete.any():
            out[complete], logs[complete] = self._blanket_posterior(i, rows[complete])
        if not complete.all():
            tree = self._tree(i)
            if tree.entries > MOST_ENTRIES:  # the evidence of each row may cut it to pieces
                from assay.graphs.asking import Question

                for t in np.flatnonzero(~complete):
                    out[t], logs[t] = Question(self, self.observed(rows[t])).posterior(i)
            else:
                out[~complete], logs[~complete] = tree.posterior(self._flat({}, tree), rows[~complete])
        return out, logs

    def _blanket_posterior(self, i: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of complete rows: the product of the tables in which node i occurs; the others say whether a row can be."""
        from assay.graphs.families import blanket_scores

        scores = blanket_scores(self, i, rows, self._tables_with_zeros)
        top = scores.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            out = np.exp(scores - top)
            out /= out.sum(axis=1, keepdims=True)
        return out, np.where(np.isneginf(top[:, 0]), -np.inf, 0.0)

    def log_likelihood(self, X: TableLike) -> np.ndarray:
        """(n,) the log probability of each row of a table; missing values are summed out."""
        rows = self._rows(X)
        if self._numeric:
            from assay.graphs.mixed_rows import row_log_likelihoods

            return row_log_likelihoods(self, rows)
        complete = (rows >= 0).all(axis=1)
        out = np.empty(len(rows))
        if complete.any():
            out[complete] = self._log_joint(rows[complete])
        if not complete.all():
            tree = self._tree(0)
            if tree.entries > MOST_ENTRIES:
                from assay.graphs.asking import Question

                some = [Question(self, self.observed(row)).log_evidence() for row in rows[~complete]]
                out[~complete] = some
            else:
                out[~complete] = tree.posterior(self._flat({}, tree), rows[~complete])[1]
        return out

    # ------------------------------------------------------------------ other views

    def sample(
        self, n: int, random_state: RandomState = None, evidence: Evidence | None = None
    ) -> dict[str, Any]:
        """n rows drawn from the network, each node given its parents; a mapping of names to columns.

        With evidence, rows are drawn from the exact distribution given the evidence.

        >>> from assay.graphs import load_network
        >>> rows = load_network("sprinkler").sample(10_000, random_state=0)
        >>> round(float((rows["wet"] == "yes").mean()), 1)
        0.7
        """
        from assay.graphs.sampling import ancestral_sample, conditional_sample

        check_count("BayesianNetwork.sample", "n", n)
        if given := as_evidence(evidence):
            rows = conditional_sample(self, int(n), given, random_state)
        else:
            rows = ancestral_sample(self, int(n), random_state)
        return self.columns_of(rows)

    def do(self, settings: Evidence) -> BayesianNetwork:
        """The network after an intervention: some nodes are set from outside, and no longer depend on their parents.

        >>> from assay.graphs import load_network
        >>> network = load_network("sprinkler")
        >>> network.query("rain", {"sprinkler": "yes"})["yes"] < network.do({"sprinkler": "yes"}).query("rain")["yes"]
        True
        """
        from assay.graphs.conditionals import LinearGaussianConditional, TableConditional

        made = list(self.nodes)
        for name, value in as_evidence(settings).items():
            node = self[name]
            if node.states is None:
                conditional: Any = LinearGaussianConditional(number_of(name, value), (), 0.0)
            else:
                row = np.zeros(len(node.states))
                row[node.code(value, "BayesianNetwork.do")] = 1.0
                conditional = TableConditional(row)
            made[self.index(name)] = node.with_conditional(conditional, ())
        return BayesianNetwork(made)

    def independent(self, a: str | Sequence[str], b: str | Sequence[str], given: Sequence[str] = ()) -> Any:
        """Whether the graph says that a and b are independent given other nodes, and why: path by path."""
        from assay.graphs.separation import d_separation

        return d_separation(self.graph, a, b, given)

    def independences(self, max_given: int = 2) -> list[tuple[str, str, tuple[str, ...]]]:
        """All pairs that the graph says are independent, each with the smallest sets of nodes that make them so.

        Sets of up to ``max_given`` nodes are tried; a pair that needs more is not listed.

        >>> from assay.graphs import load_network
        >>> load_network("sprinkler").independences()
        [('cloudy', 'wet', ('sprinkler', 'rain')), ('sprinkler', 'rain', ('cloudy',))]
        """
        from assay.graphs.separation import implied_independences

        check_count("BayesianNetwork.independences", "max_given", max_given, low=0)
        return implied_independences(self.graph, int(max_given))

    def propagate(self, evidence: Evidence | None = None) -> Any:
        """Pearl's belief propagation with all its messages; for chains, trees and polytrees."""
        from assay.graphs.messages import propagate

        return propagate(self, as_evidence(evidence))

    def explain(self, of: str, evidence: Evidence) -> Any:
        """Why a node is believed to be in its state: the weight of each piece of evidence, the best explanation."""
        from assay.graphs.reasons import explain_belief

        return explain_belief(self, of, evidence)

    def fit(self, X: TableLike, sample_weight: Weights | None = None, **options: Any) -> BayesianNetwork:
        """The same graph with parameters learned from a table; see :func:`fit_parameters` for the options."""
        from assay.graphs.learning.parameters import fit_parameters

        return fit_parameters(self, X, sample_weight, **options)

    def write(self, path: PathLike, format: str | None = None) -> None:
        """Write a network file; see :func:`write_network`."""
        from assay.graphs.formats import write_network

        write_network(self, path, format)

    def junction_tree(self) -> JunctionTree:
        """The junction tree of the whole network."""
        self._states_only("junction_tree")
        return self._tree(None)

    def cost(self) -> str:
        """What exact inference takes, in a sentence, before any memory is taken.

        >>> from assay.graphs import load_network
        >>> load_network("asia").cost()
        'exact inference: 6 cliques, the largest table has 8 entries, 40 entries in all (0.0 MiB)'
        """
        tree = self._tree(None)
        return (
            f"exact inference: {len(tree.members)} cliques, the largest table has {tree.largest:,} entries, "
            f"{tree.entries:,} entries in all ({tree.entries * 8 / 2**20:.1f} MiB)"
        )

    def diagram(self, **options: Any) -> Any:
        """The picture of the network: ``to_svg`` and ``to_dot``."""
        from assay.graphs.diagram import network_diagram

        return network_diagram(self, **options)

    def _repr_svg_(self) -> str:
        return self.diagram().to_svg()

    def __str__(self) -> str:
        parts = [
            f"P({name} | {', '.join(self[name].parents)})" if self[name].parents else f"P({name})"
            for name in self.graph.order
        ]
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"BayesianNetwork of {len(self)} nodes and {len(self.arcs)} arcs ({self.kind})"

    # ------------------------------------------------------------------ codes and tables

    def encode(self, assignment: Evidence) -> np.ndarray:
        """(d,) states as codes, numbers as they are, NaN where nothing is said."""
        row = np.full(len(self.nodes), np.nan)
        for name, value in assignment.items():
            node = self[name]
            row[self.index(name)] = (
                number_of(name, value) if node.states is None else node.code(value, "BayesianNetwork")
            )
        return row

    def _hard_row(self, evidence: Evidence, method: str) -> np.ndarray:
        """(d,) the evidence as codes and numbers, NaN elsewhere; likelihoods are refused."""
        for name, value in evidence.items():
            if self._is_soft(name, value):
                raise DataError(
                    f"{method}: the evidence about {name!r} is a likelihood. With numbers among the nodes, give a "
                    "state, or leave it out.",
                    who="BayesianNetwork",
                )
        return self.encode(evidence)

    def decode(self, row: np.ndarray) -> dict[str, Any]:
        """Codes as states, by name."""
        return {
            node.name: float(value) if node.states is None else node.states[int(value)]
            for node, value in zip(self.nodes, row)
        }

    def observed(self, row: np.ndarray) -> dict[str, Any]:
        """What a row of codes (-1 or NaN: missing) says, as evidence."""
        kept = [
            (node, value)
            for node, value in zip(self.nodes, row)
            if not np.isnan(value) and (node.states is None or value >= 0)
        ]
        return {n.name: float(v) if n.states is None else n.states[int(v)] for n, v in kept}

    def columns_of(self, rows: np.ndarray) -> dict[str, Any]:
        """Rows of codes as a mapping of names to columns of states."""
        columns: dict[str, Any] = {}
        for i, node in enumerate(self.nodes):
            if node.states is None:
                columns[node.name] = rows[:, i].astype(np.float64)
            else:
                labels = np.empty(len(node.states), object)
                labels[:] = node.states
                if all(isinstance(s, str) for s in node.states):
                    labels = labels.astype(str)
                columns[node.name] = labels[rows[:, i].astype(np.int64)]
        return columns

    def _codes(self, evidence: Evidence) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """(d,) codes of the evidence, -1 without, and the likelihoods of uncertain evidence by node."""
        row, soft = np.full(len(self.nodes), -1, np.int64), {}
        for name, value in evidence.items():
            i, node = self.index(name), self[name]
            if node.states is not None and self._is_soft(name, value):
                soft[i] = _likelihoods(node, value)
            elif node.states is not None:
                row[i] = node.code(value, "BayesianNetwork")
        return row, soft

    def _rows(self, X: TableLike, without: str | None = None) -> np.ndarray:
        """A table as codes in the order of the nodes; -1 (a number: NaN) where missing or without a column."""
        if (
            isinstance(X, np.ndarray)
            and X.dtype.kind in "iu"
            and X.shape[1:] == (len(self),)
            and not self._numeric
        ):
            rows = X.astype(np.int64)
            if not ((rows >= -1) & (rows < self._cards)).all():
                raise DataError(
                    "BayesianNetwork: codes must be from -1 (missing) up, below the number of states."
                )
            return rows
        table = X if isinstance(X, Table) else Table.of(X, who="BayesianNetwork")
        names = table.schema.names
        strange = [name for name in names if name not in self._by_name]
        if strange and table.schema.named:
            raise DataError(
                f"column {strange[0]!r} is no node.{did_you_mean(strange[0], self.names)}",
                who="BayesianNetwork",
            )
        if not table.schema.named and len(names) != len(self):
            raise DataError(
                f"X has {len(names)} columns without names, the network {len(self)} nodes.",
                who="BayesianNetwork",
            )
        kept = [n for n in self.names if n != without] if table.schema.named else self.names
        kept = [n for n in kept if not table.schema.named or n in names]
        some = table.select([names.index(n) if table.schema.named else self.index(n) for n in kept])
        values = some.values.toarray() if is_sparse(some.values) else some.values
        rows = np.full((len(some), len(self)), np.nan)
        for j, name in enumerate(kept):
            rows[:, self.index(name)] = self._column_codes(self[name], some.schema, j, values[:, j])
        if self._numeric:
            return rows
        return np.where(np.isnan(rows), -1, rows).astype(np.int64)

    def _column_codes(self, node: Node, schema: Schema, j: int, values: np.ndarray) -> np.ndarray:
        """(n,) a column of a table as the node's codes; each value that occurs is looked up once."""
        if node.states is None and not schema[j].coded:
            return values
        distinct, places = np.unique(values, return_inverse=True)
        labels = [schema.label(j, value) for value in distinct]
        coded = Table.like({node.name: labels}, Schema([node.column]), "BayesianNetwork")
        codes = coded.values[:, 0].copy()
        if coded.unseen:  # states that are numbers may come as texts
            for k in np.flatnonzero(~(codes >= 0) & ~np.isnan(distinct)):
                codes[k] = node.code(labels[k], "BayesianNetwork")
        return codes[places]

    @cached_property
    def _cards(self) -> np.ndarray:
        return np.array([len(node.states) if node.states is not None else 1 for node in self.nodes], np.int64)

    @cached_property
    def _tables_with_zeros(self) -> list[int]:
        """The nodes with states that are impossible in some configuration of their parents."""
        return [i for i, table in enumerate(self._tables) if (table == 0).any()]

    @cached_property
    def _trees(self) -> dict[int | None, JunctionTree]:
        return {}

    @cached_property
    def _compiled_trees(self) -> dict[str, JunctionTree]:
        return {}

    @cached_property
    def _flat_tables(self) -> np.ndarray:
        return np.concatenate([t.ravel() for t in self._tables])

    def _tree(self, root: int | None, max_entries: int = MOST_ENTRIES) -> JunctionTree:
        """The compiled tree of all nodes, whose tables may have that many entries."""
        trees = self._trees
        if root not in trees:
            scopes = [[*(self.index(p) for p in node.parents), i] for i, node in enumerate(self.nodes)]
            trees[root] = JunctionTree(self._cards.tolist(), scopes, root)
        trees[root].max_entries = max_entries
        return trees[root]

    def _flat(self, soft: Mapping[int, np.ndarray], tree: JunctionTree | None = None) -> np.ndarray:
        """All tables in one line, in the order of the nodes; uncertain evidence multiplied in."""
        if soft:
            return np.concatenate(
                [(t * soft[i] if i in soft else t).ravel() for i, t in enumerate(self._tables)]
            )
        return self._flat_tables

    def _states_only(self, method: str) -> None:
        if self._numeric:
            name = next(node.name for node in self.nodes if node.states is None)
            raise DataError(
                f"{method}: node {name!r} is a number, and {method} is for nodes with states.",
                who="BayesianNetwork",
            )

    def _enumerated(self, names: list[str], evidence: dict[str, Any]) -> Distribution:
        """The whole joint table, summed: the reference for all other methods."""
        self._states_only("enumeration")
        cards = self._cards.tolist()
        if prod(cards) > MOST_ENUMERATED:
            raise DataError(
                f"enumeration would take a table of {_written(prod(cards))} entries, at most {MOST_ENUMERATED:,} are "
                "allowed. Use method='exact'.",
                who="BayesianNetwork.query",
                code="too-large",
            )
        joint = np.ones(cards)
        for i, node in enumerate(self.nodes):
            axes = [*(self.index(p) for p in node.parents), i]
            order = np.argsort(axes)
            table = np.transpose(self.table(node.name), order)
            joint *= table.reshape([cards[j] if j in axes else 1 for j in range(len(cards))])
        row, soft = self._codes(evidence)
        for i in range(len(cards)):
            keep = soft.get(i, np.ones(cards[i]))
            if row[i] >= 0:
                keep = np.arange(cards[i]) == row[i]
            joint = joint * np.reshape(keep, [-1 if j == i else 1 for j in range(len(cards))])
        total = joint.sum()
        if not total > 0:
            self._refuse_impossible(evidence)
        wanted = [self.index(n) for n in names]
        table = joint.sum(axis=tuple(i for i in range(len(cards)) if i not in wanted)) / total
        return Distribution([self[n] for n in names], np.transpose(table, np.argsort(np.argsort(wanted))))

    def _refuse_impossible(self, evidence: dict[str, Any]) -> None:
        """Raise an error that names the smallest part of the evidence that cannot be."""
        raise DegenerateError(
            f"the evidence is impossible: {self._conflict(evidence)}.",
            who="BayesianNetwork",
            remedy="Correct the evidence, or smooth the tables: network.fit(X, alpha=1).",
            code="impossible-evidence",
        )

    def _conflict(self, evidence: dict[str, Any]) -> str:
        """The smallest part of the evidence that cannot be, in words."""
        return smallest_conflict(evidence, lambda some: not np.isneginf(self._log_evidence(some)))


def _check_limit(max_entries: Any, who: str) -> None:
    check_count(who, "max_entries", max_entries)


def _written(count: int) -> str:
    """A whole number in full, or as a power of ten if it is very long."""
    return f"{count:,}" if count < 10**18 else f"some 10^{len(str(count)) - 1}"


def _likelihoods(node: Node, value: Any) -> np.ndarray:
    """Uncertain evidence as one number for each state."""
    try:
        if isinstance(value, Mapping):
            numbers = np.zeros(len(node.states))
            for state, likelihood in value.items():
                numbers[node.code(state, "BayesianNetwork")] = float(likelihood)
        else:
            numbers = np.asarray(value, np.float64)
    except DataError:
        raise
    except (TypeError, ValueError):
        numbers = np.full(len(node.states), np.nan)
    if (
        numbers.shape != (len(node.states),)
        or not np.isfinite(numbers).all()
        or (numbers < 0).any()
        or not numbers.any()
    ):
        raise DataError(
            f"BayesianNetwork: uncertain evidence about {node.name!r} must be a likelihood from 0 up for each of its "
            f"{len(node.states)} states, not all 0."
        )
    return numbers
