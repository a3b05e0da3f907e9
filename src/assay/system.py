"""What operating systems differ in, in one place: locks on files, content on the disk, cores, memory, forks.

The other modules use what Python promises on Linux, macOS, Windows and in the browser alike.
"""

import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import IO, Any

_LOCKED_BYTE = 1 << 30  # Windows keeps others from reading what is locked: a place beyond the content


def lock(file: IO[Any]) -> bool:
    """Lock an open file for this process until it is closed; False if another process holds it.

    >>> import tempfile
    >>> from assay.system import lock
    >>> with tempfile.TemporaryFile() as file:
    ...     lock(file)
    True
    """
    if sys.platform == "win32":
        import msvcrt

        at = file.tell()
        try:
            file.seek(_LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(at)
        return True
    try:
        import fcntl
    except ImportError:  # in a browser there is one process
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def to_disk(path: str | os.PathLike[str]) -> None:
    """Wait until the content of a file is on the disk."""
    number = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(number)
    finally:
        os.close(number)


@lru_cache(maxsize=1)
def cores() -> int:
    """How many cores this process may use: CPU affinity and the container's quota are respected."""
    if sys.platform == "emscripten":
        return 1
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:  # Linux alone has it
            quota, period = file.read().split()
        if quota != "max":
            count = min(count, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return count


def memory() -> float:
    """Bytes of the machine's memory; infinite where the system does not say.

    >>> from assay.system import memory
    >>> memory() > 1e8
    True
    """
    if sys.platform == "win32":
        return _memory_of_windows()
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def after_fork(function: Callable[[], object]) -> None:
    """Call a function in every child that is forked off this process, where processes fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


def _memory_of_windows() -> float:
    import ctypes

    class Status(ctypes.Structure):  # MEMORYSTATUSEX: two words of 32 bits, then seven of 64
        _fields_ = [("length", ctypes.c_uint32), ("load", ctypes.c_uint32), ("bytes", ctypes.c_uint64 * 7)]

    status = Status(length=ctypes.sizeof(Status))
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined, unused-ignore]
    return float(status.bytes[0]) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else float("inf")
