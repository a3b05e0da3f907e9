"""What rejecting doubtful rows buys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decide.curves import RejectCurve, RiskCoverage, error_reject_curve, risk_coverage_curve
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import ON_TOP, bare, curve_legend, draw_literally, legend_name, line_look
from assay.plots.of_comparison import chosen_learners, row_weights
from assay.types import Axes, Labels, Scores, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["RiskCoverageDisplay"]


class RiskCoverageDisplay:
    """The error of the rows that are answered, against the share of rows that are (or against those rejected).

    The most confident predictions come first. A curve that falls towards few rows shows that its
    confidence can be trusted; a flat one that it cannot.

    Parameters
    ----------
    curves : dict of name to RiskCoverage (of ``risk_coverage_curve``) or RejectCurve (of ``error_reject_curve``)

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import RiskCoverageDisplay
    >>> P = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]
    >>> display = RiskCoverageDisplay.from_predictions(["a", "b", "b", "b"], P, classes=["a", "b"])
    >>> display.curves["Classifier"].risk.round(3)
    array([0.   , 0.   , 0.333, 0.25 ])
    """

    def __init__(self, curves: Mapping[str, RiskCoverage | RejectCurve]):
        self.curves = dict(curves)
        if not self.curves:
            raise DataError("RiskCoverageDisplay: there is no curve to draw.")
        kinds = {type(curve).__name__ for curve in self.curves.values()}
        if len(kinds) > 1:
            raise DataError(
                f"RiskCoverageDisplay: one picture shows curves of one kind, got {sorted(kinds)}."
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: TableLike, y: Any, *, name: str | None = None, **options: Any
    ) -> RiskCoverageDisplay:
        """Draw the curve of a fitted classifier with probabilities on rows X whose true classes are y."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        if not hasattr(estimator, "predict_proba"):
            raise TypeError(f"RiskCoverageDisplay: {type(estimator).__name__} has no predict_proba.")
        name = name or type(estimator).__name__
        P = estimator.predict_proba(X)
        return cls.from_predictions(y, P, classes=estimator.classes_, name=name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        posterior: Scores,
        *,
        classes: Labels | None = None,
        kind: str = "coverage",
        name: str | None = None,
        sample_weight: Weights | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> RiskCoverageDisplay:
        """Draw the curve of posteriors.

        Parameters
        ----------
        y_true : (n,) labels
        posterior : (n, K), or dict of name to such
        classes : (K,) labels of the columns; default 0 to K - 1
        kind : "coverage" for risk against coverage, "reject" for error against rejected rows
        sample_weight : (n,)
        options : as in ``plot``
        """
        posteriors = posterior if isinstance(posterior, Mapping) else {name or "Classifier": posterior}
        return cls(
            {str(who): _curve(y_true, P, classes, kind, sample_weight) for who, P in posteriors.items()}
        ).plot(ax, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        kind: str = "coverage",
        ax: Axes | None = None,
        **options: Any,
    ) -> RiskCoverageDisplay:
        """Draw one curve per learner, from its predictions on test rows.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        kind : as in ``from_predictions``
        options : as in ``plot``
        """
        curves = {}
        for name in chosen_learners(comparison, learners, "RiskCoverageDisplay"):
            rows = comparison.out_of_fold(name)
            if rows.posterior is not None:
                curves[name] = _curve(
                    rows.truth, rows.posterior, None, kind, row_weights(comparison, rows.rows)
                )
            elif learners is not None:
                raise DataError(f"RiskCoverageDisplay: {name} gave no probabilities.")
        if not curves:
            raise DataError("RiskCoverageDisplay: these learners gave no probabilities.")
        return cls(curves).plot(ax, **options)

    def plot(self, ax: Axes | None = None) -> RiskCoverageDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (5.8, 4.0))
        self.figure_ = ax.figure
        self.lines_ = {}
        covered = isinstance(next(iter(self.curves.values())), RiskCoverage)
        steps = "steps-pre" if covered else "steps-post"
        for k, (name, curve) in enumerate(self.curves.items()):
            if isinstance(curve, RiskCoverage):
                label = f"{legend_name(name)} (area {curve.area:.3f})"
                x, y = curve.coverage, curve.risk
            else:
                some = curve.rejected < 1  # where all are rejected there is no error to show
                label, x, y = legend_name(name), curve.rejected[some], curve.error[some]
            (self.lines_[name],) = ax.plot(x, y, label=label, drawstyle=steps, **ON_TOP, **line_look(k))
        ax.set_xlabel(
            "coverage: share of rows, most confident first" if covered else "share of rows rejected"
        )
        ax.set_ylabel("error of the rows answered")
        ax.set(xlim=(0, 1))
        ax.set_ylim(bottom=0)
        curve_legend(ax, "best", frameon=False)
        bare(ax)
        draw_literally(ax)
        return self


def _curve(
    y_true: Any, posterior: Any, classes: Any, kind: str, sample_weight: Any = None
) -> RiskCoverage | RejectCurve:
    """Confidence is the largest posterior; an error is a wrong most probable class."""
    if kind not in ("coverage", "reject"):
        raise ParameterError(f"RiskCoverageDisplay: kind must be coverage or reject, got {kind!r}.")
    P, labels = np.asarray(posterior, dtype=np.float64), np.asarray(y_true)
    if P.ndim != 2 or len(P) != len(labels) or not len(P):
        raise DataError(
            f"RiskCoverageDisplay: expected a posterior per row and class, got shape {P.shape} for "
            f"{len(labels)} labels."
        )
    if kind == "reject":
        return error_reject_curve(P, labels, classes=classes, sample_weight=sample_weight)
    names = np.arange(P.shape[1]) if classes is None else np.asarray(classes)
    return risk_coverage_curve(names[P.argmax(axis=1)] != labels, P.max(axis=1), sample_weight)
