"""One way into every file: ``read_table``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import SchemaError
from assay.tables.readers.source import check_file, complain, unpacked
from assay.tables.schema import Schema
from assay.tables.table import Table

_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".data": "csv", ".dat": "csv",
    ".parquet": "parquet", ".pq": "parquet",
    ".arff": "arff",
    ".libsvm": "libsvm", ".svmlight": "libsvm", ".svm": "libsvm",
}  # fmt: skip
_PACKED = {".gz", ".bz2", ".xz"}


@dataclass(repr=False)
class Data:
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
    format : "csv", "parquet", "arff" or "libsvm"
    relation : str, default ""
        The name that an ARFF file gives to its table.
    groups : (n,) array or None
        The query numbers (qid) of a LIBSVM file.
    """

    X: Any
    y: np.ndarray | None
    weights: np.ndarray | None
    target: str | None
    path: str
    format: str
    relation: str = ""
    groups: np.ndarray | None = None

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
        return self.X.schema.names

    @property
    def default_target(self) -> str | None:
        """The column that is the target if nothing is said: the last one of an ARFF file."""
        if self.target is not None:
            return self.target
        return self.names[-1] if self.format == "arff" and self.names else None

    def column(self, name: str) -> np.ndarray:
        """One column of X in its own values."""
        if name not in self.names:
            raise SchemaError(_no_column(self.path, name, self.names))
        if isinstance(self.X, Table):
            j = self.X.schema.index(name)
            return np.asarray(self.X.values[:, [j]].todense()).ravel()
        return labels(self.X[name])

    def __len__(self) -> int:
        return self.X.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        target = "" if self.target is None else f", target {self.target!r}"
        head = f"{Path(self.path).name}: {_many(rows, 'row')}, {_many(columns, 'column')}{target}"
        return f"{head}\n{self.schema!r}" if rows and columns else head


def read_table(
    path: Any,
    target: str | int | None = None,
    weights: str | None = None,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    **options: Any,
) -> Data:
    """Read a file into memory: columns, target, row weights.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, Parquet, ARFF or LIBSVM; text may be packed with gzip, bzip2 or xz.
    target : str or int, default None
        The column to predict: its name, or its position (-1 is the last one). "auto" takes the last
        column of an ARFF file and none of other files. LIBSVM files bring their labels in any case.
    weights : str, default None
        The column that holds row weights. An ARFF file may bring weights of its own.
    columns : sequence of str, default None
        Read these columns only; target and weights come in any case.
    format : "csv", "parquet", "arff" or "libsvm", default None
        None goes by the file's name, and by its first bytes where the name says nothing.
    **options
        Passed on to the format's reader: ``CsvReader`` knows delimiter, quote, escape, comment, decimal,
        header, skip, encoding and text, ``ArffReader`` relational and encoding, ``read_libsvm`` zero_based,
        width and encoding.

    Returns
    -------
    Data
        With ``X``, ``y``, ``weights``, ``table``, ``schema``, ``names``; unpacks as ``X, y``.
    """
    kind = format or format_of(path)
    if kind == "libsvm":
        from assay.tables.readers.libsvm import read_libsvm

        for option, value in (("weights", weights), ("columns", columns)):
            if value is not None:
                raise complain(path, f"a LIBSVM file has no named columns, so {option}= has no meaning here.")
        if target not in (None, "auto", "label"):
            raise SchemaError(_no_column(path, target, ["label"]))
        return _take_libsvm(path, read_libsvm(path, **_known(path, kind, read_libsvm, options)))
    reader = open_reader(path, kind, **options)
    target = _find(path, target, reader.names, kind)
    wanted = None
    for name in (weights, *(columns or ())):
        if name is not None and name not in reader.names:
            raise SchemaError(_no_column(path, name, reader.names))
    if columns is not None:
        wanted = list(dict.fromkeys([*columns, *(n for n in (target, weights) if n is not None)]))
    frame = reader.read(wanted)
    y = None if target is None else labels(frame[target])
    w = getattr(reader, "weights", None)
    if weights is not None:
        w = _weights(path, weights, frame[weights])
    X = frame.select([n for n in frame.column_names if n not in (target, weights)])
    return Data(X, y, w, target, str(path), kind, getattr(reader, "relation", ""))


def format_of(path: Any) -> str:
    """The format of a file, by its name, or else by its first bytes."""
    file = check_file(path)
    with unpacked(file) as stream:
        head = stream.read(4096)
    if head[:4] == b"PAR1":
        return "parquet"
    suffixes = [s.lower() for s in file.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in (".csv", ".tsv", ".tab", ".parquet", ".pq", ".arff", ".libsvm", ".svmlight", ".svm"):
        return _FORMATS[suffix]
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


def open_reader(path: Any, kind: str, **options: Any) -> Any:
    """The reader of a format, opened on a file."""
    from assay.tables.readers.arff import ArffReader
    from assay.tables.readers.csv import CsvReader
    from assay.tables.readers.parquet import ParquetReader

    readers: dict[str, Any] = {"csv": CsvReader, "parquet": ParquetReader, "arff": ArffReader}
    if kind not in readers:
        raise complain(path, f"there is no format {kind!r}; expected csv, parquet, arff or libsvm.")
    return readers[kind](path, **_known(path, kind, readers[kind], options))


def _known(path: Any, kind: str, reader: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options, if the reader knows them all."""
    from inspect import signature

    names = list(signature(reader).parameters)[1:]
    for option in options:
        if option not in names:
            raise complain(path, f"the {kind} reader has no option {option!r}. Options: {', '.join(names)}.")
    return options


def labels(column: Any) -> np.ndarray:
    """An Arrow column as an array of its own values; missing is None, or NaN among numbers."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_boolean(kind) and not column.null_count:
        return column.to_numpy(zero_copy_only=False)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return column.to_numpy(zero_copy_only=False)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return column.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
    result = np.empty(len(column), dtype=object)
    result[:] = column.to_pylist()
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
        raise SchemaError(_no_column(path, target, names))
    return target


def _no_column(path: Any, name: Any, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    return f"{path}: there is no column {name!r}.{hint} Columns: {shown}."


def _weights(path: Any, name: str, column: Any) -> np.ndarray:
    values = labels(column)
    if values.dtype.kind not in "iuf" or np.isnan(values.astype(float)).any() or (values < 0).any():
        raise complain(path, "row weights must be numbers from 0 up, none missing.", column=name)
    return values.astype(np.float64)


def _take_libsvm(path: Any, parts: Any) -> Data:
    X, y, groups = parts
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema.numeric(len(names))
    complete = not np.isnan(X.data).any()
    return Data(Table(X, schema, complete), y, None, "label", str(path), "libsvm", groups=groups)


def _many(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
