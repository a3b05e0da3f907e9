"""Resampling designs: which rows teach and which rows test, the same for every learner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.core.stored import Boolean, Integer, Plain
from assay.errors import DataError, ParameterError
from assay.evaluate.deal import bootstrap_rows, deal, deal_groups, draw, draw_groups, time_blocks
from assay.evaluate.given_splits import GivenSplits, is_given
from assay.sentence import Sentence

__all__ = ["Resampling", "Split"]

FEWEST_FOLDS = 5  # rare classes reduce the number of folds, but not below this: four fifths still teach
_EXAMPLES = (
    '"10-fold", "10x10" (repetitions x folds), "5x2", "holdout", "20xholdout", "leave-one-out", '
    '"leave-one-group-out", "5-time", "bootstrap(200)", a scikit-learn splitter or a list of (train, test) rows'
)


class Split(NamedTuple):
    """One fold: the numbers of the training rows and of the test rows."""

    repetition: int
    fold: int
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Resampling(Sentence):
    """How rows are divided, again and again, into training and test rows.

    Cross-validation deals the rows of each class, shuffled, like cards: row number i of the pile goes to
    fold i mod K. So folds differ by at most one row, and by at most one row of any class. The pile depends
    on the seed and the repetition alone: every learner sees the same splits.

    Parameters
    ----------
    kind : "folds", "holdout", "leave-one-out", "leave-one-group-out", "time", "bootstrap" or "given"
        In "time" a block of rows is tested by what was known before it; in "bootstrap" as many rows as there are
        are drawn with replacement to teach, and those not drawn, 36.8 % on average, test.
    folds : int
        K: each row is tested once per repetition, by a learner that has seen the other K - 1 parts. Of "time":
        the number of tested blocks.
    repetitions : int
    test_share : float
        For holdout: the share of rows that test.
    gap, window : int
        For time: rows before a tested block that do not teach, and the most rows that do (0 for all).
    given_splits : GivenSplits
        For given: a splitter's or a list's pairs.
    stratified : bool
        Whether the rows of each class are divided in proportion; of numbers, rows are divided at random.

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
    >>> [(s.train.tolist(), s.test.tolist()) for s in Resampling.of("2-time").splits(np.zeros(6, int))]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """

    kind: str = "folds"
    folds: int = 10
    repetitions: int = 1
    test_share: float = 1 / 3
    gap: int = 0
    window: int = 0
    given_splits: GivenSplits | None = None
    stratified: bool = True
    renamed = {"given": "given_splits"}  # in model files of earlier versions
    stored = {
        "folds": Integer(),
        "repetitions": Integer(),
        "gap": Integer(),
        "window": Integer(),
        "stratified": Boolean(),
        "given_splits": Plain(type(None)),
    }

    @classmethod
    def of(cls, design: Any) -> Resampling:
        """A design from its short name, the number of folds, a splitter, a list of pairs, or itself."""
        if isinstance(design, Resampling):
            return design
        if isinstance(design, (int, np.integer)) and not isinstance(design, bool):
            return cls._checked(folds=int(design))
        if is_given(design):
            return cls(kind="given", folds=0, given_splits=GivenSplits(design))
        text = re.sub(r"\s+", "", str(design).lower())
        if m := re.fullmatch(r"(\d+)-?folds?", text):
            return cls._checked(folds=int(m[1]))
        if m := re.fullmatch(r"(\d+)[x×](\d+)(-?folds?)?", text):
            return cls._checked(repetitions=int(m[1]), folds=int(m[2]))
        if m := re.fullmatch(r"(?:(\d+)[x×])?holdout(?:\(?(0?\.\d+)\)?)?", text):
            share = float(m[2]) if m[2] else 1 / 3
            return cls._checked(kind="holdout", folds=1, repetitions=int(m[1] or 1), test_share=share)
        if m := re.fullmatch(r"(?:(\d+)-?bootstraps?|bootstrap(?:\((\d+)\))?)", text):
            return cls._checked(kind="bootstrap", folds=1, repetitions=int(m[1] or m[2] or 200))
        if m := re.fullmatch(r"(?:(\d+)-?times?)(?:\((.*)\))?", text):
            return cls._timed(m[1], m[2] or "", design)
        if m := re.fullmatch(r"time(?:\((\d+),?(.*)\))?", text):
            return cls._timed(m[1] or "5", m[2] or "", design)
        if text in ("leave-one-out", "loo"):
            return cls(kind="leave-one-out", folds=0)
        if text in ("leave-one-group-out", "logo"):
            return cls(kind="leave-one-group-out", folds=0)
        raise ParameterError(f"design must be a name such as {_EXAMPLES}; got {design!r}.", who="compare")

    @classmethod
    def _timed(cls, folds: str, options: str, design: Any) -> Resampling:
        options_read = {}
        for option in filter(None, options.split(",")):
            m = re.fullmatch(r"(gap|window)=(\d+)", option)
            if not m:
                raise ParameterError(
                    f"a design by time has a gap and a window of rows, as in "
                    f'"5-time(gap=10,window=500)"; got {design!r}.',
                    who="compare",
                )
            options_read[m[1]] = int(m[2])
        if options_read.get("window") == 0:
            raise ParameterError(
                "a window of 0 rows teaches nothing; leave it out for all rows.", who="compare"
            )
        return cls._checked(kind="time", folds=int(folds), **options_read)

    @classmethod
    def _checked(cls, **values: Any) -> Resampling:
        design = cls(**values)
        if design.kind == "folds" and design.folds < 2:
            raise ParameterError(f"design needs at least 2 folds, got {design.folds}.", who="compare")
        if design.kind == "time" and design.folds < 1:
            raise ParameterError(f"design needs at least 1 block of time, got {design.folds}.", who="compare")
        if design.repetitions < 1:
            raise ParameterError(
                f"design needs at least 1 repetition, got {design.repetitions}.", who="compare"
            )
        if not 0 < design.test_share < 1:
            raise ParameterError(
                f"the share of test rows must be between 0 and 1, got {design.test_share:g}.", who="compare"
            )
        return design

    @property
    def name(self) -> str:
        """The short name, which ``of`` reads back; of given splits, what they are called."""
        if self.kind in ("leave-one-out", "leave-one-group-out"):
            return self.kind
        if self.kind == "given":
            return str(self.given_splits)
        if self.kind == "bootstrap":
            return f"bootstrap({self.repetitions})"
        if self.kind == "time":
            options = [f"{k}={v}" for k, v in (("gap", self.gap), ("window", self.window)) if v]
            return f"{self.folds}-time" + (f"({','.join(options)})" if options else "")
        if self.kind == "holdout":
            share = "" if self.test_share == 1 / 3 else f"({self.test_share:g})"
            return ("" if self.repetitions == 1 else f"{self.repetitions}x") + f"holdout{share}"
        return f"{self.folds}-fold" if self.repetitions == 1 else f"{self.repetitions}x{self.folds}"

    def __str__(self) -> str:
        if self.kind == "leave-one-out":
            return "leave-one-out cross-validation"
        if self.kind == "leave-one-group-out":
            return "cross-validation that leaves one group out at a time"
        if self.kind == "given":
            return str(self.given_splits)
        if self.kind == "bootstrap":
            samples = (
                "1 bootstrap sample" if self.repetitions == 1 else f"{self.repetitions} bootstrap samples"
            )
            return f"{samples}, tested on the rows not drawn"
        if self.kind == "time":
            gap = f", after a gap of {self.gap} rows" if self.gap else ""
            before = f"the last {self.window} rows" if self.window else "all rows"
            blocks = "1 block" if self.folds == 1 else f"{self.folds} blocks"
            return f"{blocks} in order of time, each tested by {before} before it{gap}"
        times = "" if self.repetitions == 1 else f"{self.repetitions} repetitions of "
        how = "stratified " if self.stratified else ""
        if self.kind == "holdout":
            return f"{times}{how}holdout, {self.test_share:.0%} of the rows test"
        return f"{times}{how}{self.folds}-fold cross-validation"

    @property
    def five_by_two(self) -> bool:
        """Whether it is 5x2: five halvings, each used both ways, for which there are tests of their own."""
        return self.kind == "folds" and (self.repetitions, self.folds) == (5, 2)

    def fitted_to(
        self,
        y: np.ndarray,
        labels: Any,
        groups: np.ndarray | None = None,
        times: np.ndarray | None = None,
    ) -> tuple[Resampling, list[str]]:
        """The design that these classes or numbers allow, and a sentence for every change.

        Too few rows in a class lower the number of folds to that class's rows, though not below five.

        Parameters
        ----------
        y : (n,) class codes 0..K-1
        labels : (K,) what the classes are called; none for numbers
        groups : (n,) groups to keep together
        times : (n,) when each row was
        """
        n, counts = len(y), np.bincount(y, minlength=len(labels))
        if n < 4:
            raise DataError(f"{n} rows are too few to teach and to test. Bring at least 4.", who="compare")
        self._refuse_order(groups, times)
        units = n if groups is None else len(np.unique(groups))
        if units < 2:
            raise DataError("all rows are of one group, so no split can keep it whole.", who="compare")
        if self.kind == "time":
            return self._on_time(y, labels, times)
        if not len(labels):
            return self._of_numbers(units, groups is not None)
        notes = []
        rarest = int(np.argmin(counts))
        rare = f"class {labels[rarest]} has {counts[rarest]} row{'' if counts[rarest] == 1 else 's'}"
        design = self
        if self.kind == "folds":
            folds = min(self.folds, units, max(int(counts[rarest]), min(self.folds, FEWEST_FOLDS)))
            if folds < self.folds:
                design = replace(self, folds=folds)
                why = f"{units} groups" if groups is not None and folds == units else rare
                notes.append(f"{self.folds} folds were asked for, but {why}: {folds} folds are used.")
            if counts[rarest] < folds:
                notes.append(f"In some folds no row tests one of the classes: {rare} for {folds} folds.")
        if counts[rarest] == 1 and self.kind != "given":
            notes.append(f"The {rare}: whenever it is tested, no learner has seen its class.")
        return design, notes

    def _of_numbers(self, units: int, grouped: bool) -> tuple[Resampling, list[str]]:
        design = replace(self, stratified=False)
        if self.kind != "folds" or self.folds <= units:
            return design, []
        what = "groups" if grouped else "rows"
        note = f"{self.folds} folds were asked for, but there are {units} {what}: {units} folds are used."
        return replace(design, folds=units), [note]

    def _refuse_order(self, groups: np.ndarray | None, times: np.ndarray | None) -> None:
        if times is not None and self.kind != "time":
            raise ParameterError(
                f'times puts rows in order for a design by time, such as "5-time"; the design is {self.name}.',
                who="compare",
            )
        if groups is not None and self.kind == "time":
            raise ParameterError(
                "a design by time cannot also keep groups together. Give times or groups, not both.",
                who="compare",
            )
        if groups is None and self.kind == "leave-one-group-out":
            raise ParameterError("leave-one-group-out needs groups=, the group of each row.", who="compare")

    def _on_time(self, y: np.ndarray, labels: Any, times: np.ndarray | None) -> tuple[Resampling, list[str]]:
        """Checks the blocks of time; a note names a class that some learners never saw."""
        pairs = list(time_blocks(times, len(y), self.folds, self.gap, self.window or None))
        for train, test in pairs:
            if not len(test) or not len(train):
                side = "test" if not len(test) else "teach"
                raise DataError(
                    f"{self.name} leaves a block without rows to {side}: {len(y)} rows"
                    + ("" if times is None else f" at {len(np.unique(times))} moments")
                    + ". Ask for fewer blocks or a smaller gap.",
                    who="compare",
                )
            if len(labels) and len(np.unique(y[train])) < 2:
                raise DataError(
                    f"{self.name}: the {len(train)} rows before a tested block are all of the class "
                    f"{labels[y[train][0]]}. Ask for fewer blocks"
                    + (", or give the times of the rows: times=." if times is None else "."),
                    who="compare",
                )
        strange = sum(bool(np.setdiff1d(y[test], y[train]).size) for train, test in pairs)
        notes = (
            [f"On {strange} of {len(pairs)} splits a class was tested that the earlier rows lack."]
            if strange
            else []
        )
        return self, notes

    def count(self, n: int, groups: np.ndarray | None = None) -> int:
        """How many splits there are for n rows."""
        if self.kind in ("leave-one-out", "leave-one-group-out"):
            return n if groups is None else len(np.unique(groups))
        if self.kind == "given":
            return len(self.given_splits.pairs or []) if self.given_splits else 0
        return self.repetitions * self.folds

    def splits(
        self,
        y: np.ndarray,
        seed: int = 0,
        groups: np.ndarray | None = None,
        times: np.ndarray | None = None,
    ) -> Iterator[Split]:
        """Every split, in order of repetition and fold.

        Parameters
        ----------
        y : (n,) class codes 0..K-1; each class is divided in proportion
        seed : whole number; each repetition shuffles by (seed, repetition)
        groups : (n,) rows of one group stay together, on one side of every split
        times : (n,) when each row was, for a design by time; None if the rows are in order
        """
        self._refuse_order(groups, times)
        if self.kind in ("leave-one-out", "leave-one-group-out"):
            rows = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
            yield from _by_fold(0, rows, int(rows.max()) + 1)
        elif self.kind == "time":
            pairs = time_blocks(times, len(y), self.folds, self.gap, self.window or None)
            yield from (Split(0, fold, train, test) for fold, (train, test) in enumerate(pairs))
        elif self.kind == "given":
            yield from _numbered(self.given_splits.dealt(y, y, groups, len(y)))  # type: ignore[union-attr]
        else:
            for repetition in range(self.repetitions):
                yield from self._repeated(repetition, y, np.random.default_rng([seed, repetition]), groups)

    def _repeated(
        self, repetition: int, y: np.ndarray, rng: np.random.Generator, groups: np.ndarray | None
    ) -> Iterator[Split]:
        if self.kind == "folds":
            fold_of_row = (
                deal(y, self.folds, rng) if groups is None else deal_groups(y, groups, self.folds, rng)
            )
            yield from _by_fold(repetition, fold_of_row, self.folds)
            return
        if self.kind == "bootstrap":
            train = bootstrap_rows(y, rng, groups)
            yield Split(repetition, 0, train, np.setdiff1d(np.arange(len(y)), train))
            return
        test = (
            draw(y, self.test_share, rng) if groups is None else draw_groups(y, groups, self.test_share, rng)
        )
        yield Split(repetition, 0, np.flatnonzero(~test), np.flatnonzero(test))


def _by_fold(repetition: int, fold_of_row: np.ndarray, folds: int) -> Iterator[Split]:
    for fold in range(folds):
        test = fold_of_row == fold
        yield Split(repetition, fold, np.flatnonzero(~test), np.flatnonzero(test))


def _numbered(splits: GivenSplits) -> Iterator[Split]:
    fold, last = 0, 0
    for repetition, (train, test) in zip(splits.repetitions(), splits.pairs or [], strict=True):
        fold = fold + 1 if repetition == last else 1
        last = repetition
        yield Split(repetition, fold - 1, train, test)
