"""Which of many do not differ: letters, and the bars under a ranking."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np

__all__ = ["letters", "runs_alike"]


def letters(differ: np.ndarray) -> list[str]:
    """Compact letters: two items share a letter exactly if they do not differ.

    Starts with one group of all; every pair that differs splits each group that holds both; a group inside
    another one is dropped (insert and absorb, Piepho 2004).

    Parameters
    ----------
    differ : (L, L) bool, symmetric; items in order of rank, so that the first gets the letter a

    Examples
    --------
    The first and the last differ, the middle one differs from neither:

    >>> import numpy as np
    >>> from assay.stats import letters
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']

    See Also
    --------
    runs_alike, post_hoc

    References
    ----------
    - Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
      Computational and Graphical Statistics 13(2), 456-466.
    """
    differ = np.asarray(differ, dtype=bool)
    L = len(differ)
    groups: list[frozenset[int]] = [frozenset(range(L))]
    for i, j in np.argwhere(np.triu(differ, 1)).tolist():
        split = [part for g in groups for part in ((g - {i}, g - {j}) if {i, j} <= g else (g,))]
        groups = [
            g
            for k, g in enumerate(split)
            if not any(g < h or (g == h and k > m) for m, h in enumerate(split))
        ]
    groups = sorted((g for g in groups if g), key=sorted)
    return ["".join(_letter(k) for k, g in enumerate(groups) if i in g) for i in range(L)]


def runs_alike(differ: np.ndarray) -> list[tuple[int, int]]:
    """The longest runs along a ranking in which no two differ, as (first, last) places, both included.

    These are the bars of a critical-difference diagram and the underlines of an ordered list; a run of one is
    no bar, and a run inside another is left out.

    Parameters
    ----------
    differ : (L, L) bool, symmetric; items in order of rank

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats import runs_alike
    >>> runs_alike(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 1), (1, 2)]

    See Also
    --------
    letters, nemenyi

    References
    ----------
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    differ = np.asarray(differ, dtype=bool)
    L = len(differ)
    runs: list[tuple[int, int]] = []
    for first in range(L):
        last = first
        while last + 1 < L and not differ[first : last + 1, last + 1].any():
            last += 1
        if last > first and not (runs and runs[-1][1] >= last):
            runs.append((first, last))
    return runs


def _letter(k: int) -> str:
    """a, b, ..., z, then a1, b1, ..."""
    return ascii_lowercase[k % 26] + (str(k // 26) if k >= 26 else "")
