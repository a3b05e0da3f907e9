"""A support vector machine of two classes in a plane: boundary, margins, support vectors, slack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.plots.boundary_display import INK, BoundaryDisplay
from assay.plots.plane import codes_of
from assay.types import Axes, Estimator, TableLike, Target

__all__ = ["SupportVectorDisplay"]

ON_THE_MARGIN = 1e-3  # distance of y f from 1 that a drawing does not show


class SupportVectorDisplay(BoundaryDisplay):
    r"""How a machine separates two classes: where its score is 0, where it is 1 and -1, and which rows carry it.

    The boundary is a thick line, the margins :math:`f = \pm1` are dashed. Support vectors on the margin have a ring,
    those inside it or beyond a dotted one; for a linear score a line leads from each of the latter to its margin, as
    long as its slack.

    Parameters
    ----------
    x, y, answers, scores and the others of `BoundaryDisplay`
    support : (m,) places of the support vectors among the points
    slack : (n,) slack of each point

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    margins_, rings_, slacks_ : what was drawn, beside that of `BoundaryDisplay`

    Examples
    --------
    >>> from assay.plots import SupportVectorDisplay
    >>> from assay.svm import SVC
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], ["yes", "yes", "no"]
    >>> machine = SVC(C=10, kernel="linear").fit(X, y)
    >>> SupportVectorDisplay.from_estimator(machine, X, y, grid=20).support.tolist()
    [2, 0]

    See Also
    --------
    BoundaryDisplay, assay.svm.SVC, assay.svm.margin_diagnostics
    """

    support: np.ndarray
    slack: np.ndarray

    @classmethod
    def from_estimator(  # type: ignore[override]
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        columns: Sequence[int | str] | None = None,
        grid: int = 300,
        margin: float = 0.06,
        ax: Axes | None = None,
        **options: Any,
    ) -> SupportVectorDisplay:
        """Score a grid over the training rows, and draw.

        Parameters
        ----------
        estimator : fitted classifier of two classes with ``decision_function``; without ``support_`` the rows on the
            margin, inside it and beyond are taken
        X, y : its training rows
        columns, grid, margin : as in BoundaryDisplay
        ax : matplotlib axes, default None for a new figure
        options : as in ``plot``
        """
        classes = getattr(estimator, "classes_", ())
        if len(classes) != 2 or not hasattr(estimator, "decision_function"):
            raise DataError(
                f"SupportVectorDisplay: expected a fitted machine of two classes, got {type(estimator).__name__} with "
                f"{len(classes)} classes."
            )
        sign = np.where(codes_of(np.asarray(y), classes) == 1, 1.0, -1.0)
        product = sign * np.asarray(estimator.decision_function(X))
        display = cls._over(estimator, X, y, columns, grid, margin, False)
        display.support = np.asarray(
            getattr(estimator, "support_", np.flatnonzero(product <= 1 + ON_THE_MARGIN))
        )
        display.slack = np.maximum(0.0, 1.0 - product)
        return display.plot(ax, **options)

    def plot(  # type: ignore[override]
        self,
        ax: Any = None,
        *,
        slacks: bool = True,
        size: float = 22.0,
        alpha: float = 0.2,
        title: str | None = None,
    ) -> SupportVectorDisplay:
        """Draw areas, boundary, margins, data and rings.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        slacks : bool
            Lines from rows with slack to their margin, for a linear score.
        size, alpha : of the dots and of the areas
        title : str, default None
        """
        super().plot(ax, lines=False, size=size, alpha=alpha)
        ax = self.ax_
        score: Any = self.scores
        field = score[:, :, 0]
        levels = [level for level in (-1.0, 1.0) if field.min() < level < field.max()]
        self.margins_ = (
            ax.contour(self.x, self.y, field, levels=levels, colors=INK, linewidths=1.1, linestyles="dashed")
            if levels
            else None
        )
        paying = self.slack[self.support] > ON_THE_MARGIN
        points: Any = self.points
        self.rings_ = [
            ax.scatter(
                *points[places].T, s=5 * size, facecolors="none", edgecolors=INK, linewidths=1.2, linestyles=style,
                zorder=4,
            )
            for places, style in ((self.support[~paying], "solid"), (self.support[paying], "dotted"))
        ]  # fmt: skip
        self.slacks_ = []
        if slacks and len(self.planes) == 1:
            (plane,) = self.planes.values()
            for i in self.support[paying]:
                side = 1.0 if self.truth[i] == 1 else -1.0  # type: ignore[index]
                foot = points[i] + side * self.slack[i] / plane.length * plane.normal / plane.length
                self.slacks_ += ax.plot(
                    *np.column_stack((points[i], foot)), color=INK, lw=0.9, ls=":", zorder=3
                )
        if title is not None:
            ax.set_title(title, fontsize=10, loc="left")
        return self
