"""Dual problems whose kernel matrix does not fit in memory, solved in blocks of rows."""

from __future__ import annotations

import numpy as np

from assay.core.progress import Progress
from assay.svm.engine.row_cache import RowCache
from assay.svm.engine.search import Search

__all__ = ["search_in_blocks"]

BLOCK_ROWS = 1024  # rows whose multipliers move together, at least
MOST_BLOCK_ROWS = 4096  # where that many multipliers are free: fewer would move each other to and fro
BLOCK_SHARE = 0.25  # of the cache, for the matrix of a block
STEPS_A_ROW = 20  # within a block, at most
GAP_SHARE = 0.1  # of the gap that is left in a block: more exact is wasted, the others move too
BLOCKS_BETWEEN_SHRINKS = 8
SHRINK_SHARE = 0.1  # of the rows that must be able to leave
MOST_REFRESHES = 20


def search_in_blocks(
    search: Search, dtype: np.dtype, tol: float, cache_size: float, most: int, bar: Progress
) -> bool:
    """Move the multipliers of some rows at a time; whether the gap is below ``tol``.

    A block is half of the last one and the rows that violate optimality most, from both sides. Within its small matrix
    the multipliers move until the gap is a tenth of what it was; then the rows of those that moved, computed or still
    held (`RowCache`), bring the gradient of all rows up to date. Rows whose multipliers are at a bound and will hardly
    leave it are set aside once they are over a tenth; their gradient is computed anew before the search ends.
    """
    room = int((cache_size * BLOCK_SHARE * 2**20 / dtype.itemsize) ** 0.5)  # rows of the largest block
    cache = RowCache(search.gram, dtype, cache_size * (1 - BLOCK_SHARE))
    block = np.empty(0, dtype=np.int64)
    blocks, next_shrink, refreshes, idle = 0, BLOCKS_BETWEEN_SHRINKS, 0, 0
    while True:
        active = cache.columns
        high, low = _limits(search, active)
        search.gap = _gap(search, high, low)
        bar.advance(0, note=f"gap {search.gap:.2g}")
        if search.iterations >= most:
            _unshrink(search, cache, dtype)
            return False
        if search.gap < tol or idle > 1:
            if len(active) < search.n:
                _unshrink(search, cache, dtype)
                next_shrink, idle = blocks + BLOCKS_BETWEEN_SHRINKS, 0
                continue
            if idle > 1 and refreshes == MOST_REFRESHES:
                return False
            if refreshes == MOST_REFRESHES or (search.gap < tol and search.rounding(dtype) < 0.1 * tol):
                return search.gap < tol
            before = search.gap
            search.refresh()
            refreshes += 1
            high, low = _limits(search, active)
            search.gap = _gap(search, high, low)
            if search.gap < tol or (idle > 1 and search.gap >= before):
                return search.gap < tol
            idle = 0
        if blocks >= next_shrink:
            next_shrink = blocks + BLOCKS_BETWEEN_SHRINKS
            if _shrink(search, cache, high, low):
                block = block[np.isin(block, cache.columns)]
                continue
        block = _next_block(
            search, active, high, low, block[len(block) // 2 :], _block_size(search, active, room)
        )
        small = np.empty((len(block), len(block)), dtype)
        search.gram.fill(block, block, small)
        which = search.variables(block)
        before_alpha = search.alpha[which]
        goal = max(GAP_SHARE * search.gap, tol / 2)
        done = search.steps_of(block, small, goal, min(STEPS_A_ROW * len(block), most - search.iterations))
        moved = search.sign[which] * (search.alpha[which] - before_alpha)
        moved = moved.reshape(-1, len(block)).sum(axis=0)
        changed = np.flatnonzero(moved)
        if len(changed):
            G = search.G if len(active) == search.n else search.G[active]
            cache.subtract(block[changed], moved[changed], G)
            if len(active) < search.n:
                search.G[active] = G
        blocks += 1
        idle = 0 if done else idle + 1
        if idle:
            block = block[:0]
        bar.advance(done)


def _block_size(search: Search, active: np.ndarray, room: int) -> int:
    """More rows than there are free multipliers, as far as there is room for their matrix."""
    which = search.variables(active)
    free = int(np.count_nonzero((search.alpha[which] > 0) & (search.alpha[which] < search.upper[which])))
    wanted = BLOCK_ROWS * -(-free * 5 // (4 * BLOCK_ROWS))
    return min(max(min(wanted, MOST_BLOCK_ROWS, room), BLOCK_ROWS), len(active))


def _gap(search: Search, high: np.ndarray, low: np.ndarray) -> float:
    """By how much the worst pair, or the worst multiplier alone, violates optimality."""
    top, bottom = high.max(axis=1), low.min(axis=1)
    if search.dual.constraint == "none":
        return max(0.0, float(top[0]), float(-bottom[0]))
    return max(0.0, float((top - bottom).max()))


def _limits(search: Search, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(groups, n) for each row the largest F that may rise and the smallest that may fall, infinite if none may."""
    which = search.variables(rows)
    sign, alpha, upper = search.sign[which], search.alpha[which], search.upper[which]
    G = search.G[rows]
    F = (G if search.m == search.n else np.tile(G, 2)) + search.base[which]
    below, above = alpha < upper, alpha > 0
    up = np.where(np.where(sign > 0, below, above), F, -np.inf)
    down = np.where(np.where(sign > 0, above, below), F, np.inf)
    if search.dual.constraint == "none":  # a multiplier alone may move until its F is 0
        up, down = np.where(up > 0, up, -np.inf), np.where(down < 0, down, np.inf)
    if search.dual.constraint == "each sign":
        plus = sign > 0
        up = np.stack([np.where(plus, up, -np.inf), np.where(plus, -np.inf, up)])
        down = np.stack([np.where(plus, down, np.inf), np.where(plus, np.inf, down)])
    else:
        up, down = up[None], down[None]
    shape = len(up), -1, len(rows)
    return up.reshape(shape).max(axis=1), down.reshape(shape).min(axis=1)


def _next_block(
    search: Search, active: np.ndarray, high: np.ndarray, low: np.ndarray, kept: np.ndarray, q: int
) -> np.ndarray:
    """``kept``, and the rows that violate optimality most, as many from above as from below."""
    free = np.ones(search.n, dtype=bool)
    free[kept] = False
    taken = ~free[active]
    places = []
    share = max(1, (q - len(kept)) // (2 * len(high)))
    for values in [v for rising, falling in zip(high, low, strict=True) for v in (-rising, falling)]:
        values = np.where(taken, np.inf, values)
        count = min(share, len(values))
        best = np.argpartition(values, count - 1)[:count]
        best = best[np.isfinite(values[best])]
        taken[best] = True
        places.append(best)
    return np.concatenate([kept, active[np.concatenate(places)]])


def _shrink(search: Search, cache: RowCache, high: np.ndarray, low: np.ndarray) -> bool:
    """Set rows aside whose multipliers are at a bound where the worst violators would not call them; whether it did."""
    if len(cache.columns) <= 4 * BLOCK_ROWS or search.dual.constraint == "none":
        return False
    top, bottom = high.max(axis=1)[:, None], low.min(axis=1)[:, None]
    useless = ((high < bottom) & (low > top)) | ~(np.isfinite(high) | np.isfinite(low))
    leaves = useless.all(axis=0)
    if leaves.mean() <= SHRINK_SHARE:
        return False
    cache.keep(np.flatnonzero(~leaves))
    return True


def _unshrink(search: Search, cache: RowCache, dtype: np.dtype) -> None:
    aside = np.ones(search.n, dtype=bool)
    aside[cache.columns] = False
    if aside.any():
        search.refresh(np.flatnonzero(aside), dtype)
        cache.keep_all()
