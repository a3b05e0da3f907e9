"""Dynamic networks: the same two slices over and over again in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError, DegenerateError, did_you_mean
from assay.graphs.junction_tree import JunctionTree
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["DynamicNetwork"]

BEFORE = "@before"
MOST_TRANSITIONS = 1 << 20  # pairs of joint states of two slices that the most probable course compares
MOST_PIECES = 200  # of evidence, among which the smallest impossible part is looked for


class DynamicNetwork:
    """A network that goes on in time: a first slice, and how each slice depends on the one before.

    Two junction trees, of the first slice and of any later one, are compiled once; what is known of the nodes that the
    next slice looks back at is carried from slice to slice, forward, and for `smooth` also back.
    Cost: O(T) for T slices, each of which costs what its clique tables have entries.

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
      Intelligence 5, 142-150. doi:10.1111/j.1467-8640.1989.tb00324.x
    """

    def __init__(self, first: Sequence[Node], next: Sequence[Node]):
        self.first, self.next = list(first), list(next)
        names = [node.name for node in self.first]
        if sorted(names) != sorted(node.name for node in self.next):
            raise DataError("DynamicNetwork: both slices must have the same nodes.")
        for node in self.first:
            other = next_node(self.next, node.name)
            if node.states is None or other.states is None:
                raise DataError(
                    f"DynamicNetwork: node {node.name!r} is a number, and its nodes need states. Cut it into "
                    "intervals; numbers that move linearly with normal noise: assay.sequences.LinearDynamicalSystem."
                )
            if other.states != node.states:
                raise DataError(f"DynamicNetwork: node {node.name!r} has other states in the next slice.")
        self.names = names
        self.unroll(2)  # refuses what does not fit
        self.carried = list(
            dict.fromkeys(p.removesuffix(BEFORE) for n in self.next for p in n.parents if p.endswith(BEFORE))
        )
        self._slices = (
            _Slice(self.first, names, self.carried, later=False),
            _Slice(self.next, names, self.carried, later=True),
        )

    def unroll(self, steps: int) -> BayesianNetwork:
        """The network of that many slices; node x at time t is called x[t]."""
        _check_steps("steps", steps)
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
        known, place = self._known(evidence), self._place(of)
        alphas, _ = self._forward(known)
        beta, beliefs = None, list[np.ndarray]()
        for t in range(len(known) - 1, -1, -1):
            some, alpha = self._slices[t > 0], alphas[t - 1] if t else None
            beliefs.append(some.marginal(place, known[t], alpha, beta)[0])
            beta = some.back(known[t], beta) if t else None
        return np.array(beliefs[::-1])

    def filter(self, evidence: Sequence[Mapping[str, Any]], of: str) -> np.ndarray:
        """(T, r) the distribution of a node at each time given the evidence up to then."""
        known, place = self._known(evidence), self._place(of)
        alphas, _ = self._forward(known)
        return np.array(
            [
                self._slices[t > 0].marginal(place, part, alphas[t - 1] if t else None)[0]
                for t, part in enumerate(known)
            ]
        )

    def predict(self, evidence: Sequence[Mapping[str, Any]], of: str, steps: int = 1) -> np.ndarray:
        """(r,) the distribution of a node some steps after the last evidence."""
        _check_steps("steps", steps)
        known, place = self._known([*evidence, *({} for _ in range(steps))]), self._place(of)
        alphas, _ = self._forward(known[:-1]) if len(known) > 1 else ([None], 0.0)
        return self._slices[len(known) > 1].marginal(place, known[-1], alphas[-1])[0]

    def log_likelihood(self, evidence: Sequence[Mapping[str, Any]]) -> float:
        """The log probability of the evidence of all times."""
        return self._forward(self._known(evidence))[1]

    def most_probable(self, evidence: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The most probable states of all nodes at all times, together (Viterbi's recursion over slices)."""
        known = self._known(evidence)
        cards = [len(self._node(name).states) for name in self.carried]
        K = prod(cards)
        if K**2 > MOST_TRANSITIONS:
            return self._unrolled_most_probable(evidence)
        configs = np.array(list(product(*map(range, cards))), np.int64).reshape(K, len(cards))
        kept: dict[tuple[bool, bytes | None], tuple[np.ndarray, np.ndarray]] = {}
        score, back = np.zeros(K), list[np.ndarray]()
        for t, part in enumerate(known):
            if part.key is None or (t > 0, part.key) not in kept:
                kept[t > 0, part.key] = self._slices[t > 0].best(part, configs)
            logs = kept[t > 0, part.key][0]
            if t == 0:
                score = logs[0]
            else:
                total = score[:, None] + logs
                back.append(total.argmax(axis=0))
                score = total.max(axis=0)
            if np.isneginf(score).all():
                self._refuse(known[: t + 1])
        state, course = int(score.argmax()), list[dict[str, Any]]()
        for t in range(len(known) - 1, -1, -1):
            before = int(back[t - 1][state]) if t else 0
            some = self._slices[t > 0]
            row = (
                kept[t > 0, known[t].key][1] if known[t].key is not None else some.best(known[t], configs)[1]
            )
            codes = row[before, state][some.offset :]
            course.append({n: self._node(n).states[int(c)] for n, c in zip(self.names, codes)})
            state = before
        return course[::-1]

    def _unrolled_most_probable(self, evidence: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        known = {f"{n}[{t}]": value for t, part in enumerate(evidence) for n, value in part.items()}
        best, _ = self.unroll(len(evidence)).most_probable(known)
        return [{name: best[f"{name}[{t}]"] for name in self.names} for t in range(len(evidence))]

    def _node(self, name: str) -> Node:
        return self.first[self._place(name)]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise DataError(f"DynamicNetwork: there is no node {name!r}.{did_you_mean(name, self.names)}")
        return self.names.index(name)

    def _known(self, evidence: Sequence[Mapping[str, Any]]) -> list[_Known]:
        if isinstance(evidence, Mapping) or not len(evidence):
            raise DataError(
                "DynamicNetwork: give a list of the evidence of each time, at least of one, {} for none."
            )
        for part in evidence:
            for name in part:
                self._place(name)
        return [self._slices[t > 0].known(dict(part)) for t, part in enumerate(evidence)]

    def _forward(self, known: Sequence[_Known]) -> tuple[list[np.ndarray], float]:
        """The belief in the carried nodes at each time given the evidence so far, and the log probability of all."""
        alphas, log = self._pass(known)
        if log == -np.inf:
            self._refuse(known[: len(alphas) + 1])
        return alphas, log

    def _pass(self, known: Sequence[_Known]) -> tuple[list[np.ndarray], float]:
        """As far as the evidence is possible."""
        alphas: list[np.ndarray] = []
        total = 0.0
        for t, part in enumerate(known):
            alpha, log = self._slices[t > 0].forward(part, alphas[-1] if t else None)
            if not np.isfinite(log):
                return alphas, -np.inf
            alphas.append(alpha)
            total += log
        return alphas, total

    def _refuse(self, known: Sequence[_Known]) -> None:
        """Raise an error that names the smallest part of the evidence, up to some time, that cannot be."""

        def possible(kept: Mapping[tuple[int, str], Any]) -> bool:
            parts: list[dict[str, Any]] = [{} for _ in known]
            for (t, name), value in kept.items():
                parts[t][name] = value
            return self._pass([self._slices[t > 0].known(part) for t, part in enumerate(parts)])[1] > -np.inf

        pieces = {(t, name): value for t, part in enumerate(known) for name, value in part.evidence.items()}
        low, high = 0, len(known) - 1  # the latest time from which on the evidence is impossible by itself
        while low < high:
            middle = (low + high + 1) // 2
            if possible({piece: value for piece, value in pieces.items() if piece[0] >= middle}):
                high = middle - 1
            else:
                low = middle
        pieces = {piece: value for piece, value in pieces.items() if piece[0] >= low}
        for piece in list(pieces) if len(pieces) <= MOST_PIECES else ():
            fewer = {other: value for other, value in pieces.items() if other != piece}
            if fewer and not possible(fewer):
                pieces = fewer
        words = [f"{name}[{t}]={value}" for (t, name), value in pieces.items()]
        joined = (
            f"{', '.join(words[:-1])} and {words[-1]} together have" if len(words) > 1 else f"{words[0]} has"
        )
        raise DegenerateError(
            f"the evidence is impossible: {joined} probability 0.",
            who="DynamicNetwork",
            remedy="Correct the evidence, or give tables without zeros.",
            code="impossible-evidence",
        )


class _Known:
    """The evidence of one time: codes of the observed nodes, likelihoods of those of which something is known."""

    def __init__(self, evidence: dict[str, Any], row: np.ndarray, tables: np.ndarray, key: bytes | None):
        self.evidence, self.row, self.tables, self.key = evidence, row, tables, key


class _Slice:
    """One slice, below the nodes of the slice before that it looks back at, and its compiled junction tree.

    Variables are the nodes carried from before (of a later slice), then the slice's own, in the order of ``names``.
    """

    def __init__(self, nodes: Sequence[Node], names: Sequence[str], carried: Sequence[str], later: bool):
        current = [next_node(nodes, name) for name in names]
        above = [next_node(nodes, name) for name in carried] if later else []
        before = [Node(n.name + BEFORE, n.states, np.full(len(n.states), 1.0 / len(n.states))) for n in above]
        self.network = BayesianNetwork([*before, *current])
        self.offset = len(before)
        self.before = list(range(self.offset))
        self.now = [self.network.index(name) for name in carried]
        cards = [len(node.states) for node in self.network.nodes]
        scopes = [
            [*(self.network.index(p) for p in node.parents), self.network.index(node.name)]
            for node in current
        ]
        self.shape = [cards[v] for v in self.now]
        ends = [scope for scope in (self.before, self.now) if scope]
        self.tree = JunctionTree(cards, [*scopes, *ends])
        self.n_ends = len(ends)
        self.plain = np.concatenate([table.ravel() for table in self.network._tables[self.offset :]])

    def known(self, evidence: dict[str, Any]) -> _Known:
        row, soft = self.network._codes(evidence)
        if not soft:
            return _Known(evidence, row[None, :], self.plain, row.tobytes())
        tables = [
            table * soft[i] if i in soft else table
            for i, table in enumerate(self.network._tables)
            if i >= self.offset
        ]
        return _Known(evidence, row[None, :], np.concatenate([table.ravel() for table in tables]), None)

    def _tables(self, known: _Known, alpha: np.ndarray | None, beta: np.ndarray | None) -> np.ndarray:
        """All factors in one line, that of the slice before and that of the slices to come last."""
        parts = [known.tables]
        if self.before:
            parts.append(np.ones(int(np.prod(self.shape))) if alpha is None else alpha.ravel())
        if self.now:
            parts.append(np.ones(int(np.prod(self.shape))) if beta is None else beta.ravel())
        return np.concatenate(parts)

    def marginal(
        self, place: int, known: _Known, alpha: np.ndarray | None = None, beta: np.ndarray | None = None
    ) -> tuple[np.ndarray, float]:
        """The distribution of a node of this slice, and the log probability."""
        values, logs = self.tree.marginals(self._tables(known, alpha, beta), known.row)
        v = self.offset + place
        return values[0, self.tree.start[v] : self.tree.start[v + 1]], float(logs[0])

    def forward(self, known: _Known, alpha: np.ndarray | None) -> tuple[np.ndarray, float]:
        """The belief in the carried nodes now given that before, and the log probability of the evidence now."""
        return self._joint(self.now, known, alpha, None)

    def back(self, known: _Known, beta: np.ndarray | None) -> np.ndarray:
        """How likely the evidence from now on is for each state of the nodes before, up to a factor."""
        return self._joint(self.before, known, None, beta)[0]

    def _joint(
        self, variables: list[int], known: _Known, alpha: np.ndarray | None, beta: np.ndarray | None
    ) -> tuple[np.ndarray, float]:
        tables = self._tables(known, alpha, beta)
        if not variables:
            return np.ones(1), float(self.tree.marginals(tables, known.row)[1][0])
        table, log = self.tree.joint(tables, known.row, variables)
        if not np.isfinite(log):
            return np.zeros(self.shape), log
        whole = np.zeros(self.shape)
        row = known.row[0]
        at = tuple(slice(None) if row[v] < 0 else slice(row[v], row[v] + 1) for v in variables)
        whole[at] = table / table.sum()
        return whole, log

    def best(self, known: _Known, configs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best log score for each states before and now of the carried nodes, and the codes that have it."""
        K, B = len(configs), len(configs) if self.before else 1
        rows = np.repeat(known.row, B * K, axis=0).reshape(B, K, -1)
        fits = np.ones((B, K), bool)
        for j, v in enumerate(self.now):
            fits &= (known.row[0, v] < 0) | (configs[None, :, j] == known.row[0, v])
            rows[:, :, v] = configs[None, :, j]
        for j, v in enumerate(self.before):
            rows[:, :, v] = configs[:, None, j]
        codes, logs = self.tree.most_probable(self._tables(known, None, None), rows.reshape(B * K, -1))
        return np.where(fits, logs.reshape(B, K), -np.inf), codes.reshape(B, K, -1)


def next_node(nodes: Sequence[Node], name: str) -> Node:
    """The node of that name."""
    return next(node for node in nodes if node.name == name)


def _check_steps(name: str, value: Any) -> None:
    check_count("DynamicNetwork", name, value)
