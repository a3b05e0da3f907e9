"""One way into every file: ``read_table``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import SchemaError
from assay.tables.cleaning import Cleaning
from assay.tables.readers.column_options import ColumnOptions, no_column
from assay.tables.readers.origin import Origin, complain
from assay.tables.schema import Schema
from assay.tables.table import Table
from assay.types import FileLike

FORMATS = ("csv", "parquet", "arff", "libsvm", "jsonl", "feather", "excel")

_ENDINGS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv",
    ".parquet": "parquet", ".pq": "parquet",
    ".arff": "arff",
    ".libsvm": "libsvm", ".svmlight": "libsvm", ".svm": "libsvm",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".feather": "feather", ".arrow": "feather", ".ipc": "feather",
    ".xlsx": "excel", ".xlsm": "excel",
}  # fmt: skip


@dataclass(repr=False)
class FileData:
    """What a file holds, its target apart: ``X, y = read_table(path, target="class")``.

    Parameters
    ----------
    X : pyarrow table, or a sparse Table for LIBSVM
        The columns besides target and weights, as the file has them; every learner takes it.
    y : (n,) array or None
        The labels as the file has them: text, whole numbers, numbers. Missing is None among text, NaN
        among numbers.
    weights : (n,) float array or None
        Row weights: of an ARFF file, or of the column asked for.
    target : str or None
        The name of the target column.
    path : str
    format : "csv", "parquet", "arff", "libsvm", "jsonl", "feather" or "excel"
    relation : str, default ""
        The name that an ARFF file gives to its table.
    groups : (n,) array or None
        The query numbers (qid) of a LIBSVM file.
    cleaned : Cleaning or None
        What was cleaned, if that was asked for.
    """

    X: Any
    y: np.ndarray | None
    weights: np.ndarray | None
    target: str | None
    path: str
    format: str
    relation: str = ""
    groups: np.ndarray | None = None
    cleaned: Cleaning | None = None

    @cached_property
    def table(self) -> Table:
        """X in numbers, with its schema."""
        return Table.of(self.X, who=Path(self.path).name)

    @property
    def schema(self) -> Schema:
        """The columns of X: names, kinds, categories."""
        return self.table.schema

    @property
    def names(self) -> list[str]:
        """The names of the columns of X."""
        names: list[str] = self.X.schema.names
        return names

    @property
    def default_target(self) -> str | None:
        """The column that is the target if nothing is said: the last one of an ARFF file."""
        if self.target is not None:
            return self.target
        return self.names[-1] if self.format == "arff" and self.names else None

    def column(self, name: str) -> np.ndarray:
        """One column of X in its own values."""
        if name not in self.names:
            raise SchemaError(no_column(self.path, name, self.names))
        if isinstance(self.X, Table):
            j = self.X.schema.index(name)
            return np.asarray(self.X.values[:, [j]].todense()).ravel()
        return labels(self.X[name])

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        target = "" if self.target is None else f", target {self.target!r}"
        head = f"{Path(self.path).name}: {_many(rows, 'row')}, {_many(columns, 'column')}{target}"
        return f"{head}\n{self.schema!r}" if rows and columns else head

    def _repr_html_(self) -> str:
        from html import escape

        rows, columns = self.X.shape
        head = escape(repr(self).splitlines()[0])
        return f"<p>{head}</p>{self.table._repr_html_()}" if rows and columns else f"<p>{head}</p>"


def read_table(
    path: FileLike | Origin,
    target: str | int | None = None,
    weights: str | None = None,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    *,
    drop: str | Sequence[str] = (),
    nominal: str | Sequence[str] = (),
    numeric: str | Sequence[str] = (),
    na: str | float | Sequence[str | float] = (),
    clean: bool | str | Sequence[str] = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    **options: Any,
) -> FileData:
    """Read a file into memory: columns, target, row weights.

    Parameters
    ----------
    path : str, Path, file object or "-"
        CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines (or an array of JSON objects), Feather (Arrow IPC) or Excel;
        plain, packed with gzip, bzip2 or xz, or alone in a zip file. "-" is standard input.
    target : str or int, default None
        The column to predict: its name, or its position (-1 is the last one). "auto" takes the last
        column of an ARFF file and none of other files. LIBSVM files bring their labels in any case.
    weights : str, default None
        The column that holds row weights. An ARFF file may bring weights of its own.
    columns : sequence of str, default None
        Read these columns only; target and weights come in any case.
    format : "csv", "parquet", "arff", "libsvm", "jsonl", "feather" or "excel", default None
        None goes by the file's name, and by its first bytes where the name says nothing.
    drop : str or sequence of str
        Columns to leave out.
    nominal : str or sequence of str
        Columns that hold categories, even if they look like numbers; codes such as 007 stay as they are.
    numeric : str or sequence of str
        Columns that hold numbers. Cells that are no numbers are an error that lists them.
    na : str, number or a sequence of them
        Further marks of missing values: ``na=["unknown", -999]``.
    clean : bool, str or sequence of str, default False
        True, or the columns where text that means numbers or dates is turned into them and spellings of one category
        are joined, as ``assay.tables.clean`` does; ``cleaned`` says what was done.
    delimiter : str, default None
        What divides the cells of a CSV file; None tells it.
    encoding : str, default None
        The encoding of a text file; None tells it.
    **options
        Passed on to the format's reader: ``CsvReader`` knows quote, escape, comment, decimal, header, skip and text,
        ``ArffReader`` relational, ``ExcelReader`` sheet, ``read_libsvm`` zero_based and width.

    Returns
    -------
    FileData
        With ``X``, ``y``, ``weights``, ``table``, ``schema``, ``names``; unpacks as ``X, y``.

    Examples
    --------
    >>> import io
    >>> from assay.tables import read_table
    >>> text = "id,zip,size,good\\n1,01067,12,yes\\n2,80331,unknown,no\\n"
    >>> read_table(io.StringIO(text), target="good", drop="id", nominal="zip", na="unknown")
    the stream: 2 rows, 2 columns, target 'good'
    Schema: 2 columns
      zip   nominal  01067, 80331
      size  numeric
    """
    wishes = ColumnOptions.of(drop, nominal, numeric, na, clean)
    origin = Origin.of(path)
    kind = format or format_of(origin)
    options |= {k: v for k, v in (("delimiter", delimiter), ("encoding", encoding)) if v is not None}
    if kind == "libsvm":
        without_meaning = {
            "weights": weights,
            "columns": columns,
            "drop": drop,
            "nominal": nominal,
            "numeric": numeric,
            "na": na,
        }
        return _read_libsvm(origin, target, without_meaning, options)
    reader = open_reader(origin, kind, wishes, **options)
    wishes.check(origin, reader.names)
    target = _find(origin, target, reader.names, kind)
    for name in (weights, *(columns or ())):
        if name is not None and name not in reader.names:
            raise SchemaError(no_column(origin, name, reader.names))
    for name, role in ((target, "target"), (weights, "weights")):
        if name is not None and name in wishes.drop:
            raise SchemaError(f"{origin}: column {name!r} is {role}= and named by drop=; choose one.")
    wanted = None
    if columns is not None or wishes.drop:
        some = reader.names if columns is None else columns
        wanted = list(dict.fromkeys([*some, *(n for n in (target, weights) if n is not None)]))
        wanted = [name for name in wanted if name not in wishes.drop]
    frame, cleaned = wishes.apply(reader.read(wanted), origin, reader)
    y = None if target is None else labels(frame[target])
    w = getattr(reader, "weights", None)
    if weights is not None:
        w = _weights(origin, weights, frame[weights], reader)
    X = frame.select([n for n in frame.column_names if n not in (target, weights)])
    return FileData(X, y, w, target, origin.name, kind, getattr(reader, "relation", ""), cleaned=cleaned)


def _read_libsvm(
    origin: Origin, target: Any, without_meaning: dict[str, Any], options: dict[str, Any]
) -> FileData:
    from assay.tables.readers.libsvm import read_libsvm

    for option, value in without_meaning.items():
        if value is not None and value != ():
            raise complain(origin, f"a LIBSVM file has no named columns, so {option}= has no meaning here.")
    if target not in (None, "auto", "label"):
        raise SchemaError(no_column(origin, target, ["label"]))
    X, y, groups = read_libsvm(origin, **_known(origin, "libsvm", read_libsvm, options))
    complete = not np.isnan(X.data).any()
    table = Table(X, Schema.numeric(X.shape[1]), complete)
    return FileData(table, y, None, "label", origin.name, "libsvm", groups=groups)


def format_of(path: Any) -> str:
    """The format of a file, by its name, or else by its first bytes."""
    origin = Origin.of(path)
    if origin.is_workbook:
        return "excel"
    with origin.unpacked() as stream:
        head = stream.read(4096)
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:6] == b"ARROW1" or head[:4] in (b"FEA1", b"\xff\xff\xff\xff"):
        return "feather"
    if origin.suffix in _ENDINGS:
        return _ENDINGS[origin.suffix]
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise complain(
            origin, "this is an old Excel file (.xls) or another Office file. Save it as .xlsx or CSV."
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if (text[:1] == b"{" and text[1:].lstrip()[:1] in (b'"', b"}")) or (
        text[:1] == b"[" and text[1:].lstrip()[:1] in (b"{", b"]")
    ):
        return "jsonl"
    for line in head.replace(b"\r", b"\n").split(b"\n"):
        line = line.strip().lower()
        if line.startswith((b"@relation", b"@attribute")):
            return "arff"
        if line and not line.startswith((b"%", b"#")):
            label, *pairs = line.split()
            paired = (
                pairs
                and all(p.partition(b":")[0].isalnum() and b":" in p for p in pairs)
                and _is_number(label)
            )
            return "libsvm" if paired and b"," not in line else "csv"
    return "csv"


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def open_reader(path: Any, kind: str, wishes: ColumnOptions | None = None, **options: Any) -> Any:
    """The reader of a format, opened on a file; it gets what of the wishes it must know while it reads."""
    from assay.tables.readers.arff import ArffReader
    from assay.tables.readers.csv import CsvReader
    from assay.tables.readers.excel import ExcelReader
    from assay.tables.readers.feather import FeatherReader
    from assay.tables.readers.json_lines import JsonReader
    from assay.tables.readers.parquet import ParquetReader

    readers: dict[str, Any] = {
        "csv": CsvReader, "parquet": ParquetReader, "arff": ArffReader, "jsonl": JsonReader,
        "feather": FeatherReader, "excel": ExcelReader,
    }  # fmt: skip
    if kind not in readers:
        raise complain(path, f"there is no format {kind!r}; expected one of {', '.join(FORMATS)}.")
    options = dict(_known(path, kind, readers[kind], options))
    if wishes is not None and wishes.na and "na" in _parameters(readers[kind]):
        options["na"] = wishes.na
    if wishes is not None and wishes.nominal and kind == "csv":
        text = options.get("text", ())
        options["text"] = [*([text] if isinstance(text, str) else text), *wishes.nominal]
    return readers[kind](path, **options)


def _parameters(reader: Any) -> list[str]:
    from inspect import signature

    return list(signature(reader).parameters)


def _known(path: Any, kind: str, reader: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options, if the reader knows them all."""
    if not options:
        return options
    names = [name for name in _parameters(reader)[1:] if name != "na"]
    for option in options:
        if option not in names:
            has = f" Options: {', '.join(names)}." if names else ""
            raise complain(path, f"the {kind} reader has no option {option!r}.{has}")
    return options


