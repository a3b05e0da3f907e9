"""Gaussian columns of a mixed table: means, variances, and what stands in where a class has none."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assay.bayes._gaussian_nb import log_joint
from assay.core.moments import ClassMoments

TINY = np.finfo(np.float64).tiny  # a variance below this has no reciprocal


@dataclass
class GaussianColumns:
    """Means and variances (K, g) of g columns.

    ``columns`` are their places in the table; ``stand_ins`` lists the columns and classes whose mean or
    variance comes from all classes, and why.
    """

    mean: np.ndarray
    var: np.ndarray
    epsilon: float = 0.0
    columns: list[int] = field(default_factory=list)
    stand_ins: list[tuple[int, int, str]] = field(default_factory=list)


def gaussian_columns(
    moments: ClassMoments | None, place: dict[int, int], var_smoothing: float, K: int
) -> GaussianColumns:
    """Maximum likelihood for K classes, with a little of the largest variance added to all.

    ``place`` maps positions among the moments to positions in the table. A column without any variance,
    after that, is not kept.
    """
    chosen = list(place)
    if moments is None or not chosen:
        return GaussianColumns(np.zeros((K, 0)), np.zeros((K, 0)))
    rows, together = moments.unweighted(), moments.pooled()
    epsilon = var_smoothing * float((rows.scatter[0, chosen] / rows.observed[0, chosen]).max())
    overall = together.scatter[0, chosen] / together.observed[0, chosen] + epsilon
    kept = [c for c, var in zip(chosen, overall) if var >= TINY]
    overall = overall[overall >= TINY]
    observed = moments.observed[:, kept]
    var = moments.scatter[:, kept] / np.where(observed > 0, observed, 1.0) + epsilon
    blank, flat = (observed == 0) & (moments.count > 0)[:, None], (var < TINY) & (observed > 0)
    why = [("no entry", k, c) for k, c in np.argwhere(blank)] + [
        ("variance 0", k, c) for k, c in np.argwhere(flat)
    ]
    return GaussianColumns(
        np.where(observed > 0, moments.mean[:, kept], together.mean[0, kept]),
        np.where((observed > 0) & (var >= TINY), var, overall),
        epsilon,
        [place[c] for c in kept],
        [(place[kept[c]], int(k), what) for what, k, c in why],
    )


def gaussian_logs(Z: np.ndarray, mean: np.ndarray, var: np.ndarray) -> np.ndarray:
    """(n, K) sums over columns of log N(z; mean, var); a missing z adds nothing.

    >>> import numpy as np
    >>> gaussian_logs(np.array([[0.0, np.nan]]), np.zeros((1, 2)), np.ones((1, 2))).round(6)
    array([[-0.918939]])
    """
    logs = np.log(2 * np.pi * var)
    out = np.empty((len(Z), len(mean)))
    if not np.isnan(np.add.reduce(Z, axis=None)):  # one pass: NaN survives a sum
        settings = map(np.ascontiguousarray, (mean, 1 / var, -0.5 * logs.sum(axis=1)))
        log_joint(np.ascontiguousarray(Z), *settings, out)
        return out
    incomplete = np.isnan(Z).any(axis=1)
    if not incomplete.all():
        out[~incomplete] = gaussian_logs(Z[~incomplete], mean, var)
    some = Z[incomplete]
    observed = ~np.isnan(some)
    for k in range(len(mean)):
        terms = logs[k] + (some - mean[k]) ** 2 / var[k]
        out[incomplete, k] = -0.5 * np.where(observed, terms, 0.0).sum(axis=1)
    return out
