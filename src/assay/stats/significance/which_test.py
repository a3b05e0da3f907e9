"""Which test fits a design, why, what it assumes, and which tests not to use there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import ParameterError
from assay.sentence import Sentence
from assay.stats.checks import one_of
from assay.stats.significance.guide_to_tests import GUIDE, RESAMPLED, Entry

__all__ = ["Advice", "which_test"]

GOALS = ("difference", "equivalence", "best", "control")
SPLITS = (
    "holdout", "folds", "repeated", "5x2", "leave-one-out", "bootstrap", "time", "groups", "independent",
)  # fmt: skip


@dataclass(frozen=True)
class Advice(Sentence):
    """What `which_test` recommends; ``print`` it.

    Attributes
    ----------
    test, words : the function of assay.stats, and the test in words
    call : how it is called
    then, then_call, then_words : the function that goes on from it (pairs, adjustment); "" if none is needed
    effect : the function of the effect size
    why : why it fits the design
    assumes : what has to hold
    avoid : pairs of (test, why not)
    notes : what the numbers given (data sets, values, rows) mean for it
    """

    test: str
    words: str
    call: str
    then: str
    then_call: str
    then_words: str
    effect: str
    why: str
    assumes: tuple[str, ...]
    avoid: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        import assay.stats

        return getattr(assay.stats, self.test)

    def methods(self, alpha: float = 0.05) -> str:
        """A sentence for the methods section of a paper."""
        then = f", followed by {self.then_words}," if self.then else ""
        return f"Differences were tested by {self.words}{then} at a significance level of {alpha:g}."

    def __str__(self) -> str:
        lines = [f"{self.words}: {self.call}", f"  {self.why}"]
        if self.then:
            lines.append(f"  Then {self.then_words}: {self.then_call}")
        lines.append(f"  How large: {self.effect}")
        lines += [f"  Assumes: {a}" for a in self.assumes]
        lines += [f"  Not {name}: {reason}" for name, reason in self.avoid]
        return "\n".join([*lines, *(f"  Note: {n}" for n in self.notes)])


def which_test(
    learners: int = 2,
    datasets: int = 1,
    splits: Any = "10-fold",
    *,
    measure: str = "value",
    criteria: int = 1,
    paired: bool = True,
    n: int | None = None,
    goal: str = "difference",
) -> Advice:
    """The test for a design: how many learners, on how many data sets, measured on which splits, to what end.

    Parameters
    ----------
    learners : int, 1 for a claim about one
    datasets : int
    splits : str, such as "10-fold", "10x10", "5x2", "holdout", "10xholdout", "leave-one-out", "bootstrap", "5-time"
        As `compare` names its designs, or such a design itself; "independent" for values that share no rows (fresh
        samples, simulations, episodes from matched starts). With several data sets each counts by its mean,
        whatever the splits.
    measure : "rate" if each row is right or wrong (accuracy, error), "value" for any other number
    criteria : int, how many measures are compared at once
    paired : bool, whether the learners saw the same splits or data sets
    n : int, default None
        Test rows of a holdout, or values per learner otherwise: adds what that number means.
    goal : "difference" (is there any), "best" (an order, with groups), "control" (all against one) or
        "equivalence" (show that they are practically equal)

    Returns
    -------
    Advice

    Examples
    --------
    >>> from assay.stats import which_test
    >>> print(which_test(learners=2, splits="holdout", measure="rate"))
    McNemar's test: mcnemar(only_first_wrong, only_second_wrong)
      Both learners answered the same rows: only rows on which one is right and the other wrong can tell them apart.
      How large: discordant_odds
      Assumes: test rows that are independent of each other and of training
      Not two_proportions_test: it takes the two error rates as independent, though they come from the same rows
    >>> which_test(learners=5, datasets=14, goal="control").then
    'compare_ranks'

    See Also
    --------
    power_of, adjust

    References
    ----------
    - Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning
      algorithms. Neural Computation 10(7), 1895-1923. doi:10.1162/089976698300017197
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    one_of(goal, GOALS, "which_test", "goal")
    one_of(measure, ("rate", "value"), "which_test", "measure")
    for name, value in (("learners", learners), ("datasets", datasets), ("criteria", criteria)):
        check_count("which_test", name, value)
    check_count("which_test", "n", n, none=True)
    if not isinstance(paired, bool | np.bool_):
        raise ParameterError(f"which_test: paired must be True or False, got {paired!r}.")
    kind = kind_of_splits(splits)
    case = {
        "learners": "one" if learners == 1 else "two" if learners == 2 else "many",
        "datasets": "one" if datasets == 1 else "many",
        "splits": kind,
        "measure": measure,
        "criteria": "one" if criteria == 1 else "several",
        "paired": bool(paired),
        "goal": goal,
    }
    entry = entry_for(case)
    notes = _notes(entry, learners, datasets, criteria, kind, n, goal)
    return Advice(
        entry.test, entry.words, entry.call, entry.then, entry.then_call, entry.then_words, entry.effect,
        entry.why, entry.assumes, entry.avoid, notes,
    )  # fmt: skip


