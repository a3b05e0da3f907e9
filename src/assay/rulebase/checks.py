"""Whether rules exclude each other, and whether they leave nothing out: on the space of all rows, and on data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.rulebase.conditions import canonical_test
from assay.rulebase.space import MOST_PROGRAMMES, Space
from assay.tables.row_names import row_name
from assay.types import TableLike

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["RuleChecks", "Verdict", "exclusive", "exhaustive", "same_rules", "subsumed", "unreached"]


@dataclass(frozen=True)
class Verdict:
    """Whether rules have a property, and the row that shows it if they have not.

    Parameters
    ----------
    holds : bool or None
        None if the check gave up.
    row : dict of column name to value, or None
        A row that shows that the property fails; missing values are None.
    rules : tuple of int
        The numbers of the rules that cover this row, from 0.
    sentence : str
        The verdict in words.
    count : int
        On data: how many rows break the property.
    """

    holds: bool | None
    row: dict[str, Any] | None
    rules: tuple[int, ...]
    sentence: str
    count: int = 0

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        return self.sentence


class RuleChecks:
    """Checks of a rule base as a whole."""

    def exclusive(self: Any, X: TableLike | None = None, *, missing: bool = True) -> Verdict:
        """Whether no row is covered by two rules; then the order of the rules does not matter.

        Parameters
        ----------
        X : table or None
            None checks all possible rows, by arithmetic with intervals (for weighted sums by linear
            programmes); a table checks its rows.
        missing : bool, default True
            Whether rows with missing values count, too.

        Returns
        -------
        Verdict
            True or false as a truth value; ``row`` is a row that two rules cover, ``rules`` are these rules.

        Examples
        --------
        >>> from assay.rulebase.rules import RuleBase
        >>> from assay.tables import Column, Schema
        >>> two = ["Age > 40 => donor", "Age <= 50 => other"]
        >>> base = RuleBase.parse(chr(10).join(two), Schema([Column("Age")]))
        >>> base.exclusive().row, bool(base.exhaustive())
        ({'Age': 45.0}, True)
        >>> print(base.exclusive())
        R1 and R2 both cover the row Age = 45.0
        """
        return exclusive(self, X, missing=missing)

    def exhaustive(self: Any, X: TableLike | None = None, *, missing: bool = False) -> Verdict:
        """Whether every row is covered by some rule; then no default is needed.

        Parameters
        ----------
        X : table or None
            None checks all possible rows; a table checks its rows.
        missing : bool, default False
            Whether rows with missing values must be covered, too.

        Returns
        -------
        Verdict
            ``row`` is a row that no rule covers. ``holds`` is None, and the truth value false, if the search for such a
            row was given up.
        """
        return exhaustive(self, X, missing=missing)

    def unreached(self: Any) -> tuple[int, ...]:
        """The numbers of the rules that never decide in a list: earlier ones cover all that they cover."""
        return unreached(self)

    def subsumed(self: Any) -> tuple[tuple[int, int], ...]:
        """Pairs of rule numbers (r, by): rule ``by`` covers all that rule r covers."""
        return subsumed(self)


def exclusive(base: RuleBase, X: TableLike | None = None, *, missing: bool = True) -> Verdict:
    """Whether no row is covered by two rules; see :meth:`assay.rulebase.rules.RuleBase.exclusive`."""
    if X is not None:
        return _on_data(
            base, X, lambda n: n > 1, "more than one rule covers {} of {} rows", "no row is covered twice"
        )
    space = Space(base, missing)
    overlap, sure = space.overlaps(), True
    for tried, (i, j) in enumerate(zip(*np.nonzero(overlap))):
        if tried >= MOST_PROGRAMMES:
            return Verdict(
                None, None, (), f"not decided: {MOST_PROGRAMMES:,} pairs of rules were looked at in vain"
            )
        box = space.meet(space.box(int(i)), space.box(int(j)))
        row = space.row_in(box)
        if row is not None:
            example = space.shown(row)
            return Verdict(
                False, example, (int(i), int(j)), f"R{i + 1} and R{j + 1} both cover {_row_text(example)}", 1
            )
        sure = sure and space.last_was_sure
    if not sure:
        return Verdict(None, None, (), "not decided: some rules come too close to each other for arithmetic")
    return Verdict(True, None, (), "no two rules cover the same row")


def exhaustive(base: RuleBase, X: TableLike | None = None, *, missing: bool = False) -> Verdict:
    """Whether every row is covered by a rule; see :meth:`assay.rulebase.rules.RuleBase.exhaustive`."""
    if X is not None:
        return _on_data(base, X, lambda n: n == 0, "no rule covers {} of {} rows", "every row is covered")
    space = Space(base, missing)
    row, sure = space.uncovered(space.everything(), list(range(len(base.rules))))
    if row is not None:
        example = space.shown(row)
        return Verdict(False, example, (), f"no rule covers {_row_text(example)}", 1)
    if not sure:
        return Verdict(None, None, (), "not decided: boxes of rows were looked at in vain")
    return Verdict(True, None, (), "every row is covered" + ("" if missing else " whose values are there"))


def unreached(base: RuleBase) -> tuple[int, ...]:
    """The rules of a list that never decide: the rules before them cover all that they cover."""
    space, hidden = Space(base, True), []
    for r in range(len(base.rules)):
        before = [i for i in range(r) if i not in hidden]
        row, sure = space.uncovered(space.box(r), before)
        if row is None and sure:
            hidden.append(r)
    return tuple(hidden)


def subsumed(base: RuleBase) -> tuple[tuple[int, int], ...]:
    """Pairs (r, by): the conditions of rule ``by`` hold wherever those of rule r hold, so that it is more general."""
    space = Space(base, True)
    inside = space.inside()
    return tuple((int(r), int(by)) for r, by in zip(*np.nonzero(inside)))


def same_rules(base: RuleBase) -> tuple[int, ...]:
    """The rules that repeat an earlier one: the same conditions in any order, and the same answer."""
    keys: set[Any] = set()
    repeated = []
    for r, rule in enumerate(base.rules):
        key = frozenset(canonical_test(c, base.schema) for c in rule.conditions), repr(rule.answer)
        if key in keys:
            repeated.append(r)
        keys.add(key)
    return tuple(repeated)


def _row_text(row: dict[str, Any]) -> str:
    values = ", ".join(f"{name} = {'missing' if v is None else v}" for name, v in list(row.items())[:8])
    return f"the row {values}" + (", ..." if len(row) > 8 else "") if row else "any row"


def _on_data(base: RuleBase, X: Any, breaks: Any, bad: str, good: str) -> Verdict:
    covered = base.covers(X)
    wrong = breaks(covered.sum(axis=1))
    n = int(wrong.sum())
    if not n:
        return Verdict(True, None, (), good)
    i = int(np.argmax(wrong))
    values = base.block(X)[i]
    row = {c.name: base.schema.label(j, values[j]) for j, c in enumerate(base.schema)}
    rules = tuple(np.flatnonzero(covered[i]).tolist())
    return Verdict(
        False, row, rules, bad.format(f"{n:,}", f"{len(wrong):,}") + f"; the first is {row_name(i)}", n
    )
