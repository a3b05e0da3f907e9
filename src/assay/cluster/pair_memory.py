"""Matrices of all pairs of rows that the machine's memory cannot hold are refused before they are made."""

from __future__ import annotations

from assay.errors import DataError
from assay.system import memory

__all__ = ["refuse_pairs_beyond_memory"]

MOST_OF_MEMORY = 0.9  # of the machine, that the matrix may take


def refuse_pairs_beyond_memory(who: str, n: int, remedy: str) -> None:
    """Raise for n rows whose pairs do not fit.

    >>> from assay.cluster.pair_memory import refuse_pairs_beyond_memory
    >>> refuse_pairs_beyond_memory("KMedoids", 10**8, "Take KMeans.")
    Traceback (most recent call last):
        ...
    assay.errors.DataError: KMedoids: a number for each pair of 100000000 rows takes 8e+07 GB, and this machine ...
    """
    needed = 8.0 * n * n
    if needed > MOST_OF_MEMORY * memory():
        raise DataError(
            f"a number for each pair of {n} rows takes {needed / 1e9:.3g} GB, and this machine has "
            f"{memory() / 1e9:.3g} GB. {remedy}",
            who=who,
        )
