"""The bootstrap: resampling plans and the intervals from resampled values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.seeds import drawn_seed
from assay.core.targets import encode_labels
from assay.errors import DataError
from assay.metrics import _areas
from assay.metrics._inputs import Scored
from assay.types import RandomState, RowLabels

__all__ = ["Plan", "bounds", "plan"]


@dataclass(frozen=True)
class Plan:
    """Which units a resample draws: rows, or whole groups of rows, in strata.

    unit : (n,) the unit of each row; starts : (S + 1,) first unit of each stratum; seed : of all resamples;
    resamples : how many
    """

    unit: np.ndarray
    starts: np.ndarray
    seed: int
    resamples: int

    @property
    def units(self) -> int:
        return int(self.starts[-1])

    @property
    def of_rows(self) -> bool:
        """Whether each row is a unit of its own."""
        return self.units == len(self.unit)

    def _run(
        self, fill: Callable[[int, np.ndarray], Any], width: int, work: int, part: range | None = None
    ) -> np.ndarray:
        """(B, width) from blocks of resamples, which threads share; the result does not depend on them."""
        numbers = range(self.resamples) if part is None else part
        out = np.empty((len(numbers), width))
        size = int(np.clip(4_000_000 // max(work, 1), 1, 256))
        firsts = list(range(0, len(numbers), size))
        with progress(len(firsts), "resampling") as bar:

            def block(first: int) -> None:
                fill(numbers.start + first, out[first : first + size])
                bar.advance()

            if len(numbers) * work < 200_000:
                for first in firsts:
                    block(first)
            else:
                in_threads(block, firsts)
        return out

    def areas(self, scores: Scored, precise: bool = False) -> np.ndarray:
        """(B, 2) area under the ROC curve and average precision of each resample; NaN where a class has no row.

        ``scores`` holds all rows of the plan. One sort for all resamples.
        """
        order = np.argsort(-scores.score, kind="stable")
        score = scores.score[order]
        last = np.append(np.diff(score) != 0, True).astype(np.uint8)
        positive = scores.positive[order].astype(np.uint8)
        unit = self.unit[order].astype(np.int32)
        w = np.empty(0) if scores.weight is None else scores.weight[order]
        return self._run(
            lambda first, out: _areas.resampled_areas(
                positive=positive,
                last=last,
                unit=unit,
                weight=w,
                starts=self.starts,
                seed=self.seed,
                first=first,
                precise=precise,
                out=out,
            ),
            2,
            len(score),
        )

    def sums(self, V: np.ndarray) -> np.ndarray:
        """(B, q) sums of the rows' values (n, q) over each resample."""
        V = np.ascontiguousarray(V, dtype=np.float64)
        table = np.zeros((self.units, V.shape[1]))
        np.add.at(table, self.unit, V)
        return self._run(
            lambda first, out: _areas.resampled_sums(table, self.starts, self.seed, first, out),
            V.shape[1],
            self.units * V.shape[1],
        )

    def cells(
        self, cell: np.ndarray, weight: np.ndarray | None, size: int, part: range | None = None
    ) -> np.ndarray:
        """(B, size) weight in each of ``size`` cells, for rows with (n,) cell numbers; of all resamples or a part."""
        w = np.ones(len(cell)) if weight is None else weight
        if not self.of_rows and self.units * size > 20_000_000:  # a table for each group would not fit
            samples = [self.rows(b) for b in (range(self.resamples) if part is None else part)]
            return np.array([np.bincount(cell[rows], weights=w[rows], minlength=size) for rows in samples])
        if not self.of_rows:
            table = np.zeros((self.units, size))
            np.add.at(table, (self.unit, cell), w)
            return self._run(
                lambda first, out: _areas.resampled_sums(table, self.starts, self.seed, first, out),
                size,
                self.units * size,
                part,
            )
        place, mass = np.empty(self.units, dtype=np.int32), np.empty(self.units)
        place[self.unit], mass[self.unit] = cell, w
        return self._run(
            lambda first, out: _areas.resampled_cells(place, mass, self.starts, self.seed, first, out),
            size,
            self.units,
            part,
        )

    def tables(
        self,
        truth: np.ndarray,
        answer: np.ndarray,
        weight: np.ndarray | None,
        K: int,
        g: Callable[[np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """(B,) a function of the (K, K) confusion tables of all resamples, few tables in memory at a time."""
        cell, size = truth * K + answer, max(1, 8_000_000 // (K * K))
        parts = [range(b, min(b + size, self.resamples)) for b in range(0, self.resamples, size)]
        return np.concatenate([g(self.cells(cell, weight, K * K, part).reshape(-1, K, K)) for part in parts])

    def rows(self, resample: int) -> np.ndarray:
        """The row numbers of one resample."""
        sampled = np.empty(self.units, dtype=np.int64)
        _areas.drawn_units(self.starts, self.seed, resample, sampled)
        by_unit, begins, ends = self._rows_of_units
        if self.of_rows:
            return by_unit[sampled]
        return np.concatenate([by_unit[begins[u] : ends[u]] for u in sampled])

    @cached_property
    def _rows_of_units(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows, unit by unit, and where each unit's begin and end."""
        size = np.bincount(self.unit, minlength=self.units)
        ends = np.cumsum(size)
        return np.argsort(self.unit, kind="stable"), ends - size, ends


def plan(
    n: int,
    *,
    strata: RowLabels | None = None,
    groups: RowLabels | None = None,
    resamples: int = 2000,
    random_state: RandomState = 0,
    who: str = "plan",
) -> Plan:
    """Plan the resampling of n rows.

    Parameters
    ----------
    n : rows
    strata : (n,) labels; every resample has as many units of each as the data. None draws from all
    groups : (n,) labels; rows of a group are drawn together, because they are not independent
    resamples : how many
    random_state : int, a generator, or None for another seed each time

    Examples
    --------
    >>> from assay.metrics.bootstrap import plan
    >>> resampling = plan(6, strata=[0, 0, 0, 0, 1, 1], random_state=1)
    >>> sorted(resampling.rows(0).tolist())[-2:], resampling.units
    ([4, 5], 6)
    """
    check_count(who, "resamples", resamples, low=20)
    seed = drawn_seed(random_state, who)
    if n < 2:
        raise DataError(f"resampling needs at least two rows, got {n}.", who=who)
    unit = np.arange(n) if groups is None else encode_labels(groups, n, f"{who}: groups")[1]
    units = int(unit.max()) + 1
    if units < 2:
        raise DataError(f"resampling needs at least two {'rows' if groups is None else 'groups'}.", who=who)
    starts = np.array([0, units])
    if strata is not None:
        stratum = encode_labels(strata, n, f"{who}: strata")[1]
        of_unit = np.empty(units, dtype=np.int64)
        of_unit[unit] = stratum
        if (of_unit[unit] != stratum).any():
            raise DataError(
                "a group has rows of several strata, so groups cannot be drawn within strata.", who=who
            )
        place = np.empty(units, dtype=np.int64)
        place[np.argsort(of_unit, kind="stable")] = np.arange(units)
        unit, starts = place[unit], np.append(0, np.cumsum(np.bincount(of_unit)))
    return Plan(unit, starts.astype(np.int64), seed, int(resamples))


def bounds(
    resampled: np.ndarray,
    value: float,
    alpha: float,
    kind: str,
    influence: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[float, float]:
    r"""The interval from resampled values (Efron and Tibshirani 1993).

    "percentile" takes the quantiles :math:`\alpha/2` and :math:`1-\alpha/2`; "basic" reflects them at the value; "bca"
    moves them by the bias :math:`z_0 = \Phi^{-1}(\text{share below the value})` and by the acceleration
    :math:`a = \sum l_i^3 / 6(\sum l_i^2)^{3/2}` of the rows' influences :math:`l_i`:

    .. math:: \Phi\!\left(z_0 + \frac{z_0 + z_q}{1 - a(z_0 + z_q)}\right)

    Parameters
    ----------
    resampled : (B,) values, without NaN
    value : of the data themselves
    influence : (l, how often), only for "bca"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics.bootstrap import bounds
    >>> bounds(np.arange(101) / 100, 0.5, 0.1, "percentile")
    (0.05, 0.95)
    """
    quantiles = np.array([alpha / 2, 1 - alpha / 2])
    if kind == "bca":
        from scipy.special import ndtr, ndtri

        below = (np.count_nonzero(resampled < value) + np.count_nonzero(resampled == value) / 2) / len(
            resampled
        )
        if 0 < below < 1:
            bias, bent = float(ndtri(below)), 0.0
            if influence is not None:
                l, times = influence
                size = float(times @ l**2)
                bent = float(times @ l**3) / (6 * size**1.5) if size > 0 else 0.0
            z = bias + ndtri(quantiles)
            quantiles = ndtr(bias + z / np.maximum(1 - bent * z, 1e-3))
    low, high = np.quantile(resampled, quantiles)
    return (2 * value - float(high), 2 * value - float(low)) if kind == "basic" else (float(low), float(high))
