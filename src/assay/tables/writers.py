"""Writing tables: CSV by RFC 4180, ARFF, Parquet, JSON lines, Feather."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.tables.marks import MISSING
from assay.tables.schema import Column
from assay.tables.table import Table
from assay.tables.whole_files import replacing
from assay.types import FileLike, TableLike, Target

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")
_MARKS = frozenset(MISSING)


_ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".arff": "arff", ".parquet": "parquet", ".pq": "parquet",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".feather": "feather", ".arrow": "feather",
}  # fmt: skip
_PACKERS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}


def write_table(X: TableLike, path: FileLike, y: Target | None = None, target: str | None = None) -> None:
    """Write a table in the format of the path's ending.

    ``.csv``, ``.tsv``, ``.arff`` and ``.jsonl`` or ``.ndjson`` (JSON lines) are text and may end in ``.gz``, ``.bz2``
    or ``.xz`` as well, to be packed; ``.parquet`` and ``.feather`` or ``.arrow`` keep the types of all columns.
    ``"-"`` is standard output, as CSV. A file is replaced when all of it is written, not before.

    Parameters
    ----------
    X : a frame of any library, a dict of columns, a Table, a Dataset, or what ``read_table`` gave
    path : str or Path
    y : sequence, default None
        A target, written as the last column; a Dataset or a file's content brings its own.
    target : str, default None
        The name of that column: "target" unless X knows one.

    Examples
    --------
    >>> from assay.tables import write_table
    >>> write_table({"weight": [190, 260], "taste": ["sweet", None]}, "-")
    weight,taste
    190,sweet
    260,
    """
    if isinstance(path, str) and path == "-":
        write_csv(X, path, y, target)
        return
    kind, _ = ending(path)
    if kind in ("csv", "tsv"):
        write_csv(X, path, y, target, "\t" if kind == "tsv" else ",")
    elif kind == "arff":
        write_arff(X, path, y, target)
    elif kind == "jsonl":
        with _json_file(path) as write:
            write(_arrow(X, y, target, "write_table"))
    else:
        with _arrow_file(path, kind) as write:
            write(_arrow(X, y, target, "write_table"))


def ending(path: Any) -> tuple[str, str]:
    """The format that a path's ending names, and how it is packed; a sentence if it names none.

    >>> ending("answers.parquet"), ending("answers.csv.gz")
    (('parquet', ''), ('csv', '.gz'))
    """
    suffixes = [s.lower() for s in Path(path).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in _PACKERS else ""
    kind = _ENDINGS.get(suffixes[-1] if suffixes else "")
    if kind is None or (packed and kind in ("parquet", "feather")):
        raise ParameterError(
            f"the ending of {str(path)!r} names no format that is written.",
            who="write_table",
            remedy=f"Endings: {', '.join(_ENDINGS)}; text also with {', '.join(_PACKERS)}.",
            code="unknown-ending",
        )
    return kind, packed


def write_csv(
    X: TableLike, path: FileLike, y: Target | None = None, target: str | None = None, delimiter: str = ","
) -> None:
    """Write a table as CSV: a header, CRLF after each row, quotes where a cell needs them, UTF-8.

    Missing is an empty cell. Numbers are written so that they read back as the same float; dates as ISO
    text; booleans as 1 and 0. Text that is a missing mark (``NA``, ``?``) or has spaces around it is
    quoted and reads back as it was. CSV has no types: text that is a number everywhere in its column reads
    back as numbers, and an empty text as missing.

    Parameters
    ----------
    X : a frame of any library, a dict of columns, a Table, a Dataset, or what ``read_table`` gave
    path : str or Path
        "-" is standard output, where lines end in LF.
    y : sequence, default None
        A target, written as the last column; a Dataset or a file's content brings its own.
    target : str, default None
        The name of that column: "target" unless X knows one.
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
    with _csv_file(path, delimiter) as write:
        write(frame)


