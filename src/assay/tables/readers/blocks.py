"""Files larger than memory, block by block."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import ReadError, SchemaError
from assay.tables.readers import kinds
from assay.tables.readers.column_options import ColumnOptions, no_column
from assay.tables.readers.csv import CsvReader
from assay.tables.readers.json_lines import JsonReader
from assay.tables.readers.origin import Origin, complain
from assay.tables.readers.read import format_of, open_reader

_TYPED = ("csv", "jsonl")  # formats whose columns get their type from all rows


class Blocks:
    """The rows of one or more files as Arrow tables, as often as they are asked for.

    Iterating gives blocks of ``rows`` rows (the last one of a file may be shorter), each with the same
    columns and types. The types of CSV columns come from all rows of all files, so a column that is text
    in the last row is text in the first block; that takes one pass over the files before the first
    block, and memory for a few blocks only.

    Made by ``read_blocks``.
    """

    of_files = True  # a learner with several passes to come encodes them once

    def __init__(
        self,
        paths: list[Any],
        columns: Sequence[str] | None,
        rows: int,
        format: str | None,
        options: dict[str, Any],
        wishes: ColumnOptions,
    ):
        self.paths = paths = [Origin.of(path) for path in paths]
        self.rows = rows
        self._wishes = wishes
        self._stamps = [path.stamp() for path in paths]
        kinds_ = [format or format_of(path) for path in paths]
        if "libsvm" in kinds_:
            raise ReadError(f"{paths[kinds_.index('libsvm')]}: LIBSVM files are read whole; use read_table.")
        self._readers = [open_reader(path, kind, wishes, **options) for path, kind in zip(paths, kinds_)]
        for reader in self._readers:
            if isinstance(reader, JsonReader):
                reader.whole = False
        formats = {reader.format for reader in self._readers}
        if len(formats) > 1:
            raise ReadError(f"Blocks come from files of one format, got {', '.join(sorted(formats))}.")
        self.format = formats.pop()
        first = self._readers[0]
        for path, reader in zip(paths[1:], self._readers[1:]):
            if set(reader.names) != set(first.names):
                odd = sorted(set(reader.names) ^ set(first.names))
                raise SchemaError(f"{path} and {paths[0]} differ in their columns: {', '.join(odd)}.")
        wishes.check(paths[0], first.names)
        for name in columns or ():
            if name not in first.names:
                raise SchemaError(no_column(paths[0], name, first.names))
        self._columns = None if columns is None else [n for n in columns if n not in wishes.drop]
        self._types: dict[str, str] | None = None

    @property
    def names(self) -> list[str]:
        """The columns of the blocks."""
        if self._columns is not None:
            return self._columns
        names = list(self.types) if self.format in _TYPED else list(self._readers[0].names)
        return [name for name in names if name not in self._wishes.drop]

    @property
    def types(self) -> dict[str, str]:
        """The type of each column of CSV and JSON files, inferred from all rows of all files."""
        if self._types is None:
            joined: dict[str, str] = {}
            for i, reader in enumerate(self._readers):
                with self._unchanged(i):
                    kinds_of_file = reader.kinds
                for name, kind in kinds_of_file.items():
                    joined[name] = kinds.join(joined.get(name, kinds.NO_VALUES), kind)
            self._types = {name: joined[name] for name in self._readers[0].names if name in joined}
        return self._types

    @property
    def count(self) -> int | None:
        """The number of rows, where the files say it without being read."""
        counts = [getattr(reader, "rows", None) for reader in self._readers]
        return None if self.format != "parquet" or None in counts else sum(counts)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        names = self.names
        for i, reader in enumerate(self._readers):
            if self.format in _TYPED:
                tables = reader.blocks(names, self.types)
            elif self.format in ("parquet", "feather"):
                tables = self._cast(reader.blocks(names, self.rows))
            else:
                tables = reader.blocks(names)
            with self._unchanged(i):
                yield from regrouped(self._as_asked(tables, i), self.rows)

    @property
    def types_are_open(self) -> bool:
        """Whether a pass over the files would be needed before the first block, to know the types of columns."""
        return self.format == "csv" and self._types is None and self._columns is None

    def as_begun(self) -> Iterator[Any]:
        """The blocks of the first pass, where the first rows of a CSV file have the types of all: one pass less.

        They are those that iterating gives. Where rows to come have other types, OtherTypes is raised on the way, and
        what was read is to be forgotten.

        >>> import tempfile, pathlib
        >>> from assay.tables.readers import read_blocks
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "long.csv"
        >>> _ = path.write_text("a,b\\n" + "1,x\\n" * 5)
        >>> blocks = read_blocks(path, rows=4)
        >>> [block.num_rows for block in blocks.as_begun()], blocks.types
        ([4, 1], {'a': 'whole', 'b': 'text'})
        """
        first, types = self._readers[0], {}
        names = [name for name in first.names if name not in self._wishes.drop]
        for i, reader in enumerate(self._readers):
            assert isinstance(reader, CsvReader)
            tables = (table.select(names) for table in reader.blocks_as_begun(types))
            with self._unchanged(i):
                yield from regrouped(self._as_asked(tables, i), self.rows)
        self._types = {name: types[name] for name in first.names if name in types}

    def _as_asked(self, tables: Iterator[Any], i: int) -> Iterator[Any]:
        row = 0
        for table in tables:
            yield self._wishes.apply(table, self.paths[i], self._readers[i], row)[0]
            row += table.num_rows

    @contextmanager
    def _unchanged(self, i: int) -> Iterator[None]:
        """A pass over a file, which must be the same before and after it, and in all passes."""
        self._check(i)
        try:
            yield
        except (ReadError, OSError):
            self._check(i)  # a file that changes while it is read may well look damaged
            raise
        self._check(i)

    def _check(self, i: int) -> None:
        if self.paths[i].stamp() != self._stamps[i]:
            raise complain(
                self.paths[i],
                "the file has changed since it was read first. Begin again once it is complete.",
            )

    def _cast(self, tables: Iterator[Any]) -> Iterator[Any]:
        """Parquet and Feather files may differ in the width of their numbers: the widest holds all."""
        import pyarrow as pa

        schemas = [pa.schema([r.schema.field(n) for n in self.names]) for r in self._readers]
        try:
            schema = (
                schemas[0] if len(schemas) == 1 else pa.unify_schemas(schemas, promote_options="permissive")
            )
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise SchemaError(f"The files differ in a column's type: {str(error).splitlines()[0]}") from None
        for table in tables:
            yield table if len(schemas) == 1 else table.cast(schema)

    def __repr__(self) -> str:
        files = f"{len(self.paths)} {self.format} file" + ("" if len(self.paths) == 1 else "s")
        return f"Blocks of {self.rows} rows from {files}"


def read_blocks(
    path: str | PathLike[str] | Origin | Sequence[str | PathLike[str]],
    columns: Sequence[str] | None = None,
    rows: int = 65536,
    format: str | None = None,
    *,
    drop: str | Sequence[str] = (),
    nominal: str | Sequence[str] = (),
    numeric: str | Sequence[str] = (),
    na: str | float | Sequence[str | float] = (),
    **options: Any,
) -> Blocks:
    """The rows of a file, of a list of files, or of all files that match a pattern, in blocks.

    Parameters
    ----------
    path : str, Path, file object or "-", or a list of them
        CSV, Parquet, ARFF, JSON lines or Feather files; ``data/2026-*.parquet`` takes all that match, in the order of
        their names.
    columns : sequence of str, default None
        Read these columns only.
    rows : int, default 65536
        The most rows of a block.
    format, drop, nominal, numeric, na, **options
        As for ``read_table``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from assay.tables.readers import read_blocks
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "long.csv"
    >>> _ = path.write_text("a,b\\n" + "1,x\\n" * 5 + "?,y\\n")
    >>> blocks = read_blocks(path, rows=4)
    >>> [block.num_rows for block in blocks], [block.num_rows for block in blocks]
    ([4, 2], [4, 2])
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ReadError(f"rows must be a whole number from 1 up, got {rows!r}.")
    many = list(path) if isinstance(path, (list, tuple)) else [path]
    paths: list[Any] = []
    for source in many:
        name = str(source) if isinstance(source, (str, PathLike)) else ""
        if any(mark in name for mark in "*?[") and not Path(name).exists():
            matches = sorted(glob.glob(name, recursive=True))
            if not matches:
                raise ReadError(f"No file matches {name!r}.")
            paths += matches
        else:
            paths.append(source)
    if not paths:
        raise ReadError("read_blocks: no file is named.")
    return Blocks(paths, columns, rows, format, options, ColumnOptions.of(drop, nominal, numeric, na))


def regrouped(tables: Iterator[Any], rows: int) -> Iterator[Any]:
    """The same rows in tables of ``rows`` rows each; the last one may be shorter."""
    import pyarrow as pa

    held: list[Any] = []
    count = 0
    for table in tables:
        held.append(table)
        count += table.num_rows
        while count >= rows:
            joined = pa.concat_tables(held)
            yield joined.slice(0, rows)
            remainder = joined.slice(rows)
            held, count = [remainder], remainder.num_rows
    if count:
        yield pa.concat_tables(held)
