"""All splits of a node that a textbook would try, and the best of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import assay.trees._number_cuts as _number_cuts
from assay.core.parallel import in_threads
from assay.core.stored import Each, Integer
from assay.stats.information.entropy import entropy
from assay.trees.node_measures import Floats, NodeMeasure, NumberMeasure, RowIndices
from assay.trees.tree import NWAY, SUBSET, TERNARY, THRESHOLD

__all__ = ["TIE", "Candidates", "Split", "SplitSearch", "first_best"]

PAIRS = 2**18  # pairs of thresholds that are looked at together
AT_A_TIME = 2**18  # values that one call of the native code sorts
TIE = 1e-12  # splits whose scores differ by less, in parts of the node's impurity, are equally good


@dataclass(frozen=True)
class Split:
    """One test of one column, and what it makes of a node.

    Attributes
    ----------
    column, kind, threshold, second : as in :class:`~assay.trees.tree.Tree`
    members : the category codes that go to branch 0, where the test is of a set
    branches : int, how many branches the test has
    after : the impurity (or error) after the split
    decrease : impurity before minus after, times the share of the rows whose value is known
    score : what the split was chosen by; the larger the better
    """

    column: int
    kind: int
    threshold: float = -2.0
    second: float = -2.0
    members: tuple[int, ...] = ()
    branches: int = 2
    after: float = 0.0
    decrease: float = 0.0
    score: float = 0.0
    stored = {
        "column": Integer(),
        "kind": Integer(),
        "branches": Integer(),
        "members": Each(Integer()),
    }

    def branch(self, x: Floats) -> NDArray[np.int64]:
        """The branch that each value of the column takes; -1 where it is missing."""
        if self.kind == NWAY:
            taken = np.nan_to_num(x, nan=-1.0).astype(np.int64)
        elif self.kind == SUBSET:
            taken = (~np.isin(x, self.members)).astype(np.int64)
        elif self.kind == TERNARY:
            taken = (x > self.threshold).astype(np.int64) + (x > self.second)
        else:
            taken = (x > self.threshold).astype(np.int64)
        taken[np.isnan(x)] = -1
        return taken


@dataclass(frozen=True)
class Candidates:
    """All tests of one column at one node: m of them, with B branches each.

    Attributes
    ----------
    column, kind : as in Split
    thresholds, seconds : (m,), NaN where a test has none
    left : (m, r) bool, which of the ``codes`` go to branch 0; empty for other kinds
    codes : (r,) the category codes that the node has
    weight, impurity : (m, B) of the branches
    known : share of the node's weight whose value is known
    branches : int, branches of each test, those without rows included
    before : impurity of the rows whose value is known, where they are not all rows of the node
    """

    column: int
    kind: int
    thresholds: Floats
    seconds: Floats
    left: NDArray[np.bool_]
    codes: RowIndices
    weight: Floats
    impurity: Floats
    known: float
    branches: int
    before: float | None = None

    def decrease(self, before: float, after: float) -> float:
        """What a test takes off the impurity of the rows whose value is known, times their share."""
        return ((before if self.before is None else self.before) - after) * self.known

    def information(self) -> Floats:
        """(m,) the entropy in bits of the branch sizes."""
        return entropy(self.weight, base=2)

    def only(self, which: NDArray[np.bool_]) -> Candidates:
        """The tests that are chosen, in their order."""
        names = ("thresholds", "seconds", "left", "weight", "impurity")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def split(self, i: int, after: float, decrease: float, score: float, heaviest_else: int) -> Split:
        """Test number i. Categories that the node does not have join the heavier branch of a grouping."""
        members: tuple[int, ...] = ()
        if self.kind == SUBSET:
            inside = set(self.codes[self.left[i]].tolist())
            if self.weight[i, 0] > self.weight[i, 1]:
                inside |= set(range(heaviest_else)) - set(self.codes.tolist())
            members = tuple(sorted(inside))
        return Split(
            column=self.column,
            kind=self.kind,
            threshold=_plain(self.thresholds, i),
            second=_plain(self.seconds, i),
            members=members,
            branches=self.branches,
            after=after,
            decrease=decrease,
            score=score,
        )


class SplitSearch:
    """Which tests are tried at a node, and by what they are compared.

    Parameters
    ----------
    measure : NodeMeasure, what is known about the targets
    n_categories : (d,) int, categories per column; 0 for numbers
    nominal : "n-way", "binary grouping" or "one-vs-rest"
    numeric : "binary" or "ternary"
    candidates : "midpoints", "boundary" or "equal-depth"
    max_candidates : int, how many thresholds "equal-depth" keeps
    max_categories : int, up to which all groupings are tried
    penalty : None, "gain ratio", or what each branch costs
    min_weight : float, what each branch that has rows must weigh at least
    """

    def __init__(
        self,
        measure: NodeMeasure,
        n_categories: NDArray[np.integer],
        nominal: str = "n-way",
        numeric: str = "binary",
        candidates: str = "midpoints",
        max_candidates: int = 32,
        max_categories: int = 10,
        penalty: str | float | None = None,
        min_weight: float = 0.0,
    ):
        self.measure, self.n_categories = measure, n_categories
        self.nominal, self.numeric, self.candidates = nominal, numeric, candidates
        self.max_candidates, self.max_categories, self.penalty = max_candidates, max_categories, penalty
        self.min_weight = min_weight
        means = isinstance(measure, NumberMeasure) and measure.ordered_groups
        self.quick = (
            means and numeric == "binary" and penalty is None
        )  # one call for all thresholds of all columns

    def columns(
        self, X: Floats, rows: RowIndices, w: Floats, only: NDArray[np.int64] | None = None
    ) -> Iterator[Candidates]:
        """The tests of each column that separates anything, column by column; very many come in several blocks."""
        total = w.sum()
        for j in range(X.shape[1]) if only is None else only.tolist():
            x = X[rows, j]
            present = ~np.isnan(x)
            if present.all():
                blocks = self._of_column(j, rows, w, x)
            else:
                known = float(w[present].sum() / total) if present.any() else 0.0
                blocks = self._of_column(j, rows[present], w[present], x[present], known)
            for candidates in blocks:
                if self.min_weight > 0:
                    candidates = candidates.only(candidates.weight.min(axis=1) >= self.min_weight * (1 - TIE))
                if len(candidates.weight):
                    yield candidates

    def best_of_each(self, X: Floats, rows: RowIndices, w: Floats, before: float) -> list[Split]:
        """The best test of each column: least impurity after it, the first among equals."""
        if self.quick:
            thresholds = self._thresholds(X, rows, w, before)
            groupings = self._best_tests(X, rows, w, before, np.flatnonzero(self.n_categories > 0))
            return sorted([*thresholds, *groupings], key=lambda split: split.column)
        return self._best_tests(X, rows, w, before)

    def _thresholds(self, X: Floats, rows: RowIndices, w: Floats, before: float) -> list[Split]:
        """The best threshold of each column of numbers, for targets that are numbers too."""
        assert isinstance(self.measure, NumberMeasure)
        y, root = np.ascontiguousarray(self.measure.y, np.float64), self.measure.error == "deviation"
        most = self.max_candidates if self.candidates == "equal-depth" else 0
        numeric = np.flatnonzero(self.n_categories == 0)

        def best(columns: NDArray[np.int64]) -> Floats:
            cuts = np.empty((len(columns), 4))
            _number_cuts.best_cuts(
                X=X,
                rows=rows,
                w=w,
                y=y,
                columns=columns,
                most=most,
                least=self.min_weight,
                slack=TIE * before,
                root=root,
                out=cuts,
            )
            return cuts

        parts = max(1, min(len(numeric), len(numeric) * len(rows) // AT_A_TIME))
        cuts = np.concatenate(in_threads(best, np.array_split(numeric, parts)))
        splits = []
        for j, (threshold, after, known_before, known) in zip(numeric.tolist(), cuts.tolist()):
            if threshold == threshold:  # else nothing separates the rows
                decrease = (before if known == 1 else known_before) - after
                splits.append(
                    Split(
                        j,
                        THRESHOLD,
                        threshold,
                        after=after,
                        decrease=decrease * known,
                        score=decrease * known,
                    )
                )
        return splits

    def _best_tests(
        self, X: Floats, rows: RowIndices, w: Floats, before: float, only: NDArray[np.int64] | None = None
    ) -> list[Split]:
        best: list[Split] = []
        for candidates in self.columns(X, rows, w, only):
            after = self.measure.combine(candidates.weight, candidates.impurity)
            i = first_best(-after, before)
            decrease = candidates.decrease(before, float(after[i]))
            score = self._score(decrease, candidates, i)
            split = candidates.split(
                i, float(after[i]), decrease, score, int(self.n_categories[candidates.column])
            )
            if not best or best[-1].column != split.column:
                best.append(split)
            elif split.after < best[-1].after - TIE * before:  # a later block of the same column
                best[-1] = split
        return best

    def best(self, X: Floats, rows: RowIndices, w: Floats, before: float) -> tuple[Split | None, list[Split]]:
        """The test to take, None if nothing separates the rows, and the best test of each column.

        By gain ratio only columns of at least average gain compete, as in C4.5: a test that separates next to
        nothing can have a large ratio.
        """
        tried = self.best_of_each(X, rows, w, before)
        if not tried:
            return None, tried
        score = np.array([s.score for s in tried])
        if self.penalty == "gain ratio":
            gains = np.array([s.decrease for s in tried])
            score = np.where(gains >= gains.mean() - TIE * before, score, -np.inf)
            return tried[first_best(score, 1.0)], tried
        return tried[first_best(score, before)], tried

    def _score(self, decrease: float, candidates: Candidates, i: int) -> float:
        if self.penalty is None:
            return decrease
        if self.penalty == "gain ratio":
            sizes = candidates.weight[i]
            if candidates.known < 1:  # the rows without a value count as one more branch
                sizes = np.append(sizes * candidates.known, sizes.sum() * (1 - candidates.known))
            return decrease / float(entropy(sizes, base=2))
        return decrease - float(self.penalty) * int(np.count_nonzero(candidates.weight[i]))

    def _of_column(
        self, j: int, rows: RowIndices, w: Floats, x: Floats, known: float = 1.0
    ) -> Iterator[Candidates]:
        """The tests of one column, whose values x are all known."""
        if len(x) == 0 or x.min() == x.max():
            return
        before = self.measure.node(rows, w) if known < 1 else None
        if self.n_categories[j] > 0:
            yield replace(self._of_categories(j, rows, w, x.astype(np.intp), known), before=before)
            return
        order = np.argsort(x, kind="stable")
        x, rows, w = x[order], rows[order], w[order]
        cuts = self._cuts(x, rows, w)
        spans, n = self.measure.spans(rows, w), len(x)
        if self.numeric == "binary" or len(cuts) == 1:
            edges = np.column_stack([np.zeros_like(cuts), cuts, np.full_like(cuts, n)])
            weight, impurity = spans(edges[:, :-1], edges[:, 1:])
            candidates = _candidates(j, THRESHOLD, weight, impurity, known, thresholds=_midpoints(x, cuts))
            yield replace(candidates, before=before)
            return
        for a, b in _pairs(len(cuts)):
            edges = np.column_stack([np.zeros_like(a), cuts[a], cuts[b], np.full_like(a, n)])
            weight, impurity = spans(edges[:, :-1], edges[:, 1:])
            low, high = _midpoints(x, cuts[a]), _midpoints(x, cuts[b])
            candidates = _candidates(j, TERNARY, weight, impurity, known, thresholds=low, seconds=high)
            yield replace(candidates, before=before)

    def _cuts(self, x: Floats, rows: RowIndices, w: Floats) -> NDArray[np.int64]:
        """Positions in the sorted column at which a threshold may stand."""
        cuts = np.flatnonzero(x[1:] > x[:-1]) + 1
        if self.candidates == "boundary":
            boundary = cuts[self.measure.boundary(rows, np.concatenate(([0], cuts)))]
            return boundary if len(boundary) else cuts
        if self.candidates == "equal-depth" and len(cuts) > self.max_candidates:
            below = np.cumsum(w)[cuts - 1]  # the weight under each cut
            wanted = w.sum() * np.arange(1, self.max_candidates + 1) / (self.max_candidates + 1)
            return cuts[np.unique(np.minimum(np.searchsorted(below, wanted * (1 - TIE)), len(cuts) - 1))]
        return cuts

    def _of_categories(self, j: int, rows: RowIndices, w: Floats, x: RowIndices, known: float) -> Candidates:
        codes, place = np.unique(x, return_inverse=True)
        if self.nominal == "n-way":
            order = np.argsort(place, kind="stable")
            edges = np.concatenate(([0], np.cumsum(np.bincount(place))))
            weight, impurity = self.measure.spans(rows[order], w[order])(edges[None, :-1], edges[None, 1:])
            return _candidates(
                j, NWAY, weight, impurity, known, codes=codes, branches=int(self.n_categories[j])
            )
        left = self._groupings(rows, w, place, len(codes))
        weight, impurity = self.measure.groups(rows, w, place, left)
        return _candidates(j, SUBSET, weight, impurity, known, left=left, codes=codes)

    def _groupings(self, rows: RowIndices, w: Floats, place: RowIndices, r: int) -> NDArray[np.bool_]:
        """(m, r) which categories go to branch 0."""
        if r == 2:
            return np.array([[True, False]])
        if self.nominal == "one-vs-rest":
            return np.eye(r, dtype=bool)
        if r <= self.max_categories:  # 2^(r-1) - 1 groupings; the first category always in branch 0
            numbers = np.arange(2 ** (r - 1) - 1)
            others = (numbers[:, None] >> np.arange(r - 1)) & 1
            return np.column_stack([np.ones(len(numbers), dtype=bool), others.astype(bool)])
        if (
            self.measure.ordered_groups
        ):  # then the best grouping is a cut through the categories in this order
            rank = np.empty(r, np.intp)
            rank[np.argsort(self.measure.means(rows, w, place, r), kind="stable")] = np.arange(r)
            return rank[None, :] <= np.arange(r - 1)[:, None]
        return np.eye(r, dtype=bool)


def first_best(score: Floats, scale: float) -> int:
    """The first whose score is the largest, up to rounding on this scale."""
    return int(np.argmax(score >= score.max() - TIE * scale))


def _candidates(
    j: int,
    kind: int,
    weight: Floats,
    impurity: Floats,
    known: float,
    *,
    thresholds: Floats | None = None,
    seconds: Floats | None = None,
    left: NDArray[np.bool_] | None = None,
    codes: RowIndices | None = None,
    branches: int | None = None,
) -> Candidates:
    nothing = np.full(len(weight), np.nan)
    return Candidates(
        column=j,
        kind=kind,
        thresholds=nothing if thresholds is None else thresholds,
        seconds=nothing if seconds is None else seconds,
        left=np.zeros((len(weight), 0), dtype=bool) if left is None else left,
        codes=np.zeros(0, np.intp) if codes is None else codes,
        weight=weight,
        impurity=impurity,
        known=known,
        branches=weight.shape[1] if branches is None else branches,
    )


def _pairs(T: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """All pairs a < b of T thresholds in order, in blocks that fit into memory."""
    start = 0
    while start < T - 1:
        stop = min(T - 1, start + max(1, PAIRS // (T - 1 - start)))
        first = np.arange(start, stop)
        a = np.repeat(first, T - 1 - first)
        yield a, np.concatenate([np.arange(i + 1, T) for i in first])
        start = stop


def _midpoints(x: Floats, cuts: NDArray[np.int64]) -> Floats:
    """Half way between the values below and above each cut, and never equal to the one above."""
    below, above = x[cuts - 1], x[cuts]
    middle = below / 2 + above / 2
    return np.where((middle >= above) | (middle < below), below, middle)


def _plain(values: Floats, i: int) -> float:
    return -2.0 if np.isnan(values[i]) else float(values[i])
