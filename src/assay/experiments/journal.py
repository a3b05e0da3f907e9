"""The journal of an experiment: one line per finished cell, on disk as soon as it is known, never rewritten."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.errors import AssayError, DataError, ParameterError
from assay.system import lock
from assay.tables import whole_files

__all__ = ["Journal", "read_json", "write_whole"]

_FLUSH = 1.0  # seconds between two calls of fsync


class Journal:
    """Records by key, in memory and, given a folder, in ``cells.journal``.

    Each line holds a checksum and one JSON object, so that incomplete writes are recognised: a
    line that is cut off or damaged is left out, and its cell is run again. A later record of a key takes the
    place of an earlier one. While a process writes, it holds a lock that the system frees when the process ends,
    however it ends.

    Parameters
    ----------
    folder : Path or None
        None keeps the records in memory only.
    write : bool
        Whether to take the lock and to allow ``append``; a journal can be read while another process writes.
    needs : names of fields without which a record counts as damaged, whoever wrote it
    who : who speaks in error messages

    Attributes
    ----------
    records : dict of key to record, in the order of their first writing
    damaged : int
        Lines that could not be read.

    Examples
    --------
    >>> from assay.experiments.journal import Journal
    >>> with Journal(None) as journal:
    ...     journal.append({"key": "a", "value": 0.25})
    >>> journal.records["a"]["value"]
    0.25
    """

    def __init__(
        self, folder: Path | None, write: bool = True, needs: Iterable[str] = (), who: str = "experiment"
    ):
        self.folder, self.write, self.needs = folder, write, {"key", *needs}
        self.records: dict[str, dict[str, Any]] = {}
        self.damaged = 0
        self._file: Any = None
        self._lock: Any = None
        self._sure = 0.0
        if folder is None:
            return
        self.path = folder / "cells.journal"
        if write:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._lock = _locked(folder, who)
            except OSError as error:
                raise ParameterError(
                    f"{folder} cannot be written ({error.strerror}). Choose another folder.", who=who
                ) from error
        try:
            end = self._read()
            if write:
                self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115  open as long as the journal is
                if end < self.path.stat().st_size:
                    self._file.truncate(end)
        except BaseException:
            self.close()
            raise

    def append(self, record: dict[str, Any]) -> None:
        """Write one record; it survives the end of this process from now on."""
        if self._file is not None:
            text = json.dumps(record, allow_nan=False, separators=(",", ":")).encode()
            unwritten = memoryview(b"%08x %b\n" % (zlib.crc32(text), text))
            try:
                while unwritten:  # to the system: a killed process loses nothing
                    unwritten = unwritten[self._file.write(unwritten) :]
                if time.monotonic() - self._sure > _FLUSH:
                    self._sync()
            except OSError as error:
                raise _cannot(self.path, error) from error
        self.records[record["key"]] = record

    def close(self) -> None:
        """Flush to disk, and free the lock."""
        file, lock = self._file, self._lock
        self._file = self._lock = None
        try:
            if file is not None:
                os.fsync(file.fileno())
                file.close()
        finally:
            if lock is not None:
                lock.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._sure = time.monotonic()

    def _read(self) -> int:
        """Read the intact lines; returns where the last whole line ends."""
        if not self.path.exists():
            return 0
        end = at = 0
        with open(self.path, "rb") as file:
            for line in file:
                at += len(line)
                if not line.endswith(b"\n"):
                    break  # the process ended while it wrote this one
                end = at
                record = _record(line)
                if record is None or not self.needs <= record.keys():
                    self.damaged += 1
                else:
                    self.records[record["key"]] = record
        return end


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line, or None if it is damaged."""
    try:
        if int(line[:8], 16) != zlib.crc32(line[9:-1]):
            return None
        record = json.loads(line[9:])
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("key"), str) else None


def _locked(folder: Path, who: str) -> Any:
    """An open file that is locked for this process, or an error that names the process that holds it."""
    path = folder / "lock"
    file = open(path, "a+")  # noqa: SIM115  held as long as the journal is
    if not lock(file):
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise ParameterError(
            f"another process ({holder}) is running the {who} in {folder}. Wait until it ends, "
            "stop it, or choose another folder.",
            who=who,
        )
    file.seek(0)
    file.truncate()
    file.write(f"process {os.getpid()}")
    file.flush()
    return file


def _cannot(path: Path, error: OSError) -> AssayError:
    return AssayError(
        f"experiment: {path} cannot be written ({error.strerror}). Finished cells are kept: make room, and run again."
    )


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file of the folder whole or not at all; an error says that finished cells are kept.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay.experiments.journal import write_whole
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(path, "done")
    >>> path.read_text()
    'done'
    """
    try:
        whole_files.write_whole(path, content)
    except OSError as error:
        raise _cannot(path, error) from error


def read_json(path: Path, what: str) -> dict[str, Any]:
    """A file of the folder as a dict, or an error that says what is wrong with it."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(
            f"{path.parent} holds no {what}: there is no file {path.name}.", who="experiment"
        ) from None
    except (ValueError, RecursionError):
        raise DataError(
            f"{path} is damaged: it is not JSON. Run the experiment again.", who="experiment"
        ) from None
    if not isinstance(document, dict):
        raise DataError(f"{path} is damaged: expected an object. Run the experiment again.", who="experiment")
    return document
