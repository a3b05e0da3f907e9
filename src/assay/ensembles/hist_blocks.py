"""From a source of blocks to rounds of boosting: totals of all rows, their bins, and what is kept of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.exact_sum import ExactSum
from assay.core.kept import Arrays, Kept
from assay.core.row_draws import row_uniforms
from assay.core.sums import Block, Source
from assay.core.targets import check_weights
from assay.ensembles.added import Added, Largest
from assay.ensembles.hist_bins import Bins, Codes, bins_of
from assay.ensembles.hist_losses import HistLoss
from assay.ensembles.hist_order import at_root
from assay.ensembles.hist_sketch import BinSketch, RowSample
from assay.errors import DataError, DegenerateError

if TYPE_CHECKING:
    from assay.ensembles.hist_learner import HistBoosting

__all__ = ["BlockTargets", "KeptRows", "Totals", "keep_rows"]

_HELD_OUT = 2  # the stream of the numbers that rows are held out by


@dataclass(frozen=True)
class BlockTargets:
    """Targets and weights of a block, and which rows are held out to judge by.

    Parameters
    ----------
    class_weights : (K,) what rows of each class count; None counts them alike
    held : the share of rows that is held out, by row number and seed: they are the same however the rows are cut
    weighted : whether other blocks have weights; then each row of one without counts once
    """

    class_weights: np.ndarray | None = None
    held: float = 0.0
    seed: int = 0
    who: str = ""
    weighted: bool = False

    def of(self, block: Block) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Targets, weights or None, and 1 for rows that are held out or None."""
        y = np.ascontiguousarray(block.y, dtype=np.float64)
        if y.ndim != 1:
            raise DataError(
                f"{self.who}: y should be a 1d array, got an array of shape {y.shape}. Fit one model for each column."
            )
        w = block.w
        if w is not None:
            w = check_weights(w, len(y), self.who) if np.any(w) else np.zeros(len(y))
        elif self.weighted:
            w = np.ones(len(y))
        if self.class_weights is not None:
            each = self.class_weights[y.astype(np.intp)]
            w = each if w is None else w * each
        held = None
        if self.held:
            held = (row_uniforms(self.seed, _HELD_OUT, block.start, len(y)) < self.held).astype(np.uint8)
        return y, w, held


@dataclass(frozen=True)
class Totals:
    """What is known of the targets after a pass; of rows held out their number and weight alone.

    Attributes
    ----------
    rows, held_rows : how many
    counts, class_weight : rows and weight of each class, of a classification
    targets, weight, held_weight : sums of weighted targets and of weights
    least, heaviest : the smallest target, and the largest weight
    weighted : whether there are weights
    """

    rows: int
    held_rows: int
    counts: np.ndarray
    class_weight: np.ndarray
    targets: float
    weight: float
    held_weight: float
    least: float
    heaviest: float
    weighted: bool

    @classmethod
    def of(cls, source: Source, targets: BlockTargets, K: int) -> Totals:
        def summarize(block: Block) -> Added:
            y, w, held = targets.of(block)
            learn = slice(None) if held is None else held == 0
            n = len(y)
            aside = np.zeros(0) if held is None else _weights(w, n)[held == 1]
            y, w = y[learn], None if w is None else w[learn]
            counts = np.bincount(y.astype(np.intp), minlength=K) if K else np.zeros(0, int)
            each = counts.astype(np.float64) if w is None else [w[y == k] for k in range(K)]
            classes = [ExactSum(np.atleast_1d(rows)) for rows in each]
            largest = [
                -np.inf if not len(y) else -y.min(),
                float(len(y) > 0) if w is None else w.max(initial=0.0),
                w is not None,
            ]
            return Added(
                np.array([len(y), n - len(y)]),
                counts,
                ExactSum(y, w),
                ExactSum(np.array([float(len(y))]) if w is None else w),
                ExactSum(aside),
                Largest(np.array(largest, dtype=float)),
                *classes,
            )

        (rows, held), counts, sum_y, sum_w, sum_held, largest, *classes = source.add_up(summarize).parts
        weighted = bool(largest.value[2])
        return cls(
            int(rows),
            int(held),
            counts,
            np.array([float(c) for c in classes]) if weighted else counts.astype(np.float64),
            float(sum_y),
            float(sum_w) if weighted else float(rows),
            float(sum_held) if weighted else float(held),
            -float(largest.value[0]),
            float(largest.value[1]) if weighted else 1.0,
            weighted,
        )

    def start(self, loss: HistLoss) -> np.ndarray | None:
        """The constant score with the least loss; None if it is not a function of sums."""
        if loss.name == "multinomial":
            return loss.start_of_shares(self.class_weight)
        return loss.start_of_mean(self.targets / self.weight) if loss.smooth else None


