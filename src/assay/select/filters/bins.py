"""Numbers in bins, for scores of categories."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.errors import DataError, ParameterError
from assay.stats.information.mdl_cuts import mdl_cuts
from assay.tables import Column, Schema, Table
from assay.tables.float_blocks import is_sparse

__all__ = ["binned", "check_bins"]


def check_bins(bins: Any, who: str) -> None:
    """ "mdl", a number of bins of equal frequency, or a pair ("width", number)."""
    pair = isinstance(bins, tuple) and len(bins) == 2 and bins[0] == "width"
    number = bins[1] if pair else bins
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool) and number >= 2
    if not (whole or bins == "mdl"):
        raise ParameterError(
            "bins must be 'mdl', a whole number from 2 up (bins of equal frequency) or ('width', number), "
            f"got {bins!r}.",
            who=who,
        )


def binned(table: Table, y: np.ndarray, w: np.ndarray | None, bins: Any, who: str) -> Table:
    """The table with its numbers as codes of bins; an interval holds its upper end, missing stays missing.

    Parameters
    ----------
    y : (n,) class codes
    bins : "mdl" for cuts by entropy that shorten the description of the classes, a number of bins of equal frequency,
        or ("width", number)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.bins import binned
    >>> from assay.tables import Table
    >>> binned(Table.of([[1.0], [2.0], [9.0], [10.0]]), np.array([0, 0, 1, 1]), None, 2, "").schema
    Schema: 1 column
      x0  ordinal  <= 2, > 2
    """
    check_bins(bins, who)
    if is_sparse(table.values):
        raise DataError(
            "cuts numbers into bins, which needs a dense table. Use X.toarray(), or a score of sums: 'f', 'fisher', "
            "'chi2'.",
            who=who,
        )
    numbers = np.flatnonzero(~table.schema.coded)
    if not len(numbers):
        return table
    values, columns = np.array(table.values, dtype=np.float64), list(table.schema.columns)

    def cut(j: int) -> np.ndarray:
        return _cuts(values[:, j], y, w, bins)

    for j, cuts in zip(numbers.tolist(), in_threads(cut, numbers.tolist())):
        known = ~np.isnan(values[:, j])
        values[known, j] = np.searchsorted(cuts, values[known, j], side="left")
        columns[j] = Column(columns[j].name, "ordinal", _labels(cuts))
    return table.replaced(values=values, schema=Schema(columns, table.schema.named))


def _cuts(x: np.ndarray, y: np.ndarray, w: np.ndarray | None, bins: Any) -> np.ndarray:
    if bins == "mdl":
        return mdl_cuts(x, y, w)
    known = ~np.isnan(x) if w is None else ~np.isnan(x) & (w > 0)
    numbers = x[known]
    if not len(numbers):
        return np.empty(0)
    if isinstance(bins, tuple):
        low, high = numbers.min() / bins[1], numbers.max() / bins[1]
        inner = np.arange(1, bins[1])
        return np.unique(low * (bins[1] - inner) + high * inner)
    shares = np.arange(1, bins) / bins
    order = np.argsort(numbers, kind="stable")
    weight = np.cumsum(np.ones(len(numbers)) if w is None else w[known][order])
    at = np.searchsorted(weight, shares * weight[-1] * (1 - 1e-12))
    cuts = np.unique(numbers[order][at])
    return cuts[cuts < numbers.max()]


def _labels(cuts: np.ndarray) -> tuple[str, ...]:
    """What each bin is called."""
    if not len(cuts):
        return ("all",)
    between = [f"{a:.6g} to {b:.6g}" for a, b in pairwise(cuts)]
    labels = (f"<= {cuts[0]:.6g}", *between, f"> {cuts[-1]:.6g}")
    return (
        labels
        if len(set(labels)) == len(labels)
        else tuple(f"{i + 1}: {text}" for i, text in enumerate(labels))
    )
