"""The p-spectrum kernel: substrings that two strings share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.kernels.structures._bags as _bags
from assay.core.parameters import check_count
from assay.core.stored import Boolean, Integer
from assay.kernels.structures.bags import Bags
from assay.kernels.structures.count_kernel import CountKernel
from assay.kernels.structures.sequences import Sequences

__all__ = ["Spectrum"]


@dataclass(frozen=True, eq=False)
class Spectrum(CountKernel):
    r"""Strings are alike if they share many substrings of length p.

    .. math:: K(a, b) = \sum_{|u| = p} c_u(a)\,c_u(b) \quad (1)

    with :math:`c_u` the number of places where u occurs, overlapping ones too. Rows are strings, or lists and tuples of
    items: the words of a text, the events of a log. Long strings have large values: use ``normalized()``.

    Cost: O(p) for each character, then O(shared substrings) a pair.

    Parameters
    ----------
    p : int, default 3
    blended : bool, default False
        Whether all lengths from 1 to p count.

    Examples
    --------
    >>> from assay.kernels import Spectrum
    >>> Spectrum(2)(["statistics"], ["computation"]), Spectrum(3)(["statistics"], ["computation"])
    (array([[4.]]), array([[2.]]))

    See Also
    --------
    Subsequences, BagOfWords, EditSimilarity

    References
    ----------
    - Leslie, C., Eskin, E. and Noble, W. S. (2002). The spectrum kernel: a string kernel for SVM protein
      classification. Pacific Symposium on Biocomputing 7, 564-575.
    """

    p: int = 3
    blended: bool = False
    stored = {"p": Integer(low=1), "blended": Boolean()}

    def __post_init__(self) -> None:
        check_count("Spectrum", "p", self.p)

    def _bags(self, rows: np.ndarray) -> Bags:
        sequences = Sequences.of(rows, "Spectrum")
        codes, start = sequences.codes, sequences.start
        lengths = range(1, self.p + 1) if self.blended else [self.p]
        counts = [np.maximum(np.diff(start) - p + 1, 0) for p in lengths]
        first = np.concatenate([[0], np.cumsum(np.sum(counts, axis=0))]).astype(np.int64)
        if len(lengths) == 1:
            features = np.empty(first[-1], dtype=np.uint64)
            _bags.substrings(codes, start, self.p, first, features)
            return Bags(first, features)
        features, begin = np.empty(first[-1], dtype=np.uint64), first[:-1].copy()
        for p, count in zip(lengths, counts):
            part = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
            of_length = np.empty(part[-1], dtype=np.uint64)
            _bags.substrings(codes, start, p, part, of_length)
            features[np.repeat(begin - part[:-1], count) + np.arange(part[-1])] = of_length
            begin += count
        return Bags(first, features)
