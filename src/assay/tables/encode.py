"""One column, from whatever library, as numbers: what kind it is, and which number each row gets.

Every library's column is first turned to one of three things, so that the same data give the same numbers
to the bit: a NumPy array of numbers, an Arrow array, or an array of Python objects.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from assay.errors import DataError, SchemaError
from assay.tables.row_names import RowNames
from assay.tables.schema import Column, Kind, in_order, moment
from assay.types import Codes

UNSEEN = -1.0  # the code of a category that the schema does not list

DAY = 86400e6  # microseconds of a day
_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)

Coded = tuple[tuple[Any, ...], np.ndarray]  # categories, and each row's position among them (NaN: missing)


class OddCell(Exception):
    """A cell that cannot be used: which row, the kind of error, and the words before and after the row's name."""

    def __init__(self, kind: type[DataError], row: int, before: str, after: str):
        super().__init__(before)
        self.kind, self.row, self.before, self.after = kind, int(row), before, after

    def error(self, rows: RowNames) -> DataError:
        """The error that names the row as the table's owner knows it."""
        return self.kind(f"{self.before} in {rows(self.row)}{self.after}")


def learn_column(name: str, values: Any, kind: Kind | None, who: str) -> tuple[Column, np.ndarray]:
    """What a column is, and its numbers; ``kind`` overrules what is found."""
    kind_of_values, data = classify(name, values, who)
    if kind_of_values in ("numeric", "date") and kind in (None, "numeric"):
        return Column(name, date=kind_of_values == "date"), data
    if kind_of_values in ("numeric", "date"):  # numbers that the caller declares to be categories
        levels, codes = _levels(data)
        numbers = tuple(int(v) if v.is_integer() else v for v in levels)
        return Column(name, kind or "nominal", numbers), codes
    categories, codes = data
    if kind == "numeric":
        raise _text_among_numbers(f"{who}: column {name!r}", categories, codes)
    return Column(name, kind or kind_of_values, categories), codes  # type: ignore[arg-type]


def apply_column(column: Column, values: Any, who: str) -> tuple[np.ndarray, list[Any]]:
    """A column's numbers by a schema learned before, and the values it did not know."""
    kind, data = classify(column.name, values, who)
    if not column.coded:
        if kind in ("numeric", "date"):
            return data, []
        categories, codes = data
        if not categories or np.isnan(codes).all():  # nothing but missing values
            return np.full(len(codes), np.nan), []
        if column.date:
            return _dates_from_text(column.name, categories, codes, who), []
        begin = f"{who}: column {column.name!r} was numeric when the model was fitted; now it"
        raise _text_among_numbers(begin, categories, codes)
    categories, codes = _levels(data) if kind in ("numeric", "date") else data
    if kind == "date":  # dates meet the text that they would be written as
        categories = tuple(moment(day) for day in categories)
    if categories == column.categories:
        return codes, []
    known = {value: float(code) for code, value in enumerate(column.categories)}
    table = np.array([_code(value, known) for value in categories])
    present = ~np.isnan(codes)
    translated = np.full(len(codes), np.nan)
    translated[present] = table[codes[present].astype(np.intp)] if present.any() else np.nan
    used = np.unique(codes[translated == UNSEEN]).astype(np.intp)
    return translated, [categories[c] for c in used]


def _text_among_numbers(begin: str, categories: tuple[Any, ...], codes: np.ndarray) -> OddCell:
    """The error for a column that should be numeric: the first cell that is no number, and how many more there are."""
    odd = [code for code, value in enumerate(categories) if not _is_number(value)]
    rows = np.flatnonzero(np.isin(codes, odd))
    if not len(rows):
        row = int(np.argmax(~np.isnan(codes)))
        value = _short(categories[int(codes[row])])
        after = ", expected numbers. Convert them: assay.tables.clean(frame)."
        return OddCell(SchemaError, row, f"{begin} holds numbers as text, such as {value}", after)
    value = _short(categories[int(codes[rows[0]])])
    others = f", and {len(rows) - 1} more such cell{'' if len(rows) == 2 else 's'}" if len(rows) > 1 else ""
    after = f"{others}, expected numbers. Mend the cells, or make them missing (None)."
    return OddCell(SchemaError, rows[0], f"{begin} holds {value}", after)


