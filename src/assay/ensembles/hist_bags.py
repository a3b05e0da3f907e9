"""Trees of a histogram forest, grown side by side from rows that are kept in blocks: in passes over all rows.

A block keeps its rows' codes (a byte a cell) and targets, and for each of the trees at work how often each row is in
its bag and the node that it has reached. Only histograms and a few sums leave it. What is added up over rows is a whole
number or an exact sum, and bags are drawn by row number: so the trees do not depend on how the rows are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

import numpy as np

import assay.ensembles._hist_boosting as _hist_boosting
import assay.ensembles._hist_passes as _hist_passes
from assay.core.exact_sum import ExactSum
from assay.core.kept import Arrays, Kept
from assay.core.parallel import in_threads
from assay.core.row_draws import row_uniforms
from assay.core.sums import Block
from assay.ensembles.added import Added, Largest
from assay.ensembles.hist_bins import Bins
from assay.ensembles.hist_blocks import BlockTargets
from assay.ensembles.hist_growing import Limits
from assay.ensembles.hist_losses import HistLoss
from assay.ensembles.hist_order import at_root, gather_at_root, node_of_rows
from assay.ensembles.hist_passes import ENOUGH_UNITS, BlockView, Units, native_units, next_plan
from assay.ensembles.hist_trees import Grown

__all__ = ["MOST_TIMES", "BagTargets", "Bags", "KeptBagRows", "SquaredExtents"]

MOST_TIMES = 12  # times that a row is in a bag; more have a probability below 1e-10
HISTOGRAM_BYTES = 1 << 27  # bytes for the histograms of all trees that grow side by side
_BAG = 3  # the stream of the numbers that bags are drawn by


def bag_counts(seed: int, rate: float, start: int, n: int) -> np.ndarray:
    """(n,) how often each of the rows from number ``start`` on is in the bag: Poisson numbers with the mean ``rate``.

    >>> from assay.ensembles.hist_bags import bag_counts
    >>> float(bag_counts(0, 1.0, 0, 100_000).mean().round(2))
    1.0
    """
    at_most = np.cumsum([exp(-rate) * rate**k / np.prod(np.arange(1.0, k + 1)) for k in range(MOST_TIMES)])
    return np.searchsorted(at_most, row_uniforms(seed, _BAG, start, n), "right").astype(np.uint8)


@dataclass(frozen=True)
class BagTargets:
    """What the trees of each bag predict: a number's distance from ``start``, or of each of K classes whether it is
    this one; of two classes the second alone.

    Parameters
    ----------
    outputs : trees of each bag
    classes : whether targets are class numbers
    start, unit : what is taken off a number, and what the rest is divided by, a power of two
    """

    outputs: int = 1
    classes: bool = False
    start: float = 0.0
    unit: float = 1.0

    def of(self, y: np.ndarray, output: int = 0) -> np.ndarray:
        if self.outputs > 1:
            return (y == output).astype(np.float64)
        return y if self.classes else (y - self.start) / self.unit


@dataclass(frozen=True)
class SquaredExtents:
    """The largest weighted distance of a target from the start, as a sum over blocks."""

    targets: BagTargets

    def __call__(self, arrays: Arrays) -> Largest:
        far = np.abs(self.targets.of(arrays["y"]))
        if "w" in arrays:
            far = far * arrays["w"]
        return Largest(float(far.max(initial=0.0)))


@dataclass(frozen=True)
class KeptBagRows:
    """What is kept of a block, for so many bags with ``outputs`` trees each."""

    bins: Bins
    targets: BlockTargets
    scale: float  # what weights are multiplied by
    bags: int
    outputs: int
    judged: bool  # whether rows are judged by the trees without them

    def __call__(self, block: Block) -> Arrays:
        y, w, _ = self.targets.of(block)
        codes, n = self.bins.codes(np.ascontiguousarray(block.X)), len(y)
        arrays = {
            "panels": codes.panels,
            "wide": codes.wide,
            "missing": codes.missing,
            "y": y,
            "first": np.array([block.start]),
            "bag": np.zeros((self.bags, n), np.uint8),
            **at_root(self.bags * self.outputs, n),
        }
        if w is not None:
            arrays["w"] = self.scale * w
        if self.judged:
            arrays["votes"] = np.zeros(n, np.int32)
            arrays["answers"] = np.zeros((self.outputs, n))
        return arrays

    @property
    def writable(self) -> tuple[str, ...]:
        return ("bag", "order", "node", "votes", "answers")


@dataclass(frozen=True)
class _BagView:
    """How the rows of a block count for each tree; travels with every pass."""

    view: BlockView
    targets: BagTargets
    drawn: bool  # whether rows are drawn; else every tree has them all
    heaviest: float

    def rows(self, arrays: Arrays, tree: int) -> _hist_passes.BlockRows:
        bag, output = divmod(tree, self.targets.outputs)
        count, w = arrays["bag"][bag], arrays.get("w")
        if self.drawn:
            w = count.astype(np.float64) if w is None else count * w
        return _hist_passes.BlockRows(
            kind=self.view.loss.kind,
            parameter=0.0,
            heaviest=self.heaviest,
            raw=np.zeros(len(count)),
            y=self.targets.of(arrays["y"], output),
            w=w,
            top=None,
            inverse=None,
            held=(count == 0).view(np.uint8) if self.drawn else None,
        )


@dataclass(frozen=True)
class _Roots:
    """The bags are drawn; histogram and total of each tree."""

    rows: _BagView
    units: Units
    seeds: list[int]  # of the bags
    rate: float

    def again(self, arrays: Arrays) -> None:
        gather_at_root(arrays)
        if self.rows.drawn:
            start, n = int(arrays["first"][0]), len(arrays["y"])
            for count, seed in zip(arrays["bag"], self.seeds):
                count[:] = bag_counts(seed, self.rate, start, n)

    def __call__(self, arrays: Arrays) -> Added:
        self.again(arrays)
        view = self.rows.view
        codes, trees = view.codes(arrays), len(self.seeds) * self.rows.targets.outputs
        totals, packed, step = np.zeros((trees, 6), np.int64), [], 2 if self.units[0] else 1
        for tree in range(trees):
            h = np.zeros(view.cells * step, np.int64)
            rows = self.rows.rows(arrays, tree)
            _hist_passes.sum_root(codes, rows, native_units(self.units), h, totals[tree])
            packed.append(h.reshape(-1, step)[view.used])
        return Added(totals, *packed)


@dataclass(frozen=True)
class _Expansion:
    """Rows go to the children of the nodes that are split; histograms of the children, for each tree."""

    rows: _BagView
    units: Units
    plans: list[dict[str, Any]]

    def again(self, arrays: Arrays) -> None:
        """Rows move, and nothing is summed."""
        nowhere = [plan | {"slot": np.full_like(plan["slot"], -2), "slots": 0} for plan in self.plans]
        replace(self, plans=nowhere)(arrays)

    def __call__(self, arrays: Arrays) -> Added:
        view, parts, step = self.rows.view, [], 2 if self.units[0] else 1
        codes, units = view.codes(arrays), native_units(self.units)
        for tree, plan in enumerate(self.plans):
            h = np.zeros((plan["slots"], view.cells * step), np.int64)
            left_over = np.zeros((len(plan["child"]), 2), np.int64)
            if len(plan["place"]):
                _hist_passes.expand(
                    codes=codes,
                    rows=self.rows.rows(arrays, tree),
                    units=units,
                    plan=_hist_passes.SplitPlan(**plan),
                    order=arrays["order"][tree],
                    node=arrays["node"][tree],
                    h=h,
                    parts=left_over,
                )
            parts += [h.reshape(len(h), view.cells, step)[:, view.used], left_over]
        return Added(*parts)


@dataclass(frozen=True)
class _Votes:
    """Rows outside of the bags note what the trees answer."""

    outputs: int
    values: list[np.ndarray]  # of each node of each tree

    def __call__(self, arrays: Arrays) -> int:
        for bag in range(len(self.values) // self.outputs):
            out = arrays["bag"][bag] == 0
            arrays["votes"] += out
            for k in range(self.outputs):
                tree = bag * self.outputs + k
                arrays["answers"][k] += np.where(out, self.values[tree][node_of_rows(arrays, tree)], 0.0)
        return len(arrays["votes"])


@dataclass(frozen=True)
class _Judgement:
    """How good the answers of the trees without the row are, added up over rows that have any."""

    targets: BagTargets

    def __call__(self, arrays: Arrays) -> Added:
        asked = arrays["votes"] > 0
        y, mean = arrays["y"][asked], arrays["answers"][:, asked] / arrays["votes"][asked]
        if self.targets.classes:
            chosen = mean[0] > 0.5 if self.targets.outputs == 1 else np.argmax(mean, axis=0)
            return Added(len(y), np.count_nonzero(chosen == y))
        far = self.targets.of(y)
        return Added(len(y), ExactSum(far), ExactSum(far * far), ExactSum((far - mean[0]) ** 2))


class Bags:
    """Bags of kept rows, and the trees that grow on them, some bags at a time.

    Parameters
    ----------
    kept : Kept, with the arrays of KeptBagRows
    bins : Bins
    missing : (d,) uint8, which columns have missing values
    n : rows
    heaviest : the largest weight of a row, None if there are no weights
    farthest : the largest weighted distance of a target from its start
    targets : BagTargets
    empty : (outputs,) what the trees of an empty bag answer
    limits, monotonic : as in Boosting
    rate : how often a row is in a bag, on average; None for all rows in every bag
    bags : the most bags at a time
    """

    def __init__(
        self,
        kept: Kept,
        bins: Bins,
        missing: np.ndarray,
        n: int,
        heaviest: float | None,
        farthest: float,
        targets: BagTargets,
        empty: np.ndarray,
        limits: Limits,
        monotonic: np.ndarray,
        rate: float | None,
        bags: int,
    ):
        self.kept, self.n, self.targets, self._empty, self._rate = kept, n, targets, empty, rate
        most = 1.0 if rate is None else float(MOST_TIMES)
        self._weighted = heaviest is not None or rate is not None
        whole = most * (1.0 if heaviest is None else heaviest)
        self._extent = (most * farthest, whole)
        self._view = _BagView(
            BlockView.of(bins, HistLoss("squared_error"), whole), targets, rate is not None, whole
        )
        self._exact = not monotonic.any()
        trees = bags * targets.outputs
        growth = _hist_boosting.Growth(
            leaves=limits.leaves or 0,
            depth=limits.depth or 0,
            least=limits.rows,
            l2=float(limits.l2),
            share=float(limits.column_share),
            memory=HISTOGRAM_BYTES // trees,
        )
        self._frontiers = [
            _hist_passes.Frontier(bins.native, missing, monotonic.astype(np.int8), [], growth)
            for _ in range(trees)
        ]
        self.passes = 0
        self.bytes_received = 0

    def grow(self, bag_seeds: Sequence[int], tree_seeds: Sequence[int], vote: bool) -> list[Grown] | None:
        """The trees of some bags, bag after bag; None if their sums would not be finite."""
        units, frontiers = self._begin(bag_seeds, tree_seeds), self._frontiers[: len(tree_seeds)]
        if units is None:
            return None
        view = self._view.view
        while True:
            plans = in_threads(next_plan, frontiers)
            if not any(len(plan["place"]) for plan in plans):
                break
            parts = self._pass(_Expansion(self._view, units, plans), changes=("order", "node"))

            def learn(tree: int, parts: list[Any] = parts) -> None:
                frontiers[tree].learn(view.unpacked(parts[2 * tree]), parts[2 * tree + 1])

            in_threads(learn, range(len(frontiers)))
        results: list[Any] = [f.finish(1.0, self._exact, self._view.heaviest) for f in frontiers]
        trees = [Grown(*result[0]) for result in results]
        for i, tree in enumerate(trees):
            if self._nothing[i]:
                tree.number[tree.leaf] = self._empty[i % self.targets.outputs]
        if vote:  # in units
            values = [np.where(r[1] >= 0, tree.number[r[1]], 0.0) for tree, r in zip(trees, results)]
            self.passes += 1
            self.kept.update(_Votes(self.targets.outputs, values), changes=("votes", "answers"))
        for tree in trees:
            tree.number[tree.leaf] *= self.targets.unit
        return trees

    def judge(self) -> float | None:
        """Accuracy or R squared by the rows outside of the bags; None if no bag leaves two of them out."""
        self.passes += 1
        asked, *sums = self.kept.add_up(_Judgement(self.targets)).parts
        if self.targets.classes:
            return float(sums[0]) / asked if asked else None
        spread = float(sums[1]) - float(sums[0]) ** 2 / max(asked, 1)
        return 1.0 - float(sums[2]) / spread if spread > 0 else None

    def _begin(self, bag_seeds: Sequence[int], tree_seeds: Sequence[int]) -> Units | None:
        loss, view = self._view.view.loss, self._view.view
        units: Units | None = None
        for narrow in (False,) if self._weighted else (True, False):
            units = _hist_passes.choose_units(loss.kind, narrow, *self._extent, self._view.heaviest, self.n)
            if units is None:
                return None
            roots = _Roots(self._view, units, list(bag_seeds), self._rate or 0.0)
            totals, *packed = self._pass(roots, changes=("bag", "order", "node"))
            if not narrow or (totals[:, 5] >= ENOUGH_UNITS * self.n).all():
                break
        assert units is not None
        self._nothing = (totals[:, 2] == 0) | (units[0] & (totals[:, 1] <= 0))
        for frontier, seed, total, h in zip(self._frontiers, tree_seeds, totals, packed):
            frontier.begin(loss.kind, native_units(units), seed, total, view.unpacked(h[None])[0])
        return units

    def _pass(self, task: Callable[[Arrays], Added], changes: Sequence[str]) -> list[Any]:
        self.passes += 1
        parts: list[Any] = list(self.kept.update(task, changes).parts)
        self.bytes_received += sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
        return parts
