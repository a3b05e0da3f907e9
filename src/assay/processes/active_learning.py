"""Where to ask next: the rows of which a Gaussian process knows least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError, ParameterError
from assay.processes.classification.information import Information
from assay.processes.input_gradient import diagonal_slope, values_and_slopes
from assay.processes.routes.exact import Exact
from assay.tables.rows import take_rows
from assay.types import RowIndex

__all__ = ["Queries", "next_queries"]

POINTS_TRIED = 256  # a column, from which the best are improved
MOST_POINTS_TRIED = 4096
POINTS_IMPROVED = 5
TIES = 1e-9  # share of the largest score that is rounding

Scored = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Queries:
    """Rows to ask about.

    Attributes
    ----------
    rows : the rows, one for each query; of candidates as they came
    variance : (k,) the variance of the target of each, with its noise, when those before it are known; of classes
        that of the log odds, summed over the classes if each has its own
    places : (k,) their places among the candidates; None for rows within bounds
    information : (k,) what the class of each would say, in nats; None for numbers
    """

    rows: RowIndex
    variance: np.ndarray
    places: np.ndarray | None
    information: np.ndarray | None = None


def next_queries(model: Any, candidates: Any = None, *, bounds: Any = None, n_queries: int = 1) -> Queries:
    r"""The rows whose targets, or classes, would say most.

    Of numbers these are the rows with the largest predictive variance. It does not depend on targets, so several rows
    can be chosen before any of them is asked: after each, the process is conditioned on it, at the cost O(n^2), and the
    next is chosen.

    Of classes they are the rows whose class says most of the log odds (the mutual information of both): where the
    process does not know them, rather than where it knows that either class may come. Rows chosen before are taken for
    asked: their mean stays, their uncertainty falls, and they are not chosen again.

    Among candidates that are equal the first counts. Within bounds the best of a quasi-random sample are improved, by
    the gradient where there is one.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor, computed by the exact route, or GaussianProcessClassifier
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
    >>> from assay.processes import GaussianProcessClassifier, GaussianProcessRegressor, next_queries
    >>> x = np.arange(4.0)[:, None]
    >>> model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(x, [0.0, 1.0, 0.0, -1.0])
    >>> queries = next_queries(model, np.arange(-1, 4.5, 0.5)[:, None], n_queries=2)
    >>> queries.rows.ravel(), queries.variance.round(4)
    (array([-1.,  4.]), array([1.0831, 1.0831]))

    Of classes that meet at 1.5, with rows enough on both sides, their border is asked for:

    >>> x = np.array([[-1.0], [-0.5], [0.0], [0.5], [2.5], [3.0], [3.5], [4.0]])
    >>> classes = GaussianProcessClassifier(9.0 * RBF(1.0), optimizer=None).fit(x, x[:, 0] > 1.5)
    >>> next_queries(classes, bounds=[(-1, 4)]).rows.round(1)
    array([[1.5]])

    See Also
    --------
    GaussianProcessRegressor, GaussianProcessClassifier, prune

    References
    ----------
    - MacKay, D. J. C. (1992). Information-based objective functions for active data selection. Neural Computation
      4(4), 590-604. doi:10.1162/neco.1992.4.4.590
    - Houlsby, N., Huszár, F., Ghahramani, Z. and Lengyel, M. (2011). Bayesian active learning for classification and
      preference learning. arXiv:1112.5745.
    """
    asking = _asking(model)
    if (candidates is None) == (bounds is None):
        raise ParameterError("next_queries: give candidates (rows), or bounds of the columns, and not both.")
    check_count("next_queries", "n_queries", n_queries)
    table = None if candidates is None else asking.admitted(model._admit(candidates))
    box = None if table is not None else _checked_bounds(bounds, asking.X, model)
    rows, scores, variances, places = [], [], [], []
    for _ in range(n_queries):
        if box is None:
            score = asking.score(table)
            if isinstance(asking, _AskingClasses) and len(places) < len(score):
                score[places] = -1.0  # the same row would have the same class
            place = int(np.argmax(score >= score.max() * (1.0 - TIES)))
            row, value = take_rows(table, [place]), float(score[place])
            places.append(place)
        else:
            row, value = _largest_within(asking, box)
            rows.append(row[0])
        scores.append(value)
        variances.append(asking.variance(row, value))
        asking.ask(row)
    information = np.array(scores) if isinstance(asking, _AskingClasses) else None
    if table is None:
        return Queries(np.array(rows), np.array(variances), None, information)
    return Queries(take_rows(candidates, places), np.array(variances), np.array(places), information)


class _AskingNumbers:
    """The variance of the function, given rows asked before."""

    def __init__(self, model: Any):
        route = model.route_
        self.route = Exact().fit(route.kernel, route.X, route.Y[:, :1], route.noise).condition(route.kernel)
        self.X, self.scale = route.X, float(model.y_scale_[0]) ** 2
        self.noise = float(np.mean(route.noise))

    def admitted(self, rows: Any) -> Any:
        return rows

    def score(self, rows: Any) -> np.ndarray:
        return self.route.variance(rows)

    def variance(self, row: Any, value: float) -> float:
        return (value + self.noise) * self.scale

    def ask(self, row: Any) -> None:
        self.route.extend(row, np.zeros((1, 1)), np.array([self.noise]))

    @property
    def slope(self) -> Scored:
        def scored(x: np.ndarray) -> tuple[float, np.ndarray]:
            values, slopes = values_and_slopes(self.route.kernel, x, self.route.X)
            solved = self.route.factor.solve(values)
            slope = diagonal_slope(self.route.kernel, x) - 2.0 * solved @ slopes
            return float(self.route.kernel.diagonal(x[None])[0] - values @ solved), slope

        return scored


class _AskingClasses:
    """What a class would say of the log odds, given rows asked before."""

    slope = None

    def __init__(self, model: Any):
        self.X, self.information = model.X_train_, Information(model.processes_, model.X_train_)
        self.admitted = model._alike

    def score(self, rows: Any) -> np.ndarray:
        return self.information(rows)

    def variance(self, row: Any, value: float) -> float:
        return float(self.information.variance(row)[0])

    def ask(self, row: Any) -> None:
        self.information.ask(row)


def _asking(model: Any) -> _AskingNumbers | _AskingClasses:
    processes = vars(model).get("processes_") if hasattr(model, "__dict__") else None
    if processes:
        if any(process.t.ndim == 2 for process in processes):
            raise DataError(
                "next_queries: scores of several classes that were fitted together have no information of their own. "
                "Take GaussianProcessClassifier(multi_class='one_vs_rest')."
            )
        return _AskingClasses(model)
    if not isinstance(getattr(model, "route_", None), Exact):
        raise DataError(
            "next_queries: expected a fitted GaussianProcessClassifier, or a GaussianProcessRegressor, computed with "
            f"method='exact', without missing targets, got {getattr(model, 'method_', type(model).__name__)}."
        )
    return _AskingNumbers(model)


def _checked_bounds(bounds: Any, X: Any, model: Any) -> np.ndarray:
    box = np.asarray(bounds, dtype=np.float64)
    named = any(column.kind == "nominal" for column in getattr(model, "schema_", ()))
    if named or not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f":
        raise DataError("next_queries: bounds are for columns of numbers. Give candidates instead.")
    shaped = box.shape == (X.shape[1], 2)
    if not shaped or not np.isfinite(box).all() or (box[:, 0] > box[:, 1]).any():
        got = box.tolist() if shaped else f"the shape {box.shape}"
        raise ParameterError(
            f"next_queries: bounds must be finite numbers (low, high) for each of the {X.shape[1]} columns, got {got}."
        )
    return box


def _largest_within(asking: _AskingNumbers | _AskingClasses, box: np.ndarray) -> tuple[np.ndarray, float]:
    """(1, d) a row of the largest score within bounds, and the score."""
    from scipy.optimize import minimize
    from scipy.stats import qmc

    d, low, width = len(box), box[:, 0], box[:, 1] - box[:, 0]
    sample = qmc.Sobol(d, rng=0).random(min(POINTS_TRIED * 2 ** min(d, 4), MOST_POINTS_TRIED))
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * d)).reshape(d, -1).T if d <= 8 else np.zeros((0, d))
    points = low + width * np.concatenate([corners, sample])
    score, slope = asking.score(points), asking.slope
    best = points[int(np.argmax(score))], float(score.max())

    def objective(x: np.ndarray) -> Any:
        if slope is None:
            return -float(asking.score(x[None])[0])
        value, gradient = slope(x)
        return -value, -gradient

    for i in np.argsort(-score, kind="stable")[:POINTS_IMPROVED]:
        end = minimize(objective, points[i], jac=slope is not None, method="L-BFGS-B", bounds=box)
        if -end.fun > best[1] * (1.0 + TIES):
            best = end.x, -float(end.fun)
    return best[0][None], best[1]
