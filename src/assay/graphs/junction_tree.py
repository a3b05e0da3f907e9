"""Junction trees: exact inference in any discrete model, compiled once and asked often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

import assay.graphs._junction_tree as _native
from assay.core.parallel import in_threads
from assay.errors import DataError
from assay.graphs.triangulation import clique_tree, elimination_cliques, neighbours_of

__all__ = ["MOST_ENTRIES", "JunctionTree"]

MOST_ENTRIES = 1 << 27  # of all clique tables together, of eight bytes each: a gigabyte
BLOCK_ROWS = 2048  # rows of evidence that one thread answers at a time


class JunctionTree:
    r"""The cliques of a triangulated graph, joined to a tree along which beliefs are passed.

    A product of factors over some variables is normalised and summed in two sweeps over the cliques. With the
    separator S of two neighbours, the message is

    .. math:: \phi_S^* = \sum_{C \setminus S} \phi_C, \qquad \phi_{C'} \leftarrow \phi_{C'}\, \phi_S^* / \phi_S

    The graph is triangulated by least fill (ties: the smallest table, then the lowest number), where tables are large
    also by fill weighted by the numbers of states, whichever makes them smaller; neighbours are
    joined by largest separators. Observed variables are cut out of all tables before anything is multiplied. The cost
    is that of the clique tables, exponential in the largest clique.

    Parameters
    ----------
    cards : V numbers of states
    scopes : for each factor the variables of its table, the last of which runs quickest
    root : variable that the first clique holds, or None
        Its posterior needs one sweep alone.
    together : further sets of variables of which each shall be in one clique
    max_entries : how large all clique tables may be together

    Attributes
    ----------
    members : list of lists of variables      parent : list of int      shared : list of int
    entries : int, of all clique tables      largest : int, of the largest      width : int, its variables less one

    Examples
    --------
    A chain a - b - c in which neighbours are twice as likely equal as not:

    >>> import numpy as np
    >>> from assay.graphs.junction_tree import JunctionTree
    >>> tree = JunctionTree([2, 2, 2], [(0, 1), (1, 2)])
    >>> equal = np.array([2.0, 1.0, 1.0, 2.0])
    >>> values, logs = tree.marginals([equal, equal], np.array([[0, -1, -1]]))
    >>> values.round(4)
    array([[1.    , 0.    , 0.6667, 0.3333, 0.5556, 0.4444]])
    >>> round(float(np.exp(logs[0])), 6)  # the sum over all entries that agree with the evidence
    9.0

    References
    ----------
    - Lauritzen, S. L. and Spiegelhalter, D. J. (1988). Local computations with probabilities on graphical structures
      and their application to expert systems. Journal of the Royal Statistical Society B 50, 157-224.
      doi:10.1111/j.2517-6161.1988.tb01721.x
    """

    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        root: int | None = None,
        together: Sequence[Sequence[int]] = (),
        max_entries: int = MOST_ENTRIES,
    ):
        self.cards = [int(card) for card in cards]
        self.scopes = [tuple(int(v) for v in scope) for scope in scopes]
        cliques = elimination_cliques(
            self.cards, neighbours_of(len(self.cards), [*self.scopes, *map(tuple, together)])
        ) or [0]
        tree = clique_tree(self.cards, cliques, root)
        self.members, self.parent, self.shared, self.root = tree.members, tree.parent, tree.shared, root
        self.sizes = [prod(self.cards[v] for v in clique) for clique in self.members]
        self.max_entries = max_entries

    @property
    def entries(self) -> int:
        """Entries of all clique tables."""
        return sum(self.sizes)

    @property
    def largest(self) -> int:
        """Entries of the largest clique table."""
        return max(self.sizes)

    @property
    def width(self) -> int:
        """The treewidth of this triangulation: the variables of the largest clique, less one."""
        return max(map(len, self.members)) - 1

    @cached_property
    def start(self) -> np.ndarray:
        """(V + 1,) where the states of each variable begin in a line of marginals."""
        return np.concatenate([[0], np.cumsum(self.cards)]).astype(np.int64)

    def home(self, variables: Sequence[int]) -> int:
        """The clique with the smallest table that holds all these variables."""
        wanted = set(variables)
        return min(
            (c for c, clique in enumerate(self.members) if wanted <= set(clique)),
            key=lambda c: (self.sizes[c], c),
        )

    @cached_property
    def factor_homes(self) -> list[int]:
        """The clique that holds each factor."""
        holders = self._holders
        return [
            min(set.intersection(*(holders[v] for v in scope)), key=lambda c: (self.sizes[c], c))
            if scope
            else 0
            for scope in self.scopes
        ]

    @cached_property
    def _holders(self) -> list[set[int]]:
        holders: list[set[int]] = [set() for _ in self.cards]
        for c, clique in enumerate(self.members):
            for v in clique:
                holders[v].add(c)
        return holders

    @cached_property
    def native(self) -> Any:
        """What the compiled code reads."""
        homes = [min(h, key=lambda c: (self.sizes[c], c)) if h else -1 for h in self._holders]
        if self.root is not None:
            homes[self.root] = 0
        return _native.Tree(
            cards=np.array(self.cards, np.int64),
            clique_begin=_offsets(map(len, self.members)),
            clique_vars=_flat(self.members),
            parent=np.array(self.parent, np.int64),
            shared=np.array(self.shared, np.int64),
            factor_begin=_offsets(map(len, self.scopes)),
            factor_vars=_flat(self.scopes),
            factor_home=np.array(self.factor_homes, np.int64),
            table_begin=_offsets(prod(self.cards[v] for v in scope) for scope in self.scopes),
            home=np.array(homes, np.int64),
        )

    def ask(self, rows: np.ndarray) -> None:
        """Refuse, before memory is taken, evidence that leaves tables larger than the limit."""
        if self.entries <= self.max_entries:
            return
        row = rows[0] if len(rows) else np.full(len(self.cards), -1)
        most = max(
            (prod(self.cards[v] for v in clique if row[v] < 0) for clique in self.members),
            default=1,
        )
        total = sum(prod(self.cards[v] for v in clique if row[v] < 0) for clique in self.members)
        if total > self.max_entries:
            raise DataError(
                f"exact inference would take {total * 8 / 2**30:,.1f} GiB: the largest of {len(self.members)} clique "
                f"tables has {most:,} entries, the limit is {self.max_entries:,} for all.",
                who="JunctionTree",
                remedy="Ask approximately: query(..., method='likelihood weighting') or method='gibbs'; or raise "
                "max_entries.",
                code="too-large",
            )

    def tables(self, factors: Sequence[np.ndarray]) -> np.ndarray:
        """The entries of all factors in one line, as the compiled code reads them."""
        if not factors:
            return np.zeros(0)
        return np.concatenate([np.ravel(factor) for factor in factors]).astype(np.float64, copy=False)

    def marginals(self, factors: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, S) the marginals of all variables given each row of codes (-1: not observed), and (n,) log probabilities.

        ``factors`` is a list of tables in the order of the scopes, or what :meth:`tables` made of them.
        """
        self.ask(rows)
        tables = self._ready(factors)

        def answer(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            out, logs = np.empty((len(part), int(self.start[-1]))), np.empty(len(part))
            _native.marginals(self.native, tables, part, out, logs)
            return out, logs

        return answer(_codes(rows)) if len(rows) <= BLOCK_ROWS else _joined(in_threads(answer, _blocks(rows)))

    def posterior(self, factors: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, k) the marginal of the root variable given each row, and (n,) log probabilities; one sweep a row."""
        self.ask(rows)
        tables, root = self._ready(factors), int(self.root or 0)

        def answer(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            out, logs = np.empty((len(part), self.cards[root])), np.empty(len(part))
            _native.posterior(self.native, tables, part, root, out, logs)
            return out, logs

        return answer(_codes(rows)) if len(rows) <= BLOCK_ROWS else _joined(in_threads(answer, _blocks(rows)))

    def family_counts(
        self, factors: Any, rows: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The expected counts of every factor's entries, in one line, and (n,) the rows' log probabilities."""
        self.ask(rows)
        tables = self._ready(factors)
        counts, logs = np.zeros(len(tables)), np.empty(len(rows))
        _native.family_counts(
            self.native, tables, _codes(rows), np.asarray(weights, np.float64), counts, logs
        )
        return counts, logs

    def most_probable(self, factors: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, V) the codes of the most probable configuration given each row, and (n,) its log probability."""
        self.ask(rows)
        tables = self._ready(factors)
        out, logs = np.empty((len(rows), len(self.cards)), np.int64), np.empty(len(rows))
        _native.most_probable(self.native, tables, _codes(rows), out, logs)
        return out, logs

    def draw(self, factors: Any, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(n, V) codes drawn given each row, what is observed as it is; -1 for a row that is impossible."""
        self.ask(rows)
        out = np.empty((len(rows), len(self.cards)), np.int64)
        uniform = rng.random((len(rows), len(self.members)))
        _native.draw(self.native, self._ready(factors), _codes(rows), uniform, out)
        return out

    def joint(self, factors: Any, row: np.ndarray, variables: Sequence[int]) -> tuple[np.ndarray, float]:
        """The joint distribution of variables that share a clique given a row, in their order, and its log probability.

        An axis of an observed variable has one entry.
        """
        row = _codes(np.atleast_2d(row))
        self.ask(row)
        c = self.home(variables)
        shape = [1 if row[0, v] >= 0 else self.cards[v] for v in self.members[c]]
        out = np.empty(prod(shape))
        log = _native.clique_tables(self.native, self._ready(factors), row, np.array([c], np.int64), out)
        axes = tuple(i for i, v in enumerate(self.members[c]) if v not in set(variables))
        table = out.reshape(shape).sum(axis=axes)
        order = [v for v in self.members[c] if v in set(variables)]
        return np.transpose(table, [order.index(v) for v in variables]), float(log)

    def separators(self, factors: Any, row: np.ndarray) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """The separators of neighbouring cliques with the joint distribution of their variables."""
        return [
            (
                tuple(clique[:shared]),
                self.joint(factors, row, clique[:shared])[0] if shared else np.ones(()),
            )
            for clique, shared in zip(self.members[1:], self.shared[1:])
        ]

    def _ready(self, factors: Any) -> np.ndarray:
        return factors if isinstance(factors, np.ndarray) and factors.ndim == 1 else self.tables(factors)


def _flat(lists: Sequence[Sequence[int]]) -> np.ndarray:
    return np.array([v for part in lists for v in part], np.int64)


def _offsets(lengths: Any) -> np.ndarray:
    return np.cumsum([0, *lengths], dtype=np.int64)


def _codes(rows: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(rows, np.int64)


def _blocks(rows: np.ndarray) -> list[np.ndarray]:
    rows = _codes(rows)
    return [rows[a : a + BLOCK_ROWS] for a in range(0, max(len(rows), 1), BLOCK_ROWS)]


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
