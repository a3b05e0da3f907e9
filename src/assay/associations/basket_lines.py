"""Basket lines: text files with one basket on each line, its items separated, as many as it has."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

from assay.associations.basket_forms import of_lists
from assay.associations.baskets import Baskets
from assay.errors import DataError
from assay.tables.readers.source import SAMPLE, Source

__all__ = ["ragged", "read_basket_lines"]

DELIMITERS = ",;\t|"
LINES = 200  # lines of the sample by which a file is called ragged
UNEVEN = 0.1  # the share of those lines whose length must differ from the most frequent one


def read_basket_lines(path: Any, delimiter: str | None = None, encoding: str | None = None) -> Baskets:
    """Baskets from a text file with one basket on each line.

    Items are separated by commas, semicolons, tabs or bars, whichever the file has, or else by spaces; a name with
    the delimiter in it stands between double quotes. Empty items are none, and an empty line is no basket.

    Parameters
    ----------
    path : str or Path; text may be packed with gzip, bzip2 or xz
    delimiter : str, default None: detected from the file
    encoding : str, default None: detected from the file

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from assay.associations.basket_lines import read_basket_lines
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.txt"
    >>> _ = path.write_text("milk,whole wheat bread\\nmilk\\ntea,milk,honey\\n")
    >>> list(read_basket_lines(path))
    [('milk', 'whole wheat bread'), ('milk',), ('honey', 'milk', 'tea')]
    """
    source = Source(path, encoding)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise source.complain(f"delimiter must be one character, got {delimiter!r}.")
    text = b"".join(source.chunks()).decode("utf-8")
    if "\0" in text:
        raise source.complain("a NUL byte; this is not a text file, or it is damaged.")
    baskets = _split(text, delimiter or _delimiter(text[:SAMPLE]), source)
    if not baskets:
        raise source.complain("the file is empty, expected a basket on each line.")
    return of_lists([[name for name in row if name] for row in baskets], None, None)


def ragged(path: Any, delimiter: str | None = None, encoding: str | None = None) -> bool:
    """Whether a text file looks like basket lines: the lines have different numbers of items.

    >>> import pathlib, tempfile
    >>> from assay.associations.basket_lines import ragged
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.csv"
    >>> _ = path.write_text("milk,bread\\nmilk\\ntea,milk,honey\\n")
    >>> ragged(path)
    True
    """
    source = Source(path, encoding)
    sample = source.sample().decode("utf-8", "replace")
    text = sample[: sample.rfind("\n") + 1] or sample  # the last line may be cut
    delimiter = delimiter or _delimiter(text)
    try:
        rows = _split(text, delimiter, source)[:LINES]
    except DataError:
        return False
    if delimiter == " " and not all(name.isdigit() for row in rows for name in row if name):
        return False  # words of a text, or names with spaces
    lengths = Counter(map(len, rows))
    return len(rows) > 1 and sum(lengths.values()) - max(lengths.values()) > UNEVEN * len(rows)


def _delimiter(text: str) -> str:
    """The delimiter that most lines have; a space if they have none."""
    lines = [line for line in text.splitlines()[:LINES] if line.strip()]
    best = max(DELIMITERS, key=lambda mark: sum(mark in line for line in lines))
    return best if any(best in line for line in lines) else " "


def _split(text: str, delimiter: str, source: Source) -> list[list[str]]:
    """The cells of each line that holds any, the empty ones among them."""
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        split = [[cell.strip() for cell in row] for row in rows]
    except csv.Error as error:
        raise source.complain(f"{error}.", rows.line_num) from None
    return [row for row in split if any(row)]
