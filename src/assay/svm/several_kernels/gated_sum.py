"""A sum of kernels whose weights depend on where the rows are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.scores import softmax
from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError
from assay.kernels.kernel import Kernel
from assay.tables.rows import row_count

__all__ = ["GatedSum", "gates"]


class GatedRows:
    """Rows prepared for each kernel, and their (n, p) gates."""

    def __init__(self, rows: list[Any], gate: np.ndarray):
        self.rows, self.gate = rows, gate

    def __getitem__(self, some: slice) -> GatedRows:
        return GatedRows([rows[some] for rows in self.rows], self.gate[some])

    def __len__(self) -> int:
        return len(self.gate)

    @property
    def shape(self) -> tuple[int]:
        """The number of rows."""
        return (len(self.gate),)


@dataclass(frozen=True, eq=False)
class GatedSum(Kernel):
    r"""Kernels that count more in some regions than in others.

    .. math:: K(a, b) = \sum_i \eta_i(a)\, K_i(a, b)\, \eta_i(b), \qquad
              \eta_i(x) = \frac{\exp(\theta_i^Tx + \theta_{i0})}{\sum_k \exp(\theta_k^Tx + \theta_{k0})} \quad (1)

    Where the gates do not depend on x it is the sum with the weights :math:`\eta_i^2`.

    Parameters
    ----------
    kernels : tuple of Kernel
    slopes : (p, d) theta      intercepts : (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF, Linear
    >>> from assay.svm.several_kernels.gated_sum import GatedSum
    >>> GatedSum((Linear(), RBF()), np.zeros((2, 1)), np.log([3.0, 1.0]))([[1.0]], [[1.0]])  # 9/16 + 1/16
    array([[0.625]])
    """

    kernels: tuple[Kernel, ...]
    slopes: Any
    intercepts: Any
    stored = {
        "kernels": Each(Object(Kernel), "p"),
        "slopes": FloatArray("p", "*", finite=True),
        "intercepts": FloatArray("p", finite=True),
    }

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset()  # the gates need numbers

    @property
    def function(self) -> bool:  # type: ignore[override]
        return any(kernel.function for kernel in self.kernels)

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return all(kernel.psd for kernel in self.kernels)

    def diagonal(self, A: Any) -> np.ndarray:
        squares = gates(A, self.slopes, self.intercepts) ** 2
        return np.sum([square * k.diagonal(A) for square, k in zip(squares.T, self.kernels)], axis=0)

    def _prepared(self, X: Any) -> GatedRows:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.slopes.shape[1]:
            raise DataError(
                f"{self.name}: the gates are for {self.slopes.shape[1]} columns, got {row_count(X, self.name)} rows of "
                f"shape {X.shape[1:]}."
            )
        return GatedRows([k._prepared(X) for k in self.kernels], gates(X, self.slopes, self.intercepts))

    def _block(self, A: GatedRows, B: GatedRows) -> np.ndarray:
        total = np.zeros((len(A), len(B)))
        for i, kernel in enumerate(self.kernels):
            total += A.gate[:, i : i + 1] * kernel._block(A.rows[i], B.rows[i]) * B.gate[:, i]  # (1)
        return total


def gates(X: Any, slopes: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """(n, p) the gates of (1)."""
    return softmax(np.asarray(X, dtype=np.float64) @ slopes.T + intercepts)
