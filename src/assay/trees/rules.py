"""The rules of a tree: one for each leaf, the tests on the way to it and its answer."""

from __future__ import annotations

from typing import Any

from assay.rulebase.conditions import Condition, RowTest
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Schema
from assay.trees.outline import Outline, outline_of
from assay.trees.tree import Tree
from assay.types import Labels

__all__ = ["Rule", "RuleBase", "outline_rules", "rules_of"]


def rules_of(
    tree: Tree,
    schema: Schema,
    classes: Labels | None = None,
    *,
    merge: bool = True,
    answers: Any = None,
    target: str = "",
) -> RuleBase:
    """One rule per leaf of a tree, from its first branch to its last.

    The rules exclude each other, and together they cover every row whose values are there; their supports add up
    to 1. A missing value meets the conditions of the branch that it would take in the tree. Where a tree spreads
    missing values over several branches, or asks surrogates, no rule covers them.

    Parameters
    ----------
    tree : Tree
    schema : Schema
    classes : (K,) labels, or None if the tree's values are numbers
    merge : bool, default True
        Join the conditions on one column into one: ``20 < age <= 38.5``.
    answers : (m,) or None
        What each node answers; by default the class of the largest share, or the number.
    target : str
        What the answers are called.

    Examples
    --------
    >>> from assay.tables import Column, Schema
    >>> from assay.trees.rules import rules_of
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 38.5, "children": [
    ...     {"feature": 1, "children": [{"value": 0.4, "n": 3}, {"value": 0.3, "n": 2}]},
    ...     {"value": 0.8, "n": 5}]}, n_categories=[0, 2])
    >>> schema = Schema([Column("age"), Column("job", "nominal", ("A", "B"))])
    >>> print(rules_of(tree, schema))
    R1: IF age <= 38.5 AND job = 'A' THEN y = 0.4
    R2: IF age <= 38.5 AND job = 'B' THEN y = 0.3
    R3: IF age > 38.5 THEN y = 0.8
    """
    return outline_rules(outline_of(tree, schema, classes, answers=answers, target=target), merge=merge)


def outline_rules(outline: Outline, *, merge: bool = True) -> RuleBase:
    """One rule per leaf of an outline, as :func:`rules_of` makes them, whatever its tests are."""
    premises: list[tuple[RowTest, ...]] = [()] * len(outline.nodes)
    rules = []
    for i, node in enumerate(outline.nodes):  # parents stand before their children
        here, premises[i] = premises[i], ()
        for branch in node.branches:
            if branch.condition is None:
                raise ValueError(
                    f"rules_of: the test {branch.words!r} has no form that a rule can hold: rules are made of single "
                    "columns and of linear tests. to_text() and to_svg() show the tree."
                )
            premises[branch.child] = joined(here, branch.condition, merge)
        if node.is_leaf:
            correct = node.counts[outline.classes.index(node.answer)] if outline.classes is not None else None
            rules.append(Rule(here, node.answer, node.n, outline.nodes[0].n, node.counts, correct))
    return RuleBase(tuple(rules), outline.schema, outline.classes, None, outline.target)


def joined(premise: tuple[RowTest, ...], more: RowTest, merge: bool = True) -> tuple[RowTest, ...]:
    """The premise with one more condition, merged with an earlier one on its column."""
    if merge and isinstance(more, Condition):
        for at, old in enumerate(premise):
            if isinstance(old, Condition) and old.column == more.column:
                return (*premise[:at], old & more, *premise[at + 1 :])
    return (*premise, more)
