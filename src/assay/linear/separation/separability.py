"""Linear separability of classes, and the existence of the maximum of the likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.linear.hyperplane import Hyperplane
from assay.linear.separation.separation_problem import SeparationProblem
from assay.types import Labels, TableLike, Target, Weights

__all__ = ["Separability", "Separation", "is_linearly_separable", "separation"]


@dataclass(frozen=True)
class Separability:
    """The answer of :func:`is_linearly_separable`; true or false like a bool, and with its proof.

    Attributes
    ----------
    separable : True, False, or None if neither could be proved; a bool is made of it only if it is known
    coef, intercept : (d,) and float for two classes, (K, d) and (K,) for more, if separable: the score of the second
        class is positive on its rows and negative on the others; of K scores that of the row's class is the largest
    multipliers : (n,) if not separable, for two classes: what each row counts in a point common to both hulls; they
        sum to 1 in each class. For more classes (n, K): how much row i counts against class k; for each class, the
        rows that are in it and those that count against it have the same sum and the same centre.
    point : (d,) the point that the convex hulls of both classes share; None for more than two classes
    sentence : what was found, in words
    """

    separable: bool | None
    coef: np.ndarray | None = None
    intercept: Any = None
    multipliers: np.ndarray | None = None
    point: np.ndarray | None = None
    sentence: str = ""

    def __bool__(self) -> bool:
        if self.separable is None:
            raise DataError(f"is_linearly_separable: {self.sentence}")
        return self.separable

    @property
    def hyperplane(self) -> Hyperplane | None:
        """For two separable classes: a plane between them."""
        if self.coef is None or self.coef.ndim != 1:
            return None
        return Hyperplane(self.coef, float(self.intercept))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Separation:
    """The answer of :func:`separation`.

    Attributes
    ----------
    kind : "none": the likelihood has one maximum (up to linearly dependent columns); "quasi": some rows can be
        separated, the others not (or, if the sentence says "at least", nothing was proved of them); "complete": all
        can; "unknown": nothing could be proved
    coef, intercept : (K, d) and (K,): going this way no row's own score falls behind another's, and those of
        ``rows`` get ahead; None if there is no such way
    columns : numbers of the columns that take part in it (few, if few suffice)
    rows : numbers of the rows whose class becomes certain; ``overlap`` are the others
    sentence : what was found and what to do, in the names of the columns and classes
    """

    kind: str
    coef: np.ndarray | None = None
    intercept: np.ndarray | None = None
    columns: list[int] = field(default_factory=list)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    overlap: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sentence: str = ""

    @property
    def separated(self) -> bool:
        """Whether the likelihood grows for ever in some direction."""
        return self.kind in ("quasi", "complete")

    def __str__(self) -> str:
        return self.sentence


def is_linearly_separable(X: TableLike, y: Target, *, fit_intercept: bool = True) -> Separability:
    r"""Whether linear scores separate the classes without an error.

    Two classes are separable if some w, b has

    .. math:: y_i (w^Tx_i + b) > 0 \quad\text{for all rows},\qquad y_i = \pm1                       \quad (1)

    and if not, the convex hulls of the two classes share a point, :math:`\sum_{+}\lambda_ix_i =
    \sum_{-}\lambda_ix_i` with nonnegative :math:`\lambda` that sum to 1 in each class; one of the two is returned,
    so the answer can be checked. K classes are separable if K linear scores exist of which that of the row's own
    class is always the largest.

    Parameters
    ----------
    X : (n, d) table, dense or sparse; nominal columns become indicators      y : (n,) labels of two or more classes
    fit_intercept : whether the scores have a constant

    Examples
    --------
    Opposite corners of a square share its centre; the product of the coordinates tells them apart:

    >>> from assay.linear import is_linearly_separable
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["a", "a", "b", "b"]
    >>> answer = is_linearly_separable(X, y)
    >>> bool(answer), answer.point, answer.multipliers
    (False, array([0.5, 0.5]), array([0.5, 0.5, 0.5, 0.5]))
    >>> bool(is_linearly_separable([[a, b, a * b] for a, b in X], y))
    True

    See Also
    --------
    separation, PerceptronRule

    References
    ----------
    - Boyd, S. and Vandenberghe, L. (2004). Convex Optimization. Cambridge University Press.
    """
    problem = SeparationProblem(X, y, None, fit_intercept, "is_linearly_separable")
    if problem.single is not None and problem.single[2]:
        return _apart(problem, *problem.alone())
    search = problem.search()
    if search.separated.sum() == problem.n * (problem.K - 1):
        coef, intercept = problem.outside(search.W)
        return _apart(problem, coef, intercept)
    if search.multipliers is None:
        return Separability(None, sentence=problem.gave_up)
    return _overlapping(problem, search.multipliers)


def separation(
    X: TableLike,
    y: Target,
    sample_weight: Weights | None = None,
    *,
    fit_intercept: bool = True,
    names: Sequence[str] | None = None,
    classes: Labels | None = None,
) -> Separation:
    """Whether the likelihood of a logistic (or softmax) regression has a maximum on these rows.

    It has none if some direction lets no row's own score fall behind and some rows' scores get ahead: the
    likelihood then grows along it for ever. Separation is complete if all rows get ahead, else quasi-complete
    (Albert and Anderson 1984). Decided by Newton steps and linear programmes, each answer with a proof.

    Parameters
    ----------
    X : (n, d) table, dense or sparse; nominal columns become indicators      y : (n,) labels
    sample_weight : (n,) rows of weight 0 do not count
    fit_intercept : whether the scores have a constant
    names : of the columns (of the indicators, if there are nominal ones); by default those of X
    classes : K labels, if y holds their numbers

    Examples
    --------
    >>> from assay.linear import separation
    >>> result = separation([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"], names=["age"])
    >>> result.kind, result.columns
    ('complete', [0])
    >>> print(result)
    The classes are completely separated: column age is below 2.5 for no and above for yes, so ...

    See Also
    --------
    is_linearly_separable, LogisticRegression

    References
    ----------
    - Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression
      models. Biometrika 71(1), 1-10. doi:10.1093/biomet/71.1.1
    """
    problem = SeparationProblem(X, y, sample_weight, fit_intercept, "separation", names, classes)
    if problem.single is not None and problem.single[2]:
        w, b = problem.alone()
        return Separation(
            "complete",
            np.vstack((np.zeros_like(w), w)),
            np.array([0.0, b]),
            [problem.single[0]],
            problem.kept,
            sentence=_sentence("complete", problem, [problem.single[0]]),
        )
    search = problem.search()
    if not search.finished and not search.separated.any():
        return Separation("unknown", sentence=problem.gave_up)
    if not search.separated.any():
        return Separation(
            "none",
            overlap=problem.kept,
            sentence="The classes overlap: the likelihood has a finite maximum.",
        )
    W = problem.cone.sparsest(search, 0 if fit_intercept else problem.cone.p)
    if W is None:
        W = search.W
    coef, intercept = problem.outside(W)
    columns = np.flatnonzero((coef != coef[0]).any(axis=0)).tolist()
    whole = (search.separated | problem.cone.own).all(axis=1)
    kind = "complete" if whole.all() else "quasi"
    some = search.separated.any(axis=1)
    return Separation(
        kind,
        coef,
        intercept,
        columns,
        problem.kept[some],
        problem.kept[~whole],
        _sentence(kind, problem, columns, search.separated, search.finished),
    )


def _apart(problem: SeparationProblem, coef: np.ndarray, intercept: Any) -> Separability:
    if problem.K == 2 and coef.ndim == 2:
        coef, intercept = coef[1] - coef[0], float(intercept[1] - intercept[0])
    if problem.K == 2:
        values = np.asarray(problem.X @ coef) + intercept
        sure = (np.where(problem.y == 1, values, -values) > 0).all()
    else:
        scores = np.asarray(problem.X @ coef.T) + intercept
        score_of_class = scores[np.arange(problem.n), problem.y]
        scores[np.arange(problem.n), problem.y] = -np.inf
        sure = (score_of_class > scores.max(axis=1)).all()
    if not sure:  # the columns' own scales are too wide for the weights to be written down
        return Separability(None, sentence=problem.gave_up)
    sentence = f"Linear scores separate all {problem.n} rows of the {problem.K} classes."
    return Separability(True, coef, intercept, sentence=sentence)


def _overlapping(problem: SeparationProblem, multipliers: np.ndarray) -> Separability:
    few = problem.cone.few_multipliers(multipliers)
    count = int((few > 0).any(axis=1).sum())
    if problem.K > 2:
        sentence = f"No linear scores separate the {problem.K} classes: {count} rows contradict each other."
        return Separability(False, multipliers=few / few.sum(), sentence=sentence)
    lam = few.sum(axis=1)
    positive = problem.y == 1
    if not problem.fit_intercept:
        lam = lam / lam.sum()
        sentence = f"No plane through the origin separates the classes: {count} rows contradict each other."
        return Separability(False, multipliers=lam, sentence=sentence)
    lam = lam / lam[positive].sum()
    point = np.asarray(problem.X[positive].T @ lam[positive])
    sentence = (
        f"No plane separates the classes: a point lies in the convex hull of both ({count} rows prove it)."
    )
    return Separability(False, multipliers=lam, point=point, sentence=sentence)


def _sentence(
    kind: str,
    problem: SeparationProblem,
    columns: list[int],
    separated: np.ndarray | None = None,
    finished: bool = True,
) -> str:
    names, labels = problem.names, [str(label) for label in problem.labels]
    alone = problem.single if columns and problem.single and [problem.single[0]] == columns else None
    if alone:
        j, cut, whole, sign = alone
        low, high = (labels[0], labels[1]) if sign > 0 else (labels[1], labels[0])
        if whole:
            how = f"column {names[j]} is below {cut:.6g} for {low} and above for {high}"
        else:
            x = problem.X[:, j]
            below, above = int((x < cut).sum()), int((x > cut).sum())
            sides = ((below, "below", low), (above, "above", high))
            how = " and ".join(
                f"{_rows(m)} with {names[j]} {side} {cut:.6g} {'are' if m > 1 else 'is'} {label}"
                for m, side, label in sides
                if m
            )
    else:
        shown = ", ".join(names[j] for j in columns[:6])
        shown += f" and {len(columns) - 6} more" if len(columns) > 6 else ""
        group = "column" if len(columns) == 1 else "a combination of the columns"
        how = f"{group} {shown}" if columns else "the constant alone"
        how += (
            f" {'decides all rows' if separated is None else _decides(problem, separated)} without a mistake"
        )
    degree = "completely" if kind == "complete" else "partly" if finished else "at least partly"
    word = "quasi-complete separation; " if kind == "quasi" else ""
    return (
        f"The classes are {degree} separated: {how}, so the likelihood has no maximum and the coefficients grow "
        f"without bound ({word}no standard errors or tests follow from them). Give a penalty (C below infinity), or "
        "leave out or merge such columns."
    )


def _decides(problem: SeparationProblem, separated: np.ndarray) -> str:
    """What separated pairs of rows and classes mean: all rows, some of two classes, or some classes from others."""
    labels, y, K = [str(label) for label in problem.labels], problem.y, problem.K
    if separated.sum() == len(y) * (K - 1):
        return "decides all rows"
    if K == 2:
        return f"decides {int(separated.sum())} of {len(y)} rows"
    apart = [
        f"{labels[a]} from {labels[b]}"
        for a in range(K)
        for b in range(a + 1, K)
        if separated[y == a, b].all() and separated[y == b, a].all()
    ]
    if not apart:
        return f"tells {int(separated.any(axis=1).sum())} of {len(y)} rows from some other class"
    return "tells " + ", ".join(apart[:4]) + (f" and {len(apart) - 4} more pairs" if len(apart) > 4 else "")


def _rows(m: int) -> str:
    return f"all {m} rows" if m > 1 else "the one row"