@contextmanager
def table_file(path: FileLike, format: str | None = None) -> Iterator[Callable[[TableLike], None]]:
    """A table that is written block by block, in a format or that of the path's ending; it appears when all is written.

    Yields a function that takes the next rows: a frame of any library or a dict of columns, each block with the same
    columns. ARFF names all categories before the first row, so its blocks are held until the end.

    Examples
    --------
    >>> from assay.tables.writers import table_file
    >>> with table_file("-") as write:
    ...     write({"weight": [190], "taste": ["sweet"]})
    ...     write({"weight": [260], "taste": [None]})
    weight,taste
    190,sweet
    260,
    """
    kind = format or ("csv" if isinstance(path, str) and path == "-" else ending(path)[0])
    if kind == "arff":
        blocks: list[Any] = []
        yield lambda rows: blocks.append(_arrow(rows, None, None, "table_file"))
        write_arff(_joined(blocks), path)
        return
    if kind in ("csv", "tsv"):
        opened = _csv_file(path, "\t" if kind == "tsv" else ",")
    else:
        opened = _json_file(path) if kind == "jsonl" else _arrow_file(path, kind)
    with opened as write:
        yield lambda rows: write(_arrow(rows, None, None, "table_file"))


def _joined(blocks: list[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(blocks, promote_options="permissive").unify_dictionaries()


@contextmanager
def _csv_file(path: Any, delimiter: str) -> Iterator[Callable[[Any], None]]:
    """A CSV file to which Arrow tables are written, the first one with the header."""
    needs = frozenset((delimiter, '"', "\r", "\n"))
    stop = "\n" if isinstance(path, str) and path == "-" else "\r\n"
    begun = False

    def cell(text: str) -> str:
        edged = text[:1].isspace() or text[-1:].isspace() or text[:1] == "\ufeff"
        if edged or text in _MARKS or not needs.isdisjoint(text):
            return '"' + text.replace('"', '""') + '"'
        return text

    with _text_file(path) as file:

        def write(frame: Any) -> None:
            nonlocal begun
            if not begun:
                file.write(delimiter.join(cell(name) for name in frame.column_names) + stop)
                begun = True
            empty_cell = (
                '""' if frame.num_columns == 1 else ""
            )  # an empty line would be no row to other programs
            for block in frame.to_batches(max_chunksize=65536):
                columns = [
                    [empty_cell if v is None else cell(_text(v)) for v in _values(c)] for c in block.columns
                ]
                file.writelines(delimiter.join(row) + stop for row in zip(*columns))

        yield write


def write_arff(
    X: TableLike,
    path: FileLike,
    y: Target | None = None,
    target: str | None = None,
    weights: Sequence[float] | None = None,
    relation: str = "table",
) -> None:
    """Write a table as ARFF: kinds, categories and their order, dates, missing values, row weights.

    Text columns become nominal attributes, since that is what a learner sees in them; ordinal ones are
    nominal in the order of their categories. Dates are written to the millisecond.

    Parameters
    ----------
    X : a frame of any library, a dict of columns, a Table, a Dataset, or what ``read_table`` gave
    path : str or Path
    y : sequence, default None
        A target, written as the last attribute; a Dataset or a file's content brings its own.
    target : str, default None
        The name of that attribute: "class" unless X knows one.
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
    X, y, target = _taken_apart(X, y, target, "class")
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
    with _text_file(path) as file:
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


def _taken_apart(X: Any, y: Any, target: str | None, otherwise: str) -> tuple[Any, Any, str]:
    """Rows, target and its name; a Dataset and what ``read_table`` gives have a target of their own."""
    known = None
    if hasattr(X, "X") and hasattr(X, "y"):
        known = getattr(X, "target_name", None) or getattr(X, "target", None)
        X, y = X.X, X.y if y is None else y
    return X, y, target or known or otherwise


def _arrow(X: Any, y: Any, target: str | None, who: str) -> Any:
    """Any table as an Arrow table, with the target as its last column."""
    import pyarrow as pa

    X, y, target = _taken_apart(X, y, target, "target")
    if isinstance(X, pa.Table):
        frame = X
    elif isinstance(X, Mapping):
        frame = _of_mapping(X, who)
    elif not isinstance(X, Table) and _is_frame(X):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True).to_arrow()
    else:
        from assay.tables.frames import to_frame

        frame = to_frame(Table.of(X, who=who), "pyarrow")
    if len(set(frame.column_names)) != frame.num_columns:
        raise DataError("column names must differ.", who=who)
    if y is not None:
        _check_target(target, frame.column_names, y, frame.num_rows, who)
        values = y.tolist() if isinstance(y, np.ndarray) else list(y)
        frame = frame.append_column(target, pa.array(values, from_pandas=True))
    return frame


def _of_mapping(X: Mapping[Any, Any], who: str) -> Any:
    """A dict of columns as an Arrow table: whole numbers stay whole."""
    import pyarrow as pa

    try:
        columns = {
            str(name): values
            if isinstance(values, (pa.Array, pa.ChunkedArray))
            else pa.array(values, from_pandas=True)
            for name, values in X.items()
        }
        if len(columns) == len(X) and len({len(column) for column in columns.values()}) == 1:
            return pa.table(columns)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass  # values of several types, or no columns at all: the encoder has words for it
    from assay.tables.frames import to_frame

    return to_frame(Table.of(X, who=who), "pyarrow")


@contextmanager
def _text_file(path: Any) -> Iterator[Any]:
    """A file to write text to: standard output for "-", packed by its ending, replaced when all is written."""
    import importlib

    if isinstance(path, str) and path == "-":
        yield sys.stdout
        return
    packed = _PACKERS.get(Path(path).suffix.lower())
    opener: Any = open if packed is None else importlib.import_module(packed).open
    with replacing(path) as beside, opener(beside, "wt", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def _json_file(path: Any) -> Iterator[Callable[[Any], None]]:
    """A file of one object a line, to which Arrow tables are written; missing is null, a moment is ISO text."""
    import json

    def plain(value: Any) -> Any:
        return value if isinstance(value, (str, int, float)) else _json_value(value)

    with _text_file(path) as file:

        def write(frame: Any) -> None:
            names = frame.column_names
            for block in frame.to_batches(max_chunksize=65536):
                columns = [[None if v is None else plain(v) for v in _values(c)] for c in block.columns]
                for row in zip(*columns):
                    file.write(json.dumps(dict(zip(names, row)), ensure_ascii=False, allow_nan=False) + "\n")

        yield write


def _json_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_json_value(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _json_value(v) for k, v in value.items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (Decimal, dt.timedelta)):
        return float(value) if isinstance(value, Decimal) else value / dt.timedelta(days=1)
    return _text(value)


@contextmanager
def _arrow_file(path: Any, kind: str) -> Iterator[Callable[[Any], None]]:
    """A Parquet or Feather file, to which Arrow tables of one schema are written."""
    import pyarrow as pa

    writer: Any = None
    schema: Any = None
    with ExitStack() as open_files:
        beside = open_files.enter_context(replacing(path))

        def write(frame: Any) -> None:
            nonlocal writer, schema
            frame = frame if kind == "parquet" else frame.unify_dictionaries()
            if writer is None:
                if kind == "parquet":
                    import pyarrow.parquet as pq

                    writer = open_files.enter_context(pq.ParquetWriter(beside, frame.schema))
                else:
                    sink = open_files.enter_context(pa.OSFile(str(beside), "wb"))
                    writer = open_files.enter_context(pa.ipc.new_file(sink, frame.schema))
                schema = frame.schema
            writer.write_table(_of_schema(frame, schema), *(() if kind == "parquet" else (65536,)))

        yield write


def _of_schema(frame: Any, schema: Any) -> Any:
    """A block with the types of the first one."""
    import pyarrow as pa

    if frame.schema == schema:
        return frame
    try:
        return frame.cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise DataError(
            f"table_file: a block has columns of other types than the first one ({str(error).splitlines()[0]})."
        ) from None


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape") and all(isinstance(c, str) for c in X.columns)


def _check_target(target: str, names: Sequence[str], y: Any, n: int, who: str) -> None:
    if target in names:
        raise DataError(f"there is a column {target!r} already. Give the target another name.", who=who)
    if len(y) != n:
        raise DataError(f"y has {len(y)} values, the table {n} rows.", who=who)


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
