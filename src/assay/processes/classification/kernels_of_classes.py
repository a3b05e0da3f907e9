"""The kernels of several classes side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, Object
from assay.kernels import Kernel

__all__ = ["KernelsOfClasses"]


@dataclass(frozen=True, eq=False)
class KernelsOfClasses(Kernel):
    """The kernel of each class, or of each pair of classes; its theta holds the parameters of all.

    Parameters
    ----------
    kernels : tuple of Kernel

    Examples
    --------
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.kernels_of_classes import KernelsOfClasses
    >>> both = KernelsOfClasses((RBF(1.0), RBF(2.0)))
    >>> both.theta.round(3), both([[0.0], [1.0]]).shape
    (array([0.   , 0.693]), (2, 2, 2))
    """

    kernels: tuple[Kernel, ...]
    stored = {"kernels": Each(Object(Kernel))}

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return self.kernels[0].takes

    def gram(self, A: Any) -> np.ndarray:
        """(n, n, k) the kernel matrices."""
        return np.stack([kernel.gram(A) for kernel in self.kernels], axis=2)

    def between(self, A: Any, B: Any) -> np.ndarray:
        """(n, m, k) the values of each kernel for all pairs of rows of A and of B."""
        return np.stack([kernel.between(A, B) for kernel in self.kernels], axis=2)
