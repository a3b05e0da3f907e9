"""Files that are written whole or not at all: every file that Assay writes for its user goes through here.

The content goes into a new file in the same folder, is brought to the disk, and takes the place of the old file in
one step. Whatever interrupts this (no space left, an error while the content is made, a killed process), the old
file stays as it was.

Three ways in, by what the caller holds::

    write_whole(path, text_or_bytes)          the content is there already
    with whole_file(path) as file: ...        the content is written piece by piece
    with replacing(path) as beside: ...       another library writes to a path of its own

A path that is no regular file (``/dev/stdout``, a named pipe) has no old content to keep and is written directly.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from assay.system import to_disk

__all__ = ["replacing", "whole_file", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file so that its readers, also after a crash, see the old content or the new one, never a part.

    Parameters
    ----------
    path : str or Path
    content : str or bytes
        Text is written as UTF-8, its line ends as they are.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay.tables.whole_files import write_whole
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(path, "done").read_text()
    'done'
    """
    with replacing(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(path)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[Any]]:
    """A text file (UTF-8, line ends as they are) to write into; without an error it takes the place of the old one.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay.tables.whole_files import whole_file, write_whole
    >>> path = write_whole(Path(tempfile.mkdtemp()) / "numbers.txt", "the old content")
    >>> try:
    ...     with whole_file(path) as file:
    ...         _ = file.write("half of the new")
    ...         raise OSError("no space left")
    ... except OSError as error:
    ...     print(error, "-", path.read_text())
    no space left - the old content
    """
    with replacing(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside the given one; what is written there takes its place when the block ends without an error.

    The new file has the permissions of the one it replaces, and a symbolic link stays a link. Errors of the system
    (``OSError``) are raised as they are, with the path that the caller gave.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay.tables.whole_files import replacing
    >>> path = Path(tempfile.mkdtemp()) / "table.bin"
    >>> with replacing(path) as beside:
    ...     _ = beside.write_bytes(b"123")
    >>> path.read_bytes(), [file.name for file in path.parent.iterdir()]
    (b'123', ['table.bin'])
    """
    place = Path(os.path.realpath(path))
    try:
        kind = os.stat(place).st_mode
    except FileNotFoundError:
        kind = stat.S_IFREG
    except OSError as error:
        raise _of(path, error) from error
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(21, "it is a folder", os.fspath(path))
    if not stat.S_ISREG(kind):
        yield place
        return
    beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        mode = stat.S_IMODE(os.stat(place if place.exists() else beside).st_mode)
        yield beside
        os.chmod(beside, mode)
        to_disk(beside)  # so that the name never leads to a file without its content
        os.replace(beside, place)
    except OSError as error:
        if error.errno is None or error.filename not in (None, os.fspath(beside)):
            raise
        raise _of(path, error) from error
    finally:
        beside.unlink(missing_ok=True)


def _of(path: str | os.PathLike[str], error: OSError) -> OSError:
    """The same error, about the path that the caller knows."""
    return type(error)(error.errno, error.strerror, os.fspath(path))
