"""Where to ask next: the rows of which a Gaussian process knows least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.processes.input_gradient import diagonal_slope, values_and_slopes
from assay.processes.routes.exact import Exact
from assay.tables.rows import take_rows
from assay.types import RowIndex

__all__ = ["Queries", "next_queries"]

POINTS_TRIED = 256  # a column, from which the best are improved
MOST_POINTS_TRIED = 4096
POINTS_IMPROVED = 5
TIES = 1e-9  # share of the largest variance that is rounding


@dataclass(frozen=True)
class Queries:
    """Rows to ask about.

    Attributes
    ----------
    rows : the rows, one for each query; of candidates as they came
    variance : (k,) the variance of the target of each, with its noise, when those before it are known
    places : (k,) their places among the candidates; None for rows within bounds
    """

    rows: RowIndex
    variance: np.ndarray
    places: np.ndarray | None


def next_queries(model: Any, candidates: Any = None, *, bounds: Any = None, n_queries: int = 1) -> Queries:
    r"""The rows with the largest predictive variance: those whose targets would say most.

    The variance does not depend on targets, so several rows can be chosen before any of them is asked: after each,
    the process is conditioned on it, at the cost O(n^2), and the next is chosen. Among candidates with the same
    variance the first counts. Within bounds the best of a quasi-random sample are improved along the gradient of the
    variance.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor, computed by the exact route
    candidates : rows as in fit, default None
    bounds : (d, 2) smallest and largest value of each column, default None
        Instead of candidates.
    n_queries : int, default 1

    Returns
    -------
    Queries

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes import GaussianProcessRegressor, next_queries
    >>> x = np.arange(4.0)[:, None]
    >>> model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(x, [0.0, 1.0, 0.0, -1.0])
    >>> queries = next_queries(model, np.arange(-1, 4.5, 0.5)[:, None], n_queries=2)
    >>> queries.rows.ravel(), queries.variance.round(4)
    (array([-1.,  4.]), array([1.0831, 1.0831]))

    See Also
    --------
    GaussianProcessRegressor, prune

    References
    ----------
    - MacKay, D. J. C. (1992). Information-based objective functions for active data selection. Neural Computation
      4(4), 590-604. doi:10.1162/neco.1992.4.4.590
    """
    route = getattr(model, "route_", None)
    if not isinstance(route, Exact):
        raise DataError(
            "next_queries: expected a fitted GaussianProcessRegressor, computed with method='exact', without missing "
            f"targets, got {getattr(model, 'method_', None) or f'{type(model).__name__} without a fit'}."
        )
    if (candidates is None) == (bounds is None):
        raise ParameterError("next_queries: give candidates (rows), or bounds of the columns, and not both.")
    if isinstance(n_queries, bool) or not isinstance(n_queries, (int, np.integer)) or n_queries < 1:
        raise ParameterError(f"next_queries: n_queries must be a whole number from 1, got {n_queries!r}.")
    route = Exact().fit(route.kernel, route.X, route.Y[:, :1], route.noise).condition(route.kernel)
    scale, noise = float(model.y_scale_[0]) ** 2, float(np.mean(route.noise))
    table = None if candidates is None else model._admit(candidates)
    rows, variances, places = [], [], []
    for _ in range(n_queries):
        if table is not None:
            variance = route.variance(table)
            place = int(np.argmax(variance >= variance.max() * (1.0 - TIES)))
            row, value = take_rows(table, [place]), float(variance[place])
            places.append(place)
        else:
            row, value = _largest_within(route, _checked_bounds(bounds, route.X))
            rows.append(row[0])
        variances.append((value + noise) * scale)
        route.extend(row, np.zeros((1, 1)), np.array([noise]))
    if table is None:
        return Queries(np.array(rows), np.array(variances), None)
    return Queries(take_rows(candidates, places), np.array(variances), np.array(places))


def _checked_bounds(bounds: Any, X: Any) -> np.ndarray:
    box = np.asarray(bounds, dtype=np.float64)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f":
        raise DataError("next_queries: bounds are for columns of numbers. Give candidates instead.")
    shaped = box.shape == (X.shape[1], 2)
    if not shaped or not np.isfinite(box).all() or (box[:, 0] > box[:, 1]).any():
        got = box.tolist() if shaped else f"the shape {box.shape}"
        raise ParameterError(
            f"next_queries: bounds must be finite numbers (low, high) for each of the {X.shape[1]} columns, got {got}."
        )
    return box


def _largest_within(route: Exact, box: np.ndarray) -> tuple[np.ndarray, float]:
    """(1, d) a row of the largest variance within bounds, and the variance."""
    from scipy.optimize import minimize
    from scipy.stats import qmc

    d, low, width = len(box), box[:, 0], box[:, 1] - box[:, 0]
    sample = qmc.Sobol(d, rng=0).random(min(POINTS_TRIED * 2 ** min(d, 4), MOST_POINTS_TRIED))
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * d)).reshape(d, -1).T if d <= 8 else np.zeros((0, d))
    points = low + width * np.concatenate([corners, sample])
    variance = route.variance(points)
    best = points[int(np.argmax(variance))], float(variance.max())

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        values, slopes = values_and_slopes(route.kernel, x, route.X)
        solved = route.factor.solve(values)
        slope = diagonal_slope(route.kernel, x) - 2.0 * solved @ slopes
        return -float(route.kernel.diagonal(x[None])[0] - values @ solved), -slope

    for i in np.argsort(-variance, kind="stable")[:POINTS_IMPROVED]:
        end = minimize(objective, points[i], jac=True, method="L-BFGS-B", bounds=box)
        if -end.fun > best[1] * (1.0 + TIES):
            best = end.x, -float(end.fun)
    return best[0][None], best[1]
