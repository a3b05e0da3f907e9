"""Rounds of histogram boosting over rows that are kept in blocks: in passes, each of which adds up histograms.

A block keeps its rows' codes (a byte a cell), targets, weights, scores, and its rows by the node they have reached.
Only histograms and a few sums leave it. :class:`PassBoosting` does what :class:`assay.ensembles.hist_growing.Boosting`
does in memory, and grows the same trees: everything that is added up over rows is a whole number or an exact sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import assay.ensembles._hist_boosting as _hist_boosting
import assay.ensembles._hist_passes as _hist_passes
from assay.core.exact_sum import ExactSum
from assay.core.kept import Arrays, Kept
from assay.ensembles.added import Added, Largest
from assay.ensembles.damping import ROUNDING, shares_that_lower
from assay.ensembles.hist_bins import BYTE, Bins
from assay.ensembles.hist_growing import Damping, Limits, set_bounded_leaves
from assay.ensembles.hist_losses import HistLoss
from assay.ensembles.hist_order import gather_at_root, node_of_rows
from assay.ensembles.hist_quantiles import leaf_steps, node_values, quantiles
from assay.ensembles.hist_trees import Grown

__all__ = ["BlockView", "PassBoosting", "native_units", "next_plan"]

MEMORY = 1 << 27  # bytes for the histograms of one tree's nodes
NEARLY_ALL = 0.9  # share of the cells of a histogram beyond which they are not picked one by one
ENOUGH_UNITS = 4096  # as in units.hpp


@dataclass(frozen=True)
class BlockView:
    """How the arrays of a block are read; travels with every pass, so it is small.

    Attributes
    ----------
    loss : HistLoss
    heaviest : the largest weight of all training rows
    wide_start, narrow : where columns of 16 bits begin in a histogram, and how many columns have 8 (see Bins)
    used : which cells of a histogram are used, as numbers or (of nearly all) a slice; only these travel
    """

    loss: HistLoss
    heaviest: float
    wide_start: np.ndarray
    narrow: int
    used: np.ndarray | slice

    @classmethod
    def of(cls, bins: Bins, loss: HistLoss, heaviest: float) -> BlockView:
        start = np.where(bins.place >= 0, bins.place * BYTE, bins.wide_start[~np.minimum(bins.place, -1)])
        cells = [np.arange(a, a + b + 1) for a, b in zip(start.tolist(), bins.bins.tolist())]
        used = np.concatenate([*cells, np.empty(0, np.int64)])
        stop = int(used.max(initial=-1)) + 1
        nearly_all = len(used) >= NEARLY_ALL * stop
        return cls(loss, heaviest, bins.wide_start, bins.narrow, slice(0, stop) if nearly_all else used)

    @property
    def cells(self) -> int:
        return int(self.wide_start[-1])

    def unpacked(self, packed: np.ndarray) -> np.ndarray:
        """Histograms with all their cells."""
        h = np.zeros((len(packed), self.cells, packed.shape[2]), np.int64)
        h[:, self.used] = packed
        return h.reshape(len(packed), self.cells * packed.shape[2])

    def codes(self, arrays: Arrays) -> _hist_passes.BlockCodes:
        return _hist_passes.BlockCodes(
            panels=arrays["panels"],
            wide=arrays["wide"],
            wide_start=self.wide_start,
            n=len(arrays["y"]),
            narrow=self.narrow,
        )

    def rows(self, arrays: Arrays) -> list[_hist_passes.BlockRows]:
        """What the gradients of each score follow from."""
        raw, K = arrays["raw"], self.loss.classes
        return [
            _hist_passes.BlockRows(
                kind=self.loss.kind,
                parameter=float(k) if K > 1 else self.loss.quantile,
                heaviest=self.heaviest,
                raw=raw[k],
                y=arrays["y"],
                w=arrays.get("w"),
                top=arrays.get("top"),
                inverse=arrays.get("inverse"),
                held=arrays.get("held"),
            )
            for k in range(K)
        ]

    def losses(self, arrays: Arrays, raw: np.ndarray) -> Added:
        """Sums of the losses of training rows, and of rows that are held out."""
        held, y, w = arrays.get("held"), arrays["y"], arrays.get("w")
        if held is None:
            return Added(self.loss.total(raw, y, w), ExactSum())
        parts = []
        for some in (held == 0, held != 0):
            scores = np.ascontiguousarray(raw[:, some])
            parts.append(self.loss.total(scores, y[some], None if w is None else w[some]))
        return Added(*parts)


Units = tuple[bool, int, float, float]  # wide cells, bits of the count, units of gradients and curvatures


def native_units(units: Units) -> _hist_passes.BlockUnits:
    """Units as native code takes them."""
    wide, count_bits, g, h = units
    return _hist_passes.BlockUnits(wide=wide, count_bits=count_bits, g=g, h=h)


@dataclass(frozen=True)
class _Extents:
    """The largest gradient and curvature."""

    view: BlockView

    def __call__(self, arrays: Arrays) -> Largest:
        return Largest(np.array([_hist_passes.extents(rows) for rows in self.view.rows(arrays)]))


@dataclass(frozen=True)
class _Roots:
    """A tree begins: the histogram and the total of all rows, for each score."""

    changes = ("order", "node", "top", "inverse")

    view: BlockView
    units: list[Units]

    def again(self, arrays: Arrays) -> None:
        gather_at_root(arrays)
        if self.view.loss.classes > 1:
            _hist_boosting.normalisers(
                arrays["raw"], arrays["top"], arrays["inverse"], _hist_boosting.Crew(1)
            )

    def __call__(self, arrays: Arrays) -> Added:
        self.again(arrays)
        view, codes, K = self.view, self.view.codes(arrays), self.view.loss.classes
        totals, packed = np.zeros((K, 6), np.int64), []
        for rows, units, total in zip(view.rows(arrays), self.units, totals):
            step = 2 if units[0] else 1
            h = np.zeros(view.cells * step, np.int64)
            _hist_passes.sum_root(codes, rows, native_units(units), h, total)
            packed.append(h.reshape(-1, step)[view.used])
        return Added(totals, *packed)


@dataclass(frozen=True)
class _Expansion:
    """Rows go to the children of the nodes that are split; histograms of the children, for each score."""

    view: BlockView
    units: list[Units]
    plans: list[dict[str, Any]]

    changes = ("order", "node")

    def again(self, arrays: Arrays) -> None:
        """Rows move, and nothing is summed."""
        nowhere = [plan | {"slot": np.full_like(plan["slot"], -2), "slots": 0} for plan in self.plans]
        replace(self, plans=nowhere)(arrays)

    def __call__(self, arrays: Arrays) -> Added:
        view, codes, parts = self.view, self.view.codes(arrays), []
        for k, rows in enumerate(view.rows(arrays)):
            plan, step = self.plans[k], 2 if self.units[k][0] else 1
            h = np.zeros((plan["slots"], view.cells * step), np.int64)
            left_over = np.zeros((len(plan["child"]), 2), np.int64)
            if len(plan["place"]):
                _hist_passes.expand(
                    codes=codes,
                    rows=rows,
                    units=native_units(self.units[k]),
                    plan=_hist_passes.SplitPlan(**plan),
                    order=arrays["order"][k],
                    node=arrays["node"][k],
                    h=h,
                    parts=left_over,
                )
            parts += [h.reshape(len(h), view.cells, step)[:, view.used], left_over]
        return Added(*parts)


@dataclass(frozen=True)
class _Decreases:
    """By how much steps lower the loss of the rows of leaves, for each score with leaves in doubt."""

    view: BlockView
    leaves: list[np.ndarray]  # for each node of a tree which of the leaves in doubt it belongs to, or -1
    steps: list[np.ndarray]
    scales: list[np.ndarray]

    def __call__(self, arrays: Arrays) -> Added:
        parts = []
        for k, rows in enumerate(self.view.rows(arrays)):
            sums = np.zeros(len(self.steps[k]), np.int64)
            leaf = self.leaves[k][node_of_rows(arrays, k)]
            _hist_passes.add_decreases(rows, leaf, self.steps[k], self.scales[k], sums)
            parts.append(sums)
        return Added(*parts)


@dataclass(frozen=True)
class _Step:
    """Scores grow by the values of the leaves; the losses afterwards, if they are wanted, and what comes next."""

    view: BlockView
    values: list[np.ndarray]  # of each node of each tree
    wants_losses: bool
    back: list[np.ndarray] | None = None  # values that are taken back first
    onward: _Extents | _Roots | None = None  # what the next round begins with

    @property
    def changes(self) -> tuple[str, ...]:
        return ("raw", *getattr(self.onward, "changes", ()))

    def again(self, arrays: Arrays) -> None:
        replace(self, wants_losses=False, onward=None)(arrays)
        if isinstance(self.onward, _Roots):
            self.onward.again(arrays)

    def __call__(self, arrays: Arrays) -> Added:
        raw = arrays["raw"]
        if self.back is not None:
            for scores, value, order, node in zip(raw, self.back, arrays["order"], arrays["node"]):
                _hist_passes.add_values(order, node, -value, scores)
        for scores, value, order, node in zip(raw, self.values, arrays["order"], arrays["node"]):
            _hist_passes.add_values(order, node, value, scores)
        bad = np.count_nonzero(~np.isfinite(raw))
        losses = (
            self.view.losses(arrays, raw) if self.wants_losses and not bad else Added(ExactSum(), ExactSum())
        )
        onward = [] if bad or self.onward is None else [self.onward(arrays)]
        return Added(bad, *losses.parts, *onward)


@dataclass(frozen=True)
class _Losses:
    """The losses at the scores."""

    view: BlockView

    def __call__(self, arrays: Arrays) -> Added:
        return self.view.losses(arrays, arrays["raw"])


@dataclass(frozen=True)
class _Shortened:
    """Of a round whose steps are shortened: the training loss, or the slopes along the steps."""

    view: BlockView
    damping: Damping
    leaf_of: list[np.ndarray]
    shares: list[np.ndarray]
    slopes: bool

    def __call__(self, arrays: Arrays) -> Any:
        leaf = np.array([of[node_of_rows(arrays, k)] for k, of in enumerate(self.leaf_of)])
        added = np.array([tree.number[node] for tree, node in zip(self.damping.trees, leaf)])
        start, y, w = arrays["raw"] - added, arrays["y"], arrays.get("w")
        if not self.slopes:
            scores = start + self.damping.shortened(added, leaf, self.shares)
            return self.view.losses(arrays, scores).parts[0]
        learn = slice(None) if "held" not in arrays else arrays["held"] == 0
        some = None if w is None else w[learn]
        return self.damping.slopes(
            start[:, learn], added[:, learn], leaf[:, learn], self.shares, y[learn], some
        )


class PassBoosting:
    """Rounds of boosting on blocks of rows; see the module.

    Parameters
    ----------
    kept : Kept, with the arrays of :func:`assay.ensembles.hist_blocks.block_arrays`
    bins : Bins
    missing : (d,) uint8, which columns have missing values among the training rows
    n : training rows
    heaviest : the largest weight of a training row, None if there are no weights
    loss, limits, monotonic, groups : as in Boosting
    watched : whether the losses after each round are wanted
    rounds : the most rounds that are wanted, default None for any number
    """

    def __init__(
        self,
        kept: Kept,
        bins: Bins,
        missing: np.ndarray,
        n: int,
        heaviest: float | None,
        loss: HistLoss,
        limits: Limits,
        monotonic: np.ndarray,
        groups: Sequence[Sequence[int]] = (),
        watched: bool = False,
        rounds: int | None = None,
    ):
        self.kept, self.n, self.loss, self._limits = kept, n, loss, limits
        self._weighted, heaviest = heaviest is not None, 1.0 if heaviest is None else heaviest
        self.view = BlockView.of(bins, loss, heaviest)
        self._exact, self._monotonic = not monotonic.any(), monotonic
        self._checked = loss.classes > 1 or not self._exact
        self._watched = watched or self._checked
        growth = _hist_boosting.Growth(
            leaves=limits.leaves or 0,
            depth=limits.depth or 0,
            least=limits.rows,
            l2=float(limits.l2),
            share=float(limits.column_share),
            memory=MEMORY,
        )
        self._frontiers = [
            _hist_passes.Frontier(
                bins.native, missing, monotonic.astype(np.int8), [sorted(group) for group in groups], growth
            )
            for _ in range(loss.classes)
        ]
        self.losses: tuple[float, float] | None = None  # sums over training rows and rows held out
        self.passes = 0
        self.bytes_received = 0
        self._overflow = False
        self._rounds_left = np.inf if rounds is None else rounds
        self._ahead: Any = None  # what the round at hand begins with, if that is known

    def start_by_passes(self) -> np.ndarray:
        """The first score under a loss with corners, a quantile of the targets; all scores are set to it."""
        root, rows = np.zeros(1, np.int32), np.array([self.n])
        start = quantiles(self._pass, self.loss, root, np.zeros((1, 1), int), rows, self._weighted)
        self._step(_Step(self.view, [start], self._watched, onward=self._next()))
        return start

    def look(self) -> tuple[float, float]:
        """The sums of losses of training rows and of rows held out, at the scores."""
        if self.losses is None:
            self.losses = self._sums(self._pass(_Losses(self.view)).parts)
        return self.losses

    def round(self, rate: float, seeds: Sequence[int]) -> list[Grown] | None:
        """One more tree for each score, added to the scores; None if the scores are not finite any more."""
        if self._checked:
            self.look()
        self._rounds_left -= 1
        units = None if self._overflow else self._begin(seeds)
        if units is None:
            return None
        while True:
            plans = [next_plan(frontier) for frontier in self._frontiers]
            if not any(len(plan["place"]) for plan in plans):
                break
            parts = self._pass(_Expansion(self.view, units, plans)).parts
            for k, frontier in enumerate(self._frontiers):
                frontier.learn(self.view.unpacked(parts[2 * k]), parts[2 * k + 1])
        trees, leaf_of = self._finish(rate)
        if not self.loss.smooth:
            self._set_leaves(trees[0], leaf_of[0], rate)
        self._add(trees, leaf_of)
        return trees

    def _pass(self, task: Callable[[Arrays], Any]) -> Any:
        self.passes += 1
        changes = getattr(task, "changes", ())
        total = self.kept.update(task, changes) if changes else self.kept.add_up(task)
        self.bytes_received += _bytes(total)
        return total

    def _begin(self, seeds: Sequence[int]) -> list[Units] | None:
        """Units of the gradients, and the roots of the trees; None if they are not finite."""
        task, ahead, extents = self._opening(), self._ahead, self._unknown
        self._ahead = None
        if isinstance(task, _Extents):
            extents = (self._pass(task) if ahead is None else ahead).value
            task, ahead = self._roots(extents, self._constant), None
        if task is None:
            return None
        parts = (self._pass(task) if ahead is None else ahead).parts
        if self._constant and parts[0][0, 5] < ENOUGH_UNITS * self.n:
            task = self._roots(extents, narrow=False)
            if task is None:
                return None
            parts = self._pass(task).parts
        totals, *packed = parts
        for k, frontier in enumerate(self._frontiers):
            frontier.begin(
                self.loss.kind,
                native_units(task.units[k]),
                seeds[k],
                totals[k],
                self.view.unpacked(packed[k][None])[0],
            )
        return task.units

    def _opening(self) -> _Extents | _Roots | None:
        """The pass that a round begins with; None if units are not finite."""
        return self._roots(self._unknown, self._constant) if self._known else _Extents(self.view)

    def _roots(self, extents: np.ndarray, narrow: bool) -> _Roots | None:
        units = []
        for g, h in extents.tolist():
            some = _hist_passes.choose_units(self.loss.kind, narrow, g, h, self.view.heaviest, self.n)
            if some is None:
                return None
            units.append(some)
        return _Roots(self.view, units)

    @property
    def _known(self) -> bool:
        """Whether the largest gradient follows from the loss and the weights."""
        return self.loss.name not in ("squared_error", "poisson", "gamma")

    @property
    def _unknown(self) -> np.ndarray:
        return np.zeros((self.loss.classes, 2))

    @property
    def _constant(self) -> bool:
        """Whether all curvatures are 1."""
        return self.loss.name in ("squared_error", "absolute_error", "quantile") and not self._weighted

    def _finish(self, rate: float) -> tuple[list[Grown], list[np.ndarray]]:
        """The trees, and for each node that was ever looked at the leaf of the tree that its rows are in."""
        results: list[Any] = [
            frontier.finish(rate, self._exact, self.view.heaviest) for frontier in self._frontiers
        ]
        trees = [Grown(*result[0]) for result in results]
        leaf_of = [result[1] for result in results]
        if any(len(result[2]) for result in results):
            doubts = []
            for tree, of, result in zip(trees, leaf_of, results):
                place = np.full(len(tree.column), -1, np.int32)
                place[tree.leaf[result[2]]] = np.arange(len(result[2]))
                doubts.append(np.where(of >= 0, place[of], -1).astype(np.int32))
            steps, scales = [result[3] for result in results], [result[4] for result in results]
            decreases = self._pass(_Decreases(self.view, doubts, steps, scales)).parts
            for frontier, tree, result, decrease in zip(self._frontiers, trees, results, decreases):
                frontier.judge(tree.number, rate, result[2], decrease)
        return trees, leaf_of

    def _add(self, trees: list[Grown], leaf_of: list[np.ndarray]) -> None:
        if not all(np.isfinite(tree.number[tree.leaf]).all() for tree in trees):
            return  # the caller refuses the round
        before = self.losses
        values = _values(trees, leaf_of)
        self._step(_Step(self.view, values, self._watched, onward=self._next()))
        if not self._checked or self._overflow or before is None or self.losses is None:
            return
        if self.losses[0] > before[0] + ROUNDING * abs(before[0]):
            self._damp(trees, leaf_of, before[0])

    def _step(self, task: _Step) -> None:
        bad, learned, held, *onward = self._pass(task).parts
        self._overflow = bad > 0
        self.losses = self._sums((learned, held)) if task.wants_losses else None
        self._ahead = onward[0] if onward and not self._overflow else None

    @staticmethod
    def _sums(losses: Sequence[ExactSum]) -> tuple[float, float]:
        return float(losses[0]), float(losses[1])

    def _damp(self, trees: list[Grown], leaf_of: list[np.ndarray], before: float) -> None:
        """Shorten the steps of a round that raised the loss."""
        damping = Damping(trees, self.n, self.view.heaviest)
        was = _values(trees, leaf_of)

        def loss(shares: list[np.ndarray]) -> float:
            return float(self._pass(_Shortened(self.view, damping, leaf_of, shares, slopes=False)))

        def overshoot(shares: list[np.ndarray]) -> list[np.ndarray]:
            return damping.beyond(self._pass(_Shortened(self.view, damping, leaf_of, shares, slopes=True)))

        shares = shares_that_lower(damping.sizes, loss, overshoot if self._exact else None, before)
        damping.apply(shares)
        values = _values(trees, leaf_of)
        self._step(_Step(self.view, values, self._watched, back=was))

    def _next(self) -> _Extents | _Roots | None:
        """What may follow in the pass that adds a round; nothing where the round may yet be shortened."""
        return self._opening() if self._rounds_left > 0 and not self._checked else None

    def _set_leaves(self, tree: Grown, leaf_of: np.ndarray, rate: float) -> None:
        """Losses with corners: a leaf has the median (or other quantile) of its residuals."""
        if self._exact:
            steps = leaf_steps(self._pass, self.loss, leaf_of, tree, rate, self._weighted)
            tree.number[tree.leaf] = steps[tree.leaf]
        else:
            values = node_values(self._pass, self.loss, leaf_of, tree, self._weighted)
            set_bounded_leaves(tree, rate, self._monotonic, lambda node: float(values[node]))


def next_plan(frontier: _hist_passes.Frontier) -> dict[str, Any]:
    """What the next pass has to do for a tree, as the fields of a SplitPlan."""
    names = ("action", "place", "child", "slot", "set_start", "sets", "slots")
    return dict(zip(names, frontier.plan()))


def _bytes(total: Any) -> int:
    """The size of the arrays of a sum."""
    if isinstance(total, Added):
        return sum(map(_bytes, total.parts))
    return total.nbytes if isinstance(total, np.ndarray) else 0


def _values(trees: list[Grown], leaf_of: list[np.ndarray]) -> list[np.ndarray]:
    """For each tree the value of every node that was ever looked at."""
    return [np.where(of >= 0, tree.number[of], 0.0) for tree, of in zip(trees, leaf_of)]
