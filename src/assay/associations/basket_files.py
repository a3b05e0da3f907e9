"""Baskets from files, and which of the forms a file has."""

from __future__ import annotations

from typing import Any

from assay.associations.basket_forms import of_long, of_table, of_wide
from assay.associations.basket_lines import ragged, read_basket_lines
from assay.associations.baskets import Baskets
from assay.associations.wide_forms import FORMS, wide_form
from assay.errors import DataError, ParameterError
from assay.tables import Table, read_table
from assay.tables.readers.origin import Origin
from assay.tables.readers.read import format_of

__all__ = ["FILE_FORMS", "read_baskets"]

FILE_FORMS = {
    **FORMS,
    "lines": "one basket on each line, its items separated",
    "long": "one row for each item of a basket",
}


def read_baskets(
    path: Any,
    basket: str | None = None,
    item: str | None = None,
    form: str = "auto",
    cuts: int | None = None,
    **options: Any,
) -> tuple[Baskets, str]:
    """The baskets of a file, and the form in which it holds them: one of FILE_FORMS.

    Parameters
    ----------
    path : str or Path
    basket, item : names of the columns of a long table
    form : "auto", "lines", or one of the wide forms
    cuts : of attributes: intervals of a numeric column
    **options : as for ``assay.tables.read_table``

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from assay.associations.basket_files import read_baskets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = path.write_text("crime,party\\ny,left\\nn,right\\ny,left\\n")
    >>> baskets, form = read_baskets(path)
    >>> form, baskets[0]
    ('attributes', ("crime = 'y'", "party = 'left'"))
    """
    if (basket is None) != (item is None):
        raise ParameterError(
            "Baskets.read: a long table needs both, basket and item; a wide one needs neither."
        )
    if form not in ("auto", "lines", *FORMS):
        known = ", ".join(map(repr, ("auto", "lines", *FORMS)))
        raise ParameterError(f"Baskets.read: form must be one of {known}, got {form!r}.")
    origin = Origin.of(path)  # standard input can be looked at once only
    marks = {name: options.get(name) for name in ("delimiter", "encoding")}
    kind = options.get("format") or format_of(origin)
    if basket is None and form == "auto" and kind == "csv" and ragged(origin, **marks):
        form = "lines"
    if form == "lines" and basket is None:
        return read_basket_lines(origin, **marks), "lines"
    table = read_table(origin, **options).X
    if not len(table):
        raise DataError(f"{origin}: the file names columns but has no rows, expected baskets.")
    if basket is not None and item is not None:
        return of_long(table, basket, item, None), "long"
    parsed = Table.of(table, who="Baskets")
    if form == "auto":
        form = wide_form(parsed)
    return (of_table(parsed, cuts, None) if form == "attributes" else of_wide(parsed, None, form, None)), form
