"""Writing tables: CSV by RFC 4180, and ARFF."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.tables.readers.kinds import MISSING
from assay.tables.schema import Column
from assay.tables.table import Table
from assay.tables.whole_files import whole_file

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")
_MARKS = frozenset(MISSING)


def write_csv(X: Any, path: Any, y: Any = None, target: str = "target", delimiter: str = ",") -> None:
    """Write a table as CSV: a header, CRLF after each row, quotes where a cell needs them, UTF-8.

    Missing is an empty cell. Numbers are written so that they read back as the same float; dates as ISO
    text; booleans as 1 and 0. Text that is a missing mark (``NA``, ``?``) or has spaces around it is
    quoted and reads back as it was. CSV has no types: text that is a number everywhere in its column reads
    back as numbers, and an empty text as missing.

    Parameters
    ----------
    X : Table or any table that ``Table.of`` takes
    path : str or Path
    y : sequence, default None
        A target, written as the last column.
    target : str, default "target"
        The name of that column.
    delimiter : str, default ","

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from assay.tables.writers import write_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "apples.csv"
    >>> write_csv({"weight": [190.0, None], "taste": ["sweet", "sour, very"]}, path, y=["yes", "no"])
    >>> print(path.read_text().strip())
    weight,taste,target
    190.0,sweet,yes
    ,"sour, very",no
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise DataError(
            f"write_csv: delimiter must be one character, not a quote or a line end, got {delimiter!r}."
        )
    frame = _arrow(X, y, target, "write_csv")
    needs = frozenset((delimiter, '"', "\r", "\n"))
    alone = frame.num_columns == 1

    def cell(text: str) -> str:
        edged = text[:1].isspace() or text[-1:].isspace() or text[:1] == "\ufeff"
        if edged or text in _MARKS or not needs.isdisjoint(text):
            return '"' + text.replace('"', '""') + '"'
        return text

    hole = '""' if alone else ""  # an empty line would be no row to other programs
    with whole_file(path) as file:
        file.write(delimiter.join(cell(name) for name in frame.column_names) + "\r\n")
        for block in frame.to_batches(max_chunksize=65536):
            columns = [[hole if v is None else cell(_text(v)) for v in _values(c)] for c in block.columns]
            file.writelines(delimiter.join(row) + "\r\n" for row in zip(*columns))


def write_arff(
    X: Any,
    path: Any,
    y: Any = None,
    target: str = "class",
    weights: Sequence[float] | None = None,
    relation: str = "table",
) -> None:
    """Write a table as ARFF: kinds, categories and their order, dates, missing values, row weights.

    Text columns become nominal attributes, since that is what a learner sees in them; ordinal ones are
    nominal in the order of their categories. Dates are written to the millisecond.

    Parameters
    ----------
    X : Table or any table that ``Table.of`` takes
    path : str or Path
    y : sequence, default None
        A target, written as the last attribute.
    target : str, default "class"
        The name of that attribute.
    weights : sequence of float, default None
        Row weights.
    relation : str, default "table"

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from assay.tables.writers import write_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "apples.arff"
    >>> write_arff({"weight": [190.0, None], "taste": ["sweet", "very sour"]}, path, relation="apples")
    >>> print(path.read_text().strip())
    @relation apples
    <BLANKLINE>
    @attribute weight numeric
    @attribute taste {sweet,'very sour'}
    <BLANKLINE>
    @data
    190.0,sweet
    ?,'very sour'
    """
    table = Table.of(X, who="write_arff")
    if not isinstance(table.values, np.ndarray):
        table = Table(table.values.toarray(), table.schema, table.complete, table.unseen)
    parts = [(column, table.values[:, j]) for j, column in enumerate(table.schema)]
    n = table.shape[0]
    if y is not None:
        _check_target(target, table.schema.names, y, n, "write_arff")
        last = Table.of({target: y}, who="write_arff")
        parts.append((last.schema[0], last.values[:, 0]))
    w = None if weights is None else np.asarray(weights, dtype=np.float64)
    if w is not None and (w.shape != (n,) or not np.all(np.isfinite(w) & (w >= 0))):
        raise DataError(f"write_arff: weights must be {n} numbers from 0 up.")
    if any(column.coded and (values < 0).any() for column, values in parts):
        name = next(c.name for c, v in parts if c.coded and (v < 0).any())
        raise DataError(f"write_arff: column {name!r} holds values that are none of its categories.")
    with whole_file(path, newline="\n") as file:
        file.write(f"@relation {_quoted(relation)}\n\n")
        writers = []
        for column, values in parts:
            kind, write = _attribute(column, values)
            file.write(f"@attribute {_quoted(column.name)} {kind}\n")
            writers.append(write)
        file.write("\n@data\n")
        for start in range(0, n, 65536):
            block = [
                ["?" if np.isnan(v) else write(v) for v in values[start : start + 65536].tolist()]
                for (_, values), write in zip(parts, writers)
            ]
            if w is not None:
                block.append([f"{{{v!r}}}" for v in w[start : start + 65536].tolist()])
            file.writelines(",".join(row) + "\n" for row in zip(*block))


