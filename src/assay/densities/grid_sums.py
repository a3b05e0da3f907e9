"""Sums of kernels on a regular grid, by Fourier transform."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from assay.errors import ParameterError

__all__ = ["grid_sums", "shared_by_corners"]


def grid_sums(
    X: np.ndarray,
    weights: np.ndarray,
    bump: Callable[[np.ndarray], np.ndarray],
    size: int | tuple[int, ...],
    reach: np.ndarray,
    within: int = 1,
) -> tuple[list[np.ndarray], np.ndarray]:
    r"""At each point g of a grid :math:`\sum_t w_t\,b(g - x^t)`, as one convolution.

    Parameters
    ----------
    X : (n, d) rows       weights : (n,)
    bump : function of (m, d) offsets
    size : points along each column
    reach : (d,) how far the grid goes beyond the rows
    within : int, default 1
        Places along each side of a cell over which the bump is averaged; a bump with a jump needs several, or the
        cells that its edge cuts count as if they lay wholly inside.

    Returns
    -------
    axes : list of d arrays
    sums : array of shape ``size``, none negative

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities.grid_sums import grid_sums
    >>> axes, sums = grid_sums(np.array([[0.0], [1.0]]), np.ones(2), lambda x: np.exp(-np.abs(x[:, 0])), 5, np.ones(1))
    >>> axes[0]
    array([-1.  , -0.25,  0.5 ,  1.25,  2.  ])
    """
    from scipy.signal import fftconvolve

    d = X.shape[1]
    shape = tuple(size) if isinstance(size, tuple) else (size,) * d
    if len(shape) != d or not all(isinstance(m, (int, np.integer)) and m >= 2 for m in shape):
        raise ParameterError(f"size must be {d} whole numbers from 2 up, one for each column, got {size!r}.")
    axes = [np.linspace(X[:, j].min() - reach[j], X[:, j].max() + reach[j], shape[j]) for j in range(d)]
    shares = shared_by_corners(X, weights, axes)
    offsets = [(a[1] - a[0]) * np.arange(-(len(a) - 1), len(a)) for a in axes]
    bumps = _at(bump, offsets)
    if within > 1:
        _average(bumps, bump, offsets, within)
    return axes, np.maximum(fftconvolve(bumps, shares, mode="valid"), 0.0)  # rounding may fall below 0


def _at(bump: Callable[[np.ndarray], np.ndarray], offsets: list[np.ndarray]) -> np.ndarray:
    """The bump at all points of a lattice."""
    lattice = np.stack(np.meshgrid(*offsets, indexing="ij"), axis=-1).reshape(-1, len(offsets))
    return bump(lattice).reshape([len(o) for o in offsets])


def _average(
    bumps: np.ndarray, bump: Callable[[np.ndarray], np.ndarray], offsets: list[np.ndarray], within: int
) -> None:
    """Replace the bump at each point of a lattice by its mean over the cell around it, wherever it is not 0."""
    inside = [np.flatnonzero(bumps.any(axis=tuple(set(range(bumps.ndim)) - {j}))) for j in range(bumps.ndim)]
    block = tuple(slice(max(i[0] - 1, 0), i[-1] + 2) for i in inside)  # an edge may cut the cells next to it
    some = [o[part] for o, part in zip(offsets, block)]
    steps = [(o[1] - o[0]) * ((np.arange(within) + 0.5) / within - 0.5) for o in offsets]
    fine = [
        (o[:, None] + by).ravel() for o, by in zip(some[1:], steps[1:])
    ]  # the points inside cells side by side
    total = sum(_at(bump, [some[0] + by, *fine]) for by in steps[0]) / within
    shape = [len(some[0]), *(n for o in some[1:] for n in (len(o), within))]
    bumps[block] = np.asarray(total).reshape(shape).mean(axis=tuple(range(2, len(shape), 2)))


def shared_by_corners(X: np.ndarray, weights: np.ndarray, axes: list[np.ndarray]) -> np.ndarray:
    """Each weight shared by the 2^d corners of its row's cell, the nearer ones getting more: the means stay."""
    d, shape = X.shape[1], tuple(len(a) for a in axes)
    place = np.stack([(X[:, j] - a[0]) / (a[1] - a[0]) for j, a in enumerate(axes)], axis=1)
    cell = np.clip(np.floor(place), 0, np.array(shape) - 2).astype(np.int64)
    part = np.clip(place - cell, 0, 1)
    out = np.zeros(int(np.prod(shape)))
    for corner in product((0, 1), repeat=d):
        up = np.array(corner)
        share = weights * np.prod(np.where(up, part, 1 - part), axis=1)
        out += np.bincount(np.ravel_multi_index(tuple((cell + up).T), shape), share, minlength=len(out))
    return out.reshape(shape)
