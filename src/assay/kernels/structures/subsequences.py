"""The kernel of subsequences with gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import assay.kernels.structures._strings as _strings
from assay.core.parameters import check_count
from assay.core.stored import Integer, Scalar
from assay.errors import ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.structures.sequences import Sequences

__all__ = ["Subsequences"]


@dataclass(frozen=True, eq=False)
class Subsequences(Kernel):
    r"""Strings are alike if they share many subsequences of some length, gaps allowed at a price.

    .. math:: K(a, b) = \sum_{|u| = n}\ \sum_{i: u = a[i]}\ \sum_{j: u = b[j]} \lambda^{l(i) + l(j)} \quad (1)

    over all places i in a and j in b where u can be read from left to right, with l the length from the first to the
    last of these places. Rows are strings, or lists and tuples of items. Use ``normalized()`` for strings of different
    lengths.

    Cost: O(n l m) a pair of lengths l and m.

    Parameters
    ----------
    length : int, default 3
        n.
    decay : float from 0 to 1, default 0.5
        :math:`\lambda`: the smaller, the dearer are gaps.

    Examples
    --------
    >>> from assay.kernels import Subsequences
    >>> Subsequences(2, decay=0.5)(["cat"], ["cat", "car"])  # 2 l^4 + l^6, l^4
    array([[0.140625, 0.0625  ]])

    See Also
    --------
    Spectrum, EditSimilarity

    References
    ----------
    - Lodhi, H., Saunders, C., Shawe-Taylor, J., Cristianini, N. and Watkins, C. (2002). Text classification using
      string kernels. Journal of Machine Learning Research 2, 419-444.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})

    length: int = 3
    decay: float = 0.5
    stored = {"length": Integer(low=1), "decay": Scalar(0, 1)}

    def __post_init__(self) -> None:
        check_count("Subsequences", "length", self.length)
        if not 0 < self.decay <= 1:
            raise ParameterError(f"Subsequences: decay must be a number above 0 up to 1, got {self.decay!r}.")

    def _prepared(self, X: Any) -> Sequences:
        return X if isinstance(X, Sequences) else Sequences.of(X, "Subsequences")

    def _block(self, A: Sequences, B: Sequences) -> np.ndarray:
        out = np.empty((len(A), len(B)))
        _strings.subsequences(
            codes_a=A.codes,
            start_a=A.start,
            codes_b=B.codes,
            start_b=B.start,
            n=int(self.length),
            decay=float(self.decay),
            out=out,
        )
        return out
