"""JSON: one object a line, or an array of objects."""

from __future__ import annotations

import codecs
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from assay.errors import SchemaError
from assay.tables.readers import kinds
from assay.tables.readers.json_columns import one_object_a_line, plain_columns
from assay.tables.readers.objects import Part, finished, part_of
from assay.tables.readers.source import RECORD_LIMIT, Source, shown

FIRST_BLOCK = 1 << 15  # bytes of the lines that show what the columns are
BLOCK_BYTES = 1 << 20  # bytes of lines that are parsed at once
BLOCK_ROWS = 16384  # records that are typed at a time
BLOCK_CELLS = 1 << 22  # cells that are typed at a time
MOST_ABSENT = 1 << 28  # cells of a table nearly all of whose cells are absent

HALF_PAIR = re.compile("[\ud800-\udfff]")

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

    def _half_character(self) -> Exception:
        """What is wrong with a file that escapes half of a surrogate pair, such as "\\ud800", which is no character."""
        for line, record in self._records():
            for name, value in record.items():
                for text in (name, value):
                    if isinstance(text, str) and (half := HALF_PAIR.search(text)):
                        escaped = half[0].encode("ascii", "backslashreplace").decode()
                        plain = name.encode("utf-8", "backslashreplace").decode()
                        return self.source.complain(
                            f"{escaped} is half of a surrogate pair and no character. Write the whole pair, or leave "
                            "it out.",
                            line,
                            plain,
                        )
        raise AssertionError("no half of a surrogate pair")

    def _typed(self) -> Iterator[tuple[int, dict[str, Part]]]:
        """Blocks of typed columns, and how many rows each has."""
        listed, first, chunks = self._begin()
        extent = Extent(self.source)
        if listed:
            yield from self._typed_records(self._array(first, chunks), extent)
            return
        known: dict[str, str] = {}
        for line, block in _blocks_of_lines(self.source, first, chunks):
            fits = (block.count(b"\n") + 1) * len(known) <= BLOCK_CELLS
            parts = plain_columns(block, known, self.na) if fits else None
            if parts is not None:
                size = len(next(iter(parts.values())).values)
                extent.add(parts, size, block.count(b":"), line)
                yield size, parts
                continue
            flat = _flat_records(block)
            if flat is None:
                typed = self._typed_records(self._lines(block, line), extent)
            else:
                typed = self._columns(flat, line + len(flat) - 1, extent)
            for size, parts in typed:
                for name, part in parts.items():
                    known[name] = kinds.join(known.get(name, kinds.NO_VALUES), part.kind)
                yield size, parts

    def _typed_records(self, records: Iterator[Row], extent: Extent) -> Iterator[tuple[int, dict[str, Part]]]:
        while rows := list(itertools.islice(records, BLOCK_ROWS)):
            yield from self._columns([record for _, record in rows], rows[-1][0], extent)

    def _columns(
        self, records: list[dict[str, Any]], line: int, extent: Extent
    ) -> Iterator[tuple[int, dict[str, Part]]]:
        """The columns of some records, the last of which ends in this line; in several blocks if there are many."""
        shapes = dict.fromkeys(map(tuple, records))  # the keys of each record, in its order
        names = dict.fromkeys(itertools.chain.from_iterable(shapes))
        half = len(records) // 2
        if half and len(records) * len(names) > BLOCK_CELLS:
            yield from self._columns(records[:half], line, extent)
            yield from self._columns(records[half:], line, extent)
            return
        extent.add(names, len(records), sum(map(len, records)), line)
        marks, same = frozenset(self.na), len(shapes) == 1

        def cells(name: str) -> list[Any]:
            return list(map(itemgetter(name), records)) if same else [record.get(name) for record in records]

        try:
            "".join(names).encode()
            parts = {name: part_of(cells(name), marks) for name in names}
        except UnicodeEncodeError:
            raise self._half_character() from None
        yield len(records), parts

    # From text to records

    def _begin(self) -> tuple[bool, bytes, Iterator[bytes]]:
        """Whether it is an array, the first part of the text, and the rest of it."""
        chunks = self.source.chunks()
        first = b""
        for chunk in chunks:
            first += chunk
            if first.strip():
                break
        if not first.strip():
            raise self.source.complain("the file is empty, expected JSON objects, one a line.")
        return first.lstrip()[:1] == b"[", first, chunks

    def _records(self) -> Iterator[Row]:
        listed, first, chunks = self._begin()
        if listed:
            yield from self._array(first, chunks)
            return
        for line, block in _blocks_of_lines(self.source, first, chunks):
            yield from self._lines(block, line)

    def _lines(self, block: bytes, line: int) -> Iterator[Row]:
        """The records of some lines, of which the first has this number; a lone CR is white space in JSON."""
        decode = json.JSONDecoder(object_pairs_hook=_object).decode
        for at, raw in enumerate(block.split(b"\n"), line):
            text = raw.strip()
            if text:
                yield at, self._checked(self._parsed(decode, text.decode("utf-8"), at), at)

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


class Extent:
    """How large a table has become: its columns, its rows, and how many of its cells have a value.

    Parameters
    ----------
    source : Source, whose file is named in the error
    """

    def __init__(self, source: Source):
        self.source = source
        self.names: dict[str, None] = {}
        self.rows = self.values = 0

    def add(self, names: Iterable[str], rows: int, values: int, line: int) -> None:
        """Count some rows; raise if nearly all cells of a huge table are absent."""
        for name in names:
            self.names.setdefault(name)
        self.rows, self.values = self.rows + rows, self.values + values
        if self.rows * len(self.names) > max(MOST_ABSENT, 100 * self.values):
            raise self.source.complain(
                f"{self.rows} objects have {len(self.names)} different keys, most of them absent from most objects; "
                "expected a table.",
                line,
            )


def _blocks_of_lines(source: Source, first: bytes, chunks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines and the number of the first line of each; the first block is short, to show the columns."""
    line, text, size = 1, first, FIRST_BLOCK
    while True:
        start = 0
        while (stop := text.rfind(b"\n", start, start + size) + 1) or (stop := text.find(b"\n", start) + 1):
            yield line, text[start:stop]
            line += text.count(b"\n", start, stop)
            start, size = stop, BLOCK_BYTES
        held, length = [text[start:]], len(text) - start
        for chunk in chunks:
            held.append(chunk)
            length += len(chunk)
            if b"\n" in chunk:
                break
            if length > RECORD_LIMIT:
                raise source.complain(f"this line is longer than {RECORD_LIMIT >> 20} MB.", line)
        else:
            yield line, b"".join(held)
            return
        text = b"".join(held)


def _flat_records(block: bytes) -> list[dict[str, Any]] | None:
    """The records of lines with one flat object each, parsed all at once; None where a look at each line is needed."""
    block = block.rstrip()
    if block.count(b"{") != block.count(b"\n") + 1 or b"[" in block or not one_object_a_line(block):
        return None
    listed = "[" + block.decode().replace("\n", ",\n") + "]"
    try:
        records = json.loads(listed)
    except (ValueError, RecursionError):
        return None
    # No key comes twice if there are as many values as quotes with a colon, and no colon stands off its quote.
    apart = any(space in block and space + b":" in block for space in (b" ", b"\t", b"\r"))
    return None if apart or block.count(b'":') != sum(map(len, records)) else records


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        before: set[str] = set()
        twice = next(key for key, _ in pairs if key in before or before.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return record


def _lowered(message: str) -> str:
    return (message[:1].lower() + message[1:]).rstrip(".")
