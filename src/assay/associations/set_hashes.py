"""Sets found by their contents: sums of random numbers, one for each item, name every set and all its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.associations.item_sets import ItemSets

__all__ = ["SetHashes"]


class SetHashes:
    r"""Where each set stands, by a hash that adds up.

    .. math:: h(S) = \sum_{i \in S} r_i \bmod 2^{64}, \qquad h(S \setminus \{i\}) = h(S) - r_i

    with random :math:`r_i`, so that the hash of a part costs one subtraction. A second, independent hash confirms what
    the first one finds.

    Parameters
    ----------
    sets : ItemSets
        Each set once.

    Attributes
    ----------
    of_items : (2, d) uint64      of_sets : (2, m) uint64

    Examples
    --------
    >>> from assay.associations import Baskets, frequent_sets
    >>> from assay.associations.set_hashes import SetHashes
    >>> sets = frequent_sets(Baskets.from_lists([["tea", "milk"], ["tea"]]), 1)
    >>> hashes = SetHashes(sets)
    >>> hashes.find(hashes.of_sets[:, 2:] - hashes.of_items[:, :1])  # milk, tea without milk
    array([0])
    """

    def __init__(self, sets: ItemSets):
        rng = np.random.default_rng(20)
        self.of_items = rng.integers(0, 2**64, size=(2, len(sets.items)), dtype=np.uint64)
        ends = np.zeros((2, len(sets.indices) + 1), np.uint64)
        np.cumsum(self.of_items[:, sets.indices], axis=1, out=ends[:, 1:])
        self.of_sets = ends[:, sets.indptr[1:]] - ends[:, sets.indptr[:-1]]
        self._order = np.argsort(self.of_sets[0], kind="stable")
        self._sorted = self.of_sets[0][self._order]
        # A table by the last bits of the hash finds most sets at once; those that share a place are searched for.
        self._mask = np.uint64(2 ** int(4 * len(sets) + 1).bit_length() - 1)
        self._table = np.full(int(self._mask) + 1, -1, np.int32)
        self._table[self.of_sets[0] & self._mask] = np.arange(len(sets), dtype=np.int32)

    def find(self, hashes: np.ndarray) -> np.ndarray:
        """The numbers of the sets with these hashes, given as (2, q); -1 where there is none."""
        if not len(self._sorted):
            return np.full(hashes.shape[1], -1)
        places = self._table[hashes[0] & self._mask].astype(np.int64)
        wrong = self.of_sets[0][places] != hashes[0]
        wrong |= self.of_sets[1][places] != hashes[1]
        left = np.flatnonzero(wrong & (places >= 0))
        places[wrong] = -1
        if len(left):
            asked = hashes[:, left]
            at = np.minimum(np.searchsorted(self._sorted, asked[0]), len(self._sorted) - 1)
            candidate = self._order[at]
            places[left] = np.where((self.of_sets[:, candidate] == asked).all(axis=0), candidate, -1)
        return places
