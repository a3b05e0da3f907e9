"""Kernels of inner products: linear, with an offset, polynomial, sigmoid, cosine, and squares plus linear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Scalar, Text
from assay.distances.cosine import unit_rows
from assay.errors import DataError, ParameterError
from assay.kernels.gamma import gamma_of
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS, check_parameter
from assay.kernels.points import LINEAR, POLYNOMIAL, SIGMOID, Form
from assay.kernels.squared_distances import numbers, squared_lengths
from assay.kernels.vector import VectorKernel
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["CosineKernel", "DotProduct", "Linear", "Polynomial", "Sigmoid", "SquaresPlusLinear"]

MULTIPLIED_POWER = 64  # the largest power that is computed by products, also in native code
MAP_COLUMNS_LIMIT = 1_000_000  # of the explicit features of a polynomial


@dataclass(frozen=True, eq=False)
class OfProducts(VectorKernel):
    """A kernel of the inner products of prepared rows: one of this family writes ``_form`` or ``_of``."""

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self._of(squared_lengths(self._prepared(A)))

    def between(self, A: Any, B: Any) -> np.ndarray:
        form = self._form()
        if form is None or form.kind != LINEAR or hasattr(A, "tocsr") or hasattr(B, "tocsr"):
            return super().between(A, B)
        A, B = self._prepared(A), self._prepared(B)
        self._check_widths(A, B)
        return A @ B.T

    def _prepared(self, X: Any) -> Any:
        return numbers(X)

    def _products(self, A: Any, B: Any) -> np.ndarray:
        product = A @ B.T
        return product.toarray() if hasattr(product, "toarray") else product

    def _form(self) -> Form | None:
        return None

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return self._of(self._products(A, B)) if self._form() is None else super()._block(A, B)

    def _of(self, products: np.ndarray) -> np.ndarray:
        return products


@dataclass(frozen=True, eq=False)
class Linear(OfProducts):
    r"""The inner product of two rows.

    .. math:: K(a, b) = a^T b \quad (1)

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def _form(self) -> Form | None:
        return Form(LINEAR)

    additive: ClassVar[bool] = True

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        weights = np.asarray(self._prepared(S).T @ coef)
        return np.asarray(self._prepared(Q) @ weights)

    def feature_map(self, X: Any) -> np.ndarray:
        X = self._prepared(X)
        return X.toarray() if hasattr(X, "tocsr") else X


@dataclass(frozen=True, eq=False)
class DotProduct(OfProducts):
    r"""The inner product with an offset, in scikit-learn's terms for Gaussian processes.

    .. math:: K(a, b) = \sigma_0^2 + a^T b \quad (1)

    Parameters
    ----------
    sigma_0 : float, default 1
    sigma_0_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import DotProduct
    >>> DotProduct(2.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[15.]])
    """

    searched: ClassVar[tuple[str, ...]] = ("sigma_0",)

    sigma_0: float = 1.0
    sigma_0_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {"sigma_0": Scalar(low=0, finite=True), "sigma_0_bounds": BOUNDS}

    @property
    def name(self) -> str:
        return "dot_product"

    def feature_map(self, X: Any) -> np.ndarray:
        X = Linear().feature_map(X)
        return np.column_stack([np.full(len(X), float(self.sigma_0)), X])

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        products = Linear().column_sums(Q, S, coef)
        return None if products is None else (products[0], products[1] + self.sigma_0**2 * coef.sum(axis=0))

    def _form(self) -> Form | None:
        return Form(POLYNOMIAL, 1.0, float(self.sigma_0) ** 2, 1)

    def _of(self, products: np.ndarray) -> np.ndarray:
        return products + self.sigma_0**2

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        return [np.full((A.shape[0], B.shape[0]), 2.0 * self.sigma_0**2)] * len(self.theta)

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.full((len(self.theta), row_count(A, self.name)), 2.0 * self.sigma_0**2)


