"""Kernels of inner products: linear, polynomial, sigmoid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.stored import Scalar, Text
from assay.errors import ParameterError
from assay.kernels.gamma import gamma_of
from assay.kernels.points import LINEAR, POLYNOMIAL, SIGMOID, Form
from assay.kernels.vector import VectorKernel

__all__ = ["Linear", "Polynomial", "Sigmoid"]

MOST_DEGREE = 64  # of a polynomial in native code


def _dense(product: Any) -> np.ndarray:
    return product.toarray() if hasattr(product, "toarray") else product


def numbers(X: Any) -> Any:
    """X as a float64 array, or as a sparse matrix of rows."""
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)


def squared_lengths(X: Any) -> np.ndarray:
    """(n,) |x|^2 of each row."""
    if hasattr(X, "tocsr"):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


@dataclass(frozen=True, eq=False)
class Linear(VectorKernel):
    r"""The inner product of two rows.

    .. math:: K(a, b) = a^T b \quad (1)

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def diagonal(self, A: Any) -> np.ndarray:
        return squared_lengths(self._prepared(A))

    def combine(self, Q: Any, S: Any, coef: np.ndarray) -> np.ndarray:
        weights = np.asarray(self._prepared(S).T @ coef)
        return np.asarray(self._prepared(Q) @ weights)

    def _prepared(self, X: Any) -> Any:
        return numbers(X)

    def _form(self) -> Form:
        return Form(LINEAR)


@dataclass(frozen=True, eq=False)
class Polynomial(VectorKernel):
    r"""A power of the shifted inner product: all products of up to q columns.

    .. math:: K(a, b) = (\gamma\, a^T b + c)^q \quad (1)

    Parameters
    ----------
    degree : int or float, default 2
        q.
    gamma : float, "scale" or "auto", default 1
        "scale" is 1 / (d var(X)) and "auto" 1 / d, of the training rows.
    coef0 : float, default 1
        c: above 0, powers below q count as well.

    Examples
    --------
    >>> from assay.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: float = 2
    gamma: float | str = 1.0
    coef0: float = 1.0
    stored = {
        "degree": Scalar(),
        "gamma": Scalar() | Text("scale", "auto"),
        "coef0": Scalar(),
    }

    @property
    def name(self) -> str:
        return "poly"

    def learn(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Polynomial:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def diagonal(self, A: Any) -> np.ndarray:
        return self._of(squared_lengths(self._prepared(A)))

    def _prepared(self, X: Any) -> Any:
        return numbers(X)

    def _form(self) -> Form | None:
        if self.degree != int(self.degree) or not 1 <= self.degree <= MOST_DEGREE:
            return None
        return Form(POLYNOMIAL, _number(self.gamma, self.name), self.coef0, int(self.degree))

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return self._of(_dense(A @ B.T))

    def _of(self, products: np.ndarray) -> np.ndarray:
        return (_number(self.gamma, self.name) * products + self.coef0) ** self.degree


@dataclass(frozen=True, eq=False)
class Sigmoid(VectorKernel):
    r"""The hyperbolic tangent of the shifted inner product; not positive semidefinite in general.

    .. math:: K(a, b) = \tanh(\gamma\, a^T b + c) \quad (1)

    Parameters
    ----------
    gamma : float, "scale" or "auto", default 2
    coef0 : float, default 1

    Examples
    --------
    >>> from assay.kernels import Sigmoid
    >>> Sigmoid()([[1.0, 0.0]], [[0.0, 1.0]]).round(6)  # tanh(1)
    array([[0.761594]])
    """

    gamma: float | str = 2.0
    coef0: float = 1.0
    stored = {"gamma": Scalar() | Text("scale", "auto"), "coef0": Scalar()}

    def learn(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Sigmoid:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def diagonal(self, A: Any) -> np.ndarray:
        return self._of(squared_lengths(self._prepared(A)))

    def _prepared(self, X: Any) -> Any:
        return numbers(X)

    def _form(self) -> Form:
        return Form(SIGMOID, _number(self.gamma, self.name), self.coef0)

    def _of(self, products: np.ndarray) -> np.ndarray:
        return np.tanh(_number(self.gamma, self.name) * products + self.coef0)


def _number(gamma: float | str, who: str) -> float:
    if isinstance(gamma, str):
        raise ParameterError(
            f"{who}: gamma={gamma!r} is not known before the kernel learns from rows. Give a number, or call learn(X)."
        )
    return gamma
