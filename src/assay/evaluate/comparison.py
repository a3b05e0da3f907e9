"""The result of a comparison: records, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.candidates import known_as
from assay.evaluate.describe import Description
from assay.evaluate.design import Resampling, Split
from assay.evaluate.fold import Cell, Data
from assay.evaluate.learned import family_of, with_baseline
from assay.evaluate.metrics import one_of
from assay.evaluate.one_split import interval_of_rows, value_of_rows
from assay.evaluate.out_of_fold import OutOfFold, pooled
from assay.evaluate.pairs import (
    any_difference,
    effect_of,
    pair_tests,
    practical,
    safe_unit,
    test_rows_per_training_row,
    tested_alone,
)
from assay.evaluate.prepared import Candidate
from assay.evaluate.records import as_frame, as_plain, tidy
from assay.evaluate.verdict import Standing, Verdict, turned
from assay.evaluate.weights import effective_rows
from assay.metrics.measure import Measure
from assay.sentence import in_notebook
from assay.stats.bayesian.rope_posterior import RopePosterior
from assay.stats.effects.effect_size import EffectSize
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.stats.significance.letters import letters
from assay.stats.significance.multiple_tests import holm
from assay.stats.significance.ranks import mid_ranks
from assay.stats.significance.test_result import TestResult
from assay.tables import RowNames

if TYPE_CHECKING:
    from assay.evaluate.importance import PermutationImportance
    from assay.metrics.class_report import ClassReport

__all__ = ["Comparison"]

_ITSELF = TestResult("no test: the best one itself", np.nan, np.nan, estimate=0.0, low=0.0, high=0.0)


@dataclass
class Comparison:
    """Learners on the same splits of the same rows, ranked, with evidence.

    ``print`` it for a table, a notebook shows it as HTML, ``report`` writes a page, ``test`` compares two.

    Attributes
    ----------
    learners : names, in the order given
    metrics : list of Measure; the first one ranks
    design : Resampling
    records : list of dicts, one per learner, split and metric
    notes : sentences about what was done and what was odd
    data : Description of the rows
    classes : list of labels; empty for a regression
    task : "classification" or "regression"
    partial : why not all splits were run, such as "Interrupted after 12 of 30 splits"; "" for a whole comparison

    Examples
    --------
    >>> from assay import compare
    >>> from assay.tables.data import load_iris
    >>> result = compare(["majority", "lda"], load_iris(), design="5x10")
    >>> [(s.learner, round(s.mean, 3), s.letters) for s in result.ranking()]
    [('lda', 0.02, 'a'), ('majority', 0.667, 'b')]
    >>> print(result.test("majority", "lda"))
    majority has a higher error than lda by 0.6467 (difference +0.6467, 95% interval +0.6185 to +0.6748);
    corrected resampled t test on 50 splits: p < 0.001: significant at 0.05.
    >>> result.confusion("majority").sum()  # 150 rows, five times
    np.int64(750)
    """

    learners: list[str]
    metrics: list[Measure]
    design: Resampling
    alpha: float
    data: Description
    classes: list[Any]
    truths: list[np.ndarray]  # of each finished split, the codes of its test rows
    tests: list[np.ndarray]  # of each finished split, the numbers of its test rows
    places: list[tuple[int, int, int]]  # of each finished split: repetition, fold, training rows
    cells: dict[str, list[Cell]]  # of each learner, one per finished split
    candidates: dict[str, Candidate] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    weights: list[np.ndarray] = field(
        default_factory=list
    )  # of each split, of its test rows; empty if all count once
    partial: str = ""
    interrupted: bool = False  # whether it is partial since the user stopped it
    source: Data | None = field(default=None, repr=False)  # the rows it ran on; not part of what is saved

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "source": None}

    @property
    def task(self) -> str:
        return "classification" if self.classes else "regression"

    # records

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Tidy: one dict per learner, split and metric; a failed cell has the value None."""
        return tidy(self)

    def to_records(self) -> list[dict[str, Any]]:
        """The records, as a new list of dicts."""
        return [dict(row) for row in self.records]

    def to_arrow(self) -> Any:
        """The records as a pyarrow Table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.records)

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame."""
        return as_frame(self.records)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that JSON can hold; what is not a number is None."""
        return as_plain(self)

    # analysis

    @cached_property
    def failures(self) -> dict[str, str]:
        """Of each learner that failed on any split: on how many, and the first reason."""
        failed = {}
        for name in self.learners:
            reasons = [cell.failure for cell in self.cells[name] if cell.failure]
            if reasons:
                failed[name] = f"failed on {len(reasons)} of {len(self.cells[name])} splits. {reasons[0]}"
        return failed

    @property
    def finished(self) -> list[str]:
        """The learners that answered on every split."""
        return [name for name in self.learners if name not in self.failures]

    @property
    def prepared(self) -> dict[str, str]:
        """What was done to the table for each learner, such as "imputed, scaled"; "" for nothing."""
        return {
            name: self.candidates[name].words if name in self.candidates else "" for name in self.learners
        }

    def estimator(self, learner: str | None = None) -> Any:
        """A learner (default: the best), not fitted, with its preparation in front: ready for ``fit``."""
        from sklearn.base import clone

        return clone(self.candidates[self._learner(learner or self.best)].estimator)

    def values(self, learner: str, metric: str | None = None) -> np.ndarray:
        """(J,) the metric on each split; NaN where the split does not define it."""
        name, m = self._learner(learner), self._metric(metric)
        return np.array([cell.values.get(m.name, np.nan) for cell in self.cells[name]])

    def defining_values(self, m: Measure) -> np.ndarray:
        """(learners, J) the metric on each split; (learners, 1) if it is one of all test rows together."""
        if self._of_pooled_rows:
            return np.array([[self._mean(name, m)] for name in self.learners])
        return np.array([self.values(name, m.name) for name in self.learners])

    @property
    def best(self) -> str:
        """The name of the learner with the best mean of the first metric."""
        standings = self.ranking()
        if not standings or standings[0].failure:
            raise ParameterError("no learner finished, so there is no best one. See failures.", who="compare")
        if np.isnan(standings[0].mean):
            raise ParameterError(
                f"{self.metrics[0].name} is defined on no split, so there is no best one.", who="compare"
            )
        return standings[0].learner

    def ranking(self, metric: str | None = None) -> list[Standing]:
        """The learners from best to worst; those that failed come last."""
        m = self._metric(metric)
        if m.name not in self._rankings:
            self._rankings[m.name] = self._ranked(m)
        return self._rankings[m.name]

    def test(self, first: str, second: str, metric: str | None = None) -> Verdict:
        """Whether two learners differ: which test, its p, the size of the difference, in one sentence."""
        m = self._metric(metric)
        a, b = self._two(first, second)
        pairs = self._pairs(m)
        result, adjusted = pairs[a, b] if (a, b) in pairs else _turned(pairs[b, a])
        both = np.isfinite(self.values(a, m.name)) & np.isfinite(self.values(b, m.name))
        return Verdict(a, b, m, result, adjusted, len(family_of(self, a, b)), int(np.sum(both)), self.alpha)

    def bayes(self, first: str, second: str, rope: float = 0.01, metric: str | None = None) -> RopePosterior:
        """How probable it is that the first is lower, practically equal, or higher: the Bayesian correlated t test.

        Parameters
        ----------
        rope : the largest difference of the metric that does not matter

        Examples
        --------
        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> compare(["lda", "majority"], load_iris(), design="10-fold").bayes("lda", "majority").left > 0.999
        True
        """
        a, b = self._two(first, second)
        return practical(self, a, b, self._metric(metric), rope)

    def effect(self, first: str, second: str, metric: str | None = None) -> EffectSize:
        """How large the difference is beside the spread over splits.

        On one split, and where each row is tested alone: the odds of who errs alone.
        """
        a, b = self._two(first, second)
        return effect_of(self, a, b, self._metric(metric))

    def omnibus(self, metric: str | None = None) -> TestResult:
        """One test of all learners together: whether there is any difference at all.

        On several splits the F test of the learners' means, its variance corrected for splits that share rows;
        on one split, and where each row is tested alone, Cochran's Q of the rows.

        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> found = compare(["lda", "qda", "naive bayes"], load_iris(), design="10-fold").omnibus()
        >>> found.test, round(found.statistic, 4), found.df, round(found.p, 3)
        ('corrected F test of all learners', 0.4737, (2.0, 18.0), 0.63)
        """
        return any_difference(self, self._metric(metric))

    def chosen(self, learner: str) -> list[dict[str, Any] | None]:
        """The setting that a learner which tunes itself chose on each split; None for one that does not."""
        return [cell.chosen for cell in self.cells[self._learner(learner)]]

    def confusion(self, learner: str) -> np.ndarray:
        """(K, K) or, if some answers are no class, (K, K + 1): true class by answer, all splits together."""
        self._needs_classes("a confusion matrix")
        return self._confusion(learner, 0).astype(np.int64)

    def _confusion(self, learner: str, power: int) -> np.ndarray:
        """The confusion matrix in which each row counts by this power of its weight."""
        K, name = len(self.classes), self._learner(learner)
        table = np.zeros((K, K + 1))
        for j, (truth, cell) in enumerate(zip(self.truths, self.cells[name])):
            if cell.answer is not None:
                answer = np.where(cell.answer < 0, K, cell.answer.astype(np.int64))
                np.add.at(table, (truth, answer), self.weights[j] ** power if self.weights else 1)
        return table if table[:, K].any() else table[:, :K]

    def class_report(self, learner: str) -> ClassReport:
        """Precision, recall and F1 of each class, from the confusions of all splits; rows count by their weights.

        The intervals take each row for one, however often it was tested.

        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> report = compare(["lda"], load_iris(), design="10-fold").class_report("lda")
        >>> print(report.classes["setosa"]["recall"])
        1.0000 (0.9287 to 1.0000, Wilson)
        """
        from assay.metrics.class_report import ClassReport

        self._needs_classes("precision and recall")
        times = (
            self._confusion(learner, 0).sum() / self._distinct_rows
        )  # how often each row was tested, on average
        table, squares = (self._confusion(learner, power) / times for power in (1, 2))
        return ClassReport.of_table(table, self.classes, squares=squares, alpha=self.alpha)

    def _needs_classes(self, what: str) -> None:
        if self.task == "regression":
            raise ParameterError(f"{what} is of classes, and {self.data.target} has numbers.", who="compare")

    def importance(
        self,
        learner: str | None = None,
        metric: str | None = None,
        *,
        n_repeats: int = 5,
        splits: int | None = None,
    ) -> PermutationImportance:
        """Which columns matter to a learner (default: the best): permutation importance on the comparison's splits.

        The learner is fitted again on the splits of the first repetition, or on so many ``splits``. See
        :func:`assay.evaluate.permutation_importance`.

        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> compare(["lda"], load_iris(), design="10-fold").importance(n_repeats=2).matters
        ['petal length (cm)', 'petal width (cm)']
        """
        from assay.evaluate.importance import importance_of

        return importance_of(self, learner, metric, n_repeats=n_repeats, splits=splits)

    @property
    def row_names(self) -> RowNames:
        """What the rows are called: by a frame's index, else by number, counted from 1, in the table as it came.

        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> result = compare(["majority"], load_iris(), design="10-fold")
        >>> result.row_names(int(result.out_of_fold("majority").rows[0]))
        'row 1'
        """
        return RowNames() if self.source is None else self.source.row_names

    @property
    def splits(self) -> list[Split]:
        """The finished splits: training rows and test rows. The same for every learner."""
        if self.source is None:
            raise ParameterError(
                "this comparison was saved without its rows, so its splits cannot be dealt again. "
                "tests has the tested rows of each split.",
                who="compare",
            )
        source = self.source
        dealt = self.design.splits(source.codes, self.settings["seed"], source.groups, source.times)
        return list(islice(dealt, len(self.places)))

    def out_of_fold(self, learner: str) -> OutOfFold:
        """What a learner answered on rows it had not seen: the splits of the first repetition, sorted by row.

        >>> from assay import compare
        >>> from assay.tables.data import load_iris
        >>> seen = compare(["lda"], load_iris(), design="10-fold").out_of_fold("lda")
        >>> seen.rows.size, int((seen.answer != seen.truth).sum()), seen.posterior.shape
        (150, 3, (150, 3))
        """
        name = self._learner(learner)
        return pooled(self.places, self.tests, self.truths, self.cells[name], f"compare: {name}")

    def interval(self, learner: str, metric: str | None = None) -> tuple[float, float]:
        """The interval of a learner's mean.

        Student's t with the variance corrected for splits that share rows; for a share of rows, Wilson's
        interval of as many rows as were tested (of weighted rows, as many as tell as much), if that is the wider
        one or each row was tested alone; within the metric's bounds. On one split, the metric's own interval of
        the test rows (DeLong's, the delta method's, Student's), or by resampling them.
        """
        m = self._metric(metric)
        values = self.values(learner, m.name)
        defined = np.isfinite(values)
        if not defined.any() and not self._of_pooled_rows:
            return np.nan, np.nan
        if self._of_pooled_rows:
            return interval_of_rows(self, self._learner(learner), m)
        low, high = self._over_splits(values)
        if m.rate:
            rows = self._tested_rows
            by_rows = wilson_interval(self._mean(learner, m), rows, self.alpha)
            if self._tested_alone or np.isnan(low) or by_rows[1] - by_rows[0] > high - low:
                return by_rows
        elif len(self.places) == 1:
            low, high = interval_of_rows(self, self._learner(learner), m)
        return float(np.maximum(low, m.bounds[0])), float(np.minimum(high, m.bounds[1]))

    def _over_splits(self, values: np.ndarray) -> tuple[float, float]:
        """The interval of the mean of (J,) values, NaN on splits that do not count: corrected for shared rows."""
        defined, unit = np.isfinite(values), safe_unit(values)
        ends = corrected_interval(
            values[defined] / unit, test_rows_per_training_row(self, defined), self.alpha
        )
        return ends[0] * unit, ends[1] * unit

    @cached_property
    def _rankings(self) -> dict[str, list[Standing]]:
        return {}

    @cached_property
    def _tested(self) -> dict[str, dict[tuple[str, str], tuple[TestResult, float]]]:
        return {}

    def _ranked(self, m: Measure) -> list[Standing]:
        means = {name: self._mean(name, m) for name in self.finished}
        order = _from_best(means, m.sign)
        pairs = self._pairs(m)
        differ = np.zeros((len(order), len(order)), dtype=bool)
        for i, j in combinations(range(len(order)), 2):
            _, adjusted = self._pair(pairs, order[i], order[j])
            differ[i, j] = differ[j, i] = adjusted <= self.alpha
        known = sum(not np.isnan(mean) for mean in means.values())  # the others come last and share no letter
        marks = letters(differ[:known, :known]) + [""] * (len(order) - known)
        rows = []
        for i, name in enumerate(order):
            low, high = self.interval(name, m.name)
            versus, p = self._pair(pairs, name, order[0]) if i else (_ITSELF, np.nan)
            rows.append(
                Standing(name, means[name], low, high, versus.estimate, versus.low, versus.high, p,
                         i < known and not differ[0, i], marks[i], *self._seconds(name), self.prepared[name])
            )  # fmt: skip
        failed = [
            Standing(name, prepared=self.prepared[name], failure=why) for name, why in self.failures.items()
        ]
        return rows + failed

    def _pairs(self, m: Measure) -> dict[tuple[str, str], tuple[TestResult, float]]:
        """Every pair's test, and its p adjusted over the pairs of its family."""
        if m.name not in self._tested:
            tests = pair_tests(self, m)
            p = np.array([t.p for t in tests.values()])
            baseline = np.array([with_baseline(self, *pair) for pair in tests], dtype=bool)
            adjusted = np.full(len(p), np.nan)
            for members in (baseline, ~baseline):
                known = members & np.isfinite(p)
                adjusted[known] = holm(p[known])
            self._tested[m.name] = {pair: (t, float(q)) for (pair, t), q in zip(tests.items(), adjusted)}
        return self._tested[m.name]

    @staticmethod
    def _pair(pairs: Any, a: str, b: str) -> tuple[TestResult, float]:
        return pairs[a, b] if (a, b) in pairs else _turned(pairs[b, a])

    def _mean(self, learner: str, m: Measure) -> float:
        """The mean over the splits that define the metric; of rows tested one by one, by their weights."""
        values = self.values(learner, m.name)
        defined = np.isfinite(values)
        if self._of_pooled_rows:
            return value_of_rows(self, learner, m)
        if not defined.any():
            return np.nan
        if self.weights and self._tested_alone:
            return float(np.average(values[defined], weights=np.concatenate(self.weights)[defined]))
        return float(values[defined].mean())

    @cached_property
    def _tested_alone(self) -> bool:
        return tested_alone(self)

    @property
    def _of_pooled_rows(self) -> bool:
        """Whether numbers were predicted row by row: a metric such as RMSE or R2 then is of all rows together."""
        return self.task == "regression" and self._tested_alone

    @cached_property
    def _tested_rows(self) -> float:
        if not self.weights:
            return self._distinct_rows
        weight = np.zeros(self.data.rows)
        for test, w in zip(self.tests, self.weights):
            weight[test] = w
        return max(effective_rows(weight), 1.0)

    @cached_property
    def _distinct_rows(self) -> int:
        """How many rows were tested, each counted once."""
        return int(np.count_nonzero(np.bincount(np.concatenate(self.tests))))

    def _seconds(self, name: str) -> tuple[float, float]:
        cells = self.cells[name]
        return (
            float(np.median([c.fit_seconds for c in cells])),
            float(np.median([c.predict_seconds for c in cells])),
        )

    def _two(self, first: str, second: str) -> tuple[str, str]:
        """Two learners that finished and are not the same."""
        a, b = self._learner(first), self._learner(second)
        for name in (a, b):
            if name in self.failures:
                raise ParameterError(f"{name} {self.failures[name]}", who="compare")
        if a == b:
            raise ParameterError(f"{a!r} was to be tested against itself; name two learners.", who="compare")
        return a, b

    def _learner(self, name: str) -> str:
        """The name in the comparison of what a learner is called: any name by which ``compare`` takes it."""
        known = known_as(name, self.learners, self.task)
        if known is not None:
            return known
        raise ParameterError(
            f"there is no learner {name!r} here. It has: {', '.join(self.learners)}.", who="compare"
        )

    def _metric(self, name: str | None) -> Measure:
        return self.metrics[0] if name is None else one_of(self.metrics, name, "compare", self.task)

    # faces

    def __str__(self) -> str:
        from assay.evaluate.show import as_text

        return as_text(self)

    __repr__ = __str__

    def __rich__(self) -> Any:
        from assay.evaluate.show import as_rich

        return as_rich(self)

    def _repr_html_(self) -> str:
        from assay.evaluate.show import as_html

        return in_notebook(as_html(self))

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write the result as one HTML page that needs nothing else; returns its path.

        Options are those of ``assay.report.write_report``: learning_curves, explanations, rope.
        """
        from importlib import import_module

        upstairs = import_module("assay.report")  # the one door there
        page: Path = upstairs.write_report(self, path, **options)
        return page


def _turned(pair: tuple[TestResult, float]) -> tuple[TestResult, float]:
    """The same test, seen from the other learner."""
    return turned(pair[0]), pair[1]


def _from_best(means: dict[str, float], sign: int) -> list[str]:
    """The names in order of their means, equal ones (up to rounding) as they came, those without a mean last."""
    known = [name for name in means if not np.isnan(means[name])]
    ranks = mid_ranks(np.array([[sign * means[name] for name in known]])) if known else np.empty((1, 0))
    place = dict(zip(known, ranks[0].tolist()))
    return sorted(means, key=lambda name: place.get(name, np.inf))
