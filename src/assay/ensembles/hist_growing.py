"""Rounds of histogram boosting: what the native code needs, and the threads that share one round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import assay.ensembles._hist_boosting as _hist_boosting
from assay.core.exact_sum import ExactSum
from assay.core.parallel import in_threads, threads
from assay.core.scores import softmax
from assay.ensembles.damping import ROUNDING, shares_that_lower
from assay.ensembles.hist_bins import Bins, Codes
from assay.ensembles.hist_losses import HistLoss, weight_unit
from assay.ensembles.hist_trees import Grown

__all__ = ["Boosting", "Damping", "Limits", "set_bounded_leaves"]

WORTH_SHARING = 1 << 22  # cells of a table below which a round is faster on one thread
SORTING = 400  # cells that take as long as sorting the bins of a nominal column, per bin
MEMORY = 1 << 28  # bytes for the histograms of nodes that wait to be split


@dataclass(frozen=True)
class Limits:
    """What a tree may be: see the parameters of the same meaning of :class:`HistGradientBoostingClassifier`."""

    leaves: int | None = 31
    depth: int | None = None
    rows: int = 20
    l2: float = 0.0
    column_share: float = 1.0


class Damping:
    """The steps of one round, to be shortened where together they raise the loss (:mod:`assay.ensembles.damping`).

    Slopes are added up as whole numbers, so that their signs do not depend on the order of the rows.
    """

    def __init__(self, trees: list[Grown], n: int, heaviest: float):
        self.trees = trees
        self.sizes = [len(tree.column) for tree in trees]
        longest = max(float(np.abs(tree.number[tree.leaf]).max()) for tree in trees)
        self._unit = weight_unit(heaviest * longest, n)

    @staticmethod
    def shortened(added: np.ndarray, node: np.ndarray, shares: list[np.ndarray]) -> np.ndarray:
        """(K, n) what is left of the steps ``added`` of rows in these nodes of the trees."""
        return added * np.array([share[leaf] for share, leaf in zip(shares, node)])

    def slopes(
        self,
        start: np.ndarray,
        added: np.ndarray,
        node: np.ndarray,
        shares: list[np.ndarray],
        y: np.ndarray,
        w: np.ndarray | None,
    ) -> np.ndarray:
        """The sums over rows of the slopes along the step of each node, all trees' one after the other."""
        steps = self.shortened(added, node, shares)
        P = softmax((start + steps).T.copy()).T
        P[y.astype(np.intp), np.arange(len(y))] -= 1.0
        whole = np.rint((P if w is None else P * w) * steps / self._unit)
        return np.concatenate(
            [np.bincount(n, weights=each, minlength=size) for n, each, size in zip(node, whole, self.sizes)]
        )

    def beyond(self, slopes: np.ndarray) -> list[np.ndarray]:
        """Which nodes of each tree have gone too far."""
        return [part > 0 for part in np.split(slopes, np.cumsum(self.sizes)[:-1])]

    def apply(self, shares: list[np.ndarray]) -> None:
        for tree, share in zip(self.trees, shares):
            tree.number[tree.leaf] *= share[tree.leaf]