@dataclass(frozen=True, eq=False)
class Polynomial(OfProducts):
    r"""A power of the shifted inner product: all products of up to q columns.

    .. math:: K(a, b) = (\gamma\, a^T b + c)^q = \phi(a)^T \phi(b), \quad \phi_k(x) =
              \sqrt{\frac{q!}{k_0!\,k_1! \cdots k_d!}\, c^{k_0} \gamma^{q - k_0}}\; x_1^{k_1} \cdots x_d^{k_d} \quad (1)

    over all whole :math:`k_0 + \dots + k_d = q`; `feature_map` gives these :math:`\binom{d+q}{q}` columns.

    Parameters
    ----------
    degree : int or float, default 2
        q.
    gamma : float, "scale" or "auto", default 1
        "scale" is 1 / (d var(X)) and "auto" 1 / d, of the training rows.
    coef0 : float, default 1
        c: above 0, powers below q count as well.
    gamma_bounds, coef0_bounds : (low, high) or "fixed", default "fixed"
        Where a search may look for them.

    Examples
    --------
    >>> from assay.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    >>> Polynomial(degree=2).feature_map([[1.0, 2.0]]).round(3)  # 1, x1, x2, x1^2, x1 x2, x2^2 with their factors
    array([[1.   , 1.414, 2.828, 1.   , 2.828, 4.   ]])

    See Also
    --------
    DotProduct, SquaresPlusLinear
    """

    searched: ClassVar[tuple[str, ...]] = ("coef0", "gamma")

    degree: float = 2
    gamma: float | str = 1.0
    coef0: float = 1.0
    gamma_bounds: tuple[float, float] | str = "fixed"
    coef0_bounds: tuple[float, float] | str = "fixed"
    stored = {
        "degree": Scalar(finite=True),
        "gamma": Scalar(low=0, finite=True) | Text("scale", "auto"),
        "coef0": Scalar(finite=True),
        "gamma_bounds": BOUNDS,
        "coef0_bounds": BOUNDS,
    }

    def __post_init__(self) -> None:
        _check_shift(self)

    @property
    def name(self) -> str:
        return "poly"

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.coef0 >= 0 and self.degree >= 0 and float(self.degree).is_integer()

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Polynomial:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def feature_map(self, X: Any) -> np.ndarray:
        if not self.psd:
            raise TypeError(
                f"{self!r} has no feature map: the degree must be a whole number and coef0 not negative."
            )
        X, q, gamma = Linear().feature_map(X), int(self.degree), _number(self.gamma, self.name)
        d = X.shape[1]
        if comb(d + q, q) > MAP_COLUMNS_LIMIT:
            raise DataError(
                f"{self!r}: its feature map of {d} columns has {comb(d + q, q):,}. Use the kernel itself, or "
                "PolynomialCountSketch."
            )
        columns = []
        for size in range(q + 1):
            if self.coef0 == 0 and size < q:
                continue
            for chosen in combinations_with_replacement(range(d), size):
                repeats = np.bincount(chosen, minlength=1) if chosen else np.zeros(1, int)
                ways = factorial(q) // (factorial(q - size) * prod(factorial(int(k)) for k in repeats))
                factor = np.sqrt(ways * gamma**size * self.coef0 ** (q - size))
                columns.append(factor * X[:, list(chosen)].prod(axis=1))
        return np.column_stack(columns) if columns else np.zeros((len(X), 0))

    def _form(self) -> Form | None:
        if self.degree != int(self.degree) or not 1 <= self.degree <= MULTIPLIED_POWER:
            return None
        return Form(POLYNOMIAL, _number(self.gamma, self.name), self.coef0, int(self.degree))

    def _of(self, products: np.ndarray) -> np.ndarray:
        return power(_number(self.gamma, self.name) * products + self.coef0, self.degree)

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        scaled = _number(self.gamma, self.name) * self._products(A, B)
        outer = self.degree * power(scaled + self.coef0, self.degree - 1)
        return _of_shift(self, outer, scaled)


@dataclass(frozen=True, eq=False)
class Sigmoid(OfProducts):
    r"""The hyperbolic tangent of the shifted inner product; not positive semidefinite in general.

    .. math:: K(a, b) = \tanh(\gamma\, a^T b + c) \quad (1)

    Parameters
    ----------
    gamma : float, "scale" or "auto", default 2
    coef0 : float, default 1
    gamma_bounds, coef0_bounds : (low, high) or "fixed", default "fixed"

    Examples
    --------
    >>> from assay.kernels import Sigmoid
    >>> Sigmoid()([[1.0, 0.0]], [[0.0, 1.0]]).round(6)  # tanh(1)
    array([[0.761594]])

    See Also
    --------
    Polynomial, check_gram, repair_gram
    """

    psd: ClassVar[bool] = False
    searched: ClassVar[tuple[str, ...]] = ("coef0", "gamma")

    gamma: float | str = 2.0
    coef0: float = 1.0
    gamma_bounds: tuple[float, float] | str = "fixed"
    coef0_bounds: tuple[float, float] | str = "fixed"
    stored = {
        "gamma": Scalar(low=0, finite=True) | Text("scale", "auto"),
        "coef0": Scalar(finite=True),
        "gamma_bounds": BOUNDS,
        "coef0_bounds": BOUNDS,
    }

    def __post_init__(self) -> None:
        _check_shift(self)

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Sigmoid:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def _form(self) -> Form | None:
        return Form(SIGMOID, _number(self.gamma, self.name), self.coef0)

    def _of(self, products: np.ndarray) -> np.ndarray:
        return np.tanh(_number(self.gamma, self.name) * products + self.coef0)

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        scaled = _number(self.gamma, self.name) * self._products(A, B)
        return _of_shift(self, 1.0 - np.tanh(scaled + self.coef0) ** 2, scaled)


