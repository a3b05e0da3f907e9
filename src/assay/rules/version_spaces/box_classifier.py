"""Box classifier: a rectangle around each class, as tight or as wide as its rows and the others allow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import assay.rules.version_spaces._boxes as _boxes
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Any_, Choice, Instance, Range
from assay.core.stored import CodeArray, Each, FloatArray, Object, Plain
from assay.errors import DataError, DegenerateError, ParameterError
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.rules.version_spaces.box import Box, Nominal, box_between, limited, refuse_outside
from assay.rules.version_spaces.one_answer import answers_with_reject, refuse_label_of_a_class
from assay.rules.version_spaces.version_space import positive_rows, tightest_and_widest
from assay.tables import Schema
from assay.tables.row_names import row_name
from assay.types import Label, TableLike

__all__ = ["BoxClassifier"]


class BoxClassifier(RuleClassifier):
    r"""Learn for each class an axis-parallel box that holds its rows and, where that is possible, no others.

    S is the tightest box around the rows of the class, G a box that cannot grow without a row of another class; of
    several such boxes the one whose smallest gap to S is largest. The hypothesis lies between them:

    .. math:: h = S + \tau (G - S), \qquad \tau = \frac{c_{FN}}{c_{FN} + c_{FP}}                    \quad (1)

    With equal costs it is the middle, which leaves the widest margin; an end of G at infinity stays there. Rows of
    other classes inside S are no obstacle: they are counted in ``conflicts_``, and boxes may overlap. A row in several
    boxes gets the classes' shares in them as votes; a row in none the class shares of the training rows.

    To see all most general boxes: :class:`VersionSpace`.

    Cost: fit O(n d K); predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    hypothesis : "middle", "specific" or "general", default "middle"
        The box of (1), S, or G.
    positive : label or None, default None
        None learns a box for each class. A label, of two, learns a box for that class; all else is the other class.
    cost_fn, cost_fp : float, default 1
        What a false negative and a false positive cost; for "middle".
    nominal : "set" or "value", default "set"
        What a condition on a nominal column can be: any set of categories, or one category and no more.
    units : "range" or "own", default "range"
        How gaps of different columns compare: as shares of the columns' ranges, or as they are.
    domain : dict {column: (low, high)} or None
        Where the values of a column end; a side that no row sets stops there instead of at infinity.
    noise : "record" or "raise", default "record"
        What happens if a row of another class lies in S, so that no box agrees with all rows.
    decision : "argmax" or "reject", default "argmax"
        "reject" answers only without doubt: where exactly one box holds the row; or, with ``positive``, in S and
        outside every most general box.
    reject_label : default "reject"
        What a row in doubt is called.

    Attributes
    ----------
    rules_ : RuleBase with a rule for each box
    specific_, general_ : list of Box, S and G of each class (of ``positive`` alone if that is given)
    conflicts_ : list of arrays, the training rows of other classes in each S
    support_ : list of arrays, the training rows that define each box; without the others it would be the same
    margins_ : list of dict {column: (low, high)}, how far the sides of each box are from the nearest row

    Examples
    --------
    >>> from assay.rules import BoxClassifier
    >>> X = [[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]]
    >>> y = ["family"] * 4 + ["other"] * 5
    >>> model = BoxClassifier(positive="family").fit(X, y)
    >>> print(model)
    R1: IF 2 <= x0 <= 7 AND 2 <= x1 <= 7.5 THEN family
    ELSE other
    >>> model.margins_
    [{'x0': (1.0, 1.0), 'x1': (1.0, 1.5)}]
    >>> careful = BoxClassifier(positive="family", decision="reject").fit(X, y)
    >>> careful.predict([[4, 4], [7, 7], [9, 4]])
    array(['family', 'reject', 'other'], dtype='<U6')

    See Also
    --------
    BoxUnionClassifier, BallClassifier, CandidateElimination, VersionSpace

    References
    ----------
    - Mitchell, T. M. (1982). Generalization as search. Artificial Intelligence 18(2), 203-226.
      doi:10.1016/0004-3702(82)90040-6
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "box",
        "each class a box",
        learns=(
            "boxes around a class",
            "no error on the training rows",
            "bounds of the version space",
            "global",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "hypothesis": Choice("middle", "specific", "general"),
        "positive": Any_("a label, or None"),
        "cost_fn": Range(0, open="low"),
        "cost_fp": Range(0, open="low"),
        "nominal": Choice("set", "value"),
        "units": Choice("range", "own"),
        "domain": Instance(dict, words="a dict {column: (low, high)}") | None,
        "noise": Choice("record", "raise"),
        "decision": Choice("argmax", "reject"),
        "reject_label": Any_("a label"),
    }
    stored = {
        "_negatives": FloatArray("*", "d") | None,
        "conflicts_": Each(CodeArray("*"), "b"),
        "general_": Each(Object(Box), "b"),
        "margins_": Each(Plain(dict), "b"),
        "specific_": Each(Object(Box), "b"),
        "support_": Each(CodeArray("*"), "b"),
    }

    def __init__(
        self,
        hypothesis: str = "middle",
        positive: Label | None = None,
        *,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        nominal: str = "set",
        units: str = "range",
        domain: dict[str, Any] | None = None,
        noise: str = "record",
        decision: str = "argmax",
        reject_label: Label = "reject",
    ):
        self.hypothesis = hypothesis
        self.positive = positive
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.nominal = nominal
        self.units = units
        self.domain = domain
        self.noise = noise
        self.decision = decision
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # boxes around classes that overlap overlap too
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        refuse_outside(X, self.domain, self.schema_, type(self).__name__)
        if self.decision == "reject":
            refuse_label_of_a_class(type(self).__name__, self.classes_, self.reject_label)
        wanted = self._wanted()
        rows = np.arange(len(y)) if w is None else np.flatnonzero(w)
        Z, z = X[rows], y[rows]
        self.specific_, self.general_, self.conflicts_, self.support_, self.margins_ = [], [], [], [], []
        rules: list[tuple[Any, int]] = []
        for k in wanted:
            S, G, inside, support = tightest_and_widest(Z, z == k, self.schema_, self.nominal, self.units)  # type: ignore[arg-type]
            if len(inside) and self.noise == "raise":
                raise self._contradiction(k, int(rows[inside[0]]), len(inside), S)
            G = limited(G, self.domain, self.schema_, type(self).__name__)
            h = box_between(S, G, self._tau())
            self.specific_.append(S)
            self.general_.append(G)
            self.conflicts_.append(rows[inside])
            self.support_.append(rows[support])
            self.margins_.append(_margins(S, h, G, self.schema_.names))
            if not h.empty:
                rules.append((h.conditions, k))
        self._negatives: Any = Z[z != wanted[0]] if self._by_doubt else None
        base = class_rules(
            self, rules, X, y, w, default=self._other(), policy="first" if self._single else "confidence"
        )
        self.rules_ = base if self._single else replace(base, default=None)

    def _tau(self) -> float:
        if self.hypothesis != "middle":
            return float(self.hypothesis == "general")
        return self.cost_fn / (self.cost_fn + self.cost_fp)  # (1)

    @property
    def _single(self) -> bool:
        return self.positive is not None

    @property
    def _by_doubt(self) -> bool:
        """Whether a row is refused because the version space does not settle it."""
        return self._single and self.decision == "reject"

    def _wanted(self) -> list[int]:
        """The classes that get a box."""
        who, K = type(self).__name__, len(self.classes_)
        if not self._single:
            return list(range(K))
        if K > 2:
            raise DataError(
                f"{who}: one box tells two classes apart, y has {K}. Leave positive out: then each class gets a box."
            )
        return [positive_rows(self.classes_, self.positive, who)]

    def _other(self) -> int | None:
        return None if not self._single or len(self.classes_) < 2 else 1 - self._wanted()[0]

    def _contradiction(self, k: int, row: int, many: int, S: Box) -> DegenerateError:
        return DegenerateError(
            f"{type(self).__name__}: no box agrees with all rows: {row_name(row)} is not {self.classes_[k]!s} "
            "but lies in "
            f"the tightest box of that class, {S.words(self.schema_)} ({many} such row(s)). Correct or drop them, use "
            "BoxUnionClassifier, or noise='record' to leave them aside."
        )

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class; with ``decision="reject"`` the reject label in doubt."""
        if self.decision != "reject":
            return super().predict(X)
        values = self._admit(X)
        chosen = np.where(self._in_doubt(values), -1, self._choose(values))
        return answers_with_reject(self.classes_, chosen, self.reject_label)

    def doubt(self, X: TableLike) -> np.ndarray:
        """(n,) bool: which rows ``decision="reject"`` would refuse; with ``positive`` it must have been set in fit."""
        values = self._admit(X)
        if self._single and self._negatives is None:
            raise ParameterError(
                f"{type(self).__name__}.doubt: the negative rows were not kept. Fit with decision='reject'."
            )
        return self._in_doubt(values)

    def _in_doubt(self, X: np.ndarray) -> np.ndarray:
        if not self._single:
            return self.rules_.covers_block(X).sum(axis=1) != 1
        S = self.specific_[0]
        return ~S.covers(X) & reachable(X, S, self._negatives, self.schema_, self.nominal)  # type: ignore[arg-type]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        labels = [str(self.classes_[k]) for k in self._wanted()]
        inside = [(S.covers(X), G.covers(X)) for S, G in zip(self.specific_, self.general_)]
        note = "S is the tightest box of a class, G the widest without rows of other classes."

        def sections(i: int) -> list[Section]:
            lines = [[c, *("yes" if box[i] else "no" for box in pair)] for c, pair in zip(labels, inside)]
            return [Section("Where the row lies", ["class", "in S", "in G"], lines, note)]

        return super()._reasons(X, rows).then(sections)


def reachable(
    X: np.ndarray, S: Box, negatives: np.ndarray, schema: Schema, nominal: Nominal = "set"
) -> np.ndarray:
    """(n,) bool: whether some box holds S and the row, but none of the negatives outside S.

    It does if the tightest box around both holds none; so no list of the most general boxes is needed. Where a
    condition is one category or any, all categories but that of S are one: who admits another admits them all.
    """
    N = np.ascontiguousarray(negatives[~S.covers(negatives)], np.float64)
    X = np.ascontiguousarray(X, np.float64)
    sizes = [len(c.categories) if c.kind == "nominal" else 0 for c in schema]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    coded = np.array([c.kind == "nominal" for c in schema], np.uint8)
    for j in np.flatnonzero(coded).tolist():  # the negatives may come from a file
        codes = N[~np.isnan(N[:, j]), j]
        if ((codes < 0) | (codes >= sizes[j]) | (codes != np.floor(codes))).any():
            raise DataError(
                f"BoxClassifier: a negative row has a category that {schema[j].name} does not have."
            )
    if nominal == "value":
        S, X, N = _one_or_any(S, X, N)
    low, high = np.full(len(schema), -np.inf), np.full(len(schema), np.inf)
    gaps, held = np.ones(len(schema), np.uint8), np.ones(int(start[-1]), np.uint8)
    for c in S.conditions:
        j = c.column
        gaps[j] = c.missing
        if c.codes is None:
            low[j], high[j] = c.low, c.high
        else:
            held[start[j] : start[j + 1]] = 0
            held[start[j] + np.array(c.codes, np.int64)] = 1
    reached = np.empty(len(X), bool)
    for i in range(len(X)):
        box = {"low": low.copy(), "high": high.copy(), "gaps": gaps.copy(), "held": held.copy()}
        _boxes.grow_box(P=X, N=N, order=np.array([i]), nominal=coded, start=start[:-1].copy(), **box)
        grown = any((a != b).any() for a, b in zip(box.values(), (low, high, gaps, held)))
        reached[i] = grown or S.covers(X[i : i + 1])[0]
    return reached


def _one_or_any(S: Box, X: np.ndarray, N: np.ndarray) -> tuple[Box, np.ndarray, np.ndarray]:
    """The same with the category of S as 0 and all others as 1, in columns in which S has one."""
    X, N = X.copy(), N.copy()
    conditions = []
    for c in S.conditions:
        if c.codes is not None:
            for block in (X, N):
                known = ~np.isnan(block[:, c.column])
                block[known, c.column] = block[known, c.column] != c.codes[0]
            c = replace(c, codes=(0,))
        conditions.append(c)
    return Box(tuple(conditions)), X, N


def _margins(S: Box, h: Box, G: Box, names: list[str]) -> dict[str, tuple[float, float]]:
    """For each ordered column how far the ends of h are from the nearest row: one of S, or one at which G stands."""
    margins = {}
    for s in S.conditions:
        c, g = h.on(s.column), G.on(s.column)
        if c is None or c.codes is not None:
            continue
        low, high = (-np.inf, np.inf) if g is None else (g.low, g.high)
        margins[names[s.column]] = (
            float(min(s.low - c.low, np.inf if np.isinf(low) else c.low - low)),
            float(min(c.high - s.high, np.inf if np.isinf(high) else high - c.high)),
        )
    return margins
