"""Edit distance: how many insertions, deletions and substitutions turn one string into another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import assay.kernels.structures._strings as _strings
from assay.core.parallel import in_threads
from assay.kernels.kernel import Kernel
from assay.kernels.structures.sequences import Sequences
from assay.types import PointsLike

__all__ = ["Alignment", "EditSimilarity", "align", "edit_distance", "edit_distances"]

ROWS_A_BLOCK = 64  # strings of A in one piece of work


def edit_distance(a: Sequence[Any], b: Sequence[Any], limit: int | None = None) -> int:
    """The fewest insertions, deletions and substitutions that turn a into b.

    Parameters
    ----------
    a, b : strings, or lists and tuples of items
    limit : int, default None
        A larger distance is of no interest: the answer is then limit + 1, and comes sooner.

    Examples
    --------
    >>> from assay.kernels import edit_distance
    >>> edit_distance("kitten", "sitting"), edit_distance("kitten", "sitting", limit=1)
    (3, 2)
    """
    return int(edit_distances([a], [b], limit)[0, 0])


def edit_distances(A: PointsLike, B: PointsLike, limit: int | None = None) -> np.ndarray:
    """(n, m) the edit distances of all strings of A and of B; see :func:`edit_distance`.

    Cost: O(l m / 64) a pair of lengths l and m.

    >>> from assay.kernels import edit_distances
    >>> edit_distances(["kitten", "mitten"], ["sitting"])
    array([[3.],
           [3.]])
    """
    A, B = Sequences.of(A, "edit_distances"), Sequences.of(B, "edit_distances")
    return _distances(A, B, limit)


def _distances(A: Sequences, B: Sequences, limit: int | None = None) -> np.ndarray:
    letters, places = np.unique(np.concatenate([A.codes, B.codes]), return_inverse=True)
    codes = places.astype(np.int32)
    of_a, of_b = codes[: len(A.codes)], codes[len(A.codes) :]
    out = np.empty((len(A), len(B)))

    def some(begin: int) -> None:
        start = A.start[begin : begin + ROWS_A_BLOCK + 1]
        _strings.edit_distances(
            codes_a=of_a[start[0] : start[-1]],
            start_a=start - start[0],
            codes_b=of_b,
            start_b=B.start,
            letters=len(letters),
            limit=-1 if limit is None else int(limit),
            out=out[begin : begin + ROWS_A_BLOCK],
        )

    in_threads(some, range(0, len(A), ROWS_A_BLOCK))
    return out


class Alignment(NamedTuple):
    """Two strings one above the other; a gap is None.

    Attributes
    ----------
    pairs : list of (item of a or None, item of b or None)      distance : int
    """

    pairs: list[tuple[Any, Any]]
    distance: int

    def __str__(self) -> str:
        rows = [
            "".join("-" if pair[side] is None else str(pair[side]) for pair in self.pairs) for side in (0, 1)
        ]
        marks = "".join("|" if a == b else " " for a, b in self.pairs)
        return "\n".join([rows[0], marks, rows[1]])


def align(a: Sequence[Any], b: Sequence[Any]) -> Alignment:
    """One of the shortest ways to turn a into b, as two strings one above the other; substitutions before gaps.

    Examples
    --------
    >>> from assay.kernels import align
    >>> print(align("kitten", "sitting"))
    kitten-
     ||| |
    sitting
    """
    strings = Sequences.of([a, b], "align")
    first, second = strings[0:1].codes, strings[1:2].codes
    table = np.empty((len(first) + 1, len(second) + 1), dtype=np.int32)
    _strings.edit_table(first, second, table)
    pairs, i, j = [], len(first), len(second)
    while i or j:
        if i and j and table[i, j] == table[i - 1, j - 1] + (first[i - 1] != second[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((a[i], b[j]))
        elif i and table[i, j] == table[i - 1, j] + 1:
            i -= 1
            pairs.append((a[i], None))
        else:
            j -= 1
            pairs.append((None, b[j]))
    return Alignment(pairs[::-1], int(table[-1, -1]))


@dataclass(frozen=True, eq=False)
class EditSimilarity(Kernel):
    r"""A score from 0 to 1 by the edit distance; not positive semidefinite in general.

    .. math:: s(a, b) = 1 - \frac{\mathrm{edit}(a, b)}{\max(|a|, |b|)}, \quad 1 \text{ for two empty strings} \quad (1)

    Use it as it is where any similarity will do (nearest neighbours), or through `EmpiricalKernel`, which makes a
    kernel of it.

    Cost: O(l m / 64) a pair of lengths l and m.

    Examples
    --------
    >>> from assay.kernels import EditSimilarity
    >>> EditSimilarity()(["kitten"], ["sitting", "mitten"]).round(4)  # 1 - 3/7, 1 - 1/6
    array([[0.5714, 0.8333]])

    See Also
    --------
    Spectrum, Subsequences, EmpiricalKernel

    References
    ----------
    - Myers, G. (1999). A fast bit-vector algorithm for approximate string matching based on dynamic programming.
      Journal of the ACM 46(3), 395-415. doi:10.1145/316542.316550
    """

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})
    psd: ClassVar[bool] = False

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(len(self._prepared(A)))

    def _prepared(self, X: Any) -> Sequences:
        return X if isinstance(X, Sequences) else Sequences.of(X, "EditSimilarity")

    def _block(self, A: Sequences, B: Sequences) -> np.ndarray:
        longest = np.maximum(np.diff(A.start)[:, None], np.diff(B.start))
        return 1.0 - _distances(A, B) / np.maximum(longest, 1)
