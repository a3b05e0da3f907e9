"""Item sets as a data frame of the library that the reader likes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import MissingExtraError, ParameterError
from assay.tables.frames import LIBRARIES

if TYPE_CHECKING:
    from assay.associations.item_sets import ItemSets

__all__ = ["sets_frame"]


def sets_frame(sets: ItemSets, library: str = "pandas") -> Any:
    """One row a set: support, count, size, items.

    Items are a tuple of names in pandas, a list elsewhere; there names of several kinds become text.

    >>> from assay.associations import Baskets, frequent_sets
    >>> frequent_sets(Baskets.from_lists([["tea", "milk"], ["tea"]]), 1).to_frame("pyarrow").column_names
    ['support', 'count', 'size', 'items']
    """
    if library not in LIBRARIES:
        raise ParameterError(f"to_frame: library must be one of {', '.join(LIBRARIES)}, got {library!r}.")
    numbers = {"support": sets.supports, "count": sets.counts, "size": sets.sizes}
    try:
        if library == "pandas":
            import pandas as pd

            return pd.DataFrame({**numbers, "items": pd.Series([s.items for s in sets], dtype=object)})
        if library == "polars":
            import polars as pl

            return pl.DataFrame(_arrow(sets, numbers))
    except ImportError:
        raise MissingExtraError(f"A {library} frame needs one more package: pip install {library}.") from None
    return _arrow(sets, numbers)


def _arrow(sets: ItemSets, numbers: dict[str, Any]) -> Any:
    import pyarrow as pa

    try:
        names = pa.array(sets.items)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        names = pa.array([str(name) for name in sets.items])
    lists = pa.LargeListArray.from_arrays(pa.array(sets.indptr), names.take(pa.array(sets.indices)))
    return pa.table({**numbers, "items": lists})
