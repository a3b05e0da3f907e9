"""The spread of the numbers in each cell and class, and what stands in where a cell has none."""

from __future__ import annotations

import numpy as np

from assay.bayes.gaussian_columns import TINY
from assay.bayes.joint_sums import JointSums


def cell_gaussians(
    sums: JointSums, K: int, floor: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Means and spreads of the G cells, then of the K whole classes; which columns vary; which cells fell back.

    Variances (covariances) are by maximum likelihood and at least the floor. One that is 0 (singular) is
    replaced by the first that is not, of: within the cells of the class, within all cells, over all rows.
    """
    classes = sums.keys[:, -1].astype(np.int64)
    n_classes, n = sums.class_count, max(float(sums.class_count.sum()), TINY)
    inside = np.zeros((K, *sums.scatter.shape[1:]))
    np.add.at(inside, classes, sums.scatter)
    groups = [np.flatnonzero(classes == k) for k in range(K)] + [np.arange(len(classes))]
    parts = [_together(sums, rows) for rows in groups]
    mean = np.concatenate([sums.mean, [part[0] for part in parts[:K]]])
    scatter = np.concatenate([sums.scatter, [part[1] for part in parts[:K]]])
    overall = parts[K][1] / n
    varies = (np.diagonal(overall) if overall.ndim == 2 else overall) >= TINY
    spread = _over(scatter, np.concatenate([sums.count, n_classes]))
    owner = np.concatenate([classes, np.arange(K)])
    stand_ins = (_over(inside, n_classes)[owner], inside.sum(axis=0) / n, overall)
    settle = _variances if spread.ndim == 2 else _covariances
    spread, fallen = settle(spread, stand_ins, floor, varies)
    return mean, spread, varies, fallen[: len(sums.count)]


def total_scatter(sums: JointSums) -> np.ndarray:
    """The scatter of all rows about their mean; infinite if it is past the range of floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _together(sums, np.arange(len(sums.count)))[1]


def _together(sums: JointSums, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and scatter of several cells as one."""
    count = sums.count[rows]
    mean = count @ sums.mean[rows] / (count.sum() or 1.0)
    gap = sums.mean[rows] - mean
    between = (gap.T * count) @ gap if sums.scatter.ndim == 3 else count @ (gap * gap)
    return mean, sums.scatter[rows].sum(axis=0) + between


def _over(scatter: np.ndarray, count: np.ndarray) -> np.ndarray:
    return scatter / np.where(count > 0, count, 1.0).reshape((-1,) + (1,) * (scatter.ndim - 1))


def _variances(
    var: np.ndarray, stand_ins: tuple[np.ndarray, ...], floor: float, varies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    var = np.maximum(var, floor)
    fallen = ((var < TINY) & varies).any(axis=1)
    for other in stand_ins:
        var = np.where(var >= TINY, var, other)
    return np.where(varies, var, 1.0), fallen


def _covariances(
    estimates: np.ndarray, stand_ins: tuple[np.ndarray, ...], floor: float, varies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    inside, within, overall = stand_ins
    last = np.diag(np.where(varies, np.diag(overall), 1.0))
    fallen, settled = np.zeros(len(estimates), dtype=bool), np.empty_like(estimates)
    for g in range(len(estimates)):
        for choice in (estimates[g], inside[g], within, overall, last):
            regular = _regular(choice, floor, varies)
            if regular is not None:
                settled[g] = regular
                break
            fallen[g] = True
    return settled, fallen


def _regular(S: np.ndarray, floor: float, varies: np.ndarray) -> np.ndarray | None:
    """S with eigenvalues from the floor up, or None if it is singular; a column that never varies gets 1."""
    S = np.where(varies[:, None] & varies, S, np.diag(np.where(varies, 0.0, 1.0)))
    if floor > 0:
        values, vectors = np.linalg.eigh(S)
        return (vectors * np.maximum(values, floor)) @ vectors.T
    if not (np.diag(S) >= TINY).all():
        return None
    scale = np.sqrt(np.diag(S))
    return S if np.linalg.eigvalsh(S / np.outer(scale, scale))[0] > 1e-10 else None