@dataclass(frozen=True, eq=False)
class CosineKernel(OfProducts):
    r"""The cosine of the angle between two rows, whatever their lengths; 0 for a row of zeros.

    .. math:: K(a, b) = \frac{a^T b}{\|a\| \|b\|} \quad (1)

    Examples
    --------
    >>> from assay.kernels import CosineKernel
    >>> CosineKernel()([[1.0, 0.0]], [[3.0, 4.0]])
    array([[0.6]])
    """

    @property
    def name(self) -> str:
        return "cosine"

    def _form(self) -> Form | None:
        return Form(LINEAR)

    def feature_map(self, X: TableLike) -> np.ndarray:
        return Linear().feature_map(self._prepared(X))

    def _prepared(self, X: Any) -> Any:
        return unit_rows(numbers(X))


@dataclass(frozen=True, eq=False)
class SquaresPlusLinear(OfProducts):
    r"""Columns and their squares: boundaries that are ellipses along the axes.

    .. math:: K(a, b) = a^T b + \sum_j a_j^2 b_j^2, \quad \phi(x) = (x, x^2) \quad (1)

    Examples
    --------
    >>> from assay.kernels import SquaresPlusLinear
    >>> SquaresPlusLinear()([[1.0, 2.0]], [[3.0, 4.0]])  # 3 + 8 + 9 + 64
    array([[84.]])

    See Also
    --------
    Polynomial

    References
    ----------
    - Aggarwal, C. C. (2015). Data Mining: The Textbook. Springer, section 10.6.
    """

    additive: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "squares_plus_linear"

    def _form(self) -> Form | None:
        return Form(LINEAR)

    def feature_map(self, X: TableLike) -> np.ndarray:
        return Linear().feature_map(self._prepared(X))

    def _prepared(self, X: Any) -> Any:
        X = numbers(X)
        if hasattr(X, "tocsr"):
            from scipy.sparse import hstack

            return hstack([X, X.multiply(X)], format="csr")
        return np.concatenate([X, X * X], axis=1)


def power(values: Any, exponent: float) -> Any:
    """values ** exponent; a small whole exponent by products, which are many times quicker.

    >>> from assay.kernels.dot_products import power
    >>> power(3.0, 5), power(4.0, 0.5)
    (243.0, 2.0)
    """
    whole = float(exponent).is_integer()
    if not whole and np.any(values < 0):
        raise DataError(
            f"the power {exponent:g} of a negative kernel value is no number. Take a whole exponent, or a kernel "
            "without negative values."
        )
    if not 3 <= exponent <= MULTIPLIED_POWER or not whole:
        return values**exponent
    rising, remaining = values, int(exponent)
    result = None
    while remaining:
        if remaining & 1:
            result = rising if result is None else result * rising
        remaining >>= 1
        rising = rising * rising if remaining else rising
    return result


def _check_shift(kernel: Polynomial | Sigmoid) -> None:
    """Check gamma, and coef0, which may be negative while it is fixed."""
    who = type(kernel).__name__
    if not isinstance(kernel.coef0, (int, float, np.number)) or not np.isfinite(kernel.coef0):
        raise ParameterError(f"{who}: coef0 must be a number, got {kernel.coef0!r}.")
    check_parameter(
        who,
        "coef0",
        abs(kernel.coef0) if kernel.coef0_bounds == "fixed" else kernel.coef0,
        kernel.coef0_bounds,
    )
    if not isinstance(kernel.gamma, str):
        check_parameter(who, "gamma", kernel.gamma, kernel.gamma_bounds)


def _of_shift(kernel: Polynomial | Sigmoid, outer: np.ndarray, scaled: np.ndarray) -> list[np.ndarray]:
    """The derivatives by the logs of coef0 and gamma, as far as they are free."""
    slopes = [] if isinstance(kernel.coef0_bounds, str) else [outer * kernel.coef0]
    return slopes if isinstance(kernel.gamma_bounds, str) else [*slopes, outer * scaled]


def _number(gamma: float | str, who: str) -> float:
    if isinstance(gamma, str):
        raise ParameterError(
            f"{who}: gamma={gamma!r} is not known before the kernel learns from rows. Give a number, or call learn(X)."
        )
    return gamma
