"""Blocks of arrays in a temporary folder, mapped into memory when they are used.

What has been computed of each block of a large file (its encoded cells, its bins, its scores) is written once and
read again in every pass, at the speed of the disk or, while it fits, of the memory that the system has to spare. The
folder lies where ``tempfile`` puts its files (``TMPDIR`` says where) and is gone when the store is closed, when nobody
holds it any more, or when the program ends.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["LIMIT_VARIABLE", "BlockStore"]

LIMIT_VARIABLE = "ASSAY_DISK_LIMIT"
SHARE_OF_FREE_DISK = 0.5  # the most that a store takes without a limit of its own
ALIGNMENT = 64  # bytes: every array begins at a line of the cache
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class _Place(NamedTuple):
    """Where an array lies in the file of its block."""

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: str


class BlockStore:
    """Blocks of named arrays on disk.

    Parameters
    ----------
    limit : int or str, default None
        The most bytes on disk, as a number or such as "20 GB". None takes the environment variable
        ``ASSAY_DISK_LIMIT``, or half of what is free on the disk.
    folder : path, default None
        Where the store makes its own folder; None for the place of temporary files.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.block_store import BlockStore
    >>> with BlockStore() as store:
    ...     store.append({"codes": np.array([3, 1, 2], dtype=np.uint8)})
    ...     store.read(0, writable=["codes"])["codes"].sort()
    ...     store.read(0)["codes"].tolist(), store.nbytes
    ([1, 2, 3], 64)
    """

    def __init__(self, limit: int | str | None = None, folder: str | os.PathLike[str] | None = None):
        try:
            self.path = Path(tempfile.mkdtemp(prefix="assay-blocks-", dir=folder))
        except OSError as error:
            raise DataError(
                f"There is no place for temporary blocks of rows ({error.strerror}). "
                "TMPDIR names a folder to put them in."
            ) from None
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())
        if limit is None:
            limit = os.environ.get(LIMIT_VARIABLE, "").strip() or None
        self._limited = limit is not None
        free = shutil.disk_usage(self.path).free
        self.limit = int(free * SHARE_OF_FREE_DISK) if limit is None else number_of_bytes(limit)
        self.nbytes = 0
        self._blocks: list[dict[str, _Place]] = []
        self._sizes: list[int] = []

    def __len__(self) -> int:
        return len(self._blocks)

    def append(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Write one more block."""
        self._check_open()
        places: dict[str, _Place] = {}
        whole: list[np.ndarray] = []
        size = 0
        for name, array in arrays.items():
            array = np.asarray(array)
            if array.dtype.hasobject:
                raise TypeError(f"A block on disk holds plain numbers or text, got objects in {name!r}.")
            order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
            places[name] = _Place(size, array.shape, array.dtype, order)
            whole.append(array.T if order == "F" else np.ascontiguousarray(array))
            size += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        if self.nbytes + size > self.limit:
            raise self._too_much(size)
        path = self._file(len(self._blocks))
        try:
            with open(path, "wb") as file:
                for array in whole:
                    file.write(array.reshape(-1).view(np.uint8).data if array.size else b"")
                    file.write(bytes(-array.nbytes % ALIGNMENT))
        except OSError as error:
            path.unlink(missing_ok=True)
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise self._disk_full(error) from None
            raise
        self.nbytes += size
        self._blocks.append(places)
        self._sizes.append(size)

    def read(self, i: int, writable: Iterable[str] = ()) -> dict[str, np.ndarray]:
        """The arrays of block i, mapped; what is written into those named ``writable`` stays."""
        self._check_open()
        places, size, changing = self._blocks[i], self._sizes[i], set(writable)
        if not size:
            return {name: np.empty(p.shape, p.dtype) for name, p in places.items()}
        with open(self._file(i), "r+b" if changing else "rb") as file:
            access = mmap.ACCESS_WRITE if changing else mmap.ACCESS_READ
            mapped = mmap.mmap(file.fileno(), size, access=access)
        arrays = {}
        for name, (offset, shape, dtype, order) in places.items():
            if 0 in shape:
                arrays[name] = np.empty(shape, dtype)
                continue
            array: np.ndarray = np.ndarray(shape, dtype, mapped, offset, order=order)  # type: ignore[arg-type]
            array.flags.writeable = name in changing
            arrays[name] = array
        return arrays

    def write(self, i: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Put these arrays in the place of those of block i with the same names, shapes and types.

        Many pages that change cost less this way than in a map, where the system takes note of each of them.

        >>> import numpy as np
        >>> from assay.core.block_store import BlockStore
        >>> with BlockStore() as store:
        ...     store.append({"codes": np.array([3, 1, 2], dtype=np.uint8)})
        ...     store.write(0, {"codes": np.array([1, 2, 3], dtype=np.uint8)})
        ...     store.read(0)["codes"].tolist()
        [1, 2, 3]
        """
        self._check_open()
        places = self._blocks[i]
        for name, array in arrays.items():
            if (array.shape, array.dtype) != (places[name].shape, places[name].dtype):
                raise TypeError(
                    f"{name!r} of a block on disk has {places[name].shape} numbers of {places[name].dtype}, got "
                    f"{array.shape} of {array.dtype}."
                )
        with open(self._file(i), "r+b") as file:
            for name, array in arrays.items():
                file.seek(places[name].offset)
                array = array.T if places[name].order == "F" else np.ascontiguousarray(array)
                file.write(array.reshape(-1).view(np.uint8).data if array.size else b"")

    def names(self, i: int) -> list[str]:
        """The names of the arrays of block i."""
        return list(self._blocks[i])

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        self._remove()

    @property
    def closed(self) -> bool:
        """Whether the folder is gone."""
        return not self._remove.alive

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _file(self, i: int) -> Path:
        return self.path / f"{i}.block"

    def _check_open(self) -> None:
        if self.closed:
            raise DataError("These blocks of rows have been released; keep them anew.")

    def _too_much(self, size: int) -> DataError:
        why = f"{LIMIT_VARIABLE} or limit=" if self._limited else "half of what was free on the disk"
        return DataError(
            f"The blocks of rows need more than {_readable(self.limit)} of temporary disk ({why}; "
            f"{len(self)} blocks take {_readable(self.nbytes)}, the next one {_readable(size)}). "
            f"Raise it, as in {LIMIT_VARIABLE}=200GB, or let TMPDIR name a folder on a larger disk.",
            code="disk-limit",
        )

    def _disk_full(self, error: OSError) -> DataError:
        return DataError(
            f"The disk is full: {self.path.parent} has no place for another block of rows "
            f"({error.strerror}; {len(self)} blocks take {_readable(self.nbytes)}). "
            "Make room, or let TMPDIR name a folder on a larger disk.",
            code="disk-full",
        )


def number_of_bytes(size: int | str) -> int:
    """A size in bytes, as a number or with a unit.

    >>> number_of_bytes("1.5 GB"), number_of_bytes(4096)
    (1500000000, 4096)
    """
    text = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?\s*", str(size), re.IGNORECASE)
    if text is None or isinstance(size, bool):
        raise ParameterError(f"A size on disk is a number of bytes or such as 20GB, got {size!r}.")
    return int(float(text[1]) * _UNITS[text[2].lower()])


def _readable(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child does not own the folder
        shutil.rmtree(path, ignore_errors=True)
