"""Ground facts as tables of numbers, and the joins that clauses are proved with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.stored import IntArray, Mapped, Plain
from assay.errors import DataError
from assay.rules.first_order.clauses import EQUAL, Literal, Variable, parse_literals
from assay.types import Label

__all__ = ["Facts", "Index"]

DENSE = 4_000_000  # keys up to which an index is a table rather than a sorted list


class Facts:
    """What is known to be true: for each predicate, the tuples of constants that it holds for.

    What is not among the facts is false (the closed world). Facts that begin with "not" are kept apart: they are
    examples of what is false.

    Attributes
    ----------
    constants : tuple of all constants, in the order in which they came
    relations : dict from predicate to (m, arity) int64, the facts as numbers of constants, each once
    denied : dict from predicate to (m, arity) int64, what was said not to hold

    Examples
    --------
    >>> from assay.rules import Facts
    >>> facts = Facts.parse("Father(Sharon, Bob). Father(Tom, Bob). Female(Sharon).")
    >>> facts
    3 facts about 3 constants: Father/2 (2), Female/1 (1)
    >>> facts.holds("Father", "Tom", "Bob"), facts.holds("Female", "Tom")
    (True, False)
    >>> facts["Female"]
    [('Sharon',)]
    """

    storable = True
    stored = {
        "constants": Plain((tuple, list)),
        "relations": Mapped(IntArray("*", "*", low=0)),
        "denied": Mapped(IntArray("*", "*", low=0)),
    }

    constants: tuple[Any, ...]
    relations: dict[str, np.ndarray]
    denied: dict[str, np.ndarray]

    def __init__(
        self, relations: Mapping[str, Iterable[Any]], denied: Mapping[str, Iterable[Any]] | None = None
    ):
        codes: dict[Any, int] = {}
        self.relations = {str(p): _rows(str(p), rows, codes) for p, rows in relations.items()}
        self.denied = {str(p): _rows(str(p), rows, codes) for p, rows in (denied or {}).items()}
        self.constants = tuple(codes)
        for predicate, rows in self.denied.items():
            true = self.relations.get(predicate)
            if true is not None and len(true) and len(rows) and true.shape[1] != rows.shape[1]:
                raise DataError(
                    f"Facts: {predicate} has {true.shape[1]} arguments where it holds, {rows.shape[1]} where not."
                )

    @classmethod
    def parse(cls, text: str) -> Facts:
        """Facts from text: ``Father(Sharon, Bob). Female(Sharon).``, one or many a line, ``%`` begins a comment.

        Names with spaces or marks stand between quotes; whole numbers are numbers.
        """
        return cls.of(parse_literals(text))

    @classmethod
    def of(cls, facts: Any) -> Facts:
        """Facts from text, from literals, or from a dict of predicate to tuples."""
        if isinstance(facts, Facts):
            return facts
        if isinstance(facts, str):
            return cls.parse(facts)
        if isinstance(facts, Mapping):
            return cls(facts)
        true: dict[str, list[Any]] = {}
        false: dict[str, list[Any]] = {}
        for literal in facts:
            if not isinstance(literal, Literal) or literal.predicate == EQUAL or literal.variables:
                raise DataError(f"Facts: expected facts without variables, got {literal}.")
            (false if literal.negated else true).setdefault(literal.predicate, []).append(literal.args)
        return cls(true, false)

    def __len__(self) -> int:
        return sum(map(len, self.relations.values()))

    def __getitem__(self, predicate: str) -> list[tuple[Any, ...]]:
        """The tuples that a predicate holds for."""
        if predicate not in self.relations:
            raise DataError(f"Facts: there is no predicate {predicate}. {self!r}")
        return [tuple(self.constants[c] for c in row) for row in self.relations[predicate].tolist()]

    def __repr__(self) -> str:
        parts = [f"{p}/{rows.shape[1]} ({len(rows):,})" for p, rows in self.relations.items()]
        return f"{len(self):,} facts about {len(self.constants):,} constants: {', '.join(parts) or 'none'}"

    def __str__(self) -> str:
        """The facts as text that :meth:`parse` reads back."""
        lines = [str(Literal(p, args)) + "." for p in self.relations for args in self[p]]
        for p, rows in self.denied.items():
            for row in rows.tolist():
                lines.append(str(Literal(p, tuple(self.constants[c] for c in row), True)) + ".")
        return "\n".join(lines)

    def holds(self, predicate: str, *args: Any) -> bool:
        """Whether this is a fact."""
        codes = [self.code(a) for a in args]
        rows = self.relations.get(predicate)
        if rows is None or len(codes) != rows.shape[1]:
            return False
        return bool((rows == codes).all(axis=1).any())

    def code(self, constant: Label) -> int:
        """The number of a constant; -1 if it is in no fact."""
        try:
            return self._codes.get(constant, -1)
        except TypeError:
            return -1

    def codes(self, tuples: Iterable[Sequence[Any]], arity: int) -> np.ndarray:
        """(m, arity) numbers of constants; those in no fact get numbers behind all others."""
        new: dict[Any, int] = {}
        rows = []
        for row in tuples:
            row = (row,) if isinstance(row, str) or not isinstance(row, Iterable) else tuple(row)
            if len(row) != arity:
                raise DataError(f"Facts: expected {arity} constants, got {row}.")
            codes = [self.code(c) for c in row]
            rows.append(
                [
                    c if c >= 0 else len(self.constants) + new.setdefault(a, len(new))
                    for c, a in zip(codes, row)
                ]
            )
        return np.array(rows, np.int64).reshape(len(rows), arity)

    def index(self, predicate: str, on: tuple[int, ...], same: tuple[tuple[int, int], ...] = ()) -> Index:
        """The facts of a predicate by the values of some arguments; kept for the next time."""
        key = predicate, on, same
        if key not in self._indexes:
            self._indexes[key] = Index(self.relations[predicate], on, same, len(self.constants))
        return self._indexes[key]

    def with_relation(self, predicate: str, rows: np.ndarray) -> Facts:
        """The same facts with other tuples, as numbers of constants, for one predicate."""
        other = object.__new__(Facts)
        other.constants, other.denied = self.constants, self.denied
        other.relations = {**self.relations, predicate: rows}
        kept = {key: index for key, index in self._indexes.items() if key[0] != predicate}
        vars(other).update({"_codes": self._codes, "_indexes": kept})
        return other

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {c: i for i, c in enumerate(self.constants)}

    @cached_property
    def _indexes(self) -> dict[Any, Index]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if not name.startswith("_")}

    def _check_stored(self) -> None:
        n = len(self.constants)
        for rows in (*self.relations.values(), *self.denied.values()):
            if (
                not isinstance(rows, np.ndarray)
                or rows.dtype != np.int64
                or rows.ndim != 2
                or (rows.size and not 0 <= rows.min() <= rows.max() < n)
            ):
                raise DataError("Facts: the tuples of a predicate are not numbers of constants.")


class Index:
    """The rows of a relation, sorted by the values of some columns, so that equal ones are found at once.

    Parameters
    ----------
    rows : (m, arity) int64      on : columns of the key
    same : pairs of columns that must be equal; other rows are left out
    n : number of constants
    """

    def __init__(self, rows: np.ndarray, on: tuple[int, ...], same: tuple[tuple[int, int], ...], n: int):
        for a, b in same:
            rows = rows[rows[:, a] == rows[:, b]]
        self.n = max(n, 1)
        if self.n ** len(on) >= 2**62:
            raise DataError(
                f"Facts: {len(on)} arguments of {n:,} constants are more combinations than can be numbered."
            )
        key = self._key([rows[:, j] for j in on], len(rows))
        order = np.argsort(key, kind="stable")
        self.rows = rows[order]
        self.keys, self.start, self.count = np.unique(key[order], return_index=True, return_counts=True)
        self.dense = self.n ** len(on) <= DENSE
        if self.dense:
            self.place = np.full(self.n ** len(on), -1, np.int32)
            self.place[self.keys] = np.arange(len(self.keys))
            self.count_at = np.zeros(self.n ** len(on), np.int64)
            self.count_at[self.keys] = self.count

    def _key(self, columns: list[np.ndarray], m: int) -> np.ndarray:
        key = np.zeros(m, np.int64)
        for column in columns:
            key = key * self.n + column
        return key

    def counts(self, columns: list[np.ndarray]) -> np.ndarray:
        """How many rows of the relation have these values, for each row of the columns."""
        m = len(columns[0]) if columns else 1
        known = self._known(columns)
        if known is not None:
            counts = np.zeros(m, np.int64)
            counts[known] = self.counts([c[known] for c in columns])
            return counts
        key = self._key(columns, m)
        if self.dense:
            return self.count_at[key]
        at = self._find(key)
        return np.where(at >= 0, self.count[at], 0) if len(self.keys) else np.zeros(m, np.int64)

    def matches(self, columns: list[np.ndarray], m: int) -> tuple[np.ndarray, np.ndarray]:
        """All pairs (row of the columns, row of the relation) whose values agree, as two arrays of numbers."""
        known = self._known(columns)
        if known is not None:
            rows = np.flatnonzero(known)
            left, right = self.matches([c[rows] for c in columns], len(rows))
            return rows[left], right
        at = self._find(self._key(columns, m))
        hit = np.flatnonzero(at >= 0)
        at = at[hit]
        count = self.count[at]
        left = np.repeat(hit, count)
        ends = np.cumsum(count)
        right = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.start[at] - (ends - count), count)
        return left, right

    def _find(self, key: np.ndarray) -> np.ndarray:
        """The place of each key among the distinct ones; -1 if it is not there."""
        if self.dense:
            return self.place[key]
        if not len(self.keys):
            return np.full(len(key), -1)
        at = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(self.keys[at] == key, at, -1)

    def _known(self, columns: list[np.ndarray]) -> np.ndarray | None:
        """Which rows hold only constants of the facts; None if all do."""
        known = None
        for column in columns:
            if len(column) and column.max() >= self.n:
                inside = column < self.n
                known = inside if known is None else known & inside
        return known


def _rows(predicate: str, rows: Any, codes: dict[Any, int]) -> np.ndarray:
    """Tuples of constants as numbers, each once, in their order."""
    if predicate == EQUAL:
        raise DataError("Facts: what equals what needs no facts; call the predicate otherwise.")
    if hasattr(rows, "itertuples"):  # a data frame
        rows = rows.itertuples(index=False)
    distinct: dict[tuple[int, ...], None] = {}
    arity = None
    for row in rows:
        row = (row,) if isinstance(row, str) or not isinstance(row, Iterable) else tuple(row)
        row = tuple(v.item() if isinstance(v, np.generic) else v for v in row)
        if arity is None:
            arity = len(row)
        if len(row) != arity or not row:
            raise DataError(
                f"Facts: {predicate} has {arity} arguments in one fact and {len(row)} in another: {row}."
            )
        if any(isinstance(v, Variable) for v in row):
            raise DataError(f"Facts: {predicate}{row} holds a variable; facts speak of constants.")
        wrong = [v for v in row if not isinstance(v, (str, int, float)) or v in (np.inf, -np.inf) or v != v]
        if wrong:
            raise DataError(f"Facts: {predicate}{row} must hold text or numbers, got {wrong[0]!r}.")
        distinct[tuple(codes.setdefault(v, len(codes)) for v in row)] = None
    return np.array(list(distinct), np.int64).reshape(len(distinct), arity or 0)
