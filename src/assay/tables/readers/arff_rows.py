"""One row of an ARFF data section, parsed with care."""

from __future__ import annotations

from typing import NamedTuple

from assay.tables.readers.arff_header import SPACES, Bad, skip, unquote


class Row(NamedTuple):
    """The values of a row as text, missing as None; a sparse row has those it names only."""

    cells: list[str | None]
    sparse: dict[int, str | None] | None
    weight: float | None


def parse_row(text: str, d: int) -> Row | None:
    """A row of d values; None for a blank line or a comment.

    Values are separated by commas; where that does not make d of them, spaces and tabs separate too.
    """
    start = skip(text, 0)
    if start == len(text) or text[start] == "%":
        return None
    if text[start] == "{":
        return _sparse(text, start + 1, d)
    cells, weight, bare = _dense(text, start, spaces=True)
    if bare and len(cells) != d:
        others = _dense(text, start, spaces=False)
        if len(others[0]) == d:
            cells, weight, _ = others
    if len(cells) != d:
        raise Bad(1, f"{len(cells)} value{'' if len(cells) == 1 else 's'}, expected {d}")
    return Row(cells, None, weight)


def _dense(text: str, at: int, spaces: bool) -> tuple[list[str | None], float | None, bool]:
    """The values, the weight, and whether spaces stood where they might separate values."""
    cells: list[str | None] = []
    weight, blank = None, False
    n = len(text)
    while True:
        at = skip(text, at)
        if at < n and text[at] == "{" and cells:
            weight, at = _weight(text, at)
            at = skip(text, at)
            if at < n and text[at] != "%":
                raise Bad(at + 1, f"expected the end of the row, got {text[at:][:40]!r}")
            return cells, weight, True
        if at < n and text[at] in "'\"":
            value, at = unquote(text, at)
            cells.append(value)
        elif at >= n or text[at] in ",%":
            cells.append(None)  # an empty value
        else:
            start = at
            while at < n and text[at] != "," and (spaces or text[at] not in SPACES):
                if spaces and text[at] in SPACES:
                    following = skip(text, at)
                    blank = True
                    if following >= n or text[following] == "%" or text[following] == "{":
                        break  # a comment or the row's weight
                    at = following
                    continue
                at += 1
            value = text[start:at].rstrip(SPACES)
            cells.append(None if value == "?" else value)
        after = skip(text, at)
        blank = blank or after > at
        if after >= n or text[after] == "%":
            return cells, weight, blank
        if text[after] == ",":
            at = after + 1
            if skip(text, at) >= n:
                cells.append(None)  # a trailing comma leaves an empty value
                return cells, weight, blank
        elif spaces and text[after] != "{":
            if after == at and text[at - 1] in "'\"":
                raise Bad(at + 1, "there is text after the closing quote")
            if not blank:
                raise Bad(at + 1, f"expected a comma, got {text[after:][:40]!r}")
            at = after  # quoted values with spaces between them
        else:
            at = after


def _weight(text: str, at: int) -> tuple[float, int]:
    """The weight in braces at a position, and the position after it."""
    stop = text.find("}", at)
    inside = text[at + 1 : stop] if stop >= 0 else text[at + 1 :]
    try:
        weight = float(inside) if stop >= 0 else float("nan")
    except ValueError:
        weight = float("nan")
    if not 0 <= weight < float("inf"):
        raise Bad(at + 1, f"expected the weight of the row, as {{2.5}}, got {text[at:][:40]!r}")
    return weight, stop + 1


def _sparse(text: str, at: int, d: int) -> Row:
    """``{index value, index value}``, with the row's weight after it perhaps."""
    values: dict[int, str | None] = {}
    n = len(text)
    while True:
        at = skip(text, at)
        if at >= n:
            raise Bad(n + 1, "a sparse row has no closing brace")
        if text[at] == "}":
            at += 1
            break
        if text[at] == ",":
            at += 1
            continue
        start = at
        while at < n and "0" <= text[at] <= "9":
            at += 1
        if at == start or at - start > 9 or at >= n or text[at] not in SPACES:
            raise Bad(start + 1, f"expected a column number and a value, got {text[start:][:40]!r}")
        j = int(text[start:at])
        if j >= d:
            raise Bad(start + 1, f"column number {j}, expected less than {d}")
        if j in values:
            raise Bad(start + 1, f"column number {j} comes twice")
        at = skip(text, at)
        if at < n and text[at] in "'\"":
            values[j], at = unquote(text, at)
            if at < n and not (text[at] in SPACES or text[at] in ",}"):
                raise Bad(at + 1, "there is text after the closing quote")
            continue
        start = at
        while at < n and text[at] not in ",}":
            at += 1
        value = text[start:at].rstrip(SPACES)
        if not value:
            raise Bad(start + 1, f"column number {j} has no value")
        values[j] = None if value == "?" else value
    at = skip(text, at)
    weight = None
    if at < n and text[at] == ",":
        at = skip(text, at + 1)
        if at >= n or text[at] != "{":
            raise Bad(at + 1, "expected the weight of the row, as {2.5}")
    if at < n and text[at] == "{":
        weight, at = _weight(text, at)
        at = skip(text, at)
    if at < n and text[at] != "%":
        raise Bad(at + 1, f"expected the end of the row, got {text[at:][:40]!r}")
    return Row([], values, weight)
