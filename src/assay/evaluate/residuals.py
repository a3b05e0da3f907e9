"""What predicted numbers leave over: residuals, their shape, and how large errors are for which rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.metrics.estimate import Estimate
from assay.metrics.forms import OfRows
from assay.metrics.group_report import GroupReport
from assay.metrics.measure import Measure, measures
from assay.metrics.outcome import Outcome
from assay.metrics.predictive_scores import COVERAGE, WIDTH
from assay.stats.checks import as_sample
from assay.types import Floats

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["IntervalCoverage", "Residuals", "error_measure", "smooth_line"]

MAX_SMOOTHED = 2000  # rows that a smooth line is drawn through; of more, every so many in order of x
MIN_SMOOTHED, MIN_PLACES = 10, 4  # rows, and distinct places, below which there is no smooth line
SPAN = 2 / 3  # of the smooth line
LINE_PLACES = 50  # at which it is drawn
ROWS_OF_A_BIN, MAX_BINS = 20, 10  # of a target cut by its quantiles
NO_SPREAD = 1e-12  # residuals below this share of the numbers' size are rounding

MEAN_RESIDUAL = Measure(
    "mean residual", OfRows(lambda outcome: outcome.truth - outcome.answer, degree=1), "lower",
    "true minus predicted, on average", "numbers", "regression",
)  # fmt: skip


@dataclass(frozen=True)
class IntervalCoverage:
    """How many rows lie inside prediction intervals of several nominal coverages, and how wide these are.

    Attributes
    ----------
    nominal : (L,) what the intervals promise
    observed : list of L Estimates, the share of rows inside
    width : list of L Estimates, the mean width

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate.residuals import IntervalCoverage
    >>> ends = np.array([[-1.0, -2.0]] * 4), np.array([[1.0, 2.0]] * 4)
    >>> curve = IntervalCoverage.of([0.0, 0.5, 1.5, 3.0], *ends, nominal=[0.5, 0.9])
    >>> [e.value for e in curve.observed], [e.value for e in curve.width]
    ([0.5, 0.75], [2.0, 4.0])
    """

    nominal: np.ndarray
    observed: list[Estimate]
    width: list[Estimate]

    @classmethod
    def of(
        cls, truth: Any, lower: Any, upper: Any, nominal: Any, weight: Any = None, alpha: float = 0.05
    ) -> IntervalCoverage:
        """From intervals.

        Parameters
        ----------
        truth : (n,) numbers
        lower, upper : (n, L) the ends of the intervals; an end may be infinite
        nominal : (L,) shares between 0 and 1
        weight : (n,) sample weights
        alpha : 1 - confidence of the intervals of the shares
        """
        y = as_sample(truth, "IntervalCoverage")
        levels, low, high = (np.asarray(v, dtype=np.float64) for v in (nominal, lower, upper))
        if not (low.shape == high.shape == (len(y), len(levels))):
            raise DataError(
                f"{len(y)} rows and {len(levels)} nominal coverages need ends of shape {(len(y), len(levels))}, got "
                f"{low.shape} and {high.shape}.",
                who="IntervalCoverage",
            )
        w = check_weights(weight, len(y), "IntervalCoverage", squared=True)
        outcomes = [
            Outcome(y, y, None, 0, weight=w, lower=low[:, j], upper=high[:, j], coverage=float(level))
            for j, level in enumerate(levels)
        ]
        observed, width = ([m.estimate(o, alpha=alpha) for o in outcomes] for m in (COVERAGE, WIDTH))
        return cls(levels, observed, width)


class Residuals:
    r"""The residuals :math:`e_i = y_i - \hat y_i` of predicted numbers.

    Parameters
    ----------
    truth, predicted : (n,) finite numbers
    weight : (n,) sample weights, default None
    rows : (n,) numbers of the rows, default 0 to n - 1
    columns : number of columns of X, for metrics that allow for it

    Attributes
    ----------
    residual : (n,) true minus predicted
    spread : float, the standard deviation of the residuals; 0 where all are equal up to rounding

    Examples
    --------
    >>> from assay.evaluate import Residuals
    >>> residuals = Residuals([1.0, 2.0, 3.0, 6.0], [1.5, 1.5, 3.5, 5.5])
    >>> residuals.residual, residuals.spread
    (array([-0.5,  0.5, -0.5,  0.5]), 0.5)
    """

    def __init__(
        self,
        truth: Any,
        predicted: ArrayLike,
        weight: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        columns: int | None = None,
    ):
        self.outcome = Outcome.of_numbers(truth, predicted, weight=weight, columns=columns, who="Residuals")
        if not len(self.outcome.truth):
            raise DataError("there are no rows.", who="Residuals")
        self.rows = np.arange(len(self.truth)) if rows is None else np.asarray(rows)

    @classmethod
    def of_comparison(cls, comparison: Comparison, learner: str) -> Residuals:
        """Of the test rows of the first repetition, in which each row is tested once at most.

        >>> from assay import compare
        >>> from assay.evaluate import Residuals
        >>> result = compare(["mean"], [[1.0]] * 20, [float(i) for i in range(20)], design="10-fold")
        >>> len(Residuals.of_comparison(result, "mean").residual)
        20
        """
        if comparison.task != "regression":
            raise ParameterError(
                "residuals are of numbers, and this comparison predicts classes.", who="Residuals"
            )
        answers = comparison.out_of_fold(learner)
        weight = None
        if comparison.weights:
            weight = np.zeros(comparison.data.rows)
            for test, w in zip(comparison.tests, comparison.weights):
                weight[test] = w
            weight = weight[answers.rows]
        return cls(answers.truth, answers.answer, weight, answers.rows, len(comparison.data.columns))

    @property
    def truth(self) -> np.ndarray:
        return self.outcome.truth

    @property
    def predicted(self) -> np.ndarray:
        return self.outcome.answer

    @property
    def weight(self) -> np.ndarray | None:
        return self.outcome.weight

    @cached_property
    def residual(self) -> np.ndarray:
        residual: Floats = self.truth - self.predicted
        return residual

    @cached_property
    def centre(self) -> float:
        """The mean residual."""
        unit = float(np.abs(self.residual).max()) or 1.0
        return unit * float(np.average(self.residual / unit, weights=self.weight))

    @cached_property
    def spread(self) -> float:
        apart = self.residual - self.centre
        unit = float(np.abs(apart).max())
        if unit <= NO_SPREAD * float(max(np.abs(self.truth).max(), np.abs(self.predicted).max())):
            return 0.0
        return unit * float(np.sqrt(np.average((apart / unit) ** 2, weights=self.weight)))

    @property
    def standardised(self) -> np.ndarray:
        """(n,) distance from the mean residual in units of the spread; all 0 without a spread."""
        return (self.residual - self.centre) / self.spread if self.spread else np.zeros(len(self.residual))

    def normal_quantiles(self) -> tuple[np.ndarray, np.ndarray]:
        r"""(n,) quantiles of the normal distribution, and the standardised residuals in ascending order.

        The i-th of n stands at the quantile of :math:`(i - \tfrac12)/n`; weighted ones at the middle of their share.

        >>> from assay.evaluate import Residuals
        >>> expected, observed = Residuals([1.0, 2.0, 3.0, 6.0], [1.5, 1.5, 3.5, 5.5]).normal_quantiles()
        >>> expected.round(3), observed
        (array([-1.15 , -0.319,  0.319,  1.15 ]), array([-1., -1.,  1.,  1.]))
        """
        from scipy.special import ndtri

        order = np.argsort(self.standardised, kind="stable")
        w = np.ones(len(order)) if self.weight is None else self.weight[order]
        order, w = order[w > 0], w[w > 0]
        share = (np.cumsum(w) - w / 2) / w.sum()
        return ndtri(share), self.standardised[order]

    def scale(self) -> np.ndarray:
        r"""(n,) :math:`\sqrt{|e_i - \bar e|/s}`, whose level shows how the spread changes."""
        scale: Floats = np.sqrt(np.abs(self.standardised))
        return scale

    def by_size(self, metric: Measure | None = None, alpha: float = 0.05) -> GroupReport:
        """Error and mean residual of the rows in bins of the true number, ten or as many as have twenty rows each.

        Parameters
        ----------
        metric : the error, default the RMSE
        alpha : 1 - confidence of the intervals

        >>> from assay.evaluate import Residuals
        >>> truth = list(range(40))
        >>> report = Residuals(truth, truth[:20] + [v + 2 for v in truth[20:]]).by_size()
        >>> {name: e.value for name, e in report.groups["20 to 39"].items()}, report.rows["20 to 39"]
        ({'rmse': 2.0, 'mean residual': -2.0}, 20)
        """
        bins = int(np.clip(len(self.truth) // ROWS_OF_A_BIN, 1, MAX_BINS))
        return self._report(self.outcome, self.truth, metric, alpha, bins)

    def by_group(
        self, groups: Any, metric: Measure | None = None, alpha: float = 0.05, most: int = 200
    ) -> GroupReport:
        """Error and mean residual of the rows of each group.

        Parameters
        ----------
        groups : (n,) labels; None and NaN are the group "missing"
        metric, alpha : as in ``by_size``
        most : how many groups are reported, the largest

        >>> from assay.evaluate import Residuals
        >>> report = Residuals([1.0, 2.0, 3.0], [1.0, 3.0, 4.0]).by_group(["a", "b", "b"])
        >>> report.rows, report.groups["b"]["mean residual"].value
        ({'a': 1, 'b': 2}, -1.0)
        """
        labels = ["missing" if v is None or v != v else v for v in groups]
        largest = {label for label, _ in Counter(labels).most_common(most)}
        at = np.array([i for i, label in enumerate(labels) if label in largest], dtype=np.intp)
        if len(labels) != len(self.truth):
            raise DataError(f"{len(self.truth)} rows and {len(labels)} groups.", who="Residuals")
        return self._report(self.outcome.take(at), [labels[i] for i in at], metric, alpha)

    @staticmethod
    def _report(
        outcome: Outcome, by: Any, metric: Measure | None, alpha: float, bins: int | None = None
    ) -> GroupReport:
        both = [metric or measures()["rmse"], MEAN_RESIDUAL]
        return GroupReport.of_outcome(outcome, by, bins=bins, measures=both, alpha=alpha, resamples=200)


def error_measure(metrics: Sequence[Measure]) -> Measure:
    """The first metric that is an error of single predictions, which parts of the rows have too; else the RMSE.

    >>> from assay.evaluate.residuals import error_measure
    >>> from assay.metrics import measures
    >>> error_measure([measures()["r2"], measures()["mae"]]).name
    'mae'
    """
    per_row = [
        m for m in metrics if m.needs == "numbers" and m.better == "lower" and isinstance(m.of, OfRows)
    ]
    return per_row[0] if per_row else measures()["rmse"]


def smooth_line(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Places and heights of a smooth line through rows, by :class:`assay.smoothers.Loess` in its robust form.

    Of many rows it sees every so many in order of x. None where rows or places are too few for a line.

    Parameters
    ----------
    x, y : (n,) of any size; rows where one of them is not finite are left out
    weight : (n,) sample weights

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate.residuals import smooth_line
    >>> at, height = smooth_line(np.arange(100.0), 2 * np.arange(100.0))
    >>> bool(np.allclose(height, 2 * at))
    True
    """
    from assay.smoothers import Loess

    kept = np.isfinite(x) & np.isfinite(y) & (True if weight is None else weight > 0)
    order = np.flatnonzero(kept)[np.argsort(x[kept], kind="stable")]
    if len(order) > MAX_SMOOTHED:
        order = order[np.linspace(0, len(order) - 1, MAX_SMOOTHED).round().astype(int)]
    if len(order) < MIN_SMOOTHED or len(np.unique(x[order])) < MIN_PLACES:
        return None
    units = [float(np.abs(v[order]).max()) or 1.0 for v in (x, y)]
    u, v = x[order] / units[0], y[order] / units[1]
    low, high = float(u.min()), float(u.max())
    if high - low <= NO_SPREAD:
        return None
    u = (u - low) / (high - low)
    places = np.unique(np.quantile(u, np.linspace(0, 1, LINE_PLACES)))
    w = None if weight is None else weight[order]
    line = Loess(span=SPAN, robust_iterations=3).fit(u[:, None], v, sample_weight=w).predict(places[:, None])
    return (low + places * (high - low)) * units[0], line * units[1]
