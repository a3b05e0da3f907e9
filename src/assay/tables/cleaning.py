"""Columns that need a doctor: numbers and dates that are text, categories in several spellings; mended on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import ParameterError, SchemaError
from assay.tables.remedies import Remedy, recognise, spelling_key
from assay.tables.schema import Schema
from assay.types import TableLike

__all__ = ["Cleaning", "clean", "remedy_of"]


@dataclass(frozen=True)
class Cleaning:
    """What ``clean`` did, column by column; ``print`` it for text.

    Attributes
    ----------
    done : dict of column to what was done
    left : dict of column that was asked for to why nothing was done
    """

    done: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"column {name}: {words}." for name, words in (self.done | self.left).items()]
        return "\n".join(lines) or "Nothing to clean."

    __repr__ = __str__


def clean(
    X: TableLike,
    columns: bool | str | Sequence[str] = True,
    like: Schema | None = None,
    day_first: bool | None = None,
) -> tuple[Any, Cleaning]:
    """Turn text that means numbers or dates into them, and join spellings of one category.

    Recognised are currency signs and thousands separators (``$22,887.15``), percent signs (``51.7%`` becomes 51.7),
    units (if all are the same), numbers except for a few words such as ``unknown`` (which become missing), the usual
    forms of dates and times (``01.01.2020 00:00``), and categories that differ only in capitals and spaces (``Yes``,
    ``yes``).
    Text that could mean two things is left as it is: several currencies, several units, dates such as 01/02/2020
    without any other that tells the day from the month, and codes such as 007.

    Parameters
    ----------
    X : a frame of pandas, polars or pyarrow, or a dict of columns
    columns : True, or the name of a column or several
        Which columns may change; True looks at all that hold text.
    like : Schema, default None
        The schema of a fitted model (``model.schema_``): text becomes numbers or dates where the model has them, and
        categories get the spelling that the model knows.
    day_first : bool, default None
        Whether 01/02/2020 is the first of February. None goes by the other dates of the column.

    Returns
    -------
    frame of the same kind, and a ``Cleaning`` that says what was done

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.tables import clean
    >>> frame = pd.DataFrame({"price": ["$1,200.50", "$80", "unknown"], "good": ["Yes", "no", "yes"]})
    >>> cleaned, report = clean(frame)
    >>> cleaned
        price good
    0  1200.5  Yes
    1    80.0   no
    2     NaN  Yes
    >>> print(report)
    column price: text such as '$1,200.50' is numbers now, 'unknown' missing (1 row).
    column good: categories that differ in capitals or spaces inside only are one now ('Yes', 'yes').
    """
    names, arrow = _columns(X)
    wanted = _wanted(columns, names)
    report, changed = Cleaning(), {}
    for name in names:
        if name not in wanted:
            continue
        remedy = remedy_of(arrow[name], *_like(like, name), day_first)
        if remedy is not None:
            changed[name] = apply(arrow[name], remedy)
            report.done[name] = remedy.deed
        elif columns is not True:
            report.left[name] = _why(arrow[name])
    return _with(X, changed), report


def remedy_of(
    column: Any, kind: str | None = None, spellings: Sequence[Any] = (), day_first: bool | None = None
) -> Remedy | None:
    """What an Arrow column of text should be; ``spellings`` are categories known from elsewhere."""
    texts, counts = _distinct(column)
    if texts is None:
        return None
    if not spellings:
        return recognise(texts, counts, kind, day_first)
    known = {spelling_key(v): v for v in spellings if isinstance(v, str)}
    values = {text: text if text in spellings else known.get(spelling_key(text), text) for text in texts}
    new = [text for text in texts if values[text] != text]
    if not new:
        return None
    return Remedy("spelling", "capitals or spaces", f"{new[0]!r}, {values[new[0]]!r}", values, {})


def apply(column: Any, remedy: Remedy) -> Any:
    """An Arrow column of text with each text's value."""
    import pyarrow as pa

    flat = _flat(column)
    if pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_decode()
    encoded = flat.cast(pa.string()).dictionary_encode()
    values = [remedy.values[text] for text in encoded.dictionary.to_pylist()]
    if remedy.kind == "numbers":
        mended = pa.array(values, pa.float64())
    elif remedy.kind == "dates":
        mended = pa.array(values, pa.timestamp("us"))
        if remedy.words == "dates":
            mended = mended.cast(pa.date32())
    else:
        mended = pa.array(values, pa.string())
    return mended.take(encoded.indices)


def _distinct(column: Any) -> tuple[list[str] | None, list[int]]:
    """The distinct texts of a column and their numbers of rows; None if it holds no text."""
    import pyarrow as pa

    from assay.tables.readers.kinds import is_text

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not is_text(kind):
        return None, []
    flat = _flat(column)
    flat = flat.dictionary_decode() if pa.types.is_dictionary(flat.type) else flat
    counts = flat.drop_null().value_counts()
    return counts.field("values").to_pylist(), counts.field("counts").to_pylist()


def _flat(column: Any) -> Any:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    column = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
    flat = column.combine_chunks()
    return flat.chunk(0) if isinstance(flat, pa.ChunkedArray) else flat


def _like(schema: Schema | None, name: str) -> tuple[str | None, Sequence[Any]]:
    """What a schema says of a column: the kind of remedy, or the spellings that it knows."""
    if schema is None or name not in schema.names:
        return None, ()
    column = schema[name]
    if column.coded:
        return "spelling", column.categories
    return ("dates" if column.date else "numbers"), ()


def _why(column: Any) -> str:
    texts, _ = _distinct(column)
    if texts is None:
        return "left as it is; it holds no text"
    if not texts:
        return "left as it is; it holds nothing"
    return f"left as it is; values such as {texts[0]!r} are categories, or can mean more than one thing"


def _wanted(columns: Any, names: list[str]) -> set[str]:
    if columns is True:
        return set(names)
    if columns is False or columns is None:
        return set()
    asked = [columns] if isinstance(columns, str) else list(columns)
    for name in asked:
        if name not in names:
            raise SchemaError(f"clean: there is no column {name!r}. Columns: {', '.join(names)}.")
    return set(asked)


def _columns(X: Any) -> tuple[list[str], dict[str, Any]]:
    """The columns of a frame as Arrow arrays; those of mixed values stay out, for nothing is done to them."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    if isinstance(X, dict):
        X = pa.table({str(name): pa.array(values, from_pandas=True) for name, values in X.items()})
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise ParameterError(
            f"clean: expected a frame of pandas, polars or pyarrow, or a dict of columns, got {type(X).__name__}."
        ) from None
    arrow = {}
    for name in frame.columns:
        try:
            arrow[name] = frame[name].to_arrow()
        except (pa.ArrowException, TypeError, ValueError):  # numbers and text in one column of pandas
            arrow[name] = pa.array([None if v is None or v != v else str(v) for v in frame[name].to_list()])
    return list(arrow), arrow


def _with(X: Any, changed: dict[str, Any]) -> Any:
    """The frame with some columns exchanged."""
    import pyarrow as pa

    if isinstance(X, dict):
        return {**X, **{name: column.to_pylist() for name, column in changed.items()}}
    if not changed:
        return X
    if isinstance(X, pa.Table):
        for name, column in changed.items():
            X = X.set_column(X.column_names.index(name), name, column)
        return X
    if hasattr(X, "assign"):  # pandas
        return X.assign(**{name: _pandas(column) for name, column in changed.items()})
    import polars as pl

    return X.with_columns([pl.Series(name, pl.from_arrow(column)) for name, column in changed.items()])


def _pandas(column: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("us"))
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values
