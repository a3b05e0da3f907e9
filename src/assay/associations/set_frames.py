"""Item sets as a data frame of the library that the reader likes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import MissingExtraError, ParameterError
from assay.tables.frames import LIBRARIES

if TYPE_CHECKING:
    from assay.associations.item_sets import ItemSets

__all__ = ["sets_frame"]


def sets_frame(sets: ItemSets, library: str = "pandas") -> Any:
    """One row a set: support, count, size, items; items are a list of names.

    >>> from assay.associations import Baskets, frequent_sets
    >>> frequent_sets(Baskets.from_lists([["tea", "milk"], ["tea"]]), 1).to_frame("pyarrow").column_names
    ['support', 'count', 'size', 'items']
    """
    if library not in LIBRARIES:
        raise ParameterError(f"to_frame: library must be one of {', '.join(LIBRARIES)}, got {library!r}.")
    import pyarrow as pa

    names = pa.array(sets.items)
    lists = pa.LargeListArray.from_arrays(
        pa.array(sets.indptr), names.take(pa.array(sets.indices)) if len(sets.items) else names
    )
    frame = pa.table({"support": sets.supports, "count": sets.counts, "size": sets.sizes, "items": lists})
    if library == "pyarrow":
        return frame
    try:
        if library == "polars":
            import polars as pl

            return pl.DataFrame(frame)
        frame = frame.to_pandas()
    except ImportError:
        raise MissingExtraError(f"A {library} frame needs one more package: pip install {library}.") from None
    frame["items"] = [tuple(row) for row in frame["items"]]
    return frame