def entry_for(case: dict[str, Any]) -> Entry:
    """The first row of the guide whose conditions all hold.

    >>> from assay.stats.significance.which_test import entry_for
    >>> entry_for({"learners": "two", "datasets": "many", "splits": "folds", "measure": "value",
    ...            "criteria": "one", "paired": True, "goal": "difference"}).test
    'wilcoxon_signed_rank'
    """
    return next(e for e in GUIDE if all(case[key] in allowed for key, allowed in e.when.items()))


def kind_of_splits(splits: Any) -> str:
    """One of nine kinds, from the name of a design.

    >>> from assay.stats.significance.which_test import kind_of_splits
    >>> [kind_of_splits(s) for s in ("10-fold", "10x10", "5x2", "holdout(0.3)", "30xholdout", "bootstrap(200)")]
    ['folds', 'repeated', '5x2', 'holdout', 'repeated', 'bootstrap']
    """
    text = re.sub(r"\s+", "", str(getattr(splits, "name", splits)).lower()).replace("×", "x")
    if text in SPLITS:
        return text
    patterns = (
        (r"5x2(-?folds?)?", "5x2"),
        (r"1x\d+(-?folds?)?|\d+-?folds?|k-?folds?", "folds"),
        (r"\d+x\d+(-?folds?)?|\d+xholdout.*|repeated.*", "repeated"),
        (r"holdout.*", "holdout"),
        (r"loo|leave-one-out.*", "leave-one-out"),
        (r"logo|leave-one-group-out.*", "groups"),
        (r".*bootstrap.*", "bootstrap"),
        (r"\d*-?time.*", "time"),
        (r"independent.*|runs|seeds", "independent"),
    )
    for pattern, kind in patterns:
        if re.fullmatch(pattern, text):
            return kind
    raise ParameterError(
        "which_test: splits must be named like 10-fold, 10x10, 5x2, holdout, leave-one-out, bootstrap, 5-time or "
        f"independent, got {splits!r}."
    )


def _notes(
    entry: Entry, learners: int, datasets: int, criteria: int, kind: str, n: int | None, goal: str
) -> tuple[str, ...]:
    notes = []
    values = datasets if datasets > 1 else n
    if datasets > 1:
        notes.append("Take one value per learner and data set: the mean over its splits.")
    if entry.test == "wilcoxon_signed_rank" and datasets < 6:
        notes.append(
            f"With {datasets} data sets the smallest possible p is {2 / 2**datasets:.3g}: "
            "no difference can be significant at 0.05. Six are the least."
        )
    if entry.test == "friedman" and datasets < 10:
        notes.append("Below ten data sets only large differences of ranks are found; quade may see more.")
    if entry.test == "friedman" and learners > 10 and goal != "control":
        pairs = learners * (learners - 1) // 2
        notes.append(f"{pairs} pairs cost power: compare with a control if that answers the question.")
    if goal == "equivalence" and learners == 1:
        notes.append("Of one learner, the values less what is claimed of it take the place of differences.")
    if goal == "equivalence" and criteria > 1:
        notes.append(
            f"Show it for each of the {criteria} criteria, at the level of one: equal means equal in all."
        )
    if entry.test in ("hotelling", "manova") and datasets == 1 and kind in RESAMPLED:
        notes.append("It takes splits as independent; training rows that they share make it find too much.")
    if entry.test in ("hotelling", "manova") and values is not None and values <= criteria + 1:
        notes.append(
            f"{values} values are too few for {criteria} criteria; more than {criteria + 1} are needed."
        )
    if kind == "5x2" and datasets == 1 and entry.test == "five_by_two_f" and n not in (None, 10):
        notes.append(f"The test needs the ten values of 5x2 cross-validation, {n} were named.")
    if entry.test == "mcnemar" and n is not None and n < 100:
        notes.append("With so few rows take the exact or the mid-p form, and plan with power_of.")
    if entry.test == "binomial_test" and n is not None and n >= 1000:
        notes.append("With so many rows proportion_test gives the same answer.")
    if entry.test == "paired_t" and n is not None and n < 5:
        notes.append("Fewer than five values estimate a variance badly: repeat the splits.")
    if goal == "best" and learners > 2:
        notes.append("Show the order with groups: letters, or the bars of a critical-difference diagram.")
    return tuple(notes)