def labels(column: Any) -> np.ndarray:
    """An Arrow column as an array of its own values; missing is None, or NaN among numbers."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    kind = column.type
    dates = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if dates or numbers or (pa.types.is_boolean(kind) and not column.null_count):
        column = column.cast(pa.timestamp("us")) if dates else column
        values: np.ndarray = column.to_numpy(zero_copy_only=False)
        return values
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _shared(column.dictionary_encode())
    result = np.empty(len(column), dtype=object)
    result[:] = column.to_pylist()
    return result


def _shared(column: Any) -> np.ndarray:
    """Text by its dictionary: equal cells are one Python object, made once."""
    values = np.empty(len(column.dictionary) + 1, dtype=object)  # the last one stands for missing cells
    values[:-1] = column.dictionary.to_pylist()
    codes = column.indices.fill_null(len(column.dictionary)) if column.null_count else column.indices
    result: np.ndarray = values[codes.to_numpy(zero_copy_only=False)]
    return result


def _find(path: Any, target: str | int | None, names: list[str], kind: str) -> str | None:
    """The target's name."""
    if target is None or (target == "auto" and target not in names):
        return names[-1] if target == "auto" and kind == "arff" else None
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        if not -len(names) <= target < len(names):
            raise SchemaError(
                f"{path}: there is no column number {target}; it has {_many(len(names), 'column')}."
            )
        return names[target]
    if target not in names:
        raise SchemaError(no_column(path, target, names))
    return target


def _weights(path: Any, name: str, column: Any, reader: Any) -> np.ndarray:
    values = labels(column)
    weights = [_weight(v) for v in values.tolist()]
    if None not in weights:
        return np.array(weights, dtype=np.float64)
    row = weights.index(None)
    value = values.tolist()[row]
    lines_of = getattr(reader, "lines_of", None)
    line = None if lines_of is None else lines_of([row])[0]
    where = "" if line is not None else f" in row {row + 1}"
    cell = "an empty cell" if value is None or value != value else repr(value)
    raise complain(
        path, f"row weights must be numbers from 0 up, none missing; got {cell}{where}.", line, name
    )


def _weight(value: Any) -> float | None:
    """A weight, or None for what is none."""
    try:
        weight = float(value)
    except (TypeError, ValueError):
        return None
    return weight if 0 <= weight < np.inf else None


def _many(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
