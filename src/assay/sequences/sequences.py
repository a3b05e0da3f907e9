"""Sequences as data: rows in order, cut into pieces of unequal lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.complaints import warn_unseen
from assay.errors import DataError
from assay.tables import Schema, Table

__all__ = ["Sequences"]


class Sequences:
    """Many sequences of observations: all rows below each other, and where each sequence begins.

    Columns may hold numbers, categories, or both; entries may be missing (NaN, None). Time may be any order: days,
    letters of a word, base pairs.

    Parameters
    ----------
    values : (n, d) numbers, categories as codes, missing as NaN
    offsets : (S + 1,) where each sequence begins, and the end of the last
    schema : Schema of the columns; numeric if None
    ids : what the sequences are called; numbers from 0 if None

    Examples
    --------
    Lists of unequal lengths, an array with lengths, and a long table with names and times are three ways to say the
    same:

    >>> import numpy as np
    >>> from assay.sequences import Sequences
    >>> Sequences.of([[1.0, 2.0, 3.0], [4.0]]).lengths
    array([3, 1])
    >>> Sequences.of(np.array([[1.0], [2.0], [3.0], [4.0]]), lengths=[3, 1])
    Sequences of 2, lengths 1 to 3, columns x0
    >>> table = {"who": ["b", "a", "a", "a"], "day": [1, 3, 1, 2], "x": [4.0, 3.0, 1.0, 2.0]}
    >>> long = Sequences.of(table, id="who", order="day")
    >>> long.ids, [one.ravel().tolist() for one in long]
    (['a', 'b'], [[1.0, 2.0, 3.0], [4.0]])

    See Also
    --------
    assay.tables.Table
    """

    def __init__(
        self, values: Any, offsets: Any, schema: Schema | None = None, ids: Iterable[Any] | None = None
    ):
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        if self.values.ndim != 2:
            raise DataError(
                f"values must be rows and columns, their shape is {self.values.shape}.", who="Sequences"
            )
        ends = self.offsets
        if (
            ends.ndim != 1
            or not len(ends)
            or ends[0] != 0
            or (np.diff(ends) < 0).any()
            or ends[-1] != len(self.values)
        ):
            raise DataError(
                f"offsets must rise from 0 to the number of rows, {len(self.values)}.", who="Sequences"
            )
        self.schema = Schema.numeric(self.values.shape[1]) if schema is None else schema
        self.ids = list(range(len(ends) - 1)) if ids is None else list(ids)

    @classmethod
    def of(
        cls,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        id: str | None = None,
        order: str | None = None,
        schema: Schema | None = None,
        who: str = "Sequences",
    ) -> Sequences:
        """Whatever holds sequences, as Sequences.

        Parameters
        ----------
        X : Sequences; a list of sequences (each a list, an array, or a frame); rows with ``lengths``; a long
            table with an ``id`` column; a frame whose cells are lists; an (S, T, d) array of equally long ones; or one
            array of rows, which is one sequence
        lengths : (S,) how many rows belong to each sequence
        id, order : names of the column that says to which sequence a row belongs, and of that by which rows are ordered
        schema : the columns learned before; unseen categories are then missing
        who : whose name messages begin with
        """
        if isinstance(X, Sequences):
            return X if schema is None else X._like(schema, who)
        ids = None
        if isinstance(X, (Set, Iterator)):
            raise DataError(
                f"X is a {type(X).__name__}, which has no order or is read only once.",
                who=who,
                remedy="Give a list.",
            )
        if isinstance(X, (list, tuple)) and not len(X) and schema is None:
            raise DataError("X is empty: there is no sequence.", who=who)
        if id is not None:
            X, ids, offsets = _long_table(X, id, order, who)
        elif lengths is not None:
            offsets = _offsets(np.asarray(lengths), who)
        elif isinstance(X, np.ndarray) and X.ndim == 3:
            X, offsets = X.reshape(-1, X.shape[2]), _offsets(np.full(len(X), X.shape[1]), who)
        elif (cells := _list_columns(X)) is not None:
            X, offsets = _joined_cells(cells, who)
        elif isinstance(X, (list, tuple)) and len(X) and _is_sequence(X[0]):
            X, offsets = _joined(X, who)
        else:
            offsets = None
        X = _column(X)
        plain = _plain_numbers(X, schema)
        if plain is not None:
            n, d = X.shape
            offsets = np.array([0, n]) if offsets is None else offsets
            if offsets[-1] == n:
                return cls(plain, offsets, Schema.numeric(d) if schema is None else schema, ids)
        table = (
            Table.of(X, who=who) if schema is None else _unseen_as_missing(Table.like(X, schema, who), who)
        )
        values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
        n = len(values)
        offsets = np.array([0, n]) if offsets is None else offsets
        if offsets[-1] != n:
            raise DataError(f"lengths add up to {offsets[-1]}, X has {n} rows.", who=who)
        return cls(values, offsets, table.schema, ids)

    def _like(self, schema: Schema, who: str) -> Sequences:
        if self.schema is schema or self.schema == schema:
            return self
        table = _unseen_as_missing(Table.like(Table(self.values, self.schema, None), schema, who), who)
        return Sequences(table.values, self.offsets, table.schema, self.ids)

    @property
    def lengths(self) -> np.ndarray:
        """(S,) how many rows each has."""
        return np.diff(self.offsets)

    @property
    def shape(self) -> tuple[int, int]:
        """How many sequences there are, and how many columns."""
        return len(self), self.values.shape[1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.values[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:]))

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, (int, np.integer)):
            at = range(len(self))[int(which)]
            return self.values[self.offsets[at] : self.offsets[at + 1]]
        return self.take(np.arange(len(self))[which])

    def take(self, which: Any) -> Sequences:
        """Some sequences, given by their numbers."""
        which = np.asarray(which, dtype=np.int64)
        lengths = self.lengths[which]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[which] - ends[:-1], lengths) + np.arange(ends[-1])
        return Sequences(self.values[rows], ends, self.schema, [self.ids[i] for i in which])

    def blocks(self, most_rows: int) -> list[Sequences]:
        """Pieces of whole sequences, each of about so many rows; cut by lengths alone."""
        cuts = [0]
        for s in range(1, len(self)):
            if self.offsets[s + 1] - self.offsets[cuts[-1]] > most_rows:
                cuts.append(s)
        return [self._between(a, b) for a, b in zip(cuts, [*cuts[1:], len(self)])]

    def _between(self, a: int, b: int) -> Sequences:
        begin, end = self.offsets[a], self.offsets[b]
        return Sequences(self.values[begin:end], self.offsets[a : b + 1] - begin, self.schema, self.ids[a:b])

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """What has an entry for each row, cut into one array for each sequence."""
        return np.split(values, self.offsets[1:-1])

    def summary(self) -> dict[str, np.ndarray]:
        """A line for each sequence, for learners of plain tables: its length; mean, spread, first, last, least and
        most of each number; how often each category occurs.

        >>> from assay.sequences import Sequences
        >>> {k: v.tolist() for k, v in Sequences.of([[1.0, 3.0], [5.0]]).summary().items() if k != "x0 deviation"}
        {'length': [2.0, 1.0], 'x0 mean': [2.0, 5.0], 'x0 first': [1.0, 5.0], 'x0 last': [3.0, 5.0], \
'x0 least': [1.0, 5.0], 'x0 most': [3.0, 5.0]}
        """
        lines: dict[str, np.ndarray] = {"length": self.lengths.astype(np.float64)}
        for j, column in enumerate(self.schema.columns):
            parts = [part[~np.isnan(part)] for part in self.split(self.values[:, j])]
            if column.categories:
                for code, category in enumerate(column.categories):
                    shares = [np.mean(part == code) if len(part) else np.nan for part in parts]
                    lines[f"{column.name} = {category}"] = np.array(shares)
                continue
            measures: dict[str, Callable[[np.ndarray], Any]] = {
                "mean": np.mean,
                "deviation": np.std,
                "first": _first,
                "last": _last,
                "least": np.min,
                "most": np.max,
            }
            for name, measure in measures.items():
                lines[f"{column.name} {name}"] = np.array(
                    [measure(part) if len(part) else np.nan for part in parts]
                )
        return lines

    def __assay_table__(self) -> dict[str, np.ndarray]:
        return self.summary()

    def __repr__(self) -> str:
        lengths = self.lengths
        many = f"{lengths.min()} to {lengths.max()}" if len(lengths) else "none"
        return f"Sequences of {len(self)}, lengths {many}, columns {', '.join(self.schema.names)}"


def _first(part: np.ndarray) -> Any:
    return part[0]


def _last(part: np.ndarray) -> Any:
    return part[-1]


def _unseen_as_missing(table: Table, who: str) -> Table:
    if not table.unseen:
        return table
    warn_unseen(table, who, "treated as missing")
    return table.unseen_as_missing()


def _plain_numbers(X: Any, schema: Schema | None) -> np.ndarray | None:
    """An array of numbers as it is, if there is nothing in it that a table would read otherwise or refuse."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size or X.dtype.kind not in "fiu":
        return None
    if schema is not None and (len(schema.columns) != X.shape[1] or schema.named or schema.coded.any()):
        return None
    values = X.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        total = values.sum()  # not finite if an entry is not, and seldom else
    if not np.isfinite(total) and np.isinf(values).any():
        return None
    return values


