"""A table to look at: names, kinds and the first rows, as text and as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.tables.table import Table

__all__ = ["as_html", "as_text"]

ROWS_SHOWN = 5
COLUMNS_SHOWN = 10  # of more the first ones
CELL_WIDTH = 24  # characters


def as_text(table: Table) -> str:
    """Names, kinds and the first rows as aligned text."""
    names, kinds, rows = _parts(table)
    columns = list(zip(names, kinds, *rows))
    width = [max(map(len, column)) for column in columns]
    right = [kind == "numeric" for kind in kinds]
    lines = [_heading(table)]
    for k, row in enumerate([names, kinds, *rows]):
        cells = [c.rjust(w) if r and k > 1 else c.ljust(w) for c, w, r in zip(row, width, right)]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines + _not_shown(table))


def as_html(table: Table) -> str:
    """The same as a small HTML table."""
    names, kinds, rows = _parts(table)
    head = "".join(f"<th>{escape(n)}<br><small>{k}</small></th>" for n, k in zip(names, kinds))
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    more = "".join(f"<p>{line.strip()}</p>" for line in _not_shown(table))
    return f"<p>{_heading(table)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _heading(table: Table) -> str:
    n, d = table.shape
    return f"Table: {n} row{'' if n == 1 else 's'}, {d} column{'' if d == 1 else 's'}"


def _not_shown(table: Table) -> list[str]:
    n, d = table.shape
    parts = [f"{n - ROWS_SHOWN} more row{'' if n - ROWS_SHOWN == 1 else 's'}"] if n > ROWS_SHOWN else []
    parts += (
        [f"{d - COLUMNS_SHOWN} more column{'' if d - COLUMNS_SHOWN == 1 else 's'}"]
        if d > COLUMNS_SHOWN
        else []
    )
    return [f"  ... {' and '.join(parts)}"] if parts else []


def _parts(table: Table) -> tuple[list[str], list[str], list[list[str]]]:
    shown = list(table.schema)[:COLUMNS_SHOWN]
    block = table.values[:ROWS_SHOWN]
    block = block if hasattr(block, "tolist") else block.toarray()
    kinds = ["date" if c.date else c.kind for c in shown]
    rows = [[_cell(table.schema.label(j, row[j])) for j in range(len(shown))] for row in block]
    return [_cell(c.name) for c in shown], kinds, rows


def _cell(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value)[: CELL_WIDTH + 1]
    )
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 3] + "..."
