"""Tables of estimates as text and as HTML: a name for each line, a number of rows at its end."""

from __future__ import annotations

from html import escape


def as_text(lines: list[list[str]]) -> str:
    """Aligned columns, the first line being the heading; the last column is a number."""
    width = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
    last = len(width) - 1
    return "\n".join(
        "   ".join(
            c.rjust(w) if j == last else c.ljust(w) for j, (c, w) in enumerate(zip(line, width))
        ).rstrip()
        for line in lines
    )


def as_html(lines: list[list[str]]) -> str:
    """The same as a table."""
    head, *rows = lines
    cells = "".join(
        f"<tr><th>{escape(row[0])}</th>" + "".join(f"<td>{escape(c)}</td>" for c in row[1:]) + "</tr>"
        for row in rows
    )
    heading = "".join(f"<th>{escape(c)}</th>" for c in head)
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{cells}</tbody></table>"