def _is_sequence(value: Any) -> bool:
    return (
        not np.isscalar(value)
        and value is not None
        and (hasattr(value, "__len__") or hasattr(value, "shape"))
    )


def _column(X: Any) -> Any:
    """A bare list or vector of observations as one column."""
    if isinstance(X, (list, tuple)) and len(X) and not _is_sequence(X[0]):
        X = np.array(X, dtype=object if isinstance(X[0], str) or any(v is None for v in X) else None)
    return X.reshape(-1, 1) if isinstance(X, np.ndarray) and X.ndim == 1 else X


def _offsets(lengths: np.ndarray, who: str) -> np.ndarray:
    if (
        lengths.ndim != 1
        or not len(lengths)
        or (lengths < 0).any()
        or not np.all(lengths == np.floor(lengths))
    ):
        raise DataError("lengths must be whole numbers from 0 up, one for each sequence.", who=who)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _joined(parts: Any, who: str) -> tuple[Any, np.ndarray]:
    """Sequences below each other, and where each begins."""
    if any(not _is_sequence(part) for part in parts):
        raise DataError("a list of sequences holds something that is none.", who=who)
    first = parts[0]
    if hasattr(first, "columns") or isinstance(first, Mapping):  # frames
        import narwhals.stable.v2 as nw

        if isinstance(first, Mapping):
            joined: Any = {name: [v for part in parts for v in part[name]] for name in first}
            lengths = [len(next(iter(part.values()))) for part in parts]
        else:
            joined = nw.concat([nw.from_native(part, eager_only=True) for part in parts]).to_native()
            lengths = [len(part) for part in parts]
        return joined, _offsets(np.array(lengths), who)
    arrays = [_as_rows(part, who) for part in parts]
    widths = {array.shape[1] for array in arrays if len(array)}
    if len(widths) > 1:
        raise DataError(f"all sequences must have the same columns, these have {sorted(widths)}.", who=who)
    kept = [array for array in arrays if len(array)] or arrays[:1]
    return np.concatenate(kept), _offsets(np.array([len(array) for array in arrays]), who)


