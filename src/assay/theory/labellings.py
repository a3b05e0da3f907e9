"""Hypothesis classes, and which labellings of given points they realise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, ParameterError
from assay.theory._checks import one_count

__all__ = ["Boxes", "FiniteClass", "Hypotheses", "Intervals", "LookUp", "Stumps", "Thresholds"]

Points = NDArray[np.float64]
Labels = NDArray[np.bool_]
Rule = Callable[[Points], Any]  # (n,) bool of (n, d)


def labellings(n: int) -> Labels:
    """(2^n, n) all labellings; number c labels point i by bit i of c.

    >>> from assay.theory.labellings import labellings
    >>> labellings(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(bool)


class Hypotheses:
    """A hypothesis class: its name, the labellings it realises, its VC dimension where it is known.

    A member writes ``rule``, or ``realised`` as well where all labellings at once are quicker.
    """

    name = ""
    columns: int | None = None  # the only dimension it lives in, or None for any
    most = 16  # points whose 2^n labellings can be tried in seconds

    def rule(self, points: Points, label: Labels) -> Rule | None:
        """A hypothesis of the class with these labels, as a function of points; None if there is none."""
        raise TypeError(f"{type(self).__name__} must define which labellings it realises")

    def realised(self, points: Points) -> Labels:
        """(2^n,) which labellings the class realises."""
        return np.array([self.rule(points, label) is not None for label in labellings(len(points))])

    def either_sign(self, points: Points) -> Labels:
        """The same for a class closed under negation: half of the labellings determine the others."""
        half = labellings(len(points))[: 2 ** (len(points) - 1)]
        realised = np.array([self.rule(points, label) is not None for label in half])
        return np.concatenate([realised, realised[::-1]])

    def vc(self, d: int) -> float:
        """The VC dimension in d dimensions; infinite for a class that shatters sets of any size."""
        raise TypeError(f"{type(self).__name__} must define its VC dimension")

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Boxes(Hypotheses):
    """Axis-aligned boxes, inside positive. The tightest box around the positives decides. VC dimension 2d.

    Examples
    --------
    >>> from assay.theory import Boxes, shatters
    >>> shatters(Boxes(), [(0, 1), (1, 0), (0, -1), (-1, 0)]).shattered
    True
    """

    name = "boxes"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        if not label.any():
            return lambda X: np.zeros(len(X), dtype=bool)
        low, high = points[label].min(axis=0), points[label].max(axis=0)
        inside: Rule = lambda X: ((low <= X) & (high >= X)).all(axis=1)  # noqa: E731
        return None if inside(points[~label]).any() else inside

    def realised(self, points: Points) -> Labels:
        label = labellings(len(points))
        shown = np.where(label[..., None], points, np.nan)
        shown[0] = 0.0  # the empty box; all-NaN slices would raise a warning
        low, high = np.nanmin(shown, axis=1)[:, None], np.nanmax(shown, axis=1)[:, None]
        caught = ((low <= points) & (points <= high)).all(axis=2) & ~label
        caught[0] = False
        return ~caught.any(axis=1)

    def vc(self, d: int) -> float:
        return 2.0 * d


@dataclass(frozen=True, repr=False)
class Thresholds(Hypotheses):
    """On a line, positive from a threshold on. VC dimension 1.

    Examples
    --------
    >>> from assay.theory import Thresholds, shatters
    >>> shatters(Thresholds(), [1.0, 2.0]).failing
    array([[ True, False]])
    """

    name, columns = "thresholds", 1

    def rule(self, points: Points, label: Labels) -> Rule | None:
        x = points[:, 0]
        cut = np.inf if not label.any() else x[label].min()
        return None if (x[~label] >= cut).any() else lambda X: X[:, 0] >= cut

    def vc(self, d: int) -> float:
        return 1.0


@dataclass(frozen=True, repr=False)
class Intervals(Hypotheses):
    """On a line, positive in a union of at most ``pieces`` closed intervals. VC dimension 2 ``pieces``.

    Examples
    --------
    >>> from assay.theory import Intervals, shatters
    >>> [shatters(Intervals(pieces=k), [1, 2, 3, 4]).count for k in (1, 2)]
    [11, 16]
    """

    pieces: int = 1
    columns = 1

    def __post_init__(self) -> None:
        one_count(self.pieces, "Intervals", "pieces")

    @property
    def name(self) -> str:  # type: ignore[override]
        return "intervals" if self.pieces == 1 else f"unions of {self.pieces} intervals"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        x = np.unique(points[:, 0])
        inside = np.isin(x, points[label, 0])
        if np.isin(x[inside], points[~label, 0]).any():
            return None  # one place, two labels
        step = np.diff(np.r_[0, inside.astype(int), 0])
        first, last = x[np.flatnonzero(step == 1)], x[np.flatnonzero(step == -1) - 1]
        if len(first) > self.pieces:
            return None
        return lambda X: ((X[:, :1] >= first) & (X[:, :1] <= last)).any(axis=1)

    def vc(self, d: int) -> float:
        return 2.0 * self.pieces


@dataclass(frozen=True, repr=False)
class Stumps(Hypotheses):
    r"""One column against a threshold, either side positive.

    VC dimension: the largest m with :math:`\binom m{\lfloor m/2 \rfloor} \le 2 d`, so 2, 3, 4, 4, 5 in 1 to 5
    dimensions: each of the d orders of the points has two ends that hold half of them.

    Examples
    --------
    >>> from assay.theory import Stumps, shatters
    >>> shatters(Stumps(), [(0, 0), (1, 2), (2, 1)]).shattered
    True
    """

    name = "stumps"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        for j in range(points.shape[1]):
            for sign in (1.0, -1.0):
                x = sign * points[:, j]
                cut = np.inf if not label.any() else x[label].min()
                if not (x[~label] >= cut).any():
                    return lambda X, j=j, sign=sign, cut=cut: sign * X[:, j] >= cut  # type: ignore[misc]
        return None

    def vc(self, d: int) -> float:
        from math import comb

        m = 2
        while comb(m + 1, (m + 1) // 2) <= 2 * d:
            m += 1
        return float(m)


@dataclass(frozen=True, repr=False)
class FiniteClass(Hypotheses):
    """A list of functions of points, each giving true or false. VC dimension at most log2 of their number.

    Examples
    --------
    >>> from assay.theory import FiniteClass, shatters
    >>> shatters(FiniteClass([lambda X: X[:, 0] > 0, lambda X: X[:, 0] > 5]), [1.0, 6.0]).count
    2
    """

    rules: Sequence[Rule]

    def __post_init__(self) -> None:
        if not len(self.rules) or not all(callable(h) for h in self.rules):
            raise ParameterError("FiniteClass: give a list of functions of points, at least one.")

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{len(self.rules)} hypotheses"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        return next((h for h in self.rules if np.array_equal(np.asarray(h(points), dtype=bool), label)), None)

    def realised(self, points: Points) -> Labels:
        n, realised = len(points), np.zeros(2 ** len(points), dtype=bool)
        for h in self.rules:
            labels = np.asarray(h(points), dtype=bool)
            if labels.shape != (n,):
                raise DataError(
                    f"FiniteClass: a hypothesis must return one label per point, {n}, got {labels.shape}."
                )
            realised[int(labels @ (1 << np.arange(n)))] = True
        return realised

    def vc(self, d: int) -> float:
        return float(np.floor(np.log2(len(self.rules))))


@dataclass(frozen=True, repr=False)
class LookUp(Hypotheses):
    """A table that remembers every point: realises all labellings of distinct points. VC dimension infinite.

    Examples
    --------
    >>> from assay.theory import LookUp, shatters
    >>> shatters(LookUp(), [1.0, 2.0, 3.0]).shattered, LookUp().vc(1)
    (True, inf)
    """

    name = "look-up table"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        yes = {tuple(p) for p in points[label].tolist()}
        if yes & {tuple(p) for p in points[~label].tolist()}:
            return None
        return lambda X: np.array([tuple(p) in yes for p in X.tolist()], dtype=bool)

    def vc(self, d: int) -> float:
        return np.inf