def _is_number(value: Any) -> bool:
    if isinstance(value, _NUMBERS):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return "_" not in str(value)


def classify(name: str, values: Any, who: str) -> tuple[str, Any]:
    """("numeric" or "date", floats) or ("nominal" or "ordinal", (categories, codes as floats))."""
    if isinstance(values, np.ndarray):
        return _classify_array(name, values, who)
    import narwhals.stable.v2 as nw

    native, dtype = values.to_native(), values.dtype
    if isinstance(getattr(native, "dtype", None), np.dtype):  # a plain column of pandas
        return _classify_array(name, native.to_numpy(), who)
    if dtype == nw.Object or (
        dtype == nw.Unknown and hasattr(native, "to_numpy") and hasattr(native, "iloc")
    ):
        return _classify_array(name, np.asarray(native), who)
    if dtype in (nw.Categorical, nw.Enum):
        return _declared(native, dtype, values)
    return _classify_arrow(name, values.to_arrow(), dtype, who)


def _classify_array(name: str, values: np.ndarray, who: str) -> tuple[str, Any]:
    kind = values.dtype.kind
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(object), None)
    elif kind in "fiub":
        return "numeric", values.astype(np.float64, copy=False)
    elif kind == "M":
        return "date", _days(values)
    elif kind == "m":
        return "numeric", _spans(values)
    elif kind == "c":
        raise SchemaError(
            f"column {name!r} holds complex numbers, which are not supported. Split it into real and imaginary parts.",
            who=who,
        )
    return _classify_objects(name, values.astype(object), who)


# Arrow


def _classify_arrow(name: str, column: Any, dtype: Any, who: str) -> tuple[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    is_ = pa.types
    if is_.is_null(kind):
        return "numeric", np.full(len(column), np.nan)
    if is_.is_decimal(kind):  # by way of text, which rounds as Python does
        column, kind = pc.cast(column, pa.string()), pa.float64()
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind):
        return "numeric", _floats(pc.cast(column, pa.float64(), safe=False))
    if is_.is_date(kind):
        column, kind = pc.cast(column, pa.timestamp("us")), pa.timestamp("us")
    if is_.is_timestamp(kind) or is_.is_duration(kind):
        days = _whole_days(pc.cast(column, pa.int64()), kind.unit)
        return ("date" if is_.is_timestamp(kind) else "numeric"), days
    if is_.is_binary(kind) or is_.is_large_binary(kind) or is_.is_fixed_size_binary(kind):
        column = _decoded(name, column, who)
        kind = column.type
    if is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind):
        return "nominal", _dictionary(column)
    raise SchemaError(
        f"column {name!r} has type {dtype}, expected numbers, text, categories or dates. Drop or convert it.",
        who=who,
    )


def _floats(column: Any) -> np.ndarray:
    """An Arrow column of doubles as an array of its own, nulls as NaN."""
    return np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _whole_days(column: Any, unit: str) -> np.ndarray:
    """Counts of a unit of time as days; all units go through whole microseconds."""
    missing = column.is_null().to_numpy(zero_copy_only=False)
    counts = column.fill_null(0).to_numpy(zero_copy_only=False)
    micro = counts // 1000 if unit == "ns" else counts * {"s": 1_000_000, "ms": 1000, "us": 1}[unit]
    return np.where(missing, np.nan, micro / DAY)


