"""Where the bytes of a table come from: a file, standard input or a stream; plain or packed."""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from assay.errors import ReadError

CHUNK = 1 << 22  # bytes read at a time
PACKED = (".gz", ".bz2", ".xz", ".zip")
ENCRYPTED = 1  # the bit of a zip member that is locked by a password
MOST_RATIO = 100  # a packed file that grows more than this many times ...
MOST_UNPACKED = 1 << 30  # ... to more than this many bytes is taken for an attack on the memory


def complain(
    path: Any, what: str, line: int | None = None, column: str | int | None = None, code: str = ""
) -> ReadError:
    """The error for a file: where, then what.

    >>> complain("apples.csv", "3 cells, expected 2.", line=7)
    ReadError('apples.csv, line 7: 3 cells, expected 2.')
    """
    where = str(path) + ("" if line is None else f", line {line}")
    if column is not None:
        where += f", column {column!r}" if isinstance(column, str) else f", column {column}"
    return ReadError(what, where=where, code=code)


class Origin:
    """Bytes that can be read more than once.

    What comes from standard input or another stream is kept in a temporary file, which goes away with this object.

    Parameters
    ----------
    name : str
        What messages call it.
    path : Path
        The file that holds the bytes.
    title : str
        The name whose ending tells the format; empty for a stream without a name.
    """

    def __init__(self, name: str, path: Path, title: str):
        self.name, self.path, self.title = name, path, title

    def __str__(self) -> str:
        return self.name

    @classmethod
    def of(cls, source: Any) -> Origin:
        """The origin of a path, of ``"-"`` (standard input) or of an object with a method ``read``.

        >>> import io
        >>> origin = Origin.of(io.StringIO("a,b"))
        >>> origin.name, origin.path.read_text()
        ('the stream', 'a,b')
        """
        if isinstance(source, Origin):
            return source
        if isinstance(source, str) and source == "-":
            return cls._kept(getattr(sys.stdin, "buffer", sys.stdin), "standard input", "")
        if hasattr(source, "read"):
            name = getattr(source, "name", None)
            title = name if isinstance(name, str) and not name.startswith("<") else ""
            return cls._kept(source, title or "the stream", title)
        if not isinstance(source, (str, os.PathLike)):
            raise ReadError(
                f"A table is read from a path, a file object or '-' (standard input), got {type(source).__name__}."
            )
        return cls(str(source), _checked(source), str(source))

    @classmethod
    def _kept(cls, stream: Any, name: str, title: str) -> Origin:
        path = _temporary(_pieces(stream, name))
        origin = cls(name, path, title)
        _remove_with(origin, path)
        return origin

    def stamp(self) -> tuple[int, int] | None:
        """Size and time of the last change, by which another content is noticed; None if the file is gone."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns

    @cached_property
    def magic(self) -> bytes:
        """The first bytes, as they are stored."""
        with open(self.path, "rb") as raw:
            return raw.read(8)

    @cached_property
    def suffix(self) -> str:
        """The ending that tells the format, in lower case: that of a packed file's content."""
        title = self.title
        if self.is_zip:
            with self._archive() as archive:
                title = self._only(archive).filename
        suffixes = [s.lower() for s in Path(title).suffixes]
        while suffixes and suffixes[-1] in PACKED:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @cached_property
    def is_workbook(self) -> bool:
        """Whether it is an Office file, which is a zip archive with a table of contents."""
        if self.magic[:4] != b"PK\x03\x04":
            return False
        with self._archive() as archive:
            return "[Content_Types].xml" in archive.namelist()

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip archive of something else."""
        return self.magic[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not self.is_workbook

    @property
    def is_packed(self) -> bool:
        """Whether its bytes have to be unpacked first."""
        return self.is_zip or self.magic[:2] == b"\x1f\x8b" or self.magic[:3] == b"BZh" or _is_xz(self.magic)

    def _archive(self) -> Any:
        import zipfile

        try:
            return zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise complain(self.name, f"the zip file is damaged ({error}).") from None

    def _only(self, archive: Any) -> Any:
        """The one file in an archive."""
        hidden = ("__MACOSX/", ".")
        members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith(hidden)]
        if len(members) == 1:
            if members[0].flag_bits & ENCRYPTED:
                raise complain(self.name, "the zip file needs a password; unpack it first.")
            return members[0]
        if not members:
            raise complain(self.name, "the zip file holds no file.")
        names = ", ".join(m.filename for m in members[:20]) + (", ..." if len(members) > 20 else "")
        raise complain(
            self.name,
            f"the zip file holds {len(members)} files, expected one: {names}. Unpack the one to read, or open it: "
            "read_table(zipfile.ZipFile(path).open(name)).",
        )

    @contextmanager
    def unpacked(self) -> Iterator[BinaryIO]:
        """The bytes from the beginning, decompressed if they are gzip, bzip2, xz or a zip file's only member."""
        import bz2
        import gzip
        import lzma
        import zipfile

        with open(self.path, "rb") as raw:
            try:
                if self.is_zip:
                    with self._archive() as archive, archive.open(self._only(archive)) as member:
                        yield _Bounded(self, member)  # type: ignore[misc]
                elif self.magic[:2] == b"\x1f\x8b":
                    yield _Bounded(self, gzip.GzipFile(fileobj=raw))  # type: ignore[misc]
                elif self.magic[:3] == b"BZh":
                    yield _Bounded(self, bz2.BZ2File(raw))  # type: ignore[misc]
                elif _is_xz(self.magic):
                    yield _Bounded(self, lzma.LZMAFile(raw))  # type: ignore[misc] # noqa: SIM115, closed with the file below
                else:
                    yield raw
            except EOFError:
                raise complain(self.name, "the compressed file ends too early; it was cut off.") from None
            except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
                raise complain(self.name, f"the compressed file is damaged ({error}).") from None
            except NotImplementedError as error:
                raise complain(self.name, f"the zip file cannot be unpacked here ({error}).") from None
            except OSError as error:
                raise complain(self.name, f"the file cannot be read ({error.strerror or error}).") from None

    @cached_property
    def plain(self) -> Path:
        """A file with the unpacked bytes, for formats that jump about in them."""
        if not self.is_packed:
            return self.path
        with self.unpacked() as stream:
            path = _temporary(iter(lambda: stream.read(CHUNK), b""))
        _remove_with(self, path)
        return path


