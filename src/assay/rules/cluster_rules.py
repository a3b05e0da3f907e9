"""Groups in words: a short list of rules for each, learned from the labels that a clusterer gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.model_view import ModelView
from assay.errors import DataError
from assay.rules.covering.ripper_classifier import RipperClassifier
from assay.tables import Table
from assay.types import Labels, RandomState, TableLike

__all__ = ["ClusterRules", "GroupRules", "describe_clusters"]

INSIDE, OUTSIDE = "in", "out"


@dataclass(frozen=True)
class GroupRules:
    """The rules of one group, how many of its rows they cover, and how many of the rows they cover are in it."""

    label: Any
    size: int
    rules: tuple[str, ...]
    recall: float
    precision: float


@dataclass(frozen=True)
class ClusterRules:
    """The answer of :func:`describe_clusters`: ``groups``, and the share of all rows whose group the rules name."""

    groups: tuple[GroupRules, ...]
    accuracy: float

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            lines.append(
                f"Group {group.label} ({group.size} rows; rules cover {group.recall:.0%} of it, "
                f"{group.precision:.0%} of what they cover is of it):"
            )
            lines += [f"  {rule}" for rule in group.rules] or ["  no rule"]
        return "\n".join(lines)

    def view(self) -> ModelView:
        """The same as a table, to be printed or drawn."""
        rows = [
            [group.label, rule, group.size, group.recall, group.precision]
            for group in self.groups
            for rule in (group.rules or ("no rule",))
        ]
        heads = ["group", "rule", "rows", "share of it that rules cover", "share of what they cover"]
        return ModelView(
            "Groups in rules", [f"{self.accuracy:.0%} of the rows"], [Section("Rules", heads, rows)]
        )


def describe_clusters(
    X: TableLike,
    labels: Labels,
    *,
    max_rules: int = 3,
    max_conditions: int = 3,
    random_state: RandomState = 0,
) -> ClusterRules:
    """Say what each group is by a few rules, such as "age > 40 AND town = Ulm", learned against all other rows.

    Cost: that of one :class:`RipperClassifier` a group.

    Parameters
    ----------
    X : table (n, d), mixed kinds and missing values included; best as it was before scaling
    labels : (n,) groups; a label below 0, or None, is no group, and gets no rules
    max_rules, max_conditions : int, default 3
        Of a group, of a rule.
    random_state : int, RandomState or None, default 0

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.cluster import KMeans
    >>> from assay.rules import describe_clusters
    >>> iris = load_iris(as_frame=True).data
    >>> rules = describe_clusters(iris, KMeans(2, random_state=0).fit(iris).labels_)
    >>> [len(group.rules) <= 3 for group in rules.groups], rules.accuracy > 0.9
    ([True, True], True)

    See Also
    --------
    profile_clusters, RipperClassifier
    """
    table = X if isinstance(X, Table) else Table.of(X, who="describe_clusters")
    plain = [v.item() if isinstance(v, np.generic) else v for v in np.asarray(labels, dtype=object)]
    n = table.values.shape[0]
    if len(plain) != n:
        raise DataError(f"describe_clusters: {len(plain)} labels for {n} rows.")
    known = [not (v is None or (isinstance(v, (int, float)) and v < 0)) for v in plain]
    order = sorted({v for v, kept in zip(plain, known) if kept}, key=lambda v: (str(type(v)), v))
    groups, hits = [], np.zeros(n, dtype=bool)
    for label in order:
        inside = np.array([kept and v == label for v, kept in zip(plain, known)])
        if inside.all():
            groups.append(GroupRules(label, n, ("all rows",), 1.0, 1.0))
            hits |= inside
            continue
        learner = RipperClassifier(
            max_rules=max_rules, max_conditions=max_conditions, random_state=random_state
        ).fit(table, np.where(inside, INSIDE, OUTSIDE))
        said_inside = learner.predict(table) == INSIDE
        texts = tuple(
            line.partition("IF ")[2].partition(" THEN ")[0]
            for line in str(learner).splitlines()
            if f" THEN {INSIDE}" in line and "IF " in line
        )
        if not texts:  # the other rows have the rules: what none of them covers is inside
            against = [
                line.partition("IF ")[2].partition(" THEN ")[0]
                for line in str(learner).splitlines()
                if f" THEN {OUTSIDE}" in line and "IF " in line
            ]
            texts = ("none of: " + "; ".join(against),) if against else ()
        both = int((said_inside & inside).sum())
        hits |= said_inside & inside
        groups.append(
            GroupRules(
                label,
                int(inside.sum()),
                texts,
                both / int(inside.sum()),
                both / max(int(said_inside.sum()), 1),
            )
        )
    return ClusterRules(tuple(groups), float(hits.sum() / max(int(np.sum(known)), 1)))
