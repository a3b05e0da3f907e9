"""A sum of kernels with a weight for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, FloatArray, Object
from assay.kernels.algebra import Compound, Values
from assay.kernels.kernel import Kernel

__all__ = ["WeightedSum"]


@dataclass(frozen=True, eq=False)
class WeightedSum(Compound):
    r"""Kernels side by side, each counted with its own weight.

    .. math:: K(a, b) = \sum_i \eta_i K_i(a, b), \quad \eta_i \ge 0 \quad (1)

    Parameters
    ----------
    kernels : tuple of Kernel
    weights : (p,) from 0 up; kernels of weight 0 are not evaluated

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF, Linear
    >>> from assay.svm.several_kernels.weighted_sum import WeightedSum
    >>> WeightedSum((Linear(), RBF()), np.array([3.0, 0.5]))([[1.0]], [[1.0]])
    array([[3.5]])
    """

    kernels: tuple[Kernel, ...]
    weights: Any
    stored = {"kernels": Each(Object(Kernel)), "weights": FloatArray("*", low=0, finite=True)}

    def diagonal(self, A: Any) -> np.ndarray:
        return np.sum([w * k.diagonal(A) for w, k in zip(self.weights, self.kernels)], axis=0)

    def column_sums(self, Q: Any, S: Any, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        parts = [k.column_sums(Q, S, w * coef) for w, k in zip(self.weights, self.kernels) if w > 0]
        known = [part for part in parts if part is not None]
        if not parts or len(known) < len(parts):
            return None
        values, bases = (np.stack(part).sum(axis=0) for part in zip(*known))
        return values, bases

    def _value(self, values: Values) -> Any:
        total: Any = 0.0
        for weight, kernel in zip(self.weights, self.kernels):
            if weight > 0:
                total = total + weight * values.of(kernel)
        return total

    def _slopes(self, values: Values) -> list[Any]:
        return [w * s for w, k in zip(self.weights, self.kernels) for s in values.slopes(k)]

    def _sums(self, values: Values, W: np.ndarray) -> np.ndarray:
        return np.concatenate([w * values.sums(k, W) for w, k in zip(self.weights, self.kernels)])

    def __repr__(self) -> str:
        return " + ".join(f"{w:.3g} * {k!r}" for w, k in zip(self.weights, self.kernels) if w > 0) or "0"
