"""Shattering: does a class realise every labelling of given points? And how many points can it shatter?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.theory._checks import as_points, one_count
from assay.theory.labellings import Boxes, Hypotheses, Intervals, LookUp, Rule, Stumps, Thresholds, labellings
from assay.theory.separators import Balls, HalfSpaces
from assay.theory.triangles import Triangles
from assay.types import RandomState

__all__ = ["CLASSES", "Shattering", "VCSearch", "shatters", "vc_dimension", "vc_search"]

CLASSES: dict[str, Hypotheses] = {
    c.name: c
    for c in (
        Thresholds(),
        Intervals(),
        Stumps(),
        Boxes(),
        HalfSpaces(),
        HalfSpaces(bias=False),
        Balls(),
        Triangles(),
        LookUp(),
    )
}
_ALSO = {"lines": "half-spaces", "half-planes": "half-spaces", "rectangles": "boxes", "circles": "balls"}


@dataclass(frozen=True)
class Shattering:
    """Which labellings of some points a class realises.

    Attributes
    ----------
    hypotheses : the class
    points : (n, d)
    labellings : (2^n, n) bool, all of them
    realised : (2^n,) bool
    """

    hypotheses: Hypotheses
    points: NDArray[np.float64]
    realised: NDArray[np.bool_]

    @cached_property
    def labellings(self) -> NDArray[np.bool_]:
        """(2^n, n) all labellings; number c labels point i by bit i of c."""
        return labellings(len(self.points))

    @property
    def count(self) -> int:
        """How many labellings are realised."""
        return int(self.realised.sum())

    @property
    def shattered(self) -> bool:
        """Whether all are."""
        return bool(self.realised.all())

    @property
    def failing(self) -> NDArray[np.bool_]:
        """(m, n) the labellings that no hypothesis of the class realises."""
        return self.labellings[~self.realised]

    def __bool__(self) -> bool:
        return self.shattered

    def rule(self, label: ArrayLike) -> Rule | None:
        """A hypothesis with these labels, as a function of points; None if the class has none."""
        wanted = np.asarray(label, dtype=bool)
        if wanted.shape != (len(self.points),):
            raise DataError(
                f"shatters: a labelling has one label per point, {len(self.points)}, got {wanted.shape}."
            )
        return self.hypotheses.rule(self.points, wanted)

    def __str__(self) -> str:
        n = len(self.points)
        verdict = "shatter" if self.shattered else "do not shatter"
        return f"{self.hypotheses.name} {verdict} these {n} points: {self.count} of {2**n} labellings."


def shatters(hypotheses: Any, points: ArrayLike) -> Shattering:
    """Whether a class realises each of the 2^n labellings of n points; the answer is true or false, and more.

    Parameters
    ----------
    hypotheses : "boxes", "half-spaces" (lines), "triangles", "balls" (circles), "intervals", "thresholds", "stumps",
        "look-up table", or a Hypotheses object such as ``Intervals(pieces=2)`` or ``FiniteClass([...])``
    points : (n, d), or n numbers on a line; at most 16 (10 for triangles, 12 for half-spaces and balls)

    Examples
    --------
    >>> from assay.theory import shatters
    >>> bool(shatters("boxes", [(0, 1), (1, 0), (0, -1), (-1, 0)]))
    True
    >>> print(shatters("lines", [(0, 0), (1, 0), (0, 1), (1, 1)]))
    half-spaces do not shatter these 4 points: 14 of 16 labellings.

    See Also
    --------
    vc_dimension, vc_search

    References
    ----------
    - Vapnik, V. N. and Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to
      their probabilities. Theory of Probability and Its Applications 16(2), 264-280. doi:10.1137/1116025
    """
    who = "shatters"
    klass, rows = as_hypotheses(hypotheses, who), as_points(points, who)
    if len(rows) > klass.most:
        raise DataError(
            f"{who}: {len(rows)} points have 2^{len(rows)} labellings; of {klass.name}, at most {klass.most} points "
            "are tried."
        )
    if klass.columns is not None and rows.shape[1] != klass.columns:
        raise DataError(
            f"{who}: {klass.name} live in {klass.columns} dimension{'s' if klass.columns > 1 else ''}, the points have "
            f"{rows.shape[1]}."
        )
    return Shattering(klass, rows, klass.realised(rows))


def vc_dimension(hypotheses: Any, columns: int = 2) -> float:
    """The known VC dimension of a class in so many dimensions; infinite where no number of points is too many.

    It says how many points can be shattered in some position, whatever the distribution of the data: a pessimistic
    measure, since real data vary smoothly.

    Parameters
    ----------
    hypotheses : as for ``shatters``
    columns : d; thresholds and intervals live on a line, triangles in the plane

    Examples
    --------
    >>> from assay.theory import vc_dimension
    >>> [vc_dimension(c) for c in ("rectangles", "lines", "circles", "triangles", "look-up table")]
    [4.0, 3.0, 3.0, 7.0, inf]

    See Also
    --------
    shatters, vc_search

    References
    ----------
    - Vapnik, V. N. and Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to
      their probabilities. Theory of Probability and Its Applications 16(2), 264-280. doi:10.1137/1116025
    """
    return as_hypotheses(hypotheses, "vc_dimension").vc(one_count(columns, "vc_dimension", "columns"))


@dataclass(frozen=True)
class VCSearch:
    """Result of a search for shattered sets: a lower bound of the VC dimension.

    Attributes
    ----------
    size : the largest number of points that were shattered
    points : (size, d) such points
    tried : how many placements of size + 1 points were tried in vain
    """

    size: int
    points: NDArray[np.float64]
    tried: int


def vc_search(
    hypotheses: Any, columns: int = 2, *, most: int = 8, tries: int = 100, random_state: RandomState = 0
) -> VCSearch:
    """A lower bound of the VC dimension: the largest set that a search over placements finds shattered.

    For each number of points it tries regular placements (a circle, a cross, a curve), then random ones; one more
    point is tried only after success, because a part of a shattered set is shattered.

    Parameters
    ----------
    hypotheses : as for ``shatters``
    columns : d
    most : int
        Where to stop.
    tries : int
        Random placements for each number of points.

    Examples
    --------
    >>> from assay.theory import vc_search
    >>> [vc_search(c, tries=20).size for c in ("boxes", "lines", "triangles")]
    [4, 3, 7]
    """
    who = "vc_search"
    klass, most = as_hypotheses(hypotheses, who), one_count(most, who, "most")
    if most > klass.most:
        raise ParameterError(f"{who}: for {klass.name}, most must be at most {klass.most}, got {most}.")
    d = klass.columns or one_count(columns, who, "columns")
    rng, tries = as_generator(random_state, who), one_count(tries, who, "tries", 0)
    best, tried = VCSearch(0, np.empty((0, d)), 0), 0
    with progress(total=most, description=f"shattering by {klass.name}") as bar:
        for n in range(1, most + 1):
            tried = 0
            for points in _placements(n, d, tries, rng):
                tried += 1
                if klass.realised(points).all():
                    best = VCSearch(n, points, 0)
                    break
            bar.advance()
            if best.size < n:
                break
    return VCSearch(best.size, best.points, tried if best.size < most else 0)


def as_hypotheses(hypotheses: Any, who: str) -> Hypotheses:
    """The class by its name, or itself."""
    if isinstance(hypotheses, Hypotheses):
        return hypotheses
    name = _ALSO.get(str(hypotheses).strip().lower(), str(hypotheses).strip().lower())
    if name not in CLASSES:
        raise ParameterError(
            f"{who}: hypotheses must be one of {', '.join(CLASSES)}, or a Hypotheses object, got {hypotheses!r}."
        )
    return CLASSES[name]


def _placements(n: int, d: int, tries: int, rng: np.random.Generator) -> Any:
    """Regular placements first, then random ones."""
    t = np.arange(n)
    yield np.power.outer(t - (n - 1) / 2, np.arange(1, d + 1)).astype(
        np.float64
    )  # on a curve: no d + 1 on a plane
    if d == 2:
        yield np.column_stack([np.cos(2 * np.pi * t / n), np.sin(2 * np.pi * t / n)])
    if n <= 2 * d:
        yield np.vstack([np.eye(d), -np.eye(d)])[:n]  # a cross
    if n <= d + 1:
        yield np.vstack([np.zeros(d), np.eye(d)])[:n]  # a corner
    for _ in range(tries):
        yield rng.normal(size=(n, d))
