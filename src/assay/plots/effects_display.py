"""Main effects and interactions of the factors of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, bare, draw_literally, legend_name, line_look
from assay.types import Axes

if TYPE_CHECKING:
    from assay.experiments.designs.effects import Effects

__all__ = ["EffectsDisplay"]

KINDS = ("half-normal", "main", "interaction")


class EffectsDisplay:
    """Effects of two-level factors, in one of three pictures.

    "half-normal": sizes of effects against the quantiles that noise would have; noise lies on a line through
    zero, effects that matter lie to the right of it. "main": the mean response at the low and at the high level
    of each factor. "interaction": the mean response over one factor, a line per level of another; lines that
    are not parallel show that the two act together.

    Parameters
    ----------
    effects : :class:`assay.experiments.Effects`
    design : RunTable or coded matrix, for "interaction" and the names of levels; None otherwise
    response : (n,) or (n, r), with the design

    Attributes
    ----------
    lines_ : what was drawn: dots, or one line per factor or level
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.experiments import full_factorial
    >>> from assay.plots import EffectsDisplay
    >>> display = EffectsDisplay.from_runs(full_factorial(3), [60, 72, 54, 68, 52, 83, 45, 80])
    >>> [text.get_text() for text in display.ax_.texts]
    ['AC', 'A', 'margin of one effect']
    """

    def __init__(self, effects: Effects, design: Any = None, response: ArrayLike | None = None):
        self.effects = effects
        self.design, self.response = design, response

    @classmethod
    def from_runs(
        cls, design: Any, response: ArrayLike, *, alpha: float = 0.05, ax: Axes | None = None, **options: Any
    ) -> EffectsDisplay:
        """Work out the effects of an experiment and draw them.

        Parameters
        ----------
        design : RunTable of two levels, or its coded matrix
        response : (n,), or (n, r) with r replicates
        alpha : of the margin beyond which an effect is called active
        options : as in ``plot``
        """
        from assay.experiments.designs.effects import effects

        return cls(effects(design, response, alpha=alpha), design, response).plot(ax, **options)

    def plot(
        self, ax: Axes | None = None, *, kind: str = "half-normal", pair: tuple[str, str] | None = None
    ) -> EffectsDisplay:
        """Draw the effects.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        kind : "half-normal", "main" or "interaction"
        pair : the two factors of "interaction"; default the pair with the largest interaction
        """
        if kind not in KINDS:
            raise ParameterError(f"EffectsDisplay: kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        self.ax_ = ax = axes_for(ax, (5.8, 4.0))
        self.figure_ = ax.figure
        self.lines_: list[Any] = []
        if kind == "half-normal":
            self._draw_half_normal(ax)
        elif kind == "main":
            self._draw_main(ax)
        else:
            self._draw_interaction(ax, pair)
        bare(ax)
        draw_literally(ax)
        return self

    def _draw_half_normal(self, ax: Any) -> None:
        effects = self.effects
        names, size, quantile = zip(*effects.half_normal())
        active = np.array(size) > effects.margin if np.isfinite(effects.margin) else np.zeros(len(size), bool)
        colours = np.where(active, class_colour(5), class_colour(0))
        self.lines_.append(ax.scatter(size, quantile, c=colours, s=34, zorder=3))
        for name, x, y, is_active in zip(names, size, quantile, active):
            if is_active:
                ax.annotate(legend_name(name, 24), (x, y), xytext=(-6, 4), textcoords="offset points",
                            ha="right", color=INK)  # fmt: skip
        scale = effects.standard_error if np.isfinite(effects.standard_error) else effects.pse
        if np.isfinite(scale) and scale > 0:
            top = max(quantile)
            ax.plot([0, scale * top], [0, top], color=FAINT, lw=0.8, ls=":")
        if np.isfinite(effects.margin):
            ax.axvline(effects.margin, color=FAINT, lw=1.0, ls="--")
            ax.annotate("margin of one effect", (effects.margin, 0), xytext=(3, 3), textcoords="offset points",
                        color=FAINT, size=9, va="bottom")  # fmt: skip
        ax.set(xlabel="size of the effect", ylabel="half-normal quantile")
        widest = max([*size, effects.margin if np.isfinite(effects.margin) else 0.0])
        ax.set_xlim(left=0, right=1.08 * widest or 1.0)
        ax.set_ylim(bottom=0)

    def _draw_main(self, ax: Any) -> None:
        """Low and high: the mean less and more half the effect."""
        factors = self._factors()
        for k, name in enumerate(factors):
            half = self.effects[name] / 2
            ends = [self.effects.mean - half, self.effects.mean + half]
            self.lines_ += ax.plot([k - 0.28, k + 0.28], ends, marker="o", color=class_colour(0), lw=1.8)
            for x, y, level in zip((k - 0.28, k + 0.28), ends, self._levels(name)):
                away = 8 if y >= self.effects.mean else -8  # names of levels stand away from the line
                ax.annotate(legend_name(level, 10), (x, y), xytext=(0, away), textcoords="offset points",
                            ha="center", va="center", size=8, color=FAINT)  # fmt: skip
        ax.axhline(self.effects.mean, color=FAINT, lw=0.8, ls=":")
        ax.set_xticks(range(len(factors)), [legend_name(name, 20) for name in factors])
        ax.set(ylabel="mean response", xlim=(-0.6, len(factors) - 0.4))
        ax.margins(y=0.15)

    def _draw_interaction(self, ax: Any, pair: tuple[str, str] | None) -> None:
        coded, y = self._runs()
        names = self._factors()
        first, second = self._largest(coded, y) if pair is None else self._asked(pair, names)
        for k, high in enumerate((-1.0, 1.0)):
            means = [y[(coded[:, first] == low) & (coded[:, second] == high)].mean() for low in (-1.0, 1.0)]
            label = f"{legend_name(names[second], 20)}: {legend_name(self._levels(names[second])[k], 16)}"
            self.lines_ += ax.plot([0, 1], means, marker="os"[k], label=label, **line_look(k))
        ax.set_xticks([0, 1], [legend_name(level, 16) for level in self._levels(names[first])])
        ax.set(xlabel=legend_name(names[first], 32), ylabel="mean response", xlim=(-0.25, 1.25))
        ax.legend(frameon=False)

    def _runs(self) -> tuple[np.ndarray, np.ndarray]:
        if self.design is None or self.response is None:
            raise DataError(
                "EffectsDisplay: this picture needs the runs: EffectsDisplay.from_runs(design, response)."
            )
        coded = np.asarray(getattr(self.design, "coded", self.design), dtype=np.float64)
        y = np.asarray(self.response, dtype=np.float64)
        return coded, y.mean(axis=1) if y.ndim == 2 else y

    def _factors(self) -> list[str]:
        if hasattr(self.design, "names"):
            return list(self.design.names)
        if self.design is not None:
            return list(self.effects.names[: np.shape(self.design)[1]])
        return [name for name in self.effects.names if len(name) == 1] or list(self.effects.names)

    def _levels(self, name: str) -> tuple[Any, Any]:
        levels = getattr(self.design, "levels", {}).get(name, (-1, 1))
        return levels[0], levels[-1]

    def _asked(self, pair: tuple[str, str], names: list[str]) -> tuple[int, int]:
        for name in pair:
            if name not in names:
                raise ParameterError(
                    f"EffectsDisplay: there is no factor {name!r}. Factors: {', '.join(names)}."
                )
        if len(pair) != 2 or pair[0] == pair[1]:
            raise ParameterError("EffectsDisplay: pair must name two different factors.")
        return names.index(pair[0]), names.index(pair[1])

    def _largest(self, coded: np.ndarray, y: np.ndarray) -> tuple[int, int]:
        F = coded.shape[1]
        if F < 2:
            raise DataError("EffectsDisplay: an interaction needs two factors.")
        sizes = {(i, j): abs(coded[:, i] * coded[:, j] @ y) for i in range(F) for j in range(i + 1, F)}
        return max(sizes, key=lambda pair: sizes[pair])
