"""Base class of smoothers: each estimate is a weighted sum of the training targets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError

from assay.core import Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.progress import track
from assay.core.stored import FloatArray
from assay.core.targets import row_counts
from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers.band import Band
from assay.stats.distributions.predictive import Student
from assay.types import TableLike

__all__ = ["Smoother"]

BLOCK = 1 << 21  # weights in one piece of work
SHOWN = 10  # rows in an explanation
ALONE = 1e-10  # a leverage nearer to 1 than this: without the row there is no fit


class Smoother(Regressor):
    r"""Base of nonparametric regressors: :math:`\hat g(x) = \sum_t s_t(x)\,r^t`.

    Subclasses define ``_learn``, ``_predict`` and ``_shares(X)``, the (q, n) weights :math:`s_t(x)`. From them follow
    the explanation, the leverages :math:`s_t(x^t)`, the estimates that leave out each row, and confidence bands.

    Attributes
    ----------
    X_ : (n, d) the training rows      y_ : (n,) their numbers      weight_ : (n,) what each counts, or None:
    a weight of 2 is a row that came twice; weights below 1 on average are shares, and are scaled to 1 on average
    """

    keeps_row_names = True
    stored = {
        "X_": FloatArray("n", "p", finite=True),
        "y_": FloatArray("n", finite=True),
        "weight_": FloatArray("n", low=0, finite=True) | None,
    }

    steered_by: ClassVar[str] = "bandwidth"  # the smoothing parameter
    linear: ClassVar[bool] = True  # whether the weights depend on the rows alone and not on their numbers
    usual_noise: ClassVar[str] = "global"
    keeps_lines: ClassVar[bool] = False  # whether rows on a line are smoothed to that line

    X_: np.ndarray
    y_: np.ndarray
    weight_: np.ndarray | None

    def weights(self, X: TableLike) -> np.ndarray:
        """(q, n) how much each training row counts in the estimate at each row of X."""
        return self._shares(self._admit(X))

    def leave_one_out(self) -> np.ndarray:
        """(n,) the estimate at each training row from all others; of a row that counts as several one is left out."""
        self._ready()
        return self._left_out(np.arange(len(self.y_)))

    def degrees_of_freedom(self) -> float:
        r"""The sum of the leverages, :math:`\operatorname{tr}S`: as many parameters as the curve is worth."""
        self._ready()
        self._refuse_unless_linear("degrees of freedom")
        return float(self._leverages(np.arange(len(self.y_))).sum())

    def confidence_band(self, X: TableLike, level: float = 0.95, noise: str | None = None) -> Band:
        r"""Pointwise intervals for the curve :math:`g(x)`, without its bias.

        .. math:: \hat g(x) \pm t_{\nu}\,\hat\sigma\sqrt{\textstyle\sum_t s_t(x)^2}                      \quad (1)

        Parameters
        ----------
        X : (q, d) where
        level : the probability of covering g(x)
        noise : "local" or "global"
            With "local", :math:`\hat\sigma` is the standard deviation of the window's numbers and :math:`\nu` their
            effective number less one (of a running mean: :math:`s/\sqrt m` and m - 1). With "global" it is
            that of all residuals, :math:`\hat\sigma^2 = \sum_t(r^t-\hat g(x^t))^2/\nu` with :math:`\nu =
            \operatorname{tr}(I-S)^T(I-S)`. None takes what is usual for this smoother.
        """
        self._refuse_unless_linear("a confidence band")
        noise = self.usual_noise if noise is None else noise
        allowed = {"global", self.usual_noise}
        if noise not in allowed or not 0 < level < 1:
            got = f"noise={noise!r}" if noise not in allowed else f"level={level!r}"
            raise ParameterError(
                f"{type(self).__name__}.confidence_band: noise must be {' or '.join(map(repr, sorted(allowed)))} and "
                f"level between 0 and 1, got {got}."
            )
        values = self._admit(X)
        estimates = self._local_noise(values) if noise == "local" else self._global_noise(values)
        return Band.of(*estimates, level)

    def _no_distribution(self) -> str:
        if not self.linear:
            return (
                "it is no weighted mean whose weights are known before the numbers, and so has no predictive "
                f"distribution. Wrap it: ConformalRegressor({type(self).__name__}())."
            )
        return super()._no_distribution()

    def _distribution(self, X: np.ndarray) -> Student:
        """Student's t of a new observation: the noise of all residuals and the error of the curve, as in (1)."""
        sigma, dof = self._noise()
        scale = np.empty(len(X))
        for rows in _blocks(len(X), len(self.y_)):
            squares = self._squares(self._shares(X[rows]))
            scale[rows] = sigma * np.sqrt(1 + np.where(squares > 0, squares, 1.0))  # without a row: as of one
        return Student(self._predict(X), scale, dof)

    def _local_noise(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The estimates, their standard errors and degrees of freedom, each from its own window."""
        estimate, error, dof = (np.empty(len(X)) for _ in range(3))
        for rows in _blocks(len(X), len(self.y_)):
            S = self._shares(X[rows])
            estimate[rows], squares = self._estimates_and_squares(S)
            apart = (self.y_ - (S @ self.y_)[:, None]) / self._unit
            spread = np.einsum("qt,qt->q", S, apart**2)
            known = (squares > 0) & (squares < 1 - 1e-9)  # a single row does not determine the noise
            size = 1 / np.where(known, squares, 1.0)  # the effective number of rows in the window
            dof[rows] = size - 1
            sigma = self._unit * np.sqrt(spread / np.where(known, size - 1, 1.0))
            error[rows] = np.where(known, sigma, np.inf)
        return estimate, error, dof

    def _global_noise(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same with one noise for all rows."""
        sigma, dof = self._noise()
        estimate, error = np.empty(len(X)), np.empty(len(X))
        for rows in _blocks(len(X), len(self.y_)):
            estimate[rows], squares = self._estimates_and_squares(self._shares(X[rows]))
            error[rows] = np.where(squares > 0, sigma * np.sqrt(squares), np.inf)
        return estimate, error, np.full(len(X), dof)

    def _estimates_and_squares(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The estimates, NaN where no row counts, and their variances in units of the noise, 0 there."""
        return np.where(S.any(axis=1), S @ self.y_, np.nan), self._squares(S)

    def _noise(self) -> tuple[float, float]:
        """The standard deviation of the noise, and the degrees of freedom that are left to see it."""
        n = len(self.y_)
        counts = np.ones(n) if self.weight_ is None else self.weight_
        dof, squares = float(counts.sum()), 0.0
        for rows in track(_blocks(n, n), "residuals"):
            S, c = self._shares(self.X_[rows]), counts[rows]
            squares += float(c @ ((self.y_[rows] - S @ self.y_) / self._unit) ** 2)
            leverage = S[np.arange(len(S)), rows]
            dof += float(c @ self._squares(S) - 2 * leverage.sum())  # tr (I - S)'(I - S)
        return self._sigma(squares, dof), dof

    def _sigma(self, squares: float, dof: float) -> float:
        """The noise, from the sum of squares in the unit of y."""
        if dof <= 1e-9 * len(self.y_):
            raise DegenerateError(
                f"{type(self).__name__}: the curve passes through all rows, so nothing is left to see the noise by. "
                f"Smooth more: raise {self.steered_by}."
            )
        return self._unit * float(np.sqrt(squares / dof))

    def _squares(self, S: np.ndarray) -> np.ndarray:
        """(q,) the variance of the estimates in units of the noise; a row that counts twice is two rows."""
        if self.weight_ is None:
            return np.einsum("qt,qt->q", S, S)
        return np.einsum("qt,qt,t->q", S, S, 1 / np.where(self.weight_ > 0, self.weight_, 1.0))

    def _leverages(self, rows: np.ndarray) -> np.ndarray:
        """(m,) how much each of these training rows counts in its own estimate."""
        leverage = np.empty(len(rows))
        for some in _blocks(len(rows), len(self.y_)):
            here = rows[some]
            leverage[some] = self._shares(self.X_[here])[np.arange(len(here)), here]
        return leverage

    def _left_out(self, rows: np.ndarray) -> np.ndarray:
        r"""(m,) the estimates without each row, in closed form: :math:`(\hat g(x^t)-s_{tt}r^t)/(1-s_{tt})`."""
        self._refuse_unless_linear("leaving rows out in closed form")
        leverage = self._leverages(rows)
        if self.weight_ is not None:
            leverage = leverage / np.maximum(self.weight_[rows], 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            estimates = (self._predict(self.X_[rows]) - leverage * self.y_[rows]) / (1 - leverage)
        alone = np.flatnonzero(1 - leverage < ALONE)
        estimates[alone] = self._alone(rows[alone])
        return estimates

    def _alone(self, rows: np.ndarray) -> np.ndarray:
        """The estimates at rows that decide their own fit, without them: the mean of all others."""
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        out = np.minimum(counts[rows], 1.0)
        left = counts.sum() - out
        if (left <= 0).any():
            raise DegenerateError(
                f"{type(self).__name__}: there is one row; without it there is no estimate."
            )
        return (counts @ self.y_ - out * self.y_[rows]) / left

    def _held(self) -> dict[str, Any]:
        """The parameters with which another fit smooths as much as this one."""
        return {self.steered_by: getattr(self, self.steered_by)}

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        def sections(i: int) -> list[Section]:
            share, apart = self._shares(X[i : i + 1])[0], self._apart(X[i : i + 1])
            largest = np.argsort(-np.abs(share), kind="stable")
            largest = largest[share[largest] != 0]
            measured = [] if apart is None else ["distance"]
            heads = [self._cases.head, *self._names[:6], *measured, "number", "weight"]
            lines = []
            for t in largest[:SHOWN]:
                cells = [self._cell(j, self.X_[t, j]) for j in range(min(6, self.X_.shape[1]))]
                distance = [] if apart is None else [float(apart[t])]
                lines.append([self._row(int(t)), *cells, *distance, float(self.y_[t]), float(share[t])])
            more = len(largest) - len(lines)
            hidden_weight = float(share[largest[SHOWN:]].sum())
            note = f"... and {more} more rows with the weight {hidden_weight:.4g} together" if more else ""
            return [Section("The rows that decide", heads, lines, note)]

        return Reasons(sections)  # n shares a row: made when they are asked for

    def _row(self, t: int) -> int | str:
        """The name of a stored row among the rows that came."""
        return self._cases.label(t)

    def _cell(self, j: int, value: float) -> Any:
        return float(value) if hasattr(self, "design_") else self.schema_.label(j, value)

    def _apart(self, X: np.ndarray) -> np.ndarray | None:
        """(n,) the distances to the training rows, if the smoother measures any."""
        return None

    def _refuse_unless_linear(self, what: str) -> None:
        if not self.linear:
            raise TypeError(
                f"{type(self).__name__} is no weighted mean whose weights are known before the numbers, so it has "
                f"no {what}. Use RunningMean, KernelSmoother or Loess."
            )

    def _shares(self, X: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _shares")

    def _keep(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, shares: bool = True) -> None:
        """Store the training rows; without ``shares`` their weights as they are."""
        if y.ndim > 1:
            raise DataError(f"{type(self).__name__}: y should be a 1d array, got {y.shape[1]} columns.")
        self.X_, self.y_ = np.ascontiguousarray(X, dtype=np.float64), np.array(y, dtype=np.float64)
        self.weight_ = None if w is None else np.array(w, dtype=np.float64)
        if self.weight_ is not None and shares:
            self.weight_ = row_counts(self.weight_)

    @property
    def _unit(self) -> float:
        """The power of two in which numbers of y are about 1, so that their squares are numbers."""
        top = np.abs(self.y_).max(initial=0.0)
        return float(np.ldexp(1.0, np.frexp(top)[1] - 1)) if top > 0 else 1.0

    def _check_rows(self) -> None:
        """Check that the rows of a loaded file fit together."""
        X, y, w = (getattr(self, name, None) for name in ("X_", "y_", "weight_"))
        if X is None or y is None:
            raise NotFittedError(f"{type(self).__name__} is not fitted yet.")
        if X.ndim != 2 or y.shape != X.shape[:1] or (w is not None and w.shape != y.shape):
            raise ValueError(f"{type(self).__name__}: the stored rows do not fit together.")
        if "missing" not in self.takes and np.isnan(X).any():
            raise ValueError(
                f"{type(self).__name__}: the stored rows have missing values, which it cannot use."
            )


def _blocks(m: int, n: int) -> list[np.ndarray]:
    """The numbers 0 to m - 1 in pieces, each with at most ``BLOCK`` weights of n rows."""
    size = max(1, BLOCK // max(n, 1))
    return [np.arange(start, min(start + size, m)) for start in range(0, m, size)]