def _decoded(name: str, column: Any, who: str) -> Any:
    """Bytes as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(pc.cast(column, pa.large_binary()), pa.large_string())
    except pa.ArrowInvalid:
        raise _not_text(name, column.to_pylist(), who) from None


def _not_text(name: str, values: list[Any], who: str) -> OddCell:
    for row, value in enumerate(values):
        try:
            if isinstance(value, bytes):
                value.decode("utf-8")
        except UnicodeDecodeError:
            begin = f"{who}: column {name!r} holds bytes that are no UTF-8 text: {_short(value)}"
            return OddCell(DataError, row, begin, ". Decode them first.")
    raise AssertionError(name)


def _declared(native: Any, dtype: Any, series: Any) -> tuple[str, Any]:
    """A declared categorical keeps its declared categories and their order."""
    import narwhals.stable.v2 as nw

    accessor: Any = getattr(native, "cat", None)
    if hasattr(accessor, "categories"):  # pandas: the values may be of any type
        codes = np.asarray(accessor.codes, dtype=np.float64)
        codes[codes < 0] = np.nan
        return "ordinal" if accessor.ordered else "nominal", (tuple(accessor.categories.tolist()), codes)
    if dtype == nw.Enum:
        categories = tuple(dtype.categories)
        position = {value: float(code) for code, value in enumerate(categories)}
        values, codes = _dictionary(series.cast(nw.String).to_arrow())
        table = np.array([position[value] for value in values])
        present = ~np.isnan(codes)
        codes[present] = table[codes[present].astype(np.intp)] if present.any() else np.nan
        return "nominal", (categories, codes)
    column = series.to_arrow()
    if hasattr(native, "dictionary_encode"):  # pyarrow
        return ("ordinal" if column.type.ordered else "nominal"), _arrow_categories(column)
    return "nominal", _dictionary(series.cast(nw.String).to_arrow())  # polars: one pool for all columns


def _arrow_categories(column: Any) -> Coded:
    """A dictionary's values in its own order, less nulls, and each row's position among them."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0)
    values = column.dictionary.to_pylist()
    position: dict[Any, int] = {}
    for value in values:
        if value is not None:
            position.setdefault(value, len(position))
    table = np.array([np.nan if v is None else position[v] for v in values], dtype=np.float64)
    return tuple(position), _looked_up(table, column.indices)


def _dictionary(column: Any) -> Coded:
    """Sorted distinct values of an Arrow text column and each row's position among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(column.type):
        return (), np.full(len(column), np.nan)
    encoded = pc.dictionary_encode(column)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    order = pc.array_sort_indices(encoded.dictionary)  # by UTF-8 bytes, which is Python's order too
    table = np.empty(len(order))
    table[order.to_numpy()] = np.arange(len(order))
    return tuple(encoded.dictionary.take(order).to_pylist()), _looked_up(table, encoded.indices)


def text_codes(column: Any) -> tuple[tuple[str, ...], Codes] | None:
    """The distinct texts in their order and each row's number among them; None for other columns or missing cells.

    >>> import pyarrow as pa
    >>> text_codes(pa.array(["b", "a", "b"]))
    (('a', 'b'), array([1, 0, 1]))
    """
    import pyarrow as pa

    if not isinstance(column, (pa.Array, pa.ChunkedArray)) or column.null_count or not len(column):
        return None
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    texts, codes = _dictionary(column)
    return texts, codes.astype(np.int64)


def _looked_up(table: np.ndarray, indices: Any) -> np.ndarray:
    """table[index] for each index, NaN for nulls."""
    if not len(table):
        return np.full(len(indices), np.nan)
    if not indices.null_count:
        places: Codes = indices.to_numpy(zero_copy_only=False)
        return table[places]
    missing = indices.is_null().to_numpy(zero_copy_only=False)
    return np.where(missing, np.nan, table[indices.fill_null(0).to_numpy(zero_copy_only=False)])


# Python objects


def _classify_objects(name: str, values: np.ndarray, who: str) -> tuple[str, Any]:
    """Numbers if all are numbers, dates if all are dates, else categories."""
    text = _as_arrow_text(values)
    if text is not None:
        return "nominal", _dictionary(text)
    rows = values.tolist()
    missing = np.array([_missing(v) for v in rows], dtype=bool)
    present = [v for v, gone in zip(rows, missing) if not gone]
    if all(isinstance(v, _NUMBERS) for v in present):
        return "numeric", _filled(missing, _as_floats(name, present, np.flatnonzero(~missing), who))
    if all(isinstance(v, (dt.date, np.datetime64)) for v in present):
        return "date", _filled(missing, np.array([_micro(v) for v in present], dtype=np.int64) / DAY)
    if all(isinstance(v, (dt.timedelta, np.timedelta64)) for v in present):
        return "numeric", _filled(missing, _spans(np.array(present, dtype="timedelta64[us]")))
    if any(isinstance(v, bytes) for v in present):
        try:
            present = [v.decode("utf-8") if isinstance(v, bytes) else v for v in present]
        except UnicodeDecodeError:
            raise _not_text(name, rows, who) from None
    present = [v.item() if isinstance(v, np.generic) else v for v in present]
    try:
        categories = in_order(list(dict.fromkeys(present)))
        position = {value: code for code, value in enumerate(categories)}
        codes = np.array([position[v] for v in present], dtype=np.float64)
    except (TypeError, ValueError):
        row, strange = next((i, v) for i, v in enumerate(rows) if not (missing[i] or _hashable(v)))
        begin = f"{who}: column {name!r} holds {_short(strange)}"
        raise OddCell(DataError, row, begin, "; argument must be a string or a number.") from None
    return "nominal", (categories, _filled(missing, codes))


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, ValueError):
        return False
    return True


def _as_arrow_text(values: np.ndarray) -> Any:
    """The column as Arrow text if it is text and missing values throughout, else None."""
    import pyarrow as pa

    first = next((v for v in values if v is not None and not isinstance(v, float)), None)
    if not isinstance(first, str):
        return None
    try:
        return pa.array(values, pa.large_string(), from_pandas=True)
    except (pa.ArrowException, UnicodeError, TypeError, ValueError):
        return None


def _missing(value: Any) -> bool:
    """None, NaN of any type, pandas' NA and NaT."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating, Decimal)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def _as_floats(name: str, numbers: list[Any], rows: np.ndarray, who: str) -> np.ndarray:
    floats = np.empty(len(numbers))
    for i, value in enumerate(numbers):
        try:
            floats[i] = float(value)
        except OverflowError:
            begin = f"{who}: column {name!r} holds a number that is too large for a float: {_short(value)}"
            raise OddCell(DataError, rows[i], begin, ".") from None
    return floats


