"""The Gaussian kernel: similarity falls with the squared distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Plain, Scalar, Text
from assay.errors import ParameterError
from assay.kernels.dot_products import numbers
from assay.kernels.gamma import gamma_of
from assay.kernels.points import GAUSSIAN, Form
from assay.kernels.vector import VectorKernel

__all__ = ["RBF"]


@dataclass(frozen=True, eq=False)
class RBF(VectorKernel):
    r"""The Gaussian kernel, also called radial basis function.

    .. math:: K(a, b) = \exp\left(-\tfrac12 \sum_j \frac{(a_j - b_j)^2}{\ell_j^2}\right)
                      = \exp(-\gamma \|a - b\|^2), \quad \gamma = \frac1{2\ell^2} \quad (1)

    Parameters
    ----------
    length_scale : float or (d,) array, default 1
        How far rows may be apart and still be similar; one for each column (automatic relevance determination), or one
        for all.
    length_scale_bounds : (low, high) or "fixed", default (1e-5, 1e5)
        Where a search may look for it.
    gamma : float, "scale" or "auto", default None
        Given, it takes the place of the length scale: "scale" is 1 / (d var(X)) and "auto" 1 / d, of the training rows.

    Examples
    --------
    >>> from assay.kernels import RBF
    >>> RBF()([[0.0, 0.0]], [[1.0, 1.0]]).round(6)  # exp(-1)
    array([[0.367879]])
    """

    length_scale: Any = 1.0
    length_scale_bounds: Any = (1e-5, 1e5)
    gamma: float | str | None = None
    stored = {
        "length_scale": Scalar() | FloatArray("d", finite=True) | Plain((list, tuple)),
        "length_scale_bounds": Plain((list, tuple)) | Text("fixed"),
        "gamma": Scalar() | Text("scale", "auto") | None,
    }

    def learn(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> RBF:
        return self if self.gamma is None else replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def diagonal(self, A: Any) -> np.ndarray:
        return np.ones(self._prepared(A).shape[0])

    def _prepared(self, X: Any) -> Any:
        X = numbers(X)
        if self.gamma is not None:
            if isinstance(self.gamma, str):
                raise ParameterError(
                    f"rbf: gamma={self.gamma!r} is not known before the kernel learns from rows. Give a number or call "
                    "learn(X)."
                )
            return X * np.sqrt(2.0 * self.gamma)
        scale = 1.0 / np.asarray(self.length_scale, dtype=np.float64)
        return X.multiply(scale).tocsr() if hasattr(X, "tocsr") else X * scale

    def _form(self) -> Form:
        return Form(GAUSSIAN)
