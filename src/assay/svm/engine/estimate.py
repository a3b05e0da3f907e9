"""What a fit will cost, estimated before it begins."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.blocks import BLOCK_ROWS
from assay.svm.engine.dual import Dual
from assay.svm.engine.solve import solve

__all__ = ["Estimate", "estimate"]

PILOT_ROWS = 1_000
PILOT_STEPS = 20_000
TIMED_COLUMNS = 2_000
ROWS_MOVED_AGAIN = 3.0  # by how much more rows are used in blocks than there are support vectors, about


@dataclass(frozen=True)
class Estimate:
    """About what a fit costs, from a pilot on few rows: right within a factor of five or so.

    Attributes
    ----------
    support : int, support vectors
    steps : int, of two multipliers each
    values : int, kernel values that are computed
    megabytes : float, of kernel values that are held
    seconds : float, on one thread
    """

    support: int
    steps: int
    values: int
    megabytes: float
    seconds: float

    def __str__(self) -> str:
        """
        >>> from assay.svm.engine import Estimate
        >>> print(Estimate(8_000, 20_000, 400_000_000, 200.0, 2.31))
        about 8,000 support vectors, 20,000 steps, 4e+08 kernel values (200 MB held): some 2.3 seconds
        """
        return (
            f"about {self.support:,} support vectors, {self.steps:,} steps, {self.values:.2g} kernel values "
            f"({self.megabytes:.0f} MB held): some {self.seconds:.2g} seconds"
        )


def estimate(
    gram: GramRows, dual: Dual, *, tol: float = 1e-3, cache_size: float = 200.0, seed: int = 0
) -> Estimate:
    """About what ``solve`` with these arguments will cost.

    A thousand rows at random and a quarter of them are solved, which shows how support vectors and steps grow, and some
    kernel values are timed. Takes some hundredths of a second, more only for slow kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.svm.engine import Dual, estimate
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(2000, 3)), rng.choice([-1.0, 1.0], size=2000)
    >>> cost = estimate(RBF().gram_rows(X), Dual(y, -np.ones(2000), np.ones(2000), np.zeros(2000)))
    >>> 1000 < cost.support <= 2000, cost.values
    (True, 4000000)
    """
    n = gram.n
    rows = np.random.default_rng(seed).permutation(n)[:PILOT_ROWS]
    small, large = (
        _pilot(gram, dual, np.sort(rows[:k]), tol, cache_size) for k in (len(rows) // 4 or 1, len(rows))
    )
    support = round(_grown(small.support, large.support, n / len(rows), 0.5, 1.0))
    steps = round(_grown(small.steps, large.steps, n / len(rows), 0.5, 1.5))
    columns = np.arange(min(n, TIMED_COLUMNS))
    block = np.empty((min(48, len(rows)), len(columns)), np.float32)
    for _ in range(2):  # the first time also prepares the rows
        began = time.process_time()
        gram.fill(rows[: len(block)], columns, block)
    a_value = 0.0 if isinstance(gram, MatrixRows) else (time.process_time() - began) / block.size
    held = 4.0 * n * n / 2**20
    whole = held <= cache_size
    values = n * n if whole else round(min(ROWS_MOVED_AGAIN * support, 2 * steps) * n) + support * n
    length = n if whole else min(n, BLOCK_ROWS)  # of the rows that a step passes over
    seconds = values * a_value + steps * large.seconds_a_step * length / len(rows)
    return Estimate(support, steps, values, min(held, float(cache_size)), seconds)


@dataclass(frozen=True)
class _Pilot:
    support: int
    steps: int
    seconds_a_step: float


def _pilot(gram: GramRows, dual: Dual, rows: np.ndarray, tol: float, cache_size: float) -> _Pilot:
    which = rows if len(dual.sign) == gram.n else np.concatenate([rows, rows + gram.n])
    part = replace(
        dual, sign=dual.sign[which], linear=dual.linear[which], upper=dual.upper[which], start=dual.start[which],
        ridge=None if dual.ridge is None else dual.ridge[which],
    )  # fmt: skip
    began = time.process_time()
    solution = solve(gram.subset(rows), part, tol=tol, cache_size=cache_size, max_iter=PILOT_STEPS)
    seconds = time.process_time() - began
    used = int(np.count_nonzero((part.sign * solution.alpha).reshape(-1, len(rows)).sum(axis=0)))
    return _Pilot(used, solution.iterations, seconds / max(solution.iterations, 1))


def _grown(small: int, large: int, times: float, least: float, most: float) -> float:
    """What comes of ``large`` for so many times the rows, if it grows by the power seen from a quarter of them on."""
    power = np.log(max(large, 1) / max(small, 1)) / np.log(4.0)
    return float(large * times ** np.clip(power, least, most))