class _Bounded:
    """An unpacked stream that refuses to grow without bounds."""

    def __init__(self, origin: Origin, stream: Any):
        self.origin, self.stream, self.count = origin, stream, 0
        self.limit = max(MOST_UNPACKED, MOST_RATIO * origin.path.stat().st_size)

    def read(self, size: int) -> bytes:
        data: bytes = self.stream.read(size)
        self.count += len(data)
        if self.count > self.limit:
            raise complain(
                self.origin.name,
                f"unpacks to more than {self.limit >> 20} MB, over {MOST_RATIO} times its own size. If that is right, "
                "unpack it first.",
            )
        return data


def _is_xz(magic: bytes) -> bool:
    return magic[:6] == b"\xfd7zXZ\x00"


def _checked(path: Any) -> Path:
    """The path of a file that exists and can be opened."""
    try:
        file = Path(path).expanduser()
        with open(file, "rb"):
            return file
    except IsADirectoryError:
        raise complain(path, "this is a directory, expected a file.") from None
    except FileNotFoundError:
        raise complain(path, "there is no such file.") from None
    except PermissionError:
        raise complain(path, "no permission to read this file.") from None
    except (OSError, ValueError, RuntimeError) as error:  # too long a name, a NUL in it, no such home
        reason = getattr(error, "strerror", None) or str(error)
        raise complain(path, f"the file cannot be opened ({reason}).") from None


def _pieces(stream: Any, name: str) -> Iterator[bytes]:
    """The rest of a stream of bytes or text."""
    while True:
        try:
            piece = stream.read(CHUNK)
        except (OSError, ValueError, io.UnsupportedOperation) as error:  # closed, or open for writing only
            raise complain(name, f"the stream cannot be read ({error}).") from None
        if not piece:
            return
        if not isinstance(piece, (str, bytes)):
            raise complain(name, f"a stream gives bytes or text, got {type(piece).__name__}.")
        yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece


def _temporary(pieces: Iterator[bytes]) -> Path:
    import tempfile

    handle, name = tempfile.mkstemp(prefix="assay-")
    try:
        with open(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _remove_with(owner: Origin, path: Path) -> None:
    import weakref

    weakref.finalize(owner, lambda: path.unlink(missing_ok=True))
