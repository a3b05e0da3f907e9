"""Basis functions of a row: what a linear learner can be built on besides the columns themselves.

Each is a small frozen dataclass that names its columns by name or by number (negative ones count from the end):
``values(X, names)`` computes it, ``label(names)`` is its formula, ``nonzero(X, names)`` marks the rows at which
it contributes, and ``region(names)`` describes them in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, Integer, Plain, Scalar
from assay.errors import DataError, ParameterError
from assay.tables.row_names import row_name

__all__ = [
    "Basis",
    "Gaussian1D",
    "Log",
    "ObliqueStep",
    "Power",
    "Product",
    "RadialGaussian",
    "Sine",
    "Step",
    "UserFunction",
]

Place = str | int  # of a column: its name or its number
EFFECTIVE = 1e-3  # a Gaussian below this share of its height counts as zero
ROUNDING = 1e-12  # so does a sine below this


@dataclass(frozen=True)
class Basis:
    """One function of a row."""

    stored = {
        "column": Plain((int, str)),
        "columns": Each(Plain((int, str))) | None,
        "exponent": Integer(low=-(10**6)),
        "weights": Each(Scalar()),
        "shifts": Each(Scalar()) | None,
        "centre": Scalar() | Each(Scalar()),
    }

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """(n,) the function at each row of X, whose columns have these names."""
        raise TypeError(f"{type(self).__name__} must define values")

    def label(self, names: Sequence[str]) -> str:
        """The function as a formula of the columns."""
        raise TypeError(f"{type(self).__name__} must define label")

    def region(self, names: Sequence[str]) -> str:
        """Where the function is not zero, in words."""
        return "where the function is not zero"

    def nonzero(
        self, X: np.ndarray, names: Sequence[str] | None = None, tolerance: float = ROUNDING
    ) -> np.ndarray:
        """(n,) at which rows the function is not zero.

        >>> from assay.prepare.bases import Step
        >>> Step(0, 3).nonzero([[2.0], [3.0], [4.0]])
        array([False, False,  True])
        """
        X = np.asarray(X, dtype=np.float64)
        names = [f"x{j}" for j in range(X.shape[1])] if names is None else names
        return np.abs(self.values(X, names)) > tolerance


@dataclass(frozen=True)
class Sine(Basis):
    """sin(frequency x + phase) of one column.

    >>> from assay.prepare.bases import Sine
    >>> Sine(0).label(["angle"])
    'sin(angle)'
    """

    column: Place
    frequency: float = 1.0
    phase: float = 0.0

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return np.sin(self.frequency * X[:, place(self, self.column, names)] + self.phase)

    def label(self, names: Sequence[str]) -> str:
        name = names[place(self, self.column, names)]
        times = "" if self.frequency == 1 else f"{self.frequency:g} "
        return f"sin({times}{name}{_plus(self.phase)})"

    def region(self, names: Sequence[str]) -> str:
        return "everywhere but at the multiples of pi of " + self.label(names)[4:-1]


@dataclass(frozen=True)
class Gaussian1D(Basis):
    """exp(-(x - centre)² / width) of one column: near 1 in a band around the centre, whatever the other columns are.

    >>> from assay.prepare.bases import Gaussian1D
    >>> Gaussian1D("age", centre=40, width=50).label(["age"])
    'exp(-(age - 40)^2 / 50)'
    """

    column: Place
    centre: float
    width: float = 1.0

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        _above_zero(self, "width", self.width)
        return np.exp(-((X[:, place(self, self.column, names)] - self.centre) ** 2) / self.width)

    def label(self, names: Sequence[str]) -> str:
        return f"exp(-({names[place(self, self.column, names)]}{_plus(-self.centre)})^2 / {self.width:g})"

    def region(self, names: Sequence[str]) -> str:
        return f"in a band around {names[place(self, self.column, names)]} = {self.centre:g}"

    def nonzero(
        self, X: np.ndarray, names: Sequence[str] | None = None, tolerance: float = EFFECTIVE
    ) -> np.ndarray:
        return super().nonzero(X, names, tolerance)


@dataclass(frozen=True)
class RadialGaussian(Basis):
    """exp(-‖x - centre‖² / width): near 1 in a ball around the centre.

    ``centre`` has one number for each of ``columns``; None means all columns.

    >>> from assay.prepare.bases import RadialGaussian
    >>> RadialGaussian((1, 2)).values(np.array([[1.0, 2.0], [1.0, 3.0]]), ["a", "b"]).round(4)
    array([1.    , 0.3679])
    """

    centre: tuple[float, ...]
    width: float = 1.0
    columns: tuple[Place, ...] | None = None

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        _above_zero(self, "width", self.width)
        away = X[:, self._places(names)] - np.asarray(self.centre, dtype=np.float64)
        return np.exp(-np.sum(away**2, axis=1) / self.width)

    def _places(self, names: Sequence[str]) -> list[int]:
        columns = range(len(names)) if self.columns is None else self.columns
        places = [place(self, column, names) for column in columns]
        if len(places) != len(self.centre):
            raise ParameterError(
                f"RadialGaussian: centre must have one number for each of {len(places)} columns, got "
                f"{len(self.centre)}."
            )
        return places

    def label(self, names: Sequence[str]) -> str:
        squares = [f"({names[j]}{_plus(-m)})^2" for j, m in zip(self._places(names), self.centre)]
        return f"exp(-({' + '.join(squares)}) / {self.width:g})"

    def region(self, names: Sequence[str]) -> str:
        at = ", ".join(f"{names[j]} = {m:g}" for j, m in zip(self._places(names), self.centre))
        return f"in a ball around {at}"

    def nonzero(
        self, X: np.ndarray, names: Sequence[str] | None = None, tolerance: float = EFFECTIVE
    ) -> np.ndarray:
        return super().nonzero(X, names, tolerance)


@dataclass(frozen=True)
class Log(Basis):
    """The natural logarithm of one column, whose numbers must be positive.

    >>> from assay.prepare.bases import Log
    >>> Log("income").region(["income"])
    'where income > 0 and income is not 1'
    """

    column: Place

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        j = place(self, self.column, names)
        bad = ~(X[:, j] > 0)
        if bad.any():
            i = int(np.argmax(bad))
            raise DataError(
                f"Log: column {names[j]} is {X[i, j]:g} in {row_name(i)}, expected positive numbers only. Shift "
                "the column "
                "first, or use another basis."
            )
        return np.log(X[:, j])

    def nonzero(
        self, X: np.ndarray, names: Sequence[str] | None = None, tolerance: float = ROUNDING
    ) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        names = [f"x{j}" for j in range(X.shape[1])] if names is None else names
        x = X[:, place(self, self.column, names)]
        positive = x > 0
        positive[positive] = np.abs(np.log(x[positive])) > tolerance
        return positive

    def label(self, names: Sequence[str]) -> str:
        return f"log({names[place(self, self.column, names)]})"

    def region(self, names: Sequence[str]) -> str:
        name = names[place(self, self.column, names)]
        return f"where {name} > 0 and {name} is not 1"


@dataclass(frozen=True)
class Step(Basis):
    """1 where a column is above a threshold, else 0: a half-space orthogonal to the column's axis.

    >>> from assay.prepare.bases import Step
    >>> Step("age", 18).label(["age"])
    '1(age > 18)'
    """

    column: Place
    threshold: float

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return (X[:, place(self, self.column, names)] > self.threshold).astype(np.float64)

    def label(self, names: Sequence[str]) -> str:
        return f"1({names[place(self, self.column, names)]} > {self.threshold:g})"

    def region(self, names: Sequence[str]) -> str:
        name = names[place(self, self.column, names)]
        return (
            f"in the half-space {name} > {self.threshold:g}, whose border is orthogonal to the axis of {name}"
        )


@dataclass(frozen=True)
class ObliqueStep(Basis):
    """1 where a weighted sum of columns is above a threshold, else 0: a half-space with an oblique border.

    >>> from assay.prepare.bases import ObliqueStep
    >>> ObliqueStep(("a", "b"), weights=(2, -1), threshold=3).label(["a", "b"])
    '1(2 a - 1 b > 3)'
    """

    columns: tuple[Place, ...]
    weights: tuple[float, ...]
    threshold: float

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return (
            X[:, self._places(names)] @ np.asarray(self.weights, dtype=np.float64) > self.threshold
        ).astype(float)

    def _places(self, names: Sequence[str]) -> list[int]:
        if len(self.columns) != len(self.weights):
            raise ParameterError(
                f"ObliqueStep: there must be one weight for each of {len(self.columns)} columns, got "
                f"{len(self.weights)}."
            )
        return [place(self, column, names) for column in self.columns]

    def label(self, names: Sequence[str]) -> str:
        return f"1({_sum(self.weights, [names[j] for j in self._places(names)])} > {self.threshold:g})"

    def region(self, names: Sequence[str]) -> str:
        return f"in the half-space {self.label(names)[2:-1]}, whose border is oblique"


@dataclass(frozen=True)
class Product(Basis):
    """The product of columns, each moved by a shift and multiplied by a scale.

    A column named twice is squared. Columns of shifts (a, b) give (x_1 - a)(x_2 - b).

    >>> from assay.prepare.bases import Product
    >>> Product((0, 1)).label(["a", "b"]), Product((0, 1), shifts=(0.5, 0.5), scale=4).label(["a", "b"])
    ('a b', '4 (a - 0.5) (b - 0.5)')
    """

    columns: tuple[Place, ...]
    shifts: tuple[float, ...] | None = None
    scale: float = 1.0

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return self.scale * np.prod(X[:, self._places(names)] - np.asarray(self._moved), axis=1)

    @property
    def _moved(self) -> tuple[float, ...]:
        return (0.0,) * len(self.columns) if self.shifts is None else self.shifts

    def _places(self, names: Sequence[str]) -> list[int]:
        if len(self._moved) != len(self.columns):
            raise ParameterError(
                f"Product: there must be one shift for each of {len(self.columns)} columns, got {len(self._moved)}."
            )
        return [place(self, column, names) for column in self.columns]

    def label(self, names: Sequence[str]) -> str:
        factors = [
            f"({names[j]}{_plus(-s)})" if s else names[j] for j, s in zip(self._places(names), self._moved)
        ]
        return " ".join(([] if self.scale == 1 else [f"{self.scale:g}"]) + factors)

    def region(self, names: Sequence[str]) -> str:
        zero = [f"{names[j]} = {s:g}" for j, s in zip(self._places(names), self._moved)]
        return "everywhere but where " + " or ".join(dict.fromkeys(zero))


@dataclass(frozen=True)
class Power(Basis):
    """A power of one column; the first is the column itself.

    >>> from assay.prepare.bases import Power
    >>> Power(0, 3).label(["x"]), Power(0, 1).label(["x"])
    ('x^3', 'x')
    """

    column: Place
    exponent: int = 2

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        if self.exponent != int(self.exponent) or self.exponent < 0:
            raise ParameterError(f"Power: exponent must be a whole number from 0 up, got {self.exponent}.")
        return X[:, place(self, self.column, names)] ** int(self.exponent)

    def label(self, names: Sequence[str]) -> str:
        name = names[place(self, self.column, names)]
        return name if self.exponent == 1 else f"{name}^{self.exponent}"

    def region(self, names: Sequence[str]) -> str:
        return (
            "everywhere"
            if self.exponent == 0
            else f"everywhere but at {names[place(self, self.column, names)]} = 0"
        )


@dataclass(frozen=True)
class UserFunction(Basis):
    """Any function of some columns, called with one array for each; all columns when none is named.

    A model file holds data only, so an expansion with a function of your own can be pickled but not saved.

    >>> from assay.prepare.bases import UserFunction
    >>> ratio = UserFunction(lambda debt, income: debt / income, ("debt", "income"), name="ratio")
    >>> ratio.values(np.array([[1.0, 4.0]]), ["debt", "income"])
    array([0.25])
    """

    stored = None  # type: ignore[assignment]  # a function is code
    function: Callable[..., Any]
    columns: tuple[Place, ...] | None = None
    name: str | None = None

    def values(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        values = np.asarray(self.function(*X[:, self._places(names)].T), dtype=np.float64)
        if values.ndim == 0:
            values = np.full(len(X), float(values))
        if values.shape != (len(X),):
            raise DataError(
                f"UserFunction: {self.label(names)} gave an array of shape {values.shape}, expected one number "
                f"for each of {len(X)} rows."
            )
        return values

    def _places(self, names: Sequence[str]) -> list[int]:
        columns = range(len(names)) if self.columns is None else self.columns
        return [place(self, column, names) for column in columns]

    def label(self, names: Sequence[str]) -> str:
        called = self.name or getattr(self.function, "__name__", "function")
        return self.name or f"{called}({', '.join(names[j] for j in self._places(names))})"


def place(basis: Basis, column: Place, names: Sequence[str]) -> int:
    """The number of a column that is given by name or by number."""
    who = type(basis).__name__
    if isinstance(column, str):
        if column not in names:
            raise DataError(f"{who}: there is no column {column!r}. Columns: {', '.join(names)}.")
        return list(names).index(column)
    d = len(names)
    if not -d <= column < d:
        raise DataError(f"{who}: there is no column number {column}; the table has {d}, counted from 0.")
    return int(column) % d


def _above_zero(basis: Basis, what: str, value: float) -> None:
    if not value > 0:
        raise ParameterError(f"{type(basis).__name__}: {what} must be a number above 0, got {value}.")


def _plus(value: float) -> str:
    """A constant as it stands behind a term: " + 3", " - 3", or nothing."""
    return "" if value == 0 else f" {'-' if value < 0 else '+'} {abs(value):g}"


def _sum(weights: Sequence[float], names: Sequence[str]) -> str:
    parts = [f"{'-' if w < 0 else '+'} {abs(w):g} {name}" for w, name in zip(weights, names)]
    text = " ".join(parts)
    return text.removeprefix("+ ")
