"""What a fit will cost, estimated before it begins."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.dual import Dual
from assay.svm.engine.solve import solve

__all__ = ["Estimate", "estimate"]

PILOT_ROWS = 500
PILOT_STEPS = 20_000
TIMED_COLUMNS = 2_000
ROWS_MOVED_AGAIN = 3.0  # by how much more rows are used in blocks than there are support vectors, about


@dataclass(frozen=True)
class Estimate:
    """About what a fit costs, from a pilot on few rows: right within a factor of three or so.

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

    Some rows at random are solved, and some kernel values timed: steps grow about as the rows do, kernel values as
    their square. Takes a few hundredths of a second, more only for slow kernels.

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
    n, rng = gram.n, np.random.default_rng(seed)
    rows = np.sort(rng.permutation(n)[:PILOT_ROWS])
    which = rows if len(dual.sign) == n else np.concatenate([rows, rows + n])
    ridge = None if dual.ridge is None else dual.ridge[which]
    part = replace(
        dual, sign=dual.sign[which], linear=dual.linear[which], upper=dual.upper[which], start=dual.start[which],
        ridge=ridge,
    )  # fmt: skip
    began = time.process_time()
    pilot = solve(gram.subset(rows), part, tol=tol, cache_size=cache_size, max_iter=PILOT_STEPS)
    a_step = (time.process_time() - began) / max(pilot.iterations, 1) * n / len(rows)
    share = n / len(rows)
    columns = np.arange(min(n, TIMED_COLUMNS))
    block = np.empty((min(48, len(rows)), len(columns)), np.float32)
    began = time.process_time()
    gram.fill(rows[: len(block)], columns, block)
    a_value = 0.0 if isinstance(gram, MatrixRows) else (time.process_time() - began) / block.size
    used = np.count_nonzero((part.sign * pilot.alpha).reshape(-1, len(rows)).sum(axis=0))
    support, steps = round(used * share), round(pilot.iterations * share)
    held = 4.0 * n * n / 2**20
    values = n * n if held <= cache_size else round(min(ROWS_MOVED_AGAIN * support, steps) * n) + support * n
    seconds = values * a_value + steps * a_step
    return Estimate(support, steps, values, min(held, cache_size), seconds)
