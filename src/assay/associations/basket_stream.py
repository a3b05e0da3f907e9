"""Baskets of a long file that is larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.associations.basket_forms import from_pairs
from assay.associations.baskets import Baskets
from assay.core.sums import Block, Source, Stream
from assay.errors import DataError
from assay.tables import read_blocks
from assay.tables.schema import in_order

__all__ = ["BasketStream", "basket_items"]


class BasketStream(Source):
    """Baskets from a long file, or several, one block in memory at a time; the rows of a basket stand together.

    :func:`frequent_sets` takes it as it takes Baskets and goes over the file once for each size of sets. The first
    look at it collects the items, and checks that no basket comes again after another one; that takes eight bytes
    for each basket.

    Parameters
    ----------
    path : path, pattern or list of paths of CSV, Parquet or ARFF files
    basket, item, weights : names of columns, as for ``Baskets.from_long``
    rows : int, default 65536
        Rows of a block.
    **options : as for ``assay.tables.read_blocks``

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from assay.associations import BasketStream, frequent_sets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "long.csv"
    >>> _ = path.write_text("bill,what\\n1,tea\\n1,milk\\n2,tea\\n2,milk\\n3,tea\\n")
    >>> frequent_sets(BasketStream(path, "bill", "what", rows=2), 2)
    3 item sets in at least 2 of 3 baskets
      support  count  items
        1.000      3  tea
        0.667      2  milk
        0.667      2  milk, tea
    """

    def __init__(
        self,
        path: Any,
        basket: str,
        item: str,
        weights: str | None = None,
        rows: int = 65536,
        **options: Any,
    ):
        self._basket, self._item, self._weights = basket, item, weights
        columns = [basket, item] if weights is None else [basket, item, weights]
        self._blocks = read_blocks(path, columns=columns, rows=rows, **options)

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """The names of all items."""
        items = Stream(self._whole, self._baskets, "baskets: reading the items").add_up(_seen)
        ids = np.sort(np.concatenate(items.ids))
        if (ids[1:] == ids[:-1]).any():
            raise DataError(
                f"BasketStream: the rows of a basket must stand together, but some value of {self._basket!r} comes "
                "again after another. Sort the file by it."
            )
        return tuple(in_order(list(items.names)))

    def add_up(self, summarize: Callable[[Block], Any]) -> Any:
        code = {name: c for c, name in enumerate(self.items)}

        def prepare(table: Any) -> Block:
            baskets = self._baskets(table).X
            known = np.array([code[name] for name in baskets.items], dtype=np.int64)
            owner = np.repeat(np.arange(baskets.n), baskets.sizes)
            codes = known[baskets.indices] if len(known) else np.empty(0, np.int64)
            return Block(from_pairs(owner, codes, baskets.n, self.items), None, baskets.weights)

        return Stream(self._whole, prepare, "item sets").add_up(summarize)

    def _baskets(self, table: Any) -> Block:
        return Block(Baskets.from_long(table, self._basket, self._item, self._weights))

    def _whole(self) -> Iterator[Any]:
        """Tables that end where a basket ends."""
        import pyarrow as pa

        held = None
        for table in self._blocks:
            table = table if held is None else pa.concat_tables([held, table])
            ids = table.column(self._basket).to_pylist()
            last = len(ids) - 1
            while last > 0 and ids[last - 1] == ids[-1]:
                last -= 1
            held = table.slice(last)
            if last:
                yield table.slice(0, last)
        if held is not None and held.num_rows:
            yield held


@dataclass
class _Seen:
    """Names of items, and hashes of the baskets' names."""

    names: set[Any]
    ids: list[np.ndarray]

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(self.names | other.names, [*self.ids, *other.ids])


def _seen(block: Block) -> _Seen:
    # Of text, for the numbers -1 and -2 have the same hash.
    ids = np.array([hash(str(name)) for name in block.X.ids or ()], dtype=np.int64)
    return _Seen(set(block.X.items), [ids])


def basket_items(X: Baskets) -> tuple[np.ndarray, np.ndarray]:
    """The items of each basket."""
    return X.indptr, X.indices
