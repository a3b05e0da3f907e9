"""Result of pairwise comparisons: which pairs differ, the ranking, and the homogeneous groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.sentence import Sentence
from assay.stats.significance.letters import letters, runs_alike
from assay.stats.significance.test_result import TestResult, shown_p

__all__ = ["PostHoc"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PostHoc(Sentence):
    """All pairs of L learners, or all against one control.

    Parameters
    ----------
    method : str
        Which comparison it is, in words.
    test : TestResult
        The test of all at once that it follows; its alpha decides here, too.
    names : L names
    centre : (L,)
        What is compared: means, or average ranks.
    statistic : (L, L)
        Positive where the row's centre is above the column's.
    p, adjusted : (L, L)
        The p-value of each pair by itself, and the one that holds for all pairs together; NaN for a pair
        that is not compared, 1 on the diagonal.
    margin : (L, L)
        The smallest difference of centres that is significant: a simultaneous interval is difference +- margin.
        NaN for methods that decide in steps and have no such number.
    better : "higher" or "lower"
        Which centres come first.
    control : number of the learner that all others are compared with, or None
    why : str

    Examples
    --------
    >>> from assay.stats import anova, post_hoc
    >>> result = post_hoc(anova({"A": [5.0, 6, 7], "B": [5, 7, 6], "C": [1, 2, 3]}), method="tukey")
    >>> result.letters, result.groups
    (('a', 'a', 'b'), [(0, 1)])
    >>> print(result.underlined())
    A  B  C
    ----
    """

    method: str
    test: TestResult
    names: tuple[str, ...]
    centre: Floats
    statistic: Floats
    p: Floats
    adjusted: Floats
    margin: Floats
    better: str = "higher"
    control: int | None = None
    why: str = ""

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.test.alpha

    @property
    def difference(self) -> Floats:
        """(L, L) centre of the row minus centre of the column."""
        return np.subtract.outer(self.centre, self.centre)

    @property
    def differ(self) -> NDArray[np.bool_]:
        """(L, L) whether a pair differs significantly; False where it is not compared."""
        return np.nan_to_num(self.adjusted, nan=1.0) <= self.alpha

    @property
    def order(self) -> NDArray[np.intp]:
        """The learners, best first; equal ones in the order they were given."""
        key = self.centre if self.better == "lower" else -self.centre
        return np.argsort(key, kind="stable")

    @property
    def critical(self) -> float:
        """The one difference from which on a pair is significant (LSD, HSD, CD); NaN if pairs have their own."""
        known = self.margin[~np.isnan(self.margin)]
        constant = len(known) > 0 and np.ptp(known) <= 1e-12 * abs(known[0])
        return float(known[0]) if constant else float("nan")

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Numbers of learners, best first, that stand together: the bars of a critical-difference diagram.

        Each is a longest run along the order in which no two differ; runs of one are left out. With a control
        there is one group at most: the control and those that do not differ from it.
        """
        order = self.order
        if self.control is not None:
            alike = tuple(int(j) for j in order if j == self.control or not self.differ[self.control, j])
            return [alike] if len(alike) > 1 else []
        return [
            tuple(int(j) for j in order[a : b + 1]) for a, b in runs_alike(self.differ[np.ix_(order, order)])
        ]

    @property
    def letters(self) -> tuple[str, ...]:
        """Compact letters: two learners share one exactly if they do not differ.

        With a control: "a" for the control and those that do not differ from it, "" for the others.
        """
        if self.control is not None:
            same = ~self.differ[self.control]
            return tuple("a" if same[j] else "" for j in range(len(self.names)))
        order = self.order
        marks = letters(self.differ[np.ix_(order, order)])
        out = [""] * len(self.names)
        for place, j in enumerate(order):
            out[j] = marks[place]
        return tuple(out)

    def pairs(self) -> list[dict[str, Any]]:
        """One record per compared pair, in the order of the learners' ranking."""
        order = [int(j) for j in self.order]
        if self.control is not None:
            chosen = [(self.control, j) for j in order if j != self.control]
        else:
            chosen = [(i, j) for a, i in enumerate(order) for j in order[a + 1 :]]
        d = self.difference
        return [
            {
                "first": self.names[i],
                "second": self.names[j],
                "difference": float(d[i, j]),
                "low": float(d[i, j] - self.margin[i, j]),
                "high": float(d[i, j] + self.margin[i, j]),
                "statistic": float(self.statistic[i, j]),
                "p": float(self.p[i, j]),
                "adjusted": float(self.adjusted[i, j]),
                "differ": bool(self.differ[i, j]),
            }
            for i, j in chosen
        ]

    def to_pandas(self) -> Any:
        """The records of `pairs` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.pairs())

    def underlined(self) -> str:
        """The names, best first, with one line under each group that does not differ."""
        names = [self.names[j] for j in self.order]
        starts = np.concatenate([[0], np.cumsum([len(n) + 2 for n in names])])
        lines = ["  ".join(names)]
        place = {int(j): k for k, j in enumerate(self.order)}
        for group in self.groups:
            a, b = place[group[0]], place[group[-1]]
            lines.append(" " * starts[a] + "-" * (starts[b] + len(names[b]) - starts[a]))
        return "\n".join(lines)

    def __str__(self) -> str:
        width = max(len(n) for n in self.names)
        against = "" if self.control is None else f" against {self.names[self.control]}"
        lines = [f"{self.method}{against}, at {self.alpha:g}:"]
        if not np.isnan(self.critical):
            lines[0] = lines[0][:-1] + f"; a difference above {self.critical:.4g} is significant:"
        for j in self.order:
            tail = self.letters[j]
            if self.control is not None:
                tail = "control" if j == self.control else shown_p(self.adjusted[self.control, j])
            lines.append(f"  {self.names[j]:<{width}}  {self.centre[j]:>10.4f}  {tail}".rstrip())
        return "\n".join(lines + [self.why] * bool(self.why))