def _filled(missing: np.ndarray, values: np.ndarray) -> np.ndarray:
    result = np.full(len(missing), np.nan)
    result[~missing] = values
    return result


def _micro(moment: Any) -> int:
    """Microseconds since 1970-01-01, UTC where there is a time zone."""
    if isinstance(moment, np.datetime64):
        return int(moment.astype("datetime64[us]").astype(np.int64))
    if not isinstance(moment, dt.datetime):
        return int((moment - dt.date(1970, 1, 1)).days * 86_400_000_000)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC if moment.tzinfo is not None else None)
    return (moment - epoch) // dt.timedelta(microseconds=1)


def _days(moments: np.ndarray) -> np.ndarray:
    """Days since 1970-01-01, NaT as NaN."""
    micro = moments.astype("datetime64[us]")
    return np.where(np.isnat(micro), np.nan, micro.astype(np.int64) / DAY)


def _spans(spans: np.ndarray) -> np.ndarray:
    """Days of time differences, NaT as NaN."""
    micro = spans.astype("timedelta64[us]")
    return np.where(np.isnat(micro), np.nan, micro.astype(np.int64) / DAY)


def _levels(numbers: np.ndarray) -> Coded:
    """The distinct numbers, and each row's position among them."""
    levels, inverse = np.unique(numbers, return_inverse=True)
    codes = np.where(np.isnan(numbers), np.nan, inverse)
    return tuple(levels[~np.isnan(levels)].tolist()), codes


def _code(value: Any, known: dict[Any, float]) -> float:
    """The code of a value; a number also meets the text that it would be written as."""
    if value in known or not isinstance(value, (int, float)):
        return known.get(value, UNSEEN)
    if float(value).is_integer() and str(int(value)) in known:
        return known[str(int(value))]
    return known.get(repr(value), UNSEEN)


def _dates_from_text(name: str, categories: tuple[Any, ...], codes: np.ndarray, who: str) -> np.ndarray:
    """A date column given as ISO text."""
    days = np.empty(len(categories))
    for code, text in enumerate(categories):
        try:
            days[code] = _days(np.array([text], dtype="datetime64[us]"))[0]
        except (ValueError, TypeError):
            odd = [c for c, value in enumerate(categories) if not _is_iso_date(value)]
            row = int(np.flatnonzero(np.isin(codes, odd))[0])
            begin = f"{who}: column {name!r} held dates when the model was fitted; now it holds "
            after = ". Write dates as 2024-05-31, or convert them: assay.tables.clean(frame)."
            raise OddCell(SchemaError, row, begin + _short(categories[int(codes[row])]), after) from None
    present = ~np.isnan(codes)
    result = np.full(len(codes), np.nan)
    result[present] = days[codes[present].astype(np.intp)]
    return result


def _is_iso_date(text: Any) -> bool:
    try:
        np.datetime64(text, "us")
    except (ValueError, TypeError):
        return False
    return True


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
