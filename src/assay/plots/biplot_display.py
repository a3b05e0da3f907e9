"""Rows by two components, and what the columns have to do with these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.core.seeds import random_state_of
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, classes_with_rows
from assay.types import Axes, Labels, RandomState, Target

__all__ = ["BiplotDisplay"]

NEAR_LABELS = 0.06  # of the height of the picture, within which two labels would overlap
ARROW_REACH = 0.85  # of the extent of the rows, that the longest arrow has


class BiplotDisplay:
    """Rows as points (or as the labels of their classes) in two components, columns as arrows.

    An arrow shows by how much a column adds to the two components: rows that lie far in its direction have large values
    there, and columns with arrows in one direction rise together.

    Parameters
    ----------
    scores : (n, 2) the rows in two components
    loadings : (d, 2) weights of the columns, or None for no arrows
    names : (d,) of the columns
    labels : (n,) of the rows, or None
    axis_names : what the two components are called

    Attributes
    ----------
    ax_, figure_ : after ``plot``      printed_ : (m,) rows whose label stands in place of a point

    Examples
    --------
    >>> from assay.plots import BiplotDisplay
    >>> from assay.reduce import PCA
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> pca = PCA(standardize=True).fit(iris.X)
    >>> display = BiplotDisplay.from_estimator(pca, iris.X, iris.y)
    >>> display.loadings.shape
    (4, 2)

    See Also
    --------
    ScreeDisplay, ComponentPicturesDisplay
    """

    def __init__(
        self,
        scores: ArrayLike,
        loadings: ArrayLike | None = None,
        names: Sequence[str] = (),
        labels: Labels | None = None,
        axis_names: Sequence[str] = ("component 1", "component 2"),
    ):
        self.scores = np.asarray(scores, dtype=float)
        self.loadings = np.empty((0, 2)) if loadings is None else np.asarray(loadings, dtype=float)
        self.names, self.axis_names = [str(name) for name in names], list(axis_names)
        self.labels = None if labels is None else np.asarray(labels)
        if self.scores.ndim != 2 or self.scores.shape[1] != 2:
            raise DataError(
                f"BiplotDisplay: scores must have two columns, got the shape {self.scores.shape}."
            )
        if len(self.names) != len(self.loadings):
            raise DataError(f"BiplotDisplay: {len(self.names)} names for {len(self.loadings)} arrows.")
        if self.labels is not None and len(self.labels) != len(self.scores):
            raise DataError(f"BiplotDisplay: {len(self.labels)} labels for {len(self.scores)} rows.")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Target | None = None,
        *,
        components: tuple[int, int] = (0, 1),
        arrows: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw rows in two components of a fitted learner that transforms.

        Parameters
        ----------
        estimator : fitted, with transform; components_ give the arrows
        X, y : rows, and their classes if these are to have colours
        components : which two, counted from 0
        arrows : whether columns are drawn
        ax : matplotlib axes
        options : of ``plot``
        """
        Z = np.asarray(estimator.transform(X), dtype=float)
        if Z.ndim != 2 or Z.shape[1] <= max(components):
            raise DataError(
                f"BiplotDisplay: components {components} of {type(estimator).__name__}, which has {Z.shape[1]}."
            )
        loadings = None
        if arrows and hasattr(estimator, "components_"):
            loadings = np.asarray(estimator.components_)[list(components)].T
        titles = [str(name) for name in estimator.get_feature_names_out()[list(components)]]
        ratios = getattr(estimator, "explained_variance_ratio_", None)
        if ratios is not None:
            titles = [f"{title} ({ratios[c]:.1%} of the variance)" for title, c in zip(titles, components)]
        columns = _column_names(estimator, 0 if loadings is None else len(loadings))
        labels = None if y is None else np.asarray(getattr(y, "values", y))
        return cls(Z[:, list(components)], loadings, columns, labels, titles).plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        printed: int = 0,
        points: bool = True,
        random_state: RandomState = 0,
        size: float = 12,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, or None for new ones
        printed : how many rows, drawn at random, have their label printed in place of a point
        points : whether the others are drawn
        random_state : of the draw
        size : of the points
        """
        self.ax_: Any = axes_for(ax, (6.4, 5.2))
        n = len(self.scores)
        chosen = (
            random_state_of(random_state).permutation(n)[: min(printed, n)] if self.labels is not None else []
        )
        self.printed_ = np.sort(np.asarray(chosen, dtype=np.int64))
        others = np.setdiff1d(np.arange(n), self.printed_)
        everything = (None, np.ones(n, dtype=bool), class_colour(0))
        classes = [everything] if self.labels is None else classes_with_rows(self.labels)
        for label, of_class, colour in classes:
            rows = others[of_class[others]]
            if points and len(rows):
                self.ax_.scatter(*self.scores[rows].T, s=size, color=colour, alpha=0.6, label=label)
            for i in self.printed_[of_class[self.printed_]]:
                self.ax_.text(*self.scores[i], str(label), color=colour, ha="center", va="center")
        if not points and len(self.printed_):
            self.ax_.update_datalim(self.scores[self.printed_])
            self.ax_.autoscale_view()
        if points and self.labels is not None and len(classes) > 1:
            self.ax_.legend(fontsize="small")
        self._draw_arrows()
        self.ax_.axhline(0, color=FAINT, linewidth=0.5, zorder=0)
        self.ax_.axvline(0, color=FAINT, linewidth=0.5, zorder=0)
        self.ax_.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        self.figure_ = self.ax_.figure
        return self

    def _draw_arrows(self) -> None:
        if not len(self.loadings) or not self.loadings.any():
            return
        reach = np.abs(self.scores).max(axis=0)
        scale = ARROW_REACH * float(np.min(reach / np.maximum(np.abs(self.loadings).max(axis=0), 1e-300)))
        heads = self.loadings * scale
        near = NEAR_LABELS * float(np.ptp(self.scores[:, 1]))
        for name, (a, b) in zip(self.names, heads):
            self.ax_.annotate(
                "", (a, b), (0, 0), arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 1.2}
            )
            crowded = np.any((heads[:, 0] * a > 0) & (heads[:, 1] > b) & (heads[:, 1] < b + near))
            up = b >= 0 and not crowded  # of two labels side by side the lower one goes below
            self.ax_.annotate(
                name, (a, b), xytext=(4 if a >= 0 else -4, 4 if up else -4), textcoords="offset points",
                ha="left" if a >= 0 else "right", va="bottom" if up else "top", fontsize="small", color=INK,
            )  # fmt: skip


def _column_names(estimator: Any, d: int) -> list[str]:
    names = getattr(estimator, "_names", None)
    if names is None:
        names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(d)])
    return [str(name) for name in names][:d]
