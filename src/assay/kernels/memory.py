"""Kernel matrices that the machine's memory cannot hold are refused before they are made."""

from __future__ import annotations

from assay.errors import DataError
from assay.system import memory

__all__ = ["fits_memory", "refuse_beyond_memory"]

MOST_OF_MEMORY = 0.5  # share of the machine's memory that a kernel matrix and its factor may take


def fits_memory(n: int) -> bool:
    """Whether the machine's memory can hold the kernel matrix of n rows and its factor."""
    return _needed(n) <= MOST_OF_MEMORY * memory()


def refuse_beyond_memory(who: str, n: int, remedy: str) -> None:
    """Raise for a kernel matrix that the machine's memory cannot hold, before it is made."""
    if not fits_memory(n):
        raise DataError(
            f"{who} holds the kernel matrix of the training rows and its factor, {_needed(n) / 1e9:.3g} GB for {n} "
            f"rows; this machine has {memory() / 1e9:.3g} GB. {remedy}"
        )


def _needed(n: int) -> float:
    """Bytes of the matrix and its factor."""
    return 16.0 * n * n
