"""One question to a network: the nodes that matter, their tables, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.graphs.distribution import Distribution, Marginals
from assay.graphs.junction_tree import MOST_ENTRIES, JunctionTree
from assay.graphs.mixed import NumberPart, number_parts
from assay.graphs.node import as_evidence, number_of

__all__ = ["Question"]

SMALL_TREE = 100_000  # entries up to which the tree of all nodes is used, since it is compiled already
KEPT_TREES = 64  # compiled trees that a network keeps


class Question:
    """What a network says given evidence; nodes below all that is asked or observed do not matter.

    Parameters
    ----------
    network : BayesianNetwork
    evidence : mapping of names to states, numbers, or likelihoods of states
    max_entries : int, of all clique tables together
    """

    def __init__(self, network: Any, evidence: Any, max_entries: int = MOST_ENTRIES):
        self.network, self.evidence, self.max_entries = network, as_evidence(evidence), max_entries
        self.row, self.soft = network._codes(self.evidence)
        self.numbers = {}
        for name, value in self.evidence.items():
            i = network.index(name)
            if network.nodes[i].states is None:
                self.numbers[i] = number_of(name, value)

    def everything(self) -> tuple[JunctionTree, np.ndarray, np.ndarray, dict[int, int]]:
        """A tree of all nodes (of states) that nobody observed, or of all where that is small or nothing is observed:
        with its tables, the row of evidence, and where each node is in it."""
        network = self.network
        tree = network._tree(None, self.max_entries)
        if tree.entries <= SMALL_TREE or not (self.row >= 0).any():
            return tree, network._flat(self.soft), self.row, {i: i for i in range(len(network))}
        return self._sliced(range(len(network)), [])

    def log_evidence(self) -> float:
        """The logarithm of the probability (with numbers: of the density) of the evidence."""
        if not self.evidence:
            return 0.0
        tree, tables, row, offset, _ = self._model([])
        return float(tree.marginals(tables, row[None, :])[1][0]) + offset

    def posterior(self, i: int) -> tuple[np.ndarray, float]:
        """The distribution of a node with states, and the log evidence: NaN and -inf if it is impossible."""
        tree, tables, row, offset, local = self._model([i], [[i]])
        table, log = tree.joint(tables, row, [local[i]])
        possible = not np.isneginf(log)
        return table / table.sum() if possible else np.full(len(table), np.nan), float(log) + offset

    def query(self, names: Sequence[str]) -> Any:
        """The joint distribution of nodes with states, or the distribution of one number."""
        network = self.network
        numbers = [n for n in names if network[n].states is None]
        if numbers and len(names) > 1:
            raise DataError(
                f"node {numbers[0]!r} is a number: ask for it alone.", who="BayesianNetwork.query"
            )
        if numbers:
            return self._number(names[0])
        places = [network.index(n) for n in names]
        free = [i for i in places if self.row[i] < 0]
        values = np.zeros([len(network[n].states) for n in names])
        at = tuple(slice(None) if self.row[i] < 0 else int(self.row[i]) for i in places)
        if free:
            tree, tables, row, _, local = self._model(places, [free])
            table, log = tree.joint(tables, row, [local[i] for i in free])
            if np.isneginf(log):
                network._refuse_impossible(self.evidence)
            values[at] = table / table.sum()
        else:
            self._check_possible()
            values[at] = 1.0
        return Distribution([network[n] for n in names], values)

    def marginals(self) -> Marginals:
        """The distributions of all nodes."""
        network = self.network
        everything = list(range(len(network.nodes)))
        tree, tables, row, offset, local = self._model(everything)
        values, logs = tree.marginals(tables, row[None, :])
        if np.isneginf(logs[0]):
            network._refuse_impossible(self.evidence)
        states = [i for i in everything if network.nodes[i].states is not None]
        line = [values[0, tree.start[local[i]] : tree.start[local[i] + 1]] for i in states]
        numbers = {n.name: self._number(n.name) for n in network.nodes if n.states is None}
        joined = np.concatenate(line) if line else np.zeros(0)
        return Marginals(network.nodes, joined, float(logs[0]) + offset, numbers)

    def state_marginals(self) -> Marginals:
        """The same for nodes with states alone.

        Where tables are large by a tree without the observed nodes, which falls apart where they were: that is worth
        its compilation.
        """
        network = self.network
        tree, tables, row, local = self.everything()
        values, logs = tree.marginals(tables, row[None, :])
        if np.isneginf(logs[0]):
            network._refuse_impossible(self.evidence)
        if len(local) == len(network):
            return Marginals(network.nodes, values[0], float(logs[0]))
        parts = []
        for i in range(len(network.nodes)):
            if i in local:
                parts.append(values[0, tree.start[local[i]] : tree.start[local[i] + 1]])
            else:
                parts.append(np.eye(int(network._cards[i]))[self.row[i]])
        return Marginals(network.nodes, np.concatenate(parts), float(logs[0]))

    def most_probable(self) -> tuple[np.ndarray, float]:
        """(d,) the codes of the most probable states of all nodes, none a number, and their log joint probability."""
        tree, tables, row, local = self.everything()
        best, logs = tree.most_probable(tables, row[None, :])
        if np.isneginf(logs[0]):
            self.network._refuse_impossible(self.evidence)
        return self._filled(best, local)[0], float(logs[0])

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """(n, d) codes of all nodes, none a number, drawn together given the evidence."""
        tree, tables, row, local = self.everything()
        drawn = tree.draw(tables, np.tile(row, (n, 1)), rng)
        if (drawn < 0).any():
            self.network._refuse_impossible(self.evidence)
        return self._filled(drawn, local)

    def _filled(self, codes: np.ndarray, local: dict[int, int]) -> np.ndarray:
        """(n, d) the codes of the nodes of a tree, and of those observed."""
        rows = np.tile(self.row, (len(codes), 1))
        rows[:, list(local)] = codes[:, list(local.values())]
        return rows

    def _sliced(
        self, keep: Sequence[int], together: Sequence[Sequence[int]]
    ) -> tuple[JunctionTree, np.ndarray, np.ndarray, dict[int, int]]:
        """A compiled tree of the nodes that nobody observed, tables cut by the evidence, a row that says nothing, and
        where each node is in the tree."""
        network, row = self.network, self.row
        hidden = [i for i in keep if row[i] < 0]
        local = {i: k for k, i in enumerate(hidden)}
        scopes, factors = [], []
        for i in keep:
            node = network.nodes[i]
            scope = [*(network.index(p) for p in node.parents), i]
            table = network.table(node.name)
            table = table * self.soft[i] if i in self.soft else table
            at = tuple(slice(None) if row[v] < 0 else int(row[v]) for v in scope)
            scopes.append([local[v] for v in scope if row[v] < 0])
            factors.append(table[at])
        wanted = [[local[i] for i in group] for group in together]
        tree = self._compiled([int(network._cards[i]) for i in hidden], scopes, wanted)
        return tree, tree.tables(factors), np.full(len(hidden), -1), local

    def _number(self, name: str) -> Any:
        """The mixture of normals of a node that is a number."""
        from assay.graphs.distribution import NumberDistribution

        network, i = self.network, self.network.index(name)
        if i in self.numbers:
            return NumberDistribution(name, np.ones(1), np.array([self.numbers[i]]), np.zeros(1))
        keep = self._kept([i])
        part = next(p for p in number_parts(network, keep, self.row, self.numbers) if i in p.members)
        if not part.scope:
            self._check_possible()
            means, variances = part.moments(i)
            return NumberDistribution(name, np.ones(1), means, variances)
        tree, tables, row, _, local = self._model([i], [part.scope])
        table, log = tree.joint(tables, row, [local[v] for v in part.scope])
        if np.isneginf(log):
            network._refuse_impossible(self.evidence)
        means, variances = part.moments(i)
        weights = table.ravel() / table.sum()
        return NumberDistribution(name, weights[weights > 0], means[weights > 0], variances[weights > 0])

    def _check_possible(self) -> None:
        if self.evidence and np.isneginf(self.log_evidence()):
            self.network._refuse_impossible(self.evidence)

    def _kept(self, places: Sequence[int]) -> list[int]:
        """The nodes that matter: all above what is asked or observed."""
        network = self.network
        names = [network.names[i] for i in places] + list(self.evidence)
        above = network.graph.ancestors(names)
        return [i for i, name in enumerate(network.names) if name in above]

    def _model(
        self, places: Sequence[int], together: Sequence[Sequence[int]] = ()
    ) -> tuple[JunctionTree, np.ndarray, np.ndarray, float, dict[int, int]]:
        """A compiled tree, its tables, the row of evidence, a log factor, and where each node is in the tree."""
        network = self.network
        if not network._numeric:
            whole = network._tree(None, self.max_entries)
            fits = all(any(set(t) <= set(clique) for clique in whole.members) for t in together)
            if fits and whole.entries <= SMALL_TREE:
                return whole, network._flat(self.soft), self.row, 0.0, {i: i for i in range(len(network))}
        keep = self._kept(places)
        if not network._numeric:
            tree, tables, none, local = self._sliced(keep, together)
            return tree, tables, none, 0.0, local
        parts = number_parts(network, keep, self.row, self.numbers)
        states = [i for i in keep if network.nodes[i].states is not None]
        local = {i: k for k, i in enumerate(states)}
        scopes = [[*(local[network.index(p)] for p in network.nodes[i].parents), local[i]] for i in states]
        factors = [
            network._tables[i] * self.soft[i] if i in self.soft else network._tables[i] for i in states
        ]
        offset = 0.0
        for part in parts:
            if part.informed:
                table, log = part.likelihoods()
                offset += log
                scopes.append([local[v] for v in part.scope])
                factors.append(_spread(table, part, self.row, network._cards))
        wanted = [[local[i] for i in group if i in local] for group in together]
        tree = self._compiled([int(network._cards[i]) for i in states], scopes, wanted)
        row = self.row[states] if states else np.zeros(0, np.int64)
        return tree, tree.tables(factors), row, offset, local

    def _compiled(self, cards: list[int], scopes: list[list[int]], together: list[list[int]]) -> JunctionTree:
        key = repr((cards, scopes, together))
        kept = self.network._compiled_trees
        if key not in kept:
            if len(kept) >= KEPT_TREES:
                kept.pop(next(iter(kept)))
            kept[key] = JunctionTree(cards, scopes, together=together)
        kept[key].max_entries = self.max_entries
        return kept[key]


def _spread(table: np.ndarray, part: NumberPart, row: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Likelihoods of the configurations that agree with the evidence, in a table of all configurations."""
    whole = np.zeros([int(cards[v]) for v in part.scope])
    whole[tuple(slice(None) if row[v] < 0 else slice(row[v], row[v] + 1) for v in part.scope)] = table
    return whole
