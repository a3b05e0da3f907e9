"""Ratings: a sparse table of users and items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from assay.core.csr import compressed_matrix
from assay.core.stored import Each, FloatArray, Plain, TableRows
from assay.errors import DataError
from assay.tables.row_names import row_name
from assay.types import Label, TableLike

__all__ = ["Baseline", "Ratings"]

LARGEST = 1e100  # squares of ratings are added up


@dataclass(eq=False)
class Ratings:
    """Ratings (or purchases) of items by users.

    Parameters
    ----------
    users, items : tuples of names
    values : (users, items) CSR matrix; what is not stored is not known
    rated : bool
        False for purchases, whose values are all 1.

    Examples
    --------
    >>> from assay.associations import Ratings
    >>> ratings = Ratings.from_long([("Ann", "tea", 5), ("Ann", "milk", 3), ("Bob", "tea", 4)])
    >>> ratings
    3 ratings of 2 items by 2 users, from 3 to 5
    >>> ratings.of("Ann")
    {'milk': 3.0, 'tea': 5.0}
    """

    users: tuple[Any, ...]
    items: tuple[Any, ...]
    values: Any
    rated: bool = True
    stored = {
        "users": Each(Plain(), "u"),
        "items": Each(Plain(), "q"),
        "values": TableRows("u", "q", finite=True),
    }

    def __post_init__(self) -> None:
        self.values = csr_array(self.values, dtype=np.float64)
        if self.values.shape != (len(self.users), len(self.items)):
            raise DataError(
                f"Ratings: {len(self.users)} users and {len(self.items)} items do not fit a table of "
                f"{self.values.shape[0]} x {self.values.shape[1]}."
            )
        self.values.sort_indices()
        if not (np.abs(self.values.data) <= LARGEST).all():  # false for NaN
            odd = self.values.data[~(np.abs(self.values.data) <= LARGEST)][0]
            raise DataError(f"Ratings: {odd:g} is no rating, expected numbers of ordinary size.")

    def _check_stored(self) -> None:
        self.__post_init__()

    @classmethod
    def from_long(
        cls, table: TableLike, user: str = "user", item: str = "item", rating: str | None = "rating"
    ) -> Ratings:
        """Ratings from a table with one row for each; a pair that is there several times gets the mean.

        Parameters
        ----------
        table : pandas, polars or pyarrow frame, a dict of columns, or tuples (user, item, rating)
        user, item, rating : names of the columns; ``rating=None`` for purchases without ratings
        """
        from assay.tables import Table

        names = [user, item] + ([] if rating is None else [rating])
        columns = _columns(table, names)
        parsed = Table.of(columns, {user: "nominal", item: "nominal"}, "Ratings")
        values = parsed.values
        for j, name in enumerate(names):
            if np.isnan(values[:, j]).any():
                row = int(np.argmax(np.isnan(values[:, j])))
                raise DataError(f"Ratings: {row_name(row)} has no {name!r}. Drop such rows.")
        if rating is not None and parsed.schema[2].coded:
            raise DataError(f"Ratings: column {rating!r} must hold numbers.")
        u, i = values[:, 0].astype(np.int64), values[:, 1].astype(np.int64)
        users, items = (tuple(parsed.schema[j].categories) for j in (0, 1))
        ratings = np.ones(len(u)) if rating is None else values[:, 2]
        pair, inverse, times = np.unique(u * max(len(items), 1) + i, return_inverse=True, return_counts=True)
        mean = np.bincount(inverse, ratings, minlength=len(pair)) / times
        start = np.searchsorted(pair // max(len(items), 1), np.arange(len(users) + 1))
        matrix = compressed_matrix(
            "csr_array", mean, pair % max(len(items), 1), start, (len(users), len(items))
        )
        return cls(users, items, matrix, rating is not None)

    def __len__(self) -> int:
        return self.values.nnz

    def of(self, user: Label) -> dict[Any, float]:
        """What one user rated, and how."""
        u = self.places[0].get(user)
        if u is None:
            raise DataError(f"Ratings: there is no user {user!r}.")
        codes, ratings = self.row(u)
        return {self.items[c]: float(r) for c, r in zip(codes.tolist(), ratings)}

    def row(self, u: int) -> tuple[np.ndarray, np.ndarray]:
        """Items and ratings of user number u."""
        a, b = self.values.indptr[u], self.values.indptr[u + 1]
        return self.values.indices[a:b], self.values.data[a:b]

    @cached_property
    def places(self) -> tuple[dict[Any, int], dict[Any, int]]:
        """The numbers of users, and of items, by their names."""
        users, items = ({name: i for i, name in enumerate(names)} for names in (self.users, self.items))
        return users, items

    def __repr__(self) -> str:
        what = "ratings" if self.rated else "purchases"
        text = f"{len(self):,} {what} of {len(self.items):,} items by {len(self.users):,} users"
        if self.rated and len(self):
            text += f", from {self.values.data.min():g} to {self.values.data.max():g}"
        return text


def _columns(table: Any, names: list[str]) -> Any:
    """The named columns as a dict of lists."""
    if hasattr(table, "column_names"):  # pyarrow
        lost = [name for name in names if name not in table.column_names]
        columns = {} if lost else {name: table[name].to_pylist() for name in names}
    elif isinstance(table, dict) or hasattr(table, "columns"):
        lost = [name for name in names if name not in table]
        columns = {} if lost else {name: list(table[name]) for name in names}
    elif isinstance(table, Iterable):
        rows = [tuple(row) for row in table]
        wrong = next((row for row in rows if len(row) < len(names)), None)
        if wrong is not None:
            raise DataError(f"Ratings: expected tuples of {', '.join(names)}, got {wrong}.")
        return {name: [row[j] for row in rows] for j, name in enumerate(names)}
    else:
        raise DataError(f"Ratings: expected a table, got a {type(table).__name__}.")
    if lost:
        raise DataError(
            f"Ratings: the table has no column {lost[0]!r}. Name its columns: user=, item=, rating=."
        )
    return columns


@dataclass(eq=False)
class Baseline:
    r"""What a rating would be if tastes did not differ: the mean, plus how generous the user and how good the item is.

    .. math:: b_{ui} = \mu + b_u + b_i, \quad b_i = \frac{\sum_u (r_{ui} - \mu)}{\lambda + n_i}, \quad
              b_u = \frac{\sum_i (r_{ui} - \mu - b_i)}{\lambda + n_u}

    Few ratings move it little: :math:`\lambda` of them are taken to be average.

    Parameters
    ----------
    mean : float      items : (d,) what each item adds      damping : float
    """

    mean: float
    items: np.ndarray
    damping: float
    stored = {"items": FloatArray("q", finite=True)}

    @classmethod
    def of(cls, ratings: Ratings, damping: float) -> Baseline:
        """The baseline of ratings; purchases have none (all zero)."""
        d = len(ratings.items)
        if not ratings.rated or not len(ratings):
            return cls(0.0, np.zeros(d), damping)
        values = ratings.values
        mean = float(values.data.mean())
        n = np.bincount(values.indices, minlength=d)
        above = np.bincount(values.indices, values.data - mean, minlength=d)
        return cls(mean, np.divide(above, damping + n, out=np.zeros(d), where=damping + n > 0), damping)

    def user(self, codes: np.ndarray, ratings: np.ndarray) -> float:
        """How much a user gives above what these items get."""
        weight = self.damping + len(codes)
        return float((ratings - self.mean - self.items[codes]).sum() / weight) if weight else 0.0

    def expected(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        """(d,) what this user would give to each item."""
        return self.mean + self.items + self.user(codes, ratings)

    def residuals(self, ratings: Ratings) -> Any:
        """The ratings less what is expected of them, in the same places."""
        values = ratings.values.copy()
        n = np.diff(values.indptr)
        above = values.data - self.mean - self.items[values.indices]
        owner = np.repeat(np.arange(len(n)), n)
        weight = self.damping + n
        of_user = np.divide(
            np.bincount(owner, above, minlength=len(n)), weight, out=np.zeros(len(n)), where=weight > 0
        )
        values.data = above - of_user[owner]
        return values