def _as_rows(part: Any, who: str) -> np.ndarray:
    if isinstance(part, np.ndarray):
        return part.reshape(-1, 1) if part.ndim == 1 else part
    part = list(part)
    if part and isinstance(part[0], str):
        return np.array(part, dtype=object).reshape(-1, 1)
    try:
        array = np.array([np.nan if v is None else v for v in part])
    except ValueError:
        raise DataError("the rows of a sequence must have the same columns.", who=who) from None
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _list_columns(X: Any) -> dict[str, list[Any]] | None:
    """The cells of a frame whose cells are sequences; None for anything else."""
    if isinstance(X, Mapping):
        cells = {str(name): list(column) for name, column in X.items()}
    elif hasattr(X, "columns") and not isinstance(X, np.ndarray):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return None
        cells = {name: frame[name].to_list() for name in frame.columns} if len(frame) else {}
    else:
        return None
    inside = [column[0] for column in cells.values() if len(column)]
    return cells if inside and all(_is_sequence(v) and not isinstance(v, str) for v in inside) else None


def _joined_cells(cells: dict[str, list[Any]], who: str) -> tuple[dict[str, list[Any]], np.ndarray]:
    lengths = {name: [len(cell) for cell in column] for name, column in cells.items()}
    first = next(iter(lengths.values()))
    for name, sizes in lengths.items():
        if sizes != first:
            s = next(i for i, (a, b) in enumerate(zip(sizes, first)) if a != b)
            raise DataError(
                f"the lists of row {s} have different lengths: {first[s]} and, in column {name!r}, {sizes[s]}.",
                who=who,
            )
    joined = {name: [v for cell in column for v in cell] for name, column in cells.items()}
    return joined, _offsets(np.array(first), who)


def _long_table(X: Any, id: str, order: str | None, who: str) -> tuple[Any, list[Any], np.ndarray]:
    """Rows sorted by sequence and order; the names of the sequences, and where each begins."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    columns = dict(X) if isinstance(X, Mapping) else {c: frame[c].to_list() for c in frame.columns}
    for name in (id, order):
        if name is not None and name not in columns:
            raise DataError(f"there is no column {name!r}. Columns: {', '.join(map(str, columns))}.", who=who)
    for name in (id, order):
        if name is not None and (at := _first_missing(columns[name])) is not None:
            raise DataError(
                f"column {name!r} is missing in row {at} (counted from 0), so the row has no place in a sequence. "
                "Fill it in, or leave the row out.",
                who=who,
            )
    names, codes = np.unique(np.array(columns[id]), return_inverse=True)
    if order is None:
        places = np.argsort(codes, kind="stable")
    else:
        moments = np.array(columns[order])
        if moments.dtype == object:
            raise DataError(f"column {order!r} has values that cannot be ordered.", who=who)
        places = np.lexsort([moments, codes])
        same = (np.diff(codes[places]) == 0) & (moments[places][1:] == moments[places][:-1])
        if same.any():
            at = int(np.argmax(same))
            raise DataError(
                f"sequence {names[codes[places[at]]]} has two rows at {moments[places[at]]} of {order!r}; "
                "their order is not known.",
                who=who,
            )
    kept = {c: [values[i] for i in places] for c, values in columns.items() if c not in (id, order)}
    if not kept:
        raise DataError(f"there are no columns beside {id!r} and {order!r}.", who=who)
    counts = np.bincount(codes, minlength=len(names))
    return kept, names.tolist(), _offsets(counts, who)


def _first_missing(values: Any) -> int | None:
    """The first row of a column that is None, NaN, NaT or NA."""
    for i, value in enumerate(values):
        try:
            if value is None or value != value:
                return i
        except TypeError:  # NA is neither equal nor unequal to itself
            return i
    return None
