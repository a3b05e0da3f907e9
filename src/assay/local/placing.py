"""Where Gaussian units stand, and how wide they are, before anything is learned from targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster import KMeans
from assay.errors import DataError, ParameterError
from assay.local.units import Units, squared_distances

__all__ = ["PLACES", "SPREADS", "placed_units", "spreads_between", "spreads_of"]

PLACES = ("kmeans", "anchors", "mixture")
SHARES = {"half": 0.5, "third": 1 / 3}  # of the distance to the farthest row of the unit
SPREADS = ("neighbors", *SHARES)
NEIGHBORS = 2  # other centres whose mean distance is the spread
NARROWEST = 1e-6  # of the columns' deviation, below which no unit gets: one row has no width


def placed_units(
    X: np.ndarray,
    weights: np.ndarray | None,
    places: Any,
    n_units: int,
    shape: str,
    spread: Any,
    draw: np.random.RandomState,
    who: str,
) -> Units:
    """Units by a way of placing them, or around given centres; at most as many as there are distinct rows."""
    if not isinstance(places, str):
        centers = np.asarray(places, dtype=np.float64)
        if centers.ndim != 2 or centers.shape[1] != X.shape[1] or not np.isfinite(centers).all():
            raise ParameterError(
                f"{who}: units must be (H, {X.shape[1]}) finite numbers, got the shape {centers.shape}."
            )
        return _around(X, centers, shape, spread)
    counted = np.flatnonzero(weights > 0) if weights is not None else np.arange(len(X))
    distinct = np.unique(X[counted], axis=0)
    if not len(distinct):
        raise DataError(f"{who}: there is no row of a weight above 0.")
    H = min(n_units, len(distinct))
    if places == "anchors":
        return _around(X, distinct[np.sort(draw.choice(len(distinct), H, replace=False))], shape, spread)
    if places == "mixture" and H > 1:
        from assay.mixture import GaussianMixture

        kind = {"spherical": "spherical", "diagonal": "diag", "full": "full"}[shape]
        model = GaussianMixture(H, covariance_type=kind, random_state=draw).fit(X[counted])
        roots = model.covariances_ if shape == "full" else np.sqrt(model.covariances_)
        return Units(model.means_, roots)
    groups = KMeans(H, n_init=1, random_state=draw).fit(X, sample_weight=weights)
    return _around(X, groups.cluster_centers_, shape, spread)


def _around(X: np.ndarray, centers: np.ndarray, shape: str, spread: Any) -> Units:
    if not isinstance(spread, str):
        width = float(spread)
        H, d = centers.shape
        wide = {"spherical": np.full(H, width), "diagonal": np.full((H, d), width)}
        return Units(centers, wide.get(shape, np.tile(np.eye(d) * width**2, (H, 1, 1))))
    nearest = squared_distances(X, centers).argmin(axis=1)
    if spread == "neighbors":
        base = spreads_between(X, centers)
    else:
        base = spreads_of(X, centers, nearest, SHARES[spread])
    if shape == "spherical":
        return Units(centers, base)
    d = X.shape[1]
    widths = list[np.ndarray]()
    for h, (center, s) in enumerate(zip(centers, base)):
        members = X[nearest == h] - center
        prior = s**2 * np.eye(d)  # as much as one row says, so that no direction is without width
        cov = (members.T @ members + prior) / (len(members) + 1)
        widths.append(np.sqrt(np.diag(cov)) if shape == "diagonal" else cov)
    return Units(centers, np.array(widths))


def spreads_between(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """(H,) the mean distance from each centre to the two nearest others, so that neighbouring units overlap.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local.placing import spreads_between
    >>> spreads_between(np.zeros((2, 1)), np.array([[0.0], [1.0], [4.0]]))
    array([2.5, 2. , 3.5])
    """
    between = np.sqrt(squared_distances(centers, centers))
    np.fill_diagonal(between, np.inf)
    between[between == 0] = np.inf
    ordered = np.sort(between, axis=1)[:, :NEIGHBORS]
    apart = np.isfinite(ordered)
    total = np.where(apart, ordered, 0.0).sum(axis=1)
    return np.where(apart.any(axis=1), total / np.maximum(apart.sum(axis=1), 1), _deviation(X))


def _deviation(X: np.ndarray) -> float:
    return float(np.sqrt(X.var(axis=0).mean())) or 1.0


def spreads_of(X: np.ndarray, centers: np.ndarray, nearest: np.ndarray, share: float = 0.5) -> np.ndarray:
    """(H,) a share of the distance from each centre to the farthest of its rows.

    A unit without such a distance has as much of that to the nearest other centre; where there is none, the deviation
    of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local.placing import spreads_of
    >>> spreads_of(np.array([[0.0], [4.0], [9.0]]), np.array([[1.0], [9.0]]), np.array([0, 0, 1]))
    array([1.5, 4. ])
    """
    apart = np.sqrt(squared_distances(X, centers))
    farthest = np.zeros(len(centers))
    np.maximum.at(farthest, nearest, apart[np.arange(len(X)), nearest])
    between = np.sqrt(squared_distances(centers, centers))
    np.fill_diagonal(between, np.inf)
    between[between == 0] = np.inf
    other = between.min(axis=1)
    deviation = _deviation(X)
    scale = np.where(
        farthest > NARROWEST * deviation, farthest, np.where(np.isfinite(other), other, deviation / share)
    )
    return share * scale
