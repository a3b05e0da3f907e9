"""Baskets: which items come together, from lists, long or wide tables, attribute tables and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.associations.item_sets import code_of
from assay.core.csr import compressed_matrix
from assay.core.stored import CodeArray, Each, FloatArray, Object, OffsetArray, Plain
from assay.core.targets import plain_values
from assay.core.words import one_line
from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.types import Label, Labels, PathLike, TableLike, Weights

__all__ = ["Baskets"]

SHOWN = 8  # items in print


@dataclass(eq=False, repr=False)
class Baskets:
    """Baskets of items: a sparse table of zeros and ones, row by row.

    Parameters
    ----------
    indptr : (n + 1,) int64      indices : (indptr[-1],) int32
        Basket number i holds the items ``indices[indptr[i]:indptr[i + 1]]``, ascending, each once.
    items : tuple
        The names of the items; an item's code is its place here.
    weights : (n,) float64 or None
        What each basket counts; None counts each once.
    ids : tuple or None
        The name of each basket; None numbers them 0, 1, 2, ...
    conditions : tuple of Condition or None
        For items of an attribute table: the condition of each item on a row.

    Examples
    --------
    >>> from assay.associations import Baskets
    >>> baskets = Baskets.from_lists([["milk", "tea"], ["tea", "tea"], []])
    >>> baskets
    3 baskets of 2 items: 1 item on average, density 0.5
      tea   2  0.667
      milk  1  0.333
    >>> baskets[0], baskets.n
    (('milk', 'tea'), 3)
    """

    indptr: np.ndarray
    indices: np.ndarray
    items: tuple[Any, ...]
    weights: np.ndarray | None = None
    ids: tuple[Any, ...] | None = None
    conditions: tuple[Condition, ...] | None = None
    stored = {
        "items": Each(Plain(), "q"),
        "indptr": OffsetArray("n + 1", end="e"),
        "indices": CodeArray("e", below="q"),
        "weights": FloatArray("n", low=0, finite=True) | None,
        "ids": Each(Plain(), "n") | None,
        "conditions": Each(Object(Condition), "q") | None,
    }

    def __post_init__(self) -> None:
        self.indptr = np.ascontiguousarray(self.indptr, dtype=np.int64)
        self.indices = np.ascontiguousarray(self.indices, dtype=np.int32)
        self.items = tuple(self.items)
        start, codes = self.indptr, self.indices
        if (
            start.ndim != 1
            or len(start) == 0
            or start[0] != 0
            or start[-1] != len(codes)
            or (np.diff(start) < 0).any()
        ):
            raise DataError(
                "Baskets: indptr must begin with 0, never fall, and end with the length of indices."
            )
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(self.items):
            raise DataError(
                "Baskets: indices must be numbers of items, from 0 to the number of items less one."
            )
        rises = np.diff(codes) > 0
        begins = start[1:-1]
        rises[begins[(begins > 0) & (begins < len(codes))] - 1] = True
        if not rises.all():
            raise DataError(
                "Baskets: the items of a basket must be ascending, each once. Baskets.from_lists sorts them."
            )
        if self.weights is not None:
            self.weights = basket_weights(self.weights, self.n)
        if self.ids is not None and len(self.ids) != self.n:
            raise DataError(f"Baskets: {len(self.ids)} ids for {self.n} baskets.")

    @classmethod
    def from_lists(
        cls, lists: Iterable[Iterable[Any]], weights: Weights | None = None, ids: Sequence[Any] | None = None
    ) -> Baskets:
        """Baskets from lists of names; an item that is there twice counts once, a missing one (None, NaN) is none.

        Parameters
        ----------
        lists : one iterable of names for each basket
        weights : (n,) what each basket counts
        ids : names of the baskets

        >>> from assay.associations import Baskets
        >>> Baskets.from_lists(["ab", "b"]).items
        ('a', 'b')
        """
        from assay.associations.basket_forms import of_lists

        return of_lists(lists, weights, ids)

    @classmethod
    def from_long(cls, table: TableLike, basket: str, item: str, weights: str | None = None) -> Baskets:
        """Baskets from a table with one row for each item of a basket, in any order.

        A pair that is there twice counts once. A row whose item is missing only declares the basket; a row
        whose basket is missing is refused.

        Parameters
        ----------
        table : pandas, polars or pyarrow frame, or a dict of columns
        basket, item : names of the columns of the basket and of the item
        weights : name of the column of the basket's weight: the same in all of its rows

        >>> from assay.associations import Baskets
        >>> Baskets.from_long({"bill": [7, 7, 9], "what": ["tea", "milk", "tea"]}, "bill", "what").ids
        (7, 9)
        """
        from assay.associations.basket_forms import of_long

        return of_long(table, basket, item, weights)

    @classmethod
    def from_wide(
        cls,
        table: TableLike,
        weights: Weights | None = None,
        form: str = "auto",
        items: Sequence[Any] | None = None,
    ) -> Baskets:
        """Baskets from a table with one row for each basket.

        Parameters
        ----------
        table : a frame, array or sparse matrix, in one of four forms. "flags": one column for each item, true, 1 or a
            quantity above 0 (or "t", "yes", "y", "true") where the basket holds it; missing means it does not.
            "slots": the columns hold names of items, missing where there are fewer. "attributes": as for
            :meth:`from_table`. "mixed": flags, and further columns of names whose items are "column = value".
        weights : (n,) what each basket counts
        form : "auto", "flags", "slots", "attributes" or "mixed"
            "auto" detects it from the columns: see :func:`assay.associations.wide_forms.wide_form`.
        items : names of the columns of an array or a sparse matrix

        >>> from assay.associations import Baskets
        >>> Baskets.from_wide({"milk": [1, 0], "tea": [1, 1]})[1]
        ('tea',)
        >>> Baskets.from_wide({"first": ["tea", "milk"], "second": ["milk", None]})[0]
        ('milk', 'tea')
        >>> Baskets.from_wide({"milk": ["t", "t"], "tea": ["t", None], "total": ["high", "low"]})[1]
        ('milk', "total = 'low'")
        """
        from assay.associations.basket_forms import of_wide

        return of_wide(table, weights, form, items)

    @classmethod
    def from_table(
        cls, table: TableLike, cuts: int | Mapping[str, Any] | None = None, weights: Weights | None = None
    ) -> Baskets:
        """Baskets from a table of attributes: each row holds the items "column = value"; missing is no item.

        Parameters
        ----------
        table : frame, array or Table
        cuts : for numeric columns, which have no values to repeat: a number of intervals with about equally many rows,
            or a dict from column name to such a number or to a list of cut points (a value on a cut point belongs to
            the interval below it)
        weights : (n,) what each row counts

        >>> from assay.associations import Baskets
        >>> Baskets.from_table({"age": [20, 60], "job": ["A", "B"]}, cuts={"age": [50]})[1]
        ('age > 50', "job = 'B'")
        """
        from assay.associations.basket_forms import of_table

        return of_table(table, cuts, weights)

    @classmethod
    def read(
        cls,
        path: PathLike,
        basket: str | None = None,
        item: str | None = None,
        form: str = "auto",
        **options: Any,
    ) -> Baskets:
        """Baskets from a file: long if ``basket`` and ``item`` name its columns, else wide, or one basket a line.

        Parameters
        ----------
        path : str or Path of a file that ``assay.tables.read_table`` reads, or of basket lines
        basket, item : as in :meth:`from_long`
        form : as in :meth:`from_wide`, or "lines": text with one basket on each line, of any length
            "auto" takes a text file whose lines have different numbers of cells as lines.
        **options : as for ``assay.tables.read_table``

        >>> import pathlib, tempfile
        >>> from assay.associations import Baskets
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.csv"
        >>> _ = path.write_text("milk,bread\\nmilk\\ntea,milk,honey\\n")
        >>> Baskets.read(path)[2]
        ('honey', 'milk', 'tea')
        """
        from assay.associations.basket_files import read_baskets

        return read_baskets(path, basket, item, form, **options)[0]

    @property
    def n(self) -> int:
        """The number of baskets."""
        return len(self.indptr) - 1

    @property
    def total(self) -> float:
        """What all baskets count together: their number, or their weight."""
        return self.n if self.weights is None else float(self.weights.sum())

    @property
    def sizes(self) -> np.ndarray:
        """(n,) how many items each basket has."""
        return np.diff(self.indptr)

    @cached_property
    def counts(self) -> np.ndarray:
        """(d,) in how many baskets each item is, or what those weigh."""
        w = None if self.weights is None else np.repeat(self.weights, self.sizes)
        return np.bincount(self.indices, w, minlength=len(self.items))

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self[i] for i in range(self.n))

    def __getitem__(self, which: Any) -> Any:
        """The names in basket number i; for a slice, numbers or a mask, the Baskets of those."""
        if isinstance(which, (int, np.integer)):
            i = range(self.n)[which]
            return tuple(self.items[c] for c in self.indices[self.indptr[i] : self.indptr[i + 1]])
        chosen = np.arange(self.n)[which]
        sizes = self.sizes[chosen]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[chosen] - indptr[:-1], sizes)
        return Baskets(
            indptr,
            self.indices[at],
            self.items,
            None if self.weights is None else self.weights[chosen],
            None if self.ids is None else tuple(self.ids[i] for i in chosen),
            self.conditions,
        )

    def holding(self, *names: Any) -> np.ndarray:
        """(n,) bool: which baskets hold all of these items.

        >>> from assay.associations import Baskets
        >>> Baskets.from_lists([["milk", "tea"], ["tea"]]).holding("tea", "milk")
        array([ True, False])
        """
        held = np.ones(self.n, bool)
        for code in {self.code(name) for name in names}:
            with_item = np.zeros(self.n, bool)
            with_item[
                np.searchsorted(self.indptr, np.flatnonzero(self.indices == code), side="right") - 1
            ] = True
            held &= with_item
        return held

    def of_segment(self, labels: Labels, value: Label) -> Baskets:
        """The baskets of one segment: those whose label, one for each basket, is this value.

        >>> from assay.associations import Baskets
        >>> Baskets.from_lists([["milk"], ["tea"], []]).of_segment(["new", "old", "new"], "new").n
        2
        """
        values = np.asarray(plain_values(labels))
        if values.shape != (self.n,):
            raise DataError(f"Baskets: {self.n} baskets need as many labels, got shape {values.shape}.")
        chosen = values == value
        if not np.any(chosen):
            raise DataError(f"Baskets: no basket has the label {value!r}.")
        return self[np.asarray(chosen, dtype=bool)]

    def code(self, name: Any) -> int:
        """The code of an item's name."""
        return code_of(self._codes, name, "Baskets")

    def to_sparse(self) -> Any:
        """(n, d) CSR matrix of zeros and ones."""
        ones = np.ones(len(self.indices), np.uint8)
        return compressed_matrix("csr_array", ones, self.indices, self.indptr, (self.n, len(self.items)))

    def __repr__(self) -> str:
        n, d = self.n, len(self.items)
        mean = len(self.indices) / n if n else 0.0
        lines = [
            f"{n:,} basket{'' if n == 1 else 's'} of {d:,} item{'' if d == 1 else 's'}: {mean:.3g} item"
            f"{'' if mean == 1 else 's'} on average, density {mean / d if d else 0:.2g}"
        ]
        top = np.argsort(-self.counts, kind="stable")[:SHOWN]
        names = [one_line(self.items[c], 40) for c in top]
        counts = [f"{self.counts[c]:,.6g}" for c in top]
        wide, high = max(map(len, names), default=0), max(map(len, counts), default=0)
        total = self.total or 1
        for code, name, count in zip(top, names, counts):
            lines.append(f"  {name:<{wide}}  {count:>{high}}  {self.counts[code] / total:.3f}")
        if d > SHOWN:
            lines.append(f"  ... and {d - SHOWN:,} more items")
        return "\n".join(lines)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {name: code for code, name in enumerate(self.items)}


def basket_weights(weights: Any, n: int) -> np.ndarray:
    """Weights as numbers, once they are sure to be finite and none negative."""
    try:
        w = np.asarray(plain_values(weights), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Baskets: weights must be numbers.") from None
    if w.shape != (n,):
        raise DataError(f"Baskets: {n} baskets need as many weights, got shape {w.shape}.")
    if not np.isfinite(w).all() or (w < 0).any():
        raise DataError("Baskets: weights must be finite and none negative.")
    return w
