"""Kernel matrices that the machine's memory cannot hold are refused before they are made."""

from __future__ import annotations

import os

from assay.errors import DataError

__all__ = ["refuse_beyond_memory"]

MOST_OF_MEMORY = 0.5  # share of the machine's memory that a kernel matrix and its factor may take


def refuse_beyond_memory(who: str, n: int, remedy: str) -> None:
    """Raise for a kernel matrix that the machine's memory cannot hold, before it is made."""
    if not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    needed = 16.0 * n * n
    if needed > MOST_OF_MEMORY * memory:
        raise DataError(
            f"{who} holds the kernel matrix of the training rows and its factor, {needed / 1e9:.3g} GB for {n} rows; "
            f"this machine has {memory / 1e9:.3g} GB. {remedy}"
        )
