"""Answers on rows that a learner had not seen, pooled over the splits of the first repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.evaluate.fold import Cell

__all__ = ["OutOfFold", "pooled"]


class OutOfFold(NamedTuple):
    """One answer per tested row.

    Attributes
    ----------
    rows : (n,) numbers of the rows, ascending
    truth : (n,) class codes, or numbers
    answer : (n,) class codes, -1 for an answer that is no class; or numbers
    posterior : (n, K), or None for a learner without probabilities
    """

    rows: np.ndarray
    truth: np.ndarray
    answer: np.ndarray
    posterior: np.ndarray | None


def pooled(
    places: list[tuple[int, int, int]],
    tests: list[np.ndarray],
    truths: list[np.ndarray],
    cells: list[Cell],
    who: str,
) -> OutOfFold:
    """The answers of the first repetition, in which each row is tested once at most, sorted by row.

    A split on which the learner failed is left out; if none is left, that is an error.

    >>> import numpy as np
    >>> from assay.evaluate.fold import Cell
    >>> from assay.evaluate.out_of_fold import pooled
    >>> cells = [Cell(answer=np.array([1, 0])), Cell(answer=np.array([1]))]
    >>> places = [(0, 0, 1), (0, 1, 2)]
    >>> pooled(places, [np.array([0, 2]), np.array([1])], [np.array([1, 1]), np.array([1])], cells, "it").answer
    array([1, 1, 0])
    """
    first = [j for j, cell in enumerate(cells) if places[j][0] == places[0][0] and cell.answer is not None]
    if not first:
        raise ParameterError(f"{who} answered on no split of the first repetition.")
    rows = np.concatenate([tests[j] for j in first])
    order = np.argsort(rows, kind="stable")
    posteriors = [cells[j].posterior for j in first]
    known = [p for p in posteriors if p is not None]
    return OutOfFold(
        rows[order],
        np.concatenate([truths[j] for j in first])[order],
        np.concatenate([_whole(cells[j].answer) for j in first])[order],
        np.concatenate(known)[order] if len(known) == len(first) else None,
    )


def _whole(answer: np.ndarray | None) -> np.ndarray:
    """Class codes as whole numbers of 64 bits, numbers as they are."""
    values = np.asarray(answer)
    return values if values.dtype.kind == "f" else values.astype(np.int64)
