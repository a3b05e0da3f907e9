"""Problems of regression with a known function and known noise: Friedman's three, a sinusoid, steps, used cars."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.types import Floats, RandomState

__all__ = [
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_sinusoid",
    "make_steps",
    "make_used_cars",
]

FRIEDMAN = "J. H. Friedman 1991 and L. Breiman 1996, as in scikit-learn"


def make_friedman1(
    n_samples: int = 100, n_features: int = 10, *, noise: float = 0.0, random_state: RandomState = None
) -> Dataset:
    r"""Ten uniform columns, five of which count: a product, a parabola and two lines.

    .. math:: y = 10\sin(\pi x_1x_2) + 20(x_3-\tfrac12)^2 + 10x_4 + 5x_5 + \varepsilon

    The same seed gives the same numbers as scikit-learn's function of this name.

    Parameters
    ----------
    n_samples, n_features : rows, and columns (at least 5)
    noise : standard deviation of the noise      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_friedman1
    >>> make_friedman1(50, random_state=0)
    friedman1: 50 rows, 10 columns (10 numeric)
      target y: numbers from 2.99416 to 26.2198
    """
    _check("make_friedman1", n_samples, noise)
    if n_features < 5:
        raise ParameterError(f"make_friedman1: n_features must be at least 5, got {n_features!r}.")
    random = check_random_state(random_state)
    X = random.uniform(size=(n_samples, n_features))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return _problem("friedman1", X, y + noise * random.standard_normal(size=n_samples), FRIEDMAN)


def make_friedman2(n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None) -> Dataset:
    r"""The impedance of a circuit: :math:`y = \sqrt{x_1^2 + (x_2x_3 - 1/(x_2x_4))^2} + \varepsilon`.

    Columns of very different units: x1 up to 100, x2 from 40 to 560 times pi, x3 up to 1, x4 from 1 to 11. The same
    seed gives the same numbers as scikit-learn's function of this name.

    Parameters
    ----------
    n_samples : rows      noise : standard deviation of the noise      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_friedman2
    >>> make_friedman2(50, random_state=0).shape
    (50, 4)
    """
    X, random = _circuit("make_friedman2", n_samples, noise, random_state)
    y = np.sqrt(X[:, 0] ** 2 + _reactance(X) ** 2)
    return _problem("friedman2", X, y + noise * random.standard_normal(size=n_samples), FRIEDMAN)


def make_friedman3(n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None) -> Dataset:
    r"""The phase of the circuit of :func:`make_friedman2`.

    .. math:: y = \arctan\frac{x_2x_3 - 1/(x_2x_4)}{x_1} + \varepsilon

    The same seed gives the same numbers as scikit-learn's function of this name.

    Parameters
    ----------
    n_samples : rows      noise : standard deviation of the noise      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_friedman3
    >>> make_friedman3(50, random_state=0).shape
    (50, 4)
    """
    X, random = _circuit("make_friedman3", n_samples, noise, random_state)
    y = np.arctan(_reactance(X) / X[:, 0])
    return _problem("friedman3", X, y + noise * random.standard_normal(size=n_samples), FRIEDMAN)


def make_sinusoid(
    n: int = 20, *, noise: float = 1.0, growth: float = 0.0, random_state: RandomState = None
) -> Dataset:
    r"""The curve of studies of bias and variance, :math:`r = 2\sin(1.5x) + \varepsilon` with x uniform from 0 to 5.

    The standard deviation of the noise is ``noise`` times (1 + ``growth`` x): with a growth above 0 intervals of one
    width are wrong everywhere.

    Parameters
    ----------
    n : rows      noise, growth : of the standard deviation, from 0 up      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_sinusoid
    >>> X, r = make_sinusoid(1000, growth=1.0, random_state=0)
    >>> import numpy as np
    >>> error = r - 2 * np.sin(1.5 * X.values[:, 0])
    >>> bool(error[X.values[:, 0] > 4].std() > 3 * error[X.values[:, 0] < 1].std())
    True
    """
    _check("make_sinusoid", n, noise)
    if not growth >= 0:
        raise ParameterError(f"make_sinusoid: growth must be a number from 0 up, got {growth!r}.")
    random = check_random_state(random_state)
    x = random.uniform(0, 5, n)
    r = 2 * np.sin(1.5 * x) + noise * (1 + growth * x) * random.standard_normal(n)
    source = "after Alpaydin, Introduction to Machine Learning, section 4.7"
    return _problem("sinusoid", x[:, None], r, source, ["x"], "r")


def make_steps(
    n: int = 100, steps: int = 4, *, noise: float = 0.3, random_state: RandomState = None
) -> Dataset:
    """A staircase that falls and rises: the level of step k is k if k is even, else -k; x is uniform from 0 to 1.

    Trees have it with as many leaves as steps; no line or smooth curve does.

    Parameters
    ----------
    n : rows      steps : number of steps      noise : standard deviation      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_steps
    >>> X, y = make_steps(6, noise=0.0, random_state=0)
    >>> sorted(set(y.tolist()))
    [-1.0, 2.0]
    """
    _check("make_steps", n, noise)
    if steps < 1:
        raise ParameterError(f"make_steps: steps must be a whole number from 1 up, got {steps!r}.")
    random = check_random_state(random_state)
    x = random.uniform(0, 1, n)
    k = np.minimum((x * steps).astype(np.int64), steps - 1)
    y = np.where(k % 2 == 0, k, -k) + noise * random.standard_normal(n)
    return _problem("steps", x[:, None], y, "assay.tables.generators", ["x"])


def make_used_cars(n: int = 200, random_state: RandomState = None) -> Dataset:
    r"""Synthetic used cars: what is left of the new price after some years and kilometres. No real car is among them.

    .. math:: \text{price} = \text{new price}\cdot e^{-0.12\,\text{age} - 0.03\,\text{mileage}/10^4 + s_{fuel}}
              \cdot e^{\varepsilon},\qquad \varepsilon\sim N(0, 0.12^2)

    with the new price lognormal around 25000, the age uniform from 0 to 15 years, 12000 km a year give or take 30 per
    cent, and s = 0 for petrol, 0.05 for diesel, -0.1 for electric. The relative depreciation does not depend on the new
    price, so the ratio to it is what should be learned.

    Parameters
    ----------
    n : rows      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_used_cars
    >>> make_used_cars(100, random_state=0)
    used cars (synthetic): 100 rows, 4 columns (3 numeric, 1 nominal)
      target price: numbers from 917 to 37938
    """
    _check("make_used_cars", n, 0.0)
    random = check_random_state(random_state)
    new = np.round(25_000 * np.exp(0.4 * random.standard_normal(n)), -2)
    age = np.round(random.uniform(0, 15, n), 1)
    mileage = np.round(12_000 * age * np.exp(0.3 * random.standard_normal(n)), -2)
    fuel = random.choice(3, n, p=[0.55, 0.3, 0.15])
    shift = np.array([0.0, 0.05, -0.1])[fuel]
    logs = -0.12 * age - 0.03 * mileage / 1e4 + shift + 0.12 * random.standard_normal(n)
    columns = [
        Column("age"),
        Column("mileage"),
        Column("new price"),
        Column("fuel", "nominal", ("petrol", "diesel", "electric")),
    ]
    table = Table(np.column_stack([age, mileage, new, fuel.astype(np.float64)]), Schema(columns))
    return Dataset(
        "used cars (synthetic)",
        table,
        np.round(new * np.exp(logs)),
        "price",
        (),
        "Generated used cars.",
        "assay.tables.generators",
    )


def _check(who: str, n: int, noise: float) -> None:
    if isinstance(n, bool) or n != int(n) or n < 1:
        raise ParameterError(f"{who}: the number of rows must be a whole number from 1 up, got {n!r}.")
    if not noise >= 0:
        raise ParameterError(f"{who}: noise must be a number from 0 up, got {noise!r}.")


def _circuit(who: str, n: int, noise: float, random_state: RandomState) -> tuple[np.ndarray, Any]:
    _check(who, n, noise)
    random = check_random_state(random_state)
    X = random.uniform(size=(n, 4))
    X[:, 0] *= 100
    X[:, 1] *= 520 * np.pi
    X[:, 1] += 40 * np.pi
    X[:, 3] *= 10
    X[:, 3] += 1
    return X, random


def _reactance(X: Floats) -> Floats:
    return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


def _problem(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    source: str,
    names: list[str] | None = None,
    target: str = "y",
) -> Dataset:
    columns = names or [f"x{j + 1}" for j in range(X.shape[1])]
    return Dataset(name, Table(X, Schema([Column(c) for c in columns])), y, target, (), "Generated.", source)
