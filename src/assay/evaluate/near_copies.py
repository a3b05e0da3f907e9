"""Rows that are nearly equal to another one: copies with noise, other units, other rounding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluate.copies import row_hashes
from assay.evaluate.finding import SAMPLE, Case, Finding
from assay.tables import RowNames
from assay.types import Floats

__all__ = ["NEAR_COPY_CHECKS"]

_NEAR = 1e-3  # of a column's spread: its standard deviation, were it Gaussian
_FINE = 50  # distinct numbers a column must have among 1000 rows
_STEPS = 2000  # neighbours looked at before rows are called dense
_COLUMNS = 4  # so many such columns at least, or rows are near each other by chance
MAX_ROWS = 20_000  # distinct rows looked at; of more, those in the middle of one direction


def near_copies(case: Case) -> Iterator[Finding]:
    """Pairs within a thousandth of every column's spread, that are not merely the closest of many close ones.

    Where rows are dense by nature, three times the distance has three times the pairs at least; copies with noise
    have hardly more. So pairs count only if three times the distance adds less than half as many again.
    """
    if case.equal is None or len(case.values) < 50:
        return
    fine = [j for j in case.compared if _is_fine(case, j)]
    if len(fine) < _COLUMNS:
        return
    rows = np.unique(case.equal, return_index=True)[1]  # of exact copies one
    spread = _spread(case.values[rows[:: 1 + len(rows) // SAMPLE]][:, fine])
    if not (np.isfinite(spread).all() and (spread > 0).all()):
        return
    if len(rows) > MAX_ROWS:
        along = (case.values[:, fine] @ (np.random.default_rng(0).normal(size=len(fine)) / spread))[rows]
        low = (len(rows) - MAX_ROWS) // 2
        rows = np.sort(rows[np.argpartition(along, [low, low + MAX_ROWS])[low : low + MAX_ROWS]])
    Z = case.values[rows][:, fine] / spread
    others = [j for j in case.compared if j not in set(fine)]
    other_columns = row_hashes(case.values[rows][:, others]) if others else np.zeros(len(rows), np.uint64)
    pairs, distance = _close(Z, other_columns)
    if case.groups is not None:  # those that are kept together do no harm
        apart = case.groups[rows[pairs[:, 0]]] != case.groups[rows[pairs[:, 1]]]
        pairs, distance = pairs[apart], distance[apart]
    near = distance <= _NEAR
    count = len(np.unique(pairs[near]))
    if count < max(6, len(rows) / 100) or len(distance) > 1.5 * near.sum():
        return
    example = RowNames.of(case.table).listed(np.sort(rows[pairs[near][0]]))
    yield Finding(
        "near-copies",
        "warning" if count > len(rows) / 20 else "note",
        "",
        f"{count} of {len(rows)} distinct rows looked at are nearly equal to another one "
        f"({example}, for example), far nearer than rows lie by nature: copies with noise or other rounding "
        "flatter every learner as exact ones do.",
        "Keep them together with groups=, or drop them.",
        "Keep them together with --group COLUMN, or drop them.",
    )


def _is_fine(case: Case, j: int) -> bool:
    """Measured numbers without missing values."""
    if case.table.schema[j].coded or not case.present[:, j].all():
        return False
    return len(np.unique(case.values[:1000, j])) >= _FINE


def _spread(Z: Floats) -> Floats:
    """(d,) the standard deviations, were the columns Gaussian: by their quartiles, so that huge values do not count."""
    quarter, three = np.quantile(Z, [0.25, 0.75], axis=0)
    spread: Floats = np.where(three > quarter, (three - quarter) / 1.349, Z.std(axis=0))
    return spread


def _close(Z: np.ndarray, other_columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m, 2) pairs of rows within three times the distance that agree elsewhere, and (m,) how far apart they are.

    A weighted mean of columns differs by no more than the columns do. Rows are put in the order of one such mean,
    neighbours are compared by two more, and what is left by all columns. None where rows are too dense to be looked at.
    """
    nothing, reach = (np.empty((0, 2), np.intp), np.empty(0)), 3 * _NEAR
    w = np.random.default_rng(1).normal(size=(Z.shape[1], 3))
    P = Z @ (w / np.abs(w).sum(axis=0))
    order = np.argsort(P[:, 0], kind="stable")
    P, near_pairs, looked = P[order], [], 0
    for step in range(1, len(Z)):
        at = np.flatnonzero(P[step:, 0] - P[:-step, 0] <= reach)
        if not len(at):
            break  # the next ones are farther still
        at = at[(np.abs(P[at + step, 1:] - P[at, 1:]) <= reach).all(axis=1)]
        looked += len(at)
        if step > _STEPS or looked > 50 * len(Z):
            return nothing
        near_pairs.append(np.column_stack([order[at], order[at + step]]))
    if not near_pairs:
        return nothing
    pairs = np.concatenate(near_pairs)
    pairs = pairs[other_columns[pairs[:, 0]] == other_columns[pairs[:, 1]]]
    distance = np.abs(Z[pairs[:, 0]] - Z[pairs[:, 1]]).max(axis=1) if len(pairs) else nothing[1]
    kept = distance <= reach
    return pairs[kept], distance[kept]


NEAR_COPY_CHECKS = [near_copies]
