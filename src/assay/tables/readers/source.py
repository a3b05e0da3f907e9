"""A text file as UTF-8, whatever encoding it has."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from assay.errors import ReadError
from assay.tables.readers.origin import CHUNK, Origin, complain
from assay.types import PathLike

__all__ = ["CHUNK", "RECORD_LIMIT", "SAMPLE", "Source", "complain", "shown"]

SAMPLE = 1 << 18  # bytes that sniffing looks at
RECORD_LIMIT = 1 << 26  # bytes that one record may have

_BOMS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as UTF-16's does, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]


def shown(value: str, most: int = 60) -> str:
    """A value as messages show it: in quotes, and not longer than a line."""
    return repr(value if len(value) <= most else value[:most] + "...")


class Source:
    """A text file as chunks of UTF-8, whatever encoding it has.

    The encoding is known by a byte order mark or by the zeros of UTF-16, and else is UTF-8. The first
    byte that is not UTF-8 makes it Windows-1252 (Latin-1), provided that all before it was ASCII, so
    that no chunk already handed out was read wrongly.

    Parameters
    ----------
    path : str, Path, file object or "-"
    encoding : str, default None
        A name that Python knows; None looks at the bytes.
    """

    def __init__(self, path: PathLike, encoding: str | None = None):
        self.origin = Origin.of(path)
        self.name = self.origin.name
        self.encoding = encoding
        if encoding is not None:
            try:
                codecs.lookup(encoding)
            except (LookupError, ValueError, TypeError):
                raise self.complain(f"there is no encoding {encoding!r}; try 'utf-8' or 'latin-1'.") from None

    def complain(
        self, what: str, line: int | None = None, column: str | int | None = None, code: str = ""
    ) -> ReadError:
        """The error for this file."""
        return complain(self.name, what, line, column, code)

    def sample(self) -> bytes:
        """The first part of the text, for sniffing."""
        for chunk in self.chunks(SAMPLE):
            return chunk
        return b""

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The text as UTF-8 bytes; a chunk may end anywhere between two characters."""
        with self.origin.unpacked() as stream:
            first = stream.read(size)
            bom, encoding = self._guess(first)
            first = first[bom:] or stream.read(size)
            if encoding == "utf-8":
                yield from self._utf8(first, stream, size)
            else:
                yield from self._decoded(first, stream, size, encoding)

    def _guess(self, first: bytes) -> tuple[int, str]:
        """How many bytes the mark takes, and the encoding."""
        wanted = None if self.encoding is None else codecs.lookup(self.encoding).name
        for mark, encoding in _BOMS:
            if first.startswith(mark) and wanted in (None, encoding, encoding[:6], "utf-8-sig"):
                return len(mark), encoding
        if wanted is not None:
            return 0, {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(wanted, wanted)
        head = first[:1000]
        if len(head) > 3 and head[1::2].count(0) > 0.4 * len(head) / 2 and not head[::2].count(0):
            return 0, "utf-16-le"
        if len(head) > 3 and head[::2].count(0) > 0.4 * len(head) / 2 and not head[1::2].count(0):
            return 0, "utf-16-be"
        return 0, "utf-8"

    def _utf8(self, chunk: bytes, stream: BinaryIO, size: int) -> Iterator[bytes]:
        ascii_so_far, sent, tail = True, 0, b""
        while chunk or tail:
            final = not chunk
            chunk = tail + chunk
            tail = b""
            if not chunk.isascii():
                try:
                    whole = codecs.utf_8_decode(chunk, "strict", final)[1]
                    chunk, tail = chunk[:whole], chunk[whole:]
                except UnicodeDecodeError as error:
                    if self.encoding is not None or not ascii_so_far or not chunk[: error.start].isascii():
                        at = self._line_of(sent + error.start)
                        raise self.complain(
                            f"byte 0x{chunk[error.start]:02X} is not UTF-8 text. "
                            'Say which encoding it is, for example encoding="latin-1".',
                            at,
                        ) from None
                    yield from self._decoded(chunk, stream, size, "cp1252")
                    return
                ascii_so_far = ascii_so_far and chunk.isascii()
            if chunk:
                yield chunk
                sent += len(chunk)
            chunk = b"" if final else stream.read(size)

    def _line_of(self, position: int) -> int:
        """The line of a byte, counted without the mark; read once more, since errors are rare."""
        line, left, last = 1, position, b""
        with self.origin.unpacked() as stream:
            data = stream.read(CHUNK)
            data = data.removeprefix(codecs.BOM_UTF8)
            while data and left:
                data = data[:left]
                line += _line_ends(data) - (last == b"\r" and data[:1] == b"\n")
                left, last = left - len(data), data[-1:]
                data = stream.read(CHUNK)
        return line

    def _decoded(self, chunk: bytes, stream: BinaryIO, size: int, encoding: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)(
            "assay.latin1" if encoding == "cp1252" and self.encoding is None else "strict"
        )
        line = 1
        while True:
            final = not chunk
            try:
                text = decoder.decode(chunk, final)
                data = text.encode("utf-8")
            except UnicodeError as error:
                raise self.complain(f"the text is not {encoding} ({error}).", line) from None
            if data:
                yield data
                line += _line_ends(data)
            if final:
                return
            chunk = stream.read(size)


def _line_ends(data: bytes) -> int:
    """How many lines end in the bytes; LF, CRLF and CR each end one."""
    if b"\r" not in data:
        return data.count(b"\n")
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _latin1(error: UnicodeError) -> tuple[str, int]:
    """Windows-1252 leaves five bytes without a character; Latin-1 has one for them."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("assay.latin1", _latin1)
