"""Parameters of kernels: their values, the bounds of a search, and what makes two kernels equal."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from assay.core.stored import FloatArray, Kind, Plain, Text
from assay.errors import ParameterError

__all__ = ["BOUNDS", "SEARCH_BOUNDS", "Parameter", "check_parameter", "parameter_of", "shown", "value_key"]

BOUNDS: Kind = (
    Plain((list, tuple)) | FloatArray("*", finite=True) | FloatArray("*", 2, finite=True) | Text("fixed")
)
SEARCH_BOUNDS = (1e-5, 1e5)
ZERO_IF_FIXED = {
    "coef0",
    "constant_value",
    "gamma",
    "noise_level",
    "sigma_0",
}  # parameters that no value is divided by


class Parameter(NamedTuple):
    """A positive parameter of a kernel: one number, or one for each column.

    Attributes
    ----------
    name : str
        With the places of nested kernels in front, as scikit-learn names them: ``k1__length_scale``.
    values : (k,) array
    bounds : (k, 2) array, or None if it is fixed
    """

    name: str
    values: np.ndarray
    bounds: np.ndarray | None

    @property
    def fixed(self) -> bool:
        """Whether a search leaves it as it is."""
        return self.bounds is None

    @property
    def labels(self) -> list[str]:
        """Its name, or one with a number for each of its values."""
        k = len(self.values)
        return [self.name] if k == 1 else [f"{self.name}[{i}]" for i in range(k)]


def parameter_of(name: str, value: Any, bounds: Any) -> Parameter:
    """The parameter with bounds as a pair, one pair for each value, or "fixed".

    >>> from assay.kernels.parameters import parameter_of
    >>> parameter_of("length_scale", [1.0, 2.0], (0.1, 10.0)).bounds
    array([[ 0.1, 10. ],
           [ 0.1, 10. ]])
    """
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if isinstance(bounds, str):
        return Parameter(name, values, None)
    limits = np.atleast_2d(np.asarray(bounds, dtype=np.float64))
    return Parameter(name, values, np.broadcast_to(limits, (len(values), 2)))


def check_parameter(who: str, name: str, value: Any, bounds: Any) -> Any:
    """The value as a number or a float64 array, if it is above 0 and its bounds fit."""
    if type(value) is float and 0.0 < value < np.inf and bounds is SEARCH_BOUNDS:  # as by default
        return value
    fixed = isinstance(bounds, str)
    if fixed and bounds != "fixed":
        raise ParameterError(f"{who}: {name}_bounds must be a pair of numbers or 'fixed', got {bounds!r}.")
    try:
        values = np.asarray(value, dtype=np.float64)
        limits = np.zeros((1, 2)) if fixed else np.atleast_2d(np.asarray(bounds, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError(
            f"{who}: {name} must be a number or one for each column, with bounds (low, high) or 'fixed', got "
            f"{value!r} and {bounds!r}."
        ) from None
    low_enough = (values >= 0).all() if fixed and name in ZERO_IF_FIXED else (values > 0).all()
    if values.ndim > 1 or not values.size or not np.isfinite(values).all() or not low_enough:
        raise ParameterError(f"{who}: {name} must be above 0, got {value!r}.")
    if not fixed and (
        limits.ndim != 2
        or limits.shape[1] != 2
        or len(limits) not in (1, values.size)
        or not (limits[:, 0] >= 0).all()
        or not (limits[:, 0] <= limits[:, 1]).all()
    ):
        raise ParameterError(
            f"{who}: {name}_bounds must be (low, high) with 0 <= low <= high, for all of its {values.size} values or "
            f"for each, or 'fixed'; got {bounds!r}."
        )
    if values.ndim == 0:
        return value if isinstance(value, (int, float, np.number)) else float(values)
    if values.size == 1:
        return float(values[0])  # one for all columns
    return value if value is values else values


def shown(value: Any) -> str:
    """A value as a kernel prints it: three digits.

    >>> import numpy as np
    >>> from assay.kernels.parameters import shown
    >>> shown(0.123456), shown(np.array([1.0, 2.5])), shown("scale")
    ('0.123', '[1, 2.5]', "'scale'")
    """
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.size <= 12 and value.dtype.kind in "fiu":
        return "[" + ", ".join(f"{v:.3g}" for v in value) + "]"
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape))} numbers>"
    if isinstance(value, (float, np.floating)):
        return f"{value:.3g}"
    return repr(value)


def value_key(value: Any) -> Any:
    """Something hashable that is equal for equal values."""
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, (list, tuple)):
        return tuple(map(value_key, value))
    if isinstance(value, dict):
        return tuple((name, value_key(item)) for name, item in value.items())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (type(value), *(value_key(getattr(value, f.name)) for f in dataclasses.fields(value)))
    if type(value).__hash__ is None:  # scikit-learn's kernels, equal by their parameters
        return (
            type(value),
            value_key(value.get_params(deep=False)) if hasattr(value, "get_params") else id(value),
        )
    return value
