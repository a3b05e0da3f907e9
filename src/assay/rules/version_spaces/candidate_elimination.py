"""Candidate elimination: the version space of boxes, kept up to date row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Choice, Count
from assay.core.stored import Each, FloatArray, Integer, Object
from assay.core.targets import check_weights, label_codes
from assay.errors import DataError, DegenerateError, ParameterError, SchemaError
from assay.rules.version_spaces.box import Box, hull, in_order
from assay.rules.version_spaces.box_sides import maximal, sides_of
from assay.rules.version_spaces.elimination import Bounds
from assay.rules.version_spaces.one_answer import answers_with_reject, believed, refuse_label_of_a_class
from assay.rules.version_spaces.version_space import VersionSpace, positive_rows
from assay.tables import Table
from assay.tables.row_names import row_name
from assay.types import Label, Labels, TableLike, Target, Weights

__all__ = ["CandidateElimination"]


class CandidateElimination(Classifier):
    r"""Keep the tightest and all widest boxes that agree with the rows seen so far, row by row.

    It begins with the box of nothing, S, and the box of everything, G. A positive row removes the general boxes that do
    not cover it and lets S grow just enough to cover it. A negative row makes each general box that covers it smaller,
    by one side at a time, and those stay that still hold S and lie in no other. The order of the rows does
    not matter.

    Each class has a version space of its own, in which all other rows are negative, or ``positive`` alone has one. In S
    the membership :math:`m_k` is 1, outside all general boxes 0, and in doubt 1/2:

    .. math:: P(k|x) \propto \pi_k m_k(x)                                                           \quad (1)

    A row that would leave no box at all contradicts the rows before it: no box is the class, or the row is noise. It is
    recorded and left aside. ``fit`` looks at all rows at once, the positive ones first: only negatives are left aside.

    Cost: fit O(n d K) for S, and O(g n d) for each G-set of g boxes, of which there can be exponentially many
    (``limit``); predict O(g d) a row; memory O(n d) to fit, O(g d) kept.

    Parameters
    ----------
    positive : label or None, default None
        None keeps a version space for each class. A label, of two, keeps one for that class.
    nominal : "value" or "set", default "value"
        What a condition on a nominal column can be: one category or any, or any set of categories.
    noise : "record" or "raise", default "record"
        What happens to a row that contradicts the rows before it.
    decision : "argmax" or "reject", default "argmax"
        "reject" answers only without doubt: where the row lies in S of one class and of no other, or, with
        ``positive``, outside all general boxes.
    reject_label : default "reject"
    limit : int, default 10000
        More general boxes than this are an error.

    Attributes
    ----------
    version_spaces_ : list of VersionSpace, one for each class (of ``positive`` alone if that is given)
    conflicts_ : list of lists, for each space the rows, counted from the first call on, that were left aside
    n_seen_ : int
        How many rows there were so far.
    class_weight_sums_ : (K,) what the rows of each class weigh

    Examples
    --------
    The days on which a swim was enjoyed, as concepts "a value or any":

    >>> from assay.rules import CandidateElimination
    >>> days = [["sunny", "warm", "normal", "strong", "warm", "same"],
    ...         ["sunny", "warm", "high", "strong", "warm", "same"],
    ...         ["rainy", "cold", "high", "strong", "warm", "change"],
    ...         ["sunny", "warm", "high", "strong", "cool", "change"]]
    >>> model = CandidateElimination(positive="yes").fit(days, ["yes", "yes", "no", "yes"])
    >>> print(model)
    yes
      S: x0 = 'sunny' AND x1 = 'warm' AND x3 = 'strong'
      G: x0 = 'sunny'
      G: x1 = 'warm'

    See Also
    --------
    VersionSpace, BoxClassifier, active_queries

    References
    ----------
    - Mitchell, T. M. (1982). Generalization as search. Artificial Intelligence 18(2), 203-226.
      doi:10.1016/0004-3702(82)90040-6
    """

    card = Card(
        "candidate elimination",
        "all boxes that agree with the rows seen so far",
        also=("version space",),
        learns=(
            "boxes around a class",
            "no error on the training rows",
            "bounds of the version space",
            "global",
        ),
    )
    multiclass = "one-vs-rest"

    takes = frozenset({"nominal"})
    accepts = {
        "positive": Any_("a label, or None"),
        "nominal": Choice("value", "set"),
        "noise": Choice("record", "raise"),
        "decision": Choice("argmax", "reject"),
        "reject_label": Any_("a label"),
        "limit": Count(1),
    }
    stored = {
        "class_weight_sums_": FloatArray("K"),
        "conflicts_": Each(Each(Integer()), "b"),
        "n_seen_": Integer(),
        "version_spaces_": Each(Object(VersionSpace), "b"),
    }

    def __init__(
        self,
        positive: Label | None = None,
        *,
        nominal: str = "value",
        noise: str = "record",
        decision: str = "argmax",
        reject_label: Label = "reject",
        limit: int = 10_000,
    ):
        self.positive = positive
        self.nominal = nominal
        self.noise = noise
        self.decision = decision
        self.reject_label = reject_label
        self.limit = limit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # boxes around classes that overlap overlap too
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self._begin()
        rows = np.arange(len(y)) if w is None else np.flatnonzero(w)
        Z, z = X[rows], y[rows]
        for b, space in enumerate(self.version_spaces_):  # all rows at once: the same sets as row by row
            yes = z == self.classes_.tolist().index(space.positive)
            N, S = Z[~yes], hull(Z[yes], self.schema_, self.nominal)  # type: ignore[arg-type]
            if S.empty:
                continue
            sides = sides_of(S, N, self.nominal)  # type: ignore[arg-type]
            aside = rows[np.flatnonzero(~yes)[sides.inside]].tolist()
            if aside and self.noise == "raise":
                raise self._contradiction(aside[0], False, space)
            bounds = maximal(sides, self.limit, type(self).__name__)
            general = in_order([sides.box(S, bound, N, self.schema_) for bound in bounds], X.shape[1])
            self.version_spaces_[b] = replace(space, specific=S, general=general)
            self.conflicts_[b] = aside
        self.class_weight_sums_ = np.bincount(y, w, minlength=len(self.classes_)).astype(np.float64)
        self.n_seen_ = len(y)

    def partial_fit(
        self, X: TableLike, y: Target, classes: Labels | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Show some more rows, in their order.

        Parameters
        ----------
        X, y, sample_weight : as in fit; a row of weight 0 is ignored
        classes : all class labels; needed in the first call, since the rows may lack some
        """
        more = CandidateElimination._more
        return (more if hasattr(self, "version_spaces_") else all_or_nothing(more))(
            self, X, y, classes, sample_weight
        )

    def _more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        who, first = type(self).__name__, not hasattr(self, "version_spaces_")
        self._check_parameters()
        if first and classes is None:
            raise ParameterError(f"{who}: classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"{who}: classes={classes!r} is not the same as on last call to partial_fit."
            )
        if not first:
            self._refuse_new_categories(X)
        values = self._admit(X, fitting=first)
        if first:
            self.classes_ = np.unique(classes)
            self._begin()
        codes = label_codes(y, self.classes_, values.shape[0], who)
        self._take(values, codes, self._weights(sample_weight, values))
        return self

    def _weights(self, w: Any, X: np.ndarray) -> np.ndarray | None:
        """As in fit, but here all of them may be 0: then all rows are ignored."""
        none = w is not None and np.shape(w) == (len(X),) and not np.any(w)
        return np.zeros(len(X)) if none else check_weights(w, X)

    def _refuse_new_categories(self, X: Any) -> None:
        table = Table.like(X, self.schema_, type(self).__name__)
        if table.unseen:
            raise SchemaError(
                f"{type(self).__name__}: some columns have categories that the first rows lacked. Declare them all in "
                "the first call, for example as a pandas Categorical."
            )

    def _begin(self) -> None:
        who, K = type(self).__name__, len(self.classes_)
        if self.decision == "reject":
            refuse_label_of_a_class(who, self.classes_, self.reject_label)
        if self.positive is not None and K > 2:
            raise DataError(
                f"{who}: one version space tells two classes apart, y has {K}. Leave positive out: then each class "
                "gets one."
            )
        wanted = range(K) if self.positive is None else [positive_rows(self.classes_, self.positive, who)]
        self.version_spaces_ = [
            VersionSpace(self.schema_, Box(empty=True), (Box(),), (), self.classes_.tolist()[k], self.nominal)  # type: ignore[arg-type]
            for k in wanted
        ]
        self.conflicts_: list[list[int]] = [[] for _ in wanted]
        self.class_weight_sums_ = np.zeros(K)
        self.n_seen_ = 0

    def _take(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        """Row by row."""
        labels = self.classes_.tolist()
        rows = np.arange(len(y)) if w is None else np.flatnonzero(w)
        spaces, conflicts = [], []
        for space, before in zip(self.version_spaces_, self.conflicts_):
            yes = y == labels.index(space.positive)
            state = Bounds.of(space)
            against = []
            for i in rows:
                if not (state.positive(X[i]) if yes[i] else state.negative(X[i])):
                    against.append(self.n_seen_ + int(i))
                    if self.noise == "raise":
                        raise self._contradiction(int(i), bool(yes[i]), space)
                if len(state.low) > self.limit:
                    raise DegenerateError(
                        f"{type(self).__name__}: there are more than {self.limit} most general boxes. Use fewer "
                        "columns, raise limit, or use BoxClassifier, which needs only one of them."
                    )
            spaces.append(state.space(space))
            conflicts.append(before + against)
        self.version_spaces_, self.conflicts_ = spaces, conflicts
        self.class_weight_sums_ = self.class_weight_sums_ + np.bincount(y, w, minlength=len(labels))
        self.n_seen_ += len(y)

    def _contradiction(self, row: int, yes: bool, space: VersionSpace) -> DegenerateError:
        what = "lies outside all general boxes, though it is" if yes else "lies in S, though it is not"
        return DegenerateError(
            f"{type(self).__name__}: the version space of {space.positive!s} is empty: {row_name(row)} {what} "
            f"{space.positive!s}. No box agrees with all rows; correct or drop the row, use BoxUnionClassifier, or "
            "noise='record' to leave such rows aside."
        )

    # ------------------------------------------------------------------ answers

    def membership(self, X: TableLike) -> np.ndarray:
        """(n, spaces) 1 in S, 0 outside all general boxes, 0.5 in doubt."""
        return self._levels(self._admit(X))

    def doubt(self, X: TableLike) -> np.ndarray:
        """(n,) bool: which rows ``decision="reject"`` refuses."""
        return self._in_doubt(self._levels(self._admit(X)))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class; with ``decision="reject"`` the reject label in doubt."""
        if self.decision != "reject":
            return super().predict(X)
        values = self._admit(X)
        chosen = np.where(self._in_doubt(self._levels(values)), -1, self._choose(values))
        return answers_with_reject(self.classes_, chosen, self.reject_label)

    def _levels(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([space.levels(X) for space in self.version_spaces_])

    def _in_doubt(self, level: np.ndarray) -> np.ndarray:
        return level[:, 0] == 0.5 if level.shape[1] == 1 else (level == 1).sum(axis=1) != 1

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        level, K = self._levels(X), len(self.classes_)
        total = self.class_weight_sums_.sum()
        shares = self.class_weight_sums_ / total if total else np.full(K, 1 / K)
        if self.positive is None or K == 1:
            return believed(level, shares)  # (1)
        k = self.classes_.tolist().index(self.version_spaces_[0].positive)
        return np.column_stack([level, 1 - level] if k == 0 else [1 - level, level])

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        words, levels = {1.0: "yes", 0.5: "in doubt", 0.0: "no"}, self._levels(X)

        def sections(i: int) -> list[Section]:
            lines = []
            for space, level in zip(self.version_spaces_, levels[i]):
                held = [G.words(self.schema_) for G in space.general if G.covers(X[i : i + 1])[0]]
                why = held[0] if held else "no general box"
                why = space.specific.words(self.schema_) if level == 1 else why
                lines.append([str(space.positive), words[float(level)], why])
            return [Section("Where the row lies", ["class", "member", "because of"], lines)]

        return Reasons(sections)

    def __str__(self) -> str:
        if "version_spaces_" not in vars(self):
            return repr(self)
        lines = []
        for space, rows in zip(self.version_spaces_, self.conflicts_):
            lines += [f"{space.positive}", *(f"  {line}" for line in str(space).splitlines())]
            if rows:
                shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
                lines.append(f"  No box agrees with all rows; left aside: {shown}")
        return "\n".join(lines)
