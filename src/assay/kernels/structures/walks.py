"""The kernel of walks that two graphs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import assay.kernels.structures._pairs as _pairs
from assay.core.parameters import check_count
from assay.core.stored import Integer, Scalar
from assay.errors import ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.objects import objects_of
from assay.kernels.structures.graph import graphs_as_parts
from assay.kernels.structures.parts import Parts

__all__ = ["SharedWalks"]

LONGEST = 10_000  # steps of a walk, as the native code has it


@dataclass(frozen=True, eq=False)
class SharedWalks(Kernel):
    r"""Graphs are alike if many walks can be taken in both, over nodes of the same labels.

    .. math:: K(a, b) = \sum_{l=0}^{L} \gamma^l\, \mathbf 1^T A_\times^l \mathbf 1, \qquad
              A_\times = A_a \otimes A_b \quad (1)

    on the pairs of nodes with equal labels (all pairs, if there are no labels). A walk may return, so that long walks
    are many: use a small decay, and ``normalized()``.

    Cost: O(L (e_a n_b + n_a e_b)) a pair of graphs with n nodes and e edges.

    Parameters
    ----------
    length : int, default 4
        L, of the longest walks.
    decay : float above 0, default 0.1
        :math:`\gamma`.

    Examples
    --------
    >>> from assay.kernels import Graph, SharedWalks
    >>> three, two = Graph.of_edges([(0, 1), (1, 2)]), Graph.of_edges([(0, 1)])
    >>> [float(SharedWalks(L, decay=1.0)([three], [two])[0, 0]) for L in (0, 1, 2)]  # 6, 8 and 12 of each length
    [6.0, 14.0, 26.0]

    See Also
    --------
    ShortestPaths, WeisfeilerLehman

    References
    ----------
    - Gärtner, T., Flach, P. and Wrobel, S. (2003). On graph kernels: hardness results and efficient alternatives.
      Learning Theory and Kernel Machines, 129-143. doi:10.1007/978-3-540-45167-9_11
    """

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})

    length: int = 4
    decay: float = 0.1
    stored = {"length": Integer(), "decay": Scalar(0, finite=True)}

    def __post_init__(self) -> None:
        check_count("SharedWalks", "length", self.length, low=0, high=LONGEST)
        if not 0 < self.decay < np.inf:
            raise ParameterError(f"SharedWalks: decay must be a number above 0, got {self.decay!r}.")

    def _prepared(self, X: Any) -> Parts:
        return X if isinstance(X, Parts) else graphs_as_parts(objects_of(X, "SharedWalks"), "SharedWalks")

    def _block(self, A: Parts, B: Parts) -> np.ndarray:
        out = np.empty((len(A), len(B)))
        _pairs.walks(A.native, B.native, int(self.length), float(self.decay), out)
        return out
