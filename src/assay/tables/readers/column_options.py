"""What a caller says of a file's columns: which to leave out, which kind they are, what marks a missing value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import ParameterError, SchemaError, did_you_mean
from assay.tables.cleaning import Cleaning, clean
from assay.tables.readers import kinds
from assay.tables.readers.origin import complain
from assay.tables.readers.source import shown

SHOWN_CELLS = 5  # offending cells that a message lists

Names = str | Sequence[str]


@dataclass(frozen=True)
class ColumnOptions:
    """The wishes of one call, checked against the columns of each file."""

    drop: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    clean: bool | tuple[str, ...] = False

    @classmethod
    def of(
        cls, drop: Names, nominal: Names, numeric: Names, na: Any, clean: bool | Names = False
    ) -> ColumnOptions:
        """From what the caller gave: one name or several, one mark or several."""
        options = cls(
            _names("drop", drop),
            _names("nominal", nominal),
            _names("numeric", numeric),
            marks_of(na),
            clean if isinstance(clean, bool) else _names("clean", clean),
        )
        both = sorted(set(options.nominal) & set(options.numeric))
        if both:
            raise ParameterError(f"Column {both[0]!r} is named by nominal= and by numeric=; choose one.")
        return options

    def check(self, path: Any, names: Sequence[str]) -> None:
        """Refuse names that the file lacks."""
        for name in (
            *self.drop,
            *self.nominal,
            *self.numeric,
            *(() if isinstance(self.clean, bool) else self.clean),
        ):
            if name not in names:
                raise SchemaError(no_column(path, name, names))

    def apply(
        self, table: Any, path: Any, reader: Any = None, first_row: int = 0
    ) -> tuple[Any, Cleaning | None]:
        """An Arrow table with its columns as asked for, and what was cleaned if that was asked for.

        ``first_row`` is the number of rows of the file before the table.
        """
        if self.na:
            table = _exchanged(table, {name: _without(table[name], self.na) for name in table.column_names})
        report = None
        if self.clean is not False:
            names = table.column_names if self.clean is True else self.clean
            some = [name for name in names if name in table.column_names and name not in self.nominal]
            table, report = clean(table, some)
            report = Cleaning(report.done) if self.clean is True else report
        changed = {name: categories(table[name]) for name in self.nominal if name in table.column_names}
        for name in self.numeric:
            if name in table.column_names:
                changed[name] = self._numbers(table[name], path, name, reader, first_row)
        return _exchanged(table, changed), report

    def _numbers(self, column: Any, path: Any, name: str, reader: Any, first_row: int) -> Any:
        import pyarrow as pa

        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if not kinds.is_text(column.type):
            return column
        text = column.cast(pa.string())
        decimal = getattr(getattr(reader, "dialect", None), "decimal", ".")
        kind, values = kinds.infer(text, decimal)
        if kind in (kinds.NO_VALUES, kinds.MARKS):
            return pa.nulls(len(text), pa.float64())
        if kind in (kinds.WHOLE, kinds.NUMBER):
            return values.cast(pa.float64())
        raise not_numbers(text, path, name, reader, first_row, decimal)


def _exchanged(table: Any, columns: dict[str, Any]) -> Any:
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def not_numbers(
    text: Any, path: Any, name: str, reader: Any, first_row: int, decimal: str = "."
) -> Exception:
    """The error for a text column that should hold numbers: which cells do not, and where they are."""
    odd = [v for v in text.unique().to_pylist() if v is not None and not is_number(v, decimal)]
    strange = set(odd)
    rows = [i for i, v in enumerate(text.to_pylist()) if v in strange]
    first: dict[str, int] = {}
    cells = text.to_pylist()
    for i in rows:
        first.setdefault(cells[i], first_row + i)
    listed = list(first.items())[:SHOWN_CELLS]
    lines_of = getattr(reader, "lines_of", None)
    if lines_of is not None:
        where = [f"line {line}" for line in lines_of([row for _, row in listed])]
    else:
        where = [f"row {row + 1}" for _, row in listed]
    some = ", ".join(f"{shown(v)} ({place})" for (v, _), place in zip(listed, where))
    more = ", ..." if len(first) > len(listed) else ""
    single = len(rows) == 1
    return complain(
        path,
        f"{len(rows)} cell{'' if single else 's'} {'is not a number' if single else 'are no numbers'}: {some}{more}. "
        f"Mark a missing value with na=, or clean the column first: clean=[{name!r}].",
        column=name,
    )


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a cell is a number or a mark of a missing value."""
    import pyarrow as pa

    return kinds.infer(pa.array([text]), decimal)[0] in (
        kinds.NO_VALUES,
        kinds.MARKS,
        kinds.WHOLE,
        kinds.NUMBER,
    )


