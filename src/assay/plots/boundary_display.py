"""The boundaries of a classifier in a plane: where scores are zero, where classes meet, where it rejects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.linear.hyperplane import Hyperplane
from assay.plots.canvas import axes_for
from assay.plots.partition_display import PartitionDisplay
from assay.plots.plane import codes_of, plane_over
from assay.types import Axes, Estimator, Label, TableLike, Target

__all__ = ["BoundaryDisplay"]

INK = "#15202b"


class BoundaryDisplay(PartitionDisplay):
    r"""How a classifier divides a plane of two columns, and by which lines.

    Thin lines show where the score of a class (:math:`g_k=0`) or of a pair of classes (:math:`g_{ij}=0`) changes its
    sign, thick ones where one class meets another; an area in which the classifier rejects is hatched.
    Models that are linear in the columns can show the normals of their lines, and how far points are from them.

    Parameters
    ----------
    x, y, answers, names, classes, points, truth : as in `PartitionDisplay`; -1 is rejection
    scores : (g, g, m) or None
        Numbers whose signs the thin lines part, such as :math:`g_k`.
    labels : m names of the scores
    margins : (g, g, K) or None
        Scores whose largest is the answer; where two of them are equal the thick lines run. Without them they follow
        the answers, in steps as fine as the grid.
    planes : dict of name to Hyperplane in the two columns

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    surface_, lines_, boundaries_, rejected_, normals_, distances_ : what was drawn; None or empty if nothing was

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.plots import BoundaryDisplay
    >>> X, y = [[0.0, 0.0], [0.5, 1.0], [3.0, 0.0], [3.5, 1.0]], ["a", "a", "b", "b"]
    >>> display = BoundaryDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), X, y, grid=5)
    >>> display.answers[0]
    array([0, 0, 0, 1, 1])
    >>> list(display.planes)
    ['b']
    """

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        answers: np.ndarray,
        *,
        names: Sequence[str] = ("x0", "x1"),
        classes: Sequence[Label] | np.ndarray | None = None,
        points: np.ndarray | None = None,
        truth: np.ndarray | None = None,
        scores: np.ndarray | None = None,
        labels: Sequence[str] = (),
        margins: np.ndarray | None = None,
        planes: Mapping[str, Hyperplane] | None = None,
    ):
        super().__init__(x, y, answers, names=names, classes=classes, points=points, truth=truth)
        self.scores, self.labels = scores, list(labels)
        self.margins, self.planes = margins, dict(planes or {})

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target | None = None,
        *,
        columns: Sequence[int | str] | None = None,
        grid: int = 300,
        margin: float = 0.06,
        pairs: bool = False,
        ax: Axes | None = None,
        **options: Any,
    ) -> BoundaryDisplay:
        """Predict on a grid over the data, and draw.

        Parameters
        ----------
        estimator : fitted classifier
        X, y : the data; y may be left out
        columns : two names or numbers, default None
            Which columns span the plane, of tables with more than two; the others stay at their medians, or at their
            commonest category.
        grid : int
            Points along each side.
        margin : float
            Room around the data, in shares of its range.
        pairs : bool
            Lines of pairs of classes, where two scores are equal, instead of lines of single classes. A
            OneVsOneClassifier has no others.
        options : as in ``plot``
        """
        return cls._over(estimator, X, y, columns, grid, margin, pairs).plot(ax, **options)

    @classmethod
    def _over(
        cls,
        estimator: Any,
        X: TableLike,
        y: Target | None,
        columns: Sequence[int | str] | None,
        grid: int,
        margin: float,
        pairs: bool,
    ) -> Self:
        """The display of an estimator on a grid over the data, before it is drawn."""
        plane = plane_over(cls.__name__, estimator, X, columns, grid, margin)
        classes = estimator.classes_
        answers = codes_of(np.asarray(estimator.predict(plane.grid_rows)), classes).reshape(grid, grid)
        scores, labels, margins = _fields(estimator, plane.grid_rows, pairs)
        if margins is not None and (margins.argmax(axis=1) != answers.ravel()).any():
            margins = None  # the largest score is not the answer

        def field(table: np.ndarray | None) -> np.ndarray | None:
            return None if table is None else table.reshape(grid, grid, -1)

        return cls(
            plane.x,
            plane.y,
            answers,
            names=plane.names,
            classes=classes,
            points=plane.points,
            truth=None if y is None else codes_of(np.asarray(y), classes),
            scores=field(scores),
            labels=labels,
            margins=field(margins),
            planes=_planes(estimator, plane.columns, plane.middle, pairs),
        )

    def plot(  # type: ignore[override]
        self,
        ax: Axes | None = None,
        *,
        lines: bool = True,
        boundaries: bool = True,
        normals: bool = False,
        distances: ArrayLike | None = None,
        size: float = 22.0,
        alpha: float = 0.2,
    ) -> BoundaryDisplay:
        """Draw areas, lines and data.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        lines : bool
            Thin lines where a score is 0.
        boundaries : bool
            Thick lines where one class meets another.
        normals : bool
            Arrows at right angles to the lines of linear models, towards their positive side.
        distances : (m, 2) points, or None
            Show the foot of each on the nearest line of a linear model, and the signed distance.
        size, alpha : of the dots and of the areas
        """
        self.ax_ = ax = axes_for(ax, (5.5, 4.6))
        from matplotlib.colors import ListedColormap

        self.figure_ = ax.figure
        K = len(self.classes)
        colours = ListedColormap([class_colour(k) for k in range(K)])
        visible = np.ma.masked_less(self.answers, 0)
        self.surface_ = ax.pcolormesh(
            self.x, self.y, visible, cmap=colours, vmin=-0.5, vmax=K - 0.5, alpha=alpha, shading="nearest",
            rasterized=True,
        )  # fmt: skip
        self.rejected_ = None
        if (self.answers < 0).any():
            self.rejected_ = ax.contourf(
                self.x, self.y, self.answers < 0, levels=[0.5, 1.5], colors="none", hatches=["////"]
            )
        self.lines_ = self._thin() if lines and self.scores is not None else []
        self.boundaries_ = self._thick() if boundaries else []
        self._dots(size)
        self.normals_ = [self._normal(plane) for plane in self.planes.values()] if normals else []
        self.distances_ = [] if distances is None else [self._distance(p) for p in np.atleast_2d(distances)]
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        return self

    def _thin(self) -> list[Any]:
        """A line where each score changes its sign, in the colour of its class."""
        contours = []
        assert self.scores is not None
        for k in range(self.scores.shape[2]):
            g = self.scores[:, :, k]
            if g.min() < 0 < g.max():
                single = self.scores.shape[2] == len(self.classes) and self.labels[k] in map(
                    str, self.classes
                )
                colour = class_colour(k) if single else "#5b6670"
                contours.append(ax_contour(self.ax_, self.x, self.y, g, colour, 1.0))
        return contours

    def _thick(self) -> list[Any]:
        """Lines where one class meets another."""
        contours = []
        for k in [k for k in np.unique(self.answers) if k >= 0]:
            if self.margins is None:
                field = (self.answers == k).astype(float) - 0.5
            else:
                others = np.delete(self.margins, k, axis=2).max(axis=2)
                field = self.margins[:, :, k] - others
            if field.min() < 0 < field.max():
                contours.append(ax_contour(self.ax_, self.x, self.y, field, INK, 2.0))
        return contours

    def _normal(self, plane: Hyperplane) -> Any:
        """An arrow from the middle of the line to its positive side."""
        ends = plane.line((self.x[0], self.x[-1]), (self.y[0], self.y[-1]))
        if ends is None:
            return None
        start = ends.mean(axis=0)
        reach = 0.15 * min(self.x[-1] - self.x[0], self.y[-1] - self.y[0])
        end = start + reach * plane.normal / plane.length
        look = {"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
        return self.ax_.annotate("", xy=end, xytext=start, arrowprops=look)

    def _distance(self, point: np.ndarray) -> Any:
        """The way from a point to the nearest line, and how long it is."""
        if not self.planes:
            return None
        plane = min(self.planes.values(), key=lambda plane: abs(float(plane.distance(point))))
        foot, r = plane.project(point), float(plane.distance(point))
        (drawn,) = self.ax_.plot(*np.column_stack((point, foot)), color=INK, lw=1.0, ls=":")
        self.ax_.plot(*foot, marker=".", color=INK)
        middle = (point + foot) / 2
        self.ax_.annotate(f"{r:.2f}", middle, xytext=(3, 3), textcoords="offset points", fontsize=8)
        return drawn


def ax_contour(ax: Axes, x: np.ndarray, y: np.ndarray, field: np.ndarray, colour: str, width: float) -> Any:
    """The line on which a field is 0."""
    return ax.contour(x, y, field, levels=[0.0], colors=colour, linewidths=width, linestyles="solid")


def _fields(
    model: Any, grid_rows: Any, pairs: bool
) -> tuple[np.ndarray | None, list[str], np.ndarray | None]:
    """Scores whose signs are shown, their names, and scores (n, K) whose largest should be the answer."""
    from assay.ensembles.one_vs_one import OneVsOneClassifier

    names = [str(label) for label in model.classes_]
    if isinstance(model, OneVsOneClassifier):
        duels = [f"{names[i]} : {names[j]}" for i, j in model._pairs()]
        return -model._score_members(model._admit(grid_rows)), duels, None
    if hasattr(model, "decision_function"):
        g = np.asarray(model.decision_function(grid_rows))
    elif hasattr(model, "predict_proba"):
        g = np.asarray(model.predict_proba(grid_rows))
        if not pairs:
            g = g - 0.5
        g = g[:, 1] if g.shape[1] == 2 else g
    else:
        return None, [], None
    if g.ndim == 1:
        return g[:, None], names[1:], np.column_stack((np.zeros(len(g)), g))
    if not pairs:
        return g, names, g
    i, j = np.triu_indices(g.shape[1], 1)
    return g[:, i] - g[:, j], [f"{names[a]} : {names[b]}" for a, b in zip(i, j)], g


def _planes(model: Any, pair: list[int], middle: np.ndarray, pairs: bool) -> dict[str, Hyperplane]:
    """The lines of a model that is linear in the columns, within the plane that is shown."""
    names = [str(label) for label in model.classes_]
    W, b, line_names = _weights(model, names)
    if W is None or np.ndim(W) != 2 or W.shape[1] != len(middle):
        return {}
    b = np.broadcast_to(np.asarray(b, dtype=np.float64), len(W))
    if pairs and line_names == names:
        i, j = np.triu_indices(len(names), 1)
        W, b = W[i] - W[j], b[i] - b[j]
        line_names = [f"{names[k]} : {names[l]}" for k, l in zip(i, j)]
    hidden = np.delete(np.arange(len(middle)), pair)
    offsets = b + W[:, hidden] @ middle[hidden]
    return {
        name: Hyperplane(w[pair], float(c)) for name, w, c in zip(line_names, W, offsets) if w[pair].any()
    }


def _weights(model: Any, names: list[str]) -> tuple[Any, Any, list[str]]:
    """Weights and constants of linear scores, or of those of the members, and what the scores speak for."""
    from assay.ensembles.one_vs_one import OneVsOneClassifier
    from assay.ensembles.one_vs_rest import OneVsRestClassifier

    duels = isinstance(model, OneVsOneClassifier)
    if not duels and not isinstance(model, OneVsRestClassifier):
        W: Any = getattr(model, "coef_", None)
        b = getattr(model, "intercept_", None)
        if W is None or b is None:
            return None, None, []
        W = np.atleast_2d(W.toarray() if hasattr(W, "toarray") else W)  # sparse after sparsify
        return W, b, names if len(W) == len(names) else names[1:]
    parts: list[Any] = [
        (getattr(m, "coef_", None), getattr(m, "intercept_", None)) for m in model.estimators_
    ]
    if any(w is None or b is None or np.size(b) != 1 for w, b in parts):
        return None, None, []
    sign = -1.0 if duels else 1.0
    W = sign * np.vstack([w for w, _ in parts])
    b = sign * np.concatenate([np.ravel(b) for _, b in parts])
    if duels:
        return W, b, [f"{names[i]} : {names[j]}" for i, j in model._pairs()]
    return W, b, names if len(W) == len(names) else names[1:]
