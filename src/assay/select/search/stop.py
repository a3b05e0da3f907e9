"""Stop rules: when a search has gone far enough, and which of the subsets that it saw is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Boolean, Each, Integer, Object, Scalar
from assay.errors import ParameterError
from assay.select.search.space import TIED, Space, State, best_of
from assay.stats.significance.paired_t import paired_t

__all__ = ["AtMost", "AtSize", "Improves", "Patience", "Significant", "StopRule", "as_stop"]

ROUNDS_TESTED = 3  # rounds that the default goes on without a significant improvement


@dataclass(frozen=True)
class StopRule:
    """What a search asks after each round: whether to accept the best candidate, and if not, why.

    Attributes
    ----------
    compares : whether the score of the subset before matters
    patience : rounds without acceptance after which the search ends
    """

    compares: ClassVar[bool] = True
    patience: ClassVar[int] = 1
    stored = {}

    def refuses(self, space: Space, kind: str, old: State, new: State, tried: int) -> str:
        """Why the move from ``old`` to ``new``, the best of ``tried`` candidates, is not accepted; empty if it is."""
        return ""

    def sizes(self, space: Space) -> tuple[int, int]:
        """The smallest and the largest number of columns that may be chosen; a group counts once."""
        return space.smallest + len(space.fixed), len(space.units) + len(space.fixed)

    def choose(self, space: Space, sizes: tuple[int, int] | None = None) -> State:
        """The state to take of all that were seen, for searches that do not go step by step: the best mean."""
        best = space.best(*(sizes or self.sizes(space)))
        return space.full if best is None else best


@dataclass(frozen=True)
class AtSize(StopRule):
    """Exactly k columns (or a share of them), whatever the scores say; groups and fixed columns count once each.

    Examples
    --------
    >>> from assay.select.search.stop import AtSize
    >>> AtSize(3).size_of(10), AtSize(0.5).size_of(10)
    (3, 5)
    """

    k: int | float
    compares: ClassVar[bool] = False
    stored = {"k": Integer(low=0) | Scalar(low=0)}

    def size_of(self, total: int) -> int:
        """The number of columns of ``total``."""
        whole = isinstance(self.k, (int, np.integer)) and not isinstance(self.k, bool)
        if not (whole and self.k >= 0) and not (isinstance(self.k, float) and 0 < self.k <= 1):
            raise ParameterError(
                f"{type(self).__name__}: k must be a number of columns or a share up to 1.0, got {self.k!r}."
            )
        return int(self.k) if whole else max(1, int(total * self.k))

    def _checked(self, space: Space) -> int:
        total, low = len(space.units) + len(space.fixed), space.smallest + len(space.fixed)
        k = self.size_of(total)
        if not low <= k <= total:
            raise ParameterError(
                f"{type(self).__name__}({self.k}): the number of columns must be from {low} to {total}.",
                who=space.who,
            )
        return k

    def sizes(self, space: Space) -> tuple[int, int]:
        k = self._checked(space)
        return k, k


@dataclass(frozen=True)
class AtMost(AtSize):
    """At most k columns (or a share of them): the best subset seen with no more.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import AtMost, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search="forward", stop=AtMost(3), random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']
    """

    def sizes(self, space: Space) -> tuple[int, int]:
        return space.smallest + len(space.fixed), self._checked(space)


@dataclass(frozen=True)
class Improves(StopRule):
    """Go on while the mean score improves by more than ``tol``; a removal may cost up to ``tol``.

    With E the error, a column is added if E(new) < E(old) - tol and removed if E(new) < E(old) + tol; with
    ``accept_equal``, also if they are equal.

    Parameters
    ----------
    tol : float, default 0
    accept_equal : bool or None
        None accepts equality for removals, not for additions.

    Examples
    --------
    >>> from assay.select.search.stop import Improves
    >>> Improves(tol=0.01).is_enough("add", 0.90, 0.905), Improves(tol=0.01).is_enough("remove", 0.90, 0.895)
    (False, True)
    """

    tol: float = 0.0
    accept_equal: bool | None = None
    stored = {"tol": Scalar(), "accept_equal": Boolean() | None}

    def is_enough(self, kind: str, old: float, new: float) -> bool:
        """Whether a mean score is good enough after a move."""
        bar = old - self.tol if kind == "remove" else old + self.tol
        if not np.isfinite([bar, new]).all():
            return new > bar
        equal = kind == "remove" if self.accept_equal is None else self.accept_equal
        rounding = TIED * max(abs(bar), abs(new))
        return new >= bar - rounding if equal else new > bar + rounding

    def refuses(self, space: Space, kind: str, old: State, new: State, tried: int) -> str:
        before, after = space.mean(old), space.mean(new)
        if self.is_enough(kind, before, after):
            return ""
        sign, name = space.criterion.sign, space.criterion.measure
        change = "removal" if kind == "remove" else "addition"
        margin = f" by more than {self.tol:g}" if self.tol else ""
        worse = f"raises the {name}" if sign < 0 else f"lowers the {name}"
        better = f"improves the {name}"
        what = f"Every {change} {worse}" if kind == "remove" else f"No {change} {better}"
        return f"{what}{margin}: {sign * before:.4g}, then {sign * after:.4g}."


@dataclass(frozen=True)
class Significant(StopRule):
    r"""Go on while the improvement over the folds is significant; remove while the loss to the best is not.

    The differences of the fold scores are tested by the corrected resampled t test, which allows for the rows that
    folds share:

    .. math:: t = \bar\Delta \Big/ \sqrt{(1/J + n_{test}/n_{train})\, s^2_\Delta}

    one-sided, with J - 1 degrees of freedom. The best of m candidates is better by chance too; on the other hand the
    test is careful. On 200 to 400 rows with two useful columns among 10 to 30 and 10 folds, it added the second one in
    56 to 100 % of the samples and a useless third one in 4 %; with the level alpha / m (``correct``), in 4 to 44 % and
    in 0 %. Of a search that does not go step by step, the smallest subset is taken that is
    not significantly worse than the best one.

    Parameters
    ----------
    alpha : float, default 0.05
    correct : bool, default False
        Whether the level is divided by the number of candidates of the round (Bonferroni).

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Significant, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search="forward", stop=Significant(alpha=0.01), random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['petal width (cm)']

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
      doi:10.1023/A:1024068626366
    """

    alpha: float = 0.05
    correct: bool = False
    stored = {"alpha": Scalar(low=0, high=1), "correct": Boolean()}

    def p_better(self, space: Space, worse: State, better: State) -> float:
        """The probability of such a difference of the fold scores if there were none; 0 beyond an infinite one."""
        low, high = space.seen[worse], space.seen[better]
        if not np.isfinite(high).all():
            return 1.0
        if not np.isfinite(low).all():
            return 0.0
        if len(low) < 2:
            raise ParameterError(
                "a test of the improvement needs at least two folds, cv gives one. Ask for more folds, or stop by "
                "Improves().",
                who=space.who,
            )
        return paired_t(high - low, space.criterion.ratio, alternative="greater").p

    def refuses(self, space: Space, kind: str, old: State, new: State, tried: int) -> str:
        sign, name = space.criterion.sign, space.criterion.measure
        values = f"{name} {sign * space.mean(old):.4g}, then {sign * space.mean(new):.4g}"
        if kind == "remove":  # against the best so far: small losses add up
            p = self.p_better(space, new, space.best() or old)
            return "" if p > self.alpha else f"Every removal is a significant loss: {values}, p = {p:.2g}."
        p = self.p_better(space, old, new)
        if space.mean(new) > space.mean(old) and p <= (
            self.alpha / max(tried, 1) if self.correct else self.alpha
        ):
            return ""
        among = f" for the best of {tried}" if self.correct and tried > 1 else ""
        return f"No addition improves significantly{among}: {values}, p = {p:.2g}."

    def choose(self, space: Space, sizes: tuple[int, int] | None = None) -> State:
        low, high = sizes or self.sizes(space)
        best = super().choose(space, (low, high))
        states = sorted((s for s in space.seen if low <= space.size(s) <= high), key=lambda s: (len(s), s))
        for size in sorted({len(s) for s in states if len(s) < len(best)}):
            level = [s for s in states if len(s) == size]
            first = level[best_of(np.array([space.mean(s) for s in level]))]
            if self.p_better(space, first, best) > self.alpha:
                return first
        return best


@dataclass(frozen=True)
class Patience(StopRule):
    """Another rule with patience: the search goes on for some rounds without acceptance, then returns to the best.

    Patience finds more, useful and useless. Of ``Patience(3, Significant())``, the default of `SubsetSelector`, and of
    ``Significant()`` alone: on 200 to 400 rows with one strong and one weak useful column among 10 to 30 (linear
    discriminant, 10 folds, 40 samples of each), both useful columns were kept in 25 to 60 % of the samples against 10
    to 38 %, and a useless one in 18 to 40 % against 0 to 3 %.

    Parameters
    ----------
    rounds : int, default 5
    rule : StopRule, default Improves()

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Patience, Significant, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search="forward", stop=Patience(2, Significant()), random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['petal width (cm)']
    """

    rounds: int = 5
    rule: StopRule = Improves()
    stored = {"rounds": Integer(low=1), "rule": Object(StopRule)}

    @property
    def patience(self) -> int:  # type: ignore[override]
        return self.rounds

    @property
    def compares(self) -> bool:  # type: ignore[override]
        return self.rule.compares

    def refuses(self, space: Space, kind: str, old: State, new: State, tried: int) -> str:
        return self.rule.refuses(space, kind, old, new, tried)

    def sizes(self, space: Space) -> tuple[int, int]:
        return self.rule.sizes(space)

    def choose(self, space: Space, sizes: tuple[int, int] | None = None) -> State:
        return self.rule.choose(space, sizes)


@dataclass(frozen=True)
class _All(StopRule):
    """Several rules: a move must be accepted by each."""

    rules: tuple[StopRule, ...] = ()
    stored = {"rules": Each(Object(StopRule))}

    @property
    def patience(self) -> int:  # type: ignore[override]
        return max(rule.patience for rule in self.rules)

    @property
    def compares(self) -> bool:  # type: ignore[override]
        return any(rule.compares for rule in self.rules)

    def refuses(self, space: Space, kind: str, old: State, new: State, tried: int) -> str:
        return next(filter(None, (r.refuses(space, kind, old, new, tried) for r in self.rules)), "")

    def sizes(self, space: Space) -> tuple[int, int]:
        bounds = [rule.sizes(space) for rule in self.rules]
        low, high = max(b[0] for b in bounds), min(b[1] for b in bounds)
        if low > high:
            raise ParameterError(
                f"the stop rules leave no size: from {low} to {high} columns.", who=space.who
            )
        return low, high

    def choose(self, space: Space, sizes: tuple[int, int] | None = None) -> State:
        chooser = next((r for r in self.rules if type(r).choose is not StopRule.choose), self.rules[-1])
        return chooser.choose(space, sizes or self.sizes(space))


def as_stop(stop: Any, n_folds: int, who: str) -> StopRule:
    """A rule from what ``stop`` may be: a rule, a number or share of columns, "test", "improves", or several of them.

    "test", the default, tests the improvement over the folds and has patience for three rounds: columns that are not
    significant one by one may be so together. Where there is one fold only, the default is any improvement.

    >>> from assay.select.search.stop import as_stop
    >>> as_stop(3, 5, "SubsetSelector")
    AtSize(k=3)
    >>> as_stop(None, 5, "SubsetSelector")
    Patience(rounds=3, rule=Significant(alpha=0.05, correct=False))
    """
    tested = Patience(ROUNDS_TESTED, Significant())
    if stop is None:
        return tested if n_folds > 1 else Improves()
    if isinstance(stop, StopRule):
        return stop
    if isinstance(stop, (int, float, np.number)) and not isinstance(stop, bool):
        return AtSize(int(stop) if isinstance(stop, (int, np.integer)) else float(stop))
    if isinstance(stop, str) and stop in (named := {"test": tested, "improves": Improves()}):
        return named[stop]
    if isinstance(stop, Sequence) and not isinstance(stop, str) and stop:
        return _All(rules=tuple(as_stop(rule, n_folds, who) for rule in stop))
    raise ParameterError(
        'stop must be a number of columns, a rule such as Improves(tol=0.01) or Significant(), "test", "improves", '
        f"or a list of them; got {stop!r}.",
        who=who,
    )
