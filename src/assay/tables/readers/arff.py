"""ARFF, the attribute-relation file format, all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from assay.errors import SchemaError
from assay.tables.readers.arff_columns import BadCell, nominal, nulls, numbers, omitted, spread, without_marks
from assay.tables.readers.arff_header import SPACES, Attribute, Bad, nested, read_header
from assay.tables.readers.arff_rows import Row, parse_row
from assay.tables.readers.dates import DatePattern
from assay.tables.readers.delimited import arrow_text, survey
from assay.tables.readers.source import CHUNK, RECORD_LIMIT, Source, shown

MOST_CELLS = 1 << 31  # of one block of sparse rows


class ArffReader:
    r"""An ARFF file, read whole or in blocks.

    ``numeric``, ``real`` and ``integer`` become numbers, ``{a, b}`` a nominal column with these
    categories in this order, ``string`` text, ``date`` a date or a moment by the format of its attribute.
    A value is missing when it is ``?`` or empty. In a sparse row ``{0 3.5, 4 yes}`` the values that
    are left out are zero for numbers, the first category for nominal attributes, 1970-01-01 for dates and
    missing for text. A row may end in a weight: ``5.1, yes, {2.5}``; rows without one weigh 1.

    A relational attribute becomes a column of lists, one record per inner row; with
    ``relational="flat"`` the table gets one row per inner row instead, the other values repeated.

    Rows without quotes, braces and comments go to Arrow's parser a block at a time; other blocks are
    parsed row by row. Both take time linear in the bytes.

    Parameters
    ----------
    path : str, Path, file object or "-"
    relational : "nested" or "flat", default "nested"
    encoding : str, default None
        None tells it: UTF-8, UTF-16 or Windows-1252.
    na : sequence of str, default ()
        Further marks of missing values.
    """

    format = "arff"

    def __init__(
        self, path: Any, relational: str = "nested", encoding: str | None = None, na: Sequence[str] = ()
    ):
        self.source = Source(path, encoding)
        self.na = tuple(na)
        if relational not in ("nested", "flat"):
            raise self.source.complain(f'relational must be "nested" or "flat", got {relational!r}.')
        self.relational = relational
        self.header = read_header(self.source)
        self.relation = self.header.relation
        self.attributes = self.header.attributes
        self.weights: np.ndarray | None = None
        self._patterns = dict(self._date_patterns(self.attributes))
        bags = [a for a in self.attributes if a.kind == "relational"]
        self._bag = bags[0] if relational == "flat" and bags else None
        self.names: list[str] = []
        for a in self.attributes:
            self.names += [c.name for c in a.children] if a is self._bag else [a.name]
        twice = {n for n in self.names if self.names.count(n) > 1} if self._bag else set()
        if twice:
            raise self.source.complain(f"flat rows would have two columns {min(twice)!r}; read them nested.")

    def _date_patterns(self, attributes: Sequence[Attribute]) -> Iterator[tuple[str, DatePattern]]:
        for a in attributes:
            yield from self._date_patterns(a.children)
            if a.kind == "date":
                try:
                    yield a.format, DatePattern(a.format)
                except ValueError as error:
                    raise self.source.complain(f"{error}.", column=a.name) from None

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The whole file as one Arrow table; row weights go to ``weights``."""
        import pyarrow as pa

        blocks, weights = [], []
        for block, weight in self._blocks(columns):
            blocks.append(block)
            weights.append(np.ones(len(block)) if weight is None else weight)
            if weight is not None:
                self.weights = weight
        self.weights = None if self.weights is None else np.concatenate(weights)
        return pa.concat_tables(blocks) if blocks else self._empty(columns)

    def blocks(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Arrow tables, one after the other."""
        for block, _ in self._blocks(columns):
            yield block

    def _empty(self, columns: Sequence[str] | None) -> Any:
        texts = [nulls(0) for _ in self.attributes]
        return self._select(self._flatten(self._typed(texts, b"", 1)), columns)

    def _select(self, table: Any, columns: Sequence[str] | None) -> Any:
        if columns is None:
            return table
        for name in columns:
            if name not in self.names:
                raise SchemaError(
                    f"{self.source.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
        return table.select(list(columns))

    def _blocks(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, np.ndarray | None]]:
        for data, line in self._pieces():
            if b"\0" in data:
                at = line + data[: data.index(b"\0")].count(b"\n")
                raise self.source.complain("a NUL byte; this is not a text file, or it is damaged.", at)
            texts = self._quick(data)
            if texts is None:
                yield from self._slow(data, line, columns)
            elif len(texts[0]):
                yield self._select(self._flatten(self._typed(texts, data, line)), columns), None

    def _pieces(self) -> Iterator[tuple[bytes, int]]:
        """Complete lines below the header, and the number of the first of them."""
        line, skip_lines, buffer = 1, self.header.lines, b""
        tail = b""
        for chunk in self.source.chunks(CHUNK):
            if tail or b"\r" in chunk:
                chunk = tail + chunk
                tail = b"\r" if chunk[-1:] == b"\r" else b""  # its LF may be in the next chunk
                chunk = chunk[: len(chunk) - len(tail)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            buffer += chunk
            start = 0
            while skip_lines:
                end = buffer.find(b"\n", start)
                if end < 0:
                    break
                start, line, skip_lines = end + 1, line + 1, skip_lines - 1
            buffer = buffer[start:] if start else buffer
            end = buffer.rfind(b"\n") + 1
            if skip_lines == 0 and end:
                yield buffer[:end], line
                line += buffer.count(b"\n", 0, end)
                buffer = buffer[end:]
            if len(buffer) > RECORD_LIMIT:
                raise self.source.complain(f"this line is longer than {RECORD_LIMIT >> 20} MB.", line)
        if skip_lines == 0 and buffer:
            yield buffer + b"\n", line

    # Rows that Arrow can read

    def _quick(self, data: bytes) -> list[Any] | None:
        """Text columns from Arrow's parser, or None if the rows need a closer look."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if b"{" in data or data[:3] == b"\xef\xbb\xbf" or len(self.attributes) == 1:
            return None
        if b"%" in data:
            data = b"".join(x for x in data.splitlines(keepends=True) if not x.lstrip().startswith(b"%"))
            if b"%" in data:
                return None
        single, double = b"'" in data, b'"' in data
        quote = b"'" if single else b'"' if double else b""
        if (single and double) or (quote and (b"\\" in data or b"\t" in data)):
            return None
        if quote and (b" " + quote in data or quote + b" " in data or quote + quote + quote in data):
            return None
        plain = survey(data, b",", b"", final=True)
        if quote and plain != survey(data, b",", quote, final=True):
            return None
        if plain.rows == 0:
            return [nulls(0) for _ in self.attributes]
        try:
            table = arrow_text(data, [a.name for a in self.attributes], b",", quote, ("?", ""))
        except pa.ArrowInvalid:
            return None
        if len(table) != plain.rows:
            return None
        texts = [table.column(j).combine_chunks() for j in range(len(self.attributes))]
        if b" " in data or b"\t" in data:
            bare = pa.array(["?", ""])
            texts = [pc.utf8_trim(text, SPACES) for text in texts]
            if not quote:
                texts = [pc.if_else(pc.is_in(t, bare), pa.scalar(None, pa.string()), t) for t in texts]
        return texts

    # Rows one by one

    def _slow(
        self, data: bytes, line: int, columns: Sequence[str] | None
    ) -> Iterator[tuple[Any, np.ndarray | None]]:
        rows: list[Row] = []
        lines: list[int] = []
        for number, raw in enumerate(data.decode("utf-8").split("\n"), line):
            try:
                row = parse_row(raw, len(self.attributes))
            except Bad as error:
                raise self.source.complain(f"{error.what}.", number, error.column) from None
            if row is not None:
                rows.append(row)
                lines.append(number)
        if not rows:
            return
        weights = None
        if any(row.weight is not None for row in rows):
            weights = np.array([1.0 if row.weight is None else row.weight for row in rows])
        if all(row.sparse is None for row in rows):
            texts = [spread(rows, j) for j in range(len(self.attributes))]
            table = self._typed(texts, data, line, lines)
        else:
            table = self._spread_out(rows, lines)
        if self._bag is not None and weights is not None:
            weights = np.repeat(weights, self._lengths(table))
        yield self._select(self._flatten(table), columns), weights

    def _spread_out(self, rows: list[Row], lines: list[int]) -> Any:
        """Sparse rows as columns; the work is in the values that are there."""
        import pyarrow as pa

        n = len(rows)
        if n * len(self.attributes) > MOST_CELLS:
            raise self.source.complain(
                f"{n} sparse rows of {len(self.attributes)} columns are too many cells; read chosen columns in blocks.",
                lines[0],
            )
        entries: list[tuple[list[int], list[str | None]]] = [([], []) for _ in self.attributes]
        for i, row in enumerate(rows):
            for j, value in enumerate(row.cells) if row.sparse is None else row.sparse.items():
                entries[j][0].append(i)
                entries[j][1].append(value)
        columns, zeros = [], pa.array(np.zeros(n))
        for attribute, (at, values) in zip(self.attributes, entries):
            if attribute.kind == "numeric" and not at:
                columns.append(zeros)
                continue
            try:
                part = self._column(attribute, pa.array(values, pa.string()))
            except BadCell as bad:
                raise self.source.complain(bad.what, lines[at[bad.row]], attribute.name) from None
            left_out = self._column(attribute, pa.array([omitted(attribute)], pa.string()))
            place = np.full(n, len(part))
            place[at] = np.arange(len(part))
            columns.append(pa.concat_arrays([part, left_out]).take(pa.array(place)))
        return pa.table(columns, names=[a.name for a in self.attributes])

    # From text to types

    def _typed(self, texts: list[Any], data: bytes, line: int, lines: list[int] | None = None) -> Any:
        import pyarrow as pa

        columns = []
        for attribute, text in zip(self.attributes, texts):
            try:
                columns.append(self._column(attribute, text))
            except BadCell as bad:
                if lines is None:
                    lines = _row_lines(data, line)
                raise self.source.complain(bad.what, lines[bad.row], attribute.name) from None
        return pa.table(columns, names=[a.name for a in self.attributes])

    def _column(self, attribute: Attribute, text: Any) -> Any:
        if self.na and attribute.kind != "relational":
            text = without_marks(text, self.na)
        if attribute.kind == "numeric":
            return numbers(text)
        if attribute.kind == "nominal":
            return nominal(text, attribute.categories)
        if attribute.kind == "date":
            return self._dates(attribute, text)
        if attribute.kind == "relational":
            return self._bags(attribute, text)
        return text

    def _dates(self, attribute: Attribute, text: Any) -> Any:
        import pyarrow as pa

        pattern = self._patterns[attribute.format]
        encoded = text.dictionary_encode()
        moments = []
        for value in encoded.dictionary.to_pylist():
            try:
                moments.append(pattern.parse(value))
            except ValueError:
                row = text.index(value).as_py()
                raise BadCell(
                    row, f"{shown(value)} is not a date of the form {shown(attribute.format)}."
                ) from None
        return pa.array(moments, pa.timestamp("us")).cast(pattern.arrow_type).take(encoded.indices)

    def _bags(self, attribute: Attribute, text: Any) -> Any:
        """Each value is a small data section of its own."""
        import pyarrow as pa

        bags = []
        for i, value in enumerate(text.to_pylist()):
            bags.append(None if value is None else self._bag_rows(attribute, value, i))
        return pa.array(bags, pa.list_(nested(attribute.children)))

    def _bag_rows(self, attribute: Attribute, value: str, i: int) -> list[dict[str, Any]]:
        children = attribute.children
        rows = []
        for inner in value.split("\n"):
            try:
                row = parse_row(inner, len(children))
            except Bad as error:
                raise BadCell(i, f"{error.what} (inside the relational value).") from None
            if row is not None:
                rows.append(row)
        columns = {}
        for j, child in enumerate(children):
            try:
                column = self._column(child, spread(rows, j, omitted(child)))
            except BadCell as bad:
                raise BadCell(i, f"{bad.what} (inside the relational value, {child.name!r})") from None
            columns[child.name] = column.to_pylist()
        return [{name: column[k] for name, column in columns.items()} for k in range(len(rows))]

    def _lengths(self, table: Any) -> np.ndarray:
        """How many flat rows each row gives: an empty or missing bag still gives one."""
        import pyarrow.compute as pc

        assert self._bag is not None
        lengths = pc.fill_null(pc.list_value_length(table[self._bag.name]), 0)
        flat_rows: np.ndarray = np.maximum(lengths.to_numpy(), 1)
        return flat_rows

    def _flatten(self, table: Any) -> Any:
        """One row per inner row of the relational attribute, if that was asked for."""
        import pyarrow as pa

        if self._bag is None:
            return table
        bag = self._bag
        rows = np.repeat(np.arange(len(table)), self._lengths(table))
        inner = [
            r
            for value in table[bag.name].to_pylist()
            for r in (value or [dict.fromkeys(c.name for c in bag.children)])
        ]
        types = nested(bag.children)
        columns = []
        for a in self.attributes:
            if a is not bag:
                columns.append(table[a.name].take(pa.array(rows)))
                continue
            for child in bag.children:
                values = pa.array([r[child.name] for r in inner], types.field(child.name).type)
                columns.append(nominal(values, child.categories) if child.kind == "nominal" else values)
        return pa.table(columns, names=self.names)


def _row_lines(data: bytes, line: int) -> list[int]:
    """The line of each row, where rows are lines that are neither blank nor comments."""
    return [
        i
        for i, raw in enumerate(data.split(b"\n"), line)
        if raw.strip(SPACES.encode()) and not raw.lstrip().startswith(b"%")
    ]
