"""Mixin of linear learners that weigh products of columns up to a degree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.explanations import dense_block
from assay.core.stored import IntArray
from assay.linear.regression.polynomial_basis import exponents

if TYPE_CHECKING:
    from assay.core.learner import Regressor as _Regressor
else:
    _Regressor = object  # a mixin: it stands before the other bases

__all__ = ["PolynomialTerms"]


class PolynomialTerms(_Regressor):
    """Mixin: ``coef_`` weighs plain products of the columns up to ``degree``; degree 1 is the columns themselves.

    Indicators of one nominal column are multiplied neither with themselves nor with each other.

    Attributes
    ----------
    powers_ : (D, p) the exponents of each term, without the constant
    """

    stored = {"powers_": IntArray("q", "p", low=0, high=1000)}

    degree: int
    coef_: np.ndarray
    intercept_: float
    powers_: np.ndarray

    def _check_terms(self) -> None:
        """Refuse a stored model whose terms are not those of its columns and its degree."""
        if "powers_" in vars(self) and not np.array_equal(self.powers_, self._exponents()):
            raise ValueError("powers_ are not the products of these columns up to the degree")

    def _set_terms(self) -> None:
        self.powers_ = self._exponents()

    def _exponents(self) -> np.ndarray:
        if self.degree == 1:
            return np.eye(len(self._names), dtype=np.int64)
        design = self.design_
        indicator = np.array([design.schema[int(j)].kind == "nominal" for j in design.source], dtype=bool)
        limits = np.where(indicator, 1, self.degree)
        return exponents(limits, self.degree, np.where(indicator, design.source, -1))[1:]

    def _basis(self, X: Any) -> Any:
        if self.degree == 1:
            return X
        Z = dense_block(X).astype(np.float64)
        with np.errstate(over="ignore"):
            return np.column_stack([np.prod(Z**row, axis=1) for row in self._exponents()])

    def _terms(self) -> list[str]:
        if self.degree == 1:
            return list(self._names)
        parts = [
            [name if p == 1 else f"{name}^{p}" for name, p in zip(self._names, row) if p]
            for row in self.powers_
        ]
        return [" ".join(part) for part in parts]

    def _columns(self, X: Any) -> np.ndarray:
        return dense_block(self._basis(X)).astype(np.float64, copy=False)

    def _predict(self, X: Any) -> np.ndarray:
        return super()._predict(X) if self.degree == 1 else self._columns(X) @ self.coef_ + self.intercept_