def _attribute(column: Column, values: np.ndarray) -> tuple[str, Callable[[float], str]]:
    """An attribute's type, and how its values are written."""
    if column.coded:
        names = [_quoted(_text(value)) for value in column.categories]
        return "{" + ",".join(names) + "}", lambda code: names[int(code)]
    if not column.date:
        return "numeric", repr
    from assay.tables.readers.dates import DatePattern

    micro = np.round(values[~np.isnan(values)] * 86400e6)
    if not (micro % 86400e6).any():
        form = "yyyy-MM-dd"
    else:
        form = "yyyy-MM-dd'T'HH:mm:ss" + (".SSS" if (micro % 1e6).any() else "")
    pattern, epoch = DatePattern(form), dt.datetime(1970, 1, 1)
    return f'date "{form}"', lambda days: pattern.write(
        epoch + dt.timedelta(microseconds=round(days * 86400e6))
    )


def _quoted(text: str) -> str:
    """A name or value of ARFF, in quotes unless it is plain."""
    if text and _PLAIN.issuperset(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("%", "\\%")
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t").replace("\0", "\\u0000")
    return f"'{escaped}'"


def _arrow(X: Any, y: Any, target: str, who: str) -> Any:
    """Any table as an Arrow table, with the target as its last column."""
    import pyarrow as pa

    if isinstance(X, pa.Table):
        frame = X
    elif not isinstance(X, Table) and _is_frame(X):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True).to_arrow()
    else:
        from assay.tables.frames import to_frame

        frame = to_frame(Table.of(X, who=who), "pyarrow")
    if len(set(frame.column_names)) != frame.num_columns:
        raise DataError(f"{who}: column names must differ.")
    if y is not None:
        _check_target(target, frame.column_names, y, frame.num_rows, who)
        values = y.tolist() if isinstance(y, np.ndarray) else list(y)
        frame = frame.append_column(target, pa.array(values, from_pandas=True))
    return frame


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape") and all(isinstance(c, str) for c in X.columns)


def _check_target(target: str, names: Sequence[str], y: Any, n: int, who: str) -> None:
    if target in names:
        raise DataError(f"{who}: there is a column {target!r} already. Give the target another name.")
    if len(y) != n:
        raise DataError(f"{who}: y has {len(y)} values, the table {n} rows.")


def _values(column: Any) -> Iterator[Any]:
    """Python values of an Arrow column; NaN is None."""
    for value in column.to_pylist():
        yield None if isinstance(value, (float, Decimal)) and value != value else value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(" ") + "Z"
        return value.isoformat(" ")
    if isinstance(value, dt.timedelta):
        return repr(value / dt.timedelta(days=1))
    if isinstance(value, (list, dict)):
        raise DataError("write_csv: a column holds lists or records, which CSV cannot hold.")
    return str(value)