def categories(column: Any) -> Any:
    """A column as categories: text as it is, other values as a dictionary in their order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type) or kinds.is_text(column.type):
        return column
    if (
        pa.types.is_date(column.type)
        or pa.types.is_timestamp(column.type)
        or pa.types.is_boolean(column.type)
    ):
        return column.cast(pa.string())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        whole = pc.all(pc.equal(pc.floor(column), column)).as_py()
        column = column.cast(pa.int64(), safe=False) if whole and _fits(column) else column
    if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
        return column  # no learner takes it in any case, and the schema says so
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    flat = flat.chunk(0) if isinstance(flat, pa.ChunkedArray) else flat
    values = flat.unique().drop_null()
    values = values.take(pc.sort_indices(values))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pc.index_in(flat, values), values)])


def _fits(column: Any) -> bool:
    import pyarrow.compute as pc

    most = pc.max(pc.abs(column)).as_py()
    return most is None or most < 2**53


def _without(column: Any, marks: tuple[str, ...]) -> Any:
    """A column with nulls for the cells that are a mark: the text, or the number that it stands for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        if not kinds.is_text(kind.value_type):
            return column
        flat = column.unify_dictionaries().combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        flat = flat.chunk(0) if isinstance(flat, pa.ChunkedArray) else flat
        codes = pc.index_in(pa.array(list(marks), pa.string()), flat.dictionary.cast(pa.string()))
        hit = pc.is_in(flat.indices, codes.drop_null().cast(flat.indices.type))
        indices = pc.if_else(hit, pa.scalar(None, flat.indices.type), flat.indices)
        return pa.DictionaryArray.from_arrays(indices, flat.dictionary, ordered=kind.ordered)
    if kinds.is_text(kind):
        hit = pc.is_in(pc.utf8_trim_whitespace(column), pa.array(list(marks), kind))
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = [float(m) for m in marks if _is_float(m)]
        if not numbers:
            return column
        hit = pc.is_in(column.cast(pa.float64(), safe=False), pa.array(numbers, pa.float64()))
    else:
        return column
    return pc.if_else(hit, pa.scalar(None, kind), column)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _names(option: str, columns: Names) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns or ())
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"{option}= takes the name of a column or several, got {name!r}.")
    return names


def marks_of(na: Any) -> tuple[str, ...]:
    """Marks of missing values as text: one or several, text or numbers.

    >>> marks_of("unknown"), marks_of([-999, "none"])
    (('unknown',), ('-999', 'none'))
    """
    if na is None:
        return ()
    several = [na] if isinstance(na, (str, int, float)) or not isinstance(na, Iterable) else list(na)
    for mark in several:
        if not isinstance(mark, (str, int, float)):
            raise ParameterError(f"na= takes a mark of missing values or several, got {mark!r}.")
    return tuple(str(mark).strip() for mark in several)


def no_column(path: Any, name: Any, names: Sequence[str]) -> str:
    """The sentence for a name that a file lacks."""
    hint = did_you_mean(name, names, listed=False)
    listed = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    return f"{path}: there is no column {name!r}.{hint} Columns: {listed}."
