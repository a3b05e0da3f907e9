"""What a search may choose from: numbers, whole numbers, categories, some of them only if others say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Boolean, Plain, Scalar
from assay.errors import ParameterError

__all__ = ["Category", "Quantiles", "Real", "Space", "Whole", "is_space"]

_WHEN = Plain(dict) | None

ROUNDING = 1e-9  # of its ends, by which a value may lie outside of a range
NOT_THERE = 0.5  # where a parameter stands in the unit interval while its condition does not hold


@dataclass(frozen=True)
class Real:
    """A number between two others.

    Parameters
    ----------
    low, high : float
    log : bool, default False
        Whether factors count rather than differences: for parameters that may be 0.001 or 1000.
    when : dict, default None
        Parameters and the values (or lists of values) of them for which this one is there.

    Examples
    --------
    >>> from assay.tuning import Real
    >>> Real(0.01, 100.0, log=True).value(0.5)
    1.0
    """

    low: float
    high: float
    log: bool = False
    when: Mapping[str, Any] | None = None
    stored = {"low": Scalar(finite=True), "high": Scalar(finite=True), "log": Boolean(), "when": _WHEN}

    def __post_init__(self) -> None:
        _check_ends(self, self.log)

    def snap(self, u: np.ndarray) -> np.ndarray:
        """The nearest places in the unit interval that stand for a value."""
        return u

    def value(self, u: float) -> Any:
        """The value at a place of the unit interval."""
        if self.log:
            value = float(np.exp(np.log(self.low) + u * (np.log(self.high) - np.log(self.low))))
        else:
            value = float((1.0 - u) * self.low + u * self.high)
        return float(f"{min(max(value, self.low), self.high):.10g}")

    def place(self, value: Any) -> float:
        """The place of a value in the unit interval."""
        if np.isnan(float(value)):
            return np.nan
        _check_inside(self, float(value))
        number = min(max(float(value), self.low), self.high)
        ends = np.array([self.low, self.high, number])
        low, high, number = np.log(ends) if self.log else ends / max(abs(self.low), abs(self.high))
        return float((number - low) / (high - low))


@dataclass(frozen=True)
class Whole:
    """A whole number between two others, both of them possible.

    Parameters
    ----------
    low, high : int
    log : bool, default False
        Whether factors count rather than differences.
    when : dict, default None
        Parameters and the values (or lists of values) of them for which this one is there.

    Examples
    --------
    >>> from assay.tuning import Whole
    >>> [Whole(1, 3).value(u) for u in (0.0, 0.5, 1.0)]
    [1, 2, 3]
    """

    low: int
    high: int
    log: bool = False
    when: Mapping[str, Any] | None = None
    stored = {"low": Scalar(finite=True), "high": Scalar(finite=True), "log": Boolean(), "when": _WHEN}

    def __post_init__(self) -> None:
        _check_ends(self, self.log)

    def _ends(self) -> tuple[float, float]:
        """All whole numbers have a share of the unit interval."""
        low, high = self.low - 0.5, self.high + 0.5
        return (float(np.log(max(low, 0.5))), float(np.log(high))) if self.log else (low, high)

    def snap(self, u: np.ndarray) -> np.ndarray:
        low, high = self._ends()
        numbers = low + np.asarray(u) * (high - low)
        whole = np.clip(np.round(np.exp(numbers) if self.log else numbers), self.low, self.high)
        return ((np.log(whole) if self.log else whole) - low) / (high - low)

    def value(self, u: float) -> Any:
        low, high = self._ends()
        number = low + u * (high - low)
        return int(np.clip(np.round(np.exp(number) if self.log else number), self.low, self.high))

    def place(self, value: Any) -> float:
        low, high = self._ends()
        _check_inside(self, float(value))
        number = np.log(float(value)) if self.log else float(value)
        return float(np.clip((number - low) / (high - low), 0.0, 1.0))


@dataclass(frozen=True)
class Category:
    """One of some values that have no order.

    Parameters
    ----------
    values : list
    when : dict, default None
        Parameters and the values (or lists of values) of them for which this one is there.

    Examples
    --------
    >>> from assay.tuning import Category
    >>> Category(["gini", "entropy"]).value(0.7)
    'entropy'
    """

    values: Sequence[Any]
    when: Mapping[str, Any] | None = None
    stored = {"values": Plain(), "when": _WHEN}

    def __post_init__(self) -> None:
        if isinstance(self.values, str) or not len(self.values):
            raise ParameterError(
                f"Category: values must be a list of one or more values, got {self.values!r}."
            )
        for i, value in enumerate(self.values):
            if any(_same_category(value, earlier) for earlier in self.values[:i]):
                raise ParameterError(
                    f"Category: {value!r} stands twice among the values {list(self.values)!r}."
                )

    def codes(self, u: np.ndarray) -> np.ndarray:
        """The numbers of the categories at places of the unit interval."""
        return np.clip((np.asarray(u) * len(self.values)).astype(np.int64), 0, len(self.values) - 1)

    def snap(self, u: np.ndarray) -> np.ndarray:
        return (self.codes(u) + 0.5) / len(self.values)

    def value(self, u: float) -> Any:
        return self.values[int(self.codes(np.array(u)))]

    def place(self, value: object) -> float:
        for code, known in enumerate(self.values):
            if _same_category(known, value):
                return (code + 0.5) / len(self.values)
        for code, known in enumerate(self.values):
            if known == value:
                return (code + 0.5) / len(self.values)
        raise ParameterError(f"{value!r} is none of {list(self.values)!r}.")


@dataclass(frozen=True)
class Quantiles:
    """A number drawn from a distribution of scipy.stats, such as ``loguniform(1e-3, 1e3)``.

    Parameters
    ----------
    distribution : frozen distribution with ``ppf`` and ``cdf``
    when : dict, default None
        Parameters and the values (or lists of values) of them for which this one is there.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from assay.tuning import Quantiles
    >>> round(Quantiles(loguniform(1e-3, 1e3)).value(0.5), 6)
    1.0
    """

    distribution: Any
    when: Mapping[str, Any] | None = None

    def snap(self, u: np.ndarray) -> np.ndarray:
        return u

    def value(self, u: float) -> Any:
        number = self.distribution.ppf(np.clip(u, 1e-9, 1 - 1e-9))
        whole = hasattr(self.distribution, "pmf") or hasattr(getattr(self.distribution, "dist", None), "pmf")
        return int(number) if whole else float(number)

    def place(self, value: object) -> float:
        return float(np.clip(self.distribution.cdf(value), 0.0, 1.0))


def _check_ends(dimension: Real | Whole, log: bool) -> None:
    who, low, high = type(dimension).__name__, dimension.low, dimension.high
    numbers = all(isinstance(v, (int, float, np.number)) and np.isfinite(v) for v in (low, high))
    if not numbers or not low < high:
        raise ParameterError(f"{who}: low must be a number below high, got {low!r} and {high!r}.")
    if log and low <= 0:
        raise ParameterError(f"{who}: with log=True low must be above 0, got {low!r}.")
    if isinstance(dimension, Whole) and not (float(low).is_integer() and float(high).is_integer()):
        raise ParameterError(f"Whole: low and high must be whole numbers, got {low!r} and {high!r}.")


def _check_inside(dimension: Real | Whole, value: float) -> None:
    """Refuse a value beyond the ends, but for rounding: moved to an end it would be another setting."""
    room = ROUNDING * max(abs(dimension.low), abs(dimension.high))
    if not dimension.low - room <= value <= dimension.high + room:
        raise ParameterError(f"{value:g} is not between {dimension.low!r} and {dimension.high!r}.")


def _same_category(a: Any, b: Any) -> bool:
    """Whether two values are one category: 1, 1.0 and True are three."""
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(a == b)
    except (TypeError, ValueError):  # arrays and the like
        return False


Dimension = Real | Whole | Category | Quantiles


def _dimension(name: str, what: Any) -> Dimension:
    if isinstance(what, Dimension):
        return what
    if hasattr(what, "ppf") and hasattr(what, "cdf"):
        return Quantiles(what)
    if isinstance(what, tuple) and len(what) in (2, 3) and what[2:] in ((), ("log",)):
        low, high = what[:2]
        if all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in (low, high)):
            log = len(what) == 3
            return (
                Whole(low, high, log)
                if isinstance(low, int) and isinstance(high, int)
                else Real(low, high, log)
            )
    if isinstance(what, (list, tuple, np.ndarray)) and len(what):
        return Category(list(what))
    raise ParameterError(
        f"space: {name} must be Real(low, high), Whole(low, high), Category(values), a list of values, a tuple of two "
        f"numbers, or a distribution of scipy.stats, got {what!r}."
    )


def is_space(grid: Any) -> bool:
    """Whether a dict of parameters has ranges in it, so that no grid can try all of it.

    >>> from assay.tuning.space import Real, is_space
    >>> is_space({"alpha": [1.0, 2.0]}), is_space({"alpha": Real(1.0, 2.0)})
    (False, True)
    """
    if isinstance(grid, Space):
        return True
    return isinstance(grid, Mapping) and any(
        isinstance(v, (Real, Whole, Category, Quantiles)) or hasattr(v, "ppf") for v in grid.values()
    )


class Space:
    """Parameters by name, each with what it may be; points are rows of numbers from 0 to 1, one for each parameter.

    Parameters
    ----------
    parameters : dict of name to Real, Whole, Category, list of values, tuple (low, high) or (low, high, "log"), or
        distribution of scipy.stats

    Examples
    --------
    >>> from assay.tuning import Category, Real, Space
    >>> space = Space({"kernel": ["linear", "rbf"], "gamma": Real(0.01, 1.0, log=True, when={"kernel": "rbf"})})
    >>> space.settings([[0.2, 0.5], [0.9, 0.5]])
    [{'kernel': 'linear'}, {'kernel': 'rbf', 'gamma': 0.1}]
    """

    def __init__(self, parameters: Any):
        if isinstance(parameters, Space):
            parameters = parameters.parameters
        if not isinstance(parameters, Mapping) or not parameters:
            raise ParameterError(
                f"space must be a dict of parameter names to what they may be, got {parameters!r}."
            )
        self.parameters: dict[str, Dimension] = {k: _dimension(str(k), v) for k, v in parameters.items()}
        self.names = list(self.parameters)
        for name, dimension in self.parameters.items():
            for other, wanted in (dimension.when or {}).items():
                if other not in self.names or self.names.index(other) >= self.names.index(name):
                    raise ParameterError(
                        f"space: {name} depends on {other!r}, which must stand before it in the space."
                    )
                self._check_condition(name, other, wanted)

    def _check_condition(self, name: str, other: str, wanted: Any) -> None:
        """Refuse a condition on a category that there is not: it would never hold."""
        dimension = self.parameters[other]
        values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
        if isinstance(dimension, Category) and not any(v in values for v in dimension.values):
            raise ParameterError(
                f"space: {name} is there when {other} is {wanted!r}, which is none of {list(dimension.values)!r}."
            )

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.parameters == other.parameters

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Space({self.parameters!r})"

    def snap(self, units: ArrayLike) -> np.ndarray:
        """(n, D) the points that stand for the same settings, each setting by one point."""
        units = np.clip(np.array(units, dtype=np.float64, ndmin=2), 0.0, 1.0)
        for j, dimension in enumerate(self.parameters.values()):
            units[:, j] = np.where(self.active(dimension, units), dimension.snap(units[:, j]), NOT_THERE)
        return units

    def active(self, dimension: Dimension, units: np.ndarray) -> np.ndarray:
        """(n,) whether a parameter's condition holds."""
        holds = np.ones(len(units), dtype=bool)
        for other, wanted in (dimension.when or {}).items():
            j = self.names.index(other)
            values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
            parent = self.parameters[other]
            if isinstance(parent, Category):
                met = np.array([v in values for v in parent.values])[parent.codes(units[:, j])]
            else:
                met = np.array([parent.value(u) in values for u in units[:, j]], dtype=bool)
            holds &= met & self.active(parent, units)
        return holds

    def settings(self, units: ArrayLike) -> list[dict[str, Any]]:
        """The settings that points stand for; a parameter whose condition does not hold is left out."""
        units = self.snap(units)
        active = [self.active(dimension, units) for dimension in self.parameters.values()]
        return [
            {
                name: dimension.value(row[j])
                for j, (name, dimension) in enumerate(self.parameters.items())
                if active[j][i]
            }
            for i, row in enumerate(units)
        ]

    def point(self, setting: Mapping[str, Any]) -> np.ndarray:
        """(D,) the point of a setting."""
        unknown = [name for name in setting if name not in self.parameters]
        if unknown:
            raise ParameterError(f"{unknown[0]!r} is no parameter of the space: {', '.join(self.names)}.")
        units = [
            self._place(name, setting[name]) if name in setting else NOT_THERE for name in self.parameters
        ]
        point = self.snap(units)[0]
        missing = [
            name
            for name, dimension in self.parameters.items()
            if name not in setting and self.active(dimension, point[None])[0]
        ]
        if missing:
            raise ParameterError(f"the setting {dict(setting)!r} has no value of {missing[0]}.")
        return point

    def _place(self, name: str, value: Any) -> float:
        try:
            place = self.parameters[name].place(value)
        except ParameterError as error:
            raise ParameterError(f"{name}: {error}") from None
        except (TypeError, ValueError):
            place = np.nan
        if not np.isfinite(place):
            raise ParameterError(f"{name}: {value!r} is no value of {self.parameters[name]!r}.")
        return place

    def features(self, units: np.ndarray) -> np.ndarray:
        """(n, F) the points as a kernel sees them: a column for each number, one for each category."""
        columns = []
        for j, dimension in enumerate(self.parameters.values()):
            if isinstance(dimension, Category):
                active = self.active(dimension, units)
                hot = dimension.codes(units[:, j])[:, None] == np.arange(len(dimension.values))
                columns.append((hot & active[:, None]) / np.sqrt(2.0))
            else:
                columns.append(units[:, [j]])
        return np.concatenate(columns, axis=1)

    def blocks(self) -> tuple[list[int], list[list[int]]]:
        """The columns of `features` that hold numbers, and those of each parameter of categories."""
        numbers, categories, at = list[int](), list[list[int]](), 0
        for dimension in self.parameters.values():
            width = len(dimension.values) if isinstance(dimension, Category) else 1
            if isinstance(dimension, Category):
                categories.append(list(range(at, at + width)))
            else:
                numbers.append(at)
            at += width
        return numbers, categories
