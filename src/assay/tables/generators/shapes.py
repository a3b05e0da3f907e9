"""Classes with a shape: exclusive or, boxes, ellipses, rings, truth tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.types import Floats, RandomState

__all__ = ["make_boolean", "make_box", "make_ellipse", "make_rings", "make_xor"]


def make_xor(n: int = 200, noise: float = 0.2, random_state: RandomState = None) -> Dataset:
    r"""Clouds around the four corners of the unit square, opposite corners of the same class.

    The best rule is the sign of :math:`(x_1-\tfrac12)(\tfrac12-x_2)`; it errs when one coordinate and not the
    other crosses the middle, with probability :math:`2q(1-q)`, :math:`q = \Phi(-1/(2\,\text{noise}))`.

    Parameters
    ----------
    n : number of rows      noise : standard deviation around the corners      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_xor
    >>> make_xor(8, noise=0.25, random_state=0)
    xor: 8 rows, 2 columns (2 numeric)
      target y: -1 4, 1 4
      smallest possible error 0.04447
    """
    from scipy.special import ndtr

    random = check_random_state(random_state)
    if noise < 0:
        raise ParameterError(f"make_xor: noise must be a number from 0 up, got {noise!r}.")
    corner = random.randint(0, 2, (n, 2))
    X = corner + noise * random.standard_normal((n, 2))
    y = np.where(corner[:, 0] == corner[:, 1], -1, 1)
    q = ndtr(-0.5 / noise) if noise else 0.0
    return _dataset("xor", X, y, "y", (-1, 1), float(2 * q * (1 - q)))


def make_box(
    n: int = 200,
    sides: Sequence[Sequence[float]] = ((3.0, 6.0), (3.0, 6.0)),
    domain: Sequence[Sequence[float]] = ((0.0, 10.0), (0.0, 10.0)),
    random_state: RandomState = None,
) -> Dataset:
    """Rows uniform over a domain; those inside a box with sides along the axes are the class "yes".

    In the plane a rectangle, such as the family cars among all cars by price and engine power.

    Parameters
    ----------
    n : number of rows      sides : (d, 2) ends of the box      domain : (d, 2)      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_box
    >>> make_box(1000, random_state=0)
    box: 1000 rows, 2 columns (2 numeric)
      target inside: no 916, yes 84
      smallest possible error 0
    """
    X = _uniform(n, domain, random_state)
    box = np.asarray(sides, dtype=np.float64)
    if box.shape != (X.shape[1], 2):
        raise ParameterError(
            f"make_box: sides must be {X.shape[1]} pairs (low, high), got shape {box.shape}."
        )
    low, high = box.T
    inside = ((low <= X) & (high >= X)).all(axis=1)
    return _dataset("box", X, np.where(inside, "yes", "no"), "inside", ("no", "yes"), 0.0)


def make_ellipse(
    n: int = 300,
    centre: Sequence[float] = (1.0, 2.0),
    semi_axes: Sequence[float] = (8**-0.5, 50**-0.5),
    angle: float = 0.0,
    domain: Sequence[Sequence[float]] = ((0.4, 1.6), (1.7, 2.3)),
    random_state: RandomState = None,
) -> Dataset:
    r"""Points uniform over a rectangle; those inside an ellipse are the class "yes".

    With the defaults the ellipse is :math:`8(x_1-1)^2 + 50(x_2-2)^2 = 1`. No line separates the classes, but
    a plane does after adding the squares of the coordinates; for ``angle`` other than 0 their product is needed
    as well.

    Parameters
    ----------
    n : number of rows      centre : (2,)      semi_axes : (2,)      angle : radians, against the clock
    domain : (2, 2)      random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_ellipse
    >>> make_ellipse(1000, random_state=0)
    ellipse: 1000 rows, 2 columns (2 numeric)
      target inside: no 793, yes 207
      smallest possible error 0
    """
    X = _uniform(n, domain, random_state)
    c, s = np.cos(angle), np.sin(angle)
    along = (X - np.asarray(centre)) @ np.array([[c, -s], [s, c]])  # in the ellipse's own axes
    inside = ((along / np.asarray(semi_axes)) ** 2).sum(axis=1) <= 1
    return _dataset("ellipse", X, np.where(inside, "yes", "no"), "inside", ("no", "yes"), 0.0)


def make_rings(
    n: int = 200, radii: Sequence[float] = (1.0, 2.0), noise: float = 0.1, random_state: RandomState = None
) -> Dataset:
    """One ring around the origin for each class: round, so that no line helps, and a radius does.

    Parameters
    ----------
    n : number of rows      radii : of the classes' rings      noise : standard deviation around the ring
    random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_rings
    >>> make_rings(100, random_state=0)
    rings: 100 rows, 2 columns (2 numeric)
      target ring: 0 44, 1 56
    """
    random = check_random_state(random_state)
    y = random.randint(0, len(radii), n)
    turn = random.uniform(0, 2 * np.pi, n)
    X = np.asarray(radii, dtype=np.float64)[y][:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    X += noise * random.standard_normal((n, 2))
    return _dataset("rings", X, y, "ring", tuple(range(len(radii))))


_FUNCTIONS: dict[str, Callable[[int, int], bool]] = {  # of the number of ones and the number of inputs
    "and": lambda ones, d: ones == d,
    "or": lambda ones, d: ones > 0,
    "nand": lambda ones, d: ones < d,
    "nor": lambda ones, d: ones == 0,
    "not": lambda ones, d: ones == 0,
    "xor": lambda ones, d: ones % 2 == 1,
    "xnor": lambda ones, d: ones % 2 == 0,
    "parity": lambda ones, d: ones % 2 == 1,
}


def make_boolean(function: str = "xor", inputs: int = 2) -> Dataset:
    """The truth table of a Boolean function: all 2^inputs rows of zeros and ones.

    Parameters
    ----------
    function : "and", "or", "nand", "nor", "not" (of one input), "xor", "xnor" or "parity" (1 for an odd
        number of ones)
    inputs : number of inputs; "not" has one

    Examples
    --------
    >>> from assay.tables.generators import make_boolean
    >>> make_boolean("and").y.tolist(), make_boolean("parity", 3).y.tolist()
    ([0, 0, 0, 1], [0, 1, 1, 0, 1, 0, 0, 1])
    """
    if function not in _FUNCTIONS:
        raise ParameterError(
            f"make_boolean: function must be one of {', '.join(_FUNCTIONS)}, got {function!r}."
        )
    inputs = 1 if function == "not" else inputs
    X = np.array(list(product((0.0, 1.0), repeat=inputs)))
    y = np.array([int(_FUNCTIONS[function](int(ones), inputs)) for ones in X.sum(axis=1)])
    return _dataset(function, X, y, "y", (0, 1), 0.0)


def _uniform(n: int, domain: Sequence[Sequence[float]], random_state: Any) -> np.ndarray:
    ends = np.asarray(domain, dtype=np.float64)
    if ends.ndim != 2 or ends.shape[1] != 2 or not (ends[:, 0] < ends[:, 1]).all():
        raise ParameterError(f"domain must be pairs (low, high), got {domain!r}.")
    points: Floats = check_random_state(random_state).uniform(ends[:, 0], ends[:, 1], (n, len(ends)))
    return points


def _dataset(
    name: str, X: np.ndarray, y: np.ndarray, target: str, classes: tuple[Any, ...], error: float | None = None
) -> Dataset:
    table = Table(X, Schema([Column(f"x{j + 1}") for j in range(X.shape[1])]))
    return Dataset(
        name, table, y, target, classes, "Generated.", "assay.tables.generators", bayes_error=error
    )
