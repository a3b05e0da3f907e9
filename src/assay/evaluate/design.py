"""Resampling designs: which rows teach and which rows test, the same for every learner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["Resampling", "Split"]

FEWEST_FOLDS = 5  # rare classes reduce the number of folds, but not below this: four fifths still teach
_EXAMPLES = '"10-fold", "10x10" (repetitions x folds), "5x2", "holdout", "20xholdout", "leave-one-out"'


class Split(NamedTuple):
    """One fold: the numbers of the rows that teach and of those that test."""

    repetition: int
    fold: int
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Resampling:
    """How rows are divided, again and again, into rows that teach and rows that test.

    Cross-validation deals the rows of each class, shuffled, like cards: row number i of the pile goes to
    fold i mod K. So folds differ by at most one row, and by at most one row of any class. The pile depends
    on the seed and the repetition alone: every learner sees the same splits.

    Parameters
    ----------
    kind : "folds", "holdout" or "leave-one-out"
    folds : int
        K: each row is tested once per repetition, by a learner that has seen the other K - 1 parts.
    repetitions : int
    test_share : float
        For holdout: the share of rows that test.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate import Resampling
    >>> design = Resampling.of("5x2")
    >>> print(design)
    5 repetitions of stratified 2-fold cross-validation
    >>> splits = list(design.splits(np.array([0, 0, 0, 0, 1, 1]), seed=0))
    >>> len(splits), splits[0].train.size, splits[0].test.size
    (10, 3, 3)
    """

    kind: str = "folds"
    folds: int = 10
    repetitions: int = 1
    test_share: float = 1 / 3

    @classmethod
    def of(cls, design: Any) -> Resampling:
        """A design from its short name, the number of folds, or itself."""
        if isinstance(design, Resampling):
            return design
        if isinstance(design, (int, np.integer)) and not isinstance(design, bool):
            return cls._checked(folds=int(design))
        text = re.sub(r"\s+", "", str(design).lower())
        if m := re.fullmatch(r"(\d+)-?folds?", text):
            return cls._checked(folds=int(m[1]))
        if m := re.fullmatch(r"(\d+)[x×](\d+)(-?folds?)?", text):
            return cls._checked(repetitions=int(m[1]), folds=int(m[2]))
        if m := re.fullmatch(r"(?:(\d+)[x×])?holdout(?:\(?(0?\.\d+)\)?)?", text):
            share = float(m[2]) if m[2] else 1 / 3
            return cls._checked(kind="holdout", folds=1, repetitions=int(m[1] or 1), test_share=share)
        if text in ("leave-one-out", "loo"):
            return cls(kind="leave-one-out", folds=0)
        raise ParameterError(f"compare: design must be a name such as {_EXAMPLES}, got {design!r}.")

    @classmethod
    def _checked(cls, **values: Any) -> Resampling:
        design = cls(**values)
        if design.kind == "folds" and design.folds < 2:
            raise ParameterError(f"compare: design needs at least 2 folds, got {design.folds}.")
        if design.repetitions < 1:
            raise ParameterError(f"compare: design needs at least 1 repetition, got {design.repetitions}.")
        if not 0 < design.test_share < 1:
            raise ParameterError(
                f"compare: the share of test rows must be between 0 and 1, got {design.test_share:g}."
            )
        return design

    @property
    def name(self) -> str:
        """The short name, which ``of`` reads back."""
        if self.kind == "leave-one-out":
            return "leave-one-out"
        if self.kind == "holdout":
            share = "" if self.test_share == 1 / 3 else f"({self.test_share:g})"
            return ("" if self.repetitions == 1 else f"{self.repetitions}x") + f"holdout{share}"
        return f"{self.folds}-fold" if self.repetitions == 1 else f"{self.repetitions}x{self.folds}"

    def __str__(self) -> str:
        if self.kind == "leave-one-out":
            return "leave-one-out cross-validation"
        times = "" if self.repetitions == 1 else f"{self.repetitions} repetitions of "
        if self.kind == "holdout":
            return f"{times}stratified holdout, {self.test_share:.0%} of the rows test"
        return f"{times}stratified {self.folds}-fold cross-validation"

    def fitted_to(
        self, y: np.ndarray, labels: Any, groups: np.ndarray | None = None
    ) -> tuple[Resampling, list[str]]:
        """The design that these classes allow, and a sentence for every change.

        Too few rows in a class lower the number of folds to that class's rows, though not below five.

        Parameters
        ----------
        y : (n,) class codes 0..K-1
        labels : (K,) what the classes are called
        """
        n, counts = len(y), np.bincount(y, minlength=len(labels))
        if n < 4:
            raise DataError(f"compare: {n} rows are too few to teach and to test. Bring at least 4.")
        notes = []
        rarest = int(np.argmin(counts))
        rare = f"class {labels[rarest]} has {counts[rarest]} row{'' if counts[rarest] == 1 else 's'}"
        design = self
        if self.kind == "folds":
            units = n if groups is None else len(np.unique(groups))
            if units < 2:
                raise DataError("compare: all rows are of one group, so no split can keep it whole.")
            folds = min(self.folds, units, max(int(counts[rarest]), min(self.folds, FEWEST_FOLDS)))
            if folds < self.folds:
                design = replace(self, folds=folds)
                why = f"{units} groups" if groups is not None and folds == units else rare
                notes.append(f"{self.folds} folds were asked for, but {why}: {folds} folds are used.")
            if counts[rarest] < folds:
                notes.append(f"In some folds no row tests one of the classes: {rare} for {folds} folds.")
        if counts[rarest] == 1:
            notes.append(f"The {rare}: whenever it is tested, no learner has seen its class.")
        return design, notes

    def splits(self, y: np.ndarray, seed: int = 0, groups: np.ndarray | None = None) -> Iterator[Split]:
        """Every split, in order of repetition and fold.

        Parameters
        ----------
        y : (n,) class codes 0..K-1; each class is divided in proportion
        seed : whole number; each repetition shuffles by (seed, repetition)
        groups : (n,) rows of one group stay together, on one side of every split
        """
        if self.kind == "leave-one-out":
            rows = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
            yield from _by_fold(0, rows, int(rows.max()) + 1)
            return
        for repetition in range(self.repetitions):
            rng = np.random.default_rng([seed, repetition])
            if self.kind == "folds":
                deal = (
                    _deal(y, self.folds, rng) if groups is None else _deal_groups(y, groups, self.folds, rng)
                )
                yield from _by_fold(repetition, deal, self.folds)
                continue
            test = (
                _draw(y, self.test_share, rng)
                if groups is None
                else _draw_groups(y, groups, self.test_share, rng)
            )
            yield Split(repetition, 0, np.flatnonzero(~test), np.flatnonzero(test))


def _by_fold(repetition: int, fold_of_row: np.ndarray, folds: int) -> Iterator[Split]:
    for fold in range(folds):
        test = fold_of_row == fold
        yield Split(repetition, fold, np.flatnonzero(~test), np.flatnonzero(test))


def _deal(y: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) the fold of each row: the shuffled rows, class by class, dealt like cards."""
    shuffled = rng.permutation(len(y))
    pile = shuffled[np.argsort(y[shuffled], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[pile] = np.arange(len(y)) % folds
    return fold


def _deal_groups(y: np.ndarray, groups: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) the fold of each row: groups whole, large ones first, each where classes stay most even."""
    _, group = np.unique(groups, return_inverse=True)
    counts = np.zeros((group.max() + 1, y.max() + 1))
    np.add.at(counts, (group, y), 1)
    order = rng.permutation(len(counts))
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    share = counts / counts.sum(axis=0)  # of each class, what a group holds
    filled = np.zeros((folds, counts.shape[1]))
    where = np.empty(len(counts), dtype=np.int64)
    for g in order:
        # the sum of squares grows least in the fold that has least of what this group brings
        where[g] = int(np.argmin(((filled + share[g]) ** 2 - filled**2).sum(axis=1)))
        filled[where[g]] += share[g]
    return where[group]


def _draw(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) bool: the test rows, drawn from each class in proportion, at least one row on each side."""
    n = len(y)
    wanted = min(max(round(share * n), 1), n - 1)
    shuffled = rng.permutation(n)
    pile = shuffled[np.argsort(y[shuffled], kind="stable")]
    at = np.floor((np.arange(wanted) + 0.5) * n / wanted).astype(np.int64)  # evenly spaced in the pile
    test = np.zeros(n, dtype=bool)
    test[pile[at]] = True
    return test


def _draw_groups(y: np.ndarray, groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) bool: the test rows, as one of so many folds of whole groups as the share asks for."""
    smaller = min(share, 1 - share)
    one = _deal_groups(y, groups, max(2, round(1 / smaller)), rng) == 0
    return one if share <= 0.5 else ~one
