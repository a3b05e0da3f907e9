"""JSON: one object a line, or an array of objects."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import SchemaError
from assay.tables.readers import kinds
from assay.tables.readers.objects import Part, finished, part_of
from assay.tables.readers.source import RECORD_LIMIT, Source, shown

BLOCK_ROWS = 16384  # records that are typed at a time
BLOCK_CELLS = 1 << 22  # cells that are typed at a time
MOST_ABSENT = 1 << 28  # cells of a table nearly all of whose cells are absent

Row = tuple[int, dict[str, Any]]  # the line that a record begins in, and the record


class JsonReader:
    """A file of JSON objects, read whole or in blocks: one object a line, or an array of objects.

    A key is a column; an object that lacks it has a missing value there, and so has one with ``null`` or ``NaN``.
    A column of numbers is numeric, one of true and false too, one of ISO dates is a date, and one of other text, or
    of text and numbers, is text. Objects and lists inside a cell are refused: leave such a column out.

    Parameters
    ----------
    path : str, Path, file object or "-"
    encoding : str, default None
        None infers it, as for CSV.
    na : sequence of str, default ()
        Further marks of missing values.
    """

    format = "jsonl"
    whole = True  # whether the rows are kept when the types of the columns are inferred

    def __init__(self, path: Any, encoding: str | None = None, na: Sequence[str] = ()):
        self.source = Source(path, encoding)
        self.na = tuple(na)
        self._kinds: dict[str, str] | None = None
        self._kept: list[tuple[int, dict[str, Part]]] = []

    @property
    def kinds(self) -> dict[str, str]:
        """The type of each column, inferred from all rows; nested columns are ``nested``."""
        if self._kinds is None:
            known: dict[str, str] = {}
            for size, parts in self._typed():
                for name, part in parts.items():
                    known[name] = kinds.join(known.get(name, kinds.NO_VALUES), part.kind)
                if self.whole:
                    self._kept.append((size, parts))
            self._kinds = known
        return self._kinds

    @property
    def names(self) -> list[str]:
        """The keys, in the order in which they first appear."""
        return list(self.kinds)

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The whole file as one Arrow table."""
        import pyarrow as pa

        wanted = self._select(columns)
        kept, self._kept = self._kept, []
        blocks = [self._table(n, parts, wanted) for n, parts in kept] or list(self.blocks(columns))
        return pa.concat_tables(blocks) if blocks else pa.table({})

    def blocks(
        self, columns: Sequence[str] | None = None, types: dict[str, str] | None = None
    ) -> Iterator[Any]:
        """Arrow tables, one after the other, with the types of the whole file (or those given)."""
        wanted = self._select(columns) if types is None else list(types if columns is None else columns)
        for size, parts in self._typed():
            yield self._table(size, parts, wanted, types)

    def lines_of(self, rows: Sequence[int]) -> list[int]:
        """The lines in which some rows begin."""
        wanted, lines = set(rows), {}
        for i, (line, _) in enumerate(self._records()):
            if i in wanted:
                lines[i] = line
        return [lines[i] for i in rows]

    def _select(self, columns: Sequence[str] | None) -> list[str]:
        wanted = list(self.kinds) if columns is None else list(columns)
        for name in wanted:
            if name not in self.kinds:
                raise SchemaError(
                    f"{self.source.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
            if self.kinds[name] == kinds.NESTED:
                raise self._nested(name)
        return wanted

    def _table(self, size: int, parts: dict[str, Part], wanted: list[str], types: Any = None) -> Any:
        import pyarrow as pa

        types = types or self.kinds
        return pa.table([finished(parts.get(n), types[n], size) for n in wanted], names=wanted)

    def _nested(self, name: str) -> Exception:
        for line, record in self._records():
            value = record.get(name)
            if isinstance(value, (dict, list)):
                what = "an object" if isinstance(value, dict) else "a list"
                return self.source.complain(
                    f"{what} in a cell: {shown(json.dumps(value))}. Leave the column out (drop=[{name!r}]), or give "
                    "its parts keys of their own.",
                    line,
                    name,
                )
        raise AssertionError(name)

    def _typed(self) -> Iterator[tuple[int, dict[str, Part]]]:
        """Blocks of typed columns, and how many rows each has."""
        names: dict[str, None] = {}
        held: list[dict[str, Any]] = []
        rows = values = 0
        for line, record in self._records():
            for name in record:
                names.setdefault(name)
            held.append(record)
            rows, values = rows + 1, values + len(record)
            if rows * len(names) > max(MOST_ABSENT, 100 * values):
                raise self.source.complain(
                    f"{rows} objects have {len(names)} different keys, most of them absent from most objects; "
                    "expected a table.",
                    line,
                )
            if len(held) == BLOCK_ROWS or len(held) * len(names) > BLOCK_CELLS:
                yield len(held), self._columns(held)
                held = []
        if held:
            yield len(held), self._columns(held)

    def _columns(self, records: list[dict[str, Any]]) -> dict[str, Part]:
        names = list(dict.fromkeys(name for record in records for name in record))
        marks = frozenset(self.na)
        return {name: part_of([record.get(name) for record in records], marks) for name in names}

    # From text to records

    def _records(self) -> Iterator[Row]:
        chunks = self.source.chunks()
        first = b""
        for chunk in chunks:
            first += chunk
            if first.strip():
                break
        if not first.strip():
            raise self.source.complain("the file is empty, expected JSON objects, one a line.")
        listed = first.lstrip()[:1] == b"["
        yield from (self._array if listed else self._lines)(first, chunks)

    def _lines(self, first: bytes, chunks: Iterator[bytes]) -> Iterator[Row]:
        decode = json.JSONDecoder(object_pairs_hook=_object).decode
        for line, raw in enumerate(_split(self.source, first, chunks), 1):
            text = raw.strip()
            if text:
                yield line, self._checked(self._parsed(decode, text.decode("utf-8"), line), line)

    def _parsed(self, decode: Any, text: str, line: int) -> Any:
        try:
            return decode(text)
        except json.JSONDecodeError as error:
            raise self.source.complain(
                f"not JSON: {_lowered(error.msg)}. Expected one object a line.", line, error.pos + 1
            ) from None
        except RecursionError:
            raise self.source.complain("objects or lists are nested too deeply.", line) from None
        except ValueError as error:  # a number of thousands of digits, a key that comes twice
            raise self.source.complain(f"{_lowered(str(error))}.", line) from None

    def _checked(self, value: Any, line: int) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        raise self.source.complain(
            f'expected an object such as {{"name": value}}, got {shown(json.dumps(value))}.', line
        )

    def _array(self, first: bytes, chunks: Iterator[bytes]) -> Iterator[Row]:
        """Objects between [ and ], with commas between them, wherever lines end."""
        decoder = json.JSONDecoder(object_pairs_hook=_object)
        incremental = codecs.getincrementaldecoder("utf-8")()
        text, place, line = incremental.decode(first), 0, 1
        expects = "["
        while True:
            start = place
            while place < len(text) and text[place] in " \t\r\n":
                place += 1
            line += text.count("\n", start, place)
            if place == len(text):
                text, place = "", 0
                chunk = next(chunks, None)
                if chunk is None:
                    break
                text = incremental.decode(chunk)
                continue
            mark = text[place]
            if expects == "end":
                raise self.source.complain("text after the end of the array.", line)
            if expects == "[":
                expects, place = "first", place + 1
                continue
            if expects == ",":
                if mark not in ",]":
                    raise self.source.complain(
                        f"expected a comma or ], got {shown(text[place : place + 20])}.", line
                    )
                expects, place = ("end" if mark == "]" else "object"), place + 1
                continue
            if expects == "first" and mark == "]":
                expects, place = "end", place + 1
                continue
            value, stop, text, place = self._object_at(decoder, text, place, line, chunks, incremental)
            yield line, self._checked(value, line)
            line += text.count("\n", place, stop)
            place, expects = stop, ","
        if expects != "end":
            raise self.source.complain("the array is not closed; the file was cut off.", line)

    def _object_at(
        self, decoder: Any, text: str, place: int, line: int, chunks: Iterator[bytes], incremental: Any
    ) -> tuple[Any, int, str, int]:
        """The value that begins at a place, where it stops, and the text, which may have grown, with its place."""
        while True:
            try:
                value, stop = decoder.raw_decode(text, place)
                return value, stop, text, place
            except json.JSONDecodeError as error:
                failed = error
            except RecursionError:
                raise self.source.complain("objects or lists are nested too deeply.", line) from None
            except ValueError as error:
                raise self.source.complain(f"{_lowered(str(error))}.", line) from None
            if len(text) - place > RECORD_LIMIT:
                raise self.source.complain(
                    f"an object begins here that is longer than {RECORD_LIMIT >> 20} MB.", line
                )
            more = self._more(chunks, incremental, len(text) - place)
            if more is None:
                at = line + text.count("\n", place, failed.pos)
                column = failed.pos - text.rfind("\n", 0, failed.pos)
                raise self.source.complain(f"not JSON: {_lowered(failed.msg)}.", at, column) from None
            text, place = text[place:] + more, 0

    @staticmethod
    def _more(chunks: Iterator[bytes], incremental: Any, held: int) -> str | None:
        """At least as much text as is held already, so that a long object is parsed a few times only."""
        parts: list[str] = []
        size = 0
        for chunk in chunks:
            parts.append(incremental.decode(chunk))
            size += len(parts[-1])
            if size >= held:
                break
        return "".join(parts) if parts else None


def _split(source: Source, first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines without their ends; a lone CR is white space in JSON."""
    line, held = 0, [first]
    while True:
        pieces = b"".join(held).split(b"\n")
        yield from pieces[:-1]
        line += len(pieces) - 1
        held, size = [pieces[-1]], len(pieces[-1])
        for chunk in chunks:
            held.append(chunk)
            size += len(chunk)
            if b"\n" in chunk:
                break
            if size > RECORD_LIMIT:
                raise source.complain(f"this line is longer than {RECORD_LIMIT >> 20} MB.", line + 1)
        else:
            last = b"".join(held)
            if last:
                yield last
            return


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        before: set[str] = set()
        twice = next(key for key, _ in pairs if key in before or before.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return record


def _lowered(message: str) -> str:
    return (message[:1].lower() + message[1:]).rstrip(".")
