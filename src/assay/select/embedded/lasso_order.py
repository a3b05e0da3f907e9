"""The order in which columns enter the lasso, exactly: the path is piecewise linear, and its corners are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.parallel import end_if_abandoned

__all__ = ["LassoOrder", "lasso_order"]

Floats = NDArray[np.float64]

DEPENDENT = (
    1e-10  # of a column's square that is left after the active ones: below, it is a combination of them
)
MOST_CORNERS = (
    20  # for each column that can be active; a path has about one, and rounding must not make it endless
)
SPENT = 1e-12  # of the largest penalty: below, the path is at its end


@dataclass(frozen=True)
class LassoOrder:
    """The corners of a lasso path.

    Attributes
    ----------
    entry : (d,) the penalty at which each column first enters, 0 if it never does
    penalty : (c,) the penalty at each corner, falling
    squares : (c,) the sum of squared residuals there      size : (c,) active columns just below it
    refitted : (c,) the sum of squared residuals of least squares with the columns active just below it
    """

    entry: Floats
    penalty: Floats
    squares: Floats
    size: NDArray[np.int64]
    refitted: Floats


def lasso_order(
    X: Floats, y: Floats, most: int | None = None, group: NDArray[np.int64] | None = None
) -> LassoOrder:
    r"""Follow the minimum of :math:`\tfrac1{2n}\lVert y-Xw\rVert^2 + \lambda\lVert w\rVert_1` as lambda falls.

    Between corners the active weights move along :math:`G_A^{-1}s_A` with :math:`G_A = X_A^TX_A/n` and the signs s of
    their correlations with the residual; a corner is where an inactive column's correlation reaches lambda (it enters)
    or an active weight reaches 0 (it leaves). A column that is a combination of active ones enters, by its number, with
    them and gets no weight. Cost: O(n d) for each corner.

    Parameters
    ----------
    X : (n, d) centred, of comparable scale      y : (n,) centred
    most : stop once so many columns have entered; None follows the whole path
    group : (d,) columns of one group, such as the indicators of a nominal column, count once; None counts each

    References
    ----------
    - Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004). Least angle regression. Annals of Statistics
      32(2), 407-499. doi:10.1214/009053604000000067
    """
    n, d = X.shape
    group = np.arange(d) if group is None else group
    most = d + 1 if most is None else most
    entry, weight, usable = np.zeros(d), np.zeros(d), np.ones(d, bool)
    active: list[int] = []
    signs: list[float] = []
    correlation = X.T @ y / n
    level = float(np.abs(correlation).max(initial=0.0))
    top, residual = level, y
    usable &= (X * X).sum(axis=0) > 0
    corners: list[tuple[float, float, int, float]] = []
    left = -1  # the column that has just left, which may not enter at the same corner
    for _ in range(MOST_CORNERS * (min(n, d) + 1)):
        if not level > SPENT * top or len(np.unique(group[entry > 0])) >= most:
            break
        end_if_abandoned()
        near = usable & (np.abs(correlation) >= level * (1 - 1e-10))
        near[active] = False
        for j in np.flatnonzero(near).tolist():
            if j == left:
                continue
            entry[j] = entry[j] or level
            if _adds(X, active, j):
                active.append(j)
                signs.append(float(np.sign(correlation[j])))
            else:
                usable[j] = False
        if not active:
            break
        moment = X[:, active].T @ y / n
        both = np.column_stack([np.array(signs), moment])
        direction, refit = np.linalg.solve(X[:, active].T @ X[:, active] / n, both).T
        refitted = max(float(y @ y) - n * float(moment @ refit), 0.0)
        corners.append((level, float(residual @ residual), len(active), refitted))
        move = X[:, active] @ direction
        slope = X.T @ move / n
        idle = usable.copy()
        idle[active] = False
        step, left = level, -1
        if idle.any():
            with np.errstate(divide="ignore", invalid="ignore"):
                up = (level - correlation[idle]) / (1 - slope[idle])
                down = (level + correlation[idle]) / (1 + slope[idle])
            times = np.minimum(_later(up, level), _later(down, level))
            step = min(step, float(times.min()))
        zeros = -weight[active] / direction
        zeros[~(zeros > SPENT * level)] = np.inf
        k = int(np.argmin(zeros))
        if zeros[k] < step:
            step, left = float(zeros[k]), active[k]
        weight[active] += step * direction
        level -= step
        residual = y - X[:, active] @ weight[active]
        correlation = X.T @ residual / n
        if left >= 0:
            weight[left] = 0.0
            place = active.index(left)
            del active[place], signs[place]
    squares = float(residual @ residual)
    corners.append((max(level, 0.0), squares, len(active), corners[-1][3] if corners else squares))
    penalty, at_corner, size, fits = (np.array(column) for column in zip(*corners))
    return LassoOrder(entry, penalty, at_corner, size.astype(np.int64), fits)


def _later(times: Floats, level: float) -> Floats:
    """Steps that lie ahead; one of no length belongs to a column that has just left, or to rounding."""
    return np.where(np.isfinite(times) & (times > 1e-12 * level), times, np.inf)


def _adds(X: Floats, active: list[int], j: int) -> bool:
    """Whether column j is no combination of the active ones."""
    if len(active) >= len(X) - 1:
        return False
    if not active:
        return True
    x = X[:, j]
    G = X[:, active].T @ X[:, active]
    b = X[:, active].T @ x
    return bool(x @ x - b @ np.linalg.solve(G, b) > DEPENDENT * (x @ x))