@dataclass(frozen=True)
class KeptRows:
    """What is kept of a block: codes, targets, weights, scores, and the rows sorted by the nodes they have reached."""

    writable = ("raw", "order", "node", "top", "inverse")  # the last of several classes

    bins: Bins
    targets: BlockTargets
    start: np.ndarray  # (K,) the first scores

    def __call__(self, block: Block) -> Arrays:
        y, w, held = self.targets.of(block)
        codes = self.bins.codes(np.ascontiguousarray(block.X))
        arrays = {
            "panels": codes.panels,
            "wide": codes.wide,
            "missing": missing_in(codes, self.bins, held),
            "y": y,
            "raw": np.broadcast_to(self.start[:, None], (len(self.start), len(y))),
            **at_root(len(self.start), len(y)),
        }
        if len(self.start) > 1:
            arrays |= {"top": np.zeros(len(y)), "inverse": np.zeros(len(y))}
        if w is not None:
            arrays["w"] = w
        if held is not None:
            arrays["held"] = held
        return arrays


def _weights(w: np.ndarray | None, n: int) -> np.ndarray:
    return np.ones(n) if w is None else w


def find_block_bins(
    source: Source, targets: BlockTargets, totals: Totals, n_categories: np.ndarray, max_bins: int, seed: int
) -> Bins:
    """Bins of the training rows by one pass."""
    sample = RowSample(
        totals.rows,
        seed,
        totals.weight if totals.weighted else None,
        totals.heaviest if totals.weighted else 1.0,
    )

    def sketch(block: Block) -> BinSketch:
        _, w, held = targets.of(block)
        X = np.ascontiguousarray(block.X)
        if held is None:
            return BinSketch.of(X, n_categories, max_bins, sample, w, block.start)
        return BinSketch.of(X, n_categories, max_bins, sample, w, block.start, learn=held == 0)

    total = source.add_up(sketch)
    return replace(bins_of(total, n_categories, max_bins, sample), dense=True)


def missing_columns(kept: Kept) -> np.ndarray:
    """(d,) 1 for columns with missing values in the training rows that are kept."""
    total: Largest = kept.add_up(lambda arrays: Largest(arrays["missing"]))
    return np.asarray(total.value)


def missing_in(codes: Codes, bins: Bins, held: np.ndarray | None) -> np.ndarray:
    """The same of a block; rows that are held out do not count."""
    if held is None:
        return codes.missing
    places = zip(bins.place.tolist(), bins.bins.tolist())
    return np.array(
        [((codes.columns[p] if p >= 0 else codes.wide[~p])[held == 0] == none).any() for p, none in places],
        dtype=np.uint8,
    )


def keep_rows(
    model: HistBoosting, source: Source, loss: HistLoss, n_categories: np.ndarray
) -> tuple[Any, Bins, np.ndarray, Totals, np.ndarray | None]:
    """Rows of a source as they are kept for the rounds, their bins, and what follows from their targets."""
    who = type(model).__name__
    K = len(model.classes_) if hasattr(model, "classes_") else 0
    source = source.numbered()
    whole = Totals.of(source, BlockTargets(who=who), K)
    model._check_range(whole.least, whole.targets if not whole.weighted else np.inf)
    model.do_early_stopping_ = (
        whole.rows > 10_000 if model.early_stopping == "auto" else bool(model.early_stopping)
    )
    share = 0.0
    if model.do_early_stopping_ and model.validation_fraction is not None:
        share = float(model.validation_fraction)
        share = share if share < 1 else share / whole.rows
    targets = BlockTargets(model._class_weights(whole.counts), share, model.seed_, who, whole.weighted)
    plain = targets.class_weights is None and not share
    totals = whole if plain else Totals.of(source, targets, K)
    _check_totals(totals, share, who)
    bins = find_block_bins(source, targets, totals, n_categories, int(model.max_bins), model.seed_)
    start = totals.start(loss)
    first = np.zeros(loss.classes) if start is None else start
    kept = source.keep(KeptRows(bins, targets, first), writable=KeptRows.writable)
    return kept, bins, missing_columns(kept), totals, start


def _check_totals(totals: Totals, share: float, who: str) -> None:
    if totals.rows + totals.held_rows >= 1 << 31:
        raise DataError(f"{who}: takes fewer than 2^31 rows, got {totals.rows + totals.held_rows:,}.")
    remedy = "set early_stopping=False"
    if not totals.rows or (share and not totals.held_rows):
        raise DataError(
            f"{who}: {totals.rows} rows are left to learn from and {totals.held_rows} to judge by when to stop. Give "
            f"more rows, or {remedy}."
        )
    if not 0 < totals.weight < np.inf or (share and not totals.held_weight > 0):
        raise DegenerateError(
            f"{who}: all rows to learn from, or all that are set aside to judge by, weigh 0, or too much to be added "
            f"up. Leave rows of weight 0 out{', or ' + remedy if share else ''}."
        )
