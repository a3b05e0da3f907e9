"""A kernel of unit diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Object
from assay.errors import DegenerateError
from assay.kernels.kernel import Kernel
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["Normalized", "ScaledRows"]


class ScaledRows:
    """Prepared rows of a kernel together with numbers of their own."""

    def __init__(self, rows: Any, numbers: np.ndarray, slopes: np.ndarray | None = None):
        self.rows, self.numbers, self.slopes = rows, numbers, slopes

    def __getitem__(self, some: slice) -> ScaledRows:
        slopes = None if self.slopes is None else self.slopes[:, some]
        return ScaledRows(self.rows[some], self.numbers[some], slopes)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def shape(self) -> tuple[int]:
        """The number of rows."""
        return (len(self.numbers),)


@dataclass(frozen=True, eq=False)
class Normalized(Kernel):
    r"""The cosine of the angle between two rows in the space of a kernel's features.

    .. math:: K(a, b) = \frac{K_0(a, b)}{\sqrt{K_0(a, a)\, K_0(b, b)}} \quad (1)

    A row of length 0 has the value 0 with every other, and 1 with itself.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> Linear().normalized()([[1.0, 0.0]], [[3.0, 4.0]])
    array([[0.6]])
    """

    kernel: Kernel
    stored = {"kernel": Object("assay.kernels.kernel.Kernel")}

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return self.kernel.takes

    @property
    def of_numbers(self) -> bool:  # type: ignore[override]
        return self.kernel.of_numbers

    @property
    def function(self) -> bool:  # type: ignore[override]
        return self.kernel.function

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return self.kernel.stationary

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.kernel.psd

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def feature_map(self, X: TableLike) -> np.ndarray:
        return self.kernel.feature_map(X) * self._factors(X)[:, None]

    def _factors(self, X: Any) -> np.ndarray:
        """(n,) 1 / sqrt(K(x, x)); 0 for rows of length 0."""
        squares = self.kernel.diagonal(X)
        if (squares < 0).any():
            raise DegenerateError(
                f"{self!r}: row {int(np.argmin(squares)) + 1} has {squares.min():.3g} as its own value, which has no "
                "root: the kernel is not positive semidefinite, so it cannot be normalised."
            )
        lengths = np.sqrt(squares)
        return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)

    def _prepared(self, X: Any) -> ScaledRows:
        slopes = self.kernel.diagonal_gradient(X) if len(self.theta) else None
        return ScaledRows(self.kernel._prepared(X), self._factors(X), slopes)

    def _check_widths(self, A: ScaledRows, B: ScaledRows) -> None:
        self.kernel._check_widths(A.rows, B.rows)

    def gram(self, A: PointsLike) -> np.ndarray:
        K = super().gram(A)
        np.fill_diagonal(K, 1.0)
        return K

    def _block(self, A: ScaledRows, B: ScaledRows) -> np.ndarray:
        return self.kernel._block(A.rows, B.rows) * A.numbers[:, None] * B.numbers

    def _derivatives(self, A: ScaledRows, B: ScaledRows, K: np.ndarray | None = None) -> list[np.ndarray]:
        K = self._block(A, B) if K is None else K
        assert A.slopes is not None and B.slopes is not None
        slopes = self.kernel._derivatives(A.rows, B.rows)
        shrinks = [(a * A.numbers**2)[:, None] + b * B.numbers**2 for a, b in zip(A.slopes, B.slopes)]
        return [
            slope * A.numbers[:, None] * B.numbers - 0.5 * K * shrink
            for slope, shrink in zip(slopes, shrinks)
        ]

    def __repr__(self) -> str:
        return f"Normalized({self.kernel!r})"
