"""Ball classifier: a circle or an ellipse around each class, in any number of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Any_, Choice, Range
from assay.core.stored import CodeArray, Each, FloatArray, Integer
from assay.core.words import one_line, shorter
from assay.errors import DataError, DegenerateError
from assay.rules.version_spaces.enclosing_ball import largest_consistent_ball, smallest_ball
from assay.rules.version_spaces.one_answer import answers_with_reject, believed, refuse_label_of_a_class
from assay.rules.version_spaces.version_space import positive_rows
from assay.types import Label, TableLike

__all__ = ["BallClassifier"]

LARGEST = 1e307  # of the numbers that balls are learned from
MAX_FLOAT = np.finfo(np.float64).max
SLACK = 1e-9  # part of the radius within which a row counts as on the surface


class BallClassifier(Classifier):
    r"""Learn for each class a ball, or an ellipsoid, that holds its rows and, where that is possible, no others.

    The most specific ball S is the smallest one around the rows of the class. With centre c and
    radius r, a row is in it if

    .. math:: (x - c)^T W^T W (x - c) \le r^2                                                       \quad (1)

    where W is the identity for a ball, the inverse of the class's standard deviations for an ellipse along the axes,
    and a root of the inverse of its covariance for a tilted one. The middle hypothesis keeps the centre, and its radius
    lies between that of S and the distance of the nearest row of another class outside S, by the costs of errors as in
    :class:`BoxClassifier`; the most general ball is the largest one of all that hold every row of the class and no
    other. Unlike with boxes, S is not inside every ball that agrees with the rows.

    A row in several balls gets the classes' shares in them as votes, as in :class:`BoxClassifier`; a row in none the
    class shares of the training rows. Nominal columns count as indicators.

    Cost: fit O(n d + d^3) for each of O(n + d) steps at most, by class; predict O(d^2 K) a row; memory O(n d) to fit,
    O(d^2 K) kept.

    Parameters
    ----------
    hypothesis : "middle", "specific" or "general", default "middle"
        "general" is for up to 4 columns and for classes that a ball, but no plane, parts from the others.
    shape : "ball", "axes" or "tilted", default "ball"
    positive : label or None, default None
        None learns a ball for each class. A label, of two, learns one for that class; all else is the other class.
    cost_fn, cost_fp : float, default 1
        What a false negative and a false positive cost; for "middle".
    decision : "argmax" or "reject", default "argmax"
        "reject" answers only where exactly one ball holds the row; or, with ``positive``, not between S and the nearest
        negative.
    reject_label : default "reject"

    Attributes
    ----------
    centers_ : (B, d)      radii_ : (B,) radius of the hypothesis      specific_radii_, general_radii_ : (B,)
        For each class, or for ``positive`` alone; radii are in the units of W. A class without rows has radius -1.
    scales_ : (B, d, d) W
    conflicts_ : list of arrays, the training rows of other classes in each S

    Examples
    --------
    >>> from assay.rules import BallClassifier
    >>> X = [[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]]
    >>> model = BallClassifier("specific", positive="family").fit(X, ["family"] * 4 + ["other"] * 5)
    >>> model.centers_.round(7), model.radii_.round(7)
    (array([[4.2142857, 4.3571429]]), array([1.8210784]))
    >>> print(model)
    IF (x0 - 4.21429)^2 + (x1 - 4.35714)^2 <= 1.82108^2 THEN family
    ELSE other

    See Also
    --------
    BoxClassifier, OneClassEach

    References
    ----------
    - Welzl, E. (1991). Smallest enclosing disks (balls and ellipsoids). In New Results and New Trends in Computer
      Science, 359-370. Springer.
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "balls",
        "each class a ball or an ellipsoid",
        scale=True,
        learns=(
            "a ball around a class",
            "no error on the training rows",
            "the smallest ball around, the largest without others",
            "global",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "hypothesis": Choice("middle", "specific", "general"),
        "shape": Choice("ball", "axes", "tilted"),
        "positive": Any_("a label, or None"),
        "cost_fn": Range(0, open="low"),
        "cost_fp": Range(0, open="low"),
        "decision": Choice("argmax", "reject"),
        "reject_label": Any_("a label"),
    }
    stored = {
        "_one": Integer(low=-1),
        "_shares": FloatArray("K"),
        "_sure": FloatArray("*"),
        "centers_": FloatArray("b", "p"),
        "conflicts_": Each(CodeArray("*"), "b"),
        "general_radii_": FloatArray("b"),
        "radii_": FloatArray("b"),
        "scales_": FloatArray("b", "p", "p"),
        "specific_radii_": FloatArray("b"),
    }

    def __init__(
        self,
        hypothesis: str = "middle",
        shape: str = "ball",
        positive: Label | None = None,
        *,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        decision: str = "argmax",
        reject_label: Label = "reject",
    ):
        self.hypothesis = hypothesis
        self.shape = shape
        self.positive = positive
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.decision = decision
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # balls around classes that overlap overlap too
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        who, K, d = type(self).__name__, len(self.classes_), X.shape[1]
        if self.decision == "reject":
            refuse_label_of_a_class(who, self.classes_, self.reject_label)
        if self.positive is not None and K > 2:
            raise DataError(
                f"{who}: one ball tells two classes apart, y has {K}. Leave positive out: then each class gets one."
            )
        self._one = -1 if self.positive is None else positive_rows(self.classes_, self.positive, who)
        wanted = range(K) if self._one < 0 else [self._one]
        rows = np.arange(len(y)) if w is None else np.flatnonzero(w)
        if np.abs(X).max() > LARGEST:
            raise DataError(
                f"{who}: numbers above {LARGEST:g} are too large for distances. Rescale the columns."
            )
        totals = np.bincount(y, w, minlength=K)
        self._shares = totals / totals.sum()
        B = len(wanted)
        self.centers_, self.scales_ = np.zeros((B, d)), np.tile(np.eye(d), (B, 1, 1))
        self.radii_, self.specific_radii_, self.general_radii_ = (np.full(B, -1.0) for _ in range(3))
        self.conflicts_ = [np.zeros(0, np.int64) for _ in wanted]
        for b, k in enumerate(wanted):
            positive, others = rows[y[rows] == k], rows[y[rows] != k]
            if len(positive):
                self._surround(b, X[positive], X[others], others)
        inside = self._levels(X) * (np.ones((len(y), 1)) if w is None else w[:, None])
        own_weight = np.array([inside[y == k, b].sum() for b, k in enumerate(wanted)])
        self._sure = own_weight / np.where(own_weight > 0, inside.sum(axis=0), 1.0)

    def _surround(self, b: int, P: np.ndarray, N: np.ndarray, others: np.ndarray) -> None:
        """The ball around one class."""
        W = self.scales_[b] = _scale(P, self.shape)
        centre, _ = smallest_ball(P @ W.T)
        self.centers_[b] = np.linalg.solve(W, centre)
        inner = float(self._distance(b, P).max())
        away = self._distance(b, N)
        inside = away <= inner * (1 + SLACK)
        outer = float(away[~inside].min(initial=np.inf))
        self.conflicts_[b] = others[inside]
        self.specific_radii_[b], self.general_radii_[b] = inner, outer
        if self.hypothesis == "specific":
            self.radii_[b] = inner
        elif self.hypothesis == "general":
            self._largest(b, P, N)
        else:
            tau = self.cost_fn / (self.cost_fn + self.cost_fp)
            self.radii_[b] = inner + tau * (outer - inner)

    def _largest(self, b: int, P: np.ndarray, N: np.ndarray) -> None:
        W = self.scales_[b]
        try:
            centre, radius = largest_consistent_ball(P @ W.T, N @ W.T)
        except DegenerateError as error:
            raise DegenerateError(f"{type(self).__name__}: {error}") from None
        self.centers_[b] = np.linalg.solve(W, centre)
        self.general_radii_[b] = radius
        self.radii_[b] = radius * (1 - 2 * SLACK)  # the negatives on its surface are outside

    def _distance(self, b: int, X: np.ndarray) -> np.ndarray:
        """(n,) distances from a centre in the units of its W, the root of (1)."""
        with np.errstate(over="ignore"):  # infinitely far is far enough
            away = np.clip((X - self.centers_[b]) @ self.scales_[b].T, -MAX_FLOAT, MAX_FLOAT)
            unit = np.abs(away).max(axis=1, keepdims=True, initial=0.0)  # so that no square is too large
            unit[unit == 0] = 1.0
            return unit[:, 0] * np.sqrt(((away / unit) ** 2).sum(axis=1))

    def _levels(self, X: np.ndarray) -> np.ndarray:
        """(n, B) whether each ball holds each row."""
        return np.column_stack(
            [self._distance(b, X) <= r * (1 + SLACK) for b, r in enumerate(self.radii_)]
        ).astype(np.float64)

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        level = self._levels(X)
        if self._one < 0 or len(self.classes_) == 1:
            return believed(level, self._shares, self._sure)
        return np.column_stack([level, 1 - level] if self._one == 0 else [1 - level, level])

    def doubt(self, X: TableLike) -> np.ndarray:
        """(n,) bool: which rows ``decision="reject"`` refuses."""
        return self._in_doubt(self._admit(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class; with ``decision="reject"`` the reject label in doubt."""
        if self.decision != "reject":
            return super().predict(X)
        values = self._admit(X)
        chosen = np.where(self._in_doubt(values), -1, self._choose(values))
        return answers_with_reject(self.classes_, chosen, self.reject_label)

    def _in_doubt(self, X: np.ndarray) -> np.ndarray:
        if self._one < 0:
            return self._levels(X).sum(axis=1) != 1
        away = self._distance(0, X)
        inner, outer = self.specific_radii_[0] * (1 + SLACK), self.general_radii_[0] * (1 - SLACK)
        return (away > inner) & (away < outer)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        labels = self._labels()
        distances = [self._distance(b, X) for b in range(len(labels))]

        def sections(i: int) -> list[Section]:
            lines = []
            for label, away, r in zip(labels, distances, self.radii_):
                inside = "yes" if away[i] <= r * (1 + SLACK) else "no"
                lines.append([str(label), float(away[i]), float(r), inside])
            return [Section("Where the row lies", ["class", "distance", "radius", "inside"], lines)]

        return Reasons(sections)

    def _labels(self) -> np.ndarray:
        return self.classes_ if self._one < 0 else self.classes_[[self._one]]

    def __str__(self) -> str:
        if "radii_" not in vars(self):
            return repr(self)
        lines = [
            f"IF {self._premise(b)} THEN {one_line(label)}"
            for b, label in enumerate(self._labels())
            if self.radii_[b] >= 0
        ]
        other = self.classes_[np.arange(len(self.classes_)) != self._one]
        return "\n".join(lines + ([f"ELSE {one_line(other[0])}"] if self._one >= 0 and len(other) else []))

    def _premise(self, b: int) -> str:
        if np.isinf(self.radii_[b]):
            return "anything"
        W, centre, radius = self.scales_[b], self.centers_[b], f"{shorter(self.radii_[b])}^2"
        away = []
        for name, c in zip(self._names, centre):
            sign = "-" if c >= 0 else "+"
            away.append(f"({one_line(name)} {sign} {shorter(abs(c))})")
        if self.shape == "tilted":
            return f"|W ({', '.join(part[1:-1] for part in away)})|^2 <= {radius}"
        unit = [""] * len(centre) if self.shape == "ball" else [f" / {shorter(1 / u)}" for u in np.diag(W)]
        parts = [f"({part}{u})^2" if u else f"{part}^2" for part, u in zip(away, unit)]
        return f"{' + '.join(parts)} <= {radius}"


def _scale(P: np.ndarray, shape: str) -> np.ndarray:
    """W of (1): the identity, inverse standard deviations, or a root of the inverse covariance.

    A direction in which the rows hardly spread counts as if they spread a little: a thousandth of the largest spread.
    """
    d = P.shape[1]
    if shape == "ball":
        return np.eye(d)
    unit = max(float(np.abs(P).max()), 1e-300)  # so that no square is too large or too small
    with np.errstate(over="ignore"):
        return np.clip(_spread_out(P / unit, shape) / unit, -1e300, 1e300)


def _spread_out(P: np.ndarray, shape: str) -> np.ndarray:
    if shape == "axes":
        spread = P.std(axis=0)
        floor = 1e-3 * float(spread.max()) or 1.0
        return np.diag(1 / np.maximum(spread, floor))
    centred = P - P.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(P))
    top = float(values[-1])
    values = np.maximum(values, 1e-6 * top if top > 0 else 1.0)
    return (vectors / np.sqrt(values)).T  # rows: directions, by their standard deviation
