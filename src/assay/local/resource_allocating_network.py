"""Resource-allocating network: radial units that are added where rows are new and badly predicted."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import observed
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Range
from assay.core.stored import Each, FloatArray, Integer, Plain, Scalar
from assay.core.targets import check_weights, numeric_target
from assay.distances.squared_rows import SquaredRows, refuse_huge
from assay.errors import DataError, DegenerateError, ParameterError
from assay.local.units import Units
from assay.types import TableLike, Target, Weights

__all__ = ["ResourceAllocatingNetwork"]

UNITS_SHOWN = 10  # in an explanation, the ones that say the most


class ResourceAllocatingNetwork(SquaredRows, Regressor):
    r"""Regression by Gaussian units that are added while rows come, where a row is new and its error large.

    For the t-th row with error :math:`e = r - y(x)` and distance q to the nearest centre,

    .. math:: |e| > \epsilon \;\text{and}\; q > \delta(t) = \max(\delta_{max} e^{-t/\tau}, \delta_{min}):\;
              \text{a unit at } x,\ \text{weight } e,\ \text{spread } \kappa q                              \quad (1)

    else the weights take a step of least mean squares, :math:`w_h \leftarrow w_h + \eta\, e\, p_h(x)`, and the
    constant, which begins at the first target, the same (Platt 1991). ``partial_fit`` goes on with more rows. Scale the
    columns.

    Cost: fit O(n H d) a pass for H units; predict O(H d) a row; memory O(H d).

    Parameters
    ----------
    error : float, default 0.05
        :math:`\epsilon`, in standard deviations of the (first) targets.
    farthest, nearest : floats, default 0.7 and 0.07
        :math:`\delta_{max}` and :math:`\delta_{min}`.
    decay : float, default 20
        :math:`\tau`, in rows.
    overlap : float, default 0.87
        :math:`\kappa`.
    learning_rate : float, default 0.05
        :math:`\eta`.
    max_iter : int, default 10
        Passes of ``fit`` over all rows, in their order.
    max_units : int, default 1000

    Attributes
    ----------
    centers_ : (H, d)      spreads_ : (H,)      weights_ : (H,)      intercept_ : float
    rows_seen_ : int, t of (1)      n_iter_ : int      history_ : list of dicts, one a pass: pass, units, error

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import ResourceAllocatingNetwork
    >>> x = np.random.default_rng(0).uniform(-3, 3, (300, 1))
    >>> model = ResourceAllocatingNetwork().fit(x, np.sin(2 * x[:, 0]))
    >>> bool(model.score(x, np.sin(2 * x[:, 0])) > 0.95), bool(len(model.centers_) < 100)
    (True, True)

    See Also
    --------
    RBFNetworkRegressor, LeaderClustering

    References
    ----------
    - Platt, J. (1991). A resource-allocating network for function interpolation. Neural Computation 3(2), 213-225.
      doi:10.1162/neco.1991.3.2.213
    """

    card = Card(
        "resource-allocating network",
        "bells that are added where rows are new and badly predicted",
        also=("growing rbf",),
        scale=True,
        learns=(
            "a sum of Gaussian units",
            "squared error",
            "a unit or a gradient step for each row",
            "greedy",
        ),
    )
    accepts = {
        "error": Range(0, open="high"),
        "farthest": Range(0, open="both"),
        "nearest": Range(0, open="both"),
        "decay": Range(0, open="both"),
        "overlap": Range(0, open="both"),
        "learning_rate": Range(0, 1, open="low"),
        "max_iter": Count(1),
        "max_units": Count(1),
    }
    stored = {
        "centers_": FloatArray("H", "p", finite=True),
        "spreads_": FloatArray("H", low=0, finite=True),
        "weights_": FloatArray("H", finite=True),
        "intercept_": Scalar(finite=True),
        "rows_seen_": Integer(low=0),
        "history_": Each(Plain(dict)),
        "_unit": Scalar(low=0, finite=True),
    }

    def __init__(
        self,
        *,
        error: float = 0.05,
        farthest: float = 0.7,
        nearest: float = 0.07,
        decay: float = 20.0,
        overlap: float = 0.87,
        learning_rate: float = 0.05,
        max_iter: int = 10,
        max_units: int = 1000,
    ):
        self.error = error
        self.farthest = farthest
        self.nearest = nearest
        self.decay = decay
        self.overlap = overlap
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_units = max_units

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._begin(X, y)
        for step in range(self.max_iter):
            before = self.weights_.copy(), self.intercept_
            errors = self._visit(X, y, w)
            self.history_.append({"pass": step + 1, "units": len(self.centers_), "error": errors})
            if len(before[0]) < len(self.weights_):
                continue
            move = np.abs(self.weights_ - before[0]).max(initial=abs(self.intercept_ - before[1]))
            if move <= 1e-6 * self._unit:
                break
        self.n_iter_ = len(self.history_)

    def _begin(self, X: np.ndarray, y: np.ndarray) -> None:
        if self.nearest > self.farthest:
            raise ParameterError(
                f"{type(self).__name__}: nearest must be at most farthest, got {self.nearest} and {self.farthest}."
            )
        if y.ndim != 1:
            raise DataError(f"{type(self).__name__}: one target is expected; fit one model for each.")
        refuse_huge(y, type(self).__name__)
        self.centers_, self.spreads_, self.weights_ = np.empty((0, X.shape[1])), np.empty(0), np.empty(0)
        self.intercept_, self.rows_seen_ = float(y[0]), 0
        self._unit = float(y.std()) or 1.0
        self.history_ = list[dict[str, Any]]()

    def _visit(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
        """One row after the other; the mean squared error before each was learned."""
        H, room = len(self.centers_), max(16, 2 * len(self.centers_))
        centers, spreads, weights = np.zeros((room, X.shape[1])), np.ones(room), np.zeros(room)
        centers[:H], spreads[:H], weights[:H] = self.centers_, self.spreads_, self.weights_
        constant, squared = self.intercept_, 0.0
        for i, (x, r) in enumerate(zip(X, y)):
            if i % 1024 == 0:
                end_if_abandoned()
            rate = self.learning_rate * (1.0 if w is None else float(w[i]))
            if rate == 0.0:
                continue
            gaps = ((centers[:H] - x) ** 2).sum(axis=1)
            p = np.exp(-0.5 * gaps / spreads[:H] ** 2)
            e = float(r - constant - weights[:H] @ p)
            squared += e * e
            reach = max(self.farthest * np.exp(-self.rows_seen_ / self.decay), self.nearest)
            self.rows_seen_ += 1
            apart = float(np.sqrt(gaps.min())) if H else np.inf
            if abs(e) > self.error * self._unit and apart > reach and self.max_units > H:
                if len(centers) == H:
                    centers = np.vstack([centers, np.zeros_like(centers)])
                    spreads, weights = np.r_[spreads, np.ones_like(spreads)], np.r_[weights, 0 * weights]
                centers[H], weights[H] = x, e
                spreads[H] = self.overlap * (apart if H else self.farthest)
                H += 1
            else:
                step = min(rate, 1 / (1 + float(p @ p)))  # beyond which the error of this row would grow
                weights[:H] += step * e * p
                constant += step * e
        if not (np.isfinite(weights).all() and np.isfinite(constant)):
            raise DegenerateError(f"{type(self).__name__}: weights left all bounds. Lower learning_rate.")
        self.centers_, self.spreads_, self.weights_ = (
            centers[:H].copy(),
            spreads[:H].copy(),
            weights[:H].copy(),
        )
        self.intercept_ = float(constant)
        return squared / max(len(X), 1)

    @observed
    def partial_fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X, one after the other; the scale of errors is that of the first call."""
        first, who = "centers_" not in vars(self), type(self).__name__
        if first:
            self._check_parameters()
        values = self._admit(X, fitting=first)
        target = numeric_target(y, values.shape[0], who)
        w = check_weights(sample_weight, values, who)
        if first:
            self._begin(values, target)
            self.n_iter_ = 0
        errors = self._visit(values, target, w)
        self.n_iter_ += 1
        self.history_.append({"pass": self.n_iter_, "units": len(self.centers_), "error": errors})
        return self

    def _activations(self, X: np.ndarray) -> np.ndarray:
        if not len(self.centers_):
            return np.zeros((len(X), 0))
        return Units(self.centers_, self.spreads_).activations(X)

    def _predict(self, X: Any) -> np.ndarray:
        return self.intercept_ + self._activations(X) @ self.weights_

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        active, names = self._activations(X), self._names

        def sections(i: int) -> list[Section]:
            parts = active[i] * self.weights_
            order = np.argsort(-np.abs(parts), kind="stable")[:UNITS_SHOWN]
            lines: list[list[Any]] = [
                [f"unit {h}", ", ".join(f"{n} {v:.4g}" for n, v in zip(names, self.centers_[h])),
                 float(active[i, h]), float(self.weights_[h]), float(parts[h])]
                for h in order
            ]  # fmt: skip
            lines.append(["constant", "", 1.0, self.intercept_, self.intercept_])
            return [Section("Units that respond", ["part", "centre", "activation", "weight", "adds"], lines)]

        return Reasons(sections)
