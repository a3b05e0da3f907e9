"""How much each column matters to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.errors import DataError
from assay.plots.canvas import axes_for, names_of
from assay.stats.significance.test_result import shown_confidence
from assay.types import Axes, Estimator

__all__ = ["ImportanceDisplay"]


class ImportanceDisplay:
    """One bar per column, the most important on top, with its interval, or the spread over trees or repetitions.

    Parameters
    ----------
    names : (d,) columns
    importances : (d,)
    spread : (d,) standard deviations, or None
    kind : str
        What the numbers are; stands at the axis.
    ends : (d, 2) intervals, or None

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    order_ : (d,) columns from the most important to the least

    Examples
    --------
    >>> from assay.plots import ImportanceDisplay
    >>> display = ImportanceDisplay(["age", "pay"], [0.2, 0.8]).plot()
    >>> [display.names[j] for j in display.order_]
    ['pay', 'age']
    """

    def __init__(
        self,
        names: Sequence[str],
        importances: ArrayLike,
        spread: ArrayLike | None = None,
        *,
        kind: str = "importance",
        ends: ArrayLike | None = None,
    ):
        self.ends = None if ends is None else np.asarray(ends, np.float64)
        self.names = [str(name) for name in names]
        self.importances = np.asarray(importances, np.float64)
        self.spread = None if spread is None else np.asarray(spread, np.float64)
        self.kind = kind
        if len(self.names) != len(self.importances):
            raise DataError(
                f"ImportanceDisplay: {len(self.names)} names for {len(self.importances)} importances."
            )

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> ImportanceDisplay:
        """Draw ``feature_importances_``; of an ensemble of trees with the spread over the trees."""
        if not hasattr(estimator, "feature_importances_"):
            if hasattr(type(estimator), "feature_importances_"):  # it will have them
                from sklearn.utils.validation import check_is_fitted

                check_is_fitted(estimator)
            raise TypeError(
                f"ImportanceDisplay: {type(estimator).__name__} has no feature_importances_. Use "
                "ImportanceDisplay.from_permutation(permutation_importance(...)), which is for any classifier."
            )
        importances = np.asarray(estimator.feature_importances_)
        members = np.ravel(np.asarray(getattr(estimator, "estimators_", ()), dtype=object))
        each = [m.feature_importances_ for m in members if hasattr(m, "feature_importances_")]
        same = len(each) > 1 and all(len(e) == len(importances) for e in each)
        spread = np.std(each, axis=0) if same else None
        names = names_of(estimator, len(importances))
        return cls(names, importances, spread, kind="share of the decrease of impurity").plot(ax, **options)

    @classmethod
    def from_values(
        cls,
        names: Sequence[str],
        values: ArrayLike,
        *,
        kind: str = "importance",
        ax: Axes | None = None,
        **options: Any,
    ) -> ImportanceDisplay:
        """Draw importances given as (d,) numbers, or as (repetitions, d) with their spread."""
        values = np.asarray(values, np.float64)
        if values.ndim == 1:
            return cls(names, values, kind=kind).plot(ax, **options)
        return cls(names, values.mean(axis=0), values.std(axis=0), kind=kind).plot(ax, **options)

    @classmethod
    def from_permutation(
        cls, importance: Any, *, ax: Axes | None = None, **options: Any
    ) -> ImportanceDisplay:
        """Draw a :class:`assay.evaluate.PermutationImportance` with its intervals.

        >>> from assay.evaluate import permutation_importance
        >>> from assay.plots import ImportanceDisplay
        >>> from assay.tables.data import load_iris
        >>> importance = permutation_importance("lda", load_iris(), design="5-fold")
        >>> display = ImportanceDisplay.from_permutation(importance)
        >>> [display.names[j] for j in display.order_[:2]]
        ['petal length (cm)', 'petal width (cm)']
        """
        kind = f"loss in {importance.metric} when permuted, {shown_confidence(importance.alpha)} interval"
        ends = np.column_stack([importance.low, importance.high])
        return cls(importance.names, importance.importances_mean, kind=kind, ends=ends).plot(ax, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Any,
        learner: str | None = None,
        *,
        n_repeats: int = 5,
        ax: Axes | None = None,
        **options: Any,
    ) -> ImportanceDisplay:
        """Draw what a learner of a comparison (default: the best) loses without each column, on test rows."""
        return cls.from_permutation(comparison.importance(learner, n_repeats=n_repeats), ax=ax, **options)

    def plot(self, ax: Axes | None = None, *, max_columns: int = 20) -> ImportanceDisplay:
        """Draw the bars of the most important columns.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        max_columns : int
            How many bars at most; the others are counted.
        """
        self.order_ = np.argsort(-self.importances, kind="stable")
        order = self.order_[:max_columns]
        self.ax_ = ax = axes_for(ax, (6.0, 0.32 * len(order) + 1.0))
        self.figure_ = ax.figure
        at = np.arange(len(order))[::-1]
        ax.barh(at, self.importances[order], color=class_colour(0), height=0.7)
        look: dict[str, Any] = {"fmt": "none", "ecolor": "#15202b", "elinewidth": 1, "capsize": 2}
        if self.ends is not None:
            value, (low, high) = self.importances[order], self.ends[order].T
            reach = np.nan_to_num([np.maximum(value - low, 0), np.maximum(high - value, 0)])
            ax.errorbar(value, at, xerr=reach, **look)
        elif self.spread is not None:
            value, spread = self.importances[order], self.spread[order]
            below = np.minimum(spread, value) if (self.importances >= 0).all() else spread  # shares end at 0
            ax.errorbar(value, at, xerr=[below, spread], **look)
        ax.set_yticks(at, [one_line(self.names[j], 32) for j in order])
        n_hidden = len(self.names) - len(order)
        ax.set_xlabel(self.kind + (f"\n({n_hidden} columns are not shown)" if n_hidden else ""))
        ax.axvline(0, color="#5f6975", lw=0.8)
        ax.spines[["top", "right"]].set_visible(False)
        return self
