"""What groups are: sizes, prototypes, ranges, what sets each apart, and the rows that are in none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.model_view import ModelView
from assay.errors import DataError
from assay.tables import Table
from assay.types import Labels, TableLike

__all__ = ["ClusterProfile", "GroupProfile", "profile_clusters"]

MOST_TRAITS = 3  # columns that are named as what sets a group apart
CLEAR_GAP = 0.5  # deviations, or difference of shares, from which a column sets a group apart


@dataclass(frozen=True)
class GroupProfile:
    """One group: its label, rows, share, prototype (a row number), columns, and what sets it apart."""

    label: Any
    size: int
    share: float
    prototype: int
    columns: tuple[dict[str, Any], ...]
    traits: tuple[str, ...]


@dataclass(frozen=True)
class ClusterProfile:
    """The answer of :func:`profile_clusters`: ``groups``, and ``outside``, the rows in no group or in a small one."""

    groups: tuple[GroupProfile, ...]
    outside: np.ndarray
    n_rows: int

    def __str__(self) -> str:
        lines = [
            f"Group {g.label}: {_rows(g.size)} ({g.share:.0%}), like row {g.prototype + 1}"
            + (f"; {', '.join(g.traits)}." if g.traits else ".")
            for g in self.groups
        ]
        if len(self.outside):
            lines.append(
                f"{_rows(len(self.outside))} ({len(self.outside) / self.n_rows:.0%}) in no large group."
            )
        return "\n".join(lines)

    def view(self) -> ModelView:
        """The same as tables, to be printed or drawn."""
        sizes = [[g.label, g.size, g.share, g.prototype + 1, ", ".join(g.traits)] for g in self.groups]
        columns = [
            [g.label, c["column"], c["typical"], c["low"], c["high"], c["overall"], c["gap"]]
            for g in self.groups
            for c in g.columns
        ]
        facts = [f"{self.n_rows} rows in {len(self.groups)} groups"]
        if len(self.outside):
            facts.append(f"{len(self.outside)} rows in no large group")
        return ModelView(
            "Groups",
            facts,
            [
                Section("Groups", ["group", "rows", "share", "most typical row", "set apart by"], sizes),
                Section(
                    "Columns by group",
                    ["group", "column", "typical", "from", "to", "of all rows", "gap"],
                    columns,
                ),
            ],
        )

    def records(self) -> list[dict[str, Any]]:
        """One record for each group and column."""
        return [{"group": g.label, "rows": g.size, **c} for g in self.groups for c in g.columns]


def profile_clusters(
    X: TableLike, labels: Labels, *, min_share: float = 0.0, coverage: float = 0.9
) -> ClusterProfile:
    """Describe groups of rows by the columns of their table, mixed kinds and missing values included.

    Of a numeric column the mean, and the range that holds the middle ``coverage`` of a group's rows; of a nominal one
    the most frequent category and its share. A column sets a group apart where the mean differs from that of all rows
    by half a deviation, or the share of a category by half. The prototype is the row nearest to the group's means and
    modes.

    Cost: O(n d).

    Parameters
    ----------
    X : table (n, d)
    labels : (n,) groups; a label below 0, None or NaN is no group
    min_share : float, default 0
        Groups with less than this share of the rows count as none.
    coverage : float, default 0.9

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.cluster import profile_clusters
    >>> table = pd.DataFrame({"age": [20, 22, 61, 60], "town": ["Ulm", "Ulm", "Bonn", "Bonn"]})
    >>> print(profile_clusters(table, [0, 0, 1, 1]))
    Group 0: 2 rows (50%), like row 1; low age (21, all 40.75), town = Ulm (100%, all 50%).
    Group 1: 2 rows (50%), like row 3; high age (60.5, all 40.75), town = Bonn (100%, all 50%).

    See Also
    --------
    choose_clusters, describe_clusters
    """
    table = X if isinstance(X, Table) else Table.of(X, who="profile_clusters")
    values = np.asarray(
        table.values.toarray() if hasattr(table.values, "tocsr") else table.values, dtype=np.float64
    )
    names = np.asarray(labels, dtype=object).tolist()
    if len(names) != len(values):
        raise DataError(f"profile_clusters: {len(names)} labels for {len(values)} rows.")
    plain = [v.item() if isinstance(v, np.generic) else v for v in names]
    none = np.array([v is None or (isinstance(v, (int, float)) and not v >= 0) for v in plain])
    order = sorted({v for v, out in zip(plain, none) if not out}, key=lambda v: (str(type(v)), v))
    groups, outside = [], none.copy()
    for label in order:
        rows = np.flatnonzero([v == label and not out for v, out in zip(plain, none)])
        if len(rows) < min_share * len(values):
            outside[rows] = True
            continue
        groups.append(_group(table, values, rows, label, coverage))
    return ClusterProfile(tuple(groups), np.flatnonzero(outside), len(values))


def _group(table: Table, values: np.ndarray, rows: np.ndarray, label: Any, coverage: float) -> GroupProfile:
    columns, gaps, tail = [], [], (1 - coverage) / 2
    distance = np.zeros(len(rows))
    for j, column in enumerate(table.schema):
        part, known = values[rows, j], ~np.isnan(values[rows, j])
        everyone = values[~np.isnan(values[:, j]), j]
        missing = float(1 - known.mean())
        record: dict[str, Any] = {"column": column.name, "missing": missing}
        if not known.any() or not len(everyone):
            columns.append({**record, "typical": "missing", "low": "", "high": "", "overall": "", "gap": 0.0})
            continue
        if column.coded:
            counts = np.bincount(part[known].astype(np.int64), minlength=len(column.categories))
            mode = int(np.argmax(counts))
            share = float(counts[mode] / known.sum())
            overall = float(np.mean(everyone == mode))
            name = column.categories[mode]
            columns.append(
                {**record, "typical": f"{name} ({share:.0%})", "low": "", "high": "", "overall": f"{overall:.0%}",
                 "gap": share - overall}
            )  # fmt: skip
            gaps.append((abs(share - overall), f"{column.name} = {name} ({share:.0%}, all {overall:.0%})"))
            distance += np.where(known, part != mode, 0.0)
            continue
        mean, spread = float(everyone.mean()), float(everyone.std())
        here = float(part[known].mean())
        low, high = np.quantile(part[known], [tail, 1 - tail])
        gap = (here - mean) / spread if spread > 0 else 0.0
        shown: dict[str, Any] = {"typical": here, "low": float(low), "high": float(high), "overall": mean}
        side, words = "high" if gap > 0 else "low", (_short(here), _short(mean))
        if column.date:
            shown = {what: table.schema.average(j, value) for what, value in shown.items()}
            side, words = "late" if gap > 0 else "early", (str(shown["typical"]), str(shown["overall"]))
        columns.append({**record, **shown, "gap": gap})
        gaps.append((abs(gap), f"{side} {column.name} ({words[0]}, all {words[1]})"))
        if spread > 0:
            distance += np.where(known, ((part - here) / spread) ** 2, 0.0)
    clear = [text for size, text in sorted(gaps, key=lambda g: -g[0]) if size >= CLEAR_GAP][:MOST_TRAITS]
    prototype = int(rows[int(np.argmin(distance))])
    return GroupProfile(label, len(rows), len(rows) / len(values), prototype, tuple(columns), tuple(clear))


def _rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


def _short(value: float) -> str:
    """Four digits, or all before the point where there are more.

    >>> from assay.cluster.profile import _short
    >>> _short(2.74838), _short(89608.4)
    ('2.748', '89608')
    """
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
