"""Sums, products and powers of kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Object, Scalar
from assay.errors import ParameterError
from assay.kernels.constant import ConstantKernel
from assay.kernels.dot_products import power
from assay.kernels.kernel import OBJECTS, Kernel, mirror
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["Compound", "Exponentiation", "Product", "Sum", "term"]

_KERNEL = Object("assay.kernels.kernel.Kernel")


def term(value: Any) -> Kernel:
    """A kernel as it is, a number as the constant kernel of that value."""
    return value if isinstance(value, Kernel) else ConstantKernel(float(value))


class LeafRows:
    """Rows prepared once for each different kernel that a compound one is made of."""

    def __init__(self, place: dict[int, int], rows: Sequence[Any], n: int):
        self.place, self.rows, self.n = place, rows, n  # places by the identity of parts: equality takes time

    def __getitem__(self, some: Any) -> LeafRows:
        return LeafRows(self.place, [rows[some] for rows in self.rows], len(np.arange(self.n)[some]))

    def __len__(self) -> int:
        return self.n


class Values:
    """The values of the parts of a compound kernel for two blocks of rows, each computed once."""

    def __init__(self, A: LeafRows, B: LeafRows):
        self.A, self.B, self.known = A, B, dict[int, np.ndarray]()

    def rows(self, leaf: Kernel) -> tuple[Any, Any]:
        """The prepared rows of a part that is no compound itself."""
        place = self.A.place[id(leaf)]
        return self.A.rows[place], self.B.rows[place]

    def of(self, kernel: Kernel) -> Any:
        """(n, m) the values of a part; a number if it is a constant."""
        if isinstance(kernel, Compound):
            return kernel._value(self)
        if isinstance(kernel, ConstantKernel):
            return kernel.constant_value
        place = self.A.place[id(kernel)]
        if place not in self.known:
            self.known[place] = kernel._block(*self.rows(kernel))
        return self.known[place]

    def slopes(self, kernel: Kernel) -> list[Any]:
        """The derivatives of a part by its own theta."""
        if isinstance(kernel, Compound):
            return kernel._slopes(self)
        if isinstance(kernel, ConstantKernel):
            return [kernel.constant_value] * kernel.free
        return list(kernel._derivatives(*self.rows(kernel), self.of(kernel))) if kernel.free else []

    def sums(self, kernel: Kernel, W: np.ndarray, factor: Any = 1.0) -> np.ndarray:
        """The sums of the derivatives of a part by its own theta with the weights W, times a factor."""
        if not kernel.free:
            return np.zeros(0)
        if isinstance(factor, np.ndarray) and isinstance(kernel, ConstantKernel):
            return np.array([kernel.constant_value * np.einsum("ij,ij->", W, factor)])
        if isinstance(factor, np.ndarray):
            W, factor = W * factor, 1.0
        if isinstance(kernel, Compound):
            return factor * kernel._sums(self, W)
        if isinstance(kernel, ConstantKernel):
            return np.array([factor * kernel.constant_value * W.sum()])
        values = None if kernel._noisy else self.of(kernel)
        return factor * kernel._derivative_sums(*self.rows(kernel), W, values)


@dataclass(frozen=True, eq=False)
class Compound(Kernel):
    """A kernel made of others by arithmetic; a part that occurs twice is computed once."""

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What all parts take; objects, if one of them compares objects: the others then see their own columns."""
        taken = [part.takes for part in self._parts().values()]
        return OBJECTS if OBJECTS in taken else frozenset.intersection(*taken)

    @property
    def function(self) -> bool:  # type: ignore[override]
        return any(part.function for part in self._parts().values())

    @property
    def of_numbers(self) -> bool:  # type: ignore[override]
        return all(part.of_numbers for part in self._parts().values())

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return all(part.stationary for part in self._parts().values())

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return all(part.psd for part in self._parts().values())

    def psd_on(self, columns: int) -> bool:
        return all(part.psd_on(columns) for part in self._parts().values())

    @property
    def leaves(self) -> list[Kernel]:
        """The kernels that are no sums, products or powers, each once."""
        return list(dict.fromkeys(self._all_leaves()))

    def _all_leaves(self) -> list[Kernel]:
        parts = self._parts().values()
        return [
            leaf for part in parts for leaf in (part._all_leaves() if isinstance(part, Compound) else [part])
        ]

    def _prepared(self, X: Any) -> LeafRows:
        leaves = self._all_leaves()
        places: dict[Any, int] = {}
        kinds = Counter(map(type, leaves))  # one of its kind needs no hash, which takes time
        keys: list[Any] = [leaf if kinds[type(leaf)] > 1 else type(leaf) for leaf in leaves]
        by_identity = {id(leaf): places.setdefault(key, len(places)) for leaf, key in zip(leaves, keys)}
        first = {by_identity[id(leaf)]: leaf for leaf in reversed(leaves)}
        rows = [first[place]._prepared(X) for place in range(len(places))]
        return LeafRows(by_identity, rows, row_count(rows[0], self.name))

    def _check_widths(self, A: LeafRows, B: LeafRows) -> None:
        for leaf in self._all_leaves():
            leaf._check_widths(A.rows[A.place[id(leaf)]], B.rows[B.place[id(leaf)]])

    def _block(self, A: LeafRows, B: LeafRows) -> np.ndarray:
        return np.broadcast_to(self._value(Values(A, B)), (len(A), len(B)))

    def _derivatives(self, A: LeafRows, B: LeafRows, K: np.ndarray | None = None) -> list[np.ndarray]:
        return [np.broadcast_to(s, (len(A), len(B))) for s in self._slopes(Values(A, B))]

    def _derivative_sums(
        self, A: LeafRows, B: LeafRows, W: np.ndarray, K: np.ndarray | None = None
    ) -> np.ndarray:
        return self._sums(Values(A, B), W)

    def _square_and_sums(self, A: LeafRows) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        values = Values(A, A)
        K = np.array(np.broadcast_to(self._value(values), (len(A), len(A))))
        mirror(K)
        return K, lambda W: self._sums(values, W)

    def _value(self, values: Values) -> Any:
        raise TypeError(f"{type(self).__name__} must define _value")

    def _slopes(self, values: Values) -> list[Any]:
        raise TypeError(f"{type(self).__name__} must define _slopes")

    def _sums(self, values: Values, W: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _sums")


@dataclass(frozen=True, eq=False)
class Sum(Compound):
    r"""The sum of two kernels: the features of both, side by side.

    .. math:: K(a, b) = K_1(a, b) + K_2(a, b), \quad \phi = (\phi_1, \phi_2) \quad (1)

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from assay.kernels import RBF, Linear
    >>> kernel = RBF() + 2.0 * Linear()
    >>> kernel, kernel([[1.0]], [[1.0]])
    (RBF(length_scale=1) + 1.41**2 * Linear(), array([[3.]]))
    """

    k1: Kernel
    k2: Kernel
    stored = {"k1": _KERNEL, "k2": _KERNEL}

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self.k1.diagonal(A) + self.k2.diagonal(A)

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.concatenate([self.k1.diagonal_gradient(A), self.k2.diagonal_gradient(A)])

    def feature_map(self, X: TableLike) -> np.ndarray:
        return np.concatenate([self.k1.feature_map(X), self.k2.feature_map(X)], axis=1)

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        first, second = (part.column_sums(Q, S, coef) for part in (self.k1, self.k2))
        return None if first is None or second is None else (first[0] + second[0], first[1] + second[1])

    def _value(self, values: Values) -> Any:
        return values.of(self.k1) + values.of(self.k2)

    def _slopes(self, values: Values) -> list[Any]:
        return values.slopes(self.k1) + values.slopes(self.k2)

    def _sums(self, values: Values, W: np.ndarray) -> np.ndarray:
        return np.concatenate([values.sums(self.k1, W), values.sums(self.k2, W)])

    def __repr__(self) -> str:
        return f"{self.k1!r} + {self.k2!r}"


@dataclass(frozen=True, eq=False)
class Product(Compound):
    r"""The product of two kernels: all products of a feature of one with a feature of the other.

    .. math:: K(a, b) = K_1(a, b)\, K_2(a, b), \quad \phi = \phi_1 \otimes \phi_2 \quad (1)

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from assay.kernels import RBF, Linear
    >>> (RBF() * Linear())([[1.0]], [[1.0], [2.0]]).round(4)  # 1, 2 exp(-1/2)
    array([[1.    , 1.2131]])
    """

    k1: Kernel
    k2: Kernel
    stored = {"k1": _KERNEL, "k2": _KERNEL}

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self.k1.diagonal(A) * self.k2.diagonal(A)

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        first, second = self.k1.diagonal(A), self.k2.diagonal(A)
        return np.concatenate([self.k1.diagonal_gradient(A) * second, self.k2.diagonal_gradient(A) * first])

    def feature_map(self, X: TableLike) -> np.ndarray:
        first, second = self.k1.feature_map(X), self.k2.feature_map(X)
        return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        for factor, kernel in ((self.k1, self.k2), (self.k2, self.k1)):
            if isinstance(factor, ConstantKernel):
                return kernel.column_sums(Q, S, factor.constant_value * coef)
        return super().column_sums(Q, S, coef)

    def _value(self, values: Values) -> Any:
        return values.of(self.k1) * values.of(self.k2)

    def _slopes(self, values: Values) -> list[Any]:
        first, second = values.of(self.k1), values.of(self.k2)
        return [slope * second for slope in values.slopes(self.k1)] + [
            slope * first for slope in values.slopes(self.k2)
        ]

    def _sums(self, values: Values, W: np.ndarray) -> np.ndarray:
        parts = []
        for part, factor in ((self.k1, self.k2), (self.k2, self.k1)):
            if part.free:
                parts.append(values.sums(part, W, values.of(factor)))
        return np.concatenate(parts) if parts else np.zeros(0)

    def __repr__(self) -> str:
        return " * ".join(f"({k!r})" if isinstance(k, Sum) else repr(k) for k in (self.k1, self.k2))


@dataclass(frozen=True, eq=False)
class Exponentiation(Compound):
    r"""A power of a kernel: products of as many of its features.

    .. math:: K(a, b) = K_0(a, b)^q \quad (1)

    Whole powers of a kernel are kernels; other powers only of some.

    Parameters
    ----------
    kernel : Kernel
    exponent : float

    Examples
    --------
    >>> from assay.kernels import DotProduct
    >>> kernel = DotProduct(1.0) ** 2
    >>> kernel, kernel([[1.0, 2.0]], [[3.0, 4.0]])
    (DotProduct(sigma_0=1) ** 2, array([[144.]]))
    """

    kernel: Kernel
    exponent: float
    stored = {"kernel": _KERNEL, "exponent": Scalar(finite=True)}

    def __post_init__(self) -> None:
        if not isinstance(self.exponent, (int, float, np.number)) or not np.isfinite(self.exponent):
            raise ParameterError(f"Exponentiation: exponent must be a number, got {self.exponent!r}.")

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.kernel.psd and self._whole

    def psd_on(self, columns: int) -> bool:
        return self.kernel.psd_on(columns) and self._whole

    @property
    def _whole(self) -> bool:
        return self.exponent >= 0 and float(self.exponent).is_integer()

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self.kernel.diagonal(A) ** self.exponent

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return self._outer(self.kernel.diagonal(A)) * self.kernel.diagonal_gradient(A)

    def feature_map(self, X: TableLike) -> np.ndarray:
        if not self.psd or self.exponent < 1:
            return super().feature_map(X)
        features = images = self.kernel.feature_map(X)
        for _ in range(int(self.exponent) - 1):
            images = (images[:, :, None] * features[:, None, :]).reshape(len(features), -1)
        return images

    def _outer(self, value: Any) -> Any:
        return self.exponent * power(value, self.exponent - 1)

    def _value(self, values: Values) -> Any:
        return power(values.of(self.kernel), self.exponent)

    def _slopes(self, values: Values) -> list[Any]:
        outer = self._outer(values.of(self.kernel))
        return [outer * slope for slope in values.slopes(self.kernel)]

    def _sums(self, values: Values, W: np.ndarray) -> np.ndarray:
        return values.sums(self.kernel, W, self._outer(values.of(self.kernel)))

    def __repr__(self) -> str:
        inner = f"({self.kernel!r})" if isinstance(self.kernel, Compound) else repr(self.kernel)
        return f"{inner} ** {self.exponent:g}"
