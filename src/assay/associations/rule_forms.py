"""Association rules as data frames, as plain data, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.associations.interest import MEASURES
from assay.associations.item_sets import ItemSets
from assay.errors import DataError, MissingExtraError, ParameterError
from assay.tables.frames import LIBRARIES

if TYPE_CHECKING:
    from assay.associations.rule_table import AssociationRules

__all__ = ["rules_data", "rules_frame", "rules_html", "rules_of_data"]

FORMAT = "assay association rules 1"


def columns_of(rules: AssociationRules, measures: Sequence[str]) -> dict[str, np.ndarray]:
    """The values of the measures by their names; "p" and "p_adjusted" are Fisher's test."""
    known = {"p": lambda: rules.p_values(None), "p_adjusted": rules.p_values}
    for name in measures:
        if name not in known and name not in MEASURES:
            raise ParameterError(f"measures must be among {', '.join([*MEASURES, *known])}, got {name!r}.")
    return {name: known[name]() if name in known else rules.measure(name) for name in measures}


def rules_frame(rules: AssociationRules, library: str, measures: Sequence[str]) -> Any:
    """One row a rule: antecedent, consequent (lists of names), count, measures.

    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> rules = association_rules(frequent_sets(Baskets.from_lists(["ab", "ab", "a"]), 1), 0.9)
    >>> rules.to_frame(measures=["confidence"])
      antecedent consequent  count  confidence
    0       (b,)       (a,)      2         1.0
    """
    if library not in LIBRARIES:
        raise ParameterError(f"to_frame: library must be one of {', '.join(LIBRARIES)}, got {library!r}.")
    values = columns_of(rules, measures)
    if library == "pandas":
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("A pandas frame needs one more package: pip install pandas.") from None
        sides = {name: _tuples(rules, which) for name, which in _sides(rules).items()}
        return pd.DataFrame({**sides, "count": rules.xy, **values})
    import pyarrow as pa

    sides = {name: _lists(rules.sets, which) for name, which in _sides(rules).items()}
    frame = pa.table({**sides, "count": rules.xy, **values})
    if library == "pyarrow":
        return frame
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("A polars frame needs one more package: pip install polars.") from None
    return pl.DataFrame(frame)


def _sides(rules: AssociationRules) -> dict[str, np.ndarray]:
    return {"antecedent": rules.antecedents, "consequent": rules.consequents}


def _tuples(rules: AssociationRules, which: np.ndarray) -> Any:
    """A column of tuples of names; each set's tuple is made once."""
    used, place = np.unique(which, return_inverse=True)
    chosen = rules.sets[used]
    names = [rules.sets.items[c] for c in chosen.indices.tolist()]
    ends = chosen.indptr.tolist()
    column = np.empty(len(used), dtype=object)
    for i, (a, b) in enumerate(pairwise(ends)):
        column[i] = tuple(names[a:b])
    return column[place]


def _lists(sets: ItemSets, which: np.ndarray) -> Any:
    import pyarrow as pa

    chosen = sets[which]
    names = pa.array([str(name) for name in sets.items], pa.string())
    return pa.LargeListArray.from_arrays(pa.array(chosen.indptr), names.take(pa.array(chosen.indices)))


def rules_data(rules: AssociationRules, measures: Sequence[str]) -> dict[str, Any]:
    """Counts and names of all rules as plain data; measures for the reader's convenience."""
    values = {
        name: [v if np.isfinite(v) else None for v in column.tolist()]
        for name, column in columns_of(rules, measures).items()
    }
    listed = []
    for i in range(len(rules)):
        left, right = rules.sides(i)
        listed.append(
            {
                "antecedent": list(left),
                "consequent": list(right),
                "xy": rules.xy[i].item(),
                "x": rules.x[i].item(),
                "y": rules.y[i].item(),
                **{name: column[i] for name, column in values.items()},
            }
        )
    n = rules.n.item() if isinstance(rules.n, np.generic) else rules.n
    return {"format": FORMAT, "n": n, "tested": rules.tested, "rules": listed}


def rules_of_data(data: dict[str, Any]) -> AssociationRules:
    """The rules that ``rules_data`` wrote.

    >>> from assay.associations import AssociationRules, Baskets, association_rules, frequent_sets
    >>> rules = association_rules(frequent_sets(Baskets.from_lists(["ab", "ab", "a"]), 1), 0.9)
    >>> AssociationRules.from_dict(rules.to_dict())
    1 rule of 3 baskets
      support  confidence   lift  count  rule
        0.667       1.000  1.000      2  b -> a
    """
    from assay.associations.rule_table import AssociationRules

    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise DataError(f"AssociationRules: expected data of the format {FORMAT!r}.")
    try:
        counts = np.array([[r["xy"], r["x"], r["y"]] for r in data["rules"]]).reshape(-1, 3)
        sides = [[tuple(r[side]) for r in data["rules"]] for side in ("antecedent", "consequent")]
        names = sorted({name for side in sides for names_of_set in side for name in names_of_set}, key=str)
        code = {name: c for c, name in enumerate(names)}
        place: dict[tuple[int, ...], int] = {}
        numbers = [
            np.array(
                [place.setdefault(tuple(sorted(code[v] for v in item_set)), len(place)) for item_set in side],
                np.int64,
            )
            for side in sides
        ]
        n, tested = float(data["n"]), int(data["tested"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError("AssociationRules: a rule lacks its sides or its counts.") from None
    indptr = np.concatenate([[0], np.cumsum([len(item_set) for item_set in place])]).astype(np.int64)
    indices = np.array([c for item_set in place for c in item_set], np.int32)
    at = np.zeros(len(place), counts.dtype if len(counts) else np.int64)
    for side, column in zip(numbers, (1, 2)):
        at[side] = counts[:, column]
    whole = int(n) if n.is_integer() and (counts.dtype.kind == "i" or not len(counts)) else n
    sets = ItemSets(tuple(names), indptr, indices, at, whole, 0, "all")
    xy, x, y = (np.ascontiguousarray(column) for column in counts.T)
    return AssociationRules(sets, numbers[0], numbers[1], xy, x, y, whole, tested)


def rules_html(rules: AssociationRules, measures: Sequence[str], most: int | None = None) -> str:
    """A table with one row a rule.

    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> rules = association_rules(frequent_sets(Baskets.from_lists([["<a>", "b"]] * 2), 1), 0.9)
    >>> "&lt;a&gt;" in rules.to_html() and "<a>" not in rules.to_html()
    True
    """
    shown = rules[: len(rules) if most is None else most]
    values = columns_of(shown, measures)
    heads = ["IF the basket has", "THEN also", "baskets", *(name.replace("_", " ") for name in measures)]
    lines = [
        f"<p>{len(rules):,} rules of {rules.n:,.6g} baskets</p>",
        '<table class="assay-rules"><thead><tr>',
    ]
    lines += [f"<th>{escape(head)}</th>" for head in heads]
    lines.append("</tr></thead><tbody>")
    for i in range(len(shown)):
        left, right = (escape(", ".join(map(str, side))) for side in shown.sides(i))
        cells = "".join(f"<td>{column[i]:.4g}</td>" for column in values.values())
        lines.append(f"<tr><td>{left}</td><td>{right}</td><td>{shown.xy[i]:,.6g}</td>{cells}</tr>")
    lines.append("</tbody></table>")
    if len(shown) < len(rules):
        lines.append(f"<p>... and {len(rules) - len(shown):,} more</p>")
    return "\n".join(lines)