class Boosting:
    """Binned training rows, their targets and scores, and a native session that grows trees on them.

    Parameters
    ----------
    bins, codes : the training rows in bins
    y, w : (n,) targets and weights (or None)
    raw : (K, n) scores so far; each round adds to them
    loss : HistLoss
    limits : Limits
    monotonic : (d,) -1, 0 or 1
    groups : lists of columns that may meet on a way down; empty for no constraint
    """

    def __init__(
        self,
        bins: Bins,
        codes: Codes,
        y: np.ndarray,
        w: np.ndarray | None,
        raw: np.ndarray,
        loss: HistLoss,
        limits: Limits,
        monotonic: np.ndarray,
        groups: Sequence[Sequence[int]] = (),
    ):
        n = len(codes)
        self.y, self.w, self.raw, self.loss = y, w, raw, loss
        self._exact, self._monotonic = not monotonic.any(), monotonic
        self._heaviest = 1.0 if w is None else float(w.max())
        sorted_bins = min(n, int(bins.bins[bins.nominal.astype(bool)].sum()))
        work = n * len(bins.bins) + SORTING * sorted_bins
        self._helpers = threads() - 1 if work >= WORTH_SHARING else 0
        self._session = _hist_boosting.Session(
            bins.native,
            _hist_boosting.Codes(
                panels=codes.panels, columns=codes.columns, wide=codes.wide, missing=codes.missing
            ),
            monotonic.astype(np.int8),
            [sorted(group) for group in groups],
            n,
            _hist_boosting.Growth(
                leaves=limits.leaves or 0,
                depth=limits.depth or 0,
                least=limits.rows,
                l2=float(limits.l2),
                share=float(limits.column_share),
                memory=MEMORY,
            ),
        )
        self._top, self._inverse = (np.empty(n), np.empty(n)) if len(raw) > 1 else (None, None)
        checked = len(raw) > 1 or not self._exact  # elsewhere each leaf by itself is bound to lower the loss
        self._node = np.zeros((len(raw), n), np.int32) if checked else None
        self._loss_now = np.nan  # the sum of losses at the scores, where rounds are checked

    def round(self, rate: float, seeds: Sequence[int]) -> list[Grown] | None:
        """One more tree for each score, added to the scores; None if the gradients are not finite any more."""
        if self._helpers == 0:
            return self._lead(_hist_boosting.Crew(1), rate, seeds)
        crew = _hist_boosting.Crew(self._helpers + 1)
        grown: list[list[Grown] | None] = []

        def lead() -> None:
            try:
                grown.append(self._lead(crew, rate, seeds))
            finally:
                crew.close()  # helpers go home, also if the leader stumbled

        parts: list[Callable[[], None]] = [lead, *[crew.help] * self._helpers]
        in_threads(lambda part: part(), parts)
        return grown[0]

    def _lead(self, crew: _hist_boosting.Crew, rate: float, seeds: Sequence[int]) -> list[Grown] | None:
        trees = []
        many = len(self.raw) > 1
        if self._node is not None and np.isnan(self._loss_now):
            self._loss_now = self._total_loss(self.raw, crew)
        for k, scores in enumerate(self.raw):
            parameter = float(k) if many else self.loss.quantile
            if not self._session.gradients(
                kind=self.loss.kind,
                parameter=parameter,
                raw=scores,
                y=self.y,
                w=self.w,
                heaviest=self._heaviest,
                top=self._top,
                inverse=self._inverse,
                crew=crew,
            ):
                return None
            tree = Grown(*self._session.grow(rate, self._exact, seeds[k], crew))  # type: ignore[arg-type]
            if not self.loss.smooth:
                self._set_leaves(tree, scores, rate)
            self._session.add(tree.number, scores, None if self._node is None else self._node[k], crew)
            trees.append(tree)
        if self._node is not None and all(np.isfinite(tree.number[tree.leaf]).all() for tree in trees):
            self._check_round(trees, self._node, crew)
        return trees

    def _total_loss(self, raw: np.ndarray, crew: _hist_boosting.Crew) -> float:
        """The sum of losses of all rows; of many classes also what their softmax is divided by, for the next round."""
        if len(raw) == 1:
            return float(self.loss.total(raw, self.y, self.w))
        _hist_boosting.normalisers(raw, self._top, self._inverse, crew)
        total = ExactSum()
        _hist_boosting.softmax_losses(
            raw=raw, y=self.y, w=self.w, top=self._top, inverse=self._inverse, parts=total.parts, crew=crew
        )
        return float(total)

    def _check_round(self, trees: list[Grown], node: np.ndarray, crew: _hist_boosting.Crew) -> None:
        """Shorten the steps of a round that raised the loss."""
        after = self._total_loss(self.raw, crew)
        if after > self._loss_now + ROUNDING * abs(self._loss_now):
            added = np.array([tree.number[leaf] for tree, leaf in zip(trees, node)])
            start, single = self.raw - added, _hist_boosting.Crew(1)
            damping = Damping(trees, len(self.y), self._heaviest)

            def scores(shares: list[np.ndarray]) -> np.ndarray:
                return start + damping.shortened(added, node, shares)

            shares = shares_that_lower(
                damping.sizes,
                lambda shares: self._total_loss(scores(shares), single),
                (lambda shares: damping.beyond(damping.slopes(start, added, node, shares, self.y, self.w)))
                if self._exact
                else None,  # leaves must stay in proportion
                self._loss_now,
            )
            damping.apply(shares)
            self.raw[:] = start + np.array([tree.number[leaf] for tree, leaf in zip(trees, node)])
            after = self._total_loss(self.raw, crew)
        self._loss_now = after

    def _set_leaves(self, tree: Grown, scores: np.ndarray, rate: float) -> None:
        """Losses with corners: a leaf has the median (or other quantile) of its residuals."""
        rows, inner = self._session.rows(), tree.column >= 0
        start, stop = np.empty(len(inner), np.int64), np.empty(len(inner), np.int64)
        start[tree.leaf], stop[tree.leaf] = tree.leaf_start, np.append(tree.leaf_start[1:], len(rows))

        def value(node: int) -> float:
            some = rows[start[node] : stop[node]]
            w = None if self.w is None else self.w[some]
            return self.loss.leaf_value(self.y[some] - scores[some], w)

        def step(node: int) -> float:
            some = rows[start[node] : stop[node]]
            w = None if self.w is None else self.w[some]
            return self.loss.leaf_step(self.y[some] - scores[some], w, rate)

        if self._exact:
            for leaf in tree.leaf:
                tree.number[leaf] = step(leaf)
            return
        for i in np.flatnonzero(inner)[::-1]:  # children stand behind their parents
            start[i], stop[i] = start[i + 1], stop[tree.right[i]]
        set_bounded_leaves(tree, rate, self._monotonic, value)


def set_bounded_leaves(
    tree: Grown, rate: float, monotonic: np.ndarray, value: Callable[[int], float]
) -> None:
    """Leaves of losses with corners under monotonic constraints: a test of such a column bounds what is below it."""
    bounds = np.tile([-np.inf, np.inf], (len(tree.column), 1))
    for i, (j, right) in enumerate(zip(tree.column.tolist(), tree.right.tolist())):
        if j < 0:
            tree.number[i] = rate * np.clip(value(i), *bounds[i])
            continue
        bounds[i + 1] = bounds[right] = bounds[i]
        if not monotonic[j]:
            continue
        low, high = (i + 1, right) if monotonic[j] > 0 else (right, i + 1)
        a, b = np.clip([value(low), value(high)], *bounds[i])
        middle = (a + b) / 2 if a <= b else np.clip(value(i), *bounds[i])
        bounds[low, 1] = bounds[high, 0] = middle
